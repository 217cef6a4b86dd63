//! Two records side by side: what changed from the first to the second, cell by cell.
//!
//! A comparison covers the cells that both records have, with the same label and stack. If both ran the same seeds, the
//! trials are pairs, and the done trials are compared draw by draw ([`Change::of_blocks`]). The recovered trials are
//! compared so only if every trial got stuck in both records; otherwise the stuck trials may differ. False
//! interventions are rates per turn. Unpaired comparisons assume independent trials, which claims too little rather
//! than too much.
//!
//! [`Change::of_blocks`]: crate::statistics::Change::of_blocks

mod comparison;
mod document;
mod json;

pub use comparison::{Compared, ComparedCell, Comparison};
pub use document::{comparison_as_document, comparison_as_page};
pub use json::comparison_as_json;
