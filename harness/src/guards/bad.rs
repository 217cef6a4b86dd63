//! A stack that cannot be had: what was asked for, and what there is.

use std::fmt;

use crate::error::Error;

/// A stack that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadStack {
    /// A guard, or a variant of one, that is not in the table.
    Unknown {
        /// What was asked for.
        asked: String,
        /// The known name that is nearest, where one is near.
        nearest: Option<String>,
        /// All known names, as they are written.
        known: Vec<String>,
    },
    /// Settings that the guard does not take.
    Settings {
        /// The guard as it was asked for.
        asked: String,
        /// What it takes.
        reason: String,
    },
    /// The same guard twice in one stack, or the same stack twice.
    Twice {
        /// What is there twice.
        asked: String,
        /// The stack that it is in; none where it is a stack itself.
        stack: Option<String>,
    },
}

impl fmt::Display for BadStack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { asked, nearest, known } => {
                write!(f, "unknown guard `{asked}`")?;
                if let Some(nearest) = nearest {
                    write!(f, "; did you mean `{nearest}`?")?;
                }
                write!(f, " known: {}", known.join(", "))
            }
            Self::Settings { asked, reason } => write!(f, "`{asked}`: {reason}"),
            Self::Twice { asked, stack: Some(stack) } => write!(f, "`{asked}` twice in `{stack}`"),
            Self::Twice { asked, stack: None } => write!(f, "`{asked}` twice"),
        }
    }
}

impl std::error::Error for BadStack {}

/// As a mistake on the command line.
impl From<BadStack> for Error {
    fn from(bad: BadStack) -> Self {
        match bad {
            BadStack::Unknown { asked, nearest, known } => {
                let known = known.join(", ");
                let hint = match nearest {
                    Some(nearest) => format!("did you mean `{nearest}`? known: {known}"),
                    None => format!("known: {known}"),
                };
                Self::usage("--guard", "a known guard", format!("`{asked}`")).hint(&hint)
            }
            BadStack::Settings { asked, reason } => {
                Self::usage("--guard", "settings that the guard takes", format!("`{asked}`")).hint(&reason)
            }
            BadStack::Twice { asked, stack: Some(stack) } => {
                let found = format!("`{asked}` twice in `{stack}`");
                Self::usage("--guard", "each guard of a stack once", found)
            }
            BadStack::Twice { asked, stack: None } => {
                Self::usage("--guard", "each stack once", format!("`{asked}` twice"))
            }
        }
    }
}
