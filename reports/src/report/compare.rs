//! Two records side by side: what changed from the first to the second, cell by cell.
//!
//! Only what both have is compared: a cell of the same label and stack. Where both have the same seeds of it, the
//! trials are pairs, and what is done is compared draw by draw ([`Change::of_blocks`]). So is what recovered where
//! every trial got stuck, under both; otherwise these need not be the same ones. Rates are of turns. What is not
//! compared as pairs is compared as if the trials had nothing in common, which claims too little rather than too much.
//!
//! [`Change::of_blocks`]: crate::statistics::Change::of_blocks

mod comparison;
mod document;
mod json;

pub use comparison::{Compared, ComparedCell, Comparison};
pub use document::comparison_as_document;
pub use json::comparison_as_json;
