//! ATIF, the Agent Trajectory Interchange Format of Harbor (harborframework.com/docs/trajectory-format): reads and
//! writes it.
//!
//! | step | is |
//! |---|---|
//! | `source` `system`, `user` | instructions, a message of the user |
//! | `source` `agent` | an answer: `message`, `reasoning_content`, `tool_calls` |
//! | `observation` of a step | the results of the calls that it names in `source_call_id`, else in order |
//! | `observation` of a step without calls | a message of the user: the agent acted by its text |
//!
//! The trajectories of subagents in it are transcripts of their own. A session may have several trajectories, so the id
//! of a transcript is `trajectory_id` where there is one, else `session_id`.
//!
//! What the format has no member for is in `extra`, which it has for that: `is_error` and `timestamp` of a result,
//! `outcome` of the run, and the text of arguments that are no object. A result that does not come right after its
//! answer is in a step of its own.

use std::borrow::Cow;
use std::sync::Arc;

use balk_guards::Status;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::content::{Blocks, Text, Word, arguments, lines_of};
use super::neutral::{Tool, WrittenUsage, tool, used};
use super::offered::{self, Entry};
use super::parse::{parse, value};
use super::recording::{Answer, Call, Joiner, Made, Message, Of, Outcome, Recording, Said};
use super::sink::Sink;
use super::spent;
use super::strict::Object;

#[derive(Deserialize)]
struct Trajectory<'a> {
    trajectory_id: Option<Text>,
    session_id: Option<Text>,
    agent: Option<Object<Agent>>,
    #[serde(borrow)]
    steps: Vec<Object<Step<'a>>>,
    extra: Option<Object<RunExtra>>,
    #[serde(borrow)]
    subagent_trajectories: Option<Vec<Object<Trajectory<'a>>>>,
}

#[derive(Deserialize)]
struct Agent {
    model_name: Option<Text>,
    tool_definitions: Option<Vec<Object<Entry>>>,
}

#[derive(Deserialize)]
struct RunExtra {
    outcome: Option<Outcome>,
}

#[derive(Deserialize)]
struct Step<'a> {
    #[serde(borrow)]
    source: Word<'a>,
    model_name: Option<Text>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    reasoning_content: Option<Text>,
    #[serde(borrow)]
    tool_calls: Option<Vec<Object<Called<'a>>>>,
    #[serde(borrow)]
    observation: Option<Object<Observation<'a>>>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
    #[serde(borrow)]
    metrics: Option<&'a RawValue>,
    /// From a step that another trajectory has already.
    is_copied_context: Option<bool>,
}

#[derive(Deserialize)]
struct Called<'a> {
    tool_call_id: Option<Text>,
    function_name: Text,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    extra: Option<Object<CallExtra>>,
}

#[derive(Deserialize)]
struct CallExtra {
    arguments: Option<Text>,
}

#[derive(Deserialize)]
struct Observation<'a> {
    #[serde(borrow)]
    results: Vec<Object<Resulted<'a>>>,
}

#[derive(Deserialize)]
struct Resulted<'a> {
    source_call_id: Option<Text>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    extra: Option<Object<ResultExtra<'a>>>,
}

#[derive(Deserialize)]
struct ResultExtra<'a> {
    is_error: Option<bool>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
}

/// Reads a trajectory, and those of its subagents.
///
/// # Errors
/// It is none.
pub(super) fn trajectory(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    all(parse(text)?, &mut Vec::new(), sink);
    Ok(())
}

/// Takes a trajectory, which is the one with these numbers in those around it, and those in it.
fn all(mut trajectory: Trajectory, numbers: &mut Vec<usize>, sink: &mut Sink) {
    let inner = trajectory.subagent_trajectories.take();
    match recording(trajectory) {
        Ok(recording) => sink.recording(recording),
        Err(bad) => {
            let below = |bad: BadLine, at: &usize| bad.below(&format!("subagent_trajectories[{at}]"));
            sink.bad(0, numbers.iter().rev().fold(bad, below));
        }
    }
    for (at, Object(it)) in inner.into_iter().flatten().enumerate() {
        numbers.push(at);
        all(it, numbers, sink);
        numbers.pop();
    }
}

fn recording(trajectory: Trajectory) -> Result<Recording, BadLine> {
    let Trajectory { trajectory_id, session_id, agent, steps, extra, subagent_trajectories: _ } = trajectory;
    let mut joiner = Joiner::default();
    let (mut model, mut tools) = (None, None);
    if let Some(Object(agent)) = agent {
        (model, tools) = (agent.model_name, agent.tool_definitions);
    }
    for (at, Object(step)) in steps.into_iter().enumerate() {
        if step.is_copied_context != Some(true) {
            model = model.or(step.model_name.clone());
            take(&mut joiner, step, &format!("steps[{at}]"))?;
        }
    }
    let text = |text: Option<Text>| text.map(|Text(text)| text).unwrap_or_default();
    let outcome = extra.and_then(|Object(it)| it.outcome).unwrap_or_default();
    let head = Recording {
        id: text(trajectory_id.or(session_id)),
        model: text(model),
        outcome,
        tools: offered::tools(tools),
        ..Recording::default()
    };
    Ok(joiner.into(head))
}

fn take(joiner: &mut Joiner, step: Step, place: &str) -> Result<(), BadLine> {
    let text = words(step.message).map_err(|bad| bad.below(&format!("{place}.message")))?;
    joiner.at(spent::moment(step.timestamp));
    match &*step.source.0 {
        "agent" => {
            let calls = step.tool_calls.into_iter().flatten().map(|Object(it)| {
                let text = it.extra.and_then(|Object(it)| it.arguments).map(|Text(text)| text);
                let arguments = text.unwrap_or_else(|| arguments(it.arguments));
                Made { id: it.tool_call_id.map(|Text(id)| id), tool: it.function_name.0, arguments }
            });
            let thinking = step.reasoning_content.map(|Text(text)| text);
            joiner.assistant(thinking, text, calls.collect());
            joiner.used(spent::usage(step.metrics));
        }
        "user" => joiner.user(text.unwrap_or_default()),
        // A step that is there for its observation alone says nothing.
        "system" if text.is_none() && step.observation.is_some() => {}
        "system" => joiner.system(text.unwrap_or_default()),
        _ => {
            let why = "expected `system`, `user` or `agent`, found something else";
            return Err(BadLine::shape(format!("{place}.source"), why));
        }
    }
    let results = step.observation.into_iter().flat_map(|Object(it)| it.results);
    for (at, Object(it)) in results.enumerate() {
        let place = || format!("{place}.observation.results[{at}].source_call_id");
        let text = words(it.content).map_err(|bad| bad.below(&place()))?.unwrap_or_default();
        let beside = it.extra.map(|Object(it)| it);
        joiner.at(beside.as_ref().and_then(|it| spent::moment(it.timestamp)));
        let status = match beside.and_then(|it| it.is_error) {
            Some(true) => Status::Error,
            Some(false) => Status::Ok,
            None => Status::Unknown,
        };
        match it.source_call_id {
            Some(Text(id)) => joiner.result(Of::Id(id), status, text, place)?,
            None if joiner.is_waiting() => joiner.result(Of::Next, status, text, place)?,
            // The agent acted by its text, so its environment answers in the user's place.
            None => joiner.user(text),
        }
    }
    Ok(())
}

/// A text, or the texts of a list of parts; none if it is empty.
fn words(content: Option<&RawValue>) -> Result<Option<Arc<str>>, BadLine> {
    let Some(content) = content.filter(|it| it.get() != "null") else { return Ok(None) };
    Ok(match value::<Blocks<Part>>(content.get())? {
        Blocks::Text(text) => Some(text).filter(|text| !text.is_empty()),
        Blocks::List(parts) => lines_of(parts.iter().filter_map(|part| part.text.as_deref())),
    })
}

#[derive(Serialize)]
struct Written<'a> {
    schema_version: &'static str,
    session_id: &'a str,
    agent: WrittenAgent<'a>,
    steps: Vec<WrittenStep<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra: Option<WrittenRun>,
}

#[derive(Serialize)]
struct WrittenAgent<'a> {
    name: &'static str,
    version: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    model_name: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_definitions: Vec<Tool<'a>>,
}

#[derive(Serialize)]
struct WrittenRun {
    outcome: Outcome,
}

#[derive(Serialize)]
struct WrittenStep<'a> {
    step_id: usize,
    source: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<WrittenCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    observation: Option<WrittenObservation<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<WrittenUsage>,
}

#[derive(Serialize)]
struct WrittenCall<'a> {
    tool_call_id: &'a str,
    function_name: &'a str,
    arguments: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra: Option<WrittenArguments<'a>>,
}

#[derive(Serialize)]
struct WrittenArguments<'a> {
    arguments: &'a str,
}

#[derive(Serialize)]
struct WrittenObservation<'a> {
    results: Vec<WrittenResult<'a>>,
}

#[derive(Serialize)]
struct WrittenResult<'a> {
    source_call_id: &'a str,
    content: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    extra: Option<WrittenBeside>,
}

#[derive(Serialize)]
struct WrittenBeside {
    #[serde(skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
}

/// One transcript as a trajectory on a line, without the line feed.
#[must_use]
pub fn atif(recording: &Recording) -> String {
    let Recording { id, model, outcome, tools, messages, times: _, reused_ids: _ } = recording;
    let mut steps: Vec<WrittenStep> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let timestamp = recording.time(at).map(|it| it.to_string());
        match message {
            Message::System(text) => {
                steps.push(WrittenStep { timestamp, ..step(&steps, "system", text) });
            }
            Message::User(text) => steps.push(WrittenStep { timestamp, ..step(&steps, "user", text) }),
            Message::Assistant(Said { thinking, text, calls, usage }) => steps.push(WrittenStep {
                reasoning_content: thinking.as_deref(),
                tool_calls: calls.iter().map(call).collect(),
                timestamp,
                metrics: used(*usage),
                ..step(&steps, "agent", text.as_deref().unwrap_or_default())
            }),
            Message::Result(answer) => {
                // Behind a message of the user, results are in a step of their own.
                let takes = |last: &WrittenStep| last.source == "agent" || last.observation.is_some();
                if !steps.last().is_some_and(takes) {
                    steps.push(step(&steps, "system", ""));
                }
                let last = steps.last_mut().expect("there is a step");
                let observation = last.observation.get_or_insert(WrittenObservation { results: Vec::new() });
                observation.results.push(result(answer, timestamp));
            }
        }
    }
    let agent = WrittenAgent {
        name: "unknown",
        version: "unknown",
        model_name: model,
        tool_definitions: tools.iter().map(tool).collect(),
    };
    let extra = Some(WrittenRun { outcome: *outcome }).filter(|it| it.outcome != Outcome::Unknown);
    let written = Written { schema_version: "ATIF-v1.7", session_id: id, agent, steps, extra };
    serde_json::to_string(&written).expect("all keys are strings")
}

fn step<'a>(before: &[WrittenStep], source: &'static str, message: &'a str) -> WrittenStep<'a> {
    WrittenStep {
        step_id: before.len() + 1,
        source,
        message,
        reasoning_content: None,
        tool_calls: Vec::new(),
        observation: None,
        timestamp: None,
        metrics: None,
    }
}

fn call(call: &Call) -> WrittenCall<'_> {
    let Call { id, tool, arguments } = call;
    let object = serde_json::from_str::<&RawValue>(arguments).ok().filter(|it| it.get() == &**arguments);
    // A line feed between tokens would end the line.
    let fits = |it: &&RawValue| it.get().starts_with('{') && !it.get().contains(['\n', '\r']);
    let (arguments, extra) = match object.filter(fits) {
        Some(object) => (object, None),
        None => (
            serde_json::from_str("{}").expect("an empty object is JSON"),
            Some(WrittenArguments { arguments }),
        ),
    };
    WrittenCall { tool_call_id: id, function_name: tool, arguments, extra }
}

fn result(answer: &Answer, timestamp: Option<String>) -> WrittenResult<'_> {
    let Answer { id, status, text } = answer;
    let is_error = match status {
        Status::Ok => Some(false),
        Status::Error => Some(true),
        Status::Unknown => None,
    };
    let is_known = is_error.is_some() || timestamp.is_some();
    let extra = is_known.then_some(WrittenBeside { is_error, timestamp });
    WrittenResult { source_call_id: id, content: text, extra }
}
