//! Results of MedAgentBench, a document for each task: `turns`, each with the agent's reply, what it was taken for
//! (`action_kind`), and the observation.
//!
//! A `get` or a `post` is a call; its arguments are the `url` and the `payload`. The format does not say whether it
//! failed. `correct` says whether the task was solved.

use std::sync::Arc;

use balk_guards::Status;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::content::{Text, Word};
use super::parse::parse;
use super::recording::{Joiner, Made, Of, Outcome, Recording};
use super::sink::Sink;
use super::strict::Object;

#[derive(Deserialize)]
struct Task<'a> {
    task_id: Option<Text>,
    prompt: Option<Text>,
    correct: Option<bool>,
    #[serde(borrow)]
    turns: Vec<Object<Turn<'a>>>,
}

#[derive(Deserialize)]
struct Turn<'a> {
    agent_reply: Option<Text>,
    #[serde(borrow)]
    action_kind: Option<Word<'a>>,
    #[serde(borrow)]
    url: Option<&'a RawValue>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    observation: Option<Text>,
}

/// Reads a task.
///
/// # Errors
/// It is none.
pub(super) fn task(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let Task { task_id, prompt, correct, turns } = parse(text)?;
    let mut joiner = Joiner::default();
    if let Some(Text(prompt)) = prompt {
        joiner.user(prompt);
    }
    for Object(Turn { agent_reply, action_kind, url, payload, observation }) in turns {
        let kind = action_kind.map(|Word(kind)| kind).unwrap_or_default();
        let tool = match &*kind {
            "get" => Some("GET"),
            "post" => Some("POST"),
            _ => None,
        };
        let member = |name: &str, value: Option<&RawValue>| {
            value.filter(|it| it.get() != "null").map(|value| format!("\"{name}\": {}", value.get()))
        };
        let calls = tool.map(|tool| {
            let members = [member("url", url), member("payload", payload)];
            let members: Vec<String> = members.into_iter().flatten().collect();
            let arguments: Arc<str> = format!("{{{}}}", members.join(", ")).into();
            Made { id: None, tool: tool.into(), arguments }
        });
        joiner.assistant(None, agent_reply.map(|Text(text)| text), calls.into_iter().collect());
        match observation {
            Some(Text(text)) if tool.is_some() => {
                joiner.result(Of::Next, Status::Unknown, text, String::new)?
            }
            Some(Text(text)) => joiner.user(text),
            None => {}
        }
    }
    let id = task_id.map(|Text(id)| id).unwrap_or_default();
    sink.recording(joiner.into(Recording { id, outcome: Outcome::of(correct), ..Recording::default() }));
    Ok(())
}
