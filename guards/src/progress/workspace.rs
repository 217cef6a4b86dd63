//! What writes left behind, where that can be known: the states that files were in, as hashes.
//!
//! A tool that writes whole files leaves what the call says. An edit leaves a new state, but for the one that
//! takes the last edit back: the same arguments, with two of them exchanged. Commands change files too, and
//! nobody sees how; the states of a file are those that its writes alone would leave.

use serde::{Deserialize, Serialize};

use crate::completion::ToolCall;
use crate::key::Members;
use crate::offer::Effect;

/// How many files are followed, and how many states of each; those of longest ago are forgotten first.
const FILES: usize = 8;
const STATES: usize = 16;

/// The states of the last files that were written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Workspace {
    files: Vec<File>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct File {
    /// Its path, as a hash.
    path: u64,
    /// The states that it was in, the newest last; an edit is followed by the members that made it.
    states: Vec<State>,
    /// Writes in a row that brought it back to where it was before.
    returns: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    hash: u64,
    /// What an edit that takes this one back is like.
    undo: Option<u64>,
}

/// A write that leaves a file in a state that it was in before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Return {
    /// How many such writes of this file, in a row, went before.
    pub(super) before: u32,
    /// Whether the file is in this state already.
    pub(super) is_idle: bool,
}

impl Workspace {
    /// What this write would bring back, if that is nothing new.
    pub(super) fn returns(&self, call: &ToolCall) -> Option<Return> {
        let file = self.file(call)?;
        let next = file.after(call);
        let at = file.states.iter().position(|it| it.hash == next)?;
        Some(Return { before: file.returns, is_idle: at + 1 == file.states.len() })
    }

    /// Takes up a write that did not fail.
    pub(super) fn wrote(&mut self, call: &ToolCall) {
        let Some(path) = path(call) else { return };
        let at = self.files.iter().position(|it| it.path == path);
        // The file that was written last is the last.
        let mut file = match at {
            Some(at) => self.files.remove(at),
            None if self.files.len() < FILES => {
                File { path, states: Vec::with_capacity(STATES + 1), returns: 0 }
            }
            None => {
                let mut oldest = self.files.remove(0);
                (oldest.path, oldest.returns) = (path, 0);
                oldest.states.clear();
                oldest
            }
        };
        if file.states.is_empty() {
            file.states.push(State { hash: 0, undo: None });
        }
        let next = file.after(call);
        let known = file.states.iter().position(|it| it.hash == next);
        file.returns = if known.is_some() { file.returns.saturating_add(1) } else { 0 };
        // A state that comes back is the newest again.
        if let Some(at) = known {
            file.states.remove(at);
        } else if file.states.len() > STATES {
            file.states.remove(0);
        }
        file.states.push(State { hash: next, undo: edit(call).map(|it| it.undo) });
        self.files.push(file);
    }

    fn file(&self, call: &ToolCall) -> Option<&File> {
        let path = path(call)?;
        self.files.iter().find(|it| it.path == path)
    }
}

impl File {
    /// The state after this write.
    fn after(&self, call: &ToolCall) -> u64 {
        let Some(edit) = edit(call) else { return call.key.folded() };
        let mut latest = self.states.iter().rev();
        match (latest.next(), latest.next()) {
            (Some(State { undo: Some(undo), .. }), Some(before)) if *undo == edit.forth => before.hash,
            (Some(now), _) => mixed(now.hash, call.key.folded()),
            (None, _) => call.key.folded(),
        }
    }
}

/// An edit: what it does, and what the edit that takes it back does.
struct Edit {
    forth: u64,
    undo: u64,
}

/// The file that a call is known to write.
fn path(call: &ToolCall) -> Option<u64> {
    match call.effect {
        Effect::IdempotentWrite | Effect::Write => call.path_digest().map(|it| (it ^ (it >> 64)) as u64),
        Effect::ReadOnly | Effect::External | Effect::Unknown => None,
    }
}

/// The call as an edit: one that replaces one text by another. None for whole files.
fn edit(call: &ToolCall) -> Option<Edit> {
    if call.effect == Effect::IdempotentWrite {
        return None;
    }
    let path = call.path_digest();
    let mut texts = call.members.iter().filter(|(_, value)| Some(*value) != path && Members::is_text(*value));
    let ((_, one), (_, other)) = (texts.next()?, texts.next()?);
    if texts.next().is_some() {
        return None;
    }
    let order =
        |first: u128, second: u128| mixed((first ^ (first >> 64)) as u64, (second ^ (second >> 64)) as u64);
    Some(Edit { forth: order(one, other), undo: order(other, one) })
}

/// A hash of two, where the order counts.
fn mixed(one: u64, other: u64) -> u64 {
    let bytes = [one.to_le_bytes(), other.to_le_bytes()];
    xxhash_rust::xxh3::xxh3_64(bytes.as_flattened())
}
