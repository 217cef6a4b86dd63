//! The transcript: everything that happened, in order.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::attempt::FailedAttempt;
use crate::completion::{Completion, ToolCall};
use crate::conclusion::Conclusion;
use crate::identity::ResultText;
use crate::key::CallKey;
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

    /// What stands in place of an answer where the call did not run: [`NOT_RUN`] and the reason.
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
            InterventionKind::Feedback | InterventionKind::Note | InterventionKind::Withheld(_)
                if self.seen =>
            {
                Some(&self.note.text)
            }
            InterventionKind::Feedback
            | InterventionKind::Note
            | InterventionKind::Withheld(_)
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
    /// A tool is missing from the next offer.
    Withheld(Arc<str>),
    /// The run was ended.
    Stop,
}

/// Who says what, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The guard's name.
    pub guard: Cow<'static, str>,
    /// The rule of that guard that fired.
    pub rule: Cow<'static, str>,
    /// How far up its ladder the guard is, from 1.
    pub level: u8,
    /// What it is about.
    pub subject: Subject,
    /// The words.
    pub text: Arc<str>,
}

/// What a note is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// The run as a whole.
    Run,
    /// A tool, by name.
    Tool(Arc<str>),
    /// A family of equal calls.
    Call(CallKey),
}

/// One thing the user can choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// What choosing it means.
    pub kind: ChoiceKind,
    /// The words on it.
    pub label: Cow<'static, str>,
}

/// What a choice means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChoiceKind {
    /// Go on as before.
    Continue,
    /// Go on with what the user writes.
    Instruct,
    /// Go on with another model.
    SwitchModel,
    /// Try again with the capabilities that exist, and no others (spec H3).
    Constrain,
    /// Report the gap, and end the run.
    Report,
    /// End the run.
    Stop,
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

/// Why the loop ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Termination {
    /// The model ended its part and nobody objected.
    Finished,
    /// Nothing moved any more.
    NoProgress,
    /// Something failed that no retry can mend.
    FatalExecution(Arc<str>),
    /// A guard ended it.
    StoppedByGuard,
    /// The user ended it.
    StoppedByUser,
    /// A bound was reached.
    Limit(Limit),
    /// A guard broke.
    GuardFault(Arc<str>),
}

/// The bound that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Turns.
    Turns,
    /// Attempts within one turn.
    Attempts,
    /// Calls.
    Calls,
    /// Interventions.
    Interventions,
    /// Questions to the user.
    Questions,
}
