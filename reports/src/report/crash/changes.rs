//! What changed from one record of `balk crash` to another: two versions of an agent, or of its settings.

use serde::Serialize;

use super::happened::{foreign, happened};
use crate::records::Kind;
use crate::records::crash::{Record, Run, Word};
use crate::report::document::{Block, Document, Side, Table, Text, code, paragraph, strong};
use crate::report::sections::number::grouped;

/// What changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// Runs that are in both records: of the same scenario, seed and agent. If each record has one agent, these are
    /// compared, whatever their names.
    pub compared: u64,
    /// Of these, runs with a better word, or without the false alarm that they had.
    pub better: u64,
    /// Runs with a worse word, or with a false alarm that they had not.
    pub worse: u64,
    /// Every run that is not the same.
    pub changed: Vec<Change>,
    /// Runs that are in one of the records alone, or were not played in one of them.
    pub alone: u64,
}

/// A run whose word or false alarm is not the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The agent, as the later record names it.
    pub agent: String,
    /// The scenario.
    pub scenario: String,
    /// Whether its actor balks.
    pub kind: Kind,
    /// The seed, as text.
    pub seed: String,
    /// What came of it, before and after.
    pub words: [Word; 2],
    /// Whether it was a false alarm, before and after.
    pub false_alarms: [bool; 2],
    /// What happened after, in words.
    pub happened: String,
}

impl Changes {
    /// What changed between these records.
    #[must_use]
    pub fn new(before: &Record, after: &Record) -> Self {
        let any_name = before.agents.len() == 1 && after.agents.len() == 1;
        let is_same = |a: &Run, b: &Run| {
            (any_name || a.agent == b.agent) && (&a.scenario, &a.seed) == (&b.scenario, &b.seed)
        };
        let is_played = |it: &&Run| it.verdict.word != Word::NotRun;
        let played = |record: &'_ Record| record.runs.iter().filter(is_played).count() as u64;
        let pairs: Vec<(&Run, &Run)> = after
            .runs
            .iter()
            .filter(is_played)
            .filter_map(|b| Some((before.runs.iter().filter(is_played).find(|a| is_same(a, b))?, b)))
            .collect();
        let compared = pairs.len() as u64;
        let mut changes = Self {
            compared,
            better: 0,
            worse: 0,
            changed: Vec::new(),
            alone: played(before) + played(after) - 2 * compared,
        };
        for (a, b) in pairs {
            // The words are in order, the best first.
            let rank = |run: &Run| (run.is_false_alarm(), run.verdict.word);
            match rank(b).cmp(&rank(a)) {
                std::cmp::Ordering::Less => changes.better += 1,
                std::cmp::Ordering::Equal => continue,
                std::cmp::Ordering::Greater => changes.worse += 1,
            }
            changes.changed.push(Change {
                agent: b.agent.clone(),
                scenario: b.scenario.clone(),
                kind: b.kind,
                seed: b.seed.clone(),
                words: [a, b].map(|it| it.verdict.word),
                false_alarms: [a, b].map(Run::is_false_alarm),
                happened: happened(&b.verdict).plain(),
            });
        }
        changes
    }

    /// The same for people.
    #[must_use]
    pub fn document(&self) -> Document {
        let Self { compared, better, worse, changed, alone } = self;
        let of = |count: &u64| grouped(*count);
        let mut document = Document::from([paragraph(
            strong(format!("Of {} runs in both records", of(compared)))
                + format!(
                    ": {} better, {} worse. In one record alone: {}.",
                    of(better),
                    of(worse),
                    of(alone)
                ),
        )]);
        let (left, right) = (Side::Left, Side::Right);
        let mut table = Table::new([
            ("agent", left),
            ("scenario", left),
            ("seed", right),
            ("before", left),
            ("after", left),
            ("what happened", left),
        ]);
        for it in changed {
            let [before, after] = [0, 1].map(|at| {
                let alarm = if it.false_alarms[at] { strong("false alarm") + "; " } else { Text::default() };
                alarm + code(it.words[at].name())
            });
            table.row([
                foreign(&it.agent),
                foreign(&it.scenario),
                foreign(&it.seed),
                before,
                after,
                foreign(&it.happened),
            ]);
        }
        if !table.is_empty() {
            document.push(Block::Table(table));
        }
        document
    }

    /// The same below a heading.
    #[must_use]
    pub fn page(&self) -> Document {
        let text = "What changed from one crash test to another".into();
        let mut page = Document::from([Block::Heading { level: 1, text }]);
        page.blocks.extend(self.document().blocks);
        page
    }
}
