//! The output for people: a terminal with colours and a width, or a stream with neither.

use std::io::{stderr, stdout};

use anstream::AutoStream;
use anstream::stream::RawStream;
use balk_reports::report::document::Screen;
use clap::ColorChoice;
use terminal_size::{Height, Width, terminal_size_of};

/// Sets for the whole program when to use colours.
pub(super) fn set_colour(when: ColorChoice) {
    let choice = match when {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

/// The screen behind standard output.
#[expect(clippy::disallowed_methods, reason = "its size alone")]
pub(super) fn output() -> Screen {
    screen(&stdout(), || terminal_size_of(stdout()))
}

/// The screen behind standard error.
#[expect(clippy::disallowed_methods, reason = "its size alone")]
pub(super) fn errors() -> Screen {
    screen(&stderr(), || terminal_size_of(stderr()))
}

fn screen(stream: &impl RawStream, size: impl Fn() -> Option<(Width, Height)>) -> Screen {
    let columns = size().filter(|_| stream.is_terminal()).map(|(width, _)| width.0.into());
    Screen { colour: AutoStream::choice(stream) != anstream::ColorChoice::Never, columns }
}
