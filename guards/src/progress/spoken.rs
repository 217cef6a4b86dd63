//! What the guard has said about each pattern.

use serde::{Deserialize, Serialize};

use super::finding::{Finding, Rule};
use crate::ladder::Ladder;
use balk_contract::{Note, Subject};

/// How many patterns are remembered; the one mentioned longest ago is forgotten first.
const PATTERNS: usize = 32;

/// The first step: the model was told.
pub(super) const TOLD: u8 = 1;
/// Calls were refused, with the last warning.
pub(super) const WARNED: u8 = 2;
/// The user was asked.
pub(super) const ASKED: u8 = 3;

/// The patterns that the guard has mentioned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Spoken {
    patterns: Vec<Pattern>,
    /// Interventions of this run, so that each message has different words.
    pub(super) interventions: u32,
    /// The turn of the last one.
    pub(super) turn: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Pattern {
    rule: Rule,
    subject: Subject,
    ladder: Ladder,
}

impl Spoken {
    /// The level that the guard reached about this pattern, and in which turn. After progress, the user is not asked
    /// again before calls were refused again, but the note is not repeated.
    pub(super) fn level(&self, finding: &Finding, marker: u64) -> (u8, u64) {
        let pattern =
            self.patterns.iter().find(|it| it.rule == finding.rule && it.subject == finding.subject);
        let marker = lasting(finding.rule, marker);
        pattern.map_or((0, 0), |it| (it.ladder.level(marker, TOLD), it.ladder.turn()))
    }

    /// Records the guard's own intervention.
    pub(super) fn observe(&mut self, note: &Note, turn: u64, marker: u64) {
        self.interventions = self.interventions.saturating_add(1);
        self.turn = turn;
        let Some(rule) = Rule::of(&note.rule) else { return };
        self.patterns.retain(|it| it.rule != rule || it.subject != note.subject);
        if self.patterns.len() >= PATTERNS {
            self.patterns.remove(0);
        }
        let ladder = Ladder::at(note.level, turn, lasting(rule, marker));
        self.patterns.push(Pattern { rule, subject: note.subject.clone(), ladder });
    }
}

/// The marker that the ladder of a rule goes by: none for a rule that looks past changes.
fn lasting(rule: Rule, marker: u64) -> u64 {
    if rule.outlasts_changes() { 0 } else { marker }
}
