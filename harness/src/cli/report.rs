//! `balk report`: what the record of a bench shows.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use balk_reports::records::Beside;
use balk_reports::report::{
    BadMarker, Report as Tables, Section, bench_report, csv, document::markdown, junit, splice,
};
use clap::{Args, ValueEnum};

use crate::bench::Folder;
use crate::error::Error;
use crate::exit::Exit;
use crate::{files, live};

/// Arguments of `balk report`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Report {
    /// A folder of `balk bench --out` or `balk merge --out`
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// How it is written
    #[arg(long, value_enum, default_value_t = Form::Markdown)]
    format: Form,

    /// A file to write, instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// A file in which to replace what stands between <!-- balk report NAME --> and <!-- end -->
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "out"])]
    splice: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Everything is computed from DIR/bench.jsonl, from the measured cost, if there is any (`timed` in DIR/meta.json, and
DIR/instructions.json), and in a live record from DIR/judge.tsv and DIR/reactions.json. The same files give the same
bytes. `balk schema report`
prints the form of the JSON.

JUnit fails a stack that is under test on a scenario where something was done twice or a guard broke.

Names for --splice: short, live, stacks, ranking, default, runs, healthy, models, false-interventions, sensitivity,
lapses, cost, scenarios, command, limits.";

/// How a report is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// For people, and for GitHub
    Markdown,
    /// All tables, for programs
    Json,
    /// One row for each scenario and stack
    Csv,
    /// For continuous integration
    Junit,
}

impl Report {
    /// Runs the command.
    ///
    /// # Errors
    /// A record or a table of judgements that cannot be read, an invalid marker, a file that cannot be written (it is
    /// then unchanged).
    pub fn run(&self) -> Result<Exit, Error> {
        let (folder, bench) = Folder::open(&self.folder)?;
        for path in self.out.iter().chain(&self.splice) {
            if folder.holds(path) {
                let file = Error::file(path, "a file to write", "a file that the report is made from");
                return Err(file.hint("name another file"));
            }
        }
        let judged = folder.sample().map_or_else(|| Ok(Vec::new()), |table| live::judged(&table))?;
        let reactions = Folder::reactions(&self.folder)?;
        let tables = Tables::new(&bench, &Beside { cost: folder.cost()?, judged, reactions });
        if let Some(path) = &self.splice {
            return splice_into(path, &tables).map(|()| Exit::Fine);
        }
        let text = match self.format {
            Form::Markdown => markdown(&bench_report(&tables)),
            Form::Json => serde_json::to_string_pretty(&tables).map_err(std::io::Error::from)? + "\n",
            Form::Csv => csv::render(&tables),
            Form::Junit => junit::render(&tables, &junit::safety(&tables)),
        };
        match &self.out {
            Some(path) => write(path, &text)?,
            None => std::io::stdout().lock().write_all(text.as_bytes())?,
        }
        Ok(Exit::Fine)
    }
}

/// Replaces the sections of a file, all or none.
fn splice_into(path: &Path, tables: &Tables) -> Result<(), Error> {
    let text =
        fs::read_to_string(path).map_err(|error| Error::file(path, "a text file with markers", error))?;
    let section = |name: &str| match Section::named(name) {
        Some(section) => Ok(markdown(&section.document(tables))),
        None => Err(Section::ALL.map(Section::name).join(", ")),
    };
    let spliced = splice(&text, section).map_err(|BadMarker { line, expected, found }| {
        let place = if line > 0 { format!("line {line}") } else { String::new() };
        Error { place: place.into(), ..Error::file(path, &expected, found) }
    })?;
    write(path, &spliced)
}

/// Writes a file. A symbolic link stays one: the file that it leads to is written.
fn write(path: &Path, text: &str) -> Result<(), Error> {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    files::write_whole(&real, |out| out.write_all(text.as_bytes()))
        .map_err(|error| Error::file(path, "a writable file", error))
}
