//! Writes the neutral form: requests of OpenAI chat with a few members more, as [`openai_chat`](super::openai_chat)
//! reads them.

use balk_guards::{Status, Usage};
use serde::Serialize;
use serde_json::value::RawValue;

use super::recording::{Answer, Call, Listed, Message, Outcome, Recording, Said};

#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    model: &'a str,
    outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Source<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    messages: Vec<Written<'a>>,
}

/// Where a transcript is from.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Source<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The number of its first line there.
    pub line: u64,
}

/// A tool as a request lists it.
#[derive(Serialize)]
pub(super) struct Tool<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Box<RawValue>>,
}

/// A message.
#[derive(Default, Serialize)]
struct Written<'a> {
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<&'a str>,
    content: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<WrittenCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_error: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<WrittenUsage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
}

/// The tokens of an answer, by the names of OpenAI chat.
#[derive(Serialize)]
pub(super) struct WrittenUsage {
    prompt_tokens: u64,
    completion_tokens: u64,
}

#[derive(Serialize)]
struct WrittenCall<'a> {
    id: &'a str,
    r#type: &'static str,
    function: WrittenFunction<'a>,
}

#[derive(Serialize)]
struct WrittenFunction<'a> {
    name: &'a str,
    arguments: &'a str,
}

/// One transcript on a line, without the line feed.
#[must_use]
pub fn neutral(recording: &Recording, source: Option<Source<'_>>) -> String {
    let Recording { id, model, outcome, tools, messages, times: _, reused_ids: _ } = recording;
    let tools = tools.iter().map(tool).collect();
    let written =
        |(at, said)| Written { timestamp: recording.time(at).map(|time| time.to_string()), ..message(said) };
    let messages = messages.iter().enumerate().map(written).collect();
    let line = Line { id, model, outcome: *outcome, source, tools, messages };
    serde_json::to_string(&line).expect("all keys are strings")
}

pub(super) fn tool(listed: &Listed) -> Tool<'_> {
    let Listed { name, description, parameters } = listed;
    // A schema that is no JSON is nothing that a request can have. In JSON, a line feed is white space, and would end
    // the line.
    let line = |schema: &str| RawValue::from_string(schema.replace(['\n', '\r'], " ")).ok();
    let parameters = parameters.as_deref().and_then(line);
    Tool { r#type: "function", function: Function { name, description, parameters } }
}

fn message(message: &Message) -> Written<'_> {
    let says = |role, content| Written { role, content: Some(content), ..Written::default() };
    match message {
        Message::System(content) => says("system", content),
        Message::User(content) => says("user", content),
        Message::Assistant(Said { thinking, text, calls, usage }) => Written {
            role: "assistant",
            reasoning_content: thinking.as_deref(),
            content: text.as_deref(),
            tool_calls: calls.iter().map(call).collect(),
            usage: used(*usage),
            ..Written::default()
        },
        Message::Result(Answer { id, status, text }) => {
            let is_error = match status {
                Status::Ok => Some(false),
                Status::Error => Some(true),
                Status::Unknown => None,
            };
            Written { tool_call_id: Some(id), is_error, ..says("tool", text) }
        }
    }
}

/// The tokens of an answer, if they are known.
pub(super) fn used(usage: Usage) -> Option<WrittenUsage> {
    let Usage { input_tokens: prompt_tokens, output_tokens: completion_tokens } = usage;
    (usage != Usage::default()).then_some(WrittenUsage { prompt_tokens, completion_tokens })
}

fn call(call: &Call) -> WrittenCall<'_> {
    let Call { id, tool, arguments } = call;
    WrittenCall { id, r#type: "function", function: WrittenFunction { name: tool, arguments } }
}
