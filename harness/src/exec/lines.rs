//! The protocol: the lines that Balk and a guard in another process send each other.
//!
//! Each line is a JSON object with one member, whose name says what the line is. Entries have the form that they have
//! in records.

use std::borrow::Cow;
use std::sync::Arc;

use balk_guards::{AttemptFailure, CallKey, Choice, GapKind, Termination, Tried, Wait};
use balk_reports::records::{CompletionRecord, EntryRecord, ResultRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the protocol; it rises when a guard of the old version would misread the new one.
pub const PROTOCOL: u32 = 1;

/// The most characters of the name of a guard and of a rule.
pub const NAME_CHARS_MAX: usize = 200;

/// The form of the name of a rule.
const RULE: &str = r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$";

/// A line from Balk to a guard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ToGuard {
    /// The first line. The guard answers with its own hello.
    Hello {
        /// [`PROTOCOL`].
        protocol: u32,
        /// The version of Balk.
        balk: Cow<'static, str>,
        /// How long the guard may take for an answer.
        answer_ms: u64,
    },
    /// A run begins: nothing of an earlier run counts any more. No answer.
    Begin {
        /// How many runs this process was given so far, with this one.
        run: u64,
    },
    /// An entry of the run was committed. No answer.
    Observe(EntryRecord),
    /// Is this completion accepted, and may its calls run?
    Review {
        /// The completion: that of the last entry with one.
        completion: CompletionRecord,
    },
    /// What about these results, before they are committed?
    Settle {
        /// The completion with the calls.
        completion: CompletionRecord,
        /// The results.
        results: Vec<ResultRecord>,
    },
    /// What about this failed attempt?
    Recover {
        /// The attempt.
        failure: AttemptFailure,
    },
    /// The run is about to end: what does the user need to know?
    Conclude {
        /// How it is about to end.
        end: Termination,
    },
    /// What is the state?
    Save {},
    /// This is the state now. It comes right after `begin`.
    Load(SavedState),
}

/// A line from a guard to Balk: the answer to the line of the same name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FromGuard {
    /// Who the guard is.
    Hello(Introduction),
    /// About a completion.
    Review(Reviewed),
    /// About results.
    Settle(Settled),
    /// About a failed attempt; null is no opinion.
    Recover(Option<Recovered>),
    /// About the end; null is no opinion.
    Conclude(Option<Concluded>),
    /// The state.
    Save(SavedState),
    /// Whether the state was taken.
    Load(Loaded),
}

/// Who a guard is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Introduction {
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// Its name: letters, digits and dashes.
    #[schemars(regex(pattern = "^[A-Za-z0-9-]+$"), length(max = NAME_CHARS_MAX))]
    pub guard: String,
    /// The questions that it answers. The others are not sent: it has no objection and no opinion.
    #[schemars(length(min = 1))]
    pub answers: Vec<Question>,
    /// Whether it answers `save` and `load`.
    #[serde(default)]
    pub keeps_state: bool,
}

/// A question that a guard may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Question {
    /// About a completion.
    Review,
    /// About results.
    Settle,
    /// About a failed attempt.
    Recover,
    /// About the end.
    Conclude,
}

/// A message of the guard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoteLine {
    /// The rule that fired: a name on one line, without control characters such as tabs.
    #[schemars(regex(pattern = RULE), length(max = NAME_CHARS_MAX))]
    pub rule: String,
    /// The rung of its ladder, from 1.
    #[serde(default = "first")]
    #[schemars(range(min = 1))]
    pub level: u8,
    /// What it is about. By default the blocked call, and elsewhere the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<SubjectLine>,
    /// The words.
    pub text: Arc<str>,
}

fn first() -> u8 {
    1
}

/// What a message is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SubjectLine {
    /// The run as a whole.
    Run,
    /// A tool, by name.
    Tool(Arc<str>),
    /// The call with this index in the completion, and all equal calls.
    CallAt(usize),
    /// A family of equal calls, by a key from an earlier intervention.
    Call(CallKey),
}

/// The answer about a completion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reviewed {
    /// Whether the turn may go on.
    pub verdict: VerdictLine,
    /// What the user is told in addition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<NoteLine>,
}

/// Whether a turn may go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum VerdictLine {
    /// It may.
    Pass,
    /// All calls run except these.
    Block(Vec<BlockLine>),
    /// Nothing runs, and the model is told why and asked again.
    Retry(NoteLine),
    /// Nothing runs, and the user is asked.
    Ask(AskLine),
    /// Nothing runs, and the run ends.
    Stop(NoteLine),
    /// This completion is judged, run and sent instead.
    Repair {
        /// Why.
        note: NoteLine,
        /// The completion.
        completion: CompletionRecord,
    },
}

/// A refused call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockLine {
    /// Its index in the completion.
    pub call: usize,
    /// The result that the model gets for it.
    pub note: NoteLine,
}

/// A question to the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskLine {
    /// The words.
    pub note: NoteLine,
    /// What the user can choose.
    #[schemars(length(min = 1))]
    pub options: Vec<Choice>,
}

/// The answer about results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Settled {
    /// They are committed, and the model gets these notes beside them.
    Accept(Vec<NoteLine>),
    /// One call runs again first.
    Rerun {
        /// Its index in the completion.
        call: usize,
        /// Ticks (ms) to wait before the call.
        after: u64,
    },
}

/// The answer about a failed attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Recovered {
    /// The model is asked again.
    Resend {
        /// How long to wait before the request.
        after: Wait,
        /// What the user is told then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notice: Option<NoteLine>,
    },
    /// The user is asked.
    Ask(AskLine),
    /// The run ends.
    Stop(NoteLine),
}

/// The answer about an end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Concluded {
    /// What the user is told.
    pub note: NoteLine,
    /// The obstacle, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<GapLine>,
}

/// Something that the agent lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GapLine {
    /// What is lacking.
    pub kind: GapKind,
    /// What it is: the command, the path, the tool. Empty if it is not known.
    pub missing: Arc<str>,
    /// What was tried.
    pub tried: Vec<Tried>,
    /// Why that does not work.
    pub explanation: Arc<str>,
    /// What a person could do about it.
    pub could_do: Vec<Arc<str>>,
    /// How to continue afterwards.
    pub resume: Arc<str>,
    /// What the model is told if it shall try again with the existing tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraint: Option<NoteLine>,
}

/// The state of a guard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SavedState {
    /// The version of the state's form.
    pub version: u64,
    /// The state: any JSON.
    pub state: Value,
}

/// Whether a state was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Loaded {
    /// It was.
    Ok,
    /// It was not, and why: another version, a broken state.
    Refused(String),
}

/// Both directions, for `balk schema guard`. A line of one direction is `#/$defs/ToGuard` or `#/$defs/FromGuard`.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "GuardLine")]
pub enum Line {
    /// Balk says it.
    ToGuard(ToGuard),
    /// A guard says it.
    FromGuard(FromGuard),
}

impl Question {
    /// The name of the line that asks it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Review => "review",
            Self::Settle => "settle",
            Self::Recover => "recover",
            Self::Conclude => "conclude",
        }
    }
}

impl FromGuard {
    /// The name of the line that it answers.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Hello(_) => "hello",
            Self::Review(_) => "review",
            Self::Settle(_) => "settle",
            Self::Recover(_) => "recover",
            Self::Conclude(_) => "conclude",
            Self::Save(_) => "save",
            Self::Load(_) => "load",
        }
    }
}
