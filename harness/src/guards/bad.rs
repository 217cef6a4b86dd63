//! A stack that cannot be made: the requested name, and the known ones.

use std::fmt;

use crate::error::Error;
use crate::exit::Exit;
use crate::program;

/// A stack that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadStack {
    /// A guard, or a variant of one, that is not registered.
    Unknown {
        /// The requested name.
        asked: String,
        /// The nearest known name, if one is near.
        nearest: Option<String>,
        /// All known names, as on the command line.
        known: Vec<String>,
    },
    /// Settings that the guard does not accept.
    Settings {
        /// The guard as requested.
        asked: String,
        /// Why the guard does not accept them.
        reason: String,
    },
    /// A command that is no guard.
    Command {
        /// The guard as requested.
        asked: String,
        /// What was expected of it, and what was found.
        reason: String,
    },
    /// A command that a file names.
    FromFile {
        /// The guard as the file has it.
        asked: String,
    },
    /// The same guard twice in one stack.
    Twice {
        /// The repeated guard.
        asked: String,
        /// The stack that contains it.
        stack: String,
    },
    /// The same stack twice, perhaps in other words.
    Same {
        /// The repeated stack as requested.
        asked: String,
        /// The same stack as it was requested before.
        earlier: String,
    },
}

impl fmt::Display for BadStack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { asked, nearest, known } => {
                write!(f, "unknown guard `{asked}`")?;
                match nearest {
                    Some(nearest) => write!(f, "; did you mean `{nearest}`?"),
                    None => write!(f, " known: {}", known.join(", ")),
                }
            }
            Self::Settings { asked, reason } | Self::Command { asked, reason } => {
                write!(f, "`{asked}`: {reason}")
            }
            Self::FromFile { asked } => {
                write!(f, "`{asked}` is a command in a file; to run it, name the same stack with --guard")
            }
            Self::Twice { asked, stack } => write!(f, "`{asked}` twice in `{stack}`"),
            Self::Same { asked, earlier } => f.write_str(&same(asked, earlier)),
        }
    }
}

impl std::error::Error for BadStack {}

/// How one stack was requested twice.
fn same(asked: &str, earlier: &str) -> String {
    if asked == earlier { format!("`{asked}` twice") } else { format!("`{asked}`, which is `{earlier}`") }
}

/// An error of the command line.
impl From<BadStack> for Error {
    fn from(bad: BadStack) -> Self {
        match bad {
            BadStack::Unknown { asked, nearest, known } => {
                let hint = match nearest {
                    Some(nearest) => {
                        let list = program::command("list --guards");
                        format!("did you mean `{nearest}`? `{list}` shows all of them")
                    }
                    None => format!("known: {}", known.join(", ")),
                };
                Self::usage("--guard", "a known guard", format!("`{asked}`")).hint(&hint)
            }
            BadStack::Settings { asked, reason } => {
                Self::usage("--guard", "settings that the guard accepts", format!("`{asked}`")).hint(&reason)
            }
            BadStack::Command { asked, reason } => {
                let error = Self::usage("--guard", "", format!("`{asked}`: {reason}"));
                let schema = program::command("schema guard");
                let hint = format!("`{schema}` has the form of the lines that a guard reads and writes");
                Self { exit: Exit::GuardFault, ..error.hint(&hint) }
            }
            BadStack::FromFile { asked } => Self::usage(
                "--guard",
                "a stack that runs no command, as a file names it",
                format!("`{asked}`"),
            )
            .hint("to run it, name the same stack with --guard"),
            BadStack::Twice { asked, stack } => {
                let found = format!("`{asked}` twice in `{stack}`");
                Self::usage("--guard", "each guard of a stack once", found)
            }
            BadStack::Same { asked, earlier } => {
                Self::usage("--guard", "each stack once", same(&asked, &earlier))
            }
        }
    }
}
