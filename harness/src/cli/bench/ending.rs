//! The end of a bench: its table and the next command, or how to resume.

use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use balk_reports::records::{Bench as Record, Beside, quoted};
use balk_reports::report::document::{Block, Document, paragraph, terminal};
use balk_reports::report::{Report, Section, gate, lapses};

use crate::cli::gates::Gates;
use crate::cli::out;
use crate::cli::say::say;
use crate::cli::screen;
use crate::exit::Exit;
use crate::program;

/// The facts that the end depends on.
pub(in crate::cli) struct Ending<'a> {
    pub(in crate::cli) gates: &'a Gates,
    /// The folder of the record, if it is kept.
    pub(in crate::cli) out: Option<&'a Path>,
    /// Whether the bench covers only a part of the seeds.
    pub(in crate::cli) is_part: bool,
    /// Whether the command already resumes a record.
    pub(in crate::cli) resumes: bool,
}

impl Ending<'_> {
    /// Shows the table of the stacks, then the result of the gates (or, without gates, what went wrong), and the next
    /// command.
    pub(in crate::cli) fn end(&self, record: &Record) -> io::Result<Exit> {
        let mut out = out::people();
        unless_left(writeln!(out, "{}", terminal(&stacks(record), screen::output())))?;
        let gates = self.gates.all();
        let exit = if gates.is_empty() {
            unless_left(write!(out, "{}", terminal(&lapses(record, program::own), screen::output())))?;
            Exit::Fine
        } else {
            let found = |metric: gate::Metric, scenario: usize, stack: usize| {
                metric.of(&record.plan.scenarios[scenario], record.cell(scenario, stack))
            };
            self.gates.report(&gate::judge(gates, self.gates.sureness(), record, found), &mut out)?
        };
        unless_left(writeln!(out, "\nnext: {}", self.next()))?;
        Ok(exit)
    }

    /// The next command for the record.
    fn next(&self) -> String {
        let Some(folder) = self.out else {
            let report = program::command("report DIR");
            return format!("run it again with --out DIR to keep the record for `{report}`");
        };
        let folder = quoted(&folder.display().to_string());
        if self.is_part {
            let merge = program::command(&format!("merge {folder} OTHER… --out WHOLE"));
            return format!("{merge}, when the other parts are done");
        }
        let [report, compare] =
            ["report", "compare"].map(|command| program::command(&format!("{command} {folder}")));
        format!("{report}\n      {compare} OTHER, with another record")
    }

    /// Says what an interrupted bench has kept, and how to resume it.
    pub(in crate::cli) fn interrupted(&self, done: u64, of: u64) -> Exit {
        match self.out {
            None => {
                say(format_args!("interrupted after {done} of {of} units: without --out DIR nothing is kept"))
            }
            Some(folder) => {
                let resume = if self.resumes { "" } else { " --resume" };
                say(format_args!(
                    "interrupted: {done} of {of} units are done and kept in {}\ncontinue with: {}{resume}",
                    folder.display(),
                    program::command_line()
                ));
            }
        }
        Exit::Interrupted
    }
}

/// Ignores a reader who has gone away: this does not change how the bench ends.
fn unless_left(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Ok(()) | Err(_) => written,
    }
}

/// What the columns of the table mean, as short as can be; the report has it in full.
const COLUMNS: &str = "\
In brackets are 95 % intervals; behind them n, and the effective n. Recovered: of stuck runs whose goal can be \
reached. Saved minus lost: done here and not in the first row, minus the reverse. Healthy runs lost: of controls. \
False: interventions in healthy turns. Told: of runs whose goal cannot be reached, those that end with the user \
informed. Tokens: as a multiple of the first row.";

/// The table of the stacks, without the prose around it, which the report has.
fn stacks(record: &Record) -> Document {
    let mut stacks = Section::Stacks.document(&Report::new(record, &Beside::default()));
    stacks.blocks.retain(|it| matches!(it, Block::Table(_) | Block::Heading { .. }));
    stacks.push(paragraph(COLUMNS));
    stacks
}
