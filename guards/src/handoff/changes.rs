//! What a run changed, and what it may have changed.

use serde::{Deserialize, Serialize};

use super::lengths::NAME_CHARS;
use crate::change::Change;
use balk_contract::wording::keep;
use balk_contract::{Effect, Origin, ToolCall, ToolResult};

/// How many names are kept in each category.
const CHANGES: usize = 32;

/// Changes that were made, and changes that may have been made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Changes {
    pub(super) known: Acts,
    pub(super) lost: Acts,
    /// Calls without a known status.
    pub(super) unsaid: Acts,
    /// Whether a call ran whose effect is not declared.
    pub(super) undeclared: bool,
    /// Known and lost changes since the user last spoke.
    pub(super) of_request: u32,
}

/// Calls that change something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Acts {
    pub(super) calls: u32,
    /// The first paths, or the tool if a call names no path.
    pub(super) names: Vec<String>,
}

impl Changes {
    /// Folds one result.
    pub(super) fn observe(&mut self, result: &ToolResult) {
        let call = &result.call;
        match Change::of(result) {
            Change::Nothing => {}
            Change::Known => {
                self.known.add(call);
                self.of_request = self.of_request.saturating_add(1);
            }
            Change::Possible if result.origin == Origin::Missing => {
                self.lost.add(call);
                self.of_request = self.of_request.saturating_add(1);
            }
            Change::Possible if call.effect == Effect::Unknown => self.undeclared = true,
            Change::Possible => self.unsaid.add(call),
        }
    }
}

impl Acts {
    fn add(&mut self, call: &ToolCall) {
        self.calls = self.calls.saturating_add(1);
        if self.names.len() < CHANGES {
            let mut name = String::new();
            keep(&mut name, &call.path().unwrap_or_else(|| call.tool.to_string()), NAME_CHARS);
            if !self.names.contains(&name) {
                self.names.push(name);
            }
        }
    }
}
