//! `balk compare`: what changed from one record of a bench to another.

use std::io::{self, Write};
use std::path::PathBuf;

use balk_reports::report::compare::{Comparison, comparison_as_document, comparison_as_json};
use balk_reports::report::document::terminal;
use balk_reports::report::gate::{self, Metric};
use clap::Args;

use super::format::Format;
use super::gates::{Gates, HELP, Records};
use super::screen;
use crate::bench::Folder;
use crate::error::Error;
use crate::exit::Exit;

/// Arguments of `balk compare`.
#[derive(Args, Clone, Debug)]
#[command(after_help = HELP)]
pub struct Compare {
    /// The folder of the earlier record
    #[arg(value_name = "A")]
    before: PathBuf,

    /// The folder of the later record, which the gates judge
    #[arg(value_name = "B")]
    after: PathBuf,

    #[command(flatten)]
    gates: Gates,

    /// Tables for people, or one JSON object for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

impl Compare {
    /// Runs the command.
    ///
    /// # Errors
    /// A record that cannot be read, a gate that cannot be judged, an output that cannot be written.
    pub fn run(&self) -> Result<Exit, Error> {
        let (_, before) = Folder::open(&self.before)?;
        let (_, after) = Folder::open(&self.after)?;
        self.gates.fit(&after.plan, Records::Two)?;
        let comparison = Comparison::new(&before, &after);
        let judged =
            gate::judge(self.gates.all(), self.gates.sureness(), &after, |metric: Metric, at, stack| {
                if metric.is_change() {
                    comparison.found(metric, at, stack)
                } else {
                    metric.of(&after.plan.scenarios[at], after.cell(at, stack))
                }
            });
        match self.format {
            Format::Text => {
                let [before, after] = [&self.before, &self.after].map(|it| it.display().to_string());
                let document = comparison_as_document(&comparison, [&before, &after]);
                let mut out = io::stdout().lock();
                shown(write!(out, "{}", terminal(&document, screen::output())))?;
                if !self.gates.all().is_empty() {
                    shown(writeln!(out))?;
                }
                Ok(self.gates.report(&judged, out)?)
            }
            Format::Json => {
                shown(writeln!(io::stdout(), "{}", comparison_as_json(&comparison)))?;
                // Standard output has one object and nothing else.
                Ok(self.gates.report(&judged, io::stderr())?)
            }
        }
    }
}

/// Ignores a reader who has gone away: the gates are judged anyway.
fn shown(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
}
