//! Results of InterCode: a document with a run for each task, in parallel lists (`turn_history`).
//!
//! Action and observation with the same index belong together. The format names no tool, so the environment is the
//! tool (`ic_bash`), and the action its `command`. `valid_action` says whether it failed; a greatest reward of 1 that
//! the task was solved.

use std::borrow::Cow;
use std::sync::Arc;

use balk_guards::Status;
use serde::Deserialize;

use super::bad::BadLine;
use super::content::{Elements, Literal, Text, argument, text_of};
use super::recording::{Joiner, Made, Of, Outcome, Recording};
use super::sink::Sink;
use super::strict::Object;

#[derive(Deserialize)]
struct Run<A, O> {
    environment: Text,
    query: Option<Text>,
    #[serde(bound(deserialize = "A: Deserialize<'de>, O: Deserialize<'de>"))]
    turn_history: Object<Turns<A, O>>,
    summary: Option<Object<Summary>>,
}

#[derive(Deserialize)]
struct Turns<A, O> {
    thoughts: Option<Vec<Option<Text>>>,
    actions: Vec<A>,
    observations: Elements<O>,
    valid_action: Option<Vec<Option<bool>>>,
}

#[derive(Deserialize)]
struct Summary {
    max_reward: Option<f64>,
}

/// Reads all runs of a document.
///
/// # Errors
/// It is none.
pub(super) fn document(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    // Nearly every observation is a string.
    let of_texts = |task: &str, run| run_of(task, run, Literal::argument, |Text(text)| text);
    let of_any =
        |task: &str, run| run_of(task, run, |name, action: Cow<str>| argument(name, &action), text_of);
    sink.members(text, of_texts, of_any)
}

fn run_of<A, O>(
    task: &str,
    run: Run<A, O>,
    argument: impl Fn(&str, A) -> Arc<str>,
    text: impl Fn(O) -> Arc<str>,
) -> Result<Recording, BadLine> {
    let Run { environment: Text(tool), query, turn_history: Object(turns), summary } = run;
    let mut joiner = Joiner::default();
    joiner.expect(1 + 2 * turns.actions.len());
    if let Some(Text(query)) = query {
        joiner.user(query);
    }
    let mut thoughts = turns.thoughts.unwrap_or_default().into_iter();
    let valid = turns.valid_action.unwrap_or_default();
    let Elements(observations) = turns.observations;
    let mut observations = observations.into_iter();
    for (at, action) in turns.actions.into_iter().enumerate() {
        let thought = thoughts.next().flatten().map(|Text(thought)| thought);
        let call = Made { id: None, tool: tool.clone(), arguments: argument("command", action) };
        joiner.assistant(None, thought, vec![call]);
        if let Some(observation) = observations.next() {
            let status = match valid.get(at).copied().flatten() {
                Some(true) => Status::Ok,
                Some(false) => Status::Error,
                None => Status::Unknown,
            };
            joiner.result(Of::Next, status, text(observation), String::new)?;
        }
    }
    let reward = summary.and_then(|Object(it)| it.max_reward);
    let outcome = Outcome::of(reward.map(|reward| reward > 0.999));
    Ok(joiner.into(Recording { id: task.into(), outcome, ..Recording::default() }))
}
