//! The shared types of guards for agent loops, of the loops that drive them, and of recorded runs.
//!
//! The formats are behind features, none of which is on by default: `wire` (requests and answers of providers),
//! `record` (runs in written form), and `serde` (`Serialize` and `Deserialize` for the plain types).

mod attempt;
mod completion;
mod conclusion;
mod entry;
pub mod evidence;
mod guard;
mod identity;
pub mod key;
mod note;
pub mod nudge;
mod offer;
#[cfg(feature = "serde")]
pub mod offered;
mod open_calls;
mod phraser;
pub mod places;
mod question;
pub mod reading;
#[cfg(feature = "record")]
pub mod record;
pub mod rules;
mod run;
mod schema;
mod stack;
pub mod state;
pub mod turn;
mod view;
#[cfg(feature = "wire")]
pub mod wire;
pub mod wording;
pub mod words;
mod writes;

pub use attempt::{AttemptCause, AttemptFacts, AttemptFailure, AttemptResponse, FailedAttempt, LOST, Wait};
pub use completion::{Completion, FinishReason, Part, RawCall, ToolCall, Usage, is_blank};
pub use conclusion::{Conclusion, Gap, GapKind, Tried};
pub use entry::{
    Compaction, Entry, Intervention, InterventionKind, NOT_RUN, Origin, Protocol, Speaker, Start, Status,
    ToolResult, Transcript, UserAnswer, UserMessage,
};
pub use evidence::Evidence;
pub use guard::{
    ASKED_FIRST, Answer, Blocked, Decision, Guard, GuardFault, Recovery, Repair, SEE_BELOW, Settlement,
    Sight, Verdict,
};
pub use identity::{ResultKey, ResultText, identity};
pub use key::{CallKey, Shape};
pub use note::{Choice, ChoiceKind, Limit, Note, Question, Subject, Termination};
pub use offer::{Effect, NAME_CHARS, Offer, Purpose, Tool};
pub use open_calls::OpenCalls;
pub use phraser::{EXPLANATION_CHARS, Phraser, sanitise};
pub use run::{Batch, Limits, Repairs, Run, Step, TRIES, conclusion, watched};
pub use schema::Schema;
pub use stack::{Budget, Stack, Window};
pub use view::{EMPTY_MESSAGE, Message, View};
