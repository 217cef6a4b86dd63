//! Kept transcripts: files of neighbouring seeds. Adding seeds in any order gives the same bytes.
//!
//! A file has the seeds of one block of a scenario. Each seed is a frame of zstd behind a skippable frame (RFC 8878,
//! 3.1.2) that gives the seed, the length and a checksum of these and of the frame. The last frame is a skippable one
//! as well: it has the checksum of all checksums, so a frame that is missing is found. So files can be joined without
//! unpacking anything, and every tool that unpacks zstd reads the records, one per line.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;

use balk_reports::records::TrialRecord;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::Xxh3Default;

use crate::input::Room;

/// Seeds in one file, and between two reports of a running bench. With one file per seed, creating the files would
/// take several times as long as writing the records.
pub(super) const BLOCK: u64 = 64;

/// Fast: transcripts repeat themselves so much that more effort saves little.
const LEVEL: i32 = 1;

/// The first bytes of a skippable frame: one of its sixteen magic numbers, and the length of its contents.
const MARK: [u8; 8] = [0x50, 0x2a, 0x4d, 0x18, 24, 0, 0, 0];
const SEAL: [u8; 8] = [0x51, 0x2a, 0x4d, 0x18, 8, 0, 0, 0];

/// The mark of version 1 of these files, which had no checksums.
const OLD_MARK: [u8; 8] = [0x50, 0x2a, 0x4d, 0x18, 16, 0, 0, 0];

/// The size of a head: mark, seed, byte length of the next frame, and checksum; little-endian.
const HEAD: usize = MARK.len() + 24;

/// The compressor of one thread. A stream would get a few bytes at a time, which takes several times as long as
/// writing the text; a new compressor for every unit takes nearly as long.
struct Packer {
    text: Vec<u8>,
    compressor: zstd::bulk::Compressor<'static>,
}

thread_local! {
    static PACKER: RefCell<Packer> = RefCell::new(Packer {
        text: Vec::new(),
        compressor: compressor().expect("zstd has this level, and checksums"),
    });
}

fn compressor() -> io::Result<zstd::bulk::Compressor<'static>> {
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    compressor.include_checksum(true)?;
    Ok(compressor)
}

/// The kept transcripts of some seeds of a scenario, packed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcripts {
    /// By seed, with their heads.
    frames: BTreeMap<u64, Vec<u8>>,
}

impl Transcripts {
    /// Packs the records of one seed, one per line. Without records there is nothing to keep.
    pub(crate) fn pack(seed: u64, records: &[TrialRecord]) -> Self {
        if records.is_empty() {
            return Self::default();
        }
        let packed = PACKER.with_borrow_mut(|Packer { text, compressor }| {
            text.clear();
            for record in records {
                serde_json::to_writer(&mut *text, record)
                    .expect("a record has string keys, and memory takes it");
                text.push(b'\n');
            }
            compressor.compress(text).expect("memory takes what is packed")
        });
        Self { frames: BTreeMap::from([(seed, sealed(seed, &packed))]) }
    }

    /// Reads the contents of a file, and compares all checksums.
    ///
    /// # Errors
    /// What is not as it was written.
    pub fn parse(file: &[u8]) -> Result<Self, Damage> {
        let (mut rest, mut found) = (file, Self::default());
        loop {
            let at = file.len() - rest.len();
            if let Some(seal) = rest.strip_prefix(&SEAL) {
                let seed = None;
                return if seal == found.seal().to_le_bytes() { Ok(found) } else { Err(Damage { at, seed }) };
            }
            let Some((seed, packed)) = first(rest, &MARK, HEAD) else {
                return Err(Damage { at, seed: None });
            };
            let frame = sealed(seed, packed);
            let (is_next, seed) =
                (found.frames.last_key_value().is_none_or(|(last, _)| *last < seed), Some(seed));
            if !is_next || !rest.starts_with(&frame) {
                return Err(Damage { at, seed });
            }
            rest = &rest[frame.len()..];
            found.frames.extend(seed.map(|it| (it, frame)));
        }
    }

    /// Reads a file of version 1, and unpacks it, because only the packed records had checksums.
    ///
    /// # Errors
    /// What is not as it was written.
    pub fn parse_old(file: &[u8]) -> Result<Self, Damage> {
        let (mut rest, mut found, mut room) = (file, Self::default(), Room::default());
        while !rest.is_empty() {
            let at = file.len() - rest.len();
            let head = OLD_MARK.len() + 16;
            let (seed, packed) = first(rest, &OLD_MARK, head).ok_or(Damage { at, seed: None })?;
            room.unpacked(packed).map_err(|_| Damage { at, seed: Some(seed) })?;
            rest = &rest[head + packed.len()..];
            found.frames.insert(seed, sealed(seed, packed));
        }
        Ok(found)
    }

    /// Whether a file that begins like this is one of these, in any version; what follows may be damaged.
    pub(crate) fn is_kept(beginning: &[u8]) -> bool {
        let is_skippable = |number: &[u8]| number[0] & 0xf0 == MARK[0] && number[1..] == MARK[1..4];
        beginning.len() >= MARK.len() && is_skippable(&beginning[..4]) && beginning[4..8] == MARK[4..]
    }

    /// Whether a file that begins like this is one of version 1.
    pub(crate) fn is_old(beginning: &[u8]) -> bool {
        beginning.starts_with(&OLD_MARK)
    }

    /// The checksum of all checksums.
    fn seal(&self) -> u64 {
        let mut seal = Xxh3Default::new();
        self.frames.values().for_each(|frame| seal.update(&frame[HEAD - 8..HEAD]));
        seal.digest()
    }

    /// The seeds, in order.
    pub fn seeds(&self) -> impl Iterator<Item = u64> {
        self.frames.keys().copied()
    }

    /// Adds other transcripts. If both have a seed, the others replace it: a resumed bench plays a seed of a killed
    /// run again.
    pub(super) fn add(&mut self, more: Self) {
        self.frames.extend(more.frames);
    }

    /// The records of a seed, in the order of the stacks; none if the seed was not kept.
    ///
    /// # Errors
    /// Bytes that do not unpack, unpack to too much, or are no records.
    pub fn of(&self, seed: u64) -> io::Result<Vec<TrialRecord>> {
        self.read(seed, &mut Room::default())
    }

    /// The same, or a part of each record, within the room for all that is unpacked.
    ///
    /// # Errors
    /// The same.
    pub(super) fn read<T: DeserializeOwned>(&self, seed: u64, room: &mut Room) -> io::Result<Vec<T>> {
        let Some(frame) = self.frames.get(&seed) else { return Ok(Vec::new()) };
        let text = room.unpacked(&frame[HEAD..])?;
        let records = serde_json::Deserializer::from_slice(&text).into_iter();
        Ok(records.collect::<Result<_, serde_json::Error>>()?)
    }

    /// Whether there are no transcripts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Writes them in order of seeds.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, mut out: impl io::Write) -> io::Result<()> {
        self.frames.values().try_for_each(|frame| out.write_all(frame))?;
        out.write_all(&SEAL)?;
        out.write_all(&self.seal().to_le_bytes())
    }

    /// The file name of their block.
    ///
    /// # Panics
    /// If there are no transcripts.
    pub(super) fn file_name(&self) -> String {
        let (seed, _) = self.frames.first_key_value().expect("some are kept");
        Self::file_of(*seed)
    }

    /// The name of the file with this seed.
    pub(super) fn file_of(seed: u64) -> String {
        let first = seed - seed % BLOCK;
        format!("{first}-{}.jsonl.zst", first.saturating_add(BLOCK - 1))
    }
}

/// The frame of a seed with its head.
fn sealed(seed: u64, packed: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(HEAD + packed.len());
    frame.extend_from_slice(&MARK);
    frame.extend_from_slice(&seed.to_le_bytes());
    frame.extend_from_slice(&(packed.len() as u64).to_le_bytes());
    let mut sum = Xxh3Default::new();
    sum.update(&frame);
    sum.update(packed);
    frame.extend_from_slice(&sum.digest().to_le_bytes());
    frame.extend_from_slice(packed);
    frame
}

/// The seed and the packed bytes of the first frame, if it is complete. Its head begins with this mark, the seed and
/// the length, and has this size.
fn first<'f>(file: &'f [u8], mark: &[u8; 8], size: usize) -> Option<(u64, &'f [u8])> {
    let (head, rest) = file.split_at_checked(size)?;
    let head = head.strip_prefix(mark)?;
    let [seed, length] =
        [&head[..8], &head[8..16]].map(|it| u64::from_le_bytes(it.try_into().expect("eight bytes")));
    let length = usize::try_from(length).ok().filter(|it| *it <= rest.len())?;
    Some((seed, &rest[..length]))
}

/// What is not as it was written in a file of transcripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The offset of the frame, in bytes.
    pub at: usize,
    /// The seed that its head names, if it has one.
    pub seed: Option<u64>,
}

#[cfg(test)]
mod tests;
