//! Logs of OpenAI chat, and the neutral form, which is the same with a few members more.
//!
//! | form | where |
//! |---|---|
//! | a request: `model`, `tools`, `messages`; perhaps with the `choices` or the `response` to it | a line, a document, an element of a list |
//! | a pair of `request` and `response` | the same |
//! | a list of messages alone | a document, a line |
//! | a streamed answer: its chunks, or its text of events (`data: …`) | a `response`, or a file |
//!
//! The neutral form adds `id`, `outcome`, `is_error` of a result, `timestamp` of a message, and `usage` of an answer.
//! Reading is strict about everything that a fold needs, and passes over members that it does not know. A fact that the
//! recording lacks (effects, whether a tool failed, the result of a call) becomes a state of the types, never a guess.

use std::borrow::Cow;

use balk_guards::wire::Dialect;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::chat::{self, Message};
use super::content::{Arguments, Elements, Text};
use super::offered::{Entry, tools};
use super::parse::{parse, value};
use super::recording::{Joiner, Outcome, Recording};
use super::sink::Sink;
use super::spent;
use super::streamed;
use super::strict::Object;

#[derive(Deserialize)]
#[serde(bound(deserialize = "A: Deserialize<'de>"))]
struct Log<'a, A> {
    id: Option<Text>,
    model: Option<Text>,
    outcome: Option<Outcome>,
    tools: Option<Vec<Object<Entry>>>,
    #[serde(borrow)]
    messages: Option<Vec<Object<Message<'a, A>>>>,
    #[serde(borrow)]
    request: Option<Object<Request<'a, A>>>,
    #[serde(borrow)]
    choices: Option<Vec<Object<Choice<'a, A>>>>,
    #[serde(borrow)]
    response: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "A: Deserialize<'de>"))]
struct Request<'a, A> {
    model: Option<Text>,
    tools: Option<Vec<Object<Entry>>>,
    #[serde(borrow)]
    messages: Vec<Object<Message<'a, A>>>,
}

#[derive(Deserialize)]
struct Response<'a> {
    id: Option<Text>,
    model: Option<Text>,
    #[serde(borrow)]
    choices: Vec<Object<Choice<'a, &'a RawValue>>>,
    #[serde(borrow)]
    created: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "A: Deserialize<'de>"))]
struct Choice<'a, A> {
    #[serde(borrow)]
    message: Object<Message<'a, A>>,
}

/// Reads one object.
///
/// # Errors
/// It is no such log, or a result is without a call.
pub(super) fn object(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    // Nearly all arguments are strings.
    match serde_json::from_str(text) {
        Ok(Object(log)) => logged::<Text>(log, sink),
        Err(_) => logged::<&RawValue>(parse(text)?, sink),
    }
}

fn logged<A: Arguments>(log: Log<A>, sink: &mut Sink) -> Result<(), BadLine> {
    let Log { id, model, outcome, tools: listed, messages, request, choices, response } = log;
    let mut joiner = Joiner::default();
    let mut recording = Recording::default();
    let (mut model, mut listed) = (model, listed);
    match (messages, request) {
        (Some(messages), None) => chat::take(&mut joiner, "messages", messages)?,
        (None, Some(Object(request))) => {
            chat::take(&mut joiner, "request.messages", request.messages)?;
            model = model.or(request.model);
            listed = listed.or(request.tools);
        }
        (None, None) => return Err(BadLine::shape("line".into(), "expected `messages`, found none")),
        (Some(_), Some(_)) => {
            return Err(BadLine::shape("line".into(), "expected `messages` or `request`, found both"));
        }
    }
    if let Some(choices) = choices {
        chosen(&mut joiner, choices, "choices")?;
    }
    if let Some(response) = response.filter(|it| it.get() != "null") {
        let (response_id, response_model) = answered(&mut joiner, response)?;
        recording.id = response_id.map(|Text(id)| id).unwrap_or_default();
        model = model.or(response_model);
    }
    if let Some(Text(id)) = id {
        recording.id = id;
    }
    recording.model = model.map(|Text(model)| model).unwrap_or_default();
    recording.outcome = outcome.unwrap_or_default();
    recording.tools = tools(listed);
    sink.recording(joiner.into(recording));
    Ok(())
}

/// Takes the answer that was chosen: the first.
fn chosen<A: Arguments>(
    joiner: &mut Joiner,
    choices: Vec<Object<Choice<A>>>,
    list: &str,
) -> Result<(), BadLine> {
    match choices.into_iter().next() {
        Some(Object(Choice { message: Object(message) })) => {
            chat::one(joiner, message, |member| format!("{list}[0].message{member}"))
        }
        None => Ok(()),
    }
}

/// Takes a response: whole, as its chunks, or as the text of its events.
fn answered(joiner: &mut Joiner, response: &RawValue) -> Result<(Option<Text>, Option<Text>), BadLine> {
    let text = response.get();
    let place = || "response".to_owned();
    let events = match text.as_bytes()[0] {
        b'"' => value::<Cow<str>>(text).map_err(|bad| bad.below("response"))?.into_owned(),
        b'[' => {
            let Elements(chunks) = value(text).map_err(|bad| bad.below("response"))?;
            streamed::events(&chunks)
        }
        _ => {
            let Response { id, model, choices, created, usage } =
                parse(text).map_err(|bad| bad.below("response"))?;
            joiner.at(spent::moment(created));
            chosen(joiner, choices, "response.choices")?;
            joiner.used(spent::usage(usage));
            return Ok((id, model));
        }
    };
    streamed::take(joiner, Dialect::OpenAi, &events, place)?;
    Ok((None, None))
}

/// Reads a list of messages.
///
/// # Errors
/// It is no such list, or a result is without a call.
pub(super) fn list(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let mut joiner = Joiner::default();
    chat::take::<&RawValue>(&mut joiner, "", value(text)?)?;
    sink.recording(joiner.finish());
    Ok(())
}

/// The members of a chunk that say which answer it belongs to.
#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    model: Option<Cow<'a, str>>,
}

/// Reads a file of chunks, as a list or one a line: each answer is a transcript.
///
/// # Errors
/// It is no such file. An answer that broke off is reported, and the others are read.
pub(super) fn chunks(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let mut all: Vec<(u64, &RawValue)> = Vec::new();
    if text.trim_start().starts_with('[') {
        let Elements(chunks) = value(text)?;
        all.extend(chunks.into_iter().map(|chunk| (0, chunk)));
    } else {
        for (number, line) in (0..).zip(text.lines()) {
            let line = line.trim();
            let line = line.strip_prefix("data:").map_or(line, str::trim);
            if line.is_empty() || line == "[DONE]" || line.starts_with("event:") || line.starts_with(':') {
                continue;
            }
            match value(line) {
                Ok(chunk) => all.push((number, chunk)),
                Err(bad) => sink.bad(number, bad),
            }
        }
    }
    let mut rest = &all[..];
    while let Some(&(number, first)) = rest.first() {
        let Chunk { id, model } = parse(first.get())?;
        let same = |chunk: &&(u64, &RawValue)| {
            serde_json::from_str::<Chunk>(chunk.1.get()).is_ok_and(|it| it.id == id)
        };
        let (own, others) = rest.split_at(rest.iter().take_while(same).count().max(1));
        rest = others;
        let chunks: Vec<&RawValue> = own.iter().map(|(_, chunk)| *chunk).collect();
        let mut joiner = Joiner::default();
        let events = streamed::events(&chunks);
        let place = || format!("the answer `{}`", id.as_deref().unwrap_or_default());
        match streamed::take(&mut joiner, Dialect::OpenAi, &events, place) {
            Ok(()) => sink.recording(joiner.into(Recording {
                id: id.as_deref().unwrap_or_default().into(),
                model: model.as_deref().unwrap_or_default().into(),
                ..Recording::default()
            })),
            Err(bad) => sink.bad(number, bad),
        }
    }
    Ok(())
}
