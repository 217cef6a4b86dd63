//! Runs in which a tool failed and the model shows code.

use super::{Loop, Turn, calls, says};
use balk_guards::{Abandonment, AbandonmentPolicy, AbandonmentSettings};

pub(crate) const PYTHON: &str = "Here is the program:\n\n```python\nprint('hello')\n```\n";
pub(crate) const FIRST: &str = "retry fence-after-failures 1, notice files-not-created 1";
pub(crate) const ERROR: &str = "diagnostics: package `rich` is missing\nrolled back";

pub(crate) fn guard(policy: AbandonmentPolicy) -> Abandonment {
    Abandonment::new(AbandonmentSettings { policy, ..AbandonmentSettings::default() })
}

pub(crate) fn soft() -> Loop {
    Loop::new(Abandonment::default())
}

pub(crate) fn write() -> Turn {
    calls("write_file", r#"{"path":"hello.py","content":"print('hello')"}"#)
}

pub(crate) fn failed() -> Turn {
    write().fails(ERROR)
}

/// A run in which the write failed three times.
pub(crate) fn in_debt(policy: AbandonmentPolicy) -> Loop {
    let mut run = Loop::new(guard(policy));
    run.pass(&failed(), 3);
    run
}

pub(crate) fn owing() -> Loop {
    in_debt(AbandonmentPolicy::Soft)
}

/// After three failed writes and `between`, the guard says `expected` to a fence.
#[track_caller]
pub(crate) fn check(between: &[Turn], expected: &str) {
    let mut run = owing();
    for turn in between {
        run.check(turn, "pass");
    }
    run.check(&says(PYTHON), expected);
}
