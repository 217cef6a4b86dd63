//! What really happens in a turn. No guard can see it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Whether the actor of a scenario balks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The actor balks: guards should step in.
    Stubborn,
    /// The actor works: guards must stay silent.
    Control,
}

impl Kind {
    /// Its text in a record.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stubborn => "stubborn",
            Self::Control => "control",
        }
    }
}

/// Where a scenario comes from. Figures of different suites are never added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Suite {
    /// Written in this project, by the people who wrote the guards.
    Written,
    /// Written after reports of people outside this project. The guards are not tuned on it.
    Field,
    /// Drawn by the seed: a plan, a slip and a surface.
    Drawn,
    /// A file of the user.
    File,
}

impl Suite {
    /// All suites, in the order of a report.
    pub const ALL: [Self; 4] = [Self::Written, Self::Field, Self::Drawn, Self::File];

    /// Its text in a record.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Field => "field",
            Self::Drawn => "drawn",
            Self::File => "file",
        }
    }
}

/// What really happens in a turn or an attempt. A record has it as text, such as `productive` or `stuck: no-op`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Truth {
    /// The work makes progress.
    Productive,
    /// Waiting is the right thing to do.
    Waiting,
    /// The task is done.
    Finished,
    /// The work makes no progress, in this way.
    Stuck(Stuck),
    /// The provider failed, not the model.
    Faulted,
}

/// How the work is stuck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stuck {
    /// The same call again.
    IdenticalCall,
    /// A call or a text that differs from an earlier one in nothing that matters.
    NearDuplicate,
    /// Different calls, the same failure.
    SameFailure,
    /// Two or more steps, repeated.
    Cycle,
    /// Calls that succeed and change nothing.
    NoOp,
    /// Look-ups that return only what was already seen.
    Wandering,
    /// Code in text instead of a call.
    Fence,
    /// Prose instead of a call.
    TextOnly,
    /// The same words again, inside one message or in each.
    RepeatedText,
    /// Only thinking.
    ThinkingOnly,
    /// Nothing at all.
    Empty,
    /// Cut off, repeatedly.
    Truncated,
}

/// Text that is not the name of a truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadTruth {
    /// The text.
    pub found: String,
}

impl Truth {
    /// All values.
    pub const ALL: [Self; 16] = [
        Self::Productive,
        Self::Waiting,
        Self::Finished,
        Self::Stuck(Stuck::IdenticalCall),
        Self::Stuck(Stuck::NearDuplicate),
        Self::Stuck(Stuck::SameFailure),
        Self::Stuck(Stuck::Cycle),
        Self::Stuck(Stuck::NoOp),
        Self::Stuck(Stuck::Wandering),
        Self::Stuck(Stuck::Fence),
        Self::Stuck(Stuck::TextOnly),
        Self::Stuck(Stuck::RepeatedText),
        Self::Stuck(Stuck::ThinkingOnly),
        Self::Stuck(Stuck::Empty),
        Self::Stuck(Stuck::Truncated),
        Self::Faulted,
    ];

    /// Its text in a record.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Productive => "productive",
            Self::Waiting => "waiting",
            Self::Finished => "finished",
            Self::Stuck(Stuck::IdenticalCall) => "stuck: identical call",
            Self::Stuck(Stuck::NearDuplicate) => "stuck: near duplicate",
            Self::Stuck(Stuck::SameFailure) => "stuck: same failure",
            Self::Stuck(Stuck::Cycle) => "stuck: cycle",
            Self::Stuck(Stuck::NoOp) => "stuck: no-op",
            Self::Stuck(Stuck::Wandering) => "stuck: wandering",
            Self::Stuck(Stuck::Fence) => "stuck: fence",
            Self::Stuck(Stuck::TextOnly) => "stuck: text only",
            Self::Stuck(Stuck::RepeatedText) => "stuck: repeated text",
            Self::Stuck(Stuck::ThinkingOnly) => "stuck: thinking only",
            Self::Stuck(Stuck::Empty) => "stuck: empty",
            Self::Stuck(Stuck::Truncated) => "stuck: truncated",
            Self::Faulted => "faulted",
        }
    }

    /// Whether the model is stuck.
    #[must_use]
    pub const fn is_stuck(self) -> bool {
        matches!(self, Self::Stuck(_))
    }

    /// Whether help is needed from here on: the model is stuck, or the provider failed.
    #[must_use]
    pub const fn is_onset(self) -> bool {
        matches!(self, Self::Stuck(_) | Self::Faulted)
    }

    /// Whether the model works, waits or is done: a guard must stay silent.
    #[must_use]
    pub const fn is_healthy(self) -> bool {
        matches!(self, Self::Productive | Self::Waiting | Self::Finished)
    }
}

impl FromStr for Truth {
    type Err = BadTruth;

    fn from_str(text: &str) -> Result<Self, BadTruth> {
        Self::ALL.into_iter().find(|it| it.name() == text).ok_or_else(|| BadTruth { found: text.to_owned() })
    }
}

impl From<Truth> for String {
    fn from(it: Truth) -> Self {
        it.name().to_owned()
    }
}

impl TryFrom<String> for Truth {
    type Error = BadTruth;

    fn try_from(text: String) -> Result<Self, BadTruth> {
        text.parse()
    }
}

impl fmt::Display for BadTruth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected what goes on in a turn, found `{}`", self.found)
    }
}

impl std::error::Error for BadTruth {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_truth_is_read_back_from_its_name() {
        for truth in Truth::ALL {
            assert_eq!(truth.name().parse(), Ok(truth));
        }
        let error = "asleep".parse::<Truth>().expect_err("no truth");
        assert_eq!(error.to_string(), "expected what goes on in a turn, found `asleep`");
    }
}
