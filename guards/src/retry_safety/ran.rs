//! The calls of a broken attempt that ran and may have changed something, by tool.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use balk_contract::{Effect, Origin, Status, ToolResult};

/// How many tools are remembered; no recorded completion calls more that change things.
const TOOLS: usize = 8;

/// The outcome for each tool, in the order of the first call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ran(Vec<(Arc<str>, Outcome)>);

/// The outcome of a call, least certain last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Outcome {
    Failed,
    Worked,
    /// It answered, without a known status.
    Unsaid,
    /// It began, and its answer is lost.
    Lost,
}

impl Outcome {
    /// The outcome of a call; `None` if it did not run.
    pub(super) const fn of(result: &ToolResult) -> Option<Self> {
        match (result.origin, result.status) {
            (Origin::Synthetic, _) => None,
            (Origin::Missing, _) => Some(Self::Lost),
            (Origin::Executed, Status::Ok) => Some(Self::Worked),
            (Origin::Executed, Status::Error) => Some(Self::Failed),
            (Origin::Executed, Status::Unknown) => Some(Self::Unsaid),
        }
    }

    /// The text after the name of the tool.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Worked => "worked",
            Self::Unsaid => "answered, but it is not known whether it worked",
            Self::Lost => "its result was lost",
        }
    }
}

impl Ran {
    pub(super) fn of(results: &[ToolResult]) -> Self {
        let mut ran = Self::default();
        for result in results {
            ran.add(result);
        }
        ran
    }

    /// Adds one result. For several calls of a tool, the least certain outcome counts.
    pub(super) fn add(&mut self, result: &ToolResult) {
        let Some(outcome) = Outcome::of(result) else { return };
        if result.call.effect == Effect::ReadOnly {
            return;
        }
        let tool = &result.call.tool;
        if let Some((_, before)) = self.0.iter_mut().find(|(name, _)| name == tool) {
            *before = outcome.max(*before);
        } else if self.0.len() < TOOLS {
            self.0.push((tool.clone(), outcome));
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(Arc<str>, Outcome)> {
        self.0.iter()
    }

    pub(super) fn outcome_of(&self, tool: &str) -> Option<Outcome> {
        self.iter().find(|(name, _)| **name == *tool).map(|&(_, outcome)| outcome)
    }
}
