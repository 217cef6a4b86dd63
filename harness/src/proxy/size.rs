//! About how many bytes it takes to keep something. Texts that are shared count where they came from.

use balk_guards::{Completion, Entry, InterventionKind, Message, Note, Offer, Part, Subject};
use serde::Serialize;

pub(super) use crate::listen::size::of_completion;

/// What a place takes beside all that is counted: itself, and its keys.
pub(super) const PLACE: usize = 2_048;

/// What a run takes with the guards `default` and no message: measured.
const RUN: usize = 12 << 10;
/// What it takes for a message, of which guards keep digests: measured.
const RUN_MESSAGE: usize = 640;

/// What a tool takes beside its texts.
const TOOL: usize = 1_024;
/// What a name within a schema takes beside its text.
const NAME: usize = 48;

/// A run whose view has so many messages.
pub(super) fn of_run(messages: usize) -> usize {
    RUN + messages * RUN_MESSAGE
}

/// The tools of a request, and the text that they were read from. Each name within has a comma before or after it.
pub(super) fn of_tools(offer: &Offer, text: &str) -> usize {
    let commas = memchr::memchr_iter(b',', text.as_bytes()).count();
    text.len() + offer.tools().len() * TOOL + commas * NAME
}

/// Entries with their texts.
pub(super) fn of_entries(entries: &[Entry]) -> usize {
    entries.iter().map(|it| size_of::<Entry>() + within(it)).sum()
}

fn within(entry: &Entry) -> usize {
    match entry {
        // No place has it.
        Entry::Start(_) => 0,
        Entry::User(it) => it.text.len(),
        Entry::Completion(it) => of_completion(it),
        Entry::Failed(it) => written(&it.failure),
        Entry::Tried(it) | Entry::Result(it) => it.text.len(),
        Entry::Intervention(it) => {
            let more = match &it.kind {
                InterventionKind::Repair(it) => of_completion(it),
                InterventionKind::Question(choices) => written(choices),
                InterventionKind::Feedback
                | InterventionKind::Note
                | InterventionKind::Notice
                | InterventionKind::Block
                | InterventionKind::Stop => 0,
            };
            of_note(&it.note) + more
        }
        Entry::Answer(it) => it.text.len(),
        Entry::Compaction(it) => it.summary.len(),
        Entry::Conclusion(it) => written(it),
        Entry::End(it) => written(it),
    }
}

/// The texts of a message of a guard, all of which a guard in another process chooses.
fn of_note(Note { guard, rule, level: _, subject, text }: &Note) -> usize {
    let about = match subject {
        Subject::Tool(tool) => tool.len(),
        Subject::Run | Subject::Call(_) => 0,
    };
    guard.len() + rule.len() + about + text.len()
}

/// What comes seldom counts as its JSON.
fn written(it: &impl Serialize) -> usize {
    serde_json::to_string(it).map_or(0, |it| it.len())
}

/// Messages without their texts, which are those of entries.
pub(super) fn of_messages(messages: &[Message]) -> usize {
    let more = |it: &Message| match it {
        Message::User(_) | Message::Result { .. } => 0,
        Message::Assistant(it) => size_of::<Completion>() + it.parts.len() * size_of::<Part>(),
    };
    messages.iter().map(|it| size_of::<Message>() + more(it)).sum()
}

#[cfg(test)]
mod tests {
    use balk_guards::Intervention;

    use super::*;

    #[test]
    fn all_texts_of_a_guard_count() {
        let of = |guard: &str, rule: &str, tool: &str, text: &str| {
            let subject = Subject::Tool(tool.into());
            let (guard, rule) = (guard.to_owned().into(), rule.to_owned().into());
            let note = Note { guard, rule, level: 1, subject, text: text.into() };
            of_entries(&[Entry::Intervention(Intervention {
                kind: InterventionKind::Notice,
                note,
                seen: true,
            })])
        };
        let none = of("", "", "", "");
        assert_eq!(of("g", "rr", "ttt", "xxxx") - none, 10);
    }
}
