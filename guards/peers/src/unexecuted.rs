//! Whether a call that failed was executed at all.
//!
//! Some products count only calls that their tools could not execute: the tool does not exist, or its arguments are
//! not those of the tool. A transcript has no mark for that. It is told from the offer, from the arguments, and, where
//! a recording has neither, from the first line of the answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use balk_contract::key::Shape;
use balk_contract::{Offer, Origin, Status, ToolCall, ToolResult};

/// The tools on offer, with the arguments that they require.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Tools(Arc<BTreeMap<Arc<str>, Vec<Arc<str>>>>);

/// How a call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failed {
    /// There is no such tool, or its arguments could not be read: nothing was executed.
    Unread,
    /// The tool raised an error instead of answering.
    Raised,
}

impl Tools {
    pub(super) fn of(offer: &Offer) -> Self {
        let tools = offer.tools().iter();
        Self(Arc::new(tools.map(|it| (it.name.clone(), it.parameters.required().to_vec())).collect()))
    }

    /// Whether the tool is on offer; any is if the offer is not known.
    pub(super) fn has(&self, tool: &str) -> bool {
        self.0.is_empty() || self.0.contains_key(tool)
    }

    /// How the call failed, if it could not be executed.
    pub(super) fn failure(&self, result: &ToolResult) -> Option<Failed> {
        if result.origin != Origin::Executed || result.status == Status::Ok {
            return None;
        }
        if !self.has(&result.call.tool) || !self.has_arguments(&result.call) {
            return Some(Failed::Unread);
        }
        told(&result.text)
    }

    /// Whether the arguments are an object that has all required members.
    pub(super) fn has_arguments(&self, call: &ToolCall) -> bool {
        let required = self.0.get(&call.tool).map_or(&[][..], Vec::as_slice);
        if call.shape != Shape::Object || required.is_empty() {
            return call.shape == Shape::Object;
        }
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        required.iter().all(|name| arguments.get(&**name).is_some())
    }
}

/// What the answer says, in the words of the products and of our own worlds.
fn told(answer: &str) -> Option<Failed> {
    const UNREAD: [&str; 7] = [
        "unknown tool",
        "no such tool",
        "invalid arguments",
        "invalid tool arguments",
        "invalid tool parameters",
        "inputvalidationerror",
        "error validating tool ",
    ];
    const RAISED: &str = "error executing tool ";
    let line = answer.trim_start().lines().next().unwrap_or("").to_lowercase();
    let line = line.trim_start_matches("<tool_use_error>").trim_start_matches("error:").trim_start();
    let is_missing = line.starts_with("tool ") && line.contains(" not found");
    if is_missing || UNREAD.iter().any(|words| line.starts_with(words)) {
        return Some(Failed::Unread);
    }
    line.starts_with(RAISED).then_some(Failed::Raised)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_tells() {
        assert_eq!(told("error: unknown tool files.read"), Some(Failed::Unread));
        assert_eq!(told("Tool 'bsh' not found. Available: ['bash']"), Some(Failed::Unread));
        assert_eq!(told("Error validating tool 'edit': 1 validation error"), Some(Failed::Unread));
        assert_eq!(told("Error executing tool 'edit': path is a folder"), Some(Failed::Raised));
        for ran in ["error: file not found", "ls: invalid option -- z", "exit 1\nunknown tool", ""] {
            assert_eq!(told(ran), None, "{ran}");
        }
    }
}
