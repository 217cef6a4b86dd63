//! Entries in written form.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::attempt::FailedAttempt;
use crate::completion::{Completion, FinishReason, Part, RawCall, ToolCall, Usage};
use crate::conclusion::Conclusion;
use crate::entry::{
    Compaction, Entry, Intervention, InterventionKind, Origin, Protocol, Speaker, Status, ToolResult,
    UserAnswer,
};
use crate::note::{Choice, Note, Termination};
use crate::offer::{Effect, Offer, Purpose, Tool};
use crate::schema::Schema;

/// One entry of a transcript. A result names its call by id; reading computes the keys again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

impl CompletionRecord {
    /// The completion that this is a record of. `offer` is that of its run.
    #[must_use]
    pub fn completion(&self, offer: &Offer) -> Completion {
        let calls = self.calls.iter().map(|call| RawCall {
            id: call.id.clone(),
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
        });
        let mut completion = Completion::new(self.parts.clone(), calls, self.finish, self.usage, offer);
        completion.declare(|at, _| self.calls[at].effect);
        completion
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
