//! The scenario format: TOML in, [`Scenario`]s or [`Diagnostics`] out, and [`Scenario`]s in, TOML out.
//!
//! A file has one world and up to two actors, each of them a scenario. `--set` edits the text, then the text is read
//! into strict private wire types, and these are converted once. Every failed check points at its place in the file or
//! in the argument. The `README.md` of this crate describes the keys.

use std::ops::Range;
use std::sync::Arc;

use crate::scenario::{Kind, Scenario, StateId, Toolset};

pub(crate) mod answers;
mod attempts;
pub(crate) mod behaviour;
mod bounds;
mod calls;
mod chances;
mod conditions;
mod convert;
pub(crate) mod diagnostic;
mod excerpt;
mod lengths;
mod messages;
mod names;
mod phrases;
mod placeholders;
pub(crate) mod report;
pub(crate) mod roles;
mod set;
pub(crate) mod source;
mod starter;
pub(crate) mod syntax;
mod trial;
mod used;
mod version;
mod warnings;
mod wire;
mod world;
mod write;

pub use diagnostic::{Diagnostic, Diagnostics, Place, Severity};
pub use starter::template_of;
pub use version::names;
pub use write::write;

use convert::{actor_table, actors};
use report::Report;
use source::Source;
use used::Used;
use wire::ScenarioFile;

/// Reads all scenarios of a file, the stubborn one first.
///
/// `file_name` is the name of the file in diagnostics.
///
/// # Errors
///
/// The diagnostics name everything that is wrong with the file. Where the text is not TOML, or a key is unknown,
/// missing or of the wrong type, they name only the first error.
pub fn parse(
    file_name: &str,
    text: &str,
    toolsets: &[Arc<Toolset>],
) -> Result<Vec<Arc<Scenario>>, Diagnostics> {
    let source = Source::new(file_name, text);
    version::check(&source)?;
    scenarios(&source, toolsets)
}

fn scenarios(source: &Source, toolsets: &[Arc<Toolset>]) -> Result<Vec<Arc<Scenario>>, Diagnostics> {
    let file = syntax::read(source, wire::TOP)?;
    Ok(converted(&file, source, toolsets)?.0)
}

/// The scenarios of a file, and the names that it refers to.
fn converted(
    file: &ScenarioFile,
    source: &Source,
    toolsets: &[Arc<Toolset>],
) -> Result<(Vec<Arc<Scenario>>, Used), Diagnostics> {
    let mut report = Report::new(source);
    let scenarios = convert::scenarios(file, toolsets, &mut report).into_iter().map(Arc::new).collect();
    let used = std::mem::take(&mut report.used);
    report.finish((scenarios, used))
}

/// A valid file, with what is doubtful in it.
#[derive(Debug)]
pub struct Checked {
    /// Its scenarios, the stubborn one first.
    pub scenarios: Vec<Arc<Scenario>>,
    /// What the file alone shows, in the order of the file. What only a trial shows is not among it.
    pub warnings: Vec<Diagnostic>,
    source: Source,
    /// The places of the states' names, by scenario.
    states: Vec<Vec<Range<usize>>>,
}

/// Reads all scenarios of a file, and looks for what has no effect in it, or another one than it seems.
///
/// # Errors
///
/// The same as those of [`parse`].
pub fn check(file_name: &str, text: &str, toolsets: &[Arc<Toolset>]) -> Result<Checked, Diagnostics> {
    let source = Source::new(file_name, text);
    version::check(&source)?;
    let file: ScenarioFile = syntax::read(&source, wire::TOP)?;
    let (scenarios, used) = converted(&file, &source, toolsets)?;
    let warnings = warnings::warnings(&file, &scenarios, &used, &source);
    let tables = actors(&file).into_iter().map(|(_, table)| table.get_ref().state.get_ref());
    let states = tables.map(|all| all.iter().map(|it| it.name.span()).collect()).collect();
    Ok(Checked { scenarios, warnings, source, states })
}

impl Checked {
    /// The place of a state of the scenario with this index.
    #[must_use]
    pub fn state(&self, scenario: usize, state: StateId, label: &str) -> Place {
        self.source.place(self.states[scenario][state].clone(), label)
    }
}

/// The text of a scenario file with the settings for one of its actors in it.
#[derive(Debug)]
pub struct Document {
    source: Source,
    kind: Kind,
}

impl Document {
    /// Puts the settings into the text. Each is a dotted path in the file, with the new value; `actor` in a path is
    /// the actor of this kind. [`scenario`](Self::scenario) checks whether the result is a good scenario.
    ///
    /// # Errors
    ///
    /// The text is not TOML or has another version of the format, or the path of a setting leads to no value in it.
    pub fn new(
        file_name: &str,
        text: &str,
        kind: Kind,
        sets: &[(String, String)],
    ) -> Result<Self, Diagnostics> {
        let mut source = Source::new(file_name, text);
        version::check(&source)?;
        for (path, value) in sets {
            set::apply(&mut source, path, value, actor_table(kind))?;
        }
        Ok(Self { source, kind })
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// Reads the scenario of the actor that the settings are for.
    ///
    /// # Errors
    ///
    /// The same as those of [`parse`]; or the file has no such actor.
    pub fn scenario(&self, toolsets: &[Arc<Toolset>]) -> Result<Arc<Scenario>, Diagnostics> {
        let scenarios = scenarios(&self.source, toolsets)?;
        scenarios.into_iter().find(|it| it.kind == self.kind).ok_or_else(|| {
            let table = actor_table(self.kind);
            let mut report = Report::new(&self.source);
            report.error(0..0, format!("the file has no `[{table}]`"), "this actor was asked for");
            report.finish(()).expect_err("it was just reported")
        })
    }
}
