//! Entries in written form, and reading them back.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::attempt::FailedAttempt;
use crate::completion::{Completion, FinishReason, Part, RawCall, ToolCall, Usage};
use crate::conclusion::Conclusion;
use crate::entry::{
    Compaction, Entry, Intervention, InterventionKind, Origin, Protocol, Speaker, Start, Status, ToolResult,
    Transcript, UserAnswer, UserMessage,
};
use crate::note::{Choice, Note, Termination};
use crate::offer::{Effect, Offer, Purpose, Tool};
use crate::schema::Schema;

/// One entry of a transcript. A result names its call by id; reading computes the keys again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "kebab-case", deny_unknown_fields)]
pub enum EntryRecord {
    /// See [`Entry::Start`].
    Start {
        /// The model's name.
        model: Arc<str>,
        /// How a task ends.
        protocol: Protocol,
        /// The tools on offer.
        tools: Vec<ToolRecord>,
    },
    /// See [`Entry::User`].
    User {
        /// Who said it.
        from: Speaker,
        /// What was said.
        text: Arc<str>,
    },
    /// See [`Entry::Completion`].
    Completion(CompletionRecord),
    /// See [`Entry::Failed`].
    Failed(FailedAttempt),
    /// See [`Entry::Tried`].
    Tried(ResultRecord),
    /// See [`Entry::Result`].
    Result(ResultRecord),
    /// See [`Entry::Intervention`].
    Intervention(InterventionRecord),
    /// See [`Entry::Answer`].
    Answer(UserAnswer),
    /// See [`Entry::Compaction`].
    Compaction(Compaction),
    /// See [`Entry::Conclusion`].
    Conclusion(Arc<Conclusion>),
    /// See [`Entry::End`].
    End {
        /// Why the loop ended.
        termination: Termination,
    },
}

/// A tool on offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolRecord {
    /// The name on the wire.
    pub name: Arc<str>,
    /// The name from its owner.
    pub original: Arc<str>,
    /// One sentence.
    pub description: Arc<str>,
    /// JSON Schema, as text.
    pub parameters: Arc<str>,
    /// What a call can change.
    pub effect: Effect,
    /// What it is for.
    pub purpose: Purpose,
    /// Whether the provider runs it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provider_executed: bool,
}

/// What the model returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompletionRecord {
    /// The content.
    pub parts: Vec<Part>,
    /// The calls.
    pub calls: Vec<CallRecord>,
    /// Why it ended.
    pub finish: FinishReason,
    /// Tokens counted by the provider.
    pub usage: Usage,
}

/// A requested call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallRecord {
    /// The provider's id.
    pub id: Arc<str>,
    /// The tool.
    pub tool: Arc<str>,
    /// The argument text.
    pub arguments: Arc<str>,
    /// What this call can change, if the host declared it for this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultRecord {
    /// The id of its call: the last call with this id.
    pub call: Arc<str>,
    /// Where it comes from.
    pub origin: Origin,
    /// Whether it failed.
    pub status: Status,
    /// How often the call had run by then.
    pub tries: u32,
    /// What the model sees.
    pub text: Arc<str>,
}

/// An intervention of a guard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterventionRecord {
    /// `repair`, `feedback`, `note`, `question`, `notice`, `block` or `stop`.
    pub kind: Cow<'static, str>,
    /// The choices of a question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Choice>,
    /// The repaired completion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion: Option<Box<CompletionRecord>>,
    /// The guard, the reason and the text.
    pub note: Note,
    /// Whether the model saw it.
    pub seen: bool,
}

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

impl From<&Entry> for EntryRecord {
    fn from(entry: &Entry) -> Self {
        match entry {
            Entry::Start(start) => Self::Start {
                model: start.model.clone(),
                protocol: start.protocol,
                tools: start.offer.tools().iter().map(ToolRecord::from).collect(),
            },
            Entry::User(message) => Self::User { from: message.from, text: message.text.clone() },
            Entry::Completion(completion) => Self::Completion((&**completion).into()),
            Entry::Failed(failed) => Self::Failed(failed.clone()),
            Entry::Tried(result) => Self::Tried(result.into()),
            Entry::Result(result) => Self::Result(result.into()),
            Entry::Intervention(it) => Self::Intervention(it.into()),
            Entry::Answer(answer) => Self::Answer(answer.clone()),
            Entry::Compaction(compaction) => Self::Compaction(compaction.clone()),
            Entry::Conclusion(conclusion) => Self::Conclusion(conclusion.clone()),
            Entry::End(termination) => Self::End { termination: termination.clone() },
        }
    }
}

impl From<&Tool> for ToolRecord {
    fn from(tool: &Tool) -> Self {
        Self {
            name: tool.name.clone(),
            original: tool.original.clone(),
            description: tool.description.clone(),
            parameters: tool.parameters.text().clone(),
            effect: tool.effect,
            purpose: tool.purpose,
            provider_executed: tool.provider_executed,
        }
    }
}

impl From<&ToolRecord> for Tool {
    fn from(record: &ToolRecord) -> Self {
        Self {
            name: record.name.clone(),
            original: record.original.clone(),
            description: record.description.clone(),
            parameters: Schema::new(record.parameters.clone()),
            effect: record.effect,
            purpose: record.purpose,
            provider_executed: record.provider_executed,
        }
    }
}

impl From<&Completion> for CompletionRecord {
    fn from(completion: &Completion) -> Self {
        Self {
            parts: completion.parts.clone(),
            calls: completion.calls.iter().map(|call| CallRecord::from(&**call)).collect(),
            finish: completion.finish,
            usage: completion.usage,
        }
    }
}

impl From<&ToolCall> for CallRecord {
    fn from(call: &ToolCall) -> Self {
        Self {
            id: call.id.clone(),
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            effect: call.declared(),
        }
    }
}

impl From<&ToolResult> for ResultRecord {
    fn from(result: &ToolResult) -> Self {
        Self {
            call: result.call.id.clone(),
            origin: result.origin,
            status: result.status,
            tries: result.tries,
            text: result.text.text().clone(),
        }
    }
}

impl From<&Intervention> for InterventionRecord {
    fn from(it: &Intervention) -> Self {
        let (options, completion) = match &it.kind {
            InterventionKind::Question(options) => (options.clone(), None),
            InterventionKind::Repair(completion) => (Vec::new(), Some(Box::new((&**completion).into()))),
            InterventionKind::Feedback
            | InterventionKind::Note
            | InterventionKind::Notice
            | InterventionKind::Block
            | InterventionKind::Stop => (Vec::new(), None),
        };
        Self { kind: it.kind.name().into(), options, completion, note: it.note.clone(), seen: it.seen }
    }
}

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
        let calls = record.calls.iter().map(|call| RawCall {
            id: call.id.clone(),
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
        });
        let mut completion = Completion::new(record.parts.clone(), calls, record.finish, record.usage, offer);
        completion.declare(|at, _| record.calls[at].effect);
        let completion = Arc::new(completion);
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
    use crate::Subject;

    use super::*;

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
