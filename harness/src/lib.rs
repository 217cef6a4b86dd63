//! Balk: a deterministic crash-test bench for agent loops.
//!
//! Nothing here prints but [`cli`].

pub mod cli;
pub mod error;
pub mod exit;
pub mod guards;
pub mod replay;
pub mod engine;
pub mod grade;
