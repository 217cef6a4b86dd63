//! `balk replay`: what guards would have done in recorded transcripts.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use balk_reports::report::document::{html, terminal};
use clap::Args;
use indicatif::ProgressBar;

use super::context::Context;
use super::document;
use super::format::Medium;
use super::progress;
use super::recordings::{self, BadLines, Recordings, Sought, Unknown};
use super::say::complain;
use super::screen;
use super::threads::threads;
use crate::bench::Folder;
use crate::error::Error;
use crate::exit::Exit;
use crate::guards::Recipes;
use crate::import::reading::{Ending, Taken};
use crate::redact;
use crate::replay::judged::{self, Judged};
use crate::replay::page::Page;
use crate::replay::{self, Found, Item, Summary, labels};

/// Arguments of `balk replay`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Replay {
    /// Files with recorded runs, plain, gzip or zstd. In a folder, all files in it and below it
    /// that have some are read, sorted by name. `-` is standard input
    #[arg(required = true, value_name = "FILE|DIR")]
    inputs: Vec<PathBuf>,

    /// Guards to ask: none, default, or NAME[=VARIANT][{key=value,…}], separated by commas [default: `default`, and for
    /// Balk's own records the guards that they name]
    #[arg(long, value_name = "GUARDS")]
    guard: Option<String>,

    /// A TOML file with settings of guards, a table for each [default: balk.toml in this folder or the nearest one
    /// above it]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    #[command(flatten)]
    recordings: Recordings,

    /// Judged points of the transcripts, to compare firings with: a TSV file, described below
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,

    /// Keep texts, arguments and results out of the output; names of files, tools and transcripts stay, and so do
    /// counts
    #[arg(long)]
    redact: bool,

    /// Text for people, one JSON object per line for programs, or a page that shows runs with firings turn by turn
    #[arg(long, value_enum, default_value_t = Medium::Text)]
    format: Medium,

    /// With `--format json`, a line for each transcript as well, before what guards would have done in it
    #[arg(long)]
    runs: bool,

    /// Threads; 0 takes one for each core. The output is the same for any number
    #[arg(long, default_value_t = 0, value_name = "N")]
    jobs: usize,
}

const AFTER_HELP: &str = "\
Logs of many agents and providers are read as they are; `balk import --help` says more. The plainest form, which `balk
import` writes, has one transcript a line: {\"id\", \"model\", \"outcome\": \"resolved\"|\"failed\"|\"unknown\",
\"messages\": [{\"role\": \"system\"|\"user\"|\"assistant\"|\"tool\", \"content\", \"tool_calls\": [{\"id\",
\"function\": {\"name\", \"arguments\"}}], \"tool_call_id\", \"is_error\"}], \"tools\"}. Only messages are required;
other members are ignored. A content may be a list of parts. The tools are those of a request; without them, only tools
that were called count as on offer.

The recorded model never saw these guards, so each firing is treated as one that the model ignored. Firings at most two
turns apart form one stretch, of which the first counts. Where a guard would have ended the run, the transcript ends for
it too: it is asked nothing about the turns after that, and they are counted apart. A question ends nothing.

Lines that are records of trials (`balk scenario NAME --format json`) are recognised. Their entries are replayed as they
are, and nothing is inserted. The guards that a record names must decide as recorded, with the settings that they had
(--config; a record does not have them); the first difference is shown, with its turn. Other guards are asked what they
would have done in the same transcripts.

With --labels, firings are compared with points that readers judged. The columns, separated by tabs, are
  trajectory_id message_index label kind onset confidence control weight reason
- trajectory_id: the id of a transcript; message_index: the place of the judged message of the assistant, from 0
- label: stuck, legit or unsure; kind: a word for the repetition; onset: where the stuck stretch began, or -
- confidence: 1 to 3; control: 1 for a point that was drawn where nothing looked odd, else 0
- weight: how many points of the pool this one represents; reason: the deciding fact
A column `place` (FILE:LINE:MESSAGE, for `balk triage --show`) may come last, and lines that begin with # may come
first. `balk label` writes such files. A transcript is found by its id alone, whatever its place was.
A guard hits a point if it fires at it, or at most three messages of the assistant before it. Firings only after a
point, at most three messages, are a column of their own and in no share. Pool recall is the weight of the stuck points
that are hit, of all stuck points. Precision is the weight of the stuck points that are hit, of all stuck and legit
points that are hit. Unsure points count for neither. The pool has only what drew attention when it was made. Stretches
of firings near no judged point (before or after it) are counted, and the JSON form lists them.

Text shows the beginning of each message; the JSON form has it whole. An empty answer is a failed attempt and no turn.

A bad line is reported, counted and skipped. Exit codes: 0 fine, with or without bad lines; 2 usage; 3 if labels are bad
(nothing is replayed then) or of none of the transcripts, if a file cannot be opened or read to its end, or if no line
of any file can be used; 4 if the guards of a record do not decide as recorded; 6 if a guard broke. The report is
written before a non-zero exit.";

impl Replay {
    /// Runs the command.
    ///
    /// # Errors
    /// An invalid command line, an invalid tool table, an output that cannot be written.
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        if self.runs && self.format != Medium::Json {
            return Err(Error::usage("--runs", "--format json beside it", "another format"));
        }
        let config = context.config(self.config.as_deref())?;
        let recipes = Recipes::new(&context.registry, &config);
        if let Some(guard) = &self.guard {
            recipes.allow(guard)?;
        }
        let setting = self.recordings.setting()?;
        let mut points = self.labels.as_deref().map(labels::read).transpose()?;
        if self.redact {
            // A reader's reason tells what is in the transcript.
            points.iter_mut().flatten().for_each(|it| it.reason = redact::text(&it.reason).into());
        }
        let judged = points.map(Judged::new);
        let pool = threads(self.jobs)?;
        let replay = replay::Replay {
            from: self.recordings.from.from,
            setting: &setting,
            guard: self.guard.as_deref(),
            stack: &|spec, channel| recipes.stack(spec, channel),
            pool: &pool,
        };
        let mut report = Report::new(self.format, self.runs, self.redact, judged);
        let mut files = Vec::new();
        for input in &self.inputs {
            match Folder::check_named(input).and_then(|()| recordings::expand(input)) {
                Ok(more) => files.extend(more),
                Err(error) => report.complain(&error),
            }
        }
        report.expect_bytes(&files);
        report.replay(&replay, &files)?;
        report.finish(self.labels.as_deref())
    }
}

/// The output of a replay, written as it proceeds.
struct Report {
    format: Medium,
    runs: bool,
    redacts: bool,
    out: BufWriter<Box<dyn Write + Send>>,
    bar: ProgressBar,
    summary: Summary,
    unknown: Unknown,
    judged: Option<Judged>,
    page: Page,
}

impl Report {
    fn new(format: Medium, runs: bool, redacts: bool, judged: Option<Judged>) -> Self {
        let bar = ProgressBar::hidden();
        Self {
            format,
            runs,
            redacts,
            page: Page::new(redacts),
            out: BufWriter::new(format.output()),
            bar,
            summary: Summary::default(),
            unknown: Unknown::default(),
            judged,
        }
    }

    /// Shows progress over these files from now on.
    fn expect_bytes(&mut self, files: &[Sought]) {
        let total = files.iter().filter_map(|file| file.path.metadata().ok()).map(|it| it.len()).sum();
        self.bar = progress::bytes(total);
    }

    fn replay(&mut self, replay: &replay::Replay, files: &[Sought]) -> Result<(), Error> {
        let names: Vec<String> =
            files.iter().map(|file| document::name(&file.path).display().to_string()).collect();
        // Output would break a bar on the same terminal.
        let bar = self.bar.clone();
        let mut bad = BadLines::default();
        replay.files(&mut recordings::inputs(files, &bar), &mut |batch| {
            bar.suspend(|| {
                batch.into_iter().try_for_each(|taken| match taken {
                    Taken::Found(file, items) => items.into_iter().try_for_each(|item| {
                        let item = if self.redacts { item.redacted() } else { item };
                        if let Err(reason) = &item.found {
                            bad.add(&names[file], item.line, reason);
                        }
                        self.item(&names[file], &item)
                    }),
                    Taken::Ended(file, ending) => {
                        bad.end(&names[file]);
                        self.ended(&files[file].path, ending);
                        Ok(())
                    }
                })
            })?;
            let transcripts = self.summary.total.transcripts + self.summary.own.records;
            bar.set_message(format!("{transcripts} transcripts"));
            Ok(())
        })?;
        Ok(())
    }

    fn ended(&mut self, path: &Path, ending: Ending) {
        match ending {
            Ending::Read(format) => self.summary.add_file(format),
            Ending::Unknown => self.unknown.add(path),
            Ending::Broken { after_line, error } => {
                self.complain(&recordings::broken(path, after_line, error));
            }
        }
    }

    /// One line of a file.
    fn item(&mut self, source: &str, item: &Item) -> io::Result<()> {
        self.summary.add(source, item);
        match (self.format, &item.found) {
            (Medium::Html, _) => {
                self.page.add(source, item);
                Ok(())
            }
            (Medium::Json, _) => replay::json::item(&mut self.out, source, item, self.runs),
            (Medium::Text, Ok(Found::Foreign(replayed))) => {
                replay::text::transcript(&mut self.out, source, item.line, replayed)
            }
            (Medium::Text, Ok(Found::Own(own))) => replay::text::own(&mut self.out, source, item.line, own),
            (Medium::Text, Err(_)) => Ok(()),
        }?;
        match (&mut self.judged, &item.found) {
            (Some(judged), Ok(Found::Foreign(replayed))) => {
                let stretches = judged.add(replayed);
                match self.format {
                    Medium::Text | Medium::Html => Ok(()),
                    Medium::Json => stretches.iter().try_for_each(|first| {
                        judged::json::stretch(&mut self.out, source, item.line, replayed, first)
                    }),
                }
            }
            (Some(_) | None, _) => Ok(()),
        }
    }

    /// Counts and reports a file that could not be used to its end.
    fn complain(&mut self, error: &Error) {
        self.summary.broken_files += 1;
        complain(error);
    }

    /// Writes the sums, and returns the exit code. Points that were judged come from this file.
    fn finish(mut self, labels: Option<&Path>) -> Result<Exit, Error> {
        self.bar.finish_and_clear();
        match self.format {
            // A table of zeros says less than the error below.
            Medium::Text | Medium::Html if self.summary.is_empty() => {}
            Medium::Html => {
                let page = self.page.document(&self.summary, self.judged.as_ref());
                self.out.write_all(html(&page).as_bytes())?;
            }
            Medium::Text => {
                let mut document = replay::text::summary(&self.summary);
                if let Some(judged) = &self.judged {
                    document.blocks.extend(judged::text::judged(judged).blocks);
                }
                write!(self.out, "{}", terminal(&document, screen::output()))?;
            }
            Medium::Json => {
                if let Some(judged) = &self.judged {
                    judged::json::judged(&mut self.out, judged)?;
                }
                replay::json::summary(&mut self.out, &self.summary)?;
            }
        }
        self.out.flush()?;
        self.unknown.show();
        // A file or folder that could not be used has said so.
        if self.summary.is_empty() && self.summary.broken_files == 0 {
            complain(&recordings::nothing());
        }
        let is_of_others = self.judged.as_ref().is_some_and(Judged::is_of_others);
        let of_others = labels.filter(|_| is_of_others && !self.summary.is_empty());
        if let Some(labels) = of_others {
            complain(&recordings::not_of_these(labels));
        }
        Ok(if self.summary.guard_faults > 0 {
            Exit::GuardFault
        } else if self.summary.broken_files > 0 || self.summary.is_empty() || of_others.is_some() {
            Exit::BadFile
        } else if self.summary.own.broken > 0 {
            Exit::Unmet
        } else {
            Exit::Fine
        })
    }
}
