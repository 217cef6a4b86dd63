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
        }
    }
}
