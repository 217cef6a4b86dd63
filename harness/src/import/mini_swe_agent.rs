//! Trajectories of mini-swe-agent (`.traj.json`): its `messages`.
//!
//! In version 1 an answer has to have one block that is fenced as `bash`, and the program runs that. So an answer with
//! exactly one such block is a call of `bash`, and the message after it the result; its `<returncode>` says whether the
//! command failed. After any other answer, the program says in the user's place what is wrong. Version 2 has calls of
//! the API, and `returncode` in the `extra` of their results; where an answer with one call ends the run, what the
//! program notes at the `exit` is the result. The format does not say whether the task was solved.

use std::sync::Arc;

use balk_guards::{Status, Usage};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::chat::Call;
use super::content::{Text, Word, Words};
use super::parse::parse;
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
    role: Word<'a>,
    content: Option<Words>,
    reasoning_content: Option<Text>,
    #[serde(borrow)]
    tool_calls: Option<Vec<Object<Call<'a>>>>,
    tool_call_id: Option<Text>,
    #[serde(borrow)]
    extra: Option<Object<Extra<'a>>>,
}

/// What the program notes beside a message.
#[derive(Default, Deserialize)]
struct Extra<'a> {
    /// What the provider answered: an object, or the text of one.
    #[serde(borrow)]
    response: Option<&'a RawValue>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
    returncode: Option<i64>,
}

#[derive(Default, Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    created: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

impl Extra<'_> {
    /// When the message was said, and what it cost.
    fn spent(&self) -> (Option<Timestamp>, Usage) {
        let response = self.response.and_then(|it| parse::<Response>(it.get()).ok()).unwrap_or_default();
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
    /// Whether commands are in the text, as in version 1.
    is_fenced: bool,
    /// Whether the last message is an answer with one call.
    acted: bool,
}

impl Reader {
    fn take(&mut self, message: Message, place: impl Fn(&str) -> String) -> Result<(), BadLine> {
        let Message { role, content, reasoning_content, tool_calls, tool_call_id, extra } = message;
        let text = content.map(|Words(text)| text);
        let extra = extra.map(|Object(it)| it).unwrap_or_default();
        let (time, usage) = extra.spent();
        self.joiner.at(time);
        let acted = std::mem::take(&mut self.acted);
        match &*role.0 {
            "system" => self.joiner.system(text.unwrap_or_default()),
            "assistant" => {
                let block = text.as_deref().filter(|_| self.is_fenced).and_then(one_block);
                let called = tool_calls.into_iter().flatten().map(|Object(call)| call.made());
                let calls: Vec<Made> = called.chain(block.map(|block| command("bash", block))).collect();
                self.acted = calls.len() == 1;
                self.joiner.assistant(reasoning_content.map(|Text(text)| text), text, calls);
                self.joiner.used(usage);
            }
            "tool" => {
                let of = tool_call_id.map_or(Of::Next, |Text(id)| Of::Id(id));
                let status = of_code(extra.returncode);
                self.joiner.result(of, status, text.unwrap_or_default(), || place("tool_call_id"))?;
            }
            "user" if acted && self.is_fenced => self.answered(text.unwrap_or_default())?,
            "user" => self.joiner.user(text.unwrap_or_default()),
            "exit" if acted => self.answered(text.unwrap_or_default())?,
            // What the program notes at the end.
            "exit" => {}
            _ => {
                let why = "expected `system`, `user`, `assistant`, `tool` or `exit`, found something else";
                return Err(BadLine::shape(place("role"), why));
            }
        }
        Ok(())
    }

    fn answered(&mut self, text: Arc<str>) -> Result<(), BadLine> {
        self.joiner.result(Of::Next, status(&text), text, String::new)
    }
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
    of_code(code.and_then(|(code, _)| code.trim().parse().ok()))
}

fn of_code(code: Option<i64>) -> Status {
    match code {
        Some(0) => Status::Ok,
        Some(_) => Status::Error,
        None => Status::Unknown,
    }
}
