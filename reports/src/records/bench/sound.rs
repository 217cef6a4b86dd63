//! Whether trials can come to the counts of a cell: what a record that somebody edited may break.

use super::cell::{ByDraw, Cell, Response};

impl Cell {
    /// What in it no trials can come to, if anything: statistics suppose that there is nothing.
    pub(super) fn odd(&self) -> Option<&'static str> {
        let Self { counts, paired, disturbed, flat, drawn, .. } = self;
        let sum = |by: &ByDraw| by.done.iter().fold(0_u64, |sum, more| sum.saturating_add(*more));
        let is_of = |it: &Response| {
            it.onsets <= counts.trials && it.done <= counts.trials && it.recovered <= it.onsets.min(it.done)
        };
        let ends = [counts.done, counts.handed_over, counts.not_told];
        [
            ("more onsets, or effects that came twice, than trials", {
                counts.onsets.max(counts.doubled).max(counts.asked_needlessly) <= counts.trials
            }),
            ("trials that do not end in one of three ways", {
                ends.iter().fold(0_u64, |sum, more| sum.saturating_add(*more)) == counts.trials
            }),
            ("more that recovered than got stuck or got done", {
                counts.recovered <= counts.onsets.min(counts.done)
                    && counts.unprompted <= counts.recovered
                    && counts.missed <= counts.onsets
            }),
            ("more false interventions than interventions", {
                counts.false_interventions <= counts.interventions
            }),
            ("more saved and lost than trials", paired.saved.saturating_add(paired.lost) <= counts.trials),
            ("sums of false interventions that are not those of trials", {
                disturbed.is_of_trials()
                    && disturbed.trials <= counts.trials
                    && disturbed.events == counts.false_interventions
            }),
            ("other numbers by draw than in all", {
                sum(&self.by_draw) == counts.done && sum(&self.drawn_by) == drawn.done
            }),
            ("another response model with more than the trials", is_of(flat) && is_of(drawn)),
        ]
        .into_iter()
        .find_map(|(what, holds)| (!holds).then_some(what))
    }
}
