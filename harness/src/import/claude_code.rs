//! Sessions of Claude Code: a line each for what was said, in `~/.claude/projects/FOLDER/SESSION.jsonl`, or the
//! `loglines` of an exported session.
//!
//! An answer is written as one line a block, with the same message id; these lines become one answer. Side chains are
//! transcripts of other agents: each is one of its own. Lines that the program writes for itself (summaries, snapshots,
//! progress) are passed over; what it says in the user's place (`isMeta`) is a message of the user, since the model
//! cannot tell.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::anthropic::{self, Message, Role};
use super::bad::BadLine;
use super::content::{Text, Word};
use super::parse::parse;
use super::recording::{Joiner, Recording};
use super::sink::Sink;
use super::spent;
use super::strict::Object;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Word<'a>,
    #[serde(borrow)]
    message: Option<Object<Spoken<'a>>>,
    session_id: Option<Text>,
    is_sidechain: Option<bool>,
    #[serde(borrow)]
    agent_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    timestamp: Option<&'a RawValue>,
}

/// A message of the API, with what a response has beside it.
#[derive(Deserialize)]
struct Spoken<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    model: Option<Text>,
    role: Role,
    #[serde(borrow)]
    content: anthropic::Content<'a>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

/// Reads the lines of one session.
///
/// # Errors
/// None: a line that cannot be used is reported, and the rest is read.
pub(super) fn session(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let mut session = Session::default();
    sink.lines(text, |line| session.take(parse(line)?, "line"));
    session.finish(sink);
    Ok(())
}

#[derive(Deserialize)]
struct Exported<'a> {
    #[serde(borrow)]
    loglines: Vec<Object<Line<'a>>>,
}

/// Reads an exported session.
///
/// # Errors
/// It is none, or a result is without a call.
pub(super) fn exported(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let Exported { loglines } = parse(text)?;
    let mut session = Session::default();
    for (at, Object(line)) in loglines.into_iter().enumerate() {
        session.take(line, &format!("loglines[{at}]"))?;
    }
    session.finish(sink);
    Ok(())
}

/// The chains of a session, in the order of their first line.
#[derive(Default)]
struct Session {
    id: Arc<str>,
    chains: Vec<Chain>,
    /// The index of each chain, by its name.
    names: BTreeMap<Option<Arc<str>>, usize>,
}

/// What one agent said and heard.
struct Chain {
    /// The name of a side chain; `None` for the main one.
    name: Option<Arc<str>>,
    model: Arc<str>,
    joiner: Joiner,
    /// The id of the answer that the last line was a part of.
    answer: Option<Arc<str>>,
}

impl Session {
    fn take(&mut self, line: Line, place: &str) -> Result<(), BadLine> {
        let Line { kind, message, session_id, is_sidechain, agent_id, timestamp } = line;
        if !matches!(&*kind.0, "user" | "assistant") {
            return Ok(());
        }
        let Some(Object(Spoken { id, model, role, content, usage })) = message else { return Ok(()) };
        if let Some(Text(id)) = session_id
            && self.id.is_empty()
        {
            self.id = id;
        }
        let side = (is_sidechain == Some(true)).then(|| agent_id.as_deref().unwrap_or("side").into());
        let chain = self.chain(side);
        chain.joiner.at(spent::moment(timestamp));
        let place = |block: &str| format!("{place}.message.content{block}");
        match role {
            Role::Assistant => {
                let (thinking, text, calls) = anthropic::said(content, place)?;
                if let Some(Text(model)) = model
                    // What the program says in the model's place.
                    && &*model != "<synthetic>"
                {
                    chain.model = model;
                }
                if id.is_some() && chain.answer.as_deref() == id.as_deref() {
                    chain.joiner.more(thinking, text, calls);
                } else {
                    chain.joiner.assistant(thinking, text, calls);
                    chain.answer = id.map(Arc::from);
                }
                chain.joiner.used(spent::usage(usage));
                Ok(())
            }
            Role::User | Role::System => anthropic::take(&mut chain.joiner, Message { role, content }, place),
        }
    }

    fn chain(&mut self, name: Option<Arc<str>>) -> &mut Chain {
        let next = self.chains.len();
        let at = *self.names.entry(name.clone()).or_insert(next);
        if at == next {
            self.chains.push(Chain { name, model: "".into(), joiner: Joiner::default(), answer: None });
        }
        &mut self.chains[at]
    }

    fn finish(self, sink: &mut Sink) {
        for Chain { name, model, joiner, .. } in self.chains {
            let id = name.map_or_else(|| self.id.clone(), |name| format!("{}/{name}", self.id).into());
            sink.recording(joiner.into(Recording { id, model, ..Recording::default() }));
        }
    }
}
