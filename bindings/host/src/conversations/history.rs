//! A framework's history as entries of a run, and back.

use std::sync::Arc;

use balk_guards::{Entry, Message, Offer, Speaker, Status, ToolCall, ToolResult, UserMessage, View};

use crate::{Answer, Said};

/// What these messages say, as entries. A call without a result gets one that says that it was lost; a result without a
/// call is none.
pub(super) fn entries(messages: &[Said], offer: &Offer) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(messages.len());
    let mut open: Vec<Arc<ToolCall>> = Vec::new();
    for message in messages {
        match message {
            Said::System { .. } => {}
            Said::User { text } => {
                lose(&mut open, &mut entries);
                entries.push(Entry::User(UserMessage { from: Speaker::User, text: text.clone() }));
            }
            Said::Assistant(answer) => {
                lose(&mut open, &mut entries);
                let completion = answer.completion(offer);
                if !completion.is_empty() {
                    open.clone_from(&completion.calls);
                    entries.push(Entry::Completion(completion.into()));
                }
            }
            Said::Tool { id, text, status, .. } => {
                if let Some(at) = open.iter().position(|it| it.id == *id) {
                    let call = open.remove(at);
                    entries.push(Entry::Result(ToolResult::executed(&call, *status, text.clone())));
                }
            }
        }
    }
    lose(&mut open, &mut entries);
    entries
}

fn lose(open: &mut Vec<Arc<ToolCall>>, entries: &mut Vec<Entry>) {
    entries.extend(open.drain(..).map(|it| Entry::Result(ToolResult::lost(&it))));
}

/// The results of these calls among these messages. A call without a result was lost.
pub(super) fn results(calls: &[Arc<ToolCall>], news: &[Said]) -> Vec<ToolResult> {
    let mut said: Vec<&Said> = news.iter().collect();
    let mut of = |call: &Arc<ToolCall>| {
        let is_its = |it: &&Said| matches!(it, Said::Tool { id, .. } if *id == call.id);
        let Said::Tool { text, status, .. } = said.remove(said.iter().position(is_its)?) else { return None };
        Some(ToolResult::executed(call, *status, text.clone()))
    };
    calls.iter().map(|it| of(it).unwrap_or_else(|| ToolResult::lost(it))).collect()
}

/// Whether the model has spoken once at most, and first.
pub(super) fn is_one_turn(news: &[Said]) -> bool {
    !news.iter().skip(1).any(|it| matches!(it, Said::Assistant(_)))
}

/// What a model is shown of these entries, beside what was before.
pub(super) fn messages(entries: &[Entry]) -> Vec<Said> {
    let view = View::of(entries);
    let messages = view.messages();
    let tool = |id: &str| {
        let of = |it: &Message| match it {
            Message::Assistant(said) => said.calls.iter().find(|it| *it.id == *id).map(|it| it.tool.clone()),
            Message::User(_) | Message::Result { .. } => None,
        };
        messages.iter().find_map(of).unwrap_or_default()
    };
    let said = |message: &Message| match message {
        Message::User(text) => Said::User { text: text.clone() },
        Message::Assistant(it) => Said::Assistant(Answer::from(&**it)),
        Message::Result { id, text, is_error } => {
            let status = if *is_error { Status::Error } else { Status::Unknown };
            Said::Tool { id: id.clone(), tool: tool(id), text: text.clone(), status }
        }
    };
    messages.iter().map(said).collect()
}
