//! What the model owes: the tries of each tool that came to nothing, and what the user was told about them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use balk_contract::key::CallKey;
use balk_contract::wording::{excerpt, first_line};
use balk_contract::{Completion, Effect, ToolCall, ToolResult};

use super::around::heading;
use super::written::{Likeness, Written};
use crate::fence::{self, Fence};

/// Tools whose failures are tracked; an agent in which more tools fail at once has another problem.
const TOOLS: usize = 32;
/// File names listed for the user, and the maximum length of each.
pub(super) const FILES: usize = 8;
const FILE_CHARS: usize = 200;
const ERROR_CHARS: usize = 300;

/// The runs of failures of all tools that change things.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Runs(Vec<Run>);

/// The failures in a row of one tool (spec A1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Run {
    pub(super) tool: Arc<str>,
    /// Whether the tool only seems to write: its effect is not declared.
    pub(super) inferred: bool,
    pub(super) failures: u32,
    /// Its calls that guards refused since the first failure.
    pub(super) refused: u32,
    /// The messages without a call since then that show one of its files in a fence.
    pub(super) shown: u32,
    /// The position of the last failure.
    failed_at: u64,
    /// Whether a later call may have done what this tool failed to do.
    made_up_for: bool,
    /// How often the user was told since then.
    pub(super) told: u32,
    last_key: CallKey,
    pub(super) last_error: String,
    pub(super) files: Vec<String>,
    /// What its failed calls were to write.
    written: Written,
    /// The position of the first message since the last failure that told the user so beside the code.
    pub(super) explained_at: Option<u64>,
}

impl Runs {
    /// The tool that was given up, if there is one: among the tools of which enough tries came to nothing, with
    /// nothing changed since, the one that failed last. What a guard refused was a try all the same (spec A3), and so
    /// is each message after the first that shows a file of the failed calls in their place.
    pub(super) fn debt(&self, tries: u32) -> Option<&Run> {
        let owed = self.0.iter().filter(|run| !run.made_up_for && run.tries() >= tries);
        owed.max_by_key(|run| run.failed_at)
    }

    /// Whether a tool failed, and nothing has made up for it.
    pub(super) fn is_open(&self) -> bool {
        self.0.iter().any(|run| !run.made_up_for)
    }

    /// Records a failure; false if it repeats the failed call before it.
    pub(super) fn failed(&mut self, result: &ToolResult, inferred: bool, position: u64) -> bool {
        let at = self.place_of(&result.call.tool).unwrap_or_else(|| {
            if self.0.len() >= TOOLS {
                let oldest = (0..TOOLS).min_by_key(|&at| self.0[at].failed_at).unwrap_or(0);
                self.0.swap_remove(oldest);
            }
            self.0.push(Run::new(&result.call, inferred));
            self.0.len() - 1
        });
        self.0[at].failed(result, position)
    }

    /// Records a call that was refused. A refusal before any failure says nothing about the tool.
    pub(super) fn refused(&mut self, call: &ToolCall) {
        if let Some(at) = self.place_of(&call.tool) {
            self.0[at].refused = self.0[at].refused.saturating_add(1);
        }
    }

    /// Records a call that did not fail.
    pub(super) fn done(&mut self, result: &ToolResult) {
        let call = &result.call;
        if let Some(at) = self.place_of(&call.tool) {
            // A tool that only seems to write may read as well: to view a file is no success of writing it.
            if self.0[at].inferred && !call.seems_to_write(&result.text) {
                return;
            }
            self.0.swap_remove(at);
        }
        for run in &mut self.0 {
            if run.may_be_done_by(call) {
                run.made_up_for = true;
                run.told = 0;
            }
        }
    }

    /// Records a message, if it calls nothing and shows a file in a fence.
    pub(super) fn shown(&mut self, message: &Completion) {
        if !message.calls.is_empty() || message.texts().all(|text| fence::fences(text).next().is_none()) {
            return;
        }
        for run in self.0.iter_mut().filter(|run| !run.made_up_for) {
            let shows_file = message.texts().any(|text| {
                let names_file = run.names_file(text);
                fence::fences(text).any(|it| run.shows(text, names_file, &it, false))
            });
            run.shown = run.shown.saturating_add(u32::from(shows_file));
        }
    }

    /// Records that the user was told about this tool.
    pub(super) fn told(&mut self, tool: &str) {
        if let Some(at) = self.place_of(tool) {
            self.0[at].told = self.0[at].told.saturating_add(1);
        }
    }

    /// Records that the model told the user what this tool could not do.
    pub(super) fn explained(&mut self, tool: &str, position: u64) {
        if let Some(at) = self.place_of(tool) {
            self.0[at].explained_at = Some(position);
        }
    }

    fn place_of(&self, tool: &str) -> Option<usize> {
        self.0.iter().position(|run| *run.tool == *tool)
    }
}

impl Run {
    fn new(call: &ToolCall, inferred: bool) -> Self {
        Self {
            tool: call.tool.clone(),
            inferred,
            failures: 0,
            refused: 0,
            shown: 0,
            failed_at: 0,
            made_up_for: false,
            told: 0,
            last_key: call.key,
            last_error: String::new(),
            files: Vec::new(),
            written: Written::default(),
            explained_at: None,
        }
    }

    fn failed(&mut self, result: &ToolResult, position: u64) -> bool {
        let is_new = self.failures == 0 || self.last_key != result.call.key;
        self.failures = self.failures.saturating_add(1);
        self.failed_at = position;
        self.made_up_for = false;
        self.explained_at = None;
        self.last_key = result.call.key;
        self.last_error = first_line(&result.text, ERROR_CHARS);
        self.written.add(&result.call);
        if self.files.len() < FILES
            && let Some(path) = result.call.path()
        {
            let path = excerpt(&path, FILE_CHARS);
            if !self.files.contains(&path) {
                self.files.push(path);
            }
        }
        is_new
    }

    /// What came to nothing. The first message that shows a file may explain the failures, and one failure alone is
    /// none that a model gives up at.
    fn tries(&self) -> u32 {
        let calls = self.failures.saturating_add(self.refused);
        if calls < 2 { calls } else { calls.saturating_add(self.shown.saturating_sub(1)) }
    }

    /// Whether a fence of a text shows what the failed calls were to write: by its language, if that counts, or because
    /// the text names the file. Where it shares no line with them and is much shorter, it is other code (a look at the
    /// rights of a folder), unless a counted one is headed by the file's name: that is the file in other words.
    pub(super) fn shows(&self, text: &str, names_file: bool, fence: &Fence<'_>, counts: bool) -> bool {
        match self.written.likeness(fence.body) {
            Likeness::Shared | Likeness::Open => counts || names_file,
            Likeness::Other => counts && names_file && self.names_file(heading(text, fence)),
        }
    }

    /// Whether a text names a file of the failed calls.
    pub(super) fn names_file(&self, text: &str) -> bool {
        self.files.iter().map(|path| name(path)).any(|name| !name.is_empty() && text.contains(name))
    }

    /// Whether a call that did not fail may have done what this tool failed to do.
    fn may_be_done_by(&self, call: &ToolCall) -> bool {
        match call.effect {
            Effect::ReadOnly => false,
            Effect::IdempotentWrite | Effect::Write | Effect::External => true,
            Effect::Unknown => self.files.is_empty() || self.names_file(&call.arguments),
        }
    }
}

/// The name of a file, without its folder.
fn name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
