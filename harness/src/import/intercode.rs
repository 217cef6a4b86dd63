//! Results of InterCode: a document with a run for each task, in parallel lists (`turn_history`).
//!
//! Action and observation with the same index belong together. The format names no tool, so the environment is the
//! tool (`ic_bash`), and the action its `command`. `valid_action` says whether it failed; a greatest reward of 1 that
//! the task was solved.

use std::borrow::Cow;

use balk_guards::Status;
use serde::Deserialize;

use super::bad::BadLine;
use super::content::{Elements, Text, text_of};
use super::recording::{Joiner, Of, Outcome, Recording};
use super::sink::Sink;
use super::strict::Object;
use super::swe_agent::command;

#[derive(Deserialize)]
struct Run<'a> {
    environment: Text,
    query: Option<Text>,
    #[serde(borrow)]
    turn_history: Object<Turns<'a>>,
    summary: Option<Object<Summary>>,
}

#[derive(Deserialize)]
struct Turns<'a> {
    thoughts: Option<Vec<Option<Text>>>,
    #[serde(borrow)]
    actions: Vec<Cow<'a, str>>,
    #[serde(borrow)]
    observations: Elements<'a>,
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
    sink.members(text, run_of)
}

fn run_of(task: &str, run: Run) -> Result<Recording, BadLine> {
    let Run { environment: Text(tool), query, turn_history: Object(turns), summary } = run;
    let mut joiner = Joiner::default();
    if let Some(Text(query)) = query {
        joiner.user(query);
    }
    let mut thoughts = turns.thoughts.unwrap_or_default().into_iter();
    let valid = turns.valid_action.unwrap_or_default();
    let Elements(observations) = turns.observations;
    for (at, action) in turns.actions.iter().enumerate() {
        let thought = thoughts.next().flatten().map(|Text(thought)| thought);
        joiner.assistant(None, thought, vec![command(&tool, action)]);
        if let Some(observation) = observations.get(at) {
            let status = match valid.get(at).copied().flatten() {
                Some(true) => Status::Ok,
                Some(false) => Status::Error,
                None => Status::Unknown,
            };
            joiner.result(Of::Next, status, text_of(observation), String::new)?;
        }
    }
    let reward = summary.and_then(|Object(it)| it.max_reward);
    let outcome = Outcome::of(reward.map(|reward| reward > 0.999));
    Ok(joiner.into(Recording { id: task.into(), outcome, ..Recording::default() }))
}
