//! Records of trials, and pure functions from records to what people read.
//!
//! The crate has three parts that point one way. [`records`] are the files that Balk writes, [`statistics`] computes
//! estimates and intervals from their counts, and [`report`] turns both into what people and programs read. A report is
//! computed from its record alone.

pub mod records;
pub mod report;
pub mod statistics;
