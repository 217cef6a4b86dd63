//! How far the guard has gone about each pattern.

use serde::{Deserialize, Serialize};

use super::finding::{Finding, Rule};
use balk_contract::{Note, Subject};

/// How many patterns are remembered; the one that was spoken of longest ago is forgotten first.
const PATTERNS: usize = 32;

/// The first step: the model was told.
pub(super) const TOLD: u8 = 1;
/// Calls were refused, with the last warning.
pub(super) const WARNED: u8 = 2;
/// The user was asked.
pub(super) const ASKED: u8 = 3;

/// The steps taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ladder {
    steps: Vec<Step>,
    /// Interventions of this run, for words that differ each time.
    pub(super) spoken: u32,
    /// The turn of the last one.
    pub(super) turn: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Step {
    rule: Rule,
    subject: Subject,
    level: u8,
    turn: u64,
    marker: u64,
}

impl Ladder {
    /// How far it went about this pattern, and in which turn. Once anything moved the user is not asked before
    /// calls were refused anew, but what was said once is not said again: no warning is given back.
    pub(super) fn level(&self, finding: &Finding, marker: u64) -> (u8, u64) {
        let step = self.steps.iter().find(|it| it.rule == finding.rule && it.subject == finding.subject);
        step.map_or((0, 0), |it| (if it.marker == marker { it.level } else { it.level.min(TOLD) }, it.turn))
    }

    /// Takes up what the guard itself said.
    pub(super) fn spoke(&mut self, note: &Note, turn: u64, marker: u64) {
        self.spoken = self.spoken.saturating_add(1);
        self.turn = turn;
        let Some(rule) = Rule::of(&note.rule) else { return };
        self.steps.retain(|it| it.rule != rule || it.subject != note.subject);
        if self.steps.len() >= PATTERNS {
            self.steps.remove(0);
        }
        self.steps.push(Step { rule, subject: note.subject.clone(), level: note.level, turn, marker });
    }
}
