//! Answers that were logged as the events of a stream, read by the code that reads them from a server.

use std::fmt::Write as _;
use std::sync::Arc;

use balk_guards::wire::Dialect;
use balk_guards::{Completion, Offer, Part};
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::content::lines_of;
use super::one_line::one_line;
use super::parse::paired;
use super::recording::{Joiner, Made};

/// Takes the answer in a stream: a text of server-sent events, as it came.
///
/// # Errors
/// The stream broke off, or is none of this dialect; the place is `place`.
pub(super) fn take(
    joiner: &mut Joiner,
    dialect: Dialect,
    events: &str,
    place: impl FnOnce() -> String,
) -> Result<(), BadLine> {
    let mut reader = dialect.stream();
    reader.feed(paired(events).as_bytes());
    let completion = reader.finish(&Offer::default()).map_err(|broken| {
        let why = one_line(&broken.refusal().to_string(), 160);
        BadLine::shape(place(), &format!("expected the events of a whole answer: {why}"))
    })?;
    let Completion { parts, calls, usage, .. } = completion;
    let thinking = parts.iter().filter_map(|part| match part {
        Part::Thinking { text, .. } => Some(&**text),
        Part::Text(_) => None,
    });
    let thinking = lines_of(thinking);
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(&**text),
        Part::Thinking { .. } => None,
    });
    let text = lines_of(texts);
    let calls = calls.iter().map(|call| Made {
        id: Some(call.id.clone()).filter(|id: &Arc<str>| !id.is_empty()),
        tool: call.tool.clone(),
        arguments: call.arguments.clone(),
    });
    joiner.assistant(thinking, text, calls.collect());
    joiner.used(usage);
    Ok(())
}

/// The text of server-sent events with these values as their data.
pub(super) fn events(chunks: &[&RawValue]) -> String {
    let mut events = String::new();
    for chunk in chunks {
        // A line feed between tokens would end the event.
        let line = chunk.get().replace(['\n', '\r'], " ");
        write!(events, "data: {line}\n\n").expect("a string takes what is written");
    }
    events
}
