//! How attempts of a state break off.

use balk_contract::AttemptCause;

use super::numbers::{Bound, Ratio};
use super::texts::PhraseId;

/// An attempt that breaks off before its completion is whole.
#[derive(Clone, Debug)]
pub struct Break {
    /// The last attempt of a visit to which it applies. `None` means all.
    pub until: Option<Bound>,
    /// How likely it is.
    pub chance: Ratio,
    /// Why. The delay before a retry is in `retry_after`, not here.
    pub cause: AttemptCause,
    /// For how many seconds the provider refuses requests, and says so.
    pub retry_after: Option<Bound>,
    /// How far the attempt gets.
    pub at: Stage,
    /// What the provider says.
    pub says: Option<PhraseId>,
    /// How likely it is that the provider had run its own calls by then.
    pub ran: Ratio,
    /// What a client of the provider's API sees of it.
    pub wire: Wire,
}

/// What a client sees of a broken attempt where it does not find its connection reset. A loop in the same process only
/// sees that the attempt failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wire {
    /// What its cause brings: a reset, a stall, or an error of the provider.
    #[default]
    Cause,
    /// The answer ends in good order, without its last events.
    CleanEnd,
    /// A status 200 without a body.
    EmptyBody,
    /// An event that is no JSON. The answer ends in good order after it.
    MalformedEvent,
    /// A page of HTML, as proxies send it.
    Html,
}

/// How the whole answers of a state come, as a client of the provider's API sees them. No act depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// How many milliseconds go by before the first byte.
    pub first_byte_ms: u32,
    /// Whether the event in the middle of a stream comes twice.
    pub doubled_event: bool,
}

/// How far an attempt gets. Each stage includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Nothing came.
    Nothing,
    /// A sign of life, or thinking.
    Progress,
    /// The text, seen by the user.
    Output,
    /// Part of a call.
    Input,
    /// The whole calls, none of which ran.
    Call,
    /// The calls ran, and their answers were lost.
    Running,
    /// The calls ran and were answered.
    Ran,
}
