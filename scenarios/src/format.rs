//! The scenario format: TOML in, [`Scenario`] or [`Diagnostics`] out.
//!
//! `--set` edits the text, then the text is read into strict private wire types, and these are converted once. Every
//! failed check points at its place in the file or in the argument. The `README.md` of this crate describes the keys.

use std::sync::Arc;

use crate::scenario::{Scenario, Toolset};

pub(crate) mod answers;
mod attempts;
mod behaviour;
mod calls;
mod chances;
mod conditions;
mod convert;
pub(crate) mod diagnostic;
mod names;
mod phrases;
mod placeholders;
pub(crate) mod report;
pub(crate) mod roles;
mod set;
pub(crate) mod source;
mod starter;
pub(crate) mod syntax;
mod wire;
mod world;

pub use diagnostic::{Diagnostic, Diagnostics, Place};
pub use starter::template_of;

use report::Report;
use source::Source;

/// Reads a scenario.
///
/// `file_name` is the name of the file in diagnostics. Each of `sets` is a dotted path in the file, with the new value.
///
/// # Errors
///
/// The diagnostics name everything that is wrong with the file. Where the text is not TOML, or a key is unknown,
/// missing or of the wrong type, they name only the first error.
pub fn parse(
    file_name: &str,
    text: &str,
    toolsets: &[Arc<Toolset>],
    sets: &[(String, String)],
) -> Result<Scenario, Diagnostics> {
    Document::new(file_name, text, sets)?.scenario(toolsets)
}

/// The text of a scenario file with its settings in it.
#[derive(Debug)]
pub struct Document {
    source: Source,
}

impl Document {
    /// Puts the settings into the text. [`scenario`](Self::scenario) checks whether the result is a good scenario.
    ///
    /// # Errors
    ///
    /// The text is not TOML, or the path of a setting leads to no value in it.
    pub fn new(file_name: &str, text: &str, sets: &[(String, String)]) -> Result<Self, Diagnostics> {
        let mut source = Source::new(file_name, text);
        for (path, value) in sets {
            set::apply(&mut source, path, value)?;
        }
        Ok(Self { source })
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// Reads it.
    ///
    /// # Errors
    ///
    /// The same as those of [`parse`].
    pub fn scenario(&self, toolsets: &[Arc<Toolset>]) -> Result<Scenario, Diagnostics> {
        let file = syntax::read(&self.source, wire::TOP)?;
        let mut report = Report::new(&self.source);
        let scenario = convert::scenario(&file, toolsets, &mut report);
        report.finish(scenario)
    }
}
