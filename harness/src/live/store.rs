//! The completions of a live record, each with the request that asked for it.
//!
//! While a run goes on, `completions.jsonl` gets a line for every completion before anything uses it; a line that a
//! killed run left half-written is dropped. At the end all lines go into `completions.jsonl.zst`, in the order of
//! scenario, seed and turn, so equal records are equal bytes, and a last line counts them. Every line has its
//! [checksum](balk_reports::records::seal). Neither file has a header of a request, so no key is in them.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use balk_contract::wire::{Form, Reply};
use balk_reports::records::seal::{self, Damage, Sealed, Sealing};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use xxhash_rust::xxh3::xxh3_128;

use crate::bench::{COMPLETIONS, JOURNAL};
use crate::error::Error;
use crate::files;
use crate::input;
use crate::lock::Lock;

/// Requests repeat all messages before them, so they pack well where the packer looks far back.
const LEVEL: i32 = 19;

/// How long the completions of a record may be, unpacked, in bytes; a hundred times the longest sensible one.
const BYTES_MAX: u64 = 4 << 30;

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

/// The last line of the packed file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LastLine {
    completions: usize,
}

type Kept = BTreeMap<(Place, u128), Box<str>>;

/// The completions of a live record.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    written: Mutex<Written>,
}

#[derive(Debug)]
struct Written {
    lines: Kept,
    /// How many bytes they have, and may have.
    bytes: u64,
    most: u64,
    /// None in a record that is only read.
    journal: Option<Sealing<files::Growing>>,
}

impl Store {
    /// Reads the completions of a folder; none without a folder. Others are kept in memory until
    /// [`write`](Self::write).
    ///
    /// # Errors
    /// A file cannot be read, or has other contents.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let mut lines = Kept::new();
        let packed = folder.join(COMPLETIONS);
        if let Some(input) = unpacked(&packed)? {
            Input { path: &packed, sealed: Sealed::new(input), most: BYTES_MAX }.read(&mut lines)?;
        }
        let journal = folder.join(JOURNAL);
        if let Some(file) = input::open_own_if_there(&journal)? {
            let sealed = Sealed::growing(BufReader::new(file));
            Input { path: &journal, sealed, most: BYTES_MAX }.read(&mut lines)?;
        }
        Ok(Self::of(folder, lines))
    }

    /// Gives the completions of an older version their checksums. Returns whether there were some.
    ///
    /// # Errors
    /// Another run writes to the folder, or a file cannot be read or written.
    pub fn renew(folder: &Path) -> Result<bool, Error> {
        let _lock = Lock::take(folder)?;
        if Self::read(folder).is_ok() {
            return Ok(false);
        }
        let mut lines = Kept::new();
        let (packed, journal) = (folder.join(COMPLETIONS), folder.join(JOURNAL));
        if let Some(input) = unpacked(&packed)? {
            read_old(&packed, input, false, &mut lines)?;
        }
        if let Some(file) = input::open_own_if_there(&journal)? {
            read_old(&journal, BufReader::new(file), true, &mut lines)?;
        }
        Self::of(folder, lines).pack().map(|()| true)
    }

    fn of(folder: &Path, lines: Kept) -> Self {
        let bytes = lines.values().map(|it| it.len() as u64).sum();
        let written = Written { lines, bytes, most: BYTES_MAX, journal: None };
        Self { folder: folder.to_owned(), written: Mutex::new(written) }
    }

    /// How many completions there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.locked().lines.len()
    }

    /// Whether there are completions of this seed of a scenario.
    #[must_use]
    pub fn has(&self, scenario: &str, seed: u64) -> bool {
        let first = Place { scenario: scenario.into(), seed, turn: 0, attempt: 0, sample: 0 };
        let written = self.locked();
        let next = written.lines.range((first, 0)..).next();
        next.is_some_and(|((place, _), _)| *place.scenario == *scenario && place.seed == seed)
    }

    /// From here on, every completion is written to the folder before anything uses it.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self) -> Result<(), Error> {
        let path = self.folder.join(JOURNAL);
        let cannot = |error: io::Error| Error::file(&path, "a file that can be written to", error);
        let mut written = self.locked();
        let mut sealing = None;
        // What a killed run left half-written would spoil the next line.
        let lines = |out: &mut files::Out<'_>| {
            let sealed = sealed(out, &written.lines)?;
            sealing = Some(sealed.on(()));
            Ok(())
        };
        files::write_own(&path, lines).map_err(cannot)?;
        let file = files::append(&path).map_err(cannot)?;
        written.journal = sealing.map(|it| it.on(file));
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

    /// Keeps a reply. False if the request and the reply are together longer than a line that can be read again.
    ///
    /// # Errors
    /// It cannot be written, or the record is full.
    pub(super) fn keep(&self, place: &Place, request: &str, reply: &Reply) -> Result<bool, Error> {
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
        let text = serde_json::to_string(&line).expect("plain data");
        if !seal::fits(&text) {
            return Ok(false);
        }
        let path = self.folder.join(JOURNAL);
        let mut written = self.locked();
        written.bytes += text.len() as u64;
        if written.bytes > written.most {
            let error = Error::file(&path, &at_most(written.most), "more");
            return Err(error.hint("what was kept can be used: go on in a new folder, with other seeds"));
        }
        if let Some(journal) = &mut written.journal {
            let added = journal.line(&line).and_then(|()| journal.output().sync());
            added.map_err(|error| Error::file(&path, "a file that can be written to", error))?;
        }
        written.lines.insert((place.clone(), hash), text.into());
        Ok(true)
    }

    /// Packs all completions into one file, and removes the journal.
    ///
    /// # Errors
    /// The file cannot be written; the journal is then still there.
    pub fn pack(&self) -> Result<(), Error> {
        let mut written = self.locked();
        let path = self.folder.join(COMPLETIONS);
        let pack = |out: &mut files::Out<'_>| {
            let mut packer = zstd::stream::write::Encoder::new(out, LEVEL)?;
            packer.include_checksum(true)?;
            let last = LastLine { completions: written.lines.len() };
            sealed(&mut packer, &written.lines)?.last(&last)?;
            packer.finish().map(|_| ())
        };
        let cannot = |error: io::Error| Error::file(&path, "a file that can be written to", error);
        files::write_own(&path, pack).map_err(cannot)?;
        written.journal = None;
        files::remove(&self.folder.join(JOURNAL)).map_err(cannot)
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Written> {
        // A line is inserted after it was written, so what another thread left is whole.
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes lines with their checksums.
fn sealed<W: Write>(out: W, lines: &Kept) -> io::Result<Sealing<W>> {
    let mut sealing = Sealing::new(out);
    for line in lines.values() {
        let line: &RawValue = serde_json::from_str(line)?;
        sealing.line(&line)?;
    }
    Ok(sealing)
}

fn unpacked(path: &Path) -> Result<Option<impl BufRead>, Error> {
    let Some(file) = input::open_own_if_there(path)? else { return Ok(None) };
    let unpacked = zstd::stream::read::Decoder::new(file)
        .map_err(|error| Error::file(path, "a file packed by zstd", error))?;
    Ok(Some(BufReader::new(unpacked)))
}

/// A file that is read.
struct Input<'p, R> {
    path: &'p Path,
    sealed: Sealed<R>,
    /// How many bytes may come.
    most: u64,
}

impl<R: BufRead> Input<'_, R> {
    fn read(mut self, lines: &mut Kept) -> Result<(), Error> {
        let mut bytes = 0;
        loop {
            let text = match self.sealed.line() {
                Ok(None) => return Ok(()),
                Ok(Some(text)) => text,
                Err(damage) => return Err(self.damaged(damage)),
            };
            bytes += text.len() as u64;
            if bytes > self.most {
                return Err(self.bad(&at_most(self.most), "more"));
            }
            if self.sealed.has_ended() {
                let expected = "the number of completions: {\"completions\": N}";
                let last: LastLine =
                    serde_json::from_str(&text).map_err(|error| self.bad(expected, error))?;
                if last.completions as u64 != self.sealed.number() - 1 {
                    return Err(self.bad("the number of lines before this one", last.completions));
                }
            } else {
                let key = key(&text).map_err(|found| self.bad(COMPLETION, found))?;
                lines.insert(key, text.into());
            }
        }
    }

    fn damaged(&self, damage: Damage) -> Error {
        let place = format!("line {}", self.sealed.number() + 1);
        let error = match damage {
            Damage::Io(error) => Error::file(self.path, "a line that can be read", error),
            Damage::Line { expected, found } => Error::file(self.path, expected, found),
        };
        let hint =
            "it was changed, or an older version of Balk wrote it, whose folder `balk migrate` makes new";
        Error { place: place.into(), ..error.hint(hint) }
    }

    fn bad(&self, expected: &str, found: impl std::fmt::Display) -> Error {
        Error {
            place: format!("line {}", self.sealed.number()).into(),
            ..Error::file(self.path, expected, found)
        }
    }
}

fn at_most(bytes: u64) -> String {
    format!("completions of at most {} MiB, unpacked", bytes >> 20)
}

const COMPLETION: &str = "a completion of a live record: {\"scenario\": …}";

/// Reads lines without checksums. What a killed run left of the last one of a file that grows is dropped.
fn read_old(path: &Path, input: impl BufRead, grows: bool, lines: &mut Kept) -> Result<(), Error> {
    for (number, text) in (1_u64..).zip(seal::plain_lines(input.take(BYTES_MAX))) {
        let bad = |found: String| Error {
            place: format!("line {number}").into(),
            ..Error::file(path, COMPLETION, found)
        };
        let text = text.map_err(|error| bad(error.to_string()))?;
        let line = match text.strip_suffix('\n') {
            None if grows => return Ok(()),
            line => line.unwrap_or(&text),
        };
        let key = key(line).map_err(bad)?;
        lines.insert(key, line.into());
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

#[cfg(test)]
mod tests;
