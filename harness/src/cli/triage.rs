//! `balk triage`: which runs in a pile of logs were stuck.

use std::fmt::Display;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use balk_reports::records::quoted;
use balk_reports::records::seal::plain_lines;
use balk_reports::report::document::html;
use balk_reports::report::gate::Condition;
use clap::Args;
use indicatif::ProgressBar;

use super::context::Context;
use super::document;
use super::format::Medium;
use super::gates;
use super::out;
use super::progress;
use super::recordings::{self, BadLines, Recordings, Sought, Unknown};
use super::say::complain;
use super::threads::threads;
use crate::engine::TruthChannel;
use crate::error::Error;
use crate::exit::Exit;
use crate::files;
use crate::guards::{DEFAULT, Recipes};
use crate::import::Placed;
use crate::import::reading::{Ending, Taken};
use crate::replay::{Found, Item, Replay};
use crate::triage::{self, Metric, Part};

/// Arguments of `balk triage`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Triage {
    /// Transcripts, as `balk replay` reads them: files, folders, or `-` for standard input
    #[arg(required_unless_present = "show", value_name = "FILE|DIR")]
    inputs: Vec<PathBuf>,

    /// Print this place with a few messages around it: the file, the line of the transcript in it, and the message. Of
    /// several transcripts on one line, the second is LINE.2
    #[arg(long, value_name = "FILE:LINE:MESSAGE", conflicts_with_all = ["inputs", "format"])]
    show: Option<Place>,

    /// Merge what `--format json` wrote of parts of a pile. The files have these objects, in the order of the parts.
    /// The output is that of one run over all parts, except that a page shows no run turn by turn
    #[arg(long, conflicts_with_all = ["show", "redact", "from", "tools", "protocol"])]
    merge: bool,

    /// Keep texts, arguments and results out of the output; names of tools and counts stay
    #[arg(long)]
    redact: bool,

    /// Write a table for --tools to start from, into a new file: what each tool can change, guessed from its name and
    /// schema
    #[arg(long, value_name = "FILE")]
    write_tools: Option<PathBuf>,

    /// Fail with exit code 4 under this condition, METRIC OP NUMBER, as in 'stuck_runs>0'; may be given again. Metrics
    /// are stuck_runs and stuck_turns, OP is <, <=, > or >=
    #[arg(long, value_name = "GATE")]
    fail_on: Vec<Condition<Metric>>,

    #[command(flatten)]
    recordings: Recordings,

    /// Text for people, one JSON object for programs, or a page that shows the worst runs turn by turn
    #[arg(long, value_enum, default_value_t = Medium::Text)]
    format: Medium,
}

const AFTER_HELP: &str = "\
A run was stuck if guards of `default` would have spoken to a model without progress in at least two turns that are at
most two turns apart: the model never heard the first, and went on in the same way. What they say of a cut-off answer, a
broken connection or what is open at an end does not count. Nothing leaves this machine.

Exit codes: 0 fine; 2 usage; 3 if a file cannot be opened or read to its end, or no line can be used; 4 if a gate does
not hold.";

/// A place in a recording.
#[derive(Clone, Debug)]
struct Place {
    file: PathBuf,
    line: u64,
    /// The number of the transcript among those that begin on this line, from 1.
    nth: u64,
    message: usize,
}

impl FromStr for Place {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let expected = "expected FILE:LINE:MESSAGE, as in logs/runs.jsonl:12:34";
        let mut parts = text.rsplitn(3, ':');
        let mut next = || parts.next().ok_or(expected);
        let message = next()?.parse().map_err(|_| expected)?;
        let line = next()?;
        let (line, nth) = line.split_once('.').unwrap_or((line, "1"));
        let [line, nth] = [line, nth].map(str::parse);
        let (line, nth) = (line.map_err(|_| expected)?, nth.map_err(|_| expected)?);
        Ok(Self { file: next()?.into(), line, nth, message })
    }
}

impl Triage {
    /// Runs the command.
    ///
    /// # Errors
    /// An invalid command line, an invalid tool table, an output that cannot be written.
    pub fn run(&self, context: &Context) -> Result<Exit, Error> {
        let config = context.config(None)?;
        let recipes = Recipes::new(&context.registry, &config);
        let setting = self.recordings.setting()?;
        let pool = threads(0)?;
        let replay = Replay {
            from: self.recordings.from.from,
            setting: &setting,
            guard: Some(DEFAULT),
            stack: &|spec, channel| recipes.stack(spec, channel),
            pool: &pool,
        };
        recipes.stack(DEFAULT, &TruthChannel::default())?;
        let mut out = BufWriter::new(self.format.output());
        if let Some(place) = &self.show {
            return self.shown(&replay, place, &mut out);
        }
        // Before the reading, which may take long.
        if let Some(file) = self.write_tools.as_deref().filter(|it| it.exists() && !files::is_stream(it)) {
            return Err(taken(file));
        }
        let triage = if self.merge { self.merged()? } else { self.read(&replay, &recipes)? };
        if let Some(file) = &self.write_tools {
            write_tools(file, &triage.tools.starter())?;
        }
        match self.format {
            // Lines of zeros say less than the error.
            Medium::Text | Medium::Html if triage.counts.runs == 0 => {}
            Medium::Text => triage::text::triage(&mut out, &triage)?,
            Medium::Json => triage::json::triage(&mut out, &triage)?,
            Medium::Html => out.write_all(html(&triage::page::page(&triage)).as_bytes())?,
        }
        out.flush()?;
        let judged = self.judge(&triage)?;
        let is_bad = triage.counts.broken_files > 0 || triage.counts.runs == 0;
        Ok(if is_bad { Exit::BadFile } else { judged })
    }

    /// Judges the gates. Standard output has them if it is for people.
    fn judge(&self, triage: &triage::Triage) -> io::Result<Exit> {
        let again = match triage.worst.first() {
            Some(worst) => format!("balk triage --show {}", quoted(&worst.stuck.place())),
            None => "balk triage --help".to_owned(),
        };
        let out: Box<dyn Write> = match self.format {
            Medium::Text => out::people(),
            Medium::Json | Medium::Html => out::aside(),
        };
        gates::judge_counts(&self.fail_on, |it| it.of(&triage.counts), "triage", &again, out)
    }

    fn read(&self, replay: &Replay<'_>, recipes: &Recipes<'_>) -> Result<triage::Triage, Error> {
        let mut triage = triage::Triage::new(self.redact);
        let stack = || recipes.stack(DEFAULT, &TruthChannel::default()).expect("it was made before");
        let mut files = Vec::new();
        for input in &self.inputs {
            match recordings::expand(input) {
                Ok(more) => files.extend(more),
                Err(error) => broken(&mut triage, &error),
            }
        }
        let names: Vec<String> =
            files.iter().map(|file| document::name(&file.path).display().to_string()).collect();
        let total = files.iter().filter_map(|file| file.path.metadata().ok()).map(|it| it.len()).sum();
        let bar = progress::bytes(total);
        let (mut unknown, mut bad) = (Unknown::default(), BadLines::default());
        replay.files(&mut recordings::inputs(&files, &bar.clone()), &mut |batch| {
            bar.suspend(|| {
                for taken in batch {
                    if let Taken::Ended(file, _) = &taken {
                        bad.end(&names[*file]);
                    }
                    match taken {
                        Taken::Found(file, items) => {
                            for item in items {
                                self.complain(&names[file], &item, &mut bad);
                                triage.add(&names[file], item, &stack);
                            }
                        }
                        Taken::Ended(_, Ending::Read(_)) => triage.counts.files += 1,
                        Taken::Ended(file, Ending::Unknown) => unknown.add(&files[file].path),
                        Taken::Ended(file, Ending::Broken { after_line, error }) => {
                            broken(&mut triage, &recordings::broken(&files[file].path, after_line, error));
                        }
                    }
                }
            });
            Ok(())
        })?;
        bar.finish_and_clear();
        unknown.show();
        // A file or folder that could not be used has said so.
        if triage.counts.runs == 0 && triage.counts.broken_files == 0 {
            complain(&recordings::nothing());
        }
        Ok(triage)
    }

    /// The whole of the parts that are in the files.
    fn merged(&self) -> Result<triage::Triage, Error> {
        let mut whole = triage::Triage::new(false);
        for path in &self.inputs {
            let name = document::name(path);
            let mut parts = 0;
            let opened = document::open(path).map_err(|error| Error::unreadable(name, &error))?;
            for (number, line) in (1..).zip(plain_lines(BufReader::new(opened))) {
                let bad = |found: &dyn Display| {
                    let error = Error::file(name, "what `balk triage --format json` wrote of a part", found);
                    Error { place: format!("line {number}").into(), ..error }
                };
                let part: Part =
                    serde_json::from_str(&line.map_err(|it| bad(&it))?).map_err(|it| bad(&it))?;
                if !part.is_sound() {
                    return Err(bad(&"counts that no pile has"));
                }
                whole.merge(part);
                parts += 1;
            }
            // A job that failed leaves an empty file.
            if parts == 0 {
                let expected = "what `balk triage --format json` wrote of a part";
                return Err(Error::file(name, expected, "an empty file").hint("run that part again"));
            }
        }
        if whole.counts.runs == 0 {
            complain(&Error::file(document::name(&self.inputs[0]), "parts with runs", "none"));
        }
        Ok(whole)
    }

    /// Says why a line cannot be used, if it cannot.
    fn complain(&self, name: &str, Item { line, found }: &Item, bad: &mut BadLines) {
        if let Err(reason) = found {
            let mut reason = reason.clone();
            if self.redact {
                reason.redact();
            }
            bad.add(name, *line, &reason);
        }
    }

    /// Prints a place.
    fn shown(&self, replay: &Replay<'_>, place: &Place, out: &mut dyn Write) -> Result<Exit, Error> {
        let name = document::name(&place.file);
        let files = [Sought { path: place.file.clone(), sought: false }];
        let mut entries: Option<Vec<Placed>> = None;
        let mut begun = triage::Begun::default();
        let mut ended = None;
        replay.files(&mut recordings::inputs(&files, &ProgressBar::hidden()), &mut |batch| {
            for taken in batch {
                match taken {
                    Taken::Found(_, items) => {
                        for item in items {
                            if [item.line, begun.nth("", item.line)] != [place.line, place.nth] {
                                continue;
                            }
                            entries = item.found.ok().map(|found| match found {
                                Found::Foreign(it) => it.entries,
                                Found::Own(own) => placed(own.entries),
                            });
                        }
                    }
                    Taken::Ended(_, ending) => ended = Some(ending),
                }
            }
            Ok(())
        })?;
        if let (None, Some(Ending::Broken { after_line, error })) = (&entries, ended) {
            return Err(recordings::broken(&place.file, after_line, error));
        }
        let none = |expected| {
            let mut error = Error::file(name, expected, "none");
            error.place = format!("line {}", place.line).into();
            error.hint("`balk triage` prints places as FILE:LINE:MESSAGE, or FILE:LINE.NUMBER:MESSAGE")
        };
        let entries = entries.ok_or_else(|| none("a transcript"))?;
        if !entries.iter().any(|it| it.message == place.message) {
            return Err(none(&format!("a message with the number {}", place.message)));
        }
        triage::show::around(out, &entries, place.message, self.redact)?;
        out.flush()?;
        Ok(Exit::Fine)
    }
}

/// The entries of one of our records; their indices are its messages.
fn placed(entries: Vec<balk_guards::Entry>) -> Vec<Placed> {
    (0..).zip(entries).map(|(message, entry)| Placed { message, entry }).collect()
}

fn write_tools(file: &Path, table: &str) -> Result<(), Error> {
    files::write_new(file, |out| out.write_all(table.as_bytes())).map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            taken(file)
        } else {
            Error::file(file, "a writable file", error)
        }
    })
}

/// A file for a table is there: it may be one that was corrected by hand.
fn taken(file: &Path) -> Error {
    Error::exists(file).hint("name another file for --write-tools, or remove this one first")
}

/// Says that a file could not be used to its end, and counts it.
fn broken(triage: &mut triage::Triage, error: &Error) {
    triage.counts.broken_files += 1;
    complain(error);
}
