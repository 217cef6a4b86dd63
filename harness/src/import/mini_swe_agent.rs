//! Trajectories of mini-swe-agent (`.traj.json`): its `messages`.
//!
//! In version 1 an answer has to have one block that is fenced as `bash`, and the program runs that. So an answer with
//! exactly one such block is a call of `bash`, and the message after it the result; its `<returncode>` says whether the
//! command failed. After any other answer, the program says in the user's place what is wrong.
//!
//! Version 2 has calls of the API, or commands in a fence or a tag that its settings name: these are the `actions` in
//! the `extra` of the answer. The `returncode` is in that of a result. A model of the Responses API answers with a
//! `response`, and its results are of the type `function_call_output`. Where an answer with one call ends the run, what
//! the program notes at the `exit` is the result. The format does not say whether the task was solved.

use std::fmt;
use std::sync::Arc;

use balk_guards::{Status, Usage};
use jiff::Timestamp;
use memchr::memmem;
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::chat::Call;
use super::content::{Text, Word, Words, arguments, lines_of};
use super::parse::{parse, value};
use super::recording::{Joiner, Made, Of, Recording};
use super::sink::Sink;
use super::spent;
use super::strict::Object;
use super::swe_agent::command;

#[derive(Deserialize)]
struct Info {
    config: Option<Object<Config>>,
}

#[derive(Deserialize)]
struct Config {
    model: Option<Object<Model>>,
}

#[derive(Deserialize)]
struct Model {
    model_name: Option<Text>,
}

#[derive(Deserialize)]
struct Trajectory<'a> {
    info: Option<Object<Info>>,
    instance_id: Option<Text>,
    #[serde(borrow)]
    messages: Vec<Object<Message<'a>>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Option<Word<'a>>,
    /// What tells an answer and a result of the Responses API, which have no role.
    #[serde(borrow)]
    object: Option<Word<'a>>,
    #[serde(rename = "type", borrow)]
    kind: Option<Word<'a>>,
    content: Option<Words>,
    reasoning_content: Option<Text>,
    #[serde(borrow)]
    tool_calls: Option<Vec<Object<Call<&'a RawValue>>>>,
    tool_call_id: Option<Text>,
    /// The same in the Responses API.
    call_id: Option<Text>,
    /// The items of a response, or the text of a result.
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
    #[serde(borrow)]
    extra: Option<Object<Extra<'a>>>,
}

/// An item of a response.
#[derive(Deserialize)]
struct Item<'a> {
    #[serde(rename = "type", borrow)]
    kind: Word<'a>,
    content: Option<Words>,
    summary: Option<Words>,
    call_id: Option<Text>,
    name: Option<Text>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// What the program notes beside a message.
#[derive(Default, Deserialize)]
struct Extra<'a> {
    #[serde(borrow)]
    response: Option<Response<'a>>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
    returncode: Option<i64>,
    /// The commands that the program took from an answer.
    #[serde(borrow)]
    actions: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Action {
    command: Text,
}

/// What the provider answered: an object, or something else that says nothing here, such as the text of one.
#[derive(Clone, Copy, Default)]
struct Response<'a> {
    created: Option<&'a RawValue>,
    usage: Option<&'a RawValue>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Response<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ResponseVisitor)
    }
}

struct ResponseVisitor;

impl<'de> Visitor<'de> for ResponseVisitor {
    type Value = Response<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let (mut response, mut is_twice) = (Response::default(), false);
        while let Some(Word(name)) = members.next_key()? {
            let member = match &*name {
                "created" => &mut response.created,
                "usage" => &mut response.usage,
                _ => {
                    members.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            is_twice |= member.replace(members.next_value()?).is_some();
        }
        // Which of two counts is not known.
        Ok(if is_twice { Response::default() } else { response })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        while elements.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Response::default())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
        Ok(Response::default())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Response::default())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Response::default())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Response::default())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Response::default())
    }
}

impl Extra<'_> {
    /// When the message was said, and what it cost.
    fn spent(&self) -> (Option<Timestamp>, Usage) {
        let response = self.response.unwrap_or_default();
        (spent::moment(self.timestamp.or(response.created)), spent::usage(response.usage))
    }
}

/// Reads a trajectory.
///
/// # Errors
/// It is none, or a result is without a call.
pub(super) fn trajectory(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let Trajectory { info, instance_id, messages } = parse(text)?;
    let has_calls =
        |Object(it): &Object<Message>| it.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty());
    let mut reader = Reader { is_fenced: !messages.iter().any(has_calls), ..Reader::default() };
    for (at, Object(message)) in messages.into_iter().enumerate() {
        reader.take(message, |member| format!("messages[{at}].{member}"))?;
    }
    sink.recording(reader.joiner.into(head(info, instance_id)));
    Ok(())
}

#[derive(Default)]
struct Reader {
    joiner: Joiner,
    /// Whether commands may be in the text, as in version 1.
    is_fenced: bool,
    /// Whether the calls of the last answer were in its text.
    by_text: bool,
    /// Whether the last message is an answer with one call.
    acted: bool,
}

impl Reader {
    fn take(&mut self, message: Message, place: impl Fn(&str) -> String) -> Result<(), BadLine> {
        let Message { role, object, kind, content, reasoning_content, tool_calls, .. } = message;
        let text = content.map(|Words(text)| text);
        let extra = message.extra.map(|Object(it)| it).unwrap_or_default();
        let (time, usage) = extra.spent();
        self.joiner.at(time);
        let acted = std::mem::take(&mut self.acted);
        match &*role.or(object).or(kind).unwrap_or_default().0 {
            "system" => self.joiner.system(text.unwrap_or_default()),
            "assistant" => {
                let mut calls: Vec<Made> =
                    tool_calls.into_iter().flatten().map(|Object(call)| call.made()).collect();
                self.by_text = calls.is_empty();
                if self.by_text {
                    calls = commands(extra.actions, text.as_deref().filter(|_| self.is_fenced));
                }
                self.answer(reasoning_content.map(|Text(text)| text), text, calls, usage);
            }
            "response" => {
                self.by_text = false;
                let (thinking, text, calls) =
                    response(message.output).map_err(|bad| bad.below(&place("output")))?;
                self.answer(thinking, text, calls, spent::usage(message.usage));
            }
            "tool" => {
                let of = message.tool_call_id.map_or(Of::Next, |Text(id)| Of::Id(id));
                let status = of_code(extra.returncode);
                self.joiner.result(of, status, text.unwrap_or_default(), || place("tool_call_id"))?;
            }
            "function_call_output" => {
                let of = message.call_id.map_or(Of::Next, |Text(id)| Of::Id(id));
                let said = message.output.map_or(Ok(None), |output| value(output.get()));
                let said = said.map_err(|bad| bad.below(&place("output")))?;
                let text = said.map_or_else(Arc::default, |Words(text)| text);
                self.joiner.result(of, of_code(extra.returncode), text, || place("call_id"))?;
            }
            "user" if self.by_text && self.joiner.is_waiting() => {
                self.answered(text.unwrap_or_default(), extra.returncode)?;
            }
            "user" => self.joiner.user(text.unwrap_or_default()),
            "exit" if acted => self.answered(text.unwrap_or_default(), extra.returncode)?,
            // What the program notes at the end.
            "exit" => {}
            _ => {
                let why = "expected `system`, `user`, `assistant`, `tool` or `exit`, found something else";
                return Err(BadLine::shape(place("role"), why));
            }
        }
        Ok(())
    }

    fn answer(&mut self, thinking: Option<Arc<str>>, text: Option<Arc<str>>, calls: Vec<Made>, usage: Usage) {
        self.acted = calls.len() == 1;
        self.joiner.assistant(thinking, text, calls);
        self.joiner.used(usage);
    }

    fn answered(&mut self, text: Arc<str>, code: Option<i64>) -> Result<(), BadLine> {
        let status = if code.is_some() { of_code(code) } else { status(&text) };
        self.joiner.result(Of::Next, status, text, String::new)
    }
}

/// The commands of an answer that has them in its text: those that the program noted, else that of its one block.
fn commands(actions: Option<&RawValue>, text: Option<&str>) -> Vec<Made> {
    let noted = actions.and_then(|it| value::<Vec<Object<Action>>>(it.get()).ok());
    match noted {
        Some(noted) => noted.iter().map(|Object(it)| command("bash", &it.command.0)).collect(),
        None => text.and_then(one_block).map(|block| command("bash", block)).into_iter().collect(),
    }
}

/// Thinking, text and calls of an answer.
type Said = (Option<Arc<str>>, Option<Arc<str>>, Vec<Made>);

/// What the items of a response say.
fn response(output: Option<&RawValue>) -> Result<Said, BadLine> {
    let items = output.map_or(Ok(Vec::new()), |output| value::<Vec<Object<Item>>>(output.get()))?;
    let (mut thoughts, mut texts, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    for Object(Item { kind, content, summary, call_id, name, arguments: input }) in items {
        match &*kind.0 {
            "reasoning" => thoughts.extend([content, summary].into_iter().flatten().map(|Words(text)| text)),
            "message" => texts.extend(content.map(|Words(text)| text)),
            "function_call" => calls.push(Made {
                id: call_id.map(|Text(id)| id),
                tool: name.map_or_else(|| "bash".into(), |Text(name)| name),
                arguments: arguments(input),
            }),
            _ => {}
        }
    }
    let lines = |texts: Vec<Arc<str>>| lines_of(texts.iter().map(|text| &**text));
    Ok((lines(thoughts), lines(texts), calls))
}

fn head(info: Option<Object<Info>>, instance_id: Option<Text>) -> Recording {
    let config = info.and_then(|Object(it)| it.config);
    let model = config.and_then(|Object(it)| it.model).and_then(|Object(it)| it.model_name);
    let text = |text: Option<Text>| text.map(|Text(text)| text).unwrap_or_default();
    Recording { id: text(instance_id), model: text(model), ..Recording::default() }
}

/// How the block with a command begins: in version 1, and in version 2 unless its settings name something else.
const FENCES: [&str; 2] = ["```bash", "```mswea_bash_command"];

/// The one block that is fenced as a command; `None` without one, or with several.
fn one_block(text: &str) -> Option<&str> {
    FENCES.iter().find_map(|fence| {
        let ends = memmem::find_iter(text.as_bytes(), fence).map(|at| &text[at + fence.len()..]);
        let mut blocks = ends.filter_map(|after| {
            let (blank, rest) = after.split_once('\n')?;
            let end = memmem::find(rest.as_bytes(), b"\n```")?;
            blank.trim().is_empty().then_some(&rest[..end])
        });
        let first = blocks.next()?;
        blocks.next().is_none().then_some(first.trim())
    })
}

/// Whether a command failed, if the result has its exit code.
fn status(text: &str) -> Status {
    let code =
        text.trim_start().strip_prefix("<returncode>").and_then(|rest| rest.split_once("</returncode>"));
    of_code(code.and_then(|(code, _)| code.trim().parse().ok()))
}

fn of_code(code: Option<i64>) -> Status {
    match code {
        Some(0) => Status::Ok,
        Some(_) => Status::Error,
        None => Status::Unknown,
    }
}
