//! Trajectories of mini-swe-agent (`.traj.json`): its `messages`.
//!
//! In version 1 an answer has to have one block that is fenced as `bash`, and the program runs that. So an answer with
//! exactly one such block is a call of `bash`, and the message after it the result; its `<returncode>` says whether the
//! command failed. After any other answer, the program says in the user's place what is wrong. In version 2 the calls
//! are those of OpenAI chat, and are read as such. The format does not say how a run ended.

use balk_guards::{Status, Usage};
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::chat::{self, Message};
use super::content::{Text, Word, Words};
use super::parse::parse;
use super::recording::{Joiner, Of, Recording};
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

/// The messages of version 1.
#[derive(Deserialize)]
struct Spoken<'a> {
    info: Option<Object<Info>>,
    instance_id: Option<Text>,
    #[serde(borrow)]
    messages: Vec<Object<One<'a>>>,
}

#[derive(Deserialize)]
struct One<'a> {
    #[serde(borrow)]
    role: Word<'a>,
    content: Option<Words>,
}

/// The messages of version 2.
#[derive(Deserialize)]
struct Called<'a> {
    info: Option<Object<Info>>,
    instance_id: Option<Text>,
    #[serde(borrow)]
    messages: Vec<Object<Message<'a>>>,
}

/// What tells version 2, and what the messages of both have beside them.
#[derive(Deserialize)]
struct Probe<'a> {
    #[serde(borrow)]
    messages: Vec<Object<Beside<'a>>>,
}

#[derive(Deserialize)]
struct Beside<'a> {
    tool_calls: Option<Vec<IgnoredAny>>,
    #[serde(borrow)]
    extra: Option<Object<Extra<'a>>>,
}

#[derive(Deserialize)]
struct Extra<'a> {
    #[serde(borrow)]
    response: Option<Object<Response<'a>>>,
}

/// What the provider answered.
#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    created: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

impl Beside<'_> {
    fn response(&self) -> Option<&Response<'_>> {
        self.extra.as_ref()?.0.response.as_ref().map(|Object(it)| it)
    }

    fn time(&self) -> Option<Timestamp> {
        spent::moment(self.response()?.created)
    }

    fn usage(&self) -> Usage {
        self.response().map(|it| spent::usage(it.usage)).unwrap_or_default()
    }
}

/// Reads a trajectory.
///
/// # Errors
/// It is none, or a result is without a call.
pub(super) fn trajectory(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let Probe { messages } = parse(text)?;
    let has_calls =
        |Object(it): &Object<Beside>| it.tool_calls.as_ref().is_some_and(|calls| !calls.is_empty());
    if messages.iter().any(has_calls) { called(text, &messages, sink) } else { fenced(text, &messages, sink) }
}

/// Reads a trajectory with commands in the text.
fn fenced(text: &str, beside: &[Object<Beside>], sink: &mut Sink) -> Result<(), BadLine> {
    let Spoken { info, instance_id, messages } = parse(text)?;
    let mut joiner = Joiner::default();
    let mut acted = false;
    for ((at, Object(One { role, content })), Object(beside)) in messages.into_iter().enumerate().zip(beside)
    {
        joiner.at(beside.time());
        let text = content.map(|Words(text)| text).unwrap_or_default();
        match &*role.0 {
            "system" => joiner.system(text),
            "assistant" => {
                let calls = one_block(&text).map(|block| command("bash", block));
                acted = calls.is_some();
                joiner.assistant(None, Some(text), calls.into_iter().collect());
                joiner.used(beside.usage());
            }
            "user" | "exit" if std::mem::take(&mut acted) => {
                joiner.result(Of::Next, status(&text), text, String::new)?;
            }
            "user" => joiner.user(text),
            // What the program notes at the end.
            "exit" => {}
            _ => {
                let why = "expected `system`, `user` or `assistant`, found something else";
                return Err(BadLine::shape(format!("messages[{at}].role"), why));
            }
        }
    }
    sink.recording(joiner.into(head(info, instance_id)));
    Ok(())
}

/// Reads a trajectory with calls of the API.
fn called(text: &str, beside: &[Object<Beside>], sink: &mut Sink) -> Result<(), BadLine> {
    let Called { info, instance_id, messages } = parse(text)?;
    let mut joiner = Joiner::default();
    for ((at, Object(message)), Object(beside)) in messages.into_iter().enumerate().zip(beside) {
        joiner.at(beside.time());
        chat::one(&mut joiner, message, |member| format!("messages[{at}]{member}"))?;
        joiner.used(beside.usage());
    }
    sink.recording(joiner.into(head(info, instance_id)));
    Ok(())
}

fn head(info: Option<Object<Info>>, instance_id: Option<Text>) -> Recording {
    let config = info.and_then(|Object(it)| it.config);
    let model = config.and_then(|Object(it)| it.model).and_then(|Object(it)| it.model_name);
    let text = |text: Option<Text>| text.map(|Text(text)| text).unwrap_or_default();
    Recording { id: text(instance_id), model: text(model), ..Recording::default() }
}

/// The one block that is fenced as `bash`; `None` without one, or with several.
fn one_block(text: &str) -> Option<&str> {
    let mut blocks = text.split("```bash").skip(1).filter_map(|after| {
        let (blank, rest) = after.split_once('\n')?;
        let (block, _) = rest.split_once("\n```")?;
        blank.trim().is_empty().then_some(block)
    });
    let first = blocks.next()?;
    blocks.next().is_none().then_some(first.trim())
}

/// Whether a command failed, if the result has its exit code.
fn status(text: &str) -> Status {
    let code =
        text.trim_start().strip_prefix("<returncode>").and_then(|rest| rest.split_once("</returncode>"));
    match code.and_then(|(code, _)| code.trim().parse::<i64>().ok()) {
        Some(0) => Status::Ok,
        Some(_) => Status::Error,
        None => Status::Unknown,
    }
}
