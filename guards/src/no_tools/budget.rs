//! How often the guard may still speak, and what gives it back (spec P4, T3).

use super::instead::Instead;
use super::{NoTools, NoToolsState};
use balk_contract::evidence::{CORRECTION_TURNS, QUESTION_TURNS};

impl NoTools {
    /// The guard spoke.
    pub(super) fn spoke(&mut self) {
        self.state.productive = 0;
        self.state.evidence.get_or_insert_default();
    }

    /// Whether words may be corrected where text may end the task: the last correction worked, if there was one. A
    /// model that announces or prints its calls does what it says once it is corrected; of other words, the user
    /// should hear.
    pub(super) fn may_correct(&self, instead: Instead) -> bool {
        let NoToolsState { corrections, productive, .. } = self.state;
        let is_a_step = matches!(instead, Instead::Announces | Instead::PrintsCall);
        corrections == 0 || is_a_step && productive > 0 && corrections < self.settings.limit
    }

    /// The current turn is productive.
    pub(super) fn productive(&mut self) {
        self.state.productive = self.state.productive.saturating_add(1);
        if self.state.productive >= CORRECTION_TURNS {
            self.state.corrections = 0;
        }
        if self.state.productive.is_multiple_of(QUESTION_TURNS) {
            self.state.questions = self.state.questions.saturating_sub(1);
        }
    }
}
