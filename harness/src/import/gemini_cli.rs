//! Chats of gemini-cli and of qwen-code.
//!
//! gemini-cli: `~/.gemini/tmp/PROJECT/chats/session-….json`, a document with `messages`, or `.jsonl`: a head, then a
//! message a line, of which a later one with the same id replaces the earlier; `$rewindTo` takes messages back, and
//! `$set` has others in place of all (`chatRecordingService.ts` and `chatRecordingTypes.ts` of
//! github.com/google-gemini/gemini-cli). Calls stand in the answer with their results; a `status` says whether they
//! failed. What is sent back to the model for them, in the user's place (`geminiChat.ts`), has the results once more;
//! one that the answer lacks is taken from there.
//!
//! qwen-code: `~/.qwen/projects/PROJECT/chats/SESSION.jsonl`, a record a line with a content of Gemini's API
//! (`chatRecordingService.ts` of github.com/QwenLM/qwen-code). `toolCallResult` has the status of a result. A `rewind`
//! goes back to the record that it names as its parent.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use balk_guards::Status;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::content::{Blocks, Text, Word, arguments, lines_of, text_of};
use super::gemini::{self, Content};
use super::parse::{parse, value};
use super::recording::{Joiner, Made, Of, Recording};
use super::sink::Sink;
use super::spent::{moment, usage};
use super::strict::Object;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chat<'a> {
    session_id: Option<Text>,
    #[serde(borrow)]
    messages: Vec<Object<Spoken<'a>>>,
}

/// A message, or another line of a file with one a line.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spoken<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(rename = "type", borrow, default)]
    kind: Word<'a>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_calls: Option<Vec<Object<Called<'a>>>>,
    #[serde(borrow)]
    thoughts: Option<Vec<Object<Thought<'a>>>>,
    model: Option<Text>,
    session_id: Option<Text>,
    #[serde(rename = "$rewindTo", borrow)]
    rewind_to: Option<Cow<'a, str>>,
    #[serde(rename = "$set", borrow)]
    set: Option<Object<Set<'a>>>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
    #[serde(borrow)]
    tokens: Option<&'a RawValue>,
}

/// Members of the chat that are replaced.
#[derive(Deserialize)]
struct Set<'a> {
    #[serde(borrow)]
    messages: Option<Vec<Object<Spoken<'a>>>>,
}

#[derive(Deserialize)]
struct Called<'a> {
    id: Option<Text>,
    name: Text,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    status: Option<Word<'a>>,
}

#[derive(Deserialize)]
struct Thought<'a> {
    #[serde(borrow)]
    subject: Option<Cow<'a, str>>,
    #[serde(borrow)]
    description: Option<Cow<'a, str>>,
}

/// A part of a content or of a result: a text, or an object.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    function_response: Option<Object<Response<'a>>>,
}

#[derive(Deserialize)]
struct Response<'a> {
    id: Option<Text>,
    name: Option<Text>,
    #[serde(borrow)]
    response: &'a RawValue,
}

/// Reads a chat that is one document.
///
/// # Errors
/// It is none.
pub(super) fn document(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let Chat { session_id, messages } = parse(text)?;
    let messages = messages.into_iter().map(|Object(message)| message).collect();
    chat(session_id.map(|Text(id)| id).unwrap_or_default(), messages, sink)
}

/// Reads a chat with a message a line.
///
/// # Errors
/// A message is none; a line that is no JSON is reported, and the rest is read.
pub(super) fn lines(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let mut session: Arc<str> = "".into();
    let mut said = Said::default();
    sink.lines(text, |line| {
        let mut spoken: Spoken = parse(line)?;
        if let Some(id) = &spoken.rewind_to {
            said.rewind(said.places.get(id).copied().unwrap_or(0));
        } else if let Some(messages) = spoken.set.take().and_then(|Object(it)| it.messages) {
            said.rewind(0);
            messages.into_iter().for_each(|Object(it)| said.take(it));
        } else if spoken.id.is_some() {
            said.take(spoken);
        } else if let Some(Text(id)) = spoken.session_id {
            session = id;
        }
        Ok(())
    });
    chat(session, said.messages, sink)
}

/// The messages of a chat, while it is read.
#[derive(Default)]
struct Said<'a> {
    messages: Vec<Spoken<'a>>,
    /// The index of each, by its id.
    places: BTreeMap<Cow<'a, str>, usize>,
}

impl<'a> Said<'a> {
    /// Takes a message, perhaps in place of an earlier one.
    fn take(&mut self, spoken: Spoken<'a>) {
        let next = self.messages.len();
        let at = spoken.id.clone().map_or(next, |id| *self.places.entry(id).or_insert(next));
        if at == next {
            self.messages.push(spoken);
        } else {
            self.messages[at] = spoken;
        }
    }

    /// Takes back all messages but the first ones, so many.
    fn rewind(&mut self, kept: usize) {
        for id in self.messages.drain(kept..).filter_map(|it| it.id) {
            self.places.remove(&id);
        }
    }
}

fn chat(id: Arc<str>, messages: Vec<Spoken>, sink: &mut Sink) -> Result<(), BadLine> {
    let mut joiner = Joiner::default();
    let mut open = Open::new();
    let mut head = Recording { id, ..Recording::default() };
    for (at, spoken) in messages.into_iter().enumerate() {
        let Spoken { kind, content, tool_calls, thoughts, model, timestamp, tokens, .. } = spoken;
        joiner.at(moment(timestamp));
        let place = || format!("messages[{at}]");
        let text = words(content).map_err(|bad| bad.below(&format!("{}.content", place())))?;
        match &*kind.0 {
            "user" => {
                let is_answer = results(&mut joiner, content, &mut open, &place)?;
                if !is_answer || text.is_some() {
                    joiner.user(text.unwrap_or_default());
                }
            }
            "gemini" | "qwen" => {
                if let Some(Text(model)) = model {
                    head.model = model;
                }
                open = answer(&mut joiner, text, thoughts, tool_calls.unwrap_or_default(), &place)?;
                joiner.used(usage(tokens));
            }
            // What the program tells the user: the model never sees it.
            _ => {}
        }
    }
    sink.recording(joiner.into(head));
    Ok(())
}

/// The calls of an answer that it has no result of, by their ids or else by their tools, with what says whether they
/// failed.
type Open = BTreeMap<Arc<str>, VecDeque<Status>>;

/// Takes an answer with its calls and their results, and returns the other calls.
fn answer(
    joiner: &mut Joiner,
    text: Option<Arc<str>>,
    thoughts: Option<Vec<Object<Thought>>>,
    called: Vec<Object<Called>>,
    place: &dyn Fn() -> String,
) -> Result<Open, BadLine> {
    let thoughts = thoughts.iter().flatten().flat_map(|Object(it)| [&it.subject, &it.description]);
    let thinking = lines_of(thoughts.filter_map(|it| it.as_deref()));
    let (mut calls, mut results, mut open) = (Vec::new(), Vec::new(), Open::new());
    for Object(Called { id, name, args, result, status }) in called {
        let id = id.map(|Text(id)| id);
        // A call that was never run has no result.
        if let Some(result) = result.filter(|it| it.get() != "null") {
            let of = id.clone().map_or(Of::Tool(None, name.0.clone()), Of::Id);
            let (said, text) =
                response(result).map_err(|bad| bad.below(&format!("{}.toolCalls", place())))?;
            results.push((of, status_of(status.as_ref(), said), text));
        } else {
            let key = id.clone().unwrap_or_else(|| name.0.clone());
            open.entry(key).or_default().push_back(status_of(status.as_ref(), Status::Unknown));
        }
        calls.push(Made { id, tool: name.0, arguments: arguments(args) });
    }
    joiner.assistant(thinking, text, calls);
    for (of, status, text) in results {
        joiner.result(of, status, text, || format!("{}.toolCalls", place()))?;
    }
    Ok(open)
}

/// Takes the results in a message in the user's place, of which the answer has none, and says whether there are any.
fn results(
    joiner: &mut Joiner,
    content: Option<&RawValue>,
    open: &mut Open,
    place: &dyn Fn() -> String,
) -> Result<bool, BadLine> {
    let parts = content.and_then(|it| serde_json::from_str::<Vec<Object<Part>>>(it.get()).ok());
    let responses = parts.into_iter().flatten().filter_map(|Object(part)| part.function_response);
    let mut is_answer = false;
    for Object(Response { id, name, response }) in responses {
        is_answer = true;
        let (id, name) = (id.map(|Text(id)| id), name.map(|Text(name)| name).unwrap_or_default());
        let mut known = |key: &Arc<str>| open.get_mut(key).and_then(VecDeque::pop_front);
        let Some(known) = id.as_ref().and_then(&mut known).or_else(|| known(&name)) else { continue };
        let (said, text) = gemini::output(response).unwrap_or_else(|| (Status::Unknown, text_of(response)));
        let status = if known == Status::Unknown { said } else { known };
        joiner.result(Of::Tool(id, name), status, text, || format!("{}.content", place()))?;
    }
    Ok(is_answer)
}

/// Whether a call failed: as its `status` says, else as its response does.
fn status_of(status: Option<&Word>, said: Status) -> Status {
    match status.map(|Word(status)| &**status) {
        Some("success") => Status::Ok,
        Some("error") => Status::Error,
        Some(_) | None => said,
    }
}

/// The texts of a list of parts, a part, or a text.
fn words(content: Option<&RawValue>) -> Result<Option<Arc<str>>, BadLine> {
    let Some(content) = content.filter(|it| it.get() != "null") else { return Ok(None) };
    if content.get().starts_with('{') {
        let part: Part = parse(content.get())?;
        return Ok(part.text.map(Arc::from));
    }
    if let Ok(texts) = serde_json::from_str::<Vec<Cow<str>>>(content.get()) {
        return Ok(lines_of(texts.iter().map(|text| &**text)));
    }
    Ok(match value::<Blocks<Part>>(content.get())? {
        Blocks::Text(text) => Some(text).filter(|text| !text.is_empty()),
        Blocks::List(parts) => lines_of(parts.iter().filter_map(|part| part.text.as_deref())),
    })
}

/// What a tool answered: parts of the API, or a text.
fn response(result: &RawValue) -> Result<(Status, Arc<str>), BadLine> {
    if !result.get().starts_with('[') {
        return Ok((Status::Unknown, text_of(result)));
    }
    let mut status = Status::Unknown;
    let mut texts: Vec<Arc<str>> = Vec::new();
    for Object(Part { text, function_response }) in value::<Vec<Object<Part>>>(result.get())? {
        texts.extend(text.map(Arc::from));
        if let Some(Object(Response { response, .. })) = function_response
            && let Some((said, text)) = gemini::output(response)
        {
            status = if said == Status::Error { said } else { status };
            texts.push(text);
        }
    }
    Ok((status, lines_of(texts.iter().map(|text| &**text)).unwrap_or_default()))
}

/// A record of qwen-code.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Word<'a>,
    #[serde(borrow)]
    subtype: Option<Word<'a>>,
    #[serde(borrow)]
    uuid: Option<Cow<'a, str>>,
    #[serde(borrow)]
    parent_uuid: Option<Cow<'a, str>>,
    session_id: Option<Text>,
    #[serde(borrow)]
    message: Option<Object<Content<'a>>>,
    model: Option<Text>,
    #[serde(borrow)]
    tool_call_result: Option<Object<Outcome<'a>>>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
    #[serde(borrow)]
    usage_metadata: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Outcome<'a> {
    #[serde(borrow)]
    status: Option<Word<'a>>,
}

/// Reads a chat of qwen-code.
///
/// # Errors
/// None: a line that cannot be used is reported, and the rest is read.
pub(super) fn qwen(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let mut joiner = Joiner::default();
    let mut head = Recording::default();
    // The number of messages up to each record.
    let mut counts: BTreeMap<Cow<str>, usize> = BTreeMap::new();
    sink.lines(text, |line| {
        let mut record: Record = parse(line)?;
        if let Some(Text(id)) = record.session_id.take() {
            head.id = id;
        }
        if record.subtype.as_ref().is_some_and(|it| &*it.0 == "rewind") {
            let count = record.parent_uuid.as_ref().and_then(|it| counts.get(it));
            joiner.rewind(count.copied().unwrap_or(0));
        }
        let uuid = record.uuid.take();
        take(&mut joiner, &mut head, record)?;
        counts.extend(uuid.map(|it| (it, joiner.count())));
        Ok(())
    });
    sink.recording(joiner.into(head));
    Ok(())
}

fn take(joiner: &mut Joiner, head: &mut Recording, record: Record) -> Result<(), BadLine> {
    let Record { kind, message, model, tool_call_result, .. } = record;
    let (Some(Object(content)), "user" | "assistant" | "tool_result") = (message, &*kind.0) else {
        return Ok(());
    };
    if let Some(Text(model)) = model {
        head.model = model;
    }
    let status = tool_call_result.and_then(|Object(it)| it.status);
    let known = status_of(status.as_ref(), Status::Unknown);
    joiner.at(moment(record.timestamp));
    gemini::take_known(joiner, content, known, |part| format!("message.parts{part}"))?;
    if kind.0 == "assistant" {
        joiner.used(usage(record.usage_metadata));
    }
    Ok(())
}
