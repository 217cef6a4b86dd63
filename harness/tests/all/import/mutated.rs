//! Whatever is in a file: no reader panics or hangs, and what it reads can be joined and written.

use std::sync::LazyLock;

use balk::import::{Format, Setting, atif, join, neutral, reading};
use proptest::prelude::*;

static LOGS: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| super::logs().into_iter().map(|(_, bytes)| bytes).collect());

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
}

fn change() -> impl Strategy<Value = Change> {
    let at = any::<prop::sample::Index>;
    let value = prop::sample::select(vec![
        "null",
        "true",
        "-1",
        "1e999",
        "\"\"",
        "\"\\ud800\"",
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
        (at(), any::<u8>()).prop_map(|(at, byte)| Change::Flip(at, byte)),
        (at(), 1..200_usize).prop_map(|(at, length)| Change::Cut(at, length)),
        at().prop_map(Change::End),
        (at(), at(), at(), 1..400_usize)
            .prop_map(|(at, file, from, length)| Change::Splice(at, file, from, length)),
        (at(), any::<bool>(), 1..300_usize).prop_map(|(at, list, depth)| Change::Nest(at, list, depth)),
        (at(), 1..200_usize).prop_map(|(at, length)| Change::Again(at, length)),
        (at(), value).prop_map(|(at, value)| Change::Value(at, value)),
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
            let other = file.get(&LOGS);
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
    }
    bytes
}

proptest! {
    #[test]
    fn no_reader_panics(
        file in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..6),
        from in prop::option::of(prop::sample::select(Format::ALL.to_vec())),
    ) {
        let bytes = changes.iter().fold(file.get(&LOGS).clone(), changed);
        for from in [None, from] {
            // A packed file that is broken cannot be read; everything else can.
            let Ok((_, found)) = reading::read(&bytes[..], from) else { continue };
            for (line, found) in found {
                prop_assert!(line > 0);
                match found {
                    Ok(recording) => {
                        prop_assert!(!neutral(&recording, None).contains('\n'));
                        prop_assert!(!atif(&recording).contains('\n'));
                        prop_assert!(!join(recording, &Setting::default()).entries.is_empty());
                    }
                    Err(bad) => prop_assert!(!bad.to_string().contains('\n'), "{bad}"),
                }
            }
        }
    }
}
