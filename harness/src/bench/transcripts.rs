//! Kept transcripts: files of neighbouring seeds. Adding seeds in any order gives the same bytes.
//!
//! A file has the seeds of one block of a scenario. Each seed is a frame of zstd behind a skippable frame (RFC 8878,
//! 3.1.2) that gives the seed and the length. So files can be joined without unpacking anything, and every tool that
//! unpacks zstd reads the records, one per line.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;

use balk_reports::records::TrialRecord;

/// Seeds in one file, and between two reports of a running bench. With one file per seed, creating the files would
/// take several times as long as writing the records.
pub(super) const BLOCK: u64 = 64;

/// Fast: transcripts repeat themselves so much that more effort saves little.
const LEVEL: i32 = 1;

/// The first bytes of a skippable frame: the first of its sixteen magic numbers, and the length of its contents.
const MARK: [u8; 8] = [0x50, 0x2a, 0x4d, 0x18, 16, 0, 0, 0];

/// The size of a head: mark, seed, and byte length of the next frame; little-endian.
const HEAD: usize = MARK.len() + 16;

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
        let mut frame = Vec::with_capacity(HEAD + packed.len());
        frame.extend_from_slice(&MARK);
        frame.extend_from_slice(&seed.to_le_bytes());
        frame.extend_from_slice(&(packed.len() as u64).to_le_bytes());
        frame.extend_from_slice(&packed);
        Self { frames: BTreeMap::from([(seed, frame)]) }
    }

    /// Reads the contents of a file.
    ///
    /// # Errors
    /// The offset of the first byte that is no frame with its head.
    pub(super) fn parse(mut file: &[u8]) -> Result<Self, usize> {
        let length = file.len();
        let mut frames = BTreeMap::new();
        while !file.is_empty() {
            let (seed, frame) = first(file).ok_or(length - file.len())?;
            frames.insert(seed, frame.to_vec());
            file = &file[frame.len()..];
        }
        Ok(Self { frames })
    }

    /// Adds other transcripts. If both have a seed, the others replace it: a resumed bench plays a seed of a killed
    /// run again.
    pub(super) fn add(&mut self, more: Self) {
        self.frames.extend(more.frames);
    }

    /// The records of a seed, in the order of the stacks; none if the seed was not kept.
    ///
    /// # Errors
    /// Bytes that do not unpack, or are no records.
    pub(super) fn of(&self, seed: u64) -> io::Result<Vec<TrialRecord>> {
        let Some(frame) = self.frames.get(&seed) else { return Ok(Vec::new()) };
        let text = zstd::stream::decode_all(&frame[HEAD..])?;
        let records = serde_json::Deserializer::from_slice(&text).into_iter();
        Ok(records.collect::<Result<_, serde_json::Error>>()?)
    }

    /// Whether there are no transcripts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Writes them in order of seeds.
    pub(super) fn write(&self, mut out: impl io::Write) -> io::Result<()> {
        self.frames.values().try_for_each(|frame| out.write_all(frame))
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

/// The seed and the bytes of the first frame with its head, if the frame is complete.
fn first(file: &[u8]) -> Option<(u64, &[u8])> {
    let (head, rest) = file.split_at_checked(HEAD)?;
    let head = head.strip_prefix(&MARK)?;
    let [seed, length] =
        [&head[..8], &head[8..]].map(|it| u64::from_le_bytes(it.try_into().expect("eight bytes")));
    let length = usize::try_from(length).ok().filter(|it| *it <= rest.len())?;
    Some((seed, &file[..HEAD + length]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(seed: u64, text: &str) -> Vec<u8> {
        let packed = compressor().and_then(|mut it| it.compress(text.as_bytes())).expect("it packs");
        [&MARK[..], &seed.to_le_bytes(), &(packed.len() as u64).to_le_bytes(), &packed].concat()
    }

    fn written(it: &Transcripts) -> Vec<u8> {
        let mut out = Vec::new();
        it.write(&mut out).expect("memory takes it");
        out
    }

    #[test]
    fn files_add_up_in_any_order_and_unpack_as_one() {
        let [one, two, three] =
            [(64, "a\n"), (65, "b\n"), (127, "c\n")].map(|(seed, text)| frame(seed, text));
        let whole = [&one[..], &two, &three].concat();
        let parse = |file: &[u8]| Transcripts::parse(file).expect("it is whole");
        for parts in [
            [&whole[..], &[]],
            [&[&one[..], &three].concat()[..], &two],
            [&three, &[&one[..], &two].concat()],
        ] {
            let mut sum = Transcripts::default();
            parts.into_iter().for_each(|part| sum.add(parse(part)));
            assert_eq!(written(&sum), whole);
            assert_eq!(sum.file_name(), "64-127.jsonl.zst");
        }
        assert_eq!(zstd::stream::decode_all(&whole[..]).expect("it unpacks"), b"a\nb\nc\n");
    }

    #[test]
    fn a_changed_byte_is_seen_when_it_is_unpacked() {
        let mut file = frame(3, "a record of a trial");
        let letter = file.iter().position(|byte| *byte == b'r').expect("so short a text is not packed");
        file[letter] = b's';
        assert!(Transcripts::parse(&file).is_ok(), "its frames are whole");
        assert!(zstd::stream::decode_all(&file[..]).is_err());
    }

    #[test]
    fn what_is_no_such_file_is_told_at_its_byte() {
        let whole = frame(3, "a\n");
        for cut in 1..whole.len() {
            assert_eq!(Transcripts::parse(&whole[..cut]), Err(0), "{cut}");
        }
        assert_eq!(Transcripts::parse(&[&whole[..], b"rubbish"].concat()), Err(whole.len()));
    }
}
