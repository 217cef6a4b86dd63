//! Reading entries back.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::entry::{CompletionRecord, EntryRecord, InterventionRecord, ResultRecord};
use crate::completion::{Completion, ToolCall};
use crate::entry::{Entry, Intervention, InterventionKind, Start, ToolResult, Transcript, UserMessage};
use crate::offer::{Offer, Tool};
use crate::run::TRIES;

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
/// tool name that is not legal, entries before the start; more results of a call than a run commits.
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
    /// The calls of the last completion, by id.
    calls: BTreeMap<Arc<str>, Open>,
}

/// The calls of a completion that have one id; most models give each its own.
struct Open {
    /// The first of them.
    call: Arc<ToolCall>,
    /// How many results may still come.
    results: u32,
    /// How many of them may still be ones before a call ran again.
    tried: u32,
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
            EntryRecord::Tried(result) => Entry::Tried(self.result(result, |open| &mut open.tried)?),
            EntryRecord::Result(result) => Entry::Result(self.result(result, |open| &mut open.results)?),
            EntryRecord::Intervention(it) => Entry::Intervention(self.intervention(it)?),
            EntryRecord::Answer(answer) => Entry::Answer(answer.clone()),
            EntryRecord::Compaction(compaction) => Entry::Compaction(compaction.clone()),
            EntryRecord::Conclusion(conclusion) => Entry::Conclusion(conclusion.clone()),
            EntryRecord::End { termination } => Entry::End(termination.clone()),
        })
    }

    /// A result; `left` says how many of its kind may still come.
    fn result(
        &mut self,
        record: &ResultRecord,
        left: fn(&mut Open) -> &mut u32,
    ) -> Result<ToolResult, String> {
        let open = self.calls.get_mut(&record.call).ok_or_else(|| {
            format!("expected a result of a call in the last completion, found one of `{}`", record.call)
        })?;
        let left = left(open);
        *left = left.checked_sub(1).ok_or_else(|| {
            format!(
                "expected at most one result of a call, after at most {} before it ran again, found another one of \
                 `{}`",
                TRIES - 1,
                record.call
            )
        })?;
        Ok(ToolResult {
            call: open.call.clone(),
            origin: record.origin,
            status: record.status,
            tries: record.tries,
            text: record.text.clone().into(),
        })
    }

    fn completion(&mut self, record: &CompletionRecord) -> Result<Arc<Completion>, String> {
        let offer = self.offer.as_ref().ok_or("expected `start` first, found `completion`")?;
        let completion = Arc::new(record.completion(offer));
        self.calls.clear();
        for call in &completion.calls {
            let new = || Open { call: call.clone(), results: 0, tried: 0 };
            let open = self.calls.entry(call.id.clone()).or_insert_with(new);
            open.results += 1;
            open.tried += TRIES - 1;
        }
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
    fn more_results_of_a_call_than_a_run_commits_are_refused() {
        let said = completion("", &[("bash", "{}")]);
        let result =
            |tries| ToolResult { tries, ..ToolResult::executed(&said.calls[0], Status::Error, "no") };
        let entries = |tried: u32, results: u32| -> Vec<Entry> {
            let begin = [start(), Entry::Completion(Arc::new(said.clone()))].into_iter();
            let tried = (1..=tried).map(|tries| Entry::Tried(result(tries)));
            begin.chain(tried).chain((0..results).map(|_| Entry::Result(result(TRIES)))).collect()
        };
        check(&entries(TRIES - 1, 1));
        let reason = "expected at most one result of a call, after at most 4 before it ran again, found another one \
                      of `c`";
        for (tried, results, at) in [(TRIES, 0, 6), (0, 2, 3), (TRIES - 1, 2, 7)] {
            let records: Vec<EntryRecord> = entries(tried, results).iter().map(EntryRecord::from).collect();
            assert_eq!(transcript(&records), Err(BadRecord { entry: at, reason: reason.into() }));
        }
        // Calls that have one id have one result each.
        let twice = completion("", &[("bash", "{}"), ("bash", "{}")]);
        let results = twice.calls.iter().map(|it| Entry::Result(ToolResult::executed(it, Status::Ok, "")));
        check(
            &[start(), Entry::Completion(Arc::new(twice.clone()))]
                .into_iter()
                .chain(results)
                .collect::<Vec<_>>(),
        );
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
