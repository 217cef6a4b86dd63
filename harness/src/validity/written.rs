//! A run, written down as a recording of another agent would be.

use std::sync::Arc;

use balk_guards::{Completion, Entry, Intervention, InterventionKind, Origin, Status, ToolCall};
use balk_scenarios::Truth;
use serde_json::{Map, Value, json};

use crate::engine::Trial;

/// A run in the neutral form.
pub(crate) struct Written {
    id: String,
    model: String,
    outcome: &'static str,
    messages: Vec<Value>,
    /// The messages of the assistant.
    pub(crate) replies: Vec<Reply>,
}

/// A message of the assistant.
pub(crate) struct Reply {
    /// Its index among the messages.
    pub(crate) message: usize,
    pub(super) truth: Truth,
    /// The tools and arguments of its calls.
    pub(super) calls: Vec<[Box<str>; 2]>,
}

impl Written {
    /// The run in one line, without a line break. With `replies` it ends with the answers to that many messages of the
    /// assistant.
    pub(crate) fn line(&self, replies: Option<usize>) -> String {
        let next = replies.and_then(|count| self.replies.get(count));
        let messages = &self.messages[..next.map_or(self.messages.len(), |it| it.message)];
        json!({"id": self.id, "model": self.model, "outcome": self.outcome, "messages": messages}).to_string()
    }
}

/// Writes a trial. What guards said is a message of the user, as in recordings. `flagged` is whether results say if the
/// tool failed: about half of the recordings do.
pub(crate) fn written(id: &str, trial: &Trial, flagged: bool) -> Written {
    let (mut turns, mut failed) = (trial.turns.iter(), trial.failed.iter());
    let (mut messages, mut replies) = (Vec::new(), Vec::new());
    for entry in &trial.entries {
        match entry {
            Entry::User(said) => messages.push(json!({"role": "user", "content": &*said.text})),
            Entry::Completion(completion) => {
                let truth = turns.next().map_or(Truth::Productive, |turn| turn.truth);
                replies.push(Reply { message: messages.len(), truth, calls: calls(completion) });
                messages.push(sent(completion));
            }
            Entry::Failed(attempt) => {
                let truth = failed.next().map_or(Truth::Faulted, |it| it.truth);
                // A broken connection leaves nothing in a recording; an empty reply does.
                if attempt.failure.cause == balk_guards::AttemptCause::Empty {
                    replies.push(Reply { message: messages.len(), truth, calls: Vec::new() });
                    messages.push(json!({"role": "assistant", "content": ""}));
                }
            }
            Entry::Result(result) if result.origin == Origin::Executed => {
                let mut message = Map::new();
                message.insert("role".into(), "tool".into());
                message.insert("tool_call_id".into(), result.call.id.to_string().into());
                message.insert("content".into(), result.text.text().to_string().into());
                if flagged && result.status != Status::Unknown {
                    message.insert("is_error".into(), (result.status == Status::Error).into());
                }
                messages.push(message.into());
            }
            // Its results follow, so the message needs the calls that were made of it; its text stays as it was.
            Entry::Intervention(Intervention { kind: InterventionKind::Repair(repaired), .. }) => {
                if let (Some(reply), Some(message)) = (replies.last_mut(), messages.last_mut()) {
                    reply.calls = calls(repaired);
                    message["tool_calls"] = made(repaired);
                }
            }
            Entry::Intervention(it) => {
                messages.extend(it.message().map(|text| json!({"role": "user", "content": text})));
            }
            Entry::Result(_)
            | Entry::Start(_)
            | Entry::Tried(_)
            | Entry::Answer(_)
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }
    let outcome = if trial.goal { "resolved" } else { "failed" };
    let model = trial.entries.iter().find_map(|it| {
        let Entry::Start(start) = it else { return None };
        Some(start.model.to_string())
    });
    Written { id: id.to_owned(), model: model.unwrap_or_default(), outcome, messages, replies }
}

fn calls(completion: &Completion) -> Vec<[Box<str>; 2]> {
    completion.calls.iter().map(|it| [(&*it.tool).into(), (&*it.arguments).into()]).collect()
}

fn sent(completion: &Completion) -> Value {
    let text: Vec<&str> = completion.texts().map(|it| &**it).collect();
    let mut message = Map::new();
    message.insert("role".into(), "assistant".into());
    message.insert("content".into(), text.join("\n").into());
    if !completion.calls.is_empty() {
        message.insert("tool_calls".into(), made(completion));
    }
    message.into()
}

/// The calls of a completion as a message carries them.
fn made(completion: &Completion) -> Value {
    let call = |call: &Arc<ToolCall>| {
        let function = json!({"name": &*call.tool, "arguments": &*call.arguments});
        json!({"id": &*call.id, "type": "function", "function": function})
    };
    completion.calls.iter().map(call).collect()
}
