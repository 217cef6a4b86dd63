//! Where people read: a terminal with its colours and its columns, or something that has neither.

use std::io::{IsTerminal, stderr, stdout};

use balk_reports::report::document::Screen;

/// What standard output leads to.
pub(super) fn output() -> Screen {
    screen(stdout().is_terminal(), || terminal_size::terminal_size_of(stdout()))
}

/// What standard error leads to.
pub(super) fn errors() -> Screen {
    screen(stderr().is_terminal(), || terminal_size::terminal_size_of(stderr()))
}

fn screen(
    is_terminal: bool,
    size: impl Fn() -> Option<(terminal_size::Width, terminal_size::Height)>,
) -> Screen {
    let columns = size().filter(|_| is_terminal).map(|(width, _)| width.0.into());
    Screen { colour: is_terminal, columns }
}
