//! The line of the newest failure that says what failed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::failure::is_failure;
use balk_contract::wording::keep;
use balk_contract::{Origin, ToolCall, ToolResult};

/// Characters that are kept: as much as a message quotes.
const CHARS: usize = 160;

/// What the newest call that ran and failed said. A named cause moves more models than a count does
/// (`docs/reactions.md#what-a-correction-says`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LastError {
    tool: Option<Arc<str>>,
    line: String,
}

impl LastError {
    /// Of the results of one round, if this call failed.
    pub(super) fn of(call: &ToolCall, results: &[ToolResult]) -> Self {
        let mut last = Self::default();
        results.iter().filter(|it| it.call.key == call.key).for_each(|it| last.observe(it));
        last
    }

    /// Records a result.
    pub(super) fn observe(&mut self, result: &ToolResult) {
        if result.origin != Origin::Executed || !is_failure(result) {
            return;
        }
        let first = || result.text.lines().map(str::trim).find(|it| !it.is_empty());
        self.tool = Some(result.call.tool.clone());
        keep(&mut self.line, result.text.reading().line.or_else(first).unwrap_or_default(), CHARS);
    }

    /// What it said.
    pub(super) fn line(&self) -> Option<&str> {
        Some(&*self.line).filter(|line| !line.is_empty())
    }

    /// What a call of this tool said.
    pub(super) fn line_of(&self, tool: &str) -> Option<&str> {
        self.line().filter(|_| self.tool.as_deref() == Some(tool))
    }
}
