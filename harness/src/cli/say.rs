//! What a command tells people: on standard error, so that data stays alone on standard output.

use std::fmt::Arguments;
use std::io::Write as _;

use crate::error::Error;

/// One line on standard error.
pub(super) fn say(text: Arguments) {
    // If standard error takes nothing, there is no other place to report that.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Says what went wrong.
pub(super) fn complain(error: &Error) {
    say(format_args!("error: {error}"));
}
