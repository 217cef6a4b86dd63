//! Recorded runs without their contents: lengths replace texts, arguments and results. Names of tools, guards and
//! rules stay.

use std::sync::Arc;

use balk_guards::{Conclusion, Entry, Note, Part, Termination};
use balk_reports::records::{CompletionRecord, EntryRecord, InterventionRecord, ResultRecord};

/// What replaces a text: its length.
pub(crate) fn text(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("({} bytes)", text.len()) }
}

/// The same for a shared text.
pub(crate) fn shared(it: &mut Arc<str>) {
    *it = text(it).into();
}

pub(crate) fn note(it: &mut Note) {
    shared(&mut it.text);
}

pub(crate) fn intervention(it: &mut InterventionRecord) {
    note(&mut it.note);
    it.options.clear();
    if let Some(completion) = &mut it.completion {
        self::completion(completion);
    }
}

pub(crate) fn conclusion(it: &mut Conclusion) {
    termination(&mut it.end);
    note(&mut it.note);
    it.gap = None;
}

/// The entries as records, with their contents or without.
pub(crate) fn records<'e>(entries: impl IntoIterator<Item = &'e Entry>, redacts: bool) -> Vec<EntryRecord> {
    let record = |entry: &'e Entry| {
        let mut record = EntryRecord::from(entry);
        if redacts {
            self::entry(&mut record);
        }
        record
    };
    entries.into_iter().map(record).collect()
}

fn entry(it: &mut EntryRecord) {
    match it {
        EntryRecord::Start { tools, .. } => {
            for tool in tools {
                shared(&mut tool.description);
                shared(&mut tool.parameters);
            }
        }
        EntryRecord::User { text, .. } => shared(text),
        EntryRecord::Completion(it) => completion(it),
        EntryRecord::Failed(it) => shared(&mut it.failure.message),
        EntryRecord::Tried(it) | EntryRecord::Result(it) => result(it),
        EntryRecord::Intervention(it) => intervention(it),
        EntryRecord::Answer(it) => shared(&mut it.text),
        EntryRecord::Compaction(it) => shared(&mut it.summary),
        EntryRecord::Conclusion(it) => conclusion(Arc::make_mut(it)),
        EntryRecord::End { termination: it } => termination(it),
    }
}

fn completion(it: &mut CompletionRecord) {
    for part in &mut it.parts {
        match part {
            Part::Text(text) => shared(text),
            Part::Thinking { text, signature } => {
                shared(text);
                *signature = None;
            }
        }
    }
    for call in &mut it.calls {
        shared(&mut call.arguments);
    }
}

fn result(it: &mut ResultRecord) {
    shared(&mut it.text);
}

fn termination(it: &mut Termination) {
    match it {
        Termination::FatalExecution(why) | Termination::GuardFault(why) => *why = text(why).into(),
        Termination::Finished
        | Termination::NoProgress
        | Termination::StoppedByGuard
        | Termination::StoppedByUser
        | Termination::Limit(_) => {}
    }
}
