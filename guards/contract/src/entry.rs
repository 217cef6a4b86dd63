//! The transcript: everything that happened, in order.

use std::sync::Arc;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use crate::attempt::{FailedAttempt, LOST};
use crate::completion::{Completion, ToolCall};
use crate::conclusion::Conclusion;
use crate::identity::ResultText;
use crate::note::{Choice, ChoiceKind, Note, Question, Termination};
use crate::offer::Offer;

/// Everything that happened in a run, in the order in which it was committed. The first entry is
/// [`Entry::Start`].
pub type Transcript = Vec<Entry>;

/// One committed item of a transcript. Guards fold these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The run begins.
    Start(Start),
    /// A message in the user's role, from the user or from the loop.
    User(UserMessage),
    /// The model answered.
    Completion(Arc<Completion>),
    /// One attempt to get an answer failed.
    Failed(FailedAttempt),
    /// A tool ran and is about to run again. The view does not show it.
    Tried(ToolResult),
    /// The one answer to a call.
    Result(ToolResult),
    /// A guard stepped in.
    Intervention(Intervention),
    /// The user answered a question.
    Answer(UserAnswer),
    /// The view was cut down to a summary.
    Compaction(Compaction),
    /// The run is about to end without reaching its goal, and a guard explained it.
    Conclusion(Arc<Conclusion>),
    /// The run ended.
    End(Termination),
}

impl Entry {
    /// The text for the user: a notice, or why a guard ended the run. Questions are put to the user separately; all
    /// other texts are for the model alone.
    #[must_use]
    pub fn notice(&self) -> Option<&Arc<str>> {
        match self {
            Self::Intervention(Intervention {
                kind: InterventionKind::Notice | InterventionKind::Stop,
                note,
                ..
            }) => Some(&note.text),
            Self::Start(_)
            | Self::User(_)
            | Self::Completion(_)
            | Self::Failed(_)
            | Self::Tried(_)
            | Self::Result(_)
            | Self::Intervention(_)
            | Self::Answer(_)
            | Self::Compaction(_)
            | Self::Conclusion(_)
            | Self::End(_) => None,
        }
    }
}

/// How the run began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The model's name, as the provider takes it.
    pub model: Arc<str>,
    /// How a task ends.
    pub protocol: Protocol,
    /// The tools on offer, with the table of their names.
    pub offer: Arc<Offer>,
}

/// How a task ends in this agent (spec N8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum Protocol {
    /// A message without a call ends the model's part; the user speaks next.
    #[default]
    Text,
    /// A tool of purpose [`Finish`](crate::Purpose::Finish) ends the task; text alone does not.
    Tool,
}

/// A message in the user's role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserMessage {
    /// Who really wrote it.
    pub from: Speaker,
    /// The text.
    pub text: Arc<str>,
}

/// Who speaks in the user's role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum Speaker {
    /// The person.
    User,
    /// The loop: its neutral prompt, when a tool must end the task and none was called, or a notification that came
    /// between turns.
    Loop,
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The call it answers.
    pub call: Arc<ToolCall>,
    /// Where the answer comes from.
    pub origin: Origin,
    /// Whether it failed.
    pub status: Status,
    /// How often the call has run so far; 0 if it never ran.
    pub tries: u32,
    /// What the model sees.
    pub text: ResultText,
}

/// The beginning of the answer to a call that did not run.
pub const NOT_RUN: &str = "Not run: ";

impl ToolResult {
    /// The answer of a tool that ran once.
    #[must_use]
    pub fn executed(call: &Arc<ToolCall>, status: Status, text: impl Into<ResultText>) -> Self {
        Self { call: call.clone(), origin: Origin::Executed, status, tries: 1, text: text.into() }
    }

    /// The result of a call that began to run in an attempt or a process that broke: [`LOST`].
    #[must_use]
    pub fn lost(call: &Arc<ToolCall>) -> Self {
        let result = Self::executed(call, Status::Unknown, LOST);
        Self { origin: Origin::Missing, ..result }
    }

    /// True if it is a failure, by its status or, without a status, by its text.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        match self.status {
            Status::Ok => false,
            Status::Error => true,
            Status::Unknown => self.text.reads_as_failure(),
        }
    }

    /// The answer to a call that did not run: [`NOT_RUN`] and the reason.
    #[must_use]
    pub fn refused(call: &Arc<ToolCall>, reason: &str) -> Self {
        Self {
            call: call.clone(),
            origin: Origin::Synthetic,
            status: Status::Error,
            tries: 0,
            text: format!("{NOT_RUN}{reason}").into(),
        }
    }
}

/// Where a tool result comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum Origin {
    /// The tool ran.
    Executed,
    /// A guard or the loop answered in its place; the tool did not run.
    Synthetic,
    /// A recorded run has no answer; it is not known whether the tool ran.
    Missing,
}

/// Whether a tool failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum Status {
    /// Known to have worked.
    Ok,
    /// Known to have failed, without changing anything.
    Error,
    /// Not known.
    Unknown,
}

/// Anything that a guard adds and that the model or the user can see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intervention {
    /// What it did.
    pub kind: InterventionKind,
    /// Who did it, why, and the words.
    pub note: Note,
    /// False if a recorded model never saw it (replay of foreign transcripts).
    pub seen: bool,
}

impl Intervention {
    /// The text that the model is sent for it in the user's role. The text of a block is the result of its call, and
    /// texts for the user are not sent to the model.
    #[must_use]
    pub fn message(&self) -> Option<&Arc<str>> {
        match self.kind {
            InterventionKind::Feedback | InterventionKind::Note if self.seen => Some(&self.note.text),
            InterventionKind::Feedback
            | InterventionKind::Note
            | InterventionKind::Repair(_)
            | InterventionKind::Question(_)
            | InterventionKind::Notice
            | InterventionKind::Block
            | InterventionKind::Stop => None,
        }
    }
}

/// What an intervention did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InterventionKind {
    /// The completion was rewritten to what it evidently meant; the rewritten one is judged, run and sent instead.
    Repair(Arc<Completion>),
    /// The completion was refused, and the model was told why.
    Feedback,
    /// The model was told something in addition to the results.
    Note,
    /// The user was asked; these are the choices.
    Question(Vec<Choice>),
    /// The user was told something.
    Notice,
    /// One call was refused; the text is its result.
    Block,
    /// The run was ended.
    Stop,
}

impl InterventionKind {
    /// Whether the user reads it, and not the model.
    #[must_use]
    pub const fn is_for_user(&self) -> bool {
        match self {
            Self::Question(_) | Self::Notice | Self::Stop => true,
            Self::Repair(_) | Self::Feedback | Self::Note | Self::Block => false,
        }
    }

    /// The kind as records and reports spell it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Repair(_) => "repair",
            Self::Feedback => "feedback",
            Self::Note => "note",
            Self::Question(_) => "question",
            Self::Notice => "notice",
            Self::Block => "block",
            Self::Stop => "stop",
        }
    }
}

/// What the user answered to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct UserAnswer {
    /// The chosen option.
    pub choice: ChoiceKind,
    /// The user's words, for the model.
    pub text: Arc<str>,
}

/// The view was cut down.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Compaction {
    /// What replaces everything before.
    pub summary: Arc<str>,
}

impl Question {
    /// The intervention that is committed for this question.
    #[must_use]
    pub fn intervention(&self, seen: bool) -> Intervention {
        Intervention { kind: InterventionKind::Question(self.options.clone()), note: self.note.clone(), seen }
    }
}
