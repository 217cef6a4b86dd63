//! Sessions of Claude Code: a line each for what was said, in `~/.claude/projects/FOLDER/SESSION.jsonl`, or the
//! `loglines` of an exported session.
//!
//! An answer is written as one line a block, with the same message id; these lines become one answer. Side chains are
//! transcripts of other agents: each is one of its own. Lines that the program writes for itself (summaries, snapshots,
//! progress, errors of the API) are passed over; what it says in the user's place (`isMeta`) is a message of the user,
//! since the model cannot tell.
//!
//! Each line names the one before it (`parentUuid`). A user who goes back begins again after an earlier line: of two
//! requests after the same one, the later takes the place of the earlier and of all that followed. A branch of a
//! session may have lines of the other one again.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::anthropic::{self, Message, Role};
use super::bad::BadLine;
use super::content::{Blocks, Text, Word};
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
    is_meta: Option<bool>,
    is_api_error_message: Option<bool>,
    #[serde(borrow)]
    agent_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    uuid: Option<Cow<'a, str>>,
    #[serde(borrow)]
    parent_uuid: Option<Cow<'a, str>>,
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
struct Session<'a> {
    id: Arc<str>,
    chains: Vec<Chain<'a>>,
    /// The index of each chain, by its name.
    names: BTreeMap<Option<Arc<str>>, usize>,
    /// The lines so far, each with its time: in a log without names, all may have the same one.
    lines: BTreeSet<(Cow<'a, str>, &'a str)>,
    /// The side chains without a name in the source, by their lines, and how many have begun.
    sides: (BTreeMap<Cow<'a, str>, Arc<str>>, usize),
}

/// What one agent said and heard.
struct Chain<'a> {
    /// The name of a side chain; `None` for the main one.
    name: Option<Arc<str>>,
    model: Arc<str>,
    joiner: Joiner,
    /// The id of the answer that the last line was a part of.
    answer: Option<Arc<str>>,
    requests: Requests<'a>,
}

/// Whether the user says something, and it is no result of a tool.
fn is_request(content: &anthropic::Content) -> bool {
    match content {
        Blocks::Text(_) => true,
        Blocks::List(blocks) => blocks.iter().any(|it| it.words().is_some()),
    }
}

/// The requests of a user: after which line each came, and how many messages there were before it.
#[derive(Default)]
struct Requests<'a> {
    all: Vec<(Cow<'a, str>, usize)>,
    after: BTreeMap<Cow<'a, str>, usize>,
}

impl<'a> Requests<'a> {
    /// Takes the next one. If it comes in the place of an earlier one, the number of messages before that.
    fn take(&mut self, parent: Cow<'a, str>, count: usize) -> Option<usize> {
        let earlier = self.after.get(&parent).copied();
        let from = earlier.unwrap_or(count);
        while let Some((parent, _)) = self.all.pop_if(|(_, it)| *it >= from) {
            self.after.remove(&parent);
        }
        self.after.insert(parent.clone(), from);
        self.all.push((parent, from));
        earlier
    }
}

impl<'a> Session<'a> {
    fn take(&mut self, line: Line<'a>, place: &str) -> Result<(), BadLine> {
        let time = line.timestamp.map_or("", RawValue::get);
        if line.uuid.clone().is_some_and(|uuid| !self.lines.insert((uuid, time))) {
            return Ok(());
        }
        let side = (line.is_sidechain == Some(true)).then(|| self.side(&line));
        let Line {
            kind,
            message,
            session_id,
            is_meta,
            is_api_error_message,
            uuid,
            parent_uuid,
            timestamp,
            ..
        } = line;
        if !matches!(&*kind.0, "user" | "assistant") || is_api_error_message == Some(true) {
            return Ok(());
        }
        let Some(Object(Spoken { id, model, role, content, usage })) = message else { return Ok(()) };
        if let Some(Text(id)) = session_id
            && self.id.is_empty()
        {
            self.id = id;
        }
        let chain = self.chain(side);
        if let Some(parent) = parent_uuid.filter(|it| uuid.as_ref() != Some(it))
            && is_meta != Some(true)
            && role == Role::User
            && is_request(&content)
            && let Some(count) = chain.requests.take(parent, chain.joiner.count())
        {
            chain.joiner.rewind(count);
            chain.answer = None;
        }
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

    /// The name of a side chain: of its agent, or else of the chain of the line before it. A line that comes after none
    /// begins another.
    fn side(&mut self, line: &Line<'a>) -> Arc<str> {
        if let Some(agent) = &line.agent_id {
            return (&**agent).into();
        }
        let (names, begun) = &mut self.sides;
        let known = line.parent_uuid.as_ref().or(line.uuid.as_ref()).and_then(|it| names.get(it)).cloned();
        *begun += usize::from(known.is_none() && line.uuid.is_some() && line.parent_uuid.is_none());
        let name = || if *begun > 1 { format!("side-{begun}").into() } else { Arc::from("side") };
        let side = known.unwrap_or_else(name);
        names.extend(line.uuid.clone().map(|it| (it, side.clone())));
        side
    }

    fn chain(&mut self, name: Option<Arc<str>>) -> &mut Chain<'a> {
        let next = self.chains.len();
        let at = *self.names.entry(name.clone()).or_insert(next);
        if at == next {
            let (joiner, requests) = (Joiner::default(), Requests::default());
            self.chains.push(Chain { name, model: "".into(), joiner, answer: None, requests });
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
