//! A simulated run, written down as a recording of another agent would be.

use balk_guards::{Entry, Origin, Status};
use balk_scenarios::Truth;
use serde_json::{Map, Value, json};

use crate::engine::Trial;

/// A run without a guard in the neutral form: one line, and the truth of each message of the assistant.
pub(super) struct Written {
    /// The line, without a line break.
    pub(super) line: String,
    /// For each message of the assistant: its index in `messages`, and its truth.
    pub(super) replies: Vec<(usize, Truth)>,
}

/// Writes a trial that ran without a guard. `flagged` is whether results say if the tool failed: about half of the
/// recordings do.
pub(super) fn written(id: &str, trial: &Trial, flagged: bool) -> Written {
    let (mut turns, mut failed) = (trial.turns.iter(), trial.failed.iter());
    let (mut messages, mut replies) = (Vec::new(), Vec::new());
    for entry in &trial.entries {
        match entry {
            Entry::User(said) => messages.push(json!({"role": "user", "content": &*said.text})),
            Entry::Completion(completion) => {
                let truth = turns.next().map_or(Truth::Productive, |turn| turn.truth);
                replies.push((messages.len(), truth));
                let text: Vec<&str> = completion.texts().map(|it| &**it).collect();
                let calls: Vec<Value> = completion
                    .calls
                    .iter()
                    .map(|call| {
                        let function = json!({"name": &*call.tool, "arguments": &*call.arguments});
                        json!({"id": &*call.id, "type": "function", "function": function})
                    })
                    .collect();
                let mut message = Map::new();
                message.insert("role".into(), "assistant".into());
                message.insert("content".into(), text.join("\n").into());
                if !calls.is_empty() {
                    message.insert("tool_calls".into(), calls.into());
                }
                messages.push(message.into());
            }
            Entry::Failed(attempt) => {
                let truth = failed.next().map_or(Truth::Faulted, |it| it.truth);
                // A broken connection leaves nothing in a recording; an empty reply does.
                if attempt.failure.cause == balk_guards::AttemptCause::Empty {
                    replies.push((messages.len(), truth));
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
            Entry::Result(_)
            | Entry::Start(_)
            | Entry::Tried(_)
            | Entry::Intervention(_)
            | Entry::Answer(_)
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }
    let outcome = if trial.goal { "resolved" } else { "failed" };
    let line = json!({"id": id, "model": "simulated", "outcome": outcome, "messages": messages}).to_string();
    Written { line, replies }
}
