//! The comparison of two records.

use std::collections::{BTreeMap, BTreeSet};

use crate::records::{Bench, Cell, Drawn, Plan, PlannedScenario, Seeds, Suite, Sums};
use crate::report::gate::{Found, Gate, Metric};
use crate::report::tables::Cells;
use crate::statistics::{Block, Change, Share, holm};

/// Two records side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Other differences between the plans, which may explain different figures.
    pub notes: Vec<String>,
    /// What only one of the records has.
    pub only: Vec<String>,
    /// The cells that both have, in the order of the second record.
    pub cells: Vec<ComparedCell>,
}

/// A cell that both records have.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedCell {
    /// The scenario's label.
    pub scenario: String,
    /// The stack.
    pub stack: String,
    /// Its scenario and its stack in the second plan.
    pub place: [usize; 2],
    /// The scenario in the second plan.
    planned: PlannedScenario,
    /// Recovered trials out of the stuck ones; none in controls, and none if the goal cannot be reached.
    pub recovery: Option<Compared>,
    /// Done trials; none if the goal cannot be reached.
    pub done: Option<Compared>,
    /// False interventions per healthy turn.
    pub false_rate: Option<Compared>,
}

/// A figure in both records.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The figure in the first record, as people read it.
    pub before: String,
    /// The figure in the second record.
    pub after: String,
    /// The second minus the first.
    pub change: Change,
    /// Whether the trials of both are compared as pairs.
    pub is_paired: bool,
    /// The p-value, corrected for all cells with this figure.
    pub p: Option<f64>,
}

impl Comparison {
    /// What changed from one record to another.
    #[must_use]
    pub fn new(before: &Bench, after: &Bench) -> Self {
        let mut cells = Vec::new();
        let places = Places::of(&before.plan);
        for (at, scenario) in after.plan.scenarios.iter().enumerate() {
            for (stack, planned) in after.plan.stacks.iter().enumerate() {
                if let Some((was, other)) = places.find(scenario, &planned.guard) {
                    let seeds = Some(&after.done[at]).filter(|it| before.done[was] == **it && it.count() > 0);
                    // In other pools a seed draws another world.
                    let is_same = scenario.suite != Suite::Drawn || before.plan.pools == after.plan.pools;
                    let (one, two) = (before.cell(was, other), after.cell(at, stack));
                    let [recovery, done, false_rate] = figures(scenario, one, two, seeds.filter(|_| is_same));
                    cells.push(ComparedCell {
                        scenario: scenario.label(),
                        stack: planned.guard.clone(),
                        place: [at, stack],
                        planned: scenario.clone(),
                        recovery,
                        done,
                        false_rate,
                    });
                }
            }
        }
        correct(&mut cells, |cell| cell.recovery.as_mut());
        correct(&mut cells, |cell| cell.done.as_mut());
        let mut notes = notes(&before.plan, &after.plan, &places);
        for (name, bench) in [("A", before), ("B", after)] {
            if !bench.is_whole() {
                notes.push(format!("{name} is incomplete: some planned trials have not run"));
            }
        }
        Self { notes, only: only(&before.plan, &after.plan), cells }
    }

    /// Whether both records have a cell that a gate on a change judges. `plan` is that of the second record.
    #[must_use]
    pub fn has_a_cell(&self, gate: &Gate, plan: &Plan) -> bool {
        let metric = gate.condition.metric;
        self.cells.iter().any(|it| {
            metric.has_meaning(&it.planned) && gate.scope.holds(&it.planned, &plan.stacks[it.place[1]])
        })
    }

    /// The value of a metric of change in a cell of the second record; none if the first record has no such cell, or
    /// if the metric has no meaning there.
    #[must_use]
    pub fn found(&self, metric: Metric, scenario: usize, stack: usize) -> Option<Found> {
        let cell = self.cells.binary_search_by_key(&[scenario, stack], |it| it.place).ok()?;
        let cell = &self.cells[cell];
        let (compared, per_turn) = match metric {
            Metric::RecoveryChange => (&cell.recovery, false),
            Metric::DoneChange => (&cell.done, false),
            Metric::FalseRateChange => (&cell.false_rate, true),
            Metric::FalseInterventions
            | Metric::DoubleEffects
            | Metric::GuardFaults
            | Metric::NotTold
            | Metric::Missed
            | Metric::Late
            | Metric::Lost
            | Metric::NeedlessQuestions
            | Metric::Recovery
            | Metric::Done
            | Metric::Told
            | Metric::Unprompted
            | Metric::FalseRate => return None,
        };
        if !metric.has_meaning(&cell.planned) {
            return None;
        }
        // In one of the records no trial ran or got stuck.
        let Some(compared) = compared else { return Some(Found::Unknown) };
        let change = if per_turn { compared.change.thousandfold() } else { compared.change };
        let [value, low, high] = change.digits();
        let text = format!("{value} ({low} to {high}), from {} to {}", compared.before, compared.after);
        Some(Found::Interval { low: change.low, high: change.high, text })
    }
}

/// The places of scenarios, by their labels, and of stacks in a plan.
struct Places<'p> {
    scenarios: BTreeMap<String, usize>,
    stacks: BTreeMap<&'p str, usize>,
}

impl<'p> Places<'p> {
    fn of(plan: &'p Plan) -> Self {
        // The first one of a name counts.
        let scenarios = plan.scenarios.iter().enumerate().rev().map(|(at, it)| (it.label(), at));
        let stacks = plan.stacks.iter().enumerate().rev().map(|(at, it)| (&*it.guard, at));
        Self { scenarios: scenarios.collect(), stacks: stacks.collect() }
    }

    fn find(&self, scenario: &PlannedScenario, stack: &str) -> Option<(usize, usize)> {
        Some((*self.scenarios.get(&scenario.label())?, *self.stacks.get(stack)?))
    }
}

/// Recovery, done and false rate of one cell; `seeds` are given if both records ran the same ones.
fn figures(
    scenario: &PlannedScenario,
    before: &Cell,
    after: &Cell,
    seeds: Option<&Seeds>,
) -> [Option<Compared>; 3] {
    let of_pairs = seeds.and_then(|seeds| Change::of_blocks(&blocks(before, after, seeds)?));
    let share = |of: fn(&Sums) -> [u64; 2], pairs: Option<Change>| {
        let [was, is] = [before, after].map(|cell| Cells::one(cell).share(of));
        let shown = |it: Share| format!("{} of {}", it.count, it.of);
        let change = pairs.or_else(|| Change::of_shares(&was, &is))?;
        let (before, after) = (shown(was), shown(is));
        Some(Compared { before, after, change, is_paired: pairs.is_some(), p: None })
    };
    let is_reachable = scenario.unreachable.is_none();
    // If all trials got stuck, the recovered trials are the done trials.
    let all_stuck = [before, after].iter().all(|cell| cell.counts.onsets == cell.counts.trials);
    let can_recover = scenario.is_stubborn() && is_reachable;
    let recovery = can_recover.then(|| share(|it| [it.recovered, it.onsets], of_pairs.filter(|_| all_stuck)));
    let done = is_reachable.then(|| share(|it| [it.done, it.trials], of_pairs));
    let rates = [before, after].map(|cell| Cells::one(cell).false_rate());
    let [was, is] = rates.map(|rate| rate.per_thousand().0.unwrap_or_default());
    let false_rate = Change::of_rates(&rates[0], &rates[1]).map(|change| Compared {
        before: was,
        after: is,
        change,
        is_paired: false,
        p: None,
    });
    [recovery.flatten(), done.flatten(), false_rate]
}

/// The done trials of both: in drawn worlds by groups of skeletons, else by the draw of their seed. None if seeds did
/// not draw the same skeletons for both, as of two builds.
fn blocks(before: &Cell, after: &Cell, seeds: &Seeds) -> Option<Vec<Block>> {
    match (&before.groups, &after.groups) {
        (None, None) => {
            let counts = after.by_draw.done.iter().zip(&before.by_draw.done).zip(seeds.by_draw());
            Some(counts.map(|((&one, &other), trials)| Block { one, other, trials }).collect())
        }
        (Some(was), Some(is)) => {
            let block = |(is, was): (&Sums, &Sums)| {
                let block = Block { one: is.done, other: was.done, trials: is.trials };
                (is.trials == was.trials).then_some(block)
            };
            is.sums().iter().zip(was.sums()).map(block).collect()
        }
        (Some(_), None) | (None, Some(_)) => None,
    }
}

/// Corrects the p-values of one figure for all cells that have it.
fn correct(cells: &mut [ComparedCell], figure: impl Fn(&mut ComparedCell) -> Option<&mut Compared>) {
    let figures: Vec<&mut Compared> = cells.iter_mut().filter_map(figure).collect();
    let single: Vec<f64> = figures.iter().filter_map(|it| it.change.p).collect();
    for (figure, p) in figures.into_iter().zip(holm(&single)) {
        figure.p = Some(p);
    }
}

/// Differences between two plans in anything but the compared cells. `places` are those of the first.
fn notes(before: &Plan, after: &Plan, places: &Places<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let mut differ = |what: &str, one: String, two: String| {
        if one != two {
            notes.push(format!("{what}: {one} in A, {two} in B"));
        }
    };
    let seeds = |plan: &Plan| format!("{}-{}", plan.seeds[0], plan.seeds[1]);
    let set = |set: &[Drawn]| {
        let set: Vec<String> = set.iter().map(|it| format!("{}={}", it.name, it.value)).collect();
        if set.is_empty() { "nothing".to_owned() } else { set.join(" ") }
    };
    let reactions = |plan: &Plan| match &plan.reactions {
        Some(it) => serde_json::to_string(it).expect("plain data"),
        None => "of the scenarios".to_owned(),
    };
    let config = |plan: &Plan| serde_json::Value::Object(plan.config.clone()).to_string();
    differ("model", model(before), model(after));
    differ("version of Balk", before.balk.clone(), after.balk.clone());
    differ("planned seeds", seeds(before), seeds(after));
    differ(
        "pools",
        format!("{:?}", before.pools).to_lowercase(),
        format!("{:?}", after.pools).to_lowercase(),
    );
    differ("set in all scenarios", set(&before.set), set(&after.set));
    differ("reactions", reactions(before), reactions(after));
    differ("settings of guards", config(before), config(after));
    if let (Some(one), Some(two)) = (&before.live, &after.live)
        && one.system != two.system
    {
        notes.push("the instructions before the task differ".to_owned());
    }
    if before.parameters != after.parameters {
        notes.push("the parameters of the response model differ".to_owned());
    }
    let is_other = |it: &&PlannedScenario| {
        places.scenarios.get(&it.label()).is_some_and(|at| before.scenarios[*at].text != it.text)
    };
    let other: Vec<String> = after.scenarios.iter().filter(is_other).map(PlannedScenario::label).collect();
    if !other.is_empty() {
        notes.push(format!("the text of these scenarios differs: {}", other.join(", ")));
    }
    notes
}

/// The real model of a plan, with its settings.
fn model(plan: &Plan) -> String {
    let Some(live) = &plan.live else { return "none, because actors are scripts".to_owned() };
    let settings: Vec<String> = live.sampling.iter().map(|it| format!(" {}={}", it.name, it.value)).collect();
    format!("{} ({}{})", live.model, live.api, settings.concat())
}

/// What only one of two plans has.
fn only(before: &Plan, after: &Plan) -> Vec<String> {
    let labels = |plan: &Plan| plan.scenarios.iter().map(PlannedScenario::label).collect::<Vec<_>>();
    let stacks = |plan: &Plan| plan.stacks.iter().map(|it| it.guard.clone()).collect::<Vec<_>>();
    let mut only = Vec::new();
    for (name, mine, other) in [("A", before, after), ("B", after, before)] {
        for (what, mine, others) in
            [("scenarios", labels(mine), labels(other)), ("stacks", stacks(mine), stacks(other))]
        {
            let others = BTreeSet::from_iter(others);
            let missing: Vec<String> = mine.into_iter().filter(|it| !others.contains(it)).collect();
            if !missing.is_empty() {
                only.push(format!("{what} only in {name}: {}", missing.join(", ")));
            }
        }
    }
    only
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{Grade, Outcome};

    /// One trial for each of these skeletons, all of them done.
    fn drawn(skeletons: &[&str]) -> Cell {
        let mut cell = Cell::default();
        for (seed, skeleton) in (0..).zip(skeletons) {
            let grade = &Grade { onset: Some(1), goal: true, turns: 9, ..Grade::default() };
            let skeleton = Some(*skeleton);
            let (baseline, flat, drawn) = (grade, grade, grade);
            cell.take(&Outcome { seed, language: "en", skeleton, grade, baseline, flat, drawn });
        }
        cell
    }

    #[test]
    fn drawn_trials_are_pairs_only_where_both_have_the_same_skeletons() {
        let seeds = Seeds::range(0, 3);
        let blocks = |was: &[&str], is: &[&str]| blocks(&drawn(was), &drawn(is), &seeds);
        let same = blocks(&["a", "a", "b", "c"], &["c", "b", "a", "a"]).expect("the same skeletons");
        assert_eq!(Change::of_blocks(&same).map(|it| it.value.to_bits()), Some(0));
        assert_eq!(blocks(&["a", "a", "b", "c"], &["a", "b", "c", "c"]), None);
        assert_eq!(super::blocks(&drawn(&["a"]), &Cell::default(), &Seeds::range(0, 0)), None);
    }
}
