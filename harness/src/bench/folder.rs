//! The folder of a bench: the record, the transcripts that were kept, and how it was made.
//!
//! - `bench.jsonl`: the record ([`balk_reports::bench`]), written whole every time,
//! - `transcripts/SCENARIO/SEED.jsonl.zst`: kept transcripts, one record a line, one line for each stack,
//! - `meta.json`: command, host, threads and wall-clock figures of the last run ([`Meta`]),
//! - `instructions.json`: instruction counts, where `.ci/instructions turns DIR` put them there.
//!
//! Nothing else depends on the last two; reports show them.

use std::cell::RefCell;
use std::fs;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use balk_reports::bench::{BadBench, Bench};
use balk_reports::{Cost, Instructions, Meta, TrialRecord};
use serde::de::DeserializeOwned;

use crate::error::Error;
use crate::files::{self, Out};

/// The name of the record in its folder.
pub const RECORD: &str = "bench.jsonl";
const META: &str = "meta.json";
const INSTRUCTIONS: &str = "instructions.json";
const TRANSCRIPTS: &str = "transcripts";
/// Fast: transcripts repeat themselves so much that more effort saves little.
const LEVEL: i32 = 1;

/// What a thread packs transcripts with. A stream would be fed a few bytes at a time, which takes several times what
/// writing the text does, and a new compressor for every unit nearly as much.
struct Packer {
    text: Vec<u8>,
    compressor: zstd::bulk::Compressor<'static>,
}

thread_local! {
    static PACKER: RefCell<Packer> = RefCell::new(Packer {
        text: Vec::new(),
        compressor: zstd::bulk::Compressor::new(LEVEL).expect("zstd has this level"),
    });
}

/// A folder that a bench writes to, or reads from.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// A folder for a new record: one that is not there, or is empty.
    ///
    /// # Errors
    /// It holds something, or cannot be made or written to.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let expected = "an empty folder, or none";
        let unusable = |error: io::Error| Error::file(path, "a folder that can be written to", error);
        fs::create_dir_all(path).map_err(unusable)?;
        if path.join(RECORD).exists() {
            return Err(Error::file(path, expected, "the record of a bench")
                .hint("go on with it by --resume, or name another folder"));
        }
        if fs::read_dir(path).map_err(unusable)?.next().is_some() {
            return Err(Error::file(path, expected, "something else").hint("name another folder"));
        }
        Ok(Self { path: path.to_owned() })
    }

    /// A folder with a record, and the record.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn open(path: &Path) -> Result<(Self, Bench), Error> {
        let folder = Self { path: path.to_owned() };
        let record = path.join(RECORD);
        let file =
            fs::File::open(&record).map_err(|error| Error::file(&record, "the record of a bench", error))?;
        let bench = Bench::read(BufReader::new(file)).map_err(|bad| match bad {
            BadBench::Io(error) => Error::file(&record, "a readable record of a bench", error),
            BadBench::Line { line, expected, found } => {
                Error { place: format!("line {line}").into(), ..Error::file(&record, &expected, found) }
            }
        })?;
        Ok((folder, bench))
    }

    /// Writes the record in place of the one that is there.
    ///
    /// # Errors
    /// It cannot be written; then the old one still stands.
    pub fn write(&self, bench: &Bench) -> Result<(), Error> {
        let path = self.path.join(RECORD);
        files::write_durably(&path, |out| bench.write(out)).map_err(|error| unwritable(&path, error))
    }

    /// Writes how the record was made.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_meta(&self, meta: &Meta) -> Result<(), Error> {
        self.whole(META, |out| {
            serde_json::to_writer_pretty(&mut *out, meta)?;
            out.write_all(b"\n")
        })
    }

    /// What was measured of cost, as far as it is there.
    ///
    /// # Errors
    /// A file that says something else.
    pub fn cost(&self) -> Result<Cost, Error> {
        let meta: Option<Meta> = self.beside(META, "the figures of a run: {\"cost\": […]}")?;
        let instructions: Option<Vec<Instructions>> =
            self.beside(INSTRUCTIONS, "counts of instructions: […]")?;
        Ok(Cost {
            timed: meta.map(|it| it.timed).unwrap_or_default(),
            instructions: instructions.unwrap_or_default(),
        })
    }

    fn beside<T: DeserializeOwned>(&self, name: &str, expected: &str) -> Result<Option<T>, Error> {
        let path = self.path.join(name);
        match fs::read(&path) {
            Ok(text) => {
                serde_json::from_slice(&text).map(Some).map_err(|bad| Error::file(&path, expected, bad))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::file(&path, expected, error)),
        }
    }

    /// Keeps the transcripts of one unit.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn keep(&self, scenario: &str, seed: u64, transcripts: &[TrialRecord]) -> Result<(), Error> {
        let name = format!("{TRANSCRIPTS}/{}/{seed}.jsonl.zst", folder_name(scenario));
        PACKER.with_borrow_mut(|packer| {
            let Packer { text, compressor } = packer;
            text.clear();
            self.whole(&name, |out| {
                for transcript in transcripts {
                    serde_json::to_writer(&mut *text, transcript)?;
                    text.push(b'\n');
                }
                out.write_all(&compressor.compress(text)?)
            })
        })
    }

    /// Copies the transcripts of another folder.
    ///
    /// # Errors
    /// They cannot be read or written.
    pub fn copy_transcripts(&self, from: &Self) -> Result<(), Error> {
        let source = from.path.join(TRANSCRIPTS);
        let unreadable = |path: &Path, error| Error::file(path, "a readable folder of transcripts", error);
        if !source.exists() {
            return Ok(());
        }
        for scenario in fs::read_dir(&source).map_err(|error| unreadable(&source, error))? {
            let scenario = scenario.map_err(|error| unreadable(&source, error))?.path();
            for file in fs::read_dir(&scenario).map_err(|error| unreadable(&scenario, error))? {
                let file = file.map_err(|error| unreadable(&scenario, error))?.path();
                let name = file.strip_prefix(&from.path).expect("it is below the folder").to_owned();
                let bytes = fs::read(&file).map_err(|error| unreadable(&file, error))?;
                self.whole(&name.to_string_lossy(), |out| out.write_all(&bytes))?;
            }
        }
        Ok(())
    }

    fn whole(&self, name: &str, write: impl FnOnce(&mut Out<'_>) -> io::Result<()>) -> Result<(), Error> {
        let path = self.path.join(name);
        files::write_whole(&path, write).map_err(|error| unwritable(&path, error))
    }
}

fn unwritable(path: &Path, error: io::Error) -> Error {
    Error::file(path, "a place that can be written to", error)
        .hint("what was written before is whole; go on by --resume once there is room")
}

/// A label as the name of a folder.
fn folder_name(label: &str) -> String {
    label.replace(|c: char| !c.is_ascii_alphanumeric() && !"-_.=".contains(c), "-")
}
