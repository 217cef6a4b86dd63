//! The tests of the scenarios, in one program: it links once.

mod advice;
mod amplified;
mod bad;
mod catalogue;
mod long;
mod migrate;
mod reactions;
mod stepped;
mod warnings;
mod worlds;
mod write;
