//! Whatever is in a file: no reader panics or hangs, and what it reads can be joined, written, and shown to guards.
//!
//! These are property tests and no targets of `cargo-fuzz`, which needs a nightly compiler. They change a log of each
//! format, so that most changes get past the parser. `.ci/full` runs them for minutes, each time with a new seed.

use std::io::{self, Write as _};
use std::sync::LazyLock;

use balk::import::reading::Ending;
use balk::import::{BadLine, Format, Recording, Setting, atif, join, neutral};
use balk::replay::fold;
use balk_guards::default_stack;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use super::ended;
use super::logs::named;
use super::reshaped::{Reshape, reshape, reshaped};

/// A log of each format, and an archive.
static LOGS: LazyLock<Vec<(Format, Vec<u8>)>> = LazyLock::new(|| {
    let mut logs: Vec<(Format, Vec<u8>)> =
        super::logs().into_iter().map(|(file, bytes)| (named(&file), bytes)).collect();
    let inspect = logs.iter().find(|(format, _)| *format == Format::Inspect).expect("it has a log");
    let archive = archive(&inspect.1);
    logs.push((Format::Inspect, archive));
    logs
});

/// An archive with this sample, which is not packed.
fn archive(sample: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    zip.start_file("samples/1_epoch_1.json", options).expect("memory takes it");
    zip.write_all(sample).expect("memory takes it");
    zip.finish().expect("memory takes it").into_inner()
}

/// A change of a file.
#[derive(Clone, Debug)]
enum Change {
    /// Another byte in this place.
    Flip(prop::sample::Index, u8),
    /// A part is gone.
    Cut(prop::sample::Index, usize),
    /// The rest is gone.
    End(prop::sample::Index),
    /// A part of another file is put in.
    Splice(prop::sample::Index, prop::sample::Index, prop::sample::Index, usize),
    /// A bracket is opened often.
    Nest(prop::sample::Index, bool, usize),
    /// A part comes again.
    Again(prop::sample::Index, usize),
    /// A number, a word or a string is another value.
    Value(prop::sample::Index, &'static str),
    /// A value is another one, or is elsewhere.
    Reshape(Reshape),
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<prop::sample::Index>;
    let value = prop::sample::select(vec![
        "null",
        "true",
        "-1",
        "1e999",
        "99999999999999999999999999",
        "\"\"",
        "\"\\ud800\"",
        "\"\\u0000\"",
        "[]",
        "{}",
        "[[]]",
        "\"role\"",
        "\"tool\"",
        ",",
        ":",
        "\n",
    ]);
    prop_oneof![
        8 => reshape().prop_map(Change::Reshape),
        1 => (at(), any::<u8>()).prop_map(|(at, byte)| Change::Flip(at, byte)),
        1 => (at(), 1..200_usize).prop_map(|(at, length)| Change::Cut(at, length)),
        1 => at().prop_map(Change::End),
        1 => (at(), at(), at(), 1..400_usize)
            .prop_map(|(at, file, from, length)| Change::Splice(at, file, from, length)),
        1 => (at(), any::<bool>(), 1..300_usize).prop_map(|(at, list, depth)| Change::Nest(at, list, depth)),
        1 => (at(), 1..200_usize).prop_map(|(at, length)| Change::Again(at, length)),
        1 => (at(), value).prop_map(|(at, value)| Change::Value(at, value)),
    ]
}

fn changed(mut bytes: Vec<u8>, change: &Change) -> Vec<u8> {
    if bytes.is_empty() {
        return bytes;
    }
    let end = |at: usize, length: usize, bytes: &[u8]| (at + length).min(bytes.len());
    match change {
        Change::Flip(at, byte) => {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        Change::Cut(at, length) => {
            let at = at.index(bytes.len());
            bytes.drain(at..end(at, *length, &bytes));
        }
        Change::End(at) => bytes.truncate(at.index(bytes.len())),
        Change::Splice(at, file, from, length) => {
            let (_, other) = file.get(&LOGS);
            let from = from.index(other.len());
            let at = at.index(bytes.len());
            bytes.splice(at..at, other[from..end(from, *length, other)].iter().copied());
        }
        Change::Nest(at, list, depth) => {
            let open: &[u8] = if *list { b"[" } else { b"{\"messages\":" };
            let at = at.index(bytes.len());
            bytes.splice(at..at, open.repeat(*depth));
        }
        Change::Again(at, length) => {
            let at = at.index(bytes.len());
            let part = bytes[at..end(at, *length, &bytes)].to_vec();
            bytes.splice(at..at, part);
        }
        Change::Value(at, value) => {
            // Where a value begins, so that it often stays JSON.
            let at = at.index(bytes.len());
            let begins = bytes[at..].iter().position(|byte| *byte == b':').map_or(at, |found| at + found + 1);
            let ends = bytes[begins..].iter().position(|byte| matches!(byte, b',' | b'}' | b']'));
            let ends = ends.map_or(bytes.len(), |found| begins + found);
            bytes.splice(begins..ends, value.bytes());
        }
        Change::Reshape(change) => bytes = reshaped(bytes, change),
    }
    bytes
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    prop::collection::vec(change(), 1..6)
}

proptest! {
    #[test]
    fn no_reader_panics(
        file in any::<prop::sample::Index>(),
        changes in changes(),
        other in prop::sample::select(Format::ALL.to_vec()),
    ) {
        let (own, bytes) = file.get(&LOGS);
        let bytes = changes.iter().fold(bytes.clone(), changed);
        for from in [None, Some(*own), Some(other)] {
            let (found, ending) = ended(&bytes, from);
            if let Ending::Broken { error, .. } = ending {
                prop_assert!(!error.to_string().contains('\n'), "{error}");
            }
            for (line, found) in found {
                prop_assert!(line > 0);
                match found {
                    Ok(recording) => {
                        prop_assert!(!neutral(&recording, None).contains('\n'));
                        prop_assert!(!atif(&recording).contains('\n'));
                        let recorded = join(recording, &Setting::default());
                        prop_assert!(!recorded.entries.is_empty());
                        prop_assert_eq!(fold(&recorded.entries, &mut default_stack()).fault, None);
                    }
                    Err(bad) => prop_assert!(!bad.to_string().contains('\n'), "{bad}"),
                }
            }
        }
    }
}

/// What a changed file is read as by the reader of its format.
type Found = Vec<Result<Recording, BadLine>>;

fn read(bytes: &[u8], format: Format) -> Found {
    ended(bytes, Some(format)).0.into_iter().map(|(_, found)| found).collect()
}

/// Changes get past the parser: each reader makes something else of some changed file, and refuses some.
#[test]
fn every_reader_meets_changes() {
    let mut runner = TestRunner::deterministic();
    let mut draw = || changes().new_tree(&mut runner).expect("it can be drawn").current();
    for format in Format::ALL.into_iter().filter(|it| *it != Format::Balk) {
        let logs = || LOGS.iter().filter(move |(it, _)| *it == format).map(|(_, bytes)| bytes);
        let known: Vec<Found> = logs().map(|bytes| read(bytes, format)).collect();
        let drawn: Vec<Found> = (0..60)
            .flat_map(|_| logs())
            .map(|bytes| read(&draw().iter().fold(bytes.clone(), changed), format))
            .collect();
        let is_new =
            |it: &Result<Recording, BadLine>| it.is_ok() && !known.iter().flatten().any(|old| old == it);
        let count = |is: &dyn Fn(&Result<Recording, BadLine>) -> bool| {
            drawn.iter().filter(|found| found.iter().any(is)).count()
        };
        let name = format.name();
        assert!(count(&Result::is_err) > 0, "{name}: no change is refused");
        assert!(count(&is_new) > 0 || format == Format::AgentsChat, "{name}: no change is read");
    }
}
