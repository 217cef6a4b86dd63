//! Results of tau-bench and of tau2-bench.
//!
//! | form | one run is |
//! |---|---|
//! | tau-bench: a list of results | an element: `traj`, messages of OpenAI chat |
//! | tau2: `results.json` with `simulations` | an element: `messages` |
//! | tau2: a document for each task, as some publish them | the document |
//!
//! tau2 has calls of the simulated user, too (`requestor`): they and their results are not the agent's, and are passed
//! over. A `reward` of 1 means that the task was solved; `error` of a result says whether the tool failed.

use std::sync::Arc;

use balk_guards::Status;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::chat::{self, Message};
use super::content::{Arguments, Text, Word, Words, arguments, text_of};
use super::parse::parse;
use super::recording::{Joiner, Made, Of, Outcome, Recording};
use super::sink::{Head, Sink};
use super::spent;
use super::strict::Object;

/// A result of tau-bench.
#[derive(Deserialize)]
#[serde(bound(deserialize = "A: Deserialize<'de>"))]
struct Trial<'a, A> {
    #[serde(borrow)]
    task_id: &'a RawValue,
    #[serde(borrow)]
    trial: Option<&'a RawValue>,
    reward: Option<f64>,
    #[serde(borrow)]
    traj: Vec<Object<Message<'a, A>>>,
}

/// Reads a result of tau-bench.
///
/// # Errors
/// It is none, or a result of a tool is without a call.
pub(super) fn tau_bench(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    // Nearly all arguments are strings.
    match serde_json::from_str(text) {
        Ok(Object(trial)) => tried::<Text>(trial, sink),
        Err(_) => tried::<&RawValue>(parse(text)?, sink),
    }
}

fn tried<A: Arguments>(
    Trial { task_id, trial, reward, traj }: Trial<A>,
    sink: &mut Sink,
) -> Result<(), BadLine> {
    let mut joiner = Joiner::default();
    chat::take(&mut joiner, "traj", traj)?;
    let id = numbered(Some(task_id), trial);
    sink.recording(joiner.into(Recording { id, outcome: outcome(reward), ..Recording::default() }));
    Ok(())
}

/// A simulation of tau2, or the document of one.
#[derive(Deserialize)]
struct Simulation<'a> {
    id: Option<Text>,
    #[serde(borrow)]
    task_id: Option<&'a RawValue>,
    #[serde(borrow)]
    trial: Option<&'a RawValue>,
    run_info: Option<Object<Run>>,
    reward_info: Option<Object<Reward>>,
    #[serde(borrow)]
    messages: Vec<Object<Spoken<'a>>>,
}

#[derive(Deserialize)]
struct Run {
    simulation_id: Option<Text>,
}

#[derive(Deserialize)]
struct Reward {
    reward: Option<f64>,
}

#[derive(Deserialize)]
struct Spoken<'a> {
    #[serde(borrow)]
    role: Word<'a>,
    content: Option<Words>,
    #[serde(borrow)]
    tool_calls: Option<Vec<Object<Call<'a>>>>,
    id: Option<Text>,
    error: Option<bool>,
    #[serde(borrow)]
    requestor: Option<Word<'a>>,
    /// Results that came together.
    #[serde(borrow)]
    tool_messages: Option<Vec<Object<Spoken<'a>>>>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call<'a> {
    id: Option<Text>,
    name: Text,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// What `results.json` says before its simulations.
#[derive(Deserialize)]
struct Results {
    info: Option<Object<Info>>,
}

#[derive(Deserialize)]
struct Info {
    agent_info: Option<Object<Agent>>,
}

#[derive(Deserialize)]
struct Agent {
    llm: Option<Text>,
}

/// The model of all simulations.
pub(super) fn head(text: &[u8]) -> Head {
    let results = serde_json::from_slice::<Object<Results>>(text).ok();
    let agent = results.and_then(|Object(it)| it.info).and_then(|Object(it)| it.agent_info);
    let model = agent.and_then(|Object(it)| it.llm).map(|Text(model)| model);
    Head { model: model.unwrap_or_default() }
}

/// Reads a simulation of tau2.
///
/// # Errors
/// It is none, or a result of a tool is without a call.
pub(super) fn tau2(text: &str, head: &Head, sink: &mut Sink) -> Result<(), BadLine> {
    let Simulation { id, task_id, trial, run_info, reward_info, messages } = parse(text)?;
    let mut joiner = Joiner::default();
    for (at, Object(message)) in messages.into_iter().enumerate() {
        take(&mut joiner, message, &format!("messages[{at}]"))?;
    }
    let id = id.or(run_info.and_then(|Object(it)| it.simulation_id)).map(|Text(id)| id);
    let id = id.unwrap_or_else(|| numbered(task_id, trial));
    let outcome = outcome(reward_info.and_then(|Object(it)| it.reward));
    sink.recording(joiner.into(Recording { id, model: head.model.clone(), outcome, ..Recording::default() }));
    Ok(())
}

fn take(joiner: &mut Joiner, message: Spoken, place: &str) -> Result<(), BadLine> {
    let Spoken { role, content, tool_calls, id, error, requestor, tool_messages, timestamp, usage } = message;
    let text = content.map(|Words(text)| text);
    let is_of_user = requestor.is_some_and(|Word(it)| it == "user");
    match &*role.0 {
        "system" => joiner.system(text.unwrap_or_default()),
        // A call of the user is nothing that the agent is told.
        "user" => {
            if let Some(text) = text {
                joiner.at(spent::moment(timestamp));
                joiner.user(text);
            }
        }
        "assistant" => {
            let calls =
                tool_calls.into_iter().flatten().map(|Object(Call { id, name, arguments: given })| Made {
                    id: id.map(|Text(id)| id),
                    tool: name.0,
                    arguments: arguments(given),
                });
            joiner.at(spent::moment(timestamp));
            joiner.assistant(None, text, calls.collect());
            joiner.used(spent::usage(usage));
        }
        "tool" => {
            for (at, Object(one)) in tool_messages.into_iter().flatten().enumerate() {
                take(joiner, one, &format!("{place}.tool_messages[{at}]"))?;
            }
            if let (Some(Text(id)), false) = (id, is_of_user) {
                let status = match error {
                    Some(true) => Status::Error,
                    Some(false) => Status::Ok,
                    None => Status::Unknown,
                };
                joiner.at(spent::moment(timestamp));
                joiner.result(Of::Id(id), status, text.unwrap_or_default(), || format!("{place}.id"))?;
            }
        }
        other => {
            let why = format!("expected `user`, `assistant`, `tool` or `system`, found `{other}`");
            return Err(BadLine::shape(format!("{place}.role"), &super::one_line::one_line(&why, 120)));
        }
    }
    Ok(())
}

fn outcome(reward: Option<f64>) -> Outcome {
    // Rewards are products of zeros and ones.
    Outcome::of(reward.map(|reward| reward > 0.999))
}

/// The task, and the trial where there are several.
fn numbered(task: Option<&RawValue>, trial: Option<&RawValue>) -> Arc<str> {
    let task = task.map(text_of).unwrap_or_default();
    match trial.filter(|it| it.get() != "null") {
        Some(trial) => format!("{task}/{}", text_of(trial)).into(),
        None => task,
    }
}
