//! `balk import`: recorded runs of other agents, in one form.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use balk_reports::report::document::{Document, terminal};
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;

use super::out;
use super::recordings::{self, From, Sought, Unknown};
use super::say::{complain, say};
use super::threads::threads;
use super::{document, progress, screen};
use crate::error::Error;
use crate::exit::Exit;
use crate::files;
use crate::import::reading::{Ending, Reading, Taken};
use crate::import::{BadLine, Carried, Piece, Recording, Source, atif, neutral};
use crate::replay::text::table;

/// Arguments of `balk import`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Import {
    /// Files with recorded runs, plain, gzip or zstd. In a folder, all files in it and below it
    /// that have some are read, sorted by name. `-` is standard input
    #[arg(required = true, value_name = "FILE|DIR")]
    inputs: Vec<PathBuf>,

    #[command(flatten)]
    from: From,

    /// What to write
    #[arg(long, value_enum, default_value_t = Form::Neutral)]
    format: Form,

    /// A new file to write to [default: `-`, standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Threads; 0 takes one for each core. The output is the same for any number
    #[arg(long, default_value_t = 0, value_name = "N")]
    jobs: usize,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// One transcript a line, as `balk replay` reads it: messages of OpenAI chat with a few members more
    Neutral,
    /// One transcript a line, as a trajectory of ATIF
    Atif,
    /// A table of the formats that were found, and of what is unknown in each
    Summary,
}

impl Form {
    /// Standard output for it.
    fn output(self) -> Box<dyn Write + Send> {
        match self {
            Self::Neutral | Self::Atif => out::json(),
            Self::Summary => out::people(),
        }
    }
}

const AFTER_HELP: &str = "\
The format of a file is recognised by what it has inside, not by its name. Where a file has one run a line, lines may
differ in format. A file that is nearly of a format that is known says what is missing.

What a format does not carry stays unknown: whether a tool failed, the result of a call, the model, how a run ended.
Nothing is guessed from texts.

A part that cannot be used is reported with its file, line and place, and the rest is read. Exit codes: 0 fine, with or
without bad parts; 2 usage; 3 if a file cannot be opened or read to its end, or if nothing can be used.";

/// The number of bad parts that are shown per file; all are counted.
const BAD_SHOWN: u64 = 20;

impl Import {
    /// Runs the command.
    ///
    /// # Errors
    /// An invalid command line, an output that cannot be written.
    pub fn run(&self) -> Result<Exit, Error> {
        let pool = threads(self.jobs)?;
        let out = self.out.as_deref().filter(|it| !document::is_standard(it));
        let expected = "a new file in a folder that is there";
        if let Some(path) = out {
            files::check_place(path).map_err(|error| Error::file(path, expected, error))?;
        }
        let mut sums = Sums::default();
        let mut files = Vec::new();
        for input in &self.inputs {
            match recordings::expand(input) {
                Ok(more) => files.extend(more),
                Err(error) => sums.broken(&error),
            }
        }
        let bar =
            progress::bytes(files.iter().filter_map(|it| it.path.metadata().ok()).map(|it| it.len()).sum());
        let reading = Reading { from: self.from.from, pool: &pool };
        // Whether something was found.
        let mut write = |out: &mut dyn Write| {
            self.write(&reading, &files, &bar, &mut sums, out)?;
            out.flush().map(|()| sums.total.transcripts > 0)
        };
        match out {
            None => drop(write(&mut BufWriter::new(self.format.output()))?),
            // Where nothing was found, no file is made.
            Some(path) => {
                let mut is_some = true;
                let written = files::write_new(path, |out| {
                    is_some = write(out)?;
                    if is_some { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
                });
                match written {
                    Err(error) if is_some && error.kind() == io::ErrorKind::AlreadyExists => {
                        return Err(Error::exists(path));
                    }
                    Err(error) if is_some => return Err(Error::file(path, expected, error)),
                    Ok(()) | Err(_) => {}
                }
            }
        }
        sums.unknown.show();
        let nothing = sums.total.transcripts == 0;
        if nothing && sums.broken == 0 {
            say(format_args!("error: expected recorded runs, found none"));
        }
        Ok(if nothing || sums.broken > 0 { Exit::BadFile } else { Exit::Fine })
    }

    fn write(
        &self,
        reading: &Reading,
        files: &[Sought],
        bar: &ProgressBar,
        sums: &mut Sums,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let names: Vec<String> =
            files.iter().map(|it| document::name(&it.path).display().to_string()).collect();
        let work = |file: usize, piece: &Piece| self.parts(reading, &names[file], piece);
        reading.read(&mut recordings::inputs(files, bar), &work, &mut |batch| {
            // Messages would break a bar on the same terminal.
            bar.suspend(|| {
                batch.into_iter().try_for_each(|taken| match taken {
                    Taken::Found(file, parts) => {
                        parts.into_iter().try_for_each(|part| sums.part(&names[file], part, out))
                    }
                    Taken::Ended(file, ending) => {
                        sums.ended(&files[file], &names[file], ending);
                        Ok(())
                    }
                })
            })
        })?;
        bar.finish_and_clear();
        match self.format {
            Form::Neutral | Form::Atif => Ok(()),
            Form::Summary => write!(out, "{}", terminal(&sums.document(), screen::output())),
        }
    }

    fn parts(&self, reading: &Reading, file: &str, piece: &Piece) -> Vec<Part> {
        let parts = piece.recordings(reading.from).into_iter();
        parts
            .map(|(line, found)| Part { line, found: found.map(|it| self.written(file, line, &it)) })
            .collect()
    }

    fn written(&self, file: &str, line: u64, recording: &Recording) -> (Carried, String) {
        let text = match self.format {
            Form::Neutral => neutral(recording, Some(Source { file, line })) + "\n",
            Form::Atif => atif(recording) + "\n",
            Form::Summary => String::new(),
        };
        (Carried::of(recording), text)
    }
}

/// A part of a file: what it carries, and the text to write.
struct Part {
    line: u64,
    found: Result<(Carried, String), BadLine>,
}

/// What was read.
#[derive(Default)]
struct Sums {
    total: Carried,
    /// Files, bad parts and counts by format.
    formats: BTreeMap<&'static str, (u64, u64, Carried)>,
    /// Counts of the file that is being read, and its bad parts.
    file: Carried,
    bad: u64,
    broken: u64,
    unknown: Unknown,
}

/// The row of files that have no format as a whole.
const NO_FORMAT: &str = "(none)";

impl Sums {
    fn broken(&mut self, error: &Error) {
        self.broken += 1;
        complain(error);
    }

    fn part(&mut self, name: &str, part: Part, out: &mut dyn Write) -> io::Result<()> {
        match part.found {
            Ok((carried, text)) => {
                self.file += carried;
                out.write_all(text.as_bytes())
            }
            Err(bad) => {
                self.bad += 1;
                if self.bad <= BAD_SHOWN {
                    say(format_args!("{name}:{}: {bad}", part.line));
                }
                Ok(())
            }
        }
    }

    fn ended(&mut self, file: &Sought, name: &str, ending: Ending) {
        let (carried, bad) = (std::mem::take(&mut self.file), std::mem::take(&mut self.bad));
        if bad > BAD_SHOWN {
            say(format_args!("{name}: {} more bad parts, not shown", bad - BAD_SHOWN));
        }
        let format = match ending {
            Ending::Unknown => return self.unknown.add(&file.path),
            Ending::Read(format) => format,
            Ending::Broken { after_line, error } => {
                self.broken(&recordings::broken(&file.path, after_line, error));
                None
            }
        };
        self.total += carried;
        let (files, bad_parts, sum) =
            self.formats.entry(format.map_or(NO_FORMAT, |it| it.name())).or_default();
        *files += 1;
        *bad_parts += bad;
        *sum += carried;
    }

    /// The table of the formats.
    fn document(&self) -> Document {
        let columns = [
            "files",
            "bad parts",
            "transcripts",
            "turns",
            "calls",
            "without result",
            "unknown status",
            "no model",
            "no outcome",
            "no tools listed",
            "no times",
            "no tokens",
        ];
        let rows = self.formats.iter().map(|(name, (files, bad, it))| {
            let Carried { transcripts, turns, calls, without_result, unknown_status, .. } = *it;
            let counts = [*files, *bad, transcripts, turns, calls, without_result, unknown_status];
            let unknown =
                [it.without_model, it.without_outcome, it.without_tools, it.without_times, it.without_tokens];
            let numbers = counts.into_iter().chain(unknown).map(|n| n.to_string());
            std::iter::once((*name).to_owned()).chain(numbers).collect()
        });
        let mut document = Document::default();
        document.blocks.extend(table("format", &columns, rows));
        document
    }
}
