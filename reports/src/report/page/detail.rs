//! What a cell of a heat map has behind it.

use super::beside::Beside;
use crate::records::{Bench, Cell, Kind, Lapse};
use crate::report::document::figure::{Detail, Fact, Failure, Histogram, Trial};
use crate::report::sections::number::{counted, grouped, median, or_dash, share};
use crate::report::tables::{Comparison, ScenarioRow, ScenarioTable};

/// A cell, and what is known apart from its tables.
#[derive(Clone, Copy)]
pub(super) struct Place<'b> {
    pub(super) bench: &'b Bench,
    pub(super) beside: Beside<'b>,
    pub(super) scenario: usize,
    pub(super) stack: usize,
}

impl Place<'_> {
    fn trial(&self, seed: u64) -> Trial {
        Trial {
            command: self.bench.plan.trial(self.scenario, self.stack, seed),
            page: (self.beside.trial)(self.scenario, self.stack, seed),
        }
    }
}

/// Everything about a cell.
pub(super) fn detail(place: &Place<'_>, table: &ScenarioTable, row: &ScenarioRow) -> Detail {
    let cell = place.bench.cell(place.scenario, place.stack);
    let done = &place.bench.done[place.scenario];
    let first = done.ranges().first().map(|[from, _]| *from);
    Detail {
        facts: facts(table, row, cell),
        histograms: histograms(table, cell),
        rules: rules(cell),
        failures: failures(place, cell),
        command: place.bench.plan.trials(place.scenario, place.stack, done),
        trial: first.map(|seed| place.trial(seed)),
    }
}

fn fact(name: &str, value: impl Into<String>) -> Fact {
    Fact { name: name.to_owned(), value: value.into() }
}

fn facts(table: &ScenarioTable, row: &ScenarioRow, cell: &Cell) -> Vec<Fact> {
    let it = &row.figures;
    let mut facts = Vec::new();
    match (table.kind, &table.unreachable) {
        (Kind::Control, _) => {
            facts.push(fact("done, %", share(&it.healthy_done)));
            facts.extend(against(it.against_on_controls.as_ref()));
            facts.push(fact("false interventions per 1,000 turns", it.false_on_controls.to_string()));
            facts.push(fact("healthy turns", grouped(it.false_on_controls.turns)));
        }
        (Kind::Stubborn, unreachable) => {
            match unreachable {
                None => {
                    facts.push(fact("recovered, %", share(&it.recovered)));
                    facts.extend(against(it.against.as_ref()));
                    facts.push(fact("recovered in flat mode, %", share(&it.recovered_flat)));
                    facts.extend(not_recovered(cell).map(|it| fact("not recovered", it)));
                }
                Some(_) => facts.push(fact("told, %", share(&it.told))),
            }
            facts.push(fact("helped late or never, %", share(&it.late)));
            facts.push(fact("not done and not told, %", share(&it.not_told)));
            facts.push(fact("turns until help", median(&it.until_help)));
            facts.push(fact("turns stuck", median(&it.stuck_for)));
            facts.push(fact("false interventions per 1,000 healthy turns", it.false_on_stubborn.to_string()));
        }
    }
    for (name, bad) in [("done twice", &it.done_twice), ("guard faults", &it.guard_faults)] {
        if bad.count > 0 {
            facts.push(fact(name, bad.to_string()));
        }
    }
    facts
}

fn against(it: Option<&Comparison>) -> Vec<Fact> {
    let Some(it) = it else { return Vec::new() };
    vec![
        fact("saved minus lost, points", or_dash(Some(it.difference))),
        fact("corrected p", it.p_corrected.to_string()),
    ]
}

/// Why runs did not come back: no guard spoke, or what one said did not help.
fn not_recovered(cell: &Cell) -> Option<String> {
    let it = &cell.counts;
    let lost = it.onsets.saturating_sub(it.recovered);
    let alone = it.missed.saturating_sub(it.unprompted).min(lost);
    (lost > 0).then(|| {
        format!(
            "{}: {} without any help, {} in spite of it",
            grouped(lost),
            grouped(alone),
            grouped(lost - alone)
        )
    })
}

/// How fast help and recovery came, as parts of all stuck runs.
fn histograms(table: &ScenarioTable, cell: &Cell) -> Vec<Histogram> {
    if table.kind == Kind::Control || cell.counts.onsets == 0 {
        return Vec::new();
    }
    let of = cell.counts.onsets;
    let helped = Histogram { name: "Helped", of, steps: cell.until_help.iter().collect() };
    let recovered = Histogram { name: "Recovered", of, steps: cell.stuck_for.iter().collect() };
    if table.unreachable.is_some() { vec![helped] } else { vec![helped, recovered] }
}

fn rules(cell: &Cell) -> Vec<Fact> {
    let each = cell.rules.iter().flat_map(|(guard, rules)| {
        rules.iter().map(move |(rule, count)| {
            let all = counted(count.interventions, "intervention");
            let value = match count.false_interventions {
                0 => all,
                wrong => format!("{all}, {} of them in healthy turns", grouped(wrong)),
            };
            fact(&format!("{guard}, {rule}"), value)
        })
    });
    each.collect()
}

fn failures(place: &Place<'_>, cell: &Cell) -> Vec<Failure> {
    let found = Lapse::ALL.into_iter().filter_map(|lapse| Some((lapse, *cell.lapses.get(&lapse)?)));
    let failure = found.map(|(lapse, seed)| {
        let count = grouped(lapse.count(&cell.counts));
        let trials = counted(cell.counts.trials, "trial");
        let what = match lapse {
            Lapse::FalseIntervention => format!("{}: {count} in {trials}", lapse.name()),
            Lapse::DoneTwice | Lapse::GuardFault | Lapse::NotTold => {
                format!("{}: {count} of {trials}", lapse.name())
            }
        };
        Failure { what: format!("{what}; the first with seed {seed}."), trial: place.trial(seed) }
    });
    failure.collect()
}
