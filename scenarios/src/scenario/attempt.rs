//! How attempts of a state break off.

use balk_contract::AttemptCause;

use super::numbers::{Bound, Ratio};
use super::texts::PhraseId;

/// An attempt that breaks off before its completion is whole.
#[derive(Clone, Debug)]
pub struct Break {
    /// The last attempt of a visit that it applies to; none is all of them.
    pub until: Option<Bound>,
    /// How likely it is.
    pub chance: Ratio,
    /// Why; the time after which to come back is not in it.
    pub cause: AttemptCause,
    /// Seconds after which the provider wants to be asked again; before, it refuses in any case.
    pub retry_after: Option<Bound>,
    /// How far the attempt comes.
    pub at: Stage,
    /// What the provider says.
    pub says: Option<PhraseId>,
    /// How likely the provider had run its own calls by then.
    pub ran: Ratio,
}

/// How far an attempt comes. Each has everything in it that stands before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Nothing came.
    Nothing,
    /// A sign of life, or thinking.
    Progress,
    /// The text, which the user saw.
    Output,
    /// A part of a call.
    Input,
    /// The calls, whole; none ran.
    Call,
    /// The calls ran, and their answers were lost.
    Running,
    /// The calls ran and were answered.
    Ran,
}
