//! Places of recorded runs for people to judge, and how far two people agree.
//!
//! A [`Draw`] looks at what the guards of `default` would have said in each run, and keeps a seeded sample of places
//! from two halves: the first firing of each stretch, by rule, and decoys, which are far from any firing. Both come
//! from runs that the source says were resolved and from others, and each such stratum has its part. The sample is a
//! function of the runs and the seed: neither the order of the files nor the number of threads changes it.
//!
//! A reader sees [what happened](shown::shown) around a place, and nothing of how it was drawn: no model, no outcome,
//! no rule, no name of a file. [`Kept`] writes each judgement at once into a file that `balk replay --labels` reads.
//! [`Agreement`] compares two such files.

mod agreement;
pub mod answer;
mod guide;
pub mod json;
mod kept;
mod sample;
pub mod shown;
mod source;
mod stratum;
pub mod text;

pub use agreement::{Agreement, Side};
pub use guide::guide;
pub use kept::{Kept, Plan, reader_of};
pub use sample::{Draw, Left, Place, Sample};
pub use source::{Digested, Source};
