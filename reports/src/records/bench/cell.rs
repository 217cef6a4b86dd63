//! A cell: the trials of one scenario under one stack, as integer counts that add up.

use std::collections::BTreeMap;

use balk_contract::record::{DRAWS, Grade, draw_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cluster::{Groups, Sums};
use super::lapse::Lapse;
use super::live::Live;
use crate::records::counts::{Counts, counts};
use crate::records::rate_sums::RateSums;

/// The trials of one scenario under one stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// The counts.
    pub counts: Counts,
    /// Goals compared with the baseline, seed by seed.
    pub paired: Paired,
    /// False interventions in healthy turns, as sums for an interval over trials.
    pub disturbed: RateSums,
    /// Counts by draw, which is the remainder of the seed, for comparisons that keep pairs together.
    #[serde(default, skip_serializing_if = "ByDraw::is_zero")]
    pub by_draw: ByDraw,
    /// Trials by the number of turns from the onset to the first help; 0 is the same turn.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub until_help: Histogram,
    /// Recovered trials by the number of turns from the onset to the last stuck turn, both included.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub stuck_for: Histogram,
    /// Counts by the language of the world.
    pub languages: BTreeMap<String, Language>,
    /// Counts by guard and rule.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, BTreeMap<String, RuleCount>>,
    /// The lowest seed with each lapse.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lapses: BTreeMap<Lapse, u64>,
    /// The same seeds with a flat response model, in which every delivered intervention works equally well.
    pub flat: Response,
    /// The same seeds with drawn parameters of the response model.
    pub drawn: Response,
    /// Counts of the drawn trials, by draw.
    #[serde(default, skip_serializing_if = "ByDraw::is_zero")]
    pub drawn_by: ByDraw,
    /// In a drawn world, counts by groups of skeletons, for intervals that treat skeletons as independent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Box<Groups>>,
    /// In a live record, what the trials took from the model, and how they ended.
    #[serde(default, skip_serializing_if = "Live::is_zero")]
    pub live: Live,
}

counts! {
    /// Goals compared with the baseline.
    Paired {
        /// Trials whose goal holds here, but not under the baseline.
        saved,
        /// Trials whose goal holds under the baseline, but not here.
        lost,
        /// Turns of the trials whose goal holds here and under the baseline.
        kept_turns,
        /// Turns of the same trials under the baseline.
        kept_turns_before,
    }
}

counts! {
    /// The same seeds under another response model.
    Response {
        /// Trials that got stuck at least once.
        onsets,
        /// Trials whose goal held in the end.
        done,
        /// Of these, trials with an onset.
        recovered,
        /// Interventions in healthy turns.
        false_interventions,
        /// Healthy turns.
        healthy_turns,
    }
}

counts! {
    /// Counts of one language.
    Language {
        /// Interventions in healthy turns.
        false_interventions,
        /// Healthy turns.
        healthy_turns,
    }
}

counts! {
    /// Counts of one rule of one guard.
    RuleCount {
        /// Interventions.
        interventions,
        /// Of these, in healthy turns.
        false_interventions,
    }
}

/// How many turns after the onset help may come and not be late. Eight: two laps of a circle of four show that it is
/// one. What comes after that only makes it harder to leave (`docs/reactions.md#lock-in`).
pub const HELP_TURNS: u32 = 8;

/// Counts of trials by a small number, such as turns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram(BTreeMap<u32, u64>);

impl Histogram {
    /// Adds a trial with this number.
    pub fn add(&mut self, number: u32) {
        *self.0.entry(number).or_default() += 1;
    }

    /// Whether it has no trial.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The least number that this percentage of the trials does not exceed; none without trials.
    #[must_use]
    pub fn quantile(&self, percent: u64) -> Option<u32> {
        let all: u64 = self.0.values().sum();
        let mut seen = 0;
        self.0
            .iter()
            .find(|(_, count)| {
                seen += **count;
                100 * seen >= percent * all
            })
            .map(|(number, _)| *number)
    }

    /// How many trials have at most this number.
    #[must_use]
    pub fn at_most(&self, number: u32) -> u64 {
        self.0.range(..=number).map(|(_, count)| count).sum()
    }

    /// The numbers with their counts, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64)> {
        self.0.iter().map(|(number, count)| (*number, *count))
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (number, count) in &other.0 {
            let mine = self.0.entry(*number).or_default();
            *mine = mine.saturating_add(*count);
        }
    }
}

/// Counts of trials by the draw of their seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByDraw {
    /// Trials whose goal held in the end.
    pub done: [u64; DRAWS],
    /// Interventions in healthy turns.
    pub false_interventions: [u64; DRAWS],
}

impl Default for ByDraw {
    fn default() -> Self {
        Self { done: [0; DRAWS], false_interventions: [0; DRAWS] }
    }
}

impl ByDraw {
    fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    fn take(&mut self, seed: u64, grade: &Grade) {
        let draw = draw_of(seed);
        self.done[draw] += u64::from(grade.goal);
        self.false_interventions[draw] += u64::from(grade.false_interventions);
    }

    fn merge(&mut self, other: &Self) {
        let mine = [&mut self.done, &mut self.false_interventions];
        let theirs = [&other.done, &other.false_interventions];
        for (mine, theirs) in mine.into_iter().zip(theirs) {
            for (mine, more) in mine.iter_mut().zip(theirs) {
                *mine = mine.saturating_add(*more);
            }
        }
    }
}

impl Paired {
    /// One trial and its baseline.
    fn of(grade: &Grade, baseline: &Grade) -> Self {
        let is_kept = grade.goal && baseline.goal;
        let turns = |of: &Grade| if is_kept { u64::from(of.turns) } else { 0 };
        Self {
            saved: u64::from(grade.goal && !baseline.goal),
            lost: u64::from(baseline.goal && !grade.goal),
            kept_turns: turns(grade),
            kept_turns_before: turns(baseline),
        }
    }
}

impl Response {
    fn take(&mut self, grade: &Grade) {
        *self = self.plus(&Self {
            onsets: u64::from(grade.onset.is_some()),
            done: u64::from(grade.goal),
            recovered: u64::from(grade.recovered()),
            false_interventions: grade.false_interventions.into(),
            healthy_turns: grade.healthy_turns.into(),
        });
    }
}

/// The outcome of one seed, as a cell counts it.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a> {
    /// The seed.
    pub seed: u64,
    /// The language of its world.
    pub language: &'a str,
    /// The skeleton of its world, if it is drawn.
    pub skeleton: Option<&'a str>,
    /// The grade of the trial.
    pub grade: &'a Grade,
    /// The grade under the baseline.
    pub baseline: &'a Grade,
    /// The grade under the flat response model.
    pub flat: &'a Grade,
    /// The grade with drawn parameters.
    pub drawn: &'a Grade,
}

impl Cell {
    /// Adds the trials of one seed.
    pub fn take(&mut self, outcome: &Outcome<'_>) {
        let &Outcome { seed, language, skeleton, grade, baseline, flat, drawn } = outcome;
        self.counts.add(grade);
        self.paired = self.paired.plus(&Paired::of(grade, baseline));
        let until_help = grade.onset.zip(grade.first_help).map(|(onset, help)| help - onset);
        if let Some(skeleton) = skeleton {
            let mut trial = Self::default();
            trial.counts.add(grade);
            trial.paired = Paired::of(grade, baseline);
            trial.flat.take(flat);
            trial.drawn.take(drawn);
            until_help.into_iter().for_each(|turns| trial.until_help.add(turns));
            self.groups.get_or_insert_default().add(skeleton, &trial.sums());
        }
        let (events, turns) = (grade.false_interventions, grade.healthy_turns);
        // A failed last attempt is not a turn, but a guard can disturb it.
        self.disturbed.add(events, turns.max(u32::from(events > 0)));
        self.by_draw.take(seed, grade);
        until_help.into_iter().for_each(|turns| self.until_help.add(turns));
        if let Some(onset) = grade.onset
            && grade.goal
        {
            self.stuck_for.add(grade.last_stuck.unwrap_or(onset) + 1 - onset);
        }
        let counted = entry(&mut self.languages, language);
        *counted =
            counted.plus(&Language { false_interventions: events.into(), healthy_turns: turns.into() });
        for lapse in Lapse::ALL.into_iter().filter(|lapse| lapse.is_in(grade)) {
            let lowest = self.lapses.entry(lapse).or_insert(seed);
            *lowest = seed.min(*lowest);
        }
        self.flat.take(flat);
        self.drawn.take(drawn);
        self.drawn_by.take(seed, drawn);
    }

    /// Adds an intervention under this rule.
    pub fn fired(&mut self, guard: &str, rule: &str, is_false: bool) {
        let count = entry(entry(&mut self.rules, guard), rule);
        count.interventions += 1;
        count.false_interventions += u64::from(is_false);
    }

    /// Adds another cell, which must have other trials.
    pub fn add(&mut self, other: &Self) {
        self.counts = self.counts.plus(&other.counts);
        self.paired = self.paired.plus(&other.paired);
        self.disturbed = self.disturbed.plus(&other.disturbed);
        self.by_draw.merge(&other.by_draw);
        self.until_help.merge(&other.until_help);
        self.stuck_for.merge(&other.stuck_for);
        for (language, more) in &other.languages {
            let counted = entry(&mut self.languages, language);
            *counted = counted.plus(more);
        }
        for (guard, rules) in &other.rules {
            for (rule, more) in rules {
                let counted = entry(entry(&mut self.rules, guard), rule);
                *counted = counted.plus(more);
            }
        }
        for (lapse, seed) in &other.lapses {
            let lowest = self.lapses.entry(*lapse).or_insert(*seed);
            *lowest = *seed.min(lowest);
        }
        self.flat = self.flat.plus(&other.flat);
        self.drawn = self.drawn.plus(&other.drawn);
        self.drawn_by.merge(&other.drawn_by);
        self.live = self.live.plus(&other.live);
        if let Some(more) = &other.groups {
            self.groups.get_or_insert_default().merge(more);
        }
    }

    /// Stuck trials that were helped late: the first intervention or resend came more than [`HELP_TURNS`] turns after
    /// the onset, or never, also where the model came back by itself.
    #[must_use]
    pub fn late(&self) -> u64 {
        self.counts.onsets.saturating_sub(self.until_help.at_most(HELP_TURNS))
    }

    /// The clusters of its trials: the groups of skeletons of a drawn world, else the whole cell.
    #[must_use]
    pub fn clusters(&self) -> Vec<Sums> {
        match &self.groups {
            Some(groups) => groups.sums().to_vec(),
            None => vec![self.sums()],
        }
    }

    /// All its trials as one cluster.
    #[must_use]
    pub fn sums(&self) -> Sums {
        let Self { counts, paired, flat, drawn, .. } = self;
        Sums {
            trials: counts.trials,
            onsets: counts.onsets,
            done: counts.done,
            recovered: counts.recovered,
            unprompted: counts.unprompted,
            missed: counts.missed,
            late: self.late(),
            handed_over: counts.handed_over,
            not_told: counts.not_told,
            false_interventions: counts.false_interventions,
            healthy_turns: counts.healthy_turns,
            doubled: counts.doubled,
            guard_faults: counts.guard_faults,
            tokens: counts.tokens,
            saved: paired.saved,
            lost: paired.lost,
            kept_turns: paired.kept_turns,
            kept_turns_before: paired.kept_turns_before,
            flat_onsets: flat.onsets,
            flat_recovered: flat.recovered,
            drawn_onsets: drawn.onsets,
            drawn_recovered: drawn.recovered,
        }
    }
}

/// The entry under this name. The name is copied only if the entry is new.
fn entry<'m, T: Default>(map: &'m mut BTreeMap<String, T>, name: &str) -> &'m mut T {
    if !map.contains_key(name) {
        map.insert(name.to_owned(), T::default());
    }
    map.get_mut(name).expect("it was just put there")
}
