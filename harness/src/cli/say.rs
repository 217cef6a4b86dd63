//! Messages to people, on standard error: standard output has only data.

use std::fmt::Arguments;
use std::io::Write as _;

use super::out;
use crate::error::Error;

/// Prints one line on standard error.
pub(super) fn say(text: Arguments) {
    // If standard error cannot be written, there is no other place to report that.
    let _ = writeln!(out::aside(), "{text}");
}

/// Prints what went wrong.
pub(super) fn complain(error: &Error) {
    say(format_args!("error: {error}"));
}
