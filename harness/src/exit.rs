//! How the program ends: the documented exit codes.

use std::process::ExitCode;

/// How the program ends. The numbers are part of the command line's contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// All is well.
    Fine = 0,
    /// Something happened that nobody planned for.
    Unexpected = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// A scenario, transcript or configuration file is bad.
    BadFile = 3,
    /// An expectation or a gate does not hold: also the goal of a run that a person took part in.
    Unmet = 4,
    /// A safety rule was broken: a double effect, an illegal view.
    Unsafe = 5,
    /// A guard broke.
    GuardFault = 6,
    /// Two runs that must be equal differ.
    NotDeterministic = 7,
    /// Ctrl-C ended it: 128 and the number of the signal, as shells have it.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
