//! A framework's history as entries of a run, and back.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use balk_guards::{
    Entry, Limits, Message, Offer, OpenCalls, Run, Speaker, Stack, Start, Status, Step, ToolCall, ToolResult,
    UserMessage, View,
};

use crate::{Answer, Call, Error, Guards, Said};

/// What these messages say, as entries. A call without a result gets one that says that it was lost; a result without a
/// call is none.
pub(super) fn entries(messages: &[Said], offer: &Offer) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(messages.len());
    let mut open = OpenCalls::default();
    for message in messages {
        match message {
            Said::System { .. } => {}
            Said::User { text } => {
                entries.extend(open.lost());
                entries.push(Entry::User(UserMessage { from: Speaker::User, text: text.clone() }));
            }
            Said::Assistant(answer) => {
                entries.extend(open.lost());
                let completion = answer.completion(offer);
                if !completion.is_empty() {
                    open = OpenCalls::new(&completion.calls);
                    entries.push(Entry::Completion(completion.into()));
                }
            }
            Said::Tool { id, text, status, .. } => {
                if let Some(call) = open.answered(id) {
                    entries.push(Entry::Result(ToolResult::executed(&call, *status, text.clone())));
                }
            }
        }
    }
    entries.extend(open.lost());
    entries
}

/// The results of these calls among these messages. A call without a result was lost.
pub(super) fn results(calls: &[Arc<ToolCall>], news: &[Said]) -> Vec<ToolResult> {
    let mut said: BTreeMap<&str, VecDeque<(Status, &Arc<str>)>> = BTreeMap::new();
    for message in news {
        if let Said::Tool { id, text, status, .. } = message {
            said.entry(id).or_default().push_back((*status, text));
        }
    }
    let mut of = |call: &Arc<ToolCall>| {
        let (status, text) = said.get_mut(&*call.id)?.pop_front()?;
        Some(ToolResult::executed(call, status, text.clone()))
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
    // No two calls of a view have the same id.
    let mut tools: BTreeMap<&str, &Arc<str>> = BTreeMap::new();
    for message in messages {
        if let Message::Assistant(said) = message {
            tools.extend(said.calls.iter().map(|it| (&*it.id, &it.tool)));
        }
    }
    let tool = |id: &str| tools.get(id).map(|it| (*it).clone()).unwrap_or_default();
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

/// A run that has folded these entries.
pub(super) fn folded(
    guards: &Guards,
    start: Start,
    history: impl IntoIterator<Item = Entry>,
) -> Result<Run<Stack>, Error> {
    let transcript = std::iter::once(Entry::Start(start)).chain(history).collect();
    let run = Run::resume(guards.stack(), transcript, Limits::NONE);
    let mut run = run.map_err(|why| Error::new(format!("messages: {why}")))?;
    // The framework asks its model again after a message without a call, and only it knows why.
    if run.step() == Step::Reply {
        run.said(UserMessage { from: Speaker::Loop, text: "".into() });
        run.take_news();
    }
    Ok(run)
}

/// Whether these are the same messages. Instructions often have the time in them, and guards do not read them.
pub(super) fn say_the_same(messages: &[Said], known: &[Said]) -> bool {
    let are_instructions = |pair| matches!(pair, (&Said::System { .. }, &Said::System { .. }));
    messages.iter().zip(known).all(|pair| are_instructions(pair) || pair.0 == pair.1)
}

/// Whether these are the same calls. A framework that reads arguments may write them in other words.
pub(super) fn are_same(calls: &[Call], shown: &[Call]) -> bool {
    let named = |it: &Call| (it.id.clone(), it.tool.clone());
    calls.iter().map(named).eq(shown.iter().map(named))
}
