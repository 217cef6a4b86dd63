//! What these tests share.

use balk_contract::wire::{BrokenStream, Delta, Dialect, StreamReader};
use balk_contract::{Completion, Effect, Offer, Tool};

pub(crate) fn offer() -> Offer {
    Offer::new([Tool::new("ls").effect(Effect::ReadOnly), Tool::new("write").effect(Effect::Write)])
}

/// The events as server-sent ones; data of several lines is sent in several.
pub(crate) fn sse(events: &[&str]) -> String {
    events.iter().map(|data| format!("data: {}\n\n", data.replace('\n', "\ndata: "))).collect()
}

/// Feeds a stream in pieces, and gives what the user saw, and the end.
pub(crate) fn fed<'a>(
    dialect: Dialect,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Delta, Result<Completion, Box<BrokenStream>>) {
    let mut reader = dialect.stream();
    let mut seen = Delta::default();
    for piece in pieces {
        add(&mut seen, &reader.feed(piece));
    }
    (seen, finished(reader))
}

pub(crate) fn add(seen: &mut Delta, delta: &Delta) {
    seen.text.push_str(&delta.text);
    seen.thinking.push_str(&delta.thinking);
}

pub(crate) fn finished(reader: StreamReader) -> Result<Completion, Box<BrokenStream>> {
    reader.finish(&offer())
}

/// A stream in one piece.
pub(crate) fn read(dialect: Dialect, events: &[&str]) -> Result<Completion, Box<BrokenStream>> {
    fed(dialect, [sse(events).as_bytes()]).1
}

/// The stream brings the completion that the response in one piece does.
#[track_caller]
pub(crate) fn check(dialect: Dialect, events: &[&str], whole: &str) {
    let whole = dialect.completion(whole, &offer()).expect("a response of the dialect");
    assert_eq!(read(dialect, events), Ok(whole));
}
