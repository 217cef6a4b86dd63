//! Where people read: a terminal with its colours and its columns, or something that has neither.

use std::io::{stderr, stdout};

use anstream::AutoStream;
use anstream::stream::RawStream;
use balk_reports::report::document::Screen;
use clap::ColorChoice;
use terminal_size::{Height, Width, terminal_size_of};

/// Says once for the whole program when to colour.
pub(super) fn set_colour(when: ColorChoice) {
    let choice = match when {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

/// What standard output leads to.
pub(super) fn output() -> Screen {
    screen(&stdout(), || terminal_size_of(stdout()))
}

/// What standard error leads to.
pub(super) fn errors() -> Screen {
    screen(&stderr(), || terminal_size_of(stderr()))
}

fn screen(stream: &impl RawStream, size: impl Fn() -> Option<(Width, Height)>) -> Screen {
    let columns = size().filter(|_| stream.is_terminal()).map(|(width, _)| width.0.into());
    Screen { colour: AutoStream::choice(stream) != anstream::ColorChoice::Never, columns }
}
