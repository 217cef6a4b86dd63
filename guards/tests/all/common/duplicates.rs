//! A write that fails, sent again.

use super::{Loop, Turn, calls};
use balk_guards::Duplicate;

pub(crate) const BLOCK: &str = "block same-call 1";
pub(crate) const SECOND: &str = "block same-call-after-feedback 2";
pub(crate) const ARGUMENTS: &str = r#"{"path":"hello.py","content":"x"}"#;
pub(crate) const ERROR: &str = "diagnostics: package `rich` is missing";

pub(crate) fn run() -> Loop {
    Loop::new(Duplicate::default())
}

pub(crate) fn failed() -> Turn {
    calls("write_file", ARGUMENTS).fails(ERROR)
}

pub(crate) fn read() -> Turn {
    calls("read", r#"{"path":"hello.py"}"#).answers("x = 1")
}

/// Under the default policy, each turn gets the decision beside it.
#[track_caller]
pub(crate) fn check(turns: &[(Turn, &str)]) {
    let mut run = run();
    for (turn, expected) in turns {
        run.check(turn, expected);
    }
}

/// A known change of something else.
pub(crate) fn edit() -> Turn {
    calls("write_file", r#"{"path":"other.py"}"#)
}
