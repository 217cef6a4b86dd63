//! The tests of this crate, in one program.

mod host;
mod script;
mod vectors;
