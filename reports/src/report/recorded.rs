//! A recorded run as a timeline, with what guards that were only asked would have done in its margin.

use std::ops::RangeInclusive;

use super::document::figure::{Lane, Mark, Marked, Said, State, Timeline, Turn, Voice};
use super::said::{clipped, said};
use super::words::intervened;
use crate::records::EntryRecord;

/// The most turns of a run that a timeline shows.
pub const TURNS_MAX: usize = 200;

/// How many turns it shows before the one to look at first, if it cannot show all.
const TURNS_BEFORE: usize = 20;

/// The longest text of one speaker, in characters. Pages have many runs, and the recording has the rest.
const CHARS_MAX: usize = 1_000;

/// A recorded run. Turns are counted from 1; a failed attempt belongs to the turn that it delays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// What it is about.
    pub title: String,
    /// What happened.
    pub entries: Vec<EntryRecord>,
    /// What guards would have done, by turn.
    pub firings: Vec<(usize, Mark)>,
    /// From the first to the last turn of each stretch in which the run was stuck.
    pub stuck: Vec<RangeInclusive<usize>>,
    /// The turn to look at first.
    pub start: usize,
    /// How it ended, in one line.
    pub end: String,
}

/// What a guard that was only asked would have done.
#[must_use]
pub fn firing(guard: &str, kind: &str, rule: &str, words: &str) -> Mark {
    Mark { what: intervened(guard, kind), reason: rule.to_owned(), words: words.to_owned() }
}

impl Recorded {
    /// The run as a timeline. Of a long one it shows at most [`TURNS_MAX`] turns, and says which ones it leaves out.
    #[must_use]
    pub fn timeline(self) -> Timeline {
        let (mut before, mut turns) = turns(&self.entries);
        for (turn, mark) in self.firings {
            if let Some(it) = turn.checked_sub(1).and_then(|at| turns.get_mut(at)) {
                it.marks.push(Mark { words: clipped(&mark.words, CHARS_MAX), ..mark });
            }
        }
        for (number, turn) in (1..).zip(&mut turns) {
            if self.stuck.iter().any(|stretch| stretch.contains(&number)) {
                (turn.state, turn.truth) = (State::Stuck, "stuck".to_owned());
            }
        }
        let all = turns.len();
        let start = self.start.clamp(1, all.max(1));
        let skipped = start.saturating_sub(TURNS_BEFORE + 1).min(all.saturating_sub(TURNS_MAX));
        let mut shown: Vec<Turn> = turns.into_iter().skip(skipped).take(TURNS_MAX).collect();
        if skipped > 0 {
            before.push(left_out(1, skipped));
        }
        let last = skipped + shown.len();
        if last < all
            && let Some(turn) = shown.last_mut()
        {
            turn.said.push(left_out(last + 1, all));
        }
        let lane = Lane { name: "as recorded".to_owned(), before, turns: shown, end: self.end };
        Timeline { title: self.title, lanes: vec![lane], marked: Marked::Firings, first: skipped + 1, start }
    }
}

fn left_out(from: usize, to: usize) -> Said {
    Said {
        voice: Voice::Loop,
        label: "left out".to_owned(),
        text: format!("turns {from} to {to}: a page shows {TURNS_MAX} turns of a run"),
    }
}

/// What was said before the first turn, and the turns.
fn turns(entries: &[EntryRecord]) -> (Vec<Said>, Vec<Turn>) {
    let (mut before, mut turns) = (Vec::new(), Vec::<Turn>::new());
    let turn = |state, said| Turn { state, truth: String::new(), said, marks: Vec::new() };
    // Failed attempts, and what came between them and the turn that they delay.
    let mut delayed: Vec<Said> = Vec::new();
    for entry in entries {
        let said = said(entry, CHARS_MAX);
        match entry {
            EntryRecord::Completion(_) => {
                let said = std::mem::take(&mut delayed).into_iter().chain(said).collect();
                turns.push(turn(State::Unknown, said));
            }
            EntryRecord::Failed(_) => delayed.extend(said),
            EntryRecord::Start { .. }
            | EntryRecord::User { .. }
            | EntryRecord::Tried(_)
            | EntryRecord::Result(_)
            | EntryRecord::Intervention(_)
            | EntryRecord::Answer(_)
            | EntryRecord::Compaction(_)
            | EntryRecord::Conclusion(_)
            | EntryRecord::End { .. } => match turns.last_mut() {
                _ if !delayed.is_empty() => delayed.extend(said),
                Some(turn) => turn.said.extend(said),
                None => before.extend(said),
            },
        }
    }
    if !delayed.is_empty() {
        turns.push(turn(State::Faulted, delayed));
    }
    (before, turns)
}

#[cfg(test)]
mod tests;
