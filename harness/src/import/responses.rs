//! OpenAI Responses, and the rollouts of Codex, whose lines have its items.
//!
//! | item | becomes |
//! |---|---|
//! | `message` of `user` | a message of the user |
//! | `message` of `system`, `developer`; `instructions` | instructions |
//! | `message` of `assistant`, `reasoning` | text, thinking |
//! | `function_call`, `custom_tool_call`, `local_shell_call` | a call |
//! | `function_call_output`, `custom_tool_call_output`, `local_shell_call_output` | the result of the call with its `call_id` |
//! | anything else (what the provider runs, references) | nothing: no guard reads it |
//!
//! What the model said between two inputs is one answer. A result failed or not if it has a `success`, or, as Codex
//! writes it, an `exit_code` in its `metadata`; else its status is unknown.
//!
//! Codex: `~/.codex/sessions/YEAR/MONTH/DAY/rollout-….jsonl`, in `protocol.rs` of github.com/openai/codex. Its events
//! (`event_msg`) repeat the items and are passed over but for the counts of tokens, and so are compactions.

use std::borrow::Cow;
use std::sync::Arc;

use balk_guards::Status;
use balk_guards::wire::Dialect;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::content::{Blocks, Text, Word, arguments, lines_of, text_of};
use super::offered::{Entry, tools};
use super::parse::{paired, parse, value};
use super::recording::{Joiner, Made, Of, Recording};
use super::sink::Sink;
use super::spent;
use super::streamed;
use super::strict::Object;

#[derive(Deserialize)]
struct Log<'a> {
    id: Option<Text>,
    #[serde(borrow)]
    request: Option<Object<Request<'a>>>,
    #[serde(borrow)]
    response: Option<&'a RawValue>,
    model: Option<Text>,
    instructions: Option<Text>,
    tools: Option<Vec<Object<Entry>>>,
    #[serde(borrow)]
    input: Option<Blocks<Item<'a>>>,
    #[serde(borrow)]
    output: Option<Vec<Object<Item<'a>>>>,
}

#[derive(Deserialize)]
struct Request<'a> {
    model: Option<Text>,
    instructions: Option<Text>,
    tools: Option<Vec<Object<Entry>>>,
    #[serde(borrow)]
    input: Option<Blocks<Item<'a>>>,
}

#[derive(Deserialize)]
struct Response<'a> {
    id: Option<Text>,
    model: Option<Text>,
    #[serde(borrow)]
    output: Vec<Object<Item<'a>>>,
    #[serde(borrow)]
    created_at: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Word<'a>,
    #[serde(borrow)]
    role: Option<Word<'a>>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    summary: Option<&'a RawValue>,
    call_id: Option<Text>,
    name: Option<Text>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    action: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
}

/// A part of a content, of a summary, or of an output.
#[derive(Deserialize)]
struct Piece<'a> {
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
}

/// Reads one object: a request, a response that repeats its input, or a pair of both.
///
/// # Errors
/// It is no such log, or a result is without a call.
pub(super) fn object(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let Log { id, request, response, model, instructions, tools: listed, input, output } = parse(text)?;
    let (request, list) = match request {
        Some(Object(request)) => (Request { model: model.or(request.model), ..request }, "request.input"),
        None => (Request { model, instructions, tools: listed, input }, "input"),
    };
    let mut items = Items::default();
    let mut head = Recording { tools: tools(request.tools), ..Recording::default() };
    if let Some(Text(text)) = request.instructions {
        items.joiner.system(text);
    }
    match request.input {
        Some(Blocks::Text(text)) => items.joiner.user(text),
        Some(Blocks::List(all)) => items.all(all, list)?,
        None => {}
    }
    items.all(output.into_iter().flatten().map(|Object(item)| item), "output")?;
    let mut model = request.model;
    if let Some(response) = response.filter(|it| it.get() != "null") {
        if response.get().starts_with('"') {
            let events = value::<Cow<str>>(response.get()).map_err(|bad| bad.below("response"))?;
            streamed::take(&mut items.joiner, Dialect::Responses, &events, || "response".to_owned())?;
        } else {
            let response: Response = parse(response.get()).map_err(|bad| bad.below("response"))?;
            items.joiner.at(spent::moment(response.created_at));
            items.all(response.output.into_iter().map(|Object(item)| item), "response.output")?;
            items.joiner.used(spent::usage(response.usage));
            head.id = response.id.map(|Text(id)| id).unwrap_or_default();
            model = model.or(response.model);
        }
    }
    head.id = id.map_or(head.id, |Text(id)| id);
    head.model = model.map(|Text(model)| model).unwrap_or_default();
    sink.recording(items.joiner.into(head));
    Ok(())
}

/// Reads a list of items, or a file with one a line.
///
/// # Errors
/// It is no such list, or a result in it is without a call.
pub(super) fn items(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let mut items = Items::default();
    if text.trim_start().starts_with('[') {
        items.all(value::<Vec<Object<Item>>>(text)?.into_iter().map(|Object(item)| item), "")?;
    } else {
        sink.lines(text, |line| items.take(parse(line)?, || "line".to_owned()));
    }
    sink.recording(items.joiner.finish());
    Ok(())
}

/// A line of a rollout.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Word<'a>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
}

/// The members of a head, or of the context of a turn.
#[derive(Deserialize)]
struct Meta {
    id: Option<Text>,
    model: Option<Text>,
}

/// What the program notes: of the type `token_count`, with the tokens of the last answer; of `thread_rolled_back`, with
/// the number of last requests of the user that were taken back, and all that followed.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Word<'a>,
    #[serde(borrow)]
    info: Option<Object<Info<'a>>>,
    num_turns: Option<u64>,
}

/// How the program begins what it says in the user's place: no request, so that nothing is taken back to it
/// (`context_manager/history.rs` of github.com/openai/codex).
const CONTEXTS: [&str; 6] = [
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<skill>",
    "<user_shell_command>",
    "<turn_aborted>",
];

#[derive(Deserialize)]
struct Info<'a> {
    #[serde(borrow)]
    last_token_usage: Option<&'a RawValue>,
}

/// Reads a rollout of Codex.
///
/// # Errors
/// None: a line that cannot be used is reported, and the rest is read.
pub(super) fn rollout(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let mut items = Items::default();
    let mut head = Recording::default();
    sink.lines(text, |line| {
        let Line { kind, payload, timestamp } = parse(line)?;
        let Some(payload) = payload else { return Ok(()) };
        match &*kind.0 {
            "response_item" => {
                let item = parse(payload.get()).map_err(|bad| bad.below("payload"))?;
                items.joiner.at(spent::moment(timestamp));
                items.take(item, || "payload".to_owned())?;
            }
            "session_meta" | "turn_context" => {
                let Meta { id, model } = parse(payload.get()).map_err(|bad| bad.below("payload"))?;
                // A fork has the head of what it was forked from as well, after its own.
                if let Some(Text(id)) = id.filter(|_| head.id.is_empty()) {
                    head.id = id;
                }
                if let Some(Text(model)) = model {
                    head.model = model;
                }
            }
            "event_msg" => {
                let Event { kind, info, num_turns } =
                    parse(payload.get()).map_err(|bad| bad.below("payload"))?;
                if kind.0 == "thread_rolled_back" {
                    items.take_back(num_turns.unwrap_or(0));
                }
                let last = info.and_then(|Object(it)| it.last_token_usage);
                items.joiner.used(spent::usage(last));
            }
            _ => {}
        }
        Ok(())
    });
    sink.recording(items.joiner.into(head));
    Ok(())
}

#[derive(Default)]
struct Items {
    joiner: Joiner,
    /// Whether the last item was the model's.
    answering: bool,
    /// The number of messages before each request of the user.
    requests: Vec<usize>,
}

impl Items {
    fn all<'a>(&mut self, items: impl IntoIterator<Item = Item<'a>>, list: &str) -> Result<(), BadLine> {
        self.answering = false;
        for (at, item) in items.into_iter().enumerate() {
            self.take(item, || format!("{list}[{at}]"))?;
        }
        Ok(())
    }

    fn take(&mut self, item: Item, place: impl Fn() -> String) -> Result<(), BadLine> {
        let wrong = |member: &str, why: &str| BadLine::shape(format!("{}.{member}", place()), why);
        match &*item.kind.0 {
            "message" | "" => {
                let text = pieces(item.content).map_err(|bad| bad.below(&format!("{}.content", place())))?;
                match item.role.as_ref().map(|Word(role)| &**role) {
                    Some("assistant") => self.said(None, text, Vec::new()),
                    Some("user") => self.asked(text.unwrap_or_default()),
                    Some("system" | "developer") => self.heard().system(text.unwrap_or_default()),
                    Some(_) | None => {
                        let why =
                            "expected `user`, `assistant`, `system` or `developer`, found something else";
                        return Err(wrong("role", why));
                    }
                }
            }
            "reasoning" => {
                let summary =
                    pieces(item.summary).map_err(|bad| bad.below(&format!("{}.summary", place())))?;
                let content =
                    pieces(item.content).map_err(|bad| bad.below(&format!("{}.content", place())))?;
                // Reasoning that is encrypted is nothing that can be read.
                if let Some(thinking) = content.or(summary) {
                    self.said(Some(thinking), None, Vec::new());
                }
            }
            "function_call" | "custom_tool_call" | "local_shell_call" => {
                let tool = match (item.name, &*item.kind.0) {
                    (Some(Text(name)), _) => name,
                    (None, "local_shell_call") => "local_shell".into(),
                    (None, _) => return Err(wrong("name", "expected the name of a tool, found none")),
                };
                let arguments = arguments(item.arguments.or(item.input).or(item.action));
                let id = item.call_id.map(|Text(id)| id);
                self.said(None, None, vec![Made { id, tool, arguments }]);
            }
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                let Some(Text(id)) = item.call_id else {
                    return Err(wrong("call_id", "expected the id of a call, found none"));
                };
                let (status, text) =
                    output(item.output).map_err(|bad| bad.below(&format!("{}.output", place())))?;
                self.heard().result(Of::Id(id), status, text, || format!("{}.call_id", place()))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn said(&mut self, thinking: Option<Arc<str>>, text: Option<Arc<str>>, calls: Vec<Made>) {
        if std::mem::replace(&mut self.answering, true) {
            self.joiner.more(thinking, text, calls);
        } else {
            self.joiner.assistant(thinking, text, calls);
        }
    }

    fn asked(&mut self, text: Arc<str>) {
        if !CONTEXTS.iter().any(|it| text.trim_start().starts_with(it)) {
            self.requests.push(self.joiner.count());
        }
        self.heard().user(text);
    }

    /// Takes back so many of the last requests, and all that followed.
    fn take_back(&mut self, requests: u64) {
        let last = usize::try_from(requests).unwrap_or(usize::MAX);
        let kept = self.requests.len().saturating_sub(last);
        if let Some(&count) = self.requests.get(kept) {
            self.requests.truncate(kept);
            self.heard().rewind(count);
        }
    }

    fn heard(&mut self) -> &mut Joiner {
        self.answering = false;
        &mut self.joiner
    }
}

/// The texts of a list of parts, or a text.
fn pieces(value: Option<&RawValue>) -> Result<Option<Arc<str>>, BadLine> {
    let Some(value) = value.filter(|it| it.get() != "null") else { return Ok(None) };
    Ok(match super::parse::value::<Blocks<Piece>>(value.get())? {
        Blocks::Text(text) => Some(text),
        Blocks::List(parts) => lines_of(parts.iter().filter_map(|part| part.text.as_deref())),
    })
}

/// What a tool answered, as Codex writes it: with an `output`, or in older versions a `content`.
#[derive(Deserialize)]
struct Output<'a> {
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    metadata: Option<Object<Metadata>>,
    success: Option<bool>,
}

#[derive(Deserialize)]
struct Metadata {
    exit_code: Option<i64>,
}

/// What a tool answered: a text, a list of parts, or an object that says whether it failed.
fn output(value: Option<&RawValue>) -> Result<(Status, Arc<str>), BadLine> {
    let Some(value) = value else { return Ok((Status::Unknown, "".into())) };
    let text = match value.get().as_bytes()[0] {
        b'[' => pieces(Some(value))?.unwrap_or_default(),
        _ => text_of(value),
    };
    if !text.starts_with('{') {
        return Ok((Status::Unknown, text));
    }
    let whole = paired(&text);
    let Ok(Object(said)) = serde_json::from_str::<Object<Output>>(&whole) else {
        return Ok((Status::Unknown, text));
    };
    let exit = said.metadata.and_then(|Object(it)| it.exit_code).map(|code| code == 0);
    // An object with both is what the tool itself printed.
    let (Some(inner), None) = (said.output.or(said.content), said.output.and(said.content)) else {
        return Ok((Status::Unknown, text));
    };
    Ok(match exit.or(said.success) {
        Some(true) => (Status::Ok, text_of(inner)),
        Some(false) => (Status::Error, text_of(inner)),
        None => (Status::Unknown, text),
    })
}
