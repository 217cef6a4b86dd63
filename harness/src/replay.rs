//! What guards would have done in recorded transcripts: an open loop over real data.
//!
//! The recorded model never saw our interventions. So each is folded as *unseen*: budgets and ladders advance as if
//! it had been ignored, no result is inserted, and firings at most two turns apart form one stretch, of which the
//! first counts. Our own records are folded unchanged, and the decisions are compared with the recorded ones. Firings
//! in foreign transcripts can be compared with points that readers judged. Input is streamed: memory depends on the
//! longest line, not on the file.

mod bad;
mod blind;
mod fold;
mod gemini;
mod join;
pub mod json;
pub mod judged;
pub mod labels;
mod lines;
mod neutral;
mod offered;
mod one_line;
mod own;
mod run;
mod strict;
mod summary;
pub mod text;
mod tools;
mod words;

pub use bad::BadLine;
pub use fold::{Asked, End, Event, Firing, Folded, What, fold};
pub use join::{Oddities, Placed};
pub use lines::{LINE_BYTES_MAX, Line, Lines};
pub use neutral::{Outcome, Recorded, Setting, read};
pub(crate) use one_line::one_line;
pub use own::{Action, Compared, Own};
pub use run::{Broken, Found, Item, Replay, Replayed, StackOf};
pub(crate) use strict::Object;
pub use summary::{Counts, GuardCounts, MODELS_MAX, NO_MODEL, OTHER_MODELS, Summary};
pub use tools::{Declared, ToolTable};
