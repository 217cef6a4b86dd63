//! Logs of single requests, put together into conversations: each request repeats what was said before.
//!
//! Several may be open at the same time in a group: agents that take turns, or the request of a title between two steps
//! of an agent.

use std::collections::BTreeMap;
use std::sync::Arc;

use balk_guards::Usage;
use jiff::Timestamp;
use serde_json::Value;

use super::recording::{Answer, Call, Message, Recording, Said};
use super::sink::Sink;

/// How many conversations of a group may go on: each request is compared with all of them. Assumed: agents that work
/// on one task together are fewer.
const OPEN_MAX: usize = 8;

/// The conversations of a log, in the order of their first request.
#[derive(Default)]
pub(super) struct Conversations {
    all: Vec<Recording>,
    /// The conversations of each group that may go on, the last one at the end.
    open: BTreeMap<Arc<str>, Vec<usize>>,
}

impl Conversations {
    /// Takes what one request and its answer say. If the request goes on from an open conversation of its group, the
    /// longest of them grows; else another one begins.
    pub(super) fn take(&mut self, group: Arc<str>, recording: Recording) {
        let open = self.open.entry(group).or_default();
        let fits = |at: &usize| goes_on(&self.all[open[*at]].messages, &recording.messages);
        let longest = (0..open.len()).filter(fits).max_by_key(|at| self.all[open[*at]].messages.len());
        let conversation = match longest {
            Some(at) => {
                let conversation = open.remove(at);
                let earlier = std::mem::replace(&mut self.all[conversation], recording);
                keep(earlier, &mut self.all[conversation]);
                conversation
            }
            None => {
                if open.len() == OPEN_MAX {
                    open.remove(0);
                }
                self.all.push(recording);
                self.all.len() - 1
            }
        };
        open.push(conversation);
    }

    pub(super) fn finish(self, sink: &mut Sink) {
        for recording in self.all {
            sink.recording(recording);
        }
    }
}

/// Keeps what the earlier request had and the later one leaves out: thinking, the tools on offer, what an answer cost.
fn keep(earlier: Recording, later: &mut Recording) {
    if later.tools.is_empty() {
        later.tools = earlier.tools;
    }
    for (one, other) in earlier.messages.into_iter().zip(&mut later.messages) {
        if let (Message::Assistant(one), Message::Assistant(other)) = (one, other) {
            other.thinking = other.thinking.take().or(one.thinking);
            if other.usage == Usage::default() {
                other.usage = one.usage;
            }
        }
    }
    let times: BTreeMap<usize, Timestamp> = later.times.drain(..).chain(earlier.times).collect();
    later.times = times.into_iter().collect();
}

/// Whether the later messages begin with the earlier ones. Requests leave out thinking, and ids may be made anew.
fn goes_on(earlier: &[Message], later: &[Message]) -> bool {
    earlier.len() <= later.len() && earlier.iter().zip(later).all(|(one, other)| is_same(one, other))
}

fn is_same(one: &Message, other: &Message) -> bool {
    match (one, other) {
        (Message::System(one), Message::System(other)) | (Message::User(one), Message::User(other)) => {
            one == other
        }
        (Message::Assistant(one), Message::Assistant(other)) => {
            let Said { thinking: _, text, calls, usage: _ } = one;
            let is_empty = |text: &Option<Arc<str>>| text.as_deref().unwrap_or_default().is_empty();
            let same_text = *text == other.text || is_empty(text) && is_empty(&other.text);
            let same_call = |(one, other): (&Call, &Call)| {
                one.tool == other.tool && are_same(&one.arguments, &other.arguments)
            };
            same_text && calls.len() == other.calls.len() && calls.iter().zip(&other.calls).all(same_call)
        }
        (Message::Result(Answer { text: one, .. }), Message::Result(Answer { text: other, .. })) => {
            one == other
        }
        (Message::System(_) | Message::User(_) | Message::Assistant(_) | Message::Result(_), _) => false,
    }
}

/// Whether arguments are the same values of JSON: a library may write them anew. Some servers send none as an empty
/// text.
fn are_same(one: &str, other: &str) -> bool {
    let read = |text: &str| match text.trim() {
        "" => serde_json::from_str("{}"),
        text => serde_json::from_str::<Value>(text),
    };
    one == other || matches!((read(one), read(other)), (Ok(one), Ok(other)) if one == other)
}
