//! Reading entries back.

use std::fmt;
use std::sync::Arc;

use super::entry::{CompletionRecord, EntryRecord, InterventionRecord, ResultRecord};
use crate::completion::Completion;
use crate::entry::{Entry, Intervention, InterventionKind, Start, ToolResult, Transcript, UserMessage};
use crate::offer::{Offer, Tool};

/// A record that cannot be read back into a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRecord {
    /// The index of the entry.
    pub entry: usize,
    /// What was expected, and what was found.
    pub reason: String,
}

impl fmt::Display for BadRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entry {}: {}", self.entry, self.reason)
    }
}

impl std::error::Error for BadRecord {}

/// The transcript that a record was made from.
///
/// # Errors
/// An entry that no transcript can have, by its index: an unknown kind of intervention, a result without its call, a
/// tool name that is not legal, entries before the start.
pub fn transcript(records: &[EntryRecord]) -> Result<Transcript, BadRecord> {
    let mut reader = Reader::default();
    records
        .iter()
        .enumerate()
        .map(|(at, record)| reader.entry(record).map_err(|reason| BadRecord { entry: at, reason }))
        .collect()
}

#[derive(Default)]
struct Reader {
    offer: Option<Arc<Offer>>,
    last: Option<Arc<Completion>>,
}

impl Reader {
    fn entry(&mut self, record: &EntryRecord) -> Result<Entry, String> {
        Ok(match record {
            EntryRecord::Start { model, protocol, tools } => {
                let offer = Arc::new(Offer::new(tools.iter().map(Tool::from)));
                for (tool, wanted) in offer.tools().iter().zip(tools) {
                    if tool.name != wanted.name {
                        return Err(format!(
                            "expected a legal tool name of its own, found `{}`",
                            wanted.name
                        ));
                    }
                }
                self.offer = Some(offer.clone());
                Entry::Start(Start { model: model.clone(), protocol: *protocol, offer })
            }
            EntryRecord::User { from, text } => Entry::User(UserMessage { from: *from, text: text.clone() }),
            EntryRecord::Completion(record) => Entry::Completion(self.completion(record)?),
            EntryRecord::Failed(failed) => Entry::Failed(failed.clone()),
            EntryRecord::Tried(result) => Entry::Tried(self.result(result)?),
            EntryRecord::Result(result) => Entry::Result(self.result(result)?),
            EntryRecord::Intervention(it) => Entry::Intervention(self.intervention(it)?),
            EntryRecord::Answer(answer) => Entry::Answer(answer.clone()),
            EntryRecord::Compaction(compaction) => Entry::Compaction(compaction.clone()),
            EntryRecord::Conclusion(conclusion) => Entry::Conclusion(conclusion.clone()),
            EntryRecord::End { termination } => Entry::End(termination.clone()),
        })
    }

    fn result(&self, record: &ResultRecord) -> Result<ToolResult, String> {
        let calls = self.last.as_ref().map_or(&[][..], |completion| &completion.calls);
        let call = calls.iter().find(|call| call.id == record.call).ok_or_else(|| {
            format!("expected a result of a call in the last completion, found one of `{}`", record.call)
        })?;
        Ok(ToolResult {
            call: call.clone(),
            origin: record.origin,
            status: record.status,
            tries: record.tries,
            text: record.text.clone().into(),
        })
    }

    fn completion(&mut self, record: &CompletionRecord) -> Result<Arc<Completion>, String> {
        let offer = self.offer.as_ref().ok_or("expected `start` first, found `completion`")?;
        let completion = Arc::new(record.completion(offer));
        self.last = Some(completion.clone());
        Ok(completion)
    }

    fn intervention(&mut self, record: &InterventionRecord) -> Result<Intervention, String> {
        let kind = match (&*record.kind, &record.completion) {
            ("repair", Some(completion)) => InterventionKind::Repair(self.completion(completion)?),
            ("feedback", None) => InterventionKind::Feedback,
            ("note", None) => InterventionKind::Note,
            ("question", None) => InterventionKind::Question(record.options.clone()),
            ("notice", None) => InterventionKind::Notice,
            ("block", None) => InterventionKind::Block,
            ("stop", None) => InterventionKind::Stop,
            (kind, completion) => {
                let with = if completion.is_some() { " with a completion" } else { "" };
                return Err(format!(
                    "expected a kind of intervention (repair with a completion, feedback, note, question, \
                     notice, block, stop), found `{kind}`{with}"
                ));
            }
        };
        Ok(Intervention { kind, note: record.note.clone(), seen: record.seen })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::completion::{FinishReason, Part, RawCall, Usage};
    use crate::entry::{Protocol, Status};
    use crate::note::{Note, Subject};
    use crate::offer::Effect;

    fn start() -> Entry {
        let offer = Arc::new(Offer::new([Tool::new("bash"), Tool::new("read").effect(Effect::ReadOnly)]));
        Entry::Start(Start { model: "m".into(), protocol: Protocol::Text, offer })
    }

    fn completion(text: &str, calls: &[(&str, &str)]) -> Completion {
        let Entry::Start(Start { offer, .. }) = start() else { panic!("a start") };
        let raw = |(tool, arguments): &(&str, &str)| RawCall {
            id: "c".into(),
            tool: (*tool).into(),
            arguments: (*arguments).into(),
        };
        let parts = [Part::Text(text.into())];
        Completion::new(parts, calls.iter().map(raw), FinishReason::Stop, Usage::default(), &offer)
    }

    fn intervention(kind: InterventionKind) -> Intervention {
        let note = Note {
            guard: "g".into(),
            rule: "printed".into(),
            level: 1,
            subject: Subject::Run,
            text: "The call was printed.".into(),
        };
        Intervention { kind, note, seen: true }
    }

    /// These entries, written as JSON and read back; the JSON of the last one.
    #[track_caller]
    fn check(entries: &[Entry]) -> String {
        let records: Vec<EntryRecord> = entries.iter().map(EntryRecord::from).collect();
        let json = serde_json::to_string(&records).expect("records are plain data");
        let read: Vec<EntryRecord> = serde_json::from_str(&json).expect("a record reads back");
        assert_eq!(read, records);
        assert_eq!(transcript(&read).expect("a record is a transcript"), entries);
        serde_json::to_string(records.last().expect("an entry")).expect("records are plain data")
    }

    #[test]
    fn the_effect_of_a_call_is_recorded_where_the_host_declared_it() {
        let mut said = completion("", &[("bash", r#"{"command":"ls"}"#), ("bash", r#"{"command":"rm x"}"#)]);
        said.declare(|at, _| (at == 0).then_some(Effect::ReadOnly));
        let json = check(&[start(), Entry::Completion(Arc::new(said))]);
        assert_eq!(json.matches("\"effect\"").count(), 1, "{json}");
        assert!(json.contains(r#""effect":"read-only""#), "{json}");
    }

    #[test]
    fn a_repair_is_recorded_with_its_completion_and_the_result_is_one_of_its_calls() {
        let said = completion("read(a.py)", &[]);
        let mut made = completion("", &[("read", r#"{"path":"a.py"}"#)]);
        made.declare(|_, _| Some(Effect::Unknown));
        let result = ToolResult::executed(&made.calls[0], Status::Ok, "x = 1");
        let entries = [
            start(),
            Entry::Completion(Arc::new(said)),
            Entry::Intervention(intervention(InterventionKind::Repair(Arc::new(made)))),
            Entry::Result(result),
        ];
        check(&entries);
        let json = check(&entries[..3]);
        assert!(json.contains(r#""kind":"repair","completion":{"parts":[],"calls":[{"id":"c""#), "{json}");
    }

    #[test]
    fn a_repair_without_a_completion_and_a_note_with_one_are_refused() {
        let of = |kind, completion| InterventionRecord {
            completion,
            ..InterventionRecord::from(&intervention(kind))
        };
        let made = || Some(Box::new(CompletionRecord::from(&completion("hm", &[]))));
        for (record, found) in [
            (of(InterventionKind::Repair(Arc::default()), None), "found `repair`"),
            (of(InterventionKind::Note, made()), "found `note` with a completion"),
        ] {
            let bad = transcript(&[EntryRecord::from(&start()), EntryRecord::Intervention(record)]);
            let bad = bad.expect_err("no transcript");
            assert!(bad.entry == 1 && bad.reason.ends_with(found), "{bad}");
        }
    }
}
