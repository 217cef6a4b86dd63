//! One recorded trajectory through one guard: what it would have said, and when.

use std::collections::BTreeMap;
use std::sync::Arc;

use balk_guards::{
    Answer, AttemptFailure, Completion, Entry, Guard, GuardFault, Intervention, InterventionKind, Note,
    Origin, Recovery, Settlement, Subject, ToolResult, Wait,
};

use super::join::Placed;

/// What a guard did in one trajectory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    /// Completions folded.
    pub turns: u64,
    /// Calls in them.
    pub calls: u64,
    /// What the guard would have done, in order.
    pub events: Vec<Event>,
    /// Why the fold ended early, and in which turn.
    pub fault: Option<(u64, GuardFault)>,
}

/// Something that a guard would have done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The turn, from 1. A failed attempt belongs to the turn that it delays.
    pub turn: u64,
    /// Index in the recording's `messages` of the assistant message it is about.
    pub message: usize,
    /// What.
    pub what: What,
}

/// What a guard would have done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// It would have stepped in.
    Fired(Firing),
    /// It would have run a call again. Nobody sees that, so it is no firing.
    Rerun {
        /// The tool.
        tool: Arc<str>,
        /// Ticks to wait before.
        after: u64,
    },
    /// It would have sent the request again. Nobody sees that, so it is no firing.
    Resend {
        /// How long to wait before.
        after: Wait,
    },
}

/// One rule of one guard intervened in one answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firing {
    /// The question it was asked.
    pub asked: Asked,
    /// The first intervention of this answer by this rule: who, which rule, which level, the words.
    pub note: Note,
    /// What it did.
    pub kind: &'static str,
    /// The tool it is about, where it is about one.
    pub tool: Option<Arc<str>>,
    /// How many interventions the answer has from this rule: a block of three calls is one firing.
    pub interventions: u64,
    /// The first of a stretch, whoever fired.
    pub opens_stretch: bool,
    /// The first of a stretch of this guard.
    pub opens_guard_stretch: bool,
}

/// Which question a guard was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// About a completion.
    Review,
    /// About results.
    Settle,
    /// About a failed attempt.
    Recover,
}

impl Asked {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Review => "review",
            Self::Settle => "settle",
            Self::Recover => "recover",
        }
    }
}

/// Firings at most so many turns apart form one stretch.
const STRETCH_TURNS: u64 = 2;

/// Folds the entries of one trajectory into `guard` and asks it everything that a loop would have asked.
/// A guard fault ends the fold.
#[must_use]
pub fn fold(entries: &[Placed], guard: &mut dyn Guard) -> Folded {
    let mut fold =
        Fold { entries, asked: 0, guard, stretches: Stretches::default(), folded: Folded::default() };
    if let Err(fault) = fold.run() {
        fold.folded.fault = Some((fold.folded.turns, fault));
    }
    fold.folded
}

struct Fold<'a> {
    entries: &'a [Placed],
    /// How many of the entries the guard knew when it was asked last.
    asked: usize,
    guard: &'a mut dyn Guard,
    stretches: Stretches,
    folded: Folded,
}

impl Fold<'_> {
    fn run(&mut self) -> Answer<()> {
        let mut rest = self.entries;
        while let Some((Placed { message, entry }, after)) = rest.split_first() {
            rest = after;
            self.asked = self.entries.len() - after.len();
            match entry {
                Entry::Completion(completion) => {
                    let results = after.iter().take_while(|it| matches!(it.entry, Entry::Result(_))).count();
                    let (batch, later) = after.split_at(results);
                    rest = later;
                    self.guard.observe(entry);
                    self.turn(*message, completion, batch)?;
                }
                Entry::Failed(attempt) => self.attempt(*message, entry, &attempt.failure)?,
                Entry::Start(_)
                | Entry::User(_)
                | Entry::Tried(_)
                | Entry::Result(_)
                | Entry::Intervention(_)
                | Entry::Answer(_)
                | Entry::Compaction(_)
                | Entry::Conclusion(_)
                | Entry::End(_) => self.guard.observe(entry),
            }
        }
        Ok(())
    }

    /// A completion: its review, its results, then what the guard would have said.
    fn turn(&mut self, message: usize, completion: &Completion, batch: &[Placed]) -> Answer<()> {
        self.folded.turns += 1;
        self.folded.calls += completion.calls.len() as u64;
        let turn = self.folded.turns;
        let mut said = self.guard.review(completion)?.interventions(false);
        self.fired(turn, message, Asked::Review, &said);
        let executed: Vec<ToolResult> = batch.iter().filter_map(|it| executed(&it.entry)).cloned().collect();
        if !executed.is_empty() {
            match self.guard.settle(completion, &executed)? {
                Settlement::Accept(notes) => {
                    let notes: Vec<_> =
                        notes.into_iter().map(|it| unseen(InterventionKind::Note, it)).collect();
                    self.fired(turn, message, Asked::Settle, &notes);
                    said.extend(notes);
                }
                Settlement::Rerun { call, after } => {
                    let Some(call) = completion.calls.get(call) else {
                        let calls = completion.calls.len();
                        let reason = format!("expected a call below {calls} to run again, found {call}");
                        return Err(GuardFault { guard: self.guard.name().into(), reason });
                    };
                    self.event(turn, message, What::Rerun { tool: call.tool.clone(), after });
                }
            }
        }
        for placed in batch {
            self.guard.observe(&placed.entry);
        }
        self.observe_all(said);
        Ok(())
    }

    /// A failed attempt: what the guard would have done, then what the recorded loop did.
    fn attempt(&mut self, message: usize, entry: &Entry, failure: &AttemptFailure) -> Answer<()> {
        let turn = self.folded.turns + 1;
        let said = match self.guard.recover(failure)? {
            None => None,
            Some(Recovery::Resend { after }) => {
                self.event(turn, message, What::Resend { after });
                None
            }
            Some(Recovery::Ask(question)) => Some(question.intervention(false)),
            Some(Recovery::Stop(note)) => Some(unseen(InterventionKind::Stop, note)),
        };
        self.fired(turn, message, Asked::Recover, said.as_slice());
        self.guard.observe(entry);
        self.observe_all(said);
        Ok(())
    }

    fn observe_all(&mut self, said: impl IntoIterator<Item = Intervention>) {
        for it in said {
            self.guard.observe(&Entry::Intervention(it));
        }
    }

    /// Takes down one firing for each rule that speaks in an answer.
    fn fired(&mut self, turn: u64, message: usize, asked: Asked, said: &[Intervention]) {
        let rule = |it: &'_ Intervention| (it.note.guard.clone(), it.note.rule.clone());
        for (at, first) in said.iter().enumerate() {
            if said[..at].iter().any(|earlier| rule(earlier) == rule(first)) {
                continue;
            }
            let firing = Firing {
                asked,
                note: first.note.clone(),
                kind: first.kind.name(),
                tool: self.tool(&first.note.subject),
                interventions: said.iter().filter(|it| rule(it) == rule(first)).count() as u64,
                opens_stretch: self.stretches.opens(turn),
                opens_guard_stretch: self.stretches.opens_of(&first.note.guard, turn),
            };
            self.event(turn, message, What::Fired(firing));
        }
    }

    fn event(&mut self, turn: u64, message: usize, what: What) {
        self.folded.events.push(Event { turn, message, what });
    }

    /// The tool a note is about. A key is looked up from the last call backwards: it is mostly that one.
    fn tool(&self, subject: &Subject) -> Option<Arc<str>> {
        match subject {
            Subject::Run => None,
            Subject::Tool(tool) => Some(tool.clone()),
            Subject::Call(key) => self.entries[..self.asked].iter().rev().find_map(|it| match &it.entry {
                Entry::Completion(completion) => {
                    completion.calls.iter().find(|call| call.key == *key).map(|call| call.tool.clone())
                }
                Entry::Start(_)
                | Entry::User(_)
                | Entry::Failed(_)
                | Entry::Tried(_)
                | Entry::Result(_)
                | Entry::Intervention(_)
                | Entry::Answer(_)
                | Entry::Compaction(_)
                | Entry::Conclusion(_)
                | Entry::End(_) => None,
            }),
        }
    }
}

/// When something fired last, at all and for each guard.
#[derive(Default)]
struct Stretches {
    last: Option<u64>,
    last_of: BTreeMap<String, u64>,
}

impl Stretches {
    /// Notes a firing; true where it opens a stretch.
    fn opens(&mut self, turn: u64) -> bool {
        is_apart(self.last.replace(turn), turn)
    }

    /// The same for one guard.
    fn opens_of(&mut self, guard: &str, turn: u64) -> bool {
        is_apart(self.last_of.insert(guard.into(), turn), turn)
    }
}

fn is_apart(last: Option<u64>, turn: u64) -> bool {
    last.is_none_or(|last| turn - last > STRETCH_TURNS)
}

fn unseen(kind: InterventionKind, note: Note) -> Intervention {
    Intervention { kind, note, seen: false }
}

/// A result, where the tool ran.
fn executed(entry: &Entry) -> Option<&ToolResult> {
    match entry {
        Entry::Result(result) => match result.origin {
            Origin::Executed => Some(result),
            Origin::Synthetic | Origin::Missing => None,
        },
        Entry::Start(_)
        | Entry::User(_)
        | Entry::Completion(_)
        | Entry::Failed(_)
        | Entry::Tried(_)
        | Entry::Intervention(_)
        | Entry::Answer(_)
        | Entry::Compaction(_)
        | Entry::Conclusion(_)
        | Entry::End(_) => None,
    }
}

#[cfg(test)]
mod tests;
