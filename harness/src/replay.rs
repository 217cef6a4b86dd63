//! What guards would have done in recorded transcripts: an open loop over real data.
//!
//! The recorded model never saw our interventions. So each is folded as *unseen*: budgets and ladders advance as if
//! it had been ignored, no result is inserted, and firings at most two turns apart form one stretch, of which the
//! first counts. Our own records are folded unchanged, and the decisions are compared with the recorded ones. Firings
//! in foreign transcripts can be compared with points that readers judged. Input is read as a
//! stream by [`import`](crate::import), whatever its format is.

mod blind;
mod fold;
pub mod json;
pub mod judged;
pub mod labels;
mod own;
pub mod page;
mod redacted;
mod run;
mod summary;
pub mod text;

pub use fold::{Asked, End, Event, Firing, Folded, What, fold};
pub(crate) use fold::{completion, fold_until_end};
pub use own::{Action, Compared, Own};
pub use run::{Broken, Found, Item, Replay, Replayed, StackOf};
pub use summary::{Counts, GuardCounts, MODELS_MAX, NO_MODEL, OTHER_MODELS, Summary};
