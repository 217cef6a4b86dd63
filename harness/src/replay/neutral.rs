//! Reads the neutral form of a recorded trajectory, one JSON object per line, and makes entries of it. Its messages are
//! those of OpenAI chat, or [contents](gemini) of Gemini.
//!
//! It is strict about everything that a fold needs, and ignores members that it does not know. A fact that the
//! recording lacks (effects, whether a tool failed, the result of a call) becomes a state of the types, never a
//! guess.

use std::sync::Arc;

use balk_guards::{
    Completion, FinishReason, Offer, Part, Protocol, RawCall, Speaker, Start, Status, Usage, UserMessage,
};
use serde::{Deserialize, Serialize};

use super::bad::BadLine;
use super::gemini::{self, Content, Contents};
use super::join::{Joiner, Oddities, Placed};
use super::offered::{self, Listed};
use super::strict::Object;
use super::tools::ToolTable;
use super::words::Words;

/// Facts that the recording lacks and the caller knows.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// How a task ends in the recorded agents.
    pub protocol: Protocol,
    /// What their tools can change.
    pub tools: ToolTable,
}

/// One recorded trajectory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its id; empty where it has none.
    pub id: Arc<str>,
    /// The model's name; empty where it has none.
    pub model: Arc<str>,
    /// How it ended, as the source says.
    pub outcome: Outcome,
    /// The entries, the first an [`Entry::Start`](balk_guards::Entry::Start).
    pub entries: Vec<Placed>,
    /// The defects of the recording.
    pub oddities: Oddities,
}

/// How a recorded run ended, as the source says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// The task was solved.
    Resolved,
    /// The task was not solved.
    Failed,
    /// The source does not say.
    #[default]
    Unknown,
}

impl Outcome {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }
}

/// Reads one line.
///
/// # Errors
/// Why the line cannot be used.
pub fn read(line: &[u8], setting: &Setting) -> Result<Recorded, BadLine> {
    read_text(text_of(line)?, setting)
}

/// The same of a text.
pub(super) fn read_text(line: &str, setting: &Setting) -> Result<Recorded, BadLine> {
    let Object(trajectory) = parse(line)?;
    let Trajectory { id, model, outcome, tools, messages, contents } = trajectory;
    let (messages, contents) = match (messages, contents) {
        (Some(messages), None) => (messages, Vec::new()),
        (None, Some(contents)) => (Vec::new(), contents),
        (None, None) => {
            return Err(BadLine::shape("line".into(), "expected `messages` or `contents`, found neither"));
        }
        (Some(_), Some(_)) => {
            return Err(BadLine::shape("line".into(), "expected `messages` or `contents`, found both"));
        }
    };
    let called = names(&messages).chain(gemini::names(&contents));
    let offer = Arc::new(offered::offer(tools.unwrap_or_default(), called, &setting.tools));
    let model = model.unwrap_or_default();
    let start = Start { model: model.clone(), protocol: setting.protocol, offer: offer.clone() };
    let mut joiner = Joiner::new(start);
    for (at, Object(message)) in messages.into_iter().enumerate() {
        take(&mut joiner, at, message, &offer)?;
    }
    let mut reader = Contents::default();
    for (at, Object(content)) in contents.into_iter().enumerate() {
        reader.take(&mut joiner, at, content, &offer)?;
    }
    let (entries, oddities) = joiner.finish();
    Ok(Recorded {
        id: id.unwrap_or_default(),
        model,
        outcome: outcome.unwrap_or_default(),
        entries,
        oddities,
    })
}

/// The text of a line.
pub(super) fn text_of(line: &[u8]) -> Result<&str, BadLine> {
    let text = str::from_utf8(line).map_err(|error| BadLine::NotUtf8 { valid_bytes: error.valid_up_to() })?;
    // Some editors start a file with a byte order mark; RFC 8259 allows a reader to ignore it.
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Parses one JSON value; an error has its place.
pub(super) fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<Object<T>, BadLine> {
    serde_json::from_str(text).map_err(|_| {
        // Tracking the path costs time, so only an invalid line is read with it.
        let mut reader = serde_json::Deserializer::from_str(text);
        match serde_path_to_error::deserialize::<_, Object<T>>(&mut reader) {
            Err(error) => {
                let place = error.path().to_string();
                BadLine::of_json(error.inner(), if place == "." { "line" } else { &place })
            }
            Ok(_) => match reader.end() {
                Err(error) => BadLine::of_json(&error, "line"),
                Ok(()) => unreachable!("a text that is bad once is bad twice"),
            },
        }
    })
}

/// The names of the called tools, in order.
fn names(messages: &[Object<Message>]) -> impl Iterator<Item = &Arc<str>> {
    let calls = messages.iter().flat_map(|Object(message)| message.tool_calls.iter().flatten());
    calls.map(|Object(call)| &call.function.0.name)
}

fn take(joiner: &mut Joiner, at: usize, message: Message, offer: &Offer) -> Result<(), BadLine> {
    let Message { role, content, tool_calls, tool_call_id, is_error } = message;
    let content = content.map(|Words(text)| text);
    let due = |name: &str| {
        BadLine::shape(format!("messages[{at}].{name}"), "expected a string, found nothing or null")
    };
    match role {
        // A system prompt asks for something; it is not something that happened.
        Role::System => {}
        Role::User => {
            joiner
                .user(at, UserMessage { from: Speaker::User, text: content.ok_or_else(|| due("content"))? });
        }
        Role::Assistant => {
            let calls = tool_calls.into_iter().flatten().map(|Object(call)| raw(call, offer));
            let parts = content.map(Part::Text);
            let completion = Completion::new(parts, calls, FinishReason::NotGiven, Usage::default(), offer);
            joiner.assistant(at, completion);
        }
        Role::Tool => {
            let id = tool_call_id.ok_or_else(|| due("tool_call_id"))?;
            let text = content.ok_or_else(|| due("content"))?;
            let status = match is_error {
                Some(true) => Status::Error,
                Some(false) => Status::Ok,
                None => Status::Unknown,
            };
            joiner.result(at, &id, status, text, || format!("messages[{at}].tool_call_id"))?;
        }
    }
    Ok(())
}

fn raw(call: Call, offer: &Offer) -> RawCall {
    let Object(Function { name, arguments }) = call.function;
    let tool = offer.by_original(&name).map_or(name, |tool| tool.name.clone());
    RawCall { id: call.id, tool, arguments }
}

#[derive(Deserialize)]
struct Trajectory {
    id: Option<Arc<str>>,
    model: Option<Arc<str>>,
    outcome: Option<Outcome>,
    tools: Option<Vec<Object<Listed>>>,
    messages: Option<Vec<Object<Message>>>,
    contents: Option<Vec<Object<Content>>>,
}

#[derive(Deserialize)]
struct Message {
    role: Role,
    content: Option<Words>,
    tool_calls: Option<Vec<Object<Call>>>,
    tool_call_id: Option<Arc<str>>,
    is_error: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    #[serde(alias = "developer")]
    System,
    User,
    Assistant,
    Tool,
}

#[derive(Deserialize)]
struct Call {
    id: Arc<str>,
    function: Object<Function>,
}

#[derive(Deserialize)]
struct Function {
    name: Arc<str>,
    arguments: Arc<str>,
}

#[cfg(test)]
pub(super) mod tests;
