//! The scenario format: TOML in, [`Scenario`] or [`Diagnostics`] out.
//!
//! The wire types are strict and private. A file is read into them, edited by `--set` before that, and
//! converted once; every check that fails is shown at the place in the file, or in the argument, that it
//! comes from. The fields are described in the `README.md` of this crate.

use std::sync::Arc;

use crate::scenario::{Scenario, Toolset};

mod attempts;
mod behaviour;
mod chances;
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
/// `file_name` is what diagnostics call the file. Each of `sets` is a dotted path that the file has, and the
/// value that takes its place.
///
/// # Errors
///
/// Everything that is wrong with the file: all of it where the parts do not depend on each other, but the
/// first error only where the text is not TOML or a key is unknown, missing or of the wrong type.
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
    /// Puts the settings into the text. Whether it is a good scenario then, [`scenario`](Self::scenario) says.
    ///
    /// # Errors
    ///
    /// The text is not TOML, or a setting leads to no value of it.
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
    /// As [`parse`] has them.
    pub fn scenario(&self, toolsets: &[Arc<Toolset>]) -> Result<Scenario, Diagnostics> {
        let file = syntax::read(&self.source, wire::TOP)?;
        let mut report = Report::new(&self.source);
        let scenario = convert::scenario(&file, toolsets, &mut report);
        report.finish(scenario)
    }
}
