//! The input and the output of a model as tracing platforms log them: what the agent's library gave them.

use std::borrow::Cow;
use std::sync::Arc;

use balk_guards::Status;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::anthropic;
use super::bad::BadLine;
use super::chat;
use super::content::{Blocks, Text, Word, arguments, lines_of};
use super::offered::{Entry, tools};
use super::parse::{parse, value};
use super::recording::{Joiner, Listed, Made, Of};
use super::spent::usage;
use super::strict::Object;

/// An object around messages: a request, or a response of OpenAI chat.
#[derive(Default, Deserialize)]
struct Around<'a> {
    #[serde(borrow)]
    messages: Option<&'a RawValue>,
    tools: Option<Vec<Object<Entry>>>,
    #[serde(borrow)]
    choices: Option<Vec<Object<Choice<'a>>>>,
    #[serde(borrow)]
    generations: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    #[serde(borrow)]
    usage_metadata: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    message: &'a RawValue,
}

#[derive(Deserialize)]
struct Generation<'a> {
    #[serde(borrow)]
    message: &'a RawValue,
}

/// A message of LangChain: written by its serialiser (`kwargs`), or by name (`data`), or plain.
#[derive(Deserialize)]
struct Wrapped<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Word<'a>>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow, alias = "data")]
    kwargs: Option<Object<Chained<'a>>>,
}

#[derive(Deserialize)]
struct Chained<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_calls: Option<Vec<Object<Call<'a>>>>,
    tool_call_id: Option<Text>,
    #[serde(borrow)]
    status: Option<Word<'a>>,
    #[serde(borrow)]
    usage_metadata: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call<'a> {
    id: Option<Text>,
    name: Text,
    #[serde(borrow, alias = "arguments")]
    args: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
}

/// Takes what a model was given, and returns the tools on offer.
///
/// # Errors
/// It is no list of messages, or a result is without a call.
pub(super) fn input(joiner: &mut Joiner, value: &RawValue, place: &str) -> Result<Vec<Listed>, BadLine> {
    let inside = unquoted(value);
    let text = inside.as_deref().unwrap_or(value.get());
    if text.starts_with('[') {
        list(joiner, text, place)?;
        return Ok(Vec::new());
    }
    let around: Around = parse(text).map_err(|bad| bad.below(place))?;
    match around.messages {
        Some(messages) => list(joiner, messages.get(), &format!("{place}.messages"))?,
        None => return Err(BadLine::shape(place.into(), "expected messages, found none")),
    }
    Ok(tools(around.tools))
}

/// Takes what a model answered: a message, a list of some, a response with `choices` or `generations`, or a text.
///
/// # Errors
/// It is none of them.
pub(super) fn output(joiner: &mut Joiner, value: &RawValue, place: &str) -> Result<(), BadLine> {
    let inside = unquoted(value);
    let text = inside.as_deref().unwrap_or(value.get());
    match text.as_bytes().first() {
        Some(b'[') => list(joiner, text, place),
        Some(b'{') => {
            let around: Around = parse(text).unwrap_or_default();
            let cost = usage(around.usage.or(around.usage_metadata));
            let first = around.choices.and_then(|choices| choices.into_iter().next());
            let generated = around.generations.and_then(|it| generated(it.get()));
            if let Some(Object(Choice { message })) = first {
                one(joiner, message.get(), &format!("{place}.choices[0].message"))
            } else if let Some(message) = generated {
                one(joiner, message.get(), &format!("{place}.generations"))
            } else if let Some(messages) = around.messages {
                list(joiner, messages.get(), &format!("{place}.messages"))
            } else if let Some(inner) = around.output.filter(|it| it.get().starts_with(['{', '['])) {
                output(joiner, inner, &format!("{place}.output"))
            } else {
                one(joiner, text, place)
            }?;
            joiner.used(cost);
            Ok(())
        }
        Some(b'n') | None => Ok(()),
        Some(_) => {
            joiner.assistant(None, Some(text.into()), Vec::new());
            Ok(())
        }
    }
}

/// The message of the first generation, which may be in a list of a list.
fn generated(text: &str) -> Option<&RawValue> {
    let nested = serde_json::from_str::<Vec<Vec<Object<Generation>>>>(text).ok();
    let flat = || serde_json::from_str::<Vec<Object<Generation>>>(text).ok();
    let all = nested.map(|all| all.into_iter().next().unwrap_or_default()).or_else(flat)?;
    all.into_iter().next().map(|Object(it)| it.message)
}

/// The text of a string: platforms often log JSON in one.
fn unquoted(value: &RawValue) -> Option<String> {
    value.get().starts_with('"').then(|| serde_json::from_str(value.get()).unwrap_or_default())
}

fn list(joiner: &mut Joiner, text: &str, place: &str) -> Result<(), BadLine> {
    let messages: Vec<&RawValue> = value(text).map_err(|bad| bad.below(place))?;
    // LangChain logs a batch of conversations: the first is that of the run.
    if let Some(first) = messages.first().filter(|it| it.get().starts_with('[')) {
        return list(joiner, first.get(), &format!("{place}[0]"));
    }
    for (at, message) in messages.into_iter().enumerate() {
        one(joiner, message.get(), &format!("{place}[{at}]"))?;
    }
    Ok(())
}

/// Takes a message of LangChain, of OpenAI chat, or of Anthropic.
fn one(joiner: &mut Joiner, text: &str, place: &str) -> Result<(), BadLine> {
    let wrapped: Wrapped = parse(text).map_err(|bad| bad.below(place))?;
    if let Some(Object(chained)) = wrapped.kwargs {
        let named = wrapped.id.and_then(|id| serde_json::from_str::<Vec<Cow<str>>>(id.get()).ok());
        let class = named.and_then(|mut names| names.pop());
        let kind = class.or(wrapped.kind.map(|Word(kind)| kind)).unwrap_or_default();
        return langchain(joiner, &kind, chained, place);
    }
    let message = match parse::<chat::Message>(text) {
        Ok(message) => return chat::one(joiner, message, |member| format!("{place}{member}")),
        Err(bad) => bad,
    };
    match parse::<anthropic::Message>(text) {
        Ok(other) => anthropic::take(joiner, other, |block| format!("{place}.content{block}")),
        Err(_) => match (wrapped.kind, parse::<Chained>(text)) {
            (Some(Word(kind)), Ok(chained)) => langchain(joiner, &kind, chained, place),
            (Some(_) | None, _) => Err(message.below(place)),
        },
    }
}

fn langchain(joiner: &mut Joiner, kind: &str, chained: Chained, place: &str) -> Result<(), BadLine> {
    let Chained { content, tool_calls, tool_call_id, status, usage_metadata } = chained;
    let text = words(content).map_err(|bad| bad.below(&format!("{place}.content")))?;
    match kind {
        "SystemMessage" | "system" => joiner.system(text.unwrap_or_default()),
        "HumanMessage" | "human" | "user" => joiner.user(text.unwrap_or_default()),
        "AIMessage" | "AIMessageChunk" | "ai" | "assistant" => {
            let calls = tool_calls.into_iter().flatten().map(|Object(call)| Made {
                id: call.id.map(|Text(id)| id),
                tool: call.name.0,
                arguments: arguments(call.args),
            });
            joiner.assistant(None, text, calls.collect());
            joiner.used(usage(usage_metadata));
        }
        "ToolMessage" | "tool" => {
            // `success` is what the library says by default.
            let is_error = status.is_some_and(|Word(status)| status == "error");
            let status = if is_error { Status::Error } else { Status::Unknown };
            let of = tool_call_id.map_or(Of::Next, |Text(id)| Of::Id(id));
            joiner.result(of, status, text.unwrap_or_default(), || format!("{place}.tool_call_id"))?;
        }
        _ => {
            let why = "expected a message of LangChain, found another type";
            return Err(BadLine::shape(format!("{place}.type"), why));
        }
    }
    Ok(())
}

fn words(content: Option<&RawValue>) -> Result<Option<Arc<str>>, BadLine> {
    let Some(content) = content.filter(|it| it.get() != "null") else { return Ok(None) };
    if let Ok(texts) = serde_json::from_str::<Vec<Cow<str>>>(content.get()) {
        return Ok(lines_of(texts.iter().map(|text| &**text)));
    }
    Ok(match value::<Blocks<Part>>(content.get())? {
        Blocks::Text(text) => Some(text).filter(|text| !text.is_empty()),
        Blocks::List(parts) => lines_of(parts.iter().filter_map(|part| part.text.as_deref())),
    })
}
