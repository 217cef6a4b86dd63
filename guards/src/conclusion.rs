//! How a run ends that did not reach its goal: what a person has to know, and what can be done (spec H).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::entry::{Note, Termination};

/// What a guard makes of the end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conclusion {
    /// The end that was coming.
    pub end: Termination,
    /// What the user is told.
    pub note: Note,
    /// What is in the way; none where the run ends softly, with its changes kept and said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<Gap>,
}

/// Something that the agent lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// What is lacking.
    pub kind: GapKind,
    /// What it is, as far as the transcript tells: the command, the path, the tool.
    pub missing: Arc<str>,
    /// What was tried, in the order of the first call.
    pub tried: Vec<Tried>,
    /// Why that does not work, in one or two calm sentences.
    pub explanation: Arc<str>,
    /// What a person could do about it.
    pub could_do: Vec<Arc<str>>,
    /// How to go on afterwards.
    pub resume: Arc<str>,
    /// What the model is told where the user wants it tried again with what there is; none where that was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraint: Option<Note>,
}

/// What an agent can lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GapKind {
    /// No tool can do it.
    MissingCapability,
    /// A file, a folder or another input is not there.
    MissingInput,
    /// The model cannot write the call (spec H6).
    MalformedCall,
    /// Everything is there, and nothing moves.
    NoProgress,
}

/// What was tried with one tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    /// The tool.
    pub tool: Arc<str>,
    /// Calls.
    pub calls: u32,
    /// Of these, failed.
    pub failures: u32,
    /// The last error; none where a later call of the tool succeeded (spec H6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<Arc<str>>,
}

impl Conclusion {
    /// Temporary.
    #[must_use]
    pub fn question(&self) -> Option<crate::guard::Question> {
        None
    }

    /// Temporary.
    #[must_use]
    pub fn notice(&self) -> Note {
        self.note.clone()
    }
}
