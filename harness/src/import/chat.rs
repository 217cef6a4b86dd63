//! Messages of OpenAI chat, which many formats have inside.
//!
//! | role | becomes |
//! |---|---|
//! | `system`, `developer` | instructions |
//! | `user` | a message of the user |
//! | `assistant` | an answer with its `tool_calls`, or the `function_call` of older requests |
//! | `tool` | the result of the call with its `tool_call_id`, or of the first open call of its `name` |
//! | `function` | the result of the first open call of its `name` |

use std::borrow::Cow;
use std::sync::Arc;

use balk_guards::Status;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::content::{Arguments, Text, Words};
use super::recording::{Joiner, Made, Of};
use super::spent::{moment, usage};
use super::strict::Object;

/// A message.
#[derive(Deserialize)]
#[serde(bound(deserialize = "A: Deserialize<'de>"))]
pub(super) struct Message<'a, A = &'a RawValue> {
    role: Role,
    content: Option<Words>,
    reasoning_content: Option<Text>,
    /// The same by another name; vLLM writes both.
    reasoning: Option<Text>,
    tool_calls: Option<Vec<Object<Call<A>>>>,
    function_call: Option<Object<Function<A>>>,
    tool_call_id: Option<Text>,
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    is_error: Option<bool>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    #[serde(alias = "developer")]
    System,
    User,
    Assistant,
    Tool,
    Function,
}

/// A call.
#[derive(Deserialize)]
#[serde(bound(deserialize = "A: Deserialize<'de>"))]
pub(super) struct Call<A> {
    id: Option<Text>,
    function: Object<Function<A>>,
}

#[derive(Deserialize)]
struct Function<A> {
    name: Text,
    arguments: Option<A>,
}

impl<A: Arguments> Call<A> {
    pub(super) fn made(self) -> Made {
        self.function.0.made(self.id.map(|Text(id)| id))
    }
}

impl<A: Arguments> Function<A> {
    fn made(self, id: Option<Arc<str>>) -> Made {
        Made { id, tool: self.name.0, arguments: A::text(self.arguments) }
    }
}

/// Takes the messages of a list in order.
///
/// # Errors
/// A message that lacks what its role needs, or a result without a call; the place is below `list`.
pub(super) fn take<A: Arguments>(
    joiner: &mut Joiner,
    list: &str,
    messages: Vec<Object<Message<A>>>,
) -> Result<(), BadLine> {
    joiner.expect(messages.len());
    for (at, Object(message)) in messages.into_iter().enumerate() {
        one(joiner, message, |member| format!("{list}[{at}]{member}"))?;
    }
    Ok(())
}

/// Takes one message; `place` says where a member of it is.
///
/// # Errors
/// It lacks what its role needs, or is a result without a call.
pub(super) fn one<A: Arguments>(
    joiner: &mut Joiner,
    message: Message<A>,
    place: impl Fn(&str) -> String,
) -> Result<(), BadLine> {
    let Message { role, content, reasoning_content, reasoning, tool_calls, function_call, .. } = message;
    joiner.at(moment(message.timestamp));
    let content = content.map(|Words(text)| text);
    let due = |member: &str| BadLine::shape(place(member), "expected a string, found nothing or null");
    let content_due = |content: Option<Arc<str>>| content.ok_or_else(|| due(".content"));
    match role {
        Role::System => joiner.system(content.unwrap_or_default()),
        Role::User => joiner.user(content_due(content)?),
        Role::Assistant => {
            let calls = tool_calls.into_iter().flatten().map(|Object(call)| call.made());
            let old = function_call.map(|Object(it)| it.made(None));
            let thinking = reasoning_content.or(reasoning).map(|Text(text)| text);
            joiner.assistant(thinking, content, calls.chain(old).collect());
            joiner.used(usage(message.usage));
        }
        Role::Tool | Role::Function => {
            let (of, member) = match (message.tool_call_id, message.name) {
                (Some(Text(id)), _) => (Of::Id(id), ".tool_call_id"),
                (None, Some(name)) => (Of::Tool(None, name.into()), ".name"),
                (None, None) if matches!(role, Role::Function) => return Err(due(".name")),
                (None, None) => return Err(due(".tool_call_id")),
            };
            let status = match message.is_error {
                Some(true) => Status::Error,
                Some(false) => Status::Ok,
                None => Status::Unknown,
            };
            joiner.result(of, status, content_due(content)?, || place(member))?;
        }
    }
    Ok(())
}
