//! The types that entries, guards and conclusions share: a note with its subject, a question with its choices, and
//! the ways a run can end.

use std::borrow::Cow;
use std::sync::Arc;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use crate::key::CallKey;

/// A message of a guard, with the rule behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Note {
    /// The guard's name.
    pub guard: Cow<'static, str>,
    /// The rule of that guard that fired.
    pub rule: Cow<'static, str>,
    /// The rung of its ladder that the guard has reached, from 1.
    pub level: u8,
    /// What it is about.
    pub subject: Subject,
    /// The words.
    pub text: Arc<str>,
}

/// What a note is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum Subject {
    /// The run as a whole.
    Run,
    /// A tool, by name.
    Tool(Arc<str>),
    /// A family of equal calls.
    Call(CallKey),
}

/// One option for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Choice {
    /// What it means.
    pub kind: ChoiceKind,
    /// The text shown.
    pub label: Cow<'static, str>,
}

impl Choice {
    /// The user says what to do; `label` is the text of the option.
    #[must_use]
    pub fn instruct(label: &'static str) -> Self {
        Self { kind: ChoiceKind::Instruct, label: label.into() }
    }

    /// The run continues as before; `label` is the text of the option.
    #[must_use]
    pub fn go_on(label: &'static str) -> Self {
        Self { kind: ChoiceKind::Continue, label: label.into() }
    }

    /// The user switches to another model.
    #[must_use]
    pub fn switch_model() -> Self {
        Self { kind: ChoiceKind::SwitchModel, label: "switch to another model".into() }
    }

    /// The user ends the run.
    #[must_use]
    pub fn stop() -> Self {
        Self { kind: ChoiceKind::Stop, label: "end the run".into() }
    }

    /// The options for a stuck model: say what to do (under the label `instruct`), switch to another model, continue
    /// (if `may_go_on`), end the run.
    #[must_use]
    pub fn for_stuck(instruct: &'static str, may_go_on: bool) -> Vec<Self> {
        let go_on = may_go_on.then(|| Self::go_on("let it continue"));
        [Self::instruct(instruct), Self::switch_model()]
            .into_iter()
            .chain(go_on)
            .chain([Self::stop()])
            .collect()
    }
}

/// What a choice means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum ChoiceKind {
    /// Continue as before.
    Continue,
    /// Continue with what the user writes.
    Instruct,
    /// Continue with another model.
    SwitchModel,
    /// Try again with only the capabilities that exist (spec H3).
    Constrain,
    /// Report the gap and end the run.
    Report,
    /// End the run.
    Stop,
}

/// A question to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The words.
    pub note: Note,
    /// What the user can choose.
    pub options: Vec<Choice>,
}

impl Question {
    /// The note without its question, for when the user cannot be asked any more.
    #[must_use]
    pub fn statement(&self) -> Note {
        let text = &*self.note.text;
        let said = match text.trim_end().strip_suffix('?').and_then(|it| it.rsplit_once(['.', '!', ':'])) {
            Some((said, _)) if !said.is_empty() => format!("{said}."),
            Some(_) | None => text.to_owned(),
        };
        Note { text: said.into(), ..self.note.clone() }
    }
}

/// Why the loop ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum Termination {
    /// The model ended its part, and no guard objected.
    Finished,
    /// The loop saw no more progress. A [`Run`](crate::Run) never reports this by itself; a host may, through
    /// [`Run::end`](crate::Run::end).
    NoProgress,
    /// Something failed, and no retry can fix it.
    FatalExecution(Arc<str>),
    /// A guard ended it.
    StoppedByGuard,
    /// The user ended it.
    StoppedByUser,
    /// A bound was reached.
    Limit(Limit),
    /// A guard broke.
    GuardFault(Arc<str>),
}

/// The bound that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum Limit {
    /// Turns.
    Turns,
    /// Attempts in one turn.
    Attempts,
    /// Calls.
    Calls,
    /// Interventions.
    Interventions,
    /// Questions to the user.
    Questions,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn n4_who_cannot_be_asked_any_more_is_told_without_the_question() {
        for (text, told) in [
            (
                "The model is stuck: 3 messages call no tool. How should it continue?",
                "The model is stuck: 3 messages call no tool.",
            ),
            ("It failed: \"a.b.c\". Nothing ran. May it run again?\n", "It failed: \"a.b.c\". Nothing ran."),
            ("How should it continue?", "How should it continue?"),
            ("Nothing is asked.", "Nothing is asked."),
        ] {
            let note = Note {
                guard: "g".into(),
                rule: "r".into(),
                level: 1,
                subject: Subject::Run,
                text: text.into(),
            };
            let question = Question { note, options: vec![] };
            assert_eq!(&*question.statement().text, told);
        }
    }
}
