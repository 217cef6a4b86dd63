//! Event streams of OpenHands: a list of events, or the `history` of a line in an evaluation's `output.jsonl`.
//!
//! | event | becomes |
//! |---|---|
//! | action `system` | instructions, and the tools on offer |
//! | action `message` of the user | a message of the user |
//! | action `message` of the agent | an answer |
//! | another action of the agent | a call: as its `tool_call_metadata` says, else the action with its `args` |
//! | observation | the result of the call with its `tool_call_id`, else of the action that it has as `cause` |
//!
//! Actions of one response of the model are one answer. An `exit_code` says whether a command failed (-1: it still
//! runs), and so does the observation `error`. Other observations are no results: they have no call.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use balk_guards::{Status, Usage};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::content::{Text, Word, Words, arguments, text_of};
use super::offered::{Entry, tools};
use super::parse::{parse, value};
use super::recording::{Joiner, Made, Of, Recording};
use super::sink::Sink;
use super::spent::{moment, usage};
use super::strict::Object;

#[derive(Deserialize)]
struct Evaluated<'a> {
    instance_id: Option<Text>,
    #[serde(borrow)]
    history: Vec<Object<Event<'a>>>,
}

#[derive(Deserialize)]
struct Event<'a> {
    id: Option<i64>,
    #[serde(borrow)]
    source: Option<Word<'a>>,
    #[serde(borrow)]
    action: Option<Word<'a>>,
    #[serde(borrow)]
    observation: Option<Word<'a>>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    cause: Option<i64>,
    #[serde(borrow)]
    extras: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_call_metadata: Option<Object<Called<'a>>>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Called<'a> {
    function_name: Text,
    tool_call_id: Text,
    #[serde(borrow)]
    model_response: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    model: Option<Text>,
    #[serde(borrow)]
    choices: Option<Vec<Object<Choice<'a>>>>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    message: Object<Answer<'a>>,
}

#[derive(Deserialize)]
struct Answer<'a> {
    content: Option<Words>,
    #[serde(borrow)]
    tool_calls: Option<Vec<Object<Call<'a>>>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    function: Object<Function<'a>>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// The arguments of an action that are read.
#[derive(Default, Deserialize)]
struct Args {
    content: Option<Text>,
    thought: Option<Text>,
    tools: Option<Vec<Object<Entry>>>,
}

#[derive(Deserialize)]
struct Extras {
    metadata: Option<Object<Metadata>>,
    exit_code: Option<i64>,
}

#[derive(Deserialize)]
struct Metadata {
    exit_code: Option<i64>,
}

/// Reads a line of an evaluation.
///
/// # Errors
/// It is none.
pub(super) fn evaluated(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let Evaluated { instance_id, history } = parse(text)?;
    let id = instance_id.map(|Text(id)| id).unwrap_or_default();
    sink.recording(Stream::read(history, "history", Recording { id, ..Recording::default() })?);
    Ok(())
}

/// Reads a list of events.
///
/// # Errors
/// It is none.
pub(super) fn events(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    sink.recording(Stream::read(value(text)?, "", Recording::default())?);
    Ok(())
}

#[derive(Default)]
struct Stream {
    joiner: Joiner,
    /// The id of the response that the last answer is from.
    response: Option<Arc<str>>,
    /// The ids of calls without one of their own, by the event.
    calls: BTreeMap<i64, Arc<str>>,
}

impl Stream {
    fn read(events: Vec<Object<Event>>, list: &str, mut head: Recording) -> Result<Recording, BadLine> {
        let mut stream = Self::default();
        for (at, Object(event)) in events.into_iter().enumerate() {
            stream.take(event, &mut head).map_err(|bad| bad.below(&format!("{list}[{at}]")))?;
        }
        Ok(stream.joiner.into(head))
    }

    fn take(&mut self, event: Event, head: &mut Recording) -> Result<(), BadLine> {
        self.joiner.at(moment(event.timestamp));
        let is_agent = event.source.as_ref().is_some_and(|Word(source)| source == "agent");
        if event.observation.is_some() {
            return self.observation(event);
        }
        let Some(Word(action)) = &event.action else { return Ok(()) };
        let args = || -> Result<Args, BadLine> {
            event.args.map_or(Ok(Args::default()), |args| parse(args.get()).map_err(|bad| bad.below("args")))
        };
        let words = |text: Option<Text>| text.map(|Text(text)| text).unwrap_or_default();
        match (&**action, is_agent) {
            ("system", _) => {
                let Args { content, tools: listed, .. } = args()?;
                self.joiner.system(words(content));
                head.tools = tools(listed);
            }
            ("message", false) => self.joiner.user(words(args()?.content)),
            ("message", true) => {
                self.response = None;
                self.joiner.assistant(None, Some(words(args()?.content)), Vec::new());
            }
            (_, true) => self.action(event, head)?,
            // What the user's side does by itself.
            (_, false) => {}
        }
        Ok(())
    }

    /// Takes an action of the agent that is no message.
    fn action(&mut self, event: Event, head: &mut Recording) -> Result<(), BadLine> {
        let Some(Object(Called { function_name, tool_call_id, model_response })) = event.tool_call_metadata
        else {
            return self.plain(event);
        };
        let response: Option<Response> = match model_response.filter(|it| it.get().starts_with('{')) {
            Some(response) => {
                Some(parse(response.get()).map_err(|bad| bad.below("tool_call_metadata.model_response"))?)
            }
            None => None,
        };
        let (mut text, mut given, mut id, mut used) = (None, None, None, Usage::default());
        if let Some(response) = response {
            if let Some(Text(model)) = response.model {
                head.model = model;
            }
            id = response.id.map(Arc::from);
            used = usage(response.usage);
            let first = response.choices.and_then(|choices| choices.into_iter().next());
            if let Some(Object(Choice { message: Object(Answer { content, tool_calls }) })) = first {
                text = content.map(|Words(text)| text);
                let mut calls = tool_calls.into_iter().flatten();
                given = calls.find(|Object(call)| call.id.as_deref() == Some(&*tool_call_id.0));
            }
        }
        let arguments = match given {
            Some(Object(call)) => arguments(call.function.0.arguments),
            None => arguments(event.args),
        };
        let made = Made { id: Some(tool_call_id.0), tool: function_name.0, arguments };
        if id.is_some() && self.response == id {
            self.joiner.more(None, None, vec![made]);
        } else {
            self.joiner.assistant(None, text, vec![made]);
        }
        self.joiner.used(used);
        self.response = id;
        Ok(())
    }

    /// Takes an action that says nothing of a call: the agent wrote it as text.
    fn plain(&mut self, event: Event) -> Result<(), BadLine> {
        const CALLS: [&str; 9] = [
            "run",
            "run_ipython",
            "read",
            "write",
            "edit",
            "browse",
            "browse_interactive",
            "call_tool_mcp",
            "delegate",
        ];
        let Args { thought, .. } = match event.args {
            Some(args) => parse(args.get()).map_err(|bad| bad.below("args"))?,
            None => Args::default(),
        };
        let thought = thought.map(|Text(text)| text).filter(|text| !text.is_empty());
        let action = event.action.map(|Word(action)| action).unwrap_or_default();
        self.response = None;
        if let (true, Some(at)) = (CALLS.contains(&&*action), event.id) {
            let id: Arc<str> = format!("event-{at}").into();
            self.calls.insert(at, id.clone());
            let made = Made { id: Some(id), tool: action.into(), arguments: arguments(event.args) };
            self.joiner.assistant(None, thought, vec![made]);
        } else if thought.is_some() {
            self.joiner.assistant(None, thought, Vec::new());
        }
        Ok(())
    }

    fn observation(&mut self, event: Event) -> Result<(), BadLine> {
        let own = event.tool_call_metadata.map(|Object(it)| it.tool_call_id.0);
        let caused = || event.cause.and_then(|cause| self.calls.get(&cause)).cloned();
        let Some(id) = own.or_else(caused).filter(|id| self.joiner.has_call(id)) else { return Ok(()) };
        let extras = event.extras.and_then(|it| serde_json::from_str::<Object<Extras>>(it.get()).ok());
        let exit = extras.and_then(|Object(it)| it.exit_code.or(it.metadata?.0.exit_code));
        let is_error = event.observation.is_some_and(|Word(kind)| kind == "error");
        let status = match exit {
            _ if is_error => Status::Error,
            Some(0) => Status::Ok,
            Some(1..) => Status::Error,
            Some(_) | None => Status::Unknown,
        };
        let text = event.content.filter(|it| it.get() != "null").map(text_of).unwrap_or_default();
        self.joiner.result(Of::Id(id), status, text, String::new)
    }
}
