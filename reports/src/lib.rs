//! Records of trials, and pure functions from records to what people read.
//!
//! Three rooms that point one way: [`records`] is what is written down, [`statistics`] computes from it what may be
//! claimed, [`report`] is what people and programs read. A record is all there is to know about a trial: it reads
//! back into the transcript it was made from, and everything shown is computed from it alone.

pub mod records;
pub mod report;
pub mod statistics;
