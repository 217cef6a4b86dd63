//! Timelines: the turns of a run, or of two that begin alike.

use std::fmt;

use crate::report::document::table::{Side, Table};

/// One or two runs, turn by turn. Two of them have the same turns up to a fork.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    /// What it is about.
    pub title: String,
    /// The runs.
    pub lanes: Vec<Lane>,
    /// What their marks are.
    pub marked: Marked,
    /// The number of the first turn, from 1: of a long run, a part is shown.
    pub first: usize,
    /// The number of the turn to look at first.
    pub start: usize,
}

/// What the marks of a timeline are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marked {
    /// Interventions, which the transcript has as well.
    Interventions,
    /// Firings of guards that were only asked. They are beside the transcript, in its margin.
    Firings,
}

impl Marked {
    /// The name of one in a legend.
    #[must_use]
    pub const fn one(self) -> &'static str {
        match self {
            Self::Interventions => "intervention",
            Self::Firings => "firing",
        }
    }
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Its name.
    pub name: String,
    /// What was said before the first turn.
    pub before: Vec<Said>,
    /// The turns.
    pub turns: Vec<Turn>,
    /// How it ended, in one line.
    pub end: String,
}

/// One turn: a message of the model, and what follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// What it really was.
    pub state: State,
    /// The same in words; empty if it is unknown.
    pub truth: String,
    /// What was said.
    pub said: Vec<Said>,
    /// Interventions, or firings of a guard that was only asked.
    pub marks: Vec<Mark>,
}

/// What a turn really was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The model works, waits or has finished.
    Healthy,
    /// The work makes no progress.
    Stuck,
    /// The provider failed.
    Faulted,
    /// Unknown, as in a recording without judgements.
    Unknown,
}

impl State {
    /// All states, in the order of a legend.
    pub const ALL: [Self; 4] = [Self::Healthy, Self::Stuck, Self::Faulted, Self::Unknown];

    /// The name in a legend.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Healthy => "healthy turn",
            Self::Stuck => "stuck turn",
            Self::Faulted => "failed attempt",
            Self::Unknown => "turn",
        }
    }

    /// The name in markup.
    pub(in crate::report::document) const fn class(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Stuck => "stuck",
            Self::Faulted => "faulted",
            Self::Unknown => "unknown",
        }
    }
}

/// An intervention, or a firing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Which guard did what.
    pub what: String,
    /// The rule, which is the reason; empty if there is none.
    pub reason: String,
    /// What a guard that was only asked would have said; empty if the transcript has it.
    pub words: String,
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if self.reason.is_empty() { Ok(()) } else { write!(f, " ({})", self.reason) }
    }
}

/// What one speaker said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Who said it.
    pub voice: Voice,
    /// The speaker, as people read it.
    pub label: String,
    /// The words.
    pub text: String,
}

/// A kind of speaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// The user.
    User,
    /// The model, with words.
    Model,
    /// The model, with a call.
    Call,
    /// A tool, with a result.
    Tool,
    /// A tool, with a failure, or a provider that failed.
    Failure,
    /// A guard.
    Guard,
    /// The loop.
    Loop,
}

impl Voice {
    /// The name in markup.
    pub(in crate::report::document) const fn class(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Model => "model",
            Self::Call => "calls",
            Self::Tool => "tool",
            Self::Failure => "failure",
            Self::Guard => "guard",
            Self::Loop => "loop",
        }
    }
}

impl Timeline {
    /// The number of turns that are the same in both runs; all turns of a single run.
    #[must_use]
    pub fn shared(&self) -> usize {
        match &self.lanes[..] {
            [one, other] => {
                one.turns.iter().zip(&other.turns).take_while(|(one, other)| one == other).count()
            }
            lanes => lanes.first().map_or(0, |it| it.turns.len()),
        }
    }

    /// Whether there are two runs, and they part.
    #[must_use]
    pub fn is_forked(&self) -> bool {
        self.lanes.len() == 2 && self.shared() < self.turns()
    }

    /// The number of turns of the longest run.
    #[must_use]
    pub fn turns(&self) -> usize {
        self.lanes.iter().map(|it| it.turns.len()).max().unwrap_or(0)
    }

    /// The number of the last turn.
    #[must_use]
    pub fn last(&self) -> usize {
        self.first + self.turns().saturating_sub(1)
    }

    pub(super) fn table(&self) -> Table {
        let marks = self.marked.one();
        let lanes = self.lanes.iter().flat_map(|it| [it.name.clone(), format!("{}: {marks}s", it.name)]);
        let columns = std::iter::once("turn".to_owned()).chain(lanes).map(|name| (name, Side::Left));
        let mut table = Table { title: self.title.as_str().into(), ..Table::new(columns) };
        for at in 0..self.turns() {
            let cells = self.lanes.iter().flat_map(|lane| match lane.turns.get(at) {
                Some(turn) => {
                    let marks: Vec<String> = turn.marks.iter().map(Mark::to_string).collect();
                    [turn.truth.clone(), marks.join("; ")]
                }
                None => Default::default(),
            });
            table.row(std::iter::once((self.first + at).to_string()).chain(cells));
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document::text::Text;

    fn turn(truth: &str, marks: &[&str]) -> Turn {
        let mark =
            |what: &&str| Mark { what: (*what).into(), reason: "no-call".into(), words: String::new() };
        let marks = marks.iter().map(mark).collect();
        Turn { state: State::Stuck, truth: truth.into(), said: Vec::new(), marks }
    }

    fn lane(turns: Vec<Turn>) -> Lane {
        Lane { name: "run".into(), before: Vec::new(), turns, end: String::new() }
    }

    #[test]
    fn two_runs_share_their_turns_up_to_the_first_intervention() {
        let without = lane(vec![turn("a", &[]), turn("b", &[]), turn("b", &[])]);
        let with = lane(vec![turn("a", &[]), turn("b", &["feedback"])]);
        let both = Timeline {
            title: String::new(),
            lanes: vec![without.clone(), with],
            marked: Marked::Interventions,
            first: 1,
            start: 1,
        };
        assert_eq!([both.shared(), both.turns()], [1, 3]);
        assert_eq!(Timeline { lanes: vec![without], ..both.clone() }.shared(), 3);
        let rows: Vec<Vec<String>> =
            both.table().rows.iter().map(|row| row.iter().map(Text::plain).collect()).collect();
        assert_eq!(rows[1], ["2", "b", "", "b", "feedback (no-call)"]);
        assert_eq!(rows[2], ["3", "b", "", "", ""]);
        let later = Timeline { first: 8, ..both }.table();
        assert_eq!(later.rows[1][0].plain(), "9", "a part of a run keeps the numbers of its turns");
    }
}
