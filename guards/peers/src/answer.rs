//! How these rules answer: notes, questions, requests that are sent again; and who speaks to them.

use balk_contract::{
    AttemptCause, AttemptFailure, Choice, ChoiceKind, Decision, Entry, Intervention, InterventionKind, Note,
    Question, Recovery, Speaker, Subject, Verdict, Wait,
};

/// A note; its level is how often it was seen, where no ladder has another.
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

/// A question to the user: guidance, going on, or the end.
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

/// The person spoke: a message, or the answer to a question.
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

/// A question that this guard put to the user.
pub(super) fn is_own_question(entry: &Entry, guard: &str) -> bool {
    let Entry::Intervention(Intervention { kind: InterventionKind::Question(_), note, .. }) = entry else {
        return false;
    };
    note.guard == guard
}

/// How often a broken request is made again, and how long after.
pub(super) struct Resends {
    /// How often, in one turn.
    pub(super) times: u32,
    /// Ticks (ms) before the first; each further one waits twice as long.
    pub(super) first: u64,
    /// Ticks that no wait exceeds.
    pub(super) most: u64,
    /// By how much a wait varies to both sides, in per cent.
    pub(super) jitter: u64,
}

impl Resends {
    /// The next one, unless they are spent.
    pub(super) fn next(&self, failure: &AttemptFailure) -> Option<Recovery> {
        if failure.attempt > self.times {
            return None;
        }
        let doublings = failure.attempt.saturating_sub(1).min(32);
        let wait = self.first.saturating_mul(1 << doublings).min(self.most);
        let spread = wait * self.jitter / 100;
        Some(Recovery::Resend { after: Wait { at_least: wait - spread, at_most: wait + spread } })
    }
}

/// Whether the failure may pass by itself: a broken connection, a provider that is busy or down.
pub(super) fn may_pass(cause: AttemptCause) -> bool {
    match cause {
        AttemptCause::Connect | AttemptCause::TimedOut | AttemptCause::Disconnected => true,
        AttemptCause::Status { code, .. } => matches!(code, 408 | 409 | 429) || code >= 500,
        AttemptCause::Empty => false,
    }
}
