//! How a run ends that did not reach its goal: what a person has to know, and what can be done (spec H1 to H6).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::note::Question;
use crate::note::{Choice, ChoiceKind, Note, Termination};

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

impl Conclusion {
    /// What the user is asked; nothing to ask where the run ends softly. A retry is among the options where it
    /// may still help.
    #[must_use]
    pub fn question(&self) -> Option<Question> {
        let gap = self.gap.as_ref()?;
        Some(Question { note: self.note.clone(), options: gap.options() })
    }

    /// What the user is told where nobody can answer: the same words, with the options as text.
    #[must_use]
    pub fn notice(&self) -> Note {
        let Some(gap) = &self.gap else { return self.note.clone() };
        let options: String = gap.options().iter().map(|it| format!("\n- {}", it.label)).collect();
        let text = format!("{}\n\nWhat can be done now:{options}", self.note.text);
        Note { text: text.into(), ..self.note.clone() }
    }
}

/// Something that the agent lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// What is lacking.
    pub kind: GapKind,
    /// What it is, as far as the transcript tells: the command, the path, the tool. Empty where nothing does.
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

impl Gap {
    /// Spec H2: try again with what there is, report it, stop.
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
