//! What the entries of a run say, by speaker, for a timeline.

use balk_contract::{Origin, Part, Speaker, Status};

use super::document::figure::{Said, Voice};
use super::sections::number::counted;
use super::words::{answered, attempt, ended};
use crate::records::{EntryRecord, InterventionRecord, ResultRecord};

/// What an entry says, by one speaker or by several: at most so many characters each.
pub(super) fn said(entry: &EntryRecord, chars_max: usize) -> Vec<Said> {
    let one = |voice, label: &str, text: &str| one(voice, label, text, chars_max);
    match entry {
        EntryRecord::Start { tools, .. } => {
            let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
            vec![one(Voice::Loop, "tools", &names.join(", "))]
        }
        EntryRecord::User { from: Speaker::User, text } => vec![one(Voice::User, "user", text)],
        EntryRecord::User { from: Speaker::Loop, text } => vec![one(Voice::Loop, "loop", text)],
        EntryRecord::Completion(it) => {
            let parts = it.parts.iter().map(|part| match part {
                Part::Text(text) => one(Voice::Model, "model", text),
                Part::Thinking { text, .. } => one(Voice::Loop, "thinks", text),
            });
            let calls = it.calls.iter();
            let calls =
                calls.map(|call| one(Voice::Call, "calls", &format!("{} {}", call.tool, call.arguments)));
            parts.chain(calls).collect()
        }
        EntryRecord::Failed(it) => vec![one(Voice::Failure, "attempt", &attempt(it))],
        EntryRecord::Tried(it) => vec![one(speaker(it).0, "tried", &it.text)],
        EntryRecord::Result(it) => {
            let (voice, label) = speaker(it);
            vec![one(voice, label, &it.text)]
        }
        EntryRecord::Intervention(it) => vec![one(Voice::Guard, "guard", &words(it))],
        EntryRecord::Answer(it) => vec![one(Voice::User, "answers", answered(it))],
        EntryRecord::Compaction(it) => vec![one(Voice::Loop, "summary", &it.summary)],
        EntryRecord::Conclusion(it) => {
            vec![one(Voice::Loop, "ends", &format!("about to end: {}", ended(&it.end)))]
        }
        EntryRecord::End { termination } => vec![one(Voice::Loop, "ended", &ended(termination))],
    }
}

fn one(voice: Voice, label: &str, text: &str, chars_max: usize) -> Said {
    Said { voice, label: label.to_owned(), text: clipped(text, chars_max) }
}

/// A text, or its beginning and how much of it is left out.
pub(super) fn clipped(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some((at, _)) => {
            let more = text[at..].chars().count();
            format!("{} (+ {})", &text[..at], counted(more as u64, "character"))
        }
    }
}

fn speaker(it: &ResultRecord) -> (Voice, &'static str) {
    match (it.origin, it.status) {
        (Origin::Synthetic, _) => (Voice::Guard, "refused"),
        (Origin::Missing, _) => (Voice::Loop, "missing"),
        (Origin::Executed, Status::Ok) => (Voice::Tool, "ok"),
        (Origin::Executed, Status::Error) => (Voice::Failure, "failed"),
        (Origin::Executed, Status::Unknown) => (Voice::Tool, "result"),
    }
}

fn words(it: &InterventionRecord) -> String {
    let options = it.options.iter().map(|choice| format!("\n[{}]", choice.label));
    format!("{}{}", it.note.text, options.collect::<String>())
}
