//! Answers that these rules share: notes, questions and resends; and who sent an entry.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::messages::fill;
use balk_contract::{
    AttemptCause, AttemptFailure, Choice, ChoiceKind, Decision, Entry, Intervention, InterventionKind, Note,
    Offer, Purpose, Question, Recovery, Speaker, Subject, Verdict, Wait,
};

/// A note; its level is the number of sightings, unless a ladder gives another.
pub(super) fn note(
    guard: &'static str,
    rule: &'static str,
    level: u32,
    subject: Subject,
    text: String,
) -> Note {
    let level = u8::try_from(level.max(1)).unwrap_or(u8::MAX);
    Note { guard: guard.into(), rule: rule.into(), level, subject, text: text.into() }
}

/// A question to the user: give guidance, continue, or end the run.
pub(super) fn question(note: Note) -> Question {
    let choice = |kind, label: &'static str| Choice { kind, label: label.into() };
    let options = vec![
        choice(ChoiceKind::Instruct, "give the model guidance"),
        choice(ChoiceKind::Continue, "let it go on"),
        choice(ChoiceKind::Stop, "end the run"),
    ];
    Question { note, options }
}

pub(super) fn ask(note: Note) -> Decision {
    Verdict::Ask(question(note)).into()
}

/// True if the user spoke: a message, or the answer to a question.
pub(super) fn is_from_user(entry: &Entry) -> bool {
    match entry {
        Entry::User(message) => message.from == Speaker::User,
        Entry::Answer(_) => true,
        Entry::Start(_)
        | Entry::Completion(_)
        | Entry::Failed(_)
        | Entry::Tried(_)
        | Entry::Result(_)
        | Entry::Intervention(_)
        | Entry::Compaction(_)
        | Entry::Conclusion(_)
        | Entry::End(_) => false,
    }
}

/// True for a question that this guard asked the user.
pub(super) fn is_own_question(entry: &Entry, guard: &str) -> bool {
    let Entry::Intervention(Intervention { kind: InterventionKind::Question(_), note, .. }) = entry else {
        return false;
    };
    note.guard == guard
}

/// How often a broken request is sent again, and after which wait.
pub(super) struct Resends {
    /// Resends in one turn.
    pub(super) times: u32,
    /// Ticks (ms) before the first; the wait doubles for each further one.
    pub(super) first: u64,
    /// The longest wait, in ticks.
    pub(super) most: u64,
    /// How much a wait varies in both directions, in per cent.
    pub(super) jitter: u64,
}

impl Resends {
    /// The next resend, unless all are spent.
    pub(super) fn next(&self, failure: &AttemptFailure) -> Option<Recovery> {
        if failure.attempt > self.times {
            return None;
        }
        let doublings = failure.attempt.saturating_sub(1).min(32);
        let wait = self.first.saturating_mul(1 << doublings).min(self.most);
        let spread = wait * self.jitter / 100;
        Some(Recovery::resend(Wait { at_least: wait - spread, at_most: wait + spread }))
    }
}

/// Whether the failure may be temporary: a broken connection, a provider that is busy or down.
pub(super) fn may_pass(cause: AttemptCause) -> bool {
    match cause {
        AttemptCause::Connect | AttemptCause::TimedOut | AttemptCause::Disconnected => true,
        AttemptCause::Status { code, .. } => matches!(code, 408 | 409 | 429) || code >= 500,
        AttemptCause::Empty => false,
    }
}

/// The tools that end a task and ask the user, by the names that they have here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EndTools {
    finish: Arc<str>,
    ask: Arc<str>,
}

impl Default for EndTools {
    /// The names that Cline and Roo Code have for them.
    fn default() -> Self {
        Self { finish: "attempt_completion".into(), ask: "ask_followup_question".into() }
    }
}

impl EndTools {
    pub(super) fn of(offer: &Offer) -> Self {
        let named = |purpose, own: Arc<str>| offer.first(purpose).map_or(own, |tool| tool.name.clone());
        let Self { finish, ask } = Self::default();
        Self { finish: named(Purpose::Finish, finish), ask: named(Purpose::AskUser, ask) }
    }

    /// A message that names both.
    pub(super) fn named_in(&self, template: &str) -> String {
        fill(template, &[("finish", &self.finish), ("ask", &self.ask)])
    }
}
