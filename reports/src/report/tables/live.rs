//! What a live record shows: how a real model did under each stack, and what that took.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::figures::{Comparison, comparisons};
use super::judged::LiveJudgements;
use super::pooled::Cells;
use crate::records::{Bench, Beside, Counts, Live, PlannedLive, Reactions, Suite};
use crate::statistics::{Share, Times, compared};

/// A live record: how a real model did under each stack, over all worlds.
///
/// In pooled figures every trial counts alike. Where one written world is behind a figure, its interval treats trials
/// as independent and speaks of that world alone. Else it treats worlds as independent, and of drawn worlds groups of
/// skeletons.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LiveTable {
    /// How the model was asked.
    pub asked: PlannedLive,
    /// The tokens of all stacks.
    pub tokens: LiveTokens,
    /// One row per stack, in the order of the plan; the first is the baseline.
    pub rows: Vec<LiveRow>,
    /// A note on the p-values, if there is more than one.
    pub compared: Option<String>,
    /// The interventions of each stack by guard and rule.
    pub rules: Vec<LiveRule>,
    /// What a reader says of a sample of the interventions; none without a sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<LiveJudgements>,
    /// How the model took messages, if that was measured. Programs read it from `reactions.json`.
    #[serde(skip)]
    pub reactions: Option<Reactions>,
    /// Every stack world by world.
    pub worlds: Vec<LiveWorld>,
}

/// What all stacks took from the model together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LiveTokens {
    /// Tokens that were taken.
    pub taken: u64,
    /// Tokens that were not taken again, because an earlier stack of the same unit had the same completions.
    pub saved: u64,
    /// The saved tokens, divided by those that it takes to play every stack from the start; none without tokens.
    pub share_saved: Times,
}

/// One stack over all worlds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LiveRow {
    /// The stack, as on the command line.
    pub stack: String,
    /// A description, in one line.
    pub about: String,
    /// The counts of all its trials.
    pub counts: Counts,
    /// What they took from the model, and how they ended.
    pub live: Live,
    /// Trials whose goal held in the end.
    pub done: Share,
    /// Trials whose goal did not hold and whose user was told.
    pub told: Share,
    /// Trials whose goal did not hold and whose user was not told.
    pub not_told: Share,
    /// Of the trials whose goal cannot be reached, those whose user was told.
    pub told_unreachable: Share,
    /// Of the trials that got stuck, those without an intervention or a resend after the onset.
    pub missed: Share,
    /// Interventions that the world does not show to be disturbing: all but those where the two rounds before moved it.
    pub in_doubt: u64,
    /// Goals compared with the same trials of the baseline; none for the baseline itself.
    pub against: Option<Comparison>,
    /// What that says; none for the baseline, and without trials.
    pub effect: Option<LiveEffect>,
}

/// What a stack does for the model, compared with the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LiveEffect {
    /// It did nothing in any trial.
    NeverSteppedIn,
    /// Significantly more goals were reached.
    Helps,
    /// Significantly fewer goals were reached.
    Harms,
    /// Neither was shown.
    NothingShown,
}

/// The interventions of one rule of a guard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LiveRule {
    /// The stack.
    pub stack: String,
    /// The guard that intervened.
    pub guard: String,
    /// Its rule.
    pub rule: String,
    /// Its interventions.
    pub interventions: u64,
    /// Of these, the ones where the two rounds before changed the world.
    pub disturbing: u64,
    /// All others.
    pub in_doubt: u64,
}

/// Every stack in one world.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LiveWorld {
    /// The scenario that the world belongs to.
    pub scenario: String,
    /// Where it comes from.
    pub suite: Suite,
    /// A description, in one line.
    pub title: String,
    /// If the goal cannot be reached, the rule under which a guard has to tell the user.
    pub unreachable: Option<String>,
    /// Trials of each stack.
    pub trials: u64,
    /// For each stack, in the order of the plan, the trials whose goal held in the end.
    pub done: Vec<Share>,
    /// For each stack, the trials whose goal did not hold and whose user was told.
    pub told: Vec<Share>,
}

impl LiveTable {
    /// The table of a record; none if it is not live.
    pub(super) fn new(bench: &Bench, beside: &Beside) -> Option<Self> {
        let plan = &bench.plan;
        let asked = plan.live.clone()?;
        let stacks = 0..plan.stacks.len();
        let against =
            comparisons(stacks.clone().map(|stack| Cells::of(bench, stack, |_| true).against()).collect());
        let tests = against.iter().flatten().count();
        let rows: Vec<LiveRow> =
            stacks.zip(against).map(|(stack, against)| row(bench, stack, against)).collect();
        Some(Self {
            asked,
            tokens: LiveTokens::new(&rows),
            rules: (0..plan.stacks.len()).flat_map(|stack| rules(bench, stack)).collect(),
            rows,
            compared: compared(tests),
            judged: LiveJudgements::new(&beside.judged),
            reactions: beside.reactions.clone(),
            worlds: (0..plan.scenarios.len()).map(|at| world(bench, at)).collect(),
        })
    }

    /// Worlds whose goal cannot be reached.
    #[must_use]
    pub fn unreachable(&self) -> u64 {
        self.worlds.iter().filter(|it| it.unreachable.is_some()).count() as u64
    }
}

impl LiveTokens {
    fn new(rows: &[LiveRow]) -> Self {
        let sum = |of: fn(&Live) -> u64| rows.iter().map(|it| of(&it.live)).sum::<u64>();
        let [taken, saved] = [sum(Live::taken), sum(Live::saved)];
        Self { taken, saved, share_saved: Times::new(saved, taken + saved) }
    }
}

impl LiveEffect {
    fn new(counts: &Counts, against: &Comparison) -> Self {
        let (is_sure, found) = (against.p_corrected.is_sure(), &against.difference);
        if counts.interventions + counts.resends == 0 {
            Self::NeverSteppedIn
        } else if is_sure && found.saved > found.lost {
            Self::Helps
        } else if is_sure && found.lost > found.saved {
            Self::Harms
        } else {
            Self::NothingShown
        }
    }
}

fn row(bench: &Bench, stack: usize, against: Option<Comparison>) -> LiveRow {
    let cells = || (0..bench.plan.scenarios.len()).map(|at| bench.cell(at, stack));
    let counts = cells().fold(Counts::default(), |sum, it| sum.plus(&it.counts));
    let all = Cells::of(bench, stack, |_| true);
    let unreachable = Cells::of(bench, stack, |it| it.unreachable.is_some());
    let planned = &bench.plan.stacks[stack];
    LiveRow {
        stack: planned.guard.clone(),
        about: planned.about.clone(),
        counts,
        live: cells().fold(Live::default(), |sum, it| sum.plus(&it.live)),
        done: all.share(|it| [it.done, it.trials]),
        told: all.share(|it| [it.handed_over, it.trials]),
        not_told: all.share(|it| [it.not_told, it.trials]),
        told_unreachable: unreachable.share(|it| [it.handed_over, it.trials]),
        missed: all.share(|it| [it.missed, it.onsets]),
        in_doubt: counts.interventions - counts.false_interventions,
        effect: against.as_ref().map(|it| LiveEffect::new(&counts, it)),
        against,
    }
}

fn rules(bench: &Bench, stack: usize) -> Vec<LiveRule> {
    let mut sums: BTreeMap<(&str, &str), [u64; 2]> = BTreeMap::new();
    for at in 0..bench.plan.scenarios.len() {
        for (guard, rules) in &bench.cell(at, stack).rules {
            for (rule, count) in rules {
                let [interventions, disturbing] = sums.entry((guard, rule)).or_default();
                *interventions += count.interventions;
                *disturbing += count.false_interventions;
            }
        }
    }
    let rule = |((guard, rule), [interventions, disturbing]): ((&str, &str), [u64; 2])| LiveRule {
        stack: bench.plan.stacks[stack].guard.clone(),
        guard: guard.to_owned(),
        rule: rule.to_owned(),
        interventions,
        disturbing,
        in_doubt: interventions.saturating_sub(disturbing),
    };
    sums.into_iter().map(rule).collect()
}

fn world(bench: &Bench, at: usize) -> LiveWorld {
    let planned = &bench.plan.scenarios[at];
    let cells = || bench.of_scenario(at).iter().map(Cells::one);
    LiveWorld {
        scenario: planned.label(),
        suite: planned.suite,
        title: planned.title.clone(),
        unreachable: planned.unreachable.clone(),
        trials: bench.done[at].count(),
        done: cells().map(|it| it.share(|it| [it.done, it.trials])).collect(),
        told: cells().map(|it| it.share(|it| [it.handed_over, it.trials])).collect(),
    }
}
