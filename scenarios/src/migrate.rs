//! Rewrites scenario files of version 1 of the format: one scenario with its own world became a world with up to two
//! actors. Comments and layout are kept.

mod old;
mod pair;
mod ways;

pub use old::{NotOld, Old};
pub use pair::{Conflicts, joined};
