//! How a run ends that did not reach its goal: what a person has to know, and what they can do (spec H1 to H6).

use std::sync::Arc;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use crate::note::Question;
use crate::note::{Choice, ChoiceKind, Note, Termination};

/// A guard's explanation of the end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Conclusion {
    /// The end that the run is about to reach.
    pub end: Termination,
    /// What the user is told.
    pub note: Note,
    /// The obstacle. `None` for a soft end: the changes are kept and reported.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub gap: Option<Gap>,
}

impl Conclusion {
    /// The question for the user; `None` for a soft end. The options include a retry if it may still help.
    #[must_use]
    pub fn question(&self) -> Option<Question> {
        let gap = self.gap.as_ref()?;
        Some(Question { note: self.note.clone(), options: gap.options() })
    }

    /// The notice for a run in which nobody can answer: the same words, with the options as text.
    #[must_use]
    pub fn notice(&self) -> Note {
        let Some(gap) = &self.gap else { return self.note.clone() };
        let options: String = gap.options().iter().map(|it| format!("\n- {}", it.label)).collect();
        let text = format!("{}\n\nWhat can be done now:{options}", self.note.text);
        Note { text: text.into(), ..self.note.clone() }
    }
}

/// Something that the agent lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Gap {
    /// What is lacking.
    pub kind: GapKind,
    /// What it is, as far as the transcript tells: the command, the path, the tool. Empty if it tells nothing.
    pub missing: Arc<str>,
    /// What was tried, in the order of the first call.
    pub tried: Vec<Tried>,
    /// Why that does not work, in one or two calm sentences.
    pub explanation: Arc<str>,
    /// What a person could do about it.
    pub could_do: Vec<Arc<str>>,
    /// How to continue afterwards.
    pub resume: Arc<str>,
    /// What the model is told if the user wants it to try again with the existing tools; `None` if that was already
    /// tried.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub constraint: Option<Note>,
}

impl Gap {
    /// Spec H2: try again with the existing tools, report it, stop.
    fn options(&self) -> Vec<Choice> {
        let constrain = Choice {
            kind: ChoiceKind::Constrain,
            label: "try again with only the capabilities that exist".into(),
        };
        let report = Choice { kind: ChoiceKind::Report, label: "report it, and end the run".into() };
        let constrain = self.constraint.is_some().then_some(constrain);
        constrain.into_iter().chain([report, Choice::stop()]).collect()
    }
}

/// What an agent can lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum GapKind {
    /// No tool can do the task.
    MissingCapability,
    /// A file, a folder or another input is missing.
    MissingInput,
    /// The model cannot write the call (spec H6).
    MalformedCall,
    /// Nothing is missing, and the run makes no progress.
    NoProgress,
}

impl GapKind {
    /// The kind as records and rules spell it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MissingCapability => "missing-capability",
            Self::MissingInput => "missing-input",
            Self::MalformedCall => "malformed-call",
            Self::NoProgress => "no-progress",
        }
    }
}

/// What was tried with one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Tried {
    /// The tool.
    pub tool: Arc<str>,
    /// Calls.
    pub calls: u32,
    /// How many of them failed.
    pub failures: u32,
    /// The last error; `None` if a later call of the tool succeeded (spec H6).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub last_error: Option<Arc<str>>,
}
