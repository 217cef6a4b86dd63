//! What a tool did.

use balk_contract::Status;

/// What a tool did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executed {
    /// What it answers.
    pub text: String,
    /// Whether it worked. Never `Unknown` here.
    pub status: Status,
    /// How long it took, in ticks.
    pub ticks: u64,
    /// Whether this was the call that declares the task done.
    pub finishes: bool,
    /// Whether the agent cannot go on after the call.
    pub fatal: bool,
}

impl Executed {
    /// What stands for the answer of a command that prints nothing.
    pub const NO_OUTPUT: &str = "(no output)";
}

pub(super) fn done(text: String) -> Executed {
    Executed { text, status: Status::Ok, ticks: 0, finishes: false, fatal: false }
}

pub(super) fn failed(text: String) -> Executed {
    Executed { status: Status::Error, ..done(text) }
}
