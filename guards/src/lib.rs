#![doc = include_str!("../README.md")]

pub mod abandonment;
mod acknowledgement;
mod announcement;
mod attempt;
mod circling;
mod completion;
mod conclusion;
mod drafts;
pub mod duplicate;
pub mod empty_completion;
mod entry;
mod failure;
pub mod fence;
mod filter;
mod guard;
pub mod handoff;
mod identity;
mod key;
pub mod no_tools;
mod offer;
mod offered;
mod pattern;
#[cfg(feature = "peers")]
pub mod peers;
mod per_model;
mod phraser;
pub mod progress;
mod recall;
pub mod retry_safety;
pub mod rules;
mod schema;
pub mod similarity;
mod stack;
mod state;
mod text_form;
mod view;
pub mod wire;
mod wording;

pub use abandonment::{Abandonment, AbandonmentPolicy, AbandonmentSettings};
pub use attempt::{AttemptCause, AttemptFacts, AttemptFailure, AttemptResponse, FailedAttempt, LOST, Wait};
pub use completion::{Completion, FinishReason, Part, RawCall, ToolCall, Usage};
pub use conclusion::{Conclusion, Gap, GapKind, Tried};
pub use duplicate::{Duplicate, DuplicatePolicy, DuplicateSettings};
pub use empty_completion::{EmptyCompletion, EmptyCompletionSettings};
pub use entry::{
    Choice, ChoiceKind, Compaction, Entry, Intervention, InterventionKind, Limit, NOT_RUN, Note, Origin,
    Protocol, Speaker, Start, Status, Subject, Termination, ToolResult, Transcript, UserAnswer, UserMessage,
};
pub use guard::{
    ASKED_FIRST, Answer, Blocked, Decision, Guard, GuardFault, Question, Recovery, SEE_BELOW, Settlement,
    Verdict, Withheld,
};
pub use handoff::{Handoff, HandoffSettings};
pub use identity::{ResultKey, ResultText, identity};
pub use key::{CallKey, Shape};
pub use no_tools::{NoTools, NoToolsSettings};
pub use offer::{Effect, NAME_CHARS, Offer, Purpose, Tool};
pub use per_model::PerModel;
pub use phraser::{EXPLANATION_CHARS, Phraser, sanitise};
pub use progress::{Progress, ProgressSettings};
pub use retry_safety::{RetrySafety, RetrySafetyPolicy, RetrySafetySettings};
pub use schema::Schema;
pub use stack::{Budget, Stack, Window};
pub use view::{EMPTY_MESSAGE, Message, View};
