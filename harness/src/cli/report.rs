//! `balk report`: what the record of a bench, or of crash tests, shows.

mod trials;

use std::io::Write;
use std::path::{Path, PathBuf};

use balk_reports::records::Beside;
use balk_reports::records::crash::Record;
use balk_reports::report::document::{html, markdown};
use balk_reports::report::page::{Beside as Page, bench_page};
use balk_reports::report::{BadMarker, Report as Tables, Section, bench_report, crash, csv, junit, splice};
use clap::{Args, ValueEnum};
use serde::Serialize;

use super::context::Context;
use super::document;
use super::out;
use crate::bench::{Folder, RECORD};
use crate::crash::record::{self, RUNS};
use crate::error::Error;
use crate::exit::Exit;
use crate::guards::Recipe;
use crate::{files, input, live};

/// Arguments of `balk report`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Report {
    /// A folder of `balk bench --out`, `balk merge --out` or `balk crash --out`; several of `balk crash`
    #[arg(value_name = "DIR", required = true)]
    folder: Vec<PathBuf>,

    /// How it is written
    #[arg(long, value_enum, default_value_t = Form::Markdown)]
    format: Form,

    /// A file to write [default: `-`, standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// A file in which to replace what stands between <!-- balk report NAME --> and <!-- end -->
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "out"])]
    splice: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Everything is computed from DIR/bench.jsonl, from the measured cost, if there is any (`timed` in DIR/meta.json, and
DIR/instructions.json), and in a live record from DIR/judge.tsv and DIR/reactions.json. The same files give the same
bytes. `balk schema report` prints the form of the JSON.

With --format html and --out FILE, the kept transcripts (`balk bench --keep-transcripts`) of the trials that the page
names become pages of their own in the folder FILE-trials, without the ending of FILE, beside it.

JUnit fails a stack that is under test on a scenario where something was done twice or a guard broke.

Names for --splice: short, live, stacks, ranking, default, runs, healthy, models, false-interventions, sensitivity,
lapses, cost, scenarios, command, limits.

Folders of `balk crash` are read from DIR/runs.json. If there are several, their runs are in one report, and those that
are in more than one are compared. `balk schema crash-report` prints the form of the JSON. JUnit fails a run that was
silent, ran on or crashed, and a false alarm. Names for --splice: short, agents, runs, command.";

/// How a report is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// For people, and for GitHub
    Markdown,
    /// For people with a browser: one file with figures, which asks for nothing else
    Html,
    /// All tables, for programs
    Json,
    /// One row for each scenario and stack
    Csv,
    /// For continuous integration
    Junit,
}

impl Form {
    /// Standard output for it. A log may be made of each, so that no line of it is one which a log obeys.
    fn output(self) -> Box<dyn Write + Send> {
        match self {
            Self::Markdown | Self::Csv => out::people(),
            Self::Html | Self::Junit => out::markup(),
            Self::Json => out::json(),
        }
    }
}

/// Refuses a folder without the record of a bench, once it is known to have none of crash tests.
pub(super) fn of_bench(folder: &Path) -> Result<(), Error> {
    if folder.join(RECORD).exists() {
        return Ok(());
    }
    let expected = format!("a folder of balk bench, with {RECORD}, or of balk crash, with {RUNS}");
    Err(Error::file(folder, &expected, "neither file"))
}

impl Report {
    /// Runs the command.
    ///
    /// # Errors
    /// A record or a table of judgements that cannot be read, an invalid marker, a file that cannot be written (it is
    /// then unchanged).
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        if let Some(out) = self.out.as_deref().filter(|it| !document::is_standard(it)) {
            files::check_place(out).map_err(|error| Error::file(out, "a writable file", error))?;
        }
        let is_of_crash = |folder: &PathBuf| folder.join(RUNS).is_file();
        if self.folder.iter().any(is_of_crash) {
            let twice =
                |at: &usize| self.folder[..*at].iter().any(|it| files::is_same(it, &self.folder[*at]));
            if let Some(at) = (1..self.folder.len()).find(twice) {
                let found = format!("{} twice", self.folder[at].display());
                return Err(Error::usage("DIR", "different folders", found));
            }
            let records: Vec<Record> =
                self.folder.iter().map(|it| record::read(it)).collect::<Result<_, _>>()?;
            let is_source = |path: &Path| {
                self.folder.iter().zip(&records).any(|(folder, record)| record::holds(folder, record, path))
            };
            let report = crash::Report::new(&records);
            return self.show(&report, || Ok(html(&crash::crash_report(&report))), is_source);
        }
        let [path] = &*self.folder else {
            let hint =
                "`balk merge` puts the records of a bench together; several folders are for `balk crash`";
            return Err(Error::usage("DIR", "one folder of a bench", self.folder.len()).hint(hint));
        };
        of_bench(path)?;
        let (folder, bench) = Folder::open(path)?;
        let judged = folder.sample()?.map_or_else(|| Ok(Vec::new()), |table| live::judged(&table))?;
        let reactions = Folder::reactions(path)?;
        let tables = Tables::new(&bench, &Beside { cost: folder.cost()?, judged, reactions });
        let page = || {
            // Only a file has a folder beside it.
            let links = match &self.out {
                Some(out) if !document::is_standard(out) && !files::is_stream(out) => {
                    trials::write(&folder, &bench, out)?
                }
                Some(_) | None => trials::Links::new(),
            };
            let role = |stack: &str| Recipe::role(&context.registry, stack);
            let trial = |scenario, stack, seed| links.get(&(scenario, stack, seed)).cloned();
            Ok(html(&bench_page(&bench, &tables, Page { role: &role, trial: &trial })))
        };
        self.show(&tables, page, |path| folder.holds(path))
    }

    /// Writes the report in the form and to the place that was asked for. No file that it is made from is replaced.
    fn show(
        &self,
        report: &impl Shown,
        page: impl FnOnce() -> Result<String, Error>,
        is_source: impl Fn(&Path) -> bool,
    ) -> Result<Exit, Error> {
        if let Some(path) = self.out.iter().chain(&self.splice).find(|it| is_source(it)) {
            let file = Error::file(path, "a file to write", "a part of the record that the report shows");
            return Err(file.hint("name another file"));
        }
        if let Some(path) = &self.splice {
            return splice_into(path, report).map(|()| Exit::Fine);
        }
        let text = match self.format {
            Form::Markdown => report.markdown(),
            Form::Html => page()?,
            Form::Json => serde_json::to_string_pretty(report).map_err(std::io::Error::from)? + "\n",
            Form::Csv => report.csv(),
            Form::Junit => report.junit(),
        };
        match &self.out {
            Some(path) if !document::is_standard(path) => write(path, &text)?,
            Some(_) | None => self.format.output().write_all(text.as_bytes())?,
        }
        Ok(Exit::Fine)
    }
}

/// A report that can be written in every form.
trait Shown: Serialize {
    fn markdown(&self) -> String;
    fn csv(&self) -> String;
    fn junit(&self) -> String;
    /// The section of this name, or else the names that there are.
    fn section(&self, name: &str) -> Result<String, String>;
}

impl Shown for Tables {
    fn markdown(&self) -> String {
        markdown(&bench_report(self))
    }

    fn csv(&self) -> String {
        csv::render(self)
    }

    fn junit(&self) -> String {
        junit::render(self, &junit::safety(self))
    }

    fn section(&self, name: &str) -> Result<String, String> {
        let section = Section::named(name).ok_or_else(|| Section::ALL.map(Section::name).join(", "))?;
        Ok(markdown(&section.document(self)))
    }
}

impl Shown for crash::Report {
    fn markdown(&self) -> String {
        markdown(&crash::crash_report(self))
    }

    fn csv(&self) -> String {
        crash::csv(self)
    }

    fn junit(&self) -> String {
        crash::junit(self)
    }

    fn section(&self, name: &str) -> Result<String, String> {
        use crash::Section;
        let section = Section::named(name).ok_or_else(|| Section::ALL.map(Section::name).join(", "))?;
        Ok(markdown(&section.document(self)))
    }
}

/// Replaces the sections of a file, all or none.
fn splice_into(path: &Path, report: &impl Shown) -> Result<(), Error> {
    let text = input::text(path)?;
    let spliced =
        splice(&text, |name| report.section(name)).map_err(|BadMarker { line, expected, found }| {
            let place = if line > 0 { format!("line {line}") } else { String::new() };
            Error { place: place.into(), ..Error::file(path, &expected, found) }
        })?;
    write(path, &spliced)
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    files::write_one(path, |out| out.write_all(text.as_bytes()))
        .map_err(|error| Error::file(path, "a writable file", error))
}
