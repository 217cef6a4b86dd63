//! Consistency of the counts of a cell, which an edited record may break.

use super::cell::{ByDraw, Cell, Response};
use super::cluster::Sums;
use super::live::Live;
use crate::records::counts::Counts;

/// The greatest count of a cell. A bench of [`SEEDS_MAX`](super::SEEDS_MAX) seeds has fewer turns, and sums over all
/// cells stay far below 2^64.
const COUNT_MAX: u64 = u32::MAX as u64;
/// The same for tokens.
const TOKENS_MAX: u64 = 1 << 48;

impl Cell {
    /// The first inconsistency, if there is one. The statistics assume that there is none.
    pub(super) fn odd(&self) -> Option<&'static str> {
        if !self.is_bounded() {
            return Some("a number that is greater than any bench counts");
        }
        let Self { counts, disturbed, flat, drawn, live, .. } = self;
        let sum = |by: &ByDraw| by.done.iter().fold(0_u64, |sum, more| sum.saturating_add(*more));
        let is_of = |it: &Response| {
            it.onsets <= counts.trials && it.done <= counts.trials && it.recovered <= it.onsets.min(it.done)
        };
        let of_cell = [
            ("more needless questions than trials", counts.asked_needlessly <= counts.trials),
            ("more false interventions than interventions", {
                counts.false_interventions <= counts.interventions
            }),
            ("sums of false interventions that no trials can have", {
                disturbed.is_of_trials()
                    && disturbed.trials <= counts.trials
                    && disturbed.events == counts.false_interventions
            }),
            ("counts by draw that do not add up to the total", {
                sum(&self.by_draw) == counts.done && sum(&self.drawn_by) == drawn.done
            }),
            ("more trials by their turns than stuck or recovered ones", {
                self.until_help.at_most(u32::MAX) <= counts.onsets
                    && self.stuck_for.at_most(u32::MAX) <= counts.recovered
            }),
            ("more trials at a bound than were left untold, or more overflows than trials", {
                live.bound <= counts.not_told && live.overflowed <= counts.trials
            }),
            ("more outcomes under another response model than trials", is_of(flat) && is_of(drawn)),
        ];
        let of_groups = || {
            let groups = self.groups.as_ref()?;
            let odd = groups.sums().iter().find_map(odd);
            odd.or_else(|| (groups.total() != self.sums()).then_some("groups that do not add up to the cell"))
        };
        odd(&self.sums()).or_else(|| first(of_cell)).or_else(of_groups)
    }

    /// Whether no number is so great that a sum or a product overflows.
    fn is_bounded(&self) -> bool {
        let Self { counts, paired, disturbed, by_draw, until_help, stuck_for, languages, .. } = self;
        let Self { rules, flat, drawn, drawn_by, groups, live, lapses: _, .. } = self;
        let Live { fresh_in, fresh_out, shared_in, shared_out, .. } = *live;
        let tokens = [counts.tokens, fresh_in, fresh_out, shared_in, shared_out];
        let counts = Counts { tokens: 0, ..*counts };
        let live = Live { fresh_in: 0, fresh_out: 0, shared_in: 0, shared_out: 0, ..*live };
        let draws = [by_draw, drawn_by].into_iter().flat_map(|it| [it.done, it.false_interventions]);
        let rules = rules.values().flat_map(|it| it.values());
        let groups = groups.iter().flat_map(|it| it.sums());
        let counts = (counts.named().chain(paired.named()).chain(flat.named()).chain(drawn.named()))
            .chain(live.named())
            .chain(languages.values().flat_map(|it| it.named()))
            .chain(rules.flat_map(|it| it.named()))
            .map(|(_, count)| count)
            .chain([disturbed.trials, disturbed.events, disturbed.turns])
            .chain(draws.flatten())
            .chain(until_help.iter().chain(stuck_for.iter()).map(|(_, count)| count))
            .chain(groups.clone().flat_map(|it| Sums { tokens: 0, ..*it }.named()).map(|(_, count)| count));
        let mut tokens = tokens.into_iter().chain(groups.map(|it| it.tokens));
        { counts }.all(|it| it <= COUNT_MAX) && tokens.all(|it| it <= TOKENS_MAX)
    }
}

/// The first inconsistency of the sums of a cluster, whose counts are bounded.
fn odd(sums: &Sums) -> Option<&'static str> {
    first([
        ("more onsets, repeated effects or guard faults than trials", {
            sums.onsets.max(sums.doubled).max(sums.guard_faults) <= sums.trials
        }),
        (
            "ends that do not add up to the trials",
            sums.done + sums.handed_over + sums.not_told == sums.trials,
        ),
        ("more recovered trials than stuck or done ones", {
            sums.recovered <= sums.onsets.min(sums.done)
                && sums.unprompted <= sums.recovered
                && sums.missed.max(sums.late) <= sums.onsets
        }),
        ("more saved and lost trials than trials", {
            sums.saved <= sums.done && sums.lost <= sums.handed_over + sums.not_told
        }),
        ("more outcomes under another response model than trials", {
            sums.flat_recovered <= sums.flat_onsets
                && sums.drawn_recovered <= sums.drawn_onsets
                && sums.flat_onsets.max(sums.drawn_onsets) <= sums.trials
        }),
    ])
}

/// The first of these that does not hold.
fn first<const N: usize>(all: [(&'static str, bool); N]) -> Option<&'static str> {
    all.into_iter().find_map(|(what, holds)| (!holds).then_some(what))
}
