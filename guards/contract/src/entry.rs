//! The transcript: everything that happened, in order.

use std::sync::Arc;

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
    /// Something was said in the user's role, by the user or by the loop.
    User(UserMessage),
    /// The model answered.
    Completion(Arc<Completion>),
    /// One try to get an answer failed.
    Failed(FailedAttempt),
    /// A tool was run, and is about to be run again: outside the view.
    Tried(ToolResult),
    /// The one answer that a call got.
    Result(ToolResult),
    /// A guard stepped in.
    Intervention(Intervention),
    /// The user answered a question.
    Answer(UserAnswer),
    /// The view was cut down to a summary.
    Compaction(Compaction),
    /// The run is about to end without its goal, and a guard made something of it.
    Conclusion(Arc<Conclusion>),
    /// The run ended.
    End(Termination),
}

impl Entry {
    /// What the user is to be told: the words of a notice, or why a guard ended the run. Questions are asked, and all
    /// other words are for the model alone.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
    /// Who really said it.
    pub from: Speaker,
    /// What was said.
    pub text: Arc<str>,
}

/// Who speaks in the user's role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Speaker {
    /// The person.
    User,
    /// The loop's own neutral prompt, where a tool must end the task and none was called.
    Loop,
}

/// What a tool answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The call it answers.
    pub call: Arc<ToolCall>,
    /// Where the answer is from.
    pub origin: Origin,
    /// Whether it failed.
    pub status: Status,
    /// How often the call has been run by now; 0 where it never ran.
    pub tries: u32,
    /// What the model sees.
    pub text: ResultText,
}

/// How the answer to a call that did not run begins.
pub const NOT_RUN: &str = "Not run: ";

impl ToolResult {
    /// What a tool answered that ran once.
    #[must_use]
    pub fn executed(call: &Arc<ToolCall>, status: Status, text: impl Into<ResultText>) -> Self {
        Self { call: call.clone(), origin: Origin::Executed, status, tries: 1, text: text.into() }
    }

    /// What a call gets that began to run in an attempt or a process that broke: [`LOST`].
    #[must_use]
    pub fn lost(call: &Arc<ToolCall>) -> Self {
        let result = Self::executed(call, Status::Unknown, LOST);
        Self { origin: Origin::Missing, ..result }
    }

    /// What a call gets in place of an answer where it did not run: [`NOT_RUN`] and the reason.
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

/// Where a tool result is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The tool ran.
    Executed,
    /// A guard or the loop answered in its place; the tool did not run.
    Synthetic,
    /// A recorded run holds no answer; nobody knows whether the tool ran.
    Missing,
}

/// Whether a tool failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Known to have worked.
    Ok,
    /// Known to have failed: nothing was changed.
    Error,
    /// Nobody said.
    Unknown,
}

/// Anything that a guard adds and that model or user can see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intervention {
    /// What it did.
    pub kind: InterventionKind,
    /// Who did it, why, and the words.
    pub note: Note,
    /// False where a recorded model never saw it (replay of foreign transcripts).
    pub seen: bool,
}

impl Intervention {
    /// The text that the model is sent for it in the user's role. The words of a block are its call's
    /// result, and what goes to the user stays with the user.
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
    /// The completion was rewritten to what it evidently meant; this one is judged, run and sent in its place.
    Repair(Arc<Completion>),
    /// The completion was refused and the model told why.
    Feedback,
    /// The model was told something beside the results.
    Note,
    /// The user was asked; the choices offered.
    Question(Vec<Choice>),
    /// The user was told something.
    Notice,
    /// One call was refused; the words are its result.
    Block,
    /// The run was ended.
    Stop,
}

impl InterventionKind {
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserAnswer {
    /// Which choice was taken.
    pub choice: ChoiceKind,
    /// What the model is told, in the user's words.
    pub text: Arc<str>,
}

/// The view was cut down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compaction {
    /// What stands in place of everything before.
    pub summary: Arc<str>,
}

impl Question {
    /// What is committed for this question.
    #[must_use]
    pub fn intervention(&self, seen: bool) -> Intervention {
        Intervention { kind: InterventionKind::Question(self.options.clone()), note: self.note.clone(), seen }
    }
}
