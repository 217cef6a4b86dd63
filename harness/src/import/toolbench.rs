//! Answers of ToolBench: a tree search, of which the last of the `train_messages` are the messages of the chain that
//! led to the answer, in the older form of OpenAI chat. `function` are the tools on offer. A result is an object with
//! an `error`, which is empty where there was none. The format does not name the model; `win` says how it ended.

use std::borrow::Cow;

use balk_guards::Status;
use serde::Deserialize;

use super::bad::BadLine;
use super::chat::{self, Message as Spoken};
use super::offered::{Entry, tools};
use super::parse::{paired, parse};
use super::recording::{Joiner, Message, Outcome, Recording};
use super::sink::Sink;
use super::strict::Object;

#[derive(Deserialize)]
struct Answer<'a> {
    win: Option<bool>,
    #[serde(borrow)]
    answer_generation: Object<Generation<'a>>,
}

#[derive(Deserialize)]
struct Generation<'a> {
    function: Option<Vec<Object<Entry>>>,
    #[serde(borrow)]
    train_messages: Vec<Vec<Object<Spoken<'a>>>>,
}

#[derive(Deserialize)]
struct Reply<'a> {
    #[serde(borrow)]
    error: Cow<'a, str>,
}

/// Reads one answer.
///
/// # Errors
/// It is none, or has no chain.
pub(super) fn answer(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let Answer { win, answer_generation: Object(Generation { function, mut train_messages }) } = parse(text)?;
    let list = format!("answer_generation.train_messages[{}]", train_messages.len().saturating_sub(1));
    let Some(messages) = train_messages.pop() else {
        return Err(BadLine::shape(list, "expected a chain of messages, found none"));
    };
    let mut joiner = Joiner::default();
    chat::take(&mut joiner, &list, messages)?;
    let head = Recording { outcome: Outcome::of(win), tools: tools(function), ..Recording::default() };
    let mut recording = joiner.into(head);
    for message in &mut recording.messages {
        if let Message::Result(answer) = message
            && let Ok(Object(Reply { error })) = serde_json::from_str::<Object<Reply>>(&paired(&answer.text))
        {
            answer.status = if error.is_empty() { Status::Unknown } else { Status::Error };
        }
    }
    sink.recording(recording);
    Ok(())
}
