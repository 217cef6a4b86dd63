//! Consistency of the counts of a cell, which an edited record may break.

use super::cell::{ByDraw, Cell, Response};

impl Cell {
    /// The first inconsistency, if there is one. The statistics assume that there is none.
    pub(super) fn odd(&self) -> Option<&'static str> {
        let Self { counts, paired, disturbed, flat, drawn, live, .. } = self;
        let sum = |by: &ByDraw| by.done.iter().fold(0_u64, |sum, more| sum.saturating_add(*more));
        let is_of = |it: &Response| {
            it.onsets <= counts.trials && it.done <= counts.trials && it.recovered <= it.onsets.min(it.done)
        };
        let ends = [counts.done, counts.handed_over, counts.not_told];
        [
            ("more onsets or repeated effects than trials", {
                counts.onsets.max(counts.doubled).max(counts.asked_needlessly) <= counts.trials
            }),
            ("ends that do not add up to the trials", {
                ends.iter().fold(0_u64, |sum, more| sum.saturating_add(*more)) == counts.trials
            }),
            ("more recovered trials than stuck or done ones", {
                counts.recovered <= counts.onsets.min(counts.done)
                    && counts.unprompted <= counts.recovered
                    && counts.missed <= counts.onsets
            }),
            ("more false interventions than interventions", {
                counts.false_interventions <= counts.interventions
            }),
            (
                "more saved and lost trials than trials",
                paired.saved.saturating_add(paired.lost) <= counts.trials && paired.saved <= counts.done,
            ),
            ("sums of false interventions that no trials can have", {
                disturbed.is_of_trials()
                    && disturbed.trials <= counts.trials
                    && disturbed.events == counts.false_interventions
            }),
            ("counts by draw that do not add up to the total", {
                sum(&self.by_draw) == counts.done && sum(&self.drawn_by) == drawn.done
            }),
            ("groups that do not add up to the cell", {
                self.groups.as_ref().is_none_or(|it| it.total() == self.sums())
            }),
            ("more trials at a bound than were left untold, or more overflows than trials", {
                live.bound <= counts.not_told && live.overflowed <= counts.trials
            }),
            ("more outcomes under another response model than trials", is_of(flat) && is_of(drawn)),
        ]
        .into_iter()
        .find_map(|(what, holds)| (!holds).then_some(what))
    }
}
