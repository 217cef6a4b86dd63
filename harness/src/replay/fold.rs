//! Folds one recorded trajectory into one guard: what the guard would have said, and when.

use std::collections::BTreeMap;
use std::sync::Arc;

use balk_guards::{
    Answer, AttemptFailure, Completion, Entry, Guard, GuardFault, Intervention, InterventionKind, Note,
    Origin, Recovery, Settlement, Subject, ToolResult, Wait, watched,
};

use crate::import::Placed;

/// What a guard did in one trajectory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folded {
    /// Completions folded.
    pub turns: u64,
    /// Calls in them.
    pub calls: u64,
    /// What the guard would have done, in order.
    pub events: Vec<Event>,
    /// Where the guard would have ended the run.
    pub end: Option<End>,
    /// Why the fold ended early, and the turn.
    pub fault: Option<(u64, GuardFault)>,
}

/// Where a guard would have ended the run. It is asked nothing about what was recorded after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The turn, from 1.
    pub turn: u64,
    /// Index in `messages` of the assistant message that it is about.
    pub message: usize,
    /// The number of entries up to it, its results included.
    pub entries: usize,
    /// Completions that were recorded after it.
    pub turns_after: u64,
    /// Calls in them.
    pub calls_after: u64,
}

/// An action that a guard would have taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The turn, from 1. A failed attempt belongs to the turn that it delays.
    pub turn: u64,
    /// Index in the recording's `messages` of the assistant message that the event is about.
    pub message: usize,
    /// The action.
    pub what: What,
}

/// An action that a guard would have taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// An intervention.
    Fired(Firing),
    /// Running a call again. The model and the user do not see that, so it is not a firing.
    Rerun {
        /// The tool.
        tool: Arc<str>,
        /// Ticks to wait before the rerun.
        after: u64,
    },
    /// Sending the request again. The model and the user do not see that, so it is not a firing.
    Resend {
        /// How long to wait before the resend.
        after: Wait,
    },
}

/// One rule of one guard intervened in one answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firing {
    /// The question that the guard answered.
    pub asked: Asked,
    /// The note of the first intervention by this rule in this answer: guard, rule, level, text.
    pub note: Note,
    /// The kind of intervention.
    pub kind: &'static str,
    /// The tool that it is about, if it is about one.
    pub tool: Option<Arc<str>>,
    /// The number of interventions by this rule in the answer: a block of three calls is one firing.
    pub interventions: u64,
    /// The first of a stretch of any guards.
    pub opens_stretch: bool,
    /// The first of a stretch of this guard.
    pub opens_guard_stretch: bool,
}

/// The question that a guard was asked.
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

/// The largest distance, in turns, between neighbouring firings of one stretch.
const STRETCH_TURNS: u64 = 2;

/// Folds the entries of one trajectory into `guard`, and asks it everything that a loop would have asked. A guard
/// fault ends the fold, and so does a guard that would have ended the run: nothing of the rest would have happened. A
/// question ends nothing, since a person may have answered it.
#[must_use]
pub fn fold(entries: &[Placed], guard: &mut dyn Guard) -> Folded {
    let mut folded = fold_until_end(entries, guard);
    if let Some(end) = &mut folded.end {
        let rest = entries[end.entries..].iter().filter_map(|it| completion(&it.entry));
        (end.turns_after, end.calls_after) =
            rest.fold((0, 0), |(turns, calls), it| (turns + 1, calls + it.calls.len() as u64));
    }
    folded
}

/// Folds as [`fold`] does, and does not look at what comes after an end: nothing of it is counted.
pub(crate) fn fold_until_end(entries: &[Placed], guard: &mut dyn Guard) -> Folded {
    let mut fold =
        Fold { entries, asked: 0, guard, stretches: Stretches::default(), folded: Folded::default() };
    if let Err(fault) = fold.run() {
        fold.folded.fault = Some((fold.folded.turns, fault));
    }
    fold.folded
}

struct Fold<'a> {
    entries: &'a [Placed],
    /// The number of entries that the guard knew at the last question.
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
            if let Some(end) = &mut self.folded.end {
                end.entries = self.entries.len() - rest.len();
                break;
            }
        }
        Ok(())
    }

    /// Folds a completion: its review, its results, then what the guard would have said.
    fn turn(&mut self, message: usize, completion: &Completion, batch: &[Placed]) -> Answer<()> {
        self.folded.turns += 1;
        self.folded.calls += completion.calls.len() as u64;
        let turn = self.folded.turns;
        let decisions = watched(self.guard, completion)?;
        let mut said: Vec<_> = decisions.iter().flat_map(|it| it.interventions(false)).collect();
        self.fired(turn, message, Asked::Review, &said);
        if self.folded.end.is_some() {
            return Ok(());
        }
        let executed: Vec<ToolResult> =
            batch.iter().filter_map(|it| executed_of(&it.entry)).cloned().collect();
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
        // The results that were settled are observed themselves: what guards have read of a text stays known.
        let mut settled = executed.into_iter();
        for Placed { entry, .. } in batch {
            match executed_of(entry).and_then(|_| settled.next()) {
                Some(result) => self.guard.observe(&Entry::Result(result)),
                None => self.guard.observe(entry),
            }
        }
        self.observe_all(said);
        Ok(())
    }

    /// Folds a failed attempt: what the guard would have done, then what the recorded loop did.
    fn attempt(&mut self, message: usize, entry: &Entry, failure: &AttemptFailure) -> Answer<()> {
        let turn = self.folded.turns + 1;
        let said = match self.guard.recover(failure)? {
            None => None,
            Some(Recovery::Resend { after, notice }) => {
                self.event(turn, message, What::Resend { after });
                notice.map(|note| unseen(InterventionKind::Notice, note))
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

    /// Records one firing for each rule that speaks in an answer.
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
        if said.iter().any(|it| matches!(it.kind, InterventionKind::Stop)) {
            self.folded.end = Some(End { turn, message, entries: 0, turns_after: 0, calls_after: 0 });
        }
    }

    fn event(&mut self, turn: u64, message: usize, what: What) {
        self.folded.events.push(Event { turn, message, what });
    }

    /// The tool that a note is about. The search starts at the last call, because that is usually the one.
    fn tool(&self, subject: &Subject) -> Option<Arc<str>> {
        match subject {
            Subject::Run => None,
            Subject::Tool(tool) => Some(tool.clone()),
            Subject::Call(key) => {
                let mut completions =
                    self.entries[..self.asked].iter().rev().filter_map(|it| completion(&it.entry));
                completions.find_map(|it| {
                    it.calls.iter().find(|call| call.key == *key).map(|call| call.tool.clone())
                })
            }
        }
    }
}

/// The turn of the last firing, overall and for each guard.
#[derive(Default)]
struct Stretches {
    last: Option<u64>,
    last_of: BTreeMap<String, u64>,
}

impl Stretches {
    /// Records a firing; true if it opens a stretch.
    fn opens(&mut self, turn: u64) -> bool {
        is_apart(self.last.replace(turn), turn)
    }

    /// Records a firing of one guard; true if it opens a stretch of this guard.
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

pub(crate) fn completion(entry: &Entry) -> Option<&Completion> {
    match entry {
        Entry::Completion(completion) => Some(completion),
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
    }
}

pub(super) fn result(entry: &Entry) -> Option<&ToolResult> {
    match entry {
        Entry::Result(result) => Some(result),
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

/// A result, if the tool ran.
fn executed_of(entry: &Entry) -> Option<&ToolResult> {
    result(entry).filter(|it| it.origin == Origin::Executed)
}

#[cfg(test)]
mod tests;
