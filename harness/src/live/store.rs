//! The completions of a live record, each with the request that asked for it.
//!
//! While a run goes on, `completions.jsonl` gets a line for every completion before anything uses it; a line that a
//! killed run left half-written is dropped. At the end all lines go into `completions.jsonl.zst`, in the order of
//! scenario, seed and turn, so equal records are equal bytes. Neither file has a header of a request, so no key is in
//! them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use balk_contract::wire::{Form, Reply};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use xxhash_rust::xxh3::xxh3_128;

use crate::error::Error;
use crate::files;

/// The lines of a run that has not ended.
const JOURNAL: &str = "completions.jsonl";
/// The lines of all runs that have.
const PACKED: &str = "completions.jsonl.zst";
/// Requests repeat all messages before them, so they pack well where the packer looks far back.
const LEVEL: i32 = 19;

/// Where a completion belongs: equal requests in different places are asked separately.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The scenario.
    pub(super) scenario: Arc<str>,
    /// Its seed.
    pub(super) seed: u64,
    /// The turn, from 1.
    pub(super) turn: u32,
    /// Attempts that failed before in this turn.
    pub(super) attempt: u32,
    /// The number of the sample, from 0, where one request is asked several times.
    pub(super) sample: u32,
}

/// A line of the files.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    scenario: Arc<str>,
    /// As text, because readers of JSON round large numbers.
    seed: String,
    turn: u32,
    attempt: u32,
    sample: u32,
    /// 128-bit xxh3 of the request, in hexadecimal.
    request_hash: String,
    #[serde(borrow)]
    request: &'a RawValue,
    status: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
    is_stream: bool,
    body: String,
}

/// The completions of a live record.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    kept: Mutex<Kept>,
}

#[derive(Debug)]
struct Kept {
    lines: BTreeMap<(Place, u128), Box<str>>,
    /// None in a record that is only read.
    journal: Option<File>,
}

impl Store {
    /// Reads the completions of a folder; none without a folder. Others are kept in memory until
    /// [`write`](Self::write).
    ///
    /// # Errors
    /// A file cannot be read, or has other contents.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let mut lines = BTreeMap::new();
        let packed = folder.join(PACKED);
        if let Some(file) = opened(&packed)? {
            let unpacked = zstd::stream::read::Decoder::new(file)
                .map_err(|error| Error::file(&packed, "a file packed by zstd", error))?;
            read_lines(&packed, BufReader::new(unpacked), Torn::IsBad, &mut lines)?;
        }
        let journal = folder.join(JOURNAL);
        if let Some(file) = opened(&journal)? {
            read_lines(&journal, BufReader::new(file), Torn::IsDropped, &mut lines)?;
        }
        Ok(Self { folder: folder.to_owned(), kept: Mutex::new(Kept { lines, journal: None }) })
    }

    /// From here on, every completion is written to the folder before anything uses it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self) -> Result<(), Error> {
        let path = self.folder.join(JOURNAL);
        let cannot = |error: io::Error| Error::file(&path, "a file that can be written to", error);
        let mut kept = self.locked();
        // What a killed run left half-written would spoil the next line.
        let lines =
            |out: &mut files::Out<'_>| kept.lines.values().try_for_each(|line| writeln!(out, "{line}"));
        files::write_whole(&path, lines).map_err(cannot)?;
        kept.journal = Some(files::append(&path).map_err(cannot)?);
        Ok(())
    }

    /// The reply to this request in this place, if it was asked before.
    pub(super) fn find(&self, place: &Place, request: &str) -> Option<Reply> {
        let key = (place.clone(), xxh3_128(request.as_bytes()));
        let line = self.locked().lines.get(&key).cloned()?;
        let line: Line<'_> = serde_json::from_str(&line).expect("it was read before");
        Some(Reply {
            status: line.status,
            retry_after: line.retry_after,
            form: if line.is_stream { Form::Stream } else { Form::Whole },
            body: line.body.into(),
        })
    }

    /// Keeps a reply.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn keep(&self, place: &Place, request: &str, reply: &Reply) -> Result<(), Error> {
        let hash = xxh3_128(request.as_bytes());
        let line = Line {
            scenario: place.scenario.clone(),
            seed: place.seed.to_string(),
            turn: place.turn,
            attempt: place.attempt,
            sample: place.sample,
            request_hash: format!("{hash:032x}"),
            request: serde_json::from_str(request).expect("a request is JSON"),
            status: reply.status,
            retry_after: reply.retry_after,
            is_stream: reply.form == Form::Stream,
            body: reply.body.to_string(),
        };
        let line = serde_json::to_string(&line).expect("plain data");
        let mut kept = self.locked();
        if let Some(journal) = &mut kept.journal {
            let written =
                journal.write_all(format!("{line}\n").as_bytes()).and_then(|()| journal.sync_data());
            let path = self.folder.join(JOURNAL);
            written.map_err(|error| Error::file(&path, "a file that can be written to", error))?;
        }
        kept.lines.insert((place.clone(), hash), line.into());
        Ok(())
    }

    /// Packs all completions into one file, and removes the journal.
    ///
    /// # Errors
    /// The file cannot be written; the journal is then still there.
    pub fn pack(&self) -> Result<(), Error> {
        let mut kept = self.locked();
        let path = self.folder.join(PACKED);
        let pack = |out: &mut files::Out<'_>| {
            let mut packer = zstd::stream::write::Encoder::new(out, LEVEL)?;
            packer.include_checksum(true)?;
            kept.lines.values().try_for_each(|line| writeln!(packer, "{line}"))?;
            packer.finish().map(|_| ())
        };
        let cannot = |error: io::Error| Error::file(&path, "a file that can be written to", error);
        files::write_whole(&path, pack).map_err(cannot)?;
        kept.journal = None;
        files::remove(&self.folder.join(JOURNAL)).map_err(cannot)
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Kept> {
        // A line is inserted after it was written, so what another thread left is whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What to do with a last line without an end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Torn {
    IsBad,
    IsDropped,
}

fn opened(path: &Path) -> Result<Option<File>, Error> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::unreadable(path, &error)),
    }
}

fn read_lines(
    path: &Path,
    mut input: impl BufRead,
    torn: Torn,
    lines: &mut BTreeMap<(Place, u128), Box<str>>,
) -> Result<(), Error> {
    for number in 1.. {
        let bad = |expected: &str, found: String| Error {
            place: format!("line {number}").into(),
            ..Error::file(path, expected, found)
        };
        let mut text = Vec::new();
        let read = input.read_until(b'\n', &mut text).map_err(|error| Error::unreadable(path, &error))?;
        if read == 0 {
            return Ok(());
        }
        if text.pop_if(|last| *last == b'\n').is_none() {
            return match torn {
                Torn::IsDropped => Ok(()),
                Torn::IsBad => Err(bad("a whole line", "the end of the file".to_owned())),
            };
        }
        let text = String::from_utf8(text).map_err(|error| bad("UTF-8", error.to_string()))?;
        let expected = "a completion of a live record: {\"scenario\": …}";
        let key = key(&text).map_err(|found| bad(expected, found))?;
        lines.insert(key, text.into());
    }
    Ok(())
}

fn key(text: &str) -> Result<(Place, u128), String> {
    let line: Line<'_> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let hash = xxh3_128(line.request.get().as_bytes());
    if line.request_hash != format!("{hash:032x}") {
        return Err(format!("a request whose hash is {hash:032x}, not {}", line.request_hash));
    }
    let seed = line.seed.parse().map_err(|_| format!("the seed `{}`", line.seed))?;
    let Line { scenario, turn, attempt, sample, .. } = line;
    Ok((Place { scenario, seed, turn, attempt, sample }, hash))
}
