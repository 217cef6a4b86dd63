//! `--format`: for people or for programs.

use clap::ValueEnum;

/// How a result is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}
