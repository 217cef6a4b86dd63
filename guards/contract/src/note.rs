//! The ground that entries, guards and conclusions share: a note with its subject, a question with its choices, and
//! the ends a run can have.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::key::CallKey;

/// Who says what, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The guard's name.
    pub guard: Cow<'static, str>,
    /// The rule of that guard that fired.
    pub rule: Cow<'static, str>,
    /// How far up its ladder the guard is, from 1.
    pub level: u8,
    /// What it is about.
    pub subject: Subject,
    /// The words.
    pub text: Arc<str>,
}

/// What a note is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// The run as a whole.
    Run,
    /// A tool, by name.
    Tool(Arc<str>),
    /// A family of equal calls.
    Call(CallKey),
}

/// One thing the user can choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// What choosing it means.
    pub kind: ChoiceKind,
    /// The words on it.
    pub label: Cow<'static, str>,
}

impl Choice {
    /// To say what is to be done, under these words.
    #[must_use]
    pub fn instruct(label: &'static str) -> Self {
        Self { kind: ChoiceKind::Instruct, label: label.into() }
    }

    /// To go on as before, under these words.
    #[must_use]
    pub fn go_on(label: &'static str) -> Self {
        Self { kind: ChoiceKind::Continue, label: label.into() }
    }

    /// To switch to another model.
    #[must_use]
    pub fn switch_model() -> Self {
        Self { kind: ChoiceKind::SwitchModel, label: "switch to another model".into() }
    }

    /// To end the run.
    #[must_use]
    pub fn stop() -> Self {
        Self { kind: ChoiceKind::Stop, label: "end the run".into() }
    }

    /// What a user can do about a model that is stuck: say what is to be done, under these words; switch to another
    /// model; let it go on, where that may help; end the run.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChoiceKind {
    /// Go on as before.
    Continue,
    /// Go on with what the user writes.
    Instruct,
    /// Go on with another model.
    SwitchModel,
    /// Try again with the capabilities that exist, and no others (spec H3).
    Constrain,
    /// Report the gap, and end the run.
    Report,
    /// End the run.
    Stop,
}

/// What is put to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The words.
    pub note: Note,
    /// What the user can choose.
    pub options: Vec<Choice>,
}

impl Question {
    /// What it says without what it asks: for whoever cannot be asked any more.
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Termination {
    /// The model ended its part and nobody objected.
    Finished,
    /// The loop saw no more progress. A [`Run`](crate::Run) never says so by itself: a host may, by
    /// [`Run::end`](crate::Run::end).
    NoProgress,
    /// Something failed that no retry can mend.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Turns.
    Turns,
    /// Attempts within one turn.
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
