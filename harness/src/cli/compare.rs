//! `balk compare`: what changed from one record of a bench, or of crash tests, to another.

use std::io::{self, Write};
use std::path::PathBuf;

use balk_reports::report::compare::{
    Comparison, comparison_as_document, comparison_as_json, comparison_as_page,
};
use balk_reports::report::crash::Changes;
use balk_reports::report::document::{html, terminal};
use balk_reports::report::gate::{self, Metric};
use clap::Args;

use super::format::Medium;
use super::gates::{Gates, HELP, Records};
use super::out;
use super::report::of_bench;
use super::screen;
use crate::bench::Folder;
use crate::crash::record::{self, RUNS};
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

    /// Tables for people, one JSON object for programs, or a page with forest plots
    #[arg(long, value_enum, default_value_t = Medium::Text)]
    format: Medium,
}

impl Compare {
    /// Runs the command.
    ///
    /// # Errors
    /// A record that cannot be read, a gate that cannot be judged, an output that cannot be written.
    pub fn run(&self) -> Result<Exit, Error> {
        if [&self.before, &self.after].iter().any(|it| it.join(RUNS).is_file()) {
            return self.of_crash();
        }
        for folder in [&self.before, &self.after] {
            of_bench(folder)?;
        }
        let (_, before) = Folder::open(&self.before)?;
        let (_, after) = Folder::open(&self.after)?;
        self.gates.fit(&after.plan, Records::Two)?;
        let comparison = Comparison::new(&before, &after);
        self.gates.fit_both(|gate| comparison.has_a_cell(gate, &after.plan))?;
        let judged =
            gate::judge(self.gates.all(), self.gates.sureness(), &after, |metric: Metric, at, stack| {
                if metric.is_change() {
                    comparison.found(metric, at, stack)
                } else {
                    metric.of(&after.plan.scenarios[at], after.cell(at, stack))
                }
            });
        let [before, after] = [&self.before, &self.after].map(|it| it.display().to_string());
        match self.format {
            Medium::Text => {
                let document = comparison_as_document(&comparison, [&before, &after]);
                let mut out = out::people();
                shown(write!(out, "{}", terminal(&document, screen::output())))?;
                if !self.gates.all().is_empty() {
                    shown(writeln!(out))?;
                }
                Ok(self.gates.report(&judged, out)?)
            }
            Medium::Html => {
                let page = html(&comparison_as_page(&comparison, [&before, &after]));
                shown(out::markup().write_all(page.as_bytes()))?;
                Ok(self.gates.report(&judged, out::aside())?)
            }
            Medium::Json => {
                shown(writeln!(out::json(), "{}", comparison_as_json(&comparison)))?;
                // Standard output has one object and nothing else.
                Ok(self.gates.report(&judged, out::aside())?)
            }
        }
    }
}

impl Compare {
    /// The same for two folders of `balk crash`, which have no gates of their own.
    fn of_crash(&self) -> Result<Exit, Error> {
        if !self.gates.all().is_empty() {
            let hint = "`balk crash --fail-on` has gates on what real agents do";
            return Err(
                Error::usage("--fail-on", "two folders of balk bench", "folders of balk crash").hint(hint)
            );
        }
        let changes = Changes::new(&record::read(&self.before)?, &record::read(&self.after)?);
        shown(match self.format {
            Medium::Text => write!(out::people(), "{}", terminal(&changes.document(), screen::output())),
            Medium::Html => out::markup().write_all(html(&changes.page()).as_bytes()),
            Medium::Json => {
                writeln!(out::json(), "{}", serde_json::to_string_pretty(&changes).map_err(io::Error::from)?)
            }
        })?;
        Ok(Exit::Fine)
    }
}

/// Ignores a reader who has gone away: the gates are judged anyway.
fn shown(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
}
