//! What a host says: tools, messages, answers, failures.

use std::sync::Arc;

use balk_guards::{
    AttemptCause, Completion, Effect, FinishReason, Offer, Part, Protocol, Purpose, RawCall, Status,
    ToolCall, Usage,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Error;

/// A tool on offer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    #[serde(default)]
    pub description: String,
    /// The JSON Schema of its arguments; any object without one.
    #[serde(default)]
    pub parameters: Option<Value>,
    /// What a call can change. Not known without it.
    #[serde(default = "unknown")]
    pub effect: Effect,
    /// What it is for.
    #[serde(default = "other")]
    pub purpose: Purpose,
}

fn unknown() -> Effect {
    Effect::Unknown
}

fn other() -> Purpose {
    Purpose::Other
}

/// The offer of these tools.
pub(crate) fn offer(tools: &[Tool]) -> Arc<Offer> {
    let tool = |it: &Tool| {
        let tool = balk_guards::Tool::new(&it.name).effect(it.effect).purpose(it.purpose);
        let tool = tool.description(&it.description);
        match &it.parameters {
            Some(schema) => tool.parameters(&schema.to_string()),
            None => tool,
        }
    };
    Offer::new(tools.iter().map(tool)).into()
}

/// How a task ends with these tools, if the host does not say it: by a tool whose purpose is to finish, or by text.
pub(crate) fn protocol(offer: &Offer) -> Protocol {
    match offer.first(Purpose::Finish) {
        Some(_) => Protocol::Tool,
        None => Protocol::Text,
    }
}

/// A message of a history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase", deny_unknown_fields)]
pub enum Said {
    /// Instructions to the model. Guards do not read them.
    System {
        /// The words.
        #[serde(default)]
        text: Arc<str>,
    },
    /// Words in the user's role.
    User {
        /// The words.
        text: Arc<str>,
    },
    /// What the model answered.
    Assistant(Answer),
    /// The result of a call.
    Tool {
        /// The id of the call.
        id: Arc<str>,
        /// The tool's name, which the guards give in what they add. Empty where it is not known.
        #[serde(default, skip_serializing_if = "str::is_empty")]
        tool: Arc<str>,
        /// What the tool said.
        text: Arc<str>,
        /// Whether it failed: `ok`, `error` or `unknown`.
        #[serde(default = "status")]
        status: Status,
    },
}

fn status() -> Status {
    Status::Unknown
}

/// What the model answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// What the user sees.
    #[serde(default)]
    pub text: Arc<str>,
    /// Reasoning that the user does not see.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub thinking: Arc<str>,
    /// The calls, in order.
    #[serde(default)]
    pub calls: Vec<Call>,
    /// Why the model stopped.
    #[serde(default)]
    pub finish: FinishReason,
    /// Tokens of the request and of the answer, where the provider counted them.
    #[serde(default)]
    pub usage: Usage,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The id that its result names.
    pub id: Arc<str>,
    /// The tool.
    pub tool: Arc<str>,
    /// The arguments as JSON text.
    pub arguments: Arc<str>,
}

impl Answer {
    /// The completion, with the calls keyed by this offer.
    pub(crate) fn completion(&self, offer: &Offer) -> Completion {
        let thinking = (!self.thinking.is_empty())
            .then(|| Part::Thinking { text: self.thinking.clone(), signature: None });
        let parts = thinking.into_iter().chain([Part::Text(self.text.clone())]);
        let calls = self.calls.iter().map(|it| RawCall {
            id: it.id.clone(),
            tool: it.tool.clone(),
            arguments: it.arguments.clone(),
        });
        Completion::new(parts, calls, self.finish, self.usage, offer)
    }
}

impl From<&Completion> for Answer {
    fn from(it: &Completion) -> Self {
        let thinking: Vec<&str> = it
            .parts
            .iter()
            .filter_map(|part| if let Part::Thinking { text, .. } = part { Some(&**text) } else { None })
            .collect();
        Self {
            text: it.texts().map(|it| &**it).collect::<Vec<_>>().join("\n").into(),
            thinking: thinking.join("\n").into(),
            calls: it.calls.iter().map(|it| Call::from(&**it)).collect(),
            finish: it.finish,
            usage: it.usage,
        }
    }
}

impl From<&ToolCall> for Call {
    fn from(it: &ToolCall) -> Self {
        Self { id: it.id.clone(), tool: it.tool.clone(), arguments: it.arguments.clone() }
    }
}

/// Why an attempt gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// `connect`, `timed-out`, `disconnected`, or `status` with a code.
    cause: String,
    /// The HTTP status.
    #[serde(default)]
    code: Option<u16>,
    /// The milliseconds after which the provider wants the next request.
    #[serde(default)]
    retry_after: Option<u64>,
    /// The words of the provider or the network.
    #[serde(default)]
    pub(crate) message: Arc<str>,
}

impl Failure {
    pub(crate) fn cause(&self) -> Result<AttemptCause, Error> {
        Ok(match (&*self.cause, self.code) {
            ("connect", None) => AttemptCause::Connect,
            ("timed-out", None) => AttemptCause::TimedOut,
            ("disconnected", None) => AttemptCause::Disconnected,
            ("status", Some(code @ 400..=599)) => {
                AttemptCause::Status { code, retry_after: self.retry_after }
            }
            (cause, code) => {
                let code = code.map_or_else(|| "no code".to_owned(), |it| format!("code {it}"));
                return Err(Error::new(format!(
                    "failure: expected the cause `connect`, `timed-out` or `disconnected`, or `status` with a code \
                     from 400 to 599; found `{cause}` with {code}"
                )));
            }
        })
    }
}
