//! The input and the output of a model as tracing platforms log them: what the agent's library gave them.

use std::borrow::Cow;
use std::sync::Arc;

use balk_guards::Status;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::anthropic;
use super::bad::BadLine;
use super::chat;
use super::content::{Blocks, Elements, Text, Word, arguments, lines_of, text_of};
use super::offered::{Entry, tools};
use super::parse::{paired, parse, value};
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

/// A message of the role `tool` with an object: what a tool answered, or a tool on offer. Langfuse's handler for
/// LangChain adds each of these to the messages (`on_chat_model_start` in langfuse-python).
#[derive(Deserialize)]
struct OfTool<'a> {
    #[serde(borrow)]
    role: Word<'a>,
    #[serde(borrow)]
    content: &'a RawValue,
    tool_call_id: Option<Text>,
    name: Option<Text>,
}

/// What tells a tool on offer from what a tool answered.
#[derive(Deserialize)]
struct Offer<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Word<'a>>,
    function: Option<IgnoredAny>,
    input_schema: Option<IgnoredAny>,
}

impl OfTool<'_> {
    /// The tool, if it is one on offer: in the form of OpenAI or of Anthropic, or, where no result is to come, one that
    /// the provider runs.
    fn offered(&self, joiner: &Joiner) -> Option<Object<Entry>> {
        if self.tool_call_id.is_some() || self.name.is_some() {
            return None;
        }
        let Object(it) = serde_json::from_str::<Object<Offer>>(self.content.get()).ok()?;
        let is_offered = match it.kind.as_ref().map(|Word(kind)| &**kind) {
            Some("function") => it.function.is_some(),
            Some(_) => it.input_schema.is_some() || !joiner.is_waiting(),
            None => it.input_schema.is_some(),
        };
        is_offered.then(|| serde_json::from_str(self.content.get()).ok()).flatten()
    }

    /// Takes what the tool answered.
    fn take(self, joiner: &mut Joiner, place: &str) -> Result<(), BadLine> {
        let (of, member) = match (self.tool_call_id, self.name) {
            (Some(Text(id)), _) => (Of::Id(id), "tool_call_id"),
            (None, Some(Text(name))) => (Of::Tool(None, name), "name"),
            (None, None) => (Of::Next, "tool_call_id"),
        };
        joiner.result(of, Status::Unknown, text_of(self.content), || format!("{place}.{member}"))
    }
}

/// A message of LangChain: written by its serialiser (`kwargs`), or by name (`data`), or plain.
#[derive(Deserialize)]
struct Wrapped<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Word<'a>>,
    #[serde(borrow)]
    role: Option<Word<'a>>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    kwargs: Option<Object<Chained<'a>>>,
    #[serde(borrow)]
    data: Option<Object<Chained<'a>>>,
    tool_calls: Option<Vec<IgnoredAny>>,
    invalid_tool_calls: Option<IgnoredAny>,
    additional_kwargs: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Chained<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_calls: Option<Vec<Object<Call<'a>>>>,
    #[serde(borrow)]
    invalid_tool_calls: Option<Vec<Object<Invalid<'a>>>>,
    #[serde(borrow)]
    additional_kwargs: Option<Object<Additional<'a>>>,
    tool_call_id: Option<Text>,
    #[serde(borrow)]
    status: Option<Word<'a>>,
    #[serde(borrow)]
    usage_metadata: Option<&'a RawValue>,
}

/// What the provider sent beside the content.
#[derive(Deserialize)]
struct Additional<'a> {
    /// Calls in the form of the provider.
    #[serde(borrow)]
    tool_calls: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call<'a> {
    id: Option<Text>,
    name: Text,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// A call whose arguments LangChain could not parse.
#[derive(Deserialize)]
struct Invalid<'a> {
    id: Option<Text>,
    name: Option<Text>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
}

impl Chained<'_> {
    /// The calls, in order.
    fn calls(&mut self) -> Vec<Made> {
        let id = |id: Option<Text>| id.map(|Text(id)| id);
        let valid = self.tool_calls.take().into_iter().flatten().map(|Object(call)| Made {
            id: id(call.id),
            tool: call.name.0,
            arguments: arguments(call.args.or(call.arguments)),
        });
        let invalid = self.invalid_tool_calls.take().into_iter().flatten().map(|Object(call)| Made {
            id: id(call.id),
            tool: call.name.map(|Text(name)| name).unwrap_or_default(),
            arguments: arguments(call.args),
        });
        let parsed: Vec<Made> = valid.chain(invalid).collect();
        // Old versions have no others, and Langfuse writes none that could not be parsed.
        let sent = self.additional_kwargs.take().and_then(|Object(it)| it.tool_calls);
        let sent =
            sent.and_then(|sent| serde_json::from_str::<Vec<Object<chat::Call<&RawValue>>>>(sent.get()).ok());
        let sent: Vec<Made> = sent.into_iter().flatten().map(|Object(call)| call.made()).collect();
        if sent.len() > parsed.len() { sent } else { parsed }
    }
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    /// A text, or parts of one.
    #[serde(borrow)]
    thinking: Option<&'a RawValue>,
}

/// Takes what a model was given, and returns the tools on offer.
///
/// # Errors
/// It is no list of messages, or a result is without a call.
pub(super) fn input(joiner: &mut Joiner, value: &RawValue, place: &str) -> Result<Vec<Listed>, BadLine> {
    let inside = unquoted(value);
    let text = inside.as_deref().unwrap_or(value.get());
    if text.starts_with('[') {
        return list(joiner, text, place);
    }
    let around: Around = parse(text).map_err(|bad| bad.below(place))?;
    let Some(messages) = around.messages else {
        return Err(BadLine::shape(place.into(), "expected messages, found none"));
    };
    let mut listed = list(joiner, messages.get(), &format!("{place}.messages"))?;
    listed.extend(tools(around.tools));
    Ok(listed)
}

/// How deep messages may be in lists of lists, and answers in answers. Platforms nest them once or twice; each level is
/// read again.
const LEVELS_MAX: usize = 8;

fn too_deep(place: &str) -> BadLine {
    BadLine::shape(place.into(), &format!("expected messages at most {LEVELS_MAX} levels deep, found more"))
}

/// Takes what a model answered: a message, a list of some, a response with `choices` or `generations`, or a text.
///
/// # Errors
/// It is none of them.
pub(super) fn output(joiner: &mut Joiner, value: &RawValue, place: &str) -> Result<(), BadLine> {
    output_in(joiner, value, place, 0)
}

/// Takes an answer that is in so many others.
fn output_in(joiner: &mut Joiner, value: &RawValue, place: &str, levels: usize) -> Result<(), BadLine> {
    if levels > LEVELS_MAX {
        return Err(too_deep(place));
    }
    let inside = unquoted(value);
    let text = inside.as_deref().unwrap_or(value.get());
    match text.as_bytes().first() {
        Some(b'[') => list(joiner, text, place).map(drop),
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
                list(joiner, messages.get(), &format!("{place}.messages")).map(drop)
            } else if let Some(inner) = around.output.filter(|it| it.get().starts_with(['{', '['])) {
                output_in(joiner, inner, &format!("{place}.output"), levels + 1)
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
    let text = |text: Cow<str>| paired(&text).into_owned();
    value.get().starts_with('"').then(|| serde_json::from_str(value.get()).map(text).unwrap_or_default())
}

/// Takes messages, and returns the tools on offer among them.
fn list(joiner: &mut Joiner, text: &str, place: &str) -> Result<Vec<Listed>, BadLine> {
    let (mut text, mut place) = (text, place.to_owned());
    let mut levels = 0;
    let messages = loop {
        let Elements(messages) = value::<Elements<&RawValue>>(text).map_err(|bad| bad.below(&place))?;
        // LangChain logs a batch of conversations: the first is that of the run.
        match messages.first() {
            Some(first) if first.get().starts_with('[') => text = first.get(),
            Some(_) | None => break messages,
        }
        place.push_str("[0]");
        levels += 1;
        if levels > LEVELS_MAX {
            return Err(too_deep(&place));
        }
    };
    let mut offered = Vec::new();
    for (at, message) in messages.into_iter().enumerate() {
        let place = format!("{place}[{at}]");
        match serde_json::from_str::<Object<OfTool>>(message.get()) {
            Ok(Object(it)) if it.role.0 == "tool" && it.content.get().starts_with('{') => {
                match it.offered(joiner) {
                    Some(tool) => offered.push(tool),
                    None => it.take(joiner, &place)?,
                }
            }
            Ok(_) | Err(_) => one(joiner, message.get(), &place)?,
        }
    }
    Ok(tools(Some(offered)))
}

/// Takes a message of LangChain, of OpenAI chat, or of Anthropic.
fn one(joiner: &mut Joiner, text: &str, place: &str) -> Result<(), BadLine> {
    let wrapped: Wrapped = parse(text).map_err(|bad| bad.below(place))?;
    if let Some(Object(chained)) = wrapped.kwargs.or(wrapped.data) {
        let named = wrapped.id.and_then(|id| serde_json::from_str::<Vec<Cow<str>>>(id.get()).ok());
        let class = named.and_then(|mut names| names.pop());
        let kind = class.or(wrapped.kind.map(|Word(kind)| kind)).unwrap_or_default();
        return langchain(joiner, &kind, chained, place);
    }
    // Langfuse writes calls as LangChain has them into messages with the role of OpenAI chat.
    let has_calls = wrapped.tool_calls.is_some_and(|calls| !calls.is_empty());
    if (has_calls || wrapped.invalid_tool_calls.is_some() || wrapped.additional_kwargs.is_some())
        && wrapped.role.is_some_and(|Word(role)| role == "assistant")
        && let Ok(Object(mut chained)) = serde_json::from_str::<Object<Chained>>(text)
    {
        let calls = chained.calls();
        if !calls.is_empty() {
            return said(joiner, chained, calls, place);
        }
    }
    let message = match parse::<chat::Message>(text) {
        Ok(message) => return chat::one(joiner, message, |member| format!("{place}{member}")),
        // Anthropic's messages have their calls in the content.
        Err(bad) if has_calls => return Err(bad.below(place)),
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

fn langchain(joiner: &mut Joiner, kind: &str, mut chained: Chained, place: &str) -> Result<(), BadLine> {
    match kind {
        "SystemMessage" | "system" => joiner.system(words(chained.content, place)?.1.unwrap_or_default()),
        "HumanMessage" | "human" | "user" => {
            joiner.user(words(chained.content, place)?.1.unwrap_or_default())
        }
        "AIMessage" | "AIMessageChunk" | "ai" | "assistant" => {
            let calls = chained.calls();
            said(joiner, chained, calls, place)?;
        }
        "ToolMessage" | "tool" => {
            // `success` is what the library says by default.
            let is_error = chained.status.is_some_and(|Word(status)| status == "error");
            let status = if is_error { Status::Error } else { Status::Unknown };
            let of = chained.tool_call_id.map_or(Of::Next, |Text(id)| Of::Id(id));
            let text = words(chained.content, place)?.1.unwrap_or_default();
            joiner.result(of, status, text, || format!("{place}.tool_call_id"))?;
        }
        _ => {
            let why = "expected a message of LangChain, found another type";
            return Err(BadLine::shape(format!("{place}.type"), why));
        }
    }
    Ok(())
}

fn said(joiner: &mut Joiner, chained: Chained, calls: Vec<Made>, place: &str) -> Result<(), BadLine> {
    let (thinking, text) = words(chained.content, place)?;
    joiner.assistant(thinking, text, calls);
    joiner.used(usage(chained.usage_metadata));
    Ok(())
}

/// Thinking and text.
type Words = (Option<Arc<str>>, Option<Arc<str>>);

fn words(content: Option<&RawValue>, place: &str) -> Result<Words, BadLine> {
    let Some(content) = content.filter(|it| it.get() != "null") else { return Ok((None, None)) };
    if let Ok(texts) = serde_json::from_str::<Vec<Cow<str>>>(content.get()) {
        return Ok((None, lines_of(texts.iter().map(|text| &**text))));
    }
    Ok(match value::<Blocks<Part>>(content.get()).map_err(|bad| bad.below(&format!("{place}.content")))? {
        Blocks::Text(text) => (None, Some(text).filter(|text| !text.is_empty())),
        Blocks::List(parts) => {
            let thinking =
                parts.iter().filter_map(|part| part.thinking).filter(|it| it.get().starts_with('"'));
            let thinking: Vec<Arc<str>> = thinking.map(text_of).collect();
            let texts = parts.iter().filter_map(|part| part.text.as_deref());
            (lines_of(thinking.iter().map(|text| &**text)), lines_of(texts))
        }
    })
}
