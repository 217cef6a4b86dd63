//! The folder of a bench: the record, the kept transcripts, and how the record was made.
//!
//! - `bench.jsonl`: the record ([`balk_reports::records::Bench`]), always written whole,
//! - `transcripts/SCENARIO/0-63.jsonl.zst`: kept transcripts of these seeds, one record per line ([`Transcripts`]),
//! - `reactions.json`: how a real model took messages ([`Reactions`]), and `reactions.toml`, which `--set-from` reads,
//! - `meta.json`: command, host, threads and wall-clock figures of the last run ([`Meta`]),
//! - `instructions.json`: instruction counts, if `.ci/instructions turns DIR` put them there.
//!
//! Reports show the last two; nothing else depends on them.
//!
//! Each file is on the disk before the next one is written, and transcripts are written before a record that counts
//! their trials. So a run that is killed, or a machine that loses its power, leaves a record of trials that are there.

mod kept;
mod name;
mod old;

use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use balk_reports::records::{
    Answered, BadBench, Bench, Cost, Instructions, Meta, Plan, REACTIONS_SCHEMA, Reactions,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::files::{self, Out};
use crate::input;
use crate::lock::{self, Lock};

pub use kept::Kept;

/// The name of the record in its folder.
pub const RECORD: &str = "bench.jsonl";
const META: &str = "meta.json";
const FIGURES: &str = "the figures of a run: {\"timed\": […]}";
const REACTIONS: &str = "reactions.json";
const FITTED: &str = "reactions.toml";
const INSTRUCTIONS: &str = "instructions.json";
const JUDGE: &str = "judge.tsv";
const JUDGED: &str = "judge.jsonl";
const TRANSCRIPTS: &str = "transcripts";
/// The completions of a live run that has not ended, and those of all that have.
pub(crate) const JOURNAL: &str = "completions.jsonl";
pub(crate) const COMPLETIONS: &str = "completions.jsonl.zst";

/// A folder that a bench writes to, or reads from.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    /// The right to write to it, until the last clone is gone.
    _lock: Option<Arc<Lock>>,
}

impl Folder {
    /// A folder for a new record. It must not exist yet, or be empty except for files left by a killed run. No other
    /// run can write to it while the value lives.
    ///
    /// # Errors
    /// The folder is not empty, is written by another run, or cannot be created or written to.
    pub fn create(path: &Path) -> Result<Self, Error> {
        Self::check_new(path)?;
        let lock = Lock::of_new(path)?;
        Ok(Self { path: path.to_owned(), _lock: Some(Arc::new(lock)) })
    }

    /// A folder for the whole of several parts, with a record in which nothing is done yet. It may be one in which a
    /// merge of these parts was killed: what that left is removed. None if the whole is there, with so many kept seeds.
    ///
    /// # Errors
    /// As for [`create`](Self::create).
    pub fn begin(path: &Path, whole: &Bench, kept: u64) -> Result<Option<Self>, Error> {
        let nothing = Bench::new(whole.plan.clone());
        if path.join(RECORD).exists() {
            let (folder, begun) = Self::resume(path)?;
            if begun == *whole && folder.check_transcripts(whole)? == kept {
                return Ok(None);
            }
            if begun != nothing {
                drop(folder);
                return Self::create(path).map(Some);
            }
            folder.clear_transcripts()?;
            return Ok(Some(folder));
        }
        let folder = Self::create(path)?;
        folder.write(&nothing)?;
        Ok(Some(folder))
    }

    /// Whether [`create`](Self::create) would find nothing in the way.
    ///
    /// # Errors
    /// Another run has the folder, it is not empty, or it cannot be read.
    pub fn check_new(path: &Path) -> Result<(), Error> {
        lock::check_free(path)?;
        if path.join(RECORD).exists() {
            return Err(Error::file(path, "an empty or new folder", "the record of a bench")
                .hint("name another folder, or continue this bench with --resume"));
        }
        files::check_empty(path)
    }

    /// Opens a folder to read from it, and reads its record.
    ///
    /// # Errors
    /// There is no record, or it cannot be read.
    pub fn open(path: &Path) -> Result<(Self, Bench), Error> {
        Self { path: path.to_owned(), _lock: None }.read()
    }

    /// Opens a folder to go on in it, and reads its record. No other run can write to it while the value lives.
    ///
    /// # Errors
    /// Another run writes to it, there is no record, or it cannot be read.
    pub fn resume(path: &Path) -> Result<(Self, Bench), Error> {
        let folder = Self { path: path.to_owned(), _lock: Some(Arc::new(Lock::take(path)?)) };
        for of_scenario in folder.scenarios()? {
            files::clear_left_over(&of_scenario);
        }
        folder.read()
    }

    fn read(self) -> Result<(Self, Bench), Error> {
        let record = self.path.join(RECORD);
        let file =
            input::open_own(&record).map_err(|error| Error::file(&record, "the record of a bench", error))?;
        let bench = Bench::read(BufReader::new(file)).map_err(|bad| bad_record(&record, bad))?;
        Ok((self, bench))
    }

    /// Whether this path is the place of a file of the record, which need not be there, or in its folder of
    /// transcripts.
    #[must_use]
    pub fn holds(&self, path: &Path) -> bool {
        let files = [RECORD, META, INSTRUCTIONS, JUDGE, JUDGED, REACTIONS, FITTED, JOURNAL, COMPLETIONS];
        files.iter().chain([&TRANSCRIPTS]).any(|name| files::is_below(path, &self.path.join(name)))
    }

    /// Replaces the record.
    ///
    /// # Errors
    /// The record cannot be written; the old one is then still there.
    pub fn write(&self, bench: &Bench) -> Result<(), Error> {
        let path = self.path.join(RECORD);
        files::write_own(&path, |out| bench.write(out)).map_err(|error| unwritable(&path, error))
    }

    /// Writes `meta.json`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_meta(&self, meta: &Meta) -> Result<(), Error> {
        self.write_json(META, meta)
    }

    /// Where the model of a live record was in each run so far.
    ///
    /// # Errors
    /// A file with other contents.
    pub fn answered(&self) -> Result<Vec<Answered>, Error> {
        let meta: Option<Meta> = self.beside(META, FIGURES)?;
        Ok(meta.map(|it| it.live).unwrap_or_default())
    }

    /// Writes how a real model took messages, and a file for `--set-from` if there is one.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write_reactions(&self, reactions: &Reactions, fitted: &str) -> Result<(), Error> {
        self.write_json(REACTIONS, reactions)?;
        if fitted.is_empty() {
            return Ok(());
        }
        let path = self.path.join(FITTED);
        files::write_own(&path, |out| out.write_all(fitted.as_bytes()))
            .map_err(|error| unwritable(&path, error))
    }

    /// How a real model took messages, if the folder has that.
    ///
    /// # Errors
    /// A file with other contents.
    pub fn reactions(path: &Path) -> Result<Option<Reactions>, Error> {
        let folder = Self { path: path.to_owned(), _lock: None };
        let found: Option<Reactions> =
            folder.beside(REACTIONS, "the reactions of a model: {\"schema\": 2, …}")?;
        let Some(found) = found else { return Ok(None) };
        let path = path.join(REACTIONS);
        if found.schema != REACTIONS_SCHEMA {
            let expected = format!("version {REACTIONS_SCHEMA} of the format");
            return Err(Error::file(&path, &expected, found.schema));
        }
        if let Some((row, odd)) = found.odd() {
            let error = Error::file(&path, "counts that samples can add up to", odd);
            return Err(Error { place: format!("row {row}").into(), ..error });
        }
        Ok(Some(found))
    }

    /// The numbers that follow from how a real model took messages, if the folder has them: a file for `--set-from`.
    ///
    /// # Errors
    /// It is no regular file.
    pub fn fitted(path: &Path) -> Result<Option<PathBuf>, Error> {
        if_there(path.join(FITTED))
    }

    fn write_json(&self, name: &str, value: &impl Serialize) -> Result<(), Error> {
        let path = self.path.join(name);
        let write = |out: &mut Out<'_>| {
            serde_json::to_writer_pretty(&mut *out, value)?;
            out.write_all(b"\n")
        };
        files::write_own(&path, write).map_err(|error| unwritable(&path, error))
    }

    /// Replaces the interventions to judge: a table and its transcripts.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write_sample(&self, (table, transcripts): (String, String)) -> Result<(), Error> {
        for (name, text) in [(JUDGED, transcripts), (JUDGE, table)] {
            let path = self.path.join(name);
            files::write_own(&path, |out| out.write_all(text.as_bytes()))
                .map_err(|error| unwritable(&path, error))?;
        }
        Ok(())
    }

    /// The table of interventions to judge, if the folder has one.
    ///
    /// # Errors
    /// It is no regular file.
    pub fn sample(&self) -> Result<Option<PathBuf>, Error> {
        if_there(self.path.join(JUDGE))
    }

    /// The measured cost, as far as it is there.
    ///
    /// # Errors
    /// A file with other contents.
    pub fn cost(&self) -> Result<Cost, Error> {
        let meta: Option<Meta> = self.beside(META, FIGURES)?;
        let instructions: Option<Vec<Instructions>> =
            self.beside(INSTRUCTIONS, "counts of instructions: […]")?;
        Ok(Cost {
            timed: meta.map(|it| it.timed).unwrap_or_default(),
            instructions: instructions.unwrap_or_default(),
        })
    }

    /// Reads what was measured beside the record, and returns the names of all files beside it that have no checksums:
    /// they differ from machine to machine, or people write in them.
    ///
    /// # Errors
    /// A file with other contents.
    pub fn check_beside(&self) -> Result<Vec<&'static str>, Error> {
        self.cost()?;
        Self::reactions(&self.path)?;
        let names = [META, INSTRUCTIONS, REACTIONS, FITTED, JUDGE, JUDGED];
        Ok(names.into_iter().filter(|name| self.path.join(name).exists()).collect())
    }

    fn beside<T: DeserializeOwned>(&self, name: &str, expected: &str) -> Result<Option<T>, Error> {
        let path = self.path.join(name);
        if !path.exists() {
            return Ok(None);
        }
        serde_json::from_slice(&input::own(&path)?).map_err(|bad| Error::file(&path, expected, bad))
    }

    /// Two scenarios of a plan, by their labels, whose transcripts would be in the same folder.
    #[must_use]
    pub fn shared(plan: &Plan) -> Option<[String; 2]> {
        name::shared(plan)
    }
}

/// A file of a record, if it is there.
fn if_there(path: PathBuf) -> Result<Option<PathBuf>, Error> {
    Ok(input::open_own_if_there(&path)?.map(|_| path))
}

/// A record that cannot be used.
fn bad_record(record: &Path, bad: BadBench) -> Error {
    match bad {
        BadBench::Io(error) => Error::file(record, "a readable record of a bench", error),
        BadBench::Line { line, expected, found } => {
            Error { place: format!("line {line}").into(), ..Error::file(record, &expected, found) }
        }
    }
}

fn unwritable(path: &Path, error: io::Error) -> Error {
    let way_out = files::way_out(&error);
    let error = Error::file(path, "a writable file", error);
    if path.ancestors().skip(1).any(|it| it.join(RECORD).exists()) {
        error.hint(&format!("earlier results are complete; continue with --resume {way_out}"))
    } else {
        error.hint(&format!("nothing is kept so far; start again {way_out}"))
    }
}

#[cfg(test)]
mod tests;
