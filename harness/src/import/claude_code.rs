//! Sessions of Claude Code: a line each for what was said, in `~/.claude/projects/FOLDER/SESSION.jsonl`, or the
//! `loglines` of an exported session.
//!
//! An answer is written as one line a block, with the same message id; these lines become one answer. Side chains are
//! transcripts of other agents: each is one of its own. Lines that the program writes for itself (summaries, snapshots,
//! progress, errors of the API) are passed over; what it says in the user's place (`isMeta`) is a message of the user,
//! since the model cannot tell. So is what the user said while the agent worked (an attachment, `queued_command`).
//!
//! Each line names the one before it (`parentUuid`; after a compaction, `logicalParentUuid`). A user who goes back
//! begins again after an earlier line, or without one at the start: what [counts](Lineage) is what the last line came
//! after. Where lines share a name, the file's order is that of the lines. A branch of a session may have lines of the
//! other one again.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::anthropic::{self, Message, Role};
use super::bad::BadLine;
use super::content::{Blocks, Text, Word};
use super::lineage::{After, Kind, Lineage};
use super::parse::{parse, value};
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
    is_compact_summary: Option<bool>,
    is_api_error_message: Option<bool>,
    #[serde(borrow)]
    agent_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    uuid: Option<Cow<'a, str>>,
    #[serde(borrow)]
    parent_uuid: Option<Cow<'a, str>>,
    #[serde(borrow)]
    logical_parent_uuid: Option<Cow<'a, str>>,
    #[serde(borrow)]
    attachment: Option<&'a RawValue>,
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
    content: &'a RawValue,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

/// What the program adds to a conversation. Its other members depend on its type.
#[derive(Deserialize)]
struct Attached<'a> {
    #[serde(rename = "type", borrow)]
    kind: Word<'a>,
    #[serde(borrow)]
    prompt: Option<&'a RawValue>,
}

/// Reads the lines of one session.
///
/// # Errors
/// None: a line that cannot be used is reported, and the rest is read.
pub(super) fn session(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let mut session = Session::default();
    for (number, line) in (0..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        if let Err(bad) = parse(line).and_then(|line| session.push(number, line)) {
            session.bad.push((number, bad));
        }
    }
    let (recordings, mut bad) = session.finish(|_| "line".to_owned());
    bad.sort_by_key(|(number, _)| *number);
    bad.into_iter().for_each(|(number, bad)| sink.bad(number, bad));
    recordings.into_iter().for_each(|it| sink.recording(it));
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
    for (at, Object(line)) in (0..).zip(loglines) {
        session.push(at, line).map_err(|bad| bad.below(&format!("loglines[{at}]")))?;
    }
    let (recordings, bad) = session.finish(|at| format!("loglines[{at}]"));
    if let Some((_, bad)) = bad.into_iter().min_by_key(|(at, _)| *at) {
        return Err(bad);
    }
    recordings.into_iter().for_each(|it| sink.recording(it));
    Ok(())
}

/// The chains of a session.
#[derive(Default)]
struct Session<'a> {
    id: Arc<str>,
    /// By the name of a side chain; `None` is the main one.
    chains: BTreeMap<Option<Arc<str>>, Chain<'a>>,
    /// The lines so far, each with its time and its content: in a log without names, all may have the same one.
    lines: BTreeSet<(Cow<'a, str>, &'a str, &'a str)>,
    /// The side chains without a name in the source, by their lines, and how many have begun.
    sides: (BTreeMap<Cow<'a, str>, Arc<str>>, usize),
    bad: Vec<(u64, BadLine)>,
}

/// The lines of one agent.
#[derive(Default)]
struct Chain<'a> {
    lineage: Lineage<'a>,
    /// What each line of the lineage says, unless it is nothing that a model saw.
    lines: Vec<Option<Said<'a>>>,
}

/// What a line says.
struct Said<'a> {
    number: u64,
    id: Option<Cow<'a, str>>,
    model: Option<Text>,
    role: Role,
    content: anthropic::Content<'a>,
    time: Option<&'a RawValue>,
    usage: Option<&'a RawValue>,
}

impl<'a> Session<'a> {
    /// Takes the line with this number, unless it was there before.
    fn push(&mut self, number: u64, mut line: Line<'a>) -> Result<(), BadLine> {
        let text = |value: Option<&'a RawValue>| value.map_or("", RawValue::get);
        let content = line.message.as_ref().map(|Object(it)| it.content).or(line.attachment);
        if let Some(uuid) = line.uuid.clone()
            && !self.lines.insert((uuid, text(line.timestamp), text(content)))
        {
            return Ok(());
        }
        let side = (line.is_sidechain == Some(true)).then(|| self.side(&line));
        let said = line.said(number)?;
        if said.is_some()
            && self.id.is_empty()
            && let Some(Text(id)) = line.session_id.take()
        {
            self.id = id;
        }
        let kind = said.as_ref().map_or(Kind::Aside, |said| line.kind(said));
        let is_main = side.is_none();
        let Line { uuid, parent_uuid, logical_parent_uuid, .. } = line;
        let after = match parent_uuid.or(logical_parent_uuid) {
            Some(parent) if uuid.as_ref() != Some(&parent) => After::Line(parent),
            None if is_main && uuid.is_some() && kind == Kind::Request => After::Start,
            Some(_) | None => After::Unknown,
        };
        let chain = self.chains.entry(side).or_default();
        chain.lineage.push(uuid, after, kind);
        chain.lines.push(said);
        Ok(())
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

    /// The transcripts, in the order of their first line, and what cannot be used; `place` says where a line is.
    fn finish(self, place: impl Fn(u64) -> String) -> (Vec<Recording>, Vec<(u64, BadLine)>) {
        let Self { id, chains, mut bad, .. } = self;
        let mut found = Vec::new();
        for (name, chain) in chains {
            let first = chain.lines.iter().flatten().map(|said| said.number).next();
            let id = name.map_or_else(|| id.clone(), |name| format!("{id}/{name}").into());
            found.extend(first.map(|first| (first, chain.recording(id, &place, &mut bad))));
        }
        found.sort_by_key(|(first, _)| *first);
        (found.into_iter().map(|(_, recording)| recording).collect(), bad)
    }
}

impl<'a> Line<'a> {
    /// What it says to a model, or a model says.
    fn said(&mut self, number: u64) -> Result<Option<Said<'a>>, BadLine> {
        let time = self.timestamp;
        match (&*self.kind.0, self.message.take(), self.attachment) {
            ("user" | "assistant", Some(Object(spoken)), _) if self.is_api_error_message != Some(true) => {
                let Spoken { id, model, role, content, usage } = spoken;
                let content = value(content.get()).map_err(|bad| bad.below("message.content"))?;
                Ok(Some(Said { number, id, model, role, content, time, usage }))
            }
            ("attachment", _, Some(attached)) => {
                let Ok(Object(Attached { kind, prompt: Some(prompt) })) =
                    serde_json::from_str(attached.get())
                else {
                    return Ok(None);
                };
                if kind.0 != "queued_command" {
                    return Ok(None);
                }
                let content = value(prompt.get()).map_err(|bad| bad.below("attachment.prompt"))?;
                Ok(Some(Said { number, id: None, model: None, role: Role::User, content, time, usage: None }))
            }
            _ => Ok(None),
        }
    }

    fn kind(&self, said: &Said) -> Kind {
        let is_own =
            self.kind.0 == "attachment" || [self.is_meta, self.is_compact_summary].contains(&Some(true));
        let is_result = match &said.content {
            Blocks::Text(_) => false,
            Blocks::List(blocks) => blocks.iter().any(anthropic::Block::is_result),
        };
        match said.role {
            Role::Assistant => Kind::Answer,
            Role::User if is_result => Kind::Result,
            Role::User if !is_own => Kind::Request,
            Role::User | Role::System => Kind::Aside,
        }
    }
}

impl Chain<'_> {
    /// What the agent said and heard.
    fn recording(
        self,
        id: Arc<str>,
        place: impl Fn(u64) -> String,
        bad: &mut Vec<(u64, BadLine)>,
    ) -> Recording {
        let mut told = Told::default();
        let counting = self.lineage.counting();
        for said in self.lines.into_iter().zip(counting).filter_map(|(said, counts)| said.filter(|_| counts))
        {
            let number = said.number;
            let taken = told.take(said, |block| format!("{}.message.content{block}", place(number)));
            bad.extend(taken.err().map(|it| (number, it)));
        }
        let Told { joiner, model, .. } = told;
        joiner.into(Recording { id, model, ..Recording::default() })
    }
}

/// What was said so far in a chain.
#[derive(Default)]
struct Told {
    joiner: Joiner,
    model: Arc<str>,
    /// The id of the answer that the last line was a part of.
    answer: Option<Arc<str>>,
}

impl Told {
    fn take(&mut self, said: Said, place: impl Fn(&str) -> String) -> Result<(), BadLine> {
        let Said { id, model, role, content, time, usage, .. } = said;
        self.joiner.at(spent::moment(time));
        match role {
            Role::Assistant => {
                let (thinking, text, calls) = anthropic::said(content, place)?;
                if let Some(Text(model)) = model
                    // What the program says in the model's place.
                    && &*model != "<synthetic>"
                {
                    self.model = model;
                }
                if id.is_some() && self.answer.as_deref() == id.as_deref() {
                    self.joiner.more(thinking, text, calls);
                } else {
                    self.joiner.assistant(thinking, text, calls);
                    self.answer = id.map(Arc::from);
                }
                self.joiner.used(spent::usage(usage));
                Ok(())
            }
            Role::User | Role::System => anthropic::take(&mut self.joiner, Message { role, content }, place),
        }
    }
}
