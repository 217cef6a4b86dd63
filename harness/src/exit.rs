//! How the program ends: the documented exit codes.

use std::process::ExitCode;

/// How the program ends. The numbers are part of the command line's contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// All is well.
    Fine = 0,
    /// An unexpected error.
    Unexpected = 1,
    /// The command line is invalid.
    Usage = 2,
    /// A scenario, transcript or configuration file is invalid.
    BadFile = 3,
    /// An expectation, a gate, or the goal of an interactive run is not met.
    Unmet = 4,
    /// A safety rule was broken: a double effect, an illegal view.
    Unsafe = 5,
    /// A guard broke.
    GuardFault = 6,
    /// Two runs that must be equal differ.
    NotDeterministic = 7,
    /// Ctrl-C ended the program: 128 plus the number of the signal, as in shells.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
