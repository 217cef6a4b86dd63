//! What writes left behind, as far as it can be known: the states of files, as hashes.
//!
//! A tool that writes whole files leaves the content in its call. An edit leaves a new state, unless it reverts the
//! last edit by replacing the inserted text with the original. Commands change files too, but invisibly; the states
//! of a file are those that its writes alone would leave.

use serde::{Deserialize, Serialize};

use balk_contract::key::PathKey;
use balk_contract::{Effect, ToolCall};

/// How many files are tracked, and how many states of each; the oldest are forgotten first.
const FILES: usize = 8;
const STATES: usize = 16;

/// The states of the last written files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Workspace {
    files: Vec<File>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct File {
    /// Its path, as a hash.
    path: u64,
    /// Its states, newest last. The state after an edit is a hash of the state before and the edit.
    states: Vec<FileState>,
    /// Writes in a row that brought it back to an earlier state.
    returns: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FileState {
    hash: u64,
    /// The hash of the edit that would revert this one.
    undo: Option<u64>,
}

/// A write that leaves a file in an earlier state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Return {
    /// How many such writes of this file came directly before.
    pub(super) before: u32,
    /// Whether the file is already in this state.
    pub(super) is_idle: bool,
}

impl Workspace {
    /// The return that this write would be, if it is one.
    pub(super) fn returns(&self, call: &ToolCall) -> Option<Return> {
        let file = self.file(call)?;
        let next = file.after(call);
        let at = file.states.iter().position(|it| it.hash == next)?;
        Some(Return { before: file.returns, is_idle: at + 1 == file.states.len() })
    }

    /// Records a call that did not fail. False for a write that brings a file back to an earlier state.
    pub(super) fn wrote(&mut self, call: &ToolCall) -> bool {
        let Some(path) = path(call) else { return true };
        let at = self.files.iter().position(|it| it.path == path);
        // The file that was written last comes last.
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
            file.states.push(FileState { hash: 0, undo: None });
        }
        let next = file.after(call);
        let known = file.states.iter().position(|it| it.hash == next);
        file.returns = if known.is_some() { file.returns.saturating_add(1) } else { 0 };
        // A state that recurs becomes the newest.
        if let Some(at) = known {
            file.states.remove(at);
        } else if file.states.len() > STATES {
            file.states.remove(0);
        }
        file.states.push(FileState { hash: next, undo: edit(call).map(|it| it.undo) });
        self.files.push(file);
        known.is_none()
    }

    /// There was other progress: the next writes have a new reason.
    pub(super) fn moved(&mut self) {
        for file in &mut self.files {
            file.returns = 0;
        }
    }

    fn file(&self, call: &ToolCall) -> Option<&File> {
        let path = path(call)?;
        self.files.iter().find(|it| it.path == path)
    }
}

impl File {
    /// The state after this write.
    fn after(&self, call: &ToolCall) -> u64 {
        if call.effect == Effect::IdempotentWrite {
            return call.key.folded();
        }
        let edit = edit(call);
        let change = edit.as_ref().map_or(call.key.folded(), |it| it.forth);
        let mut latest = self.states.iter().rev();
        match (latest.next(), latest.next()) {
            (Some(FileState { undo: Some(undo), .. }), Some(before)) if edit.is_some() && *undo == change => {
                before.hash
            }
            (Some(now), _) => mixed(now.hash, change),
            (None, _) => change,
        }
    }
}

/// An edit: its own hash, and that of the edit that reverts it.
struct Edit {
    forth: u64,
    undo: u64,
}

/// The file that a call is known to write, as a hash.
fn path(call: &ToolCall) -> Option<u64> {
    match call.effect {
        Effect::IdempotentWrite | Effect::Write => call.path_key().map(PathKey::folded),
        Effect::ReadOnly | Effect::External | Effect::Unknown => None,
    }
}

/// The names that shipped agents use for the replaced text of an edit and for its replacement.
const EDITS: [(&str, &str); 8] = [
    ("old_string", "new_string"),
    ("oldString", "newString"),
    ("old_str", "new_str"),
    ("old_text", "new_text"),
    ("old", "new"),
    ("search", "replace"),
    ("find", "replace"),
    ("before", "after"),
];

/// The call as an edit that replaces one text by another. `None` for whole files and insertions.
fn edit(call: &ToolCall) -> Option<Edit> {
    if call.effect == Effect::IdempotentWrite {
        return None;
    }
    let text = |name| call.members.get(name).map(|it| (it ^ (it >> 64)) as u64);
    let (old, new) = EDITS.iter().find_map(|(old, new)| text(old).zip(text(new)))?;
    Some(Edit { forth: mixed(old, new), undo: mixed(new, old) })
}

/// A hash of two values, in order.
fn mixed(one: u64, other: u64) -> u64 {
    let bytes = [one.to_le_bytes(), other.to_le_bytes()];
    xxhash_rust::xxh3::xxh3_64(bytes.as_flattened())
}
