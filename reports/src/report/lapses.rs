//! The lapses of a bench, in a few lines.

use super::document::{Document, Text, code, lines};
use crate::records::{Bench, Kind, Lapse};

/// A line for each stack under test and each kind of lapse: how often, in how many scenarios, and the command that
/// shows the first one, as a command of the program that prints them.
#[must_use]
pub fn lapses(bench: &Bench, own: impl Fn(&str) -> String) -> Document {
    let is_live = bench.plan.live.is_some();
    let under_test = bench.plan.stacks.iter().enumerate().filter(|(_, stack)| stack.is_under_test());
    let found = under_test.flat_map(|(at, stack)| {
        let found: Vec<Text> = Lapse::ALL
            .into_iter()
            .flat_map(|lapse| wheres(lapse, is_live).iter().map(move |of| (lapse, *of)))
            .filter_map(|(lapse, of)| line(bench, at, lapse, of, &own))
            .collect();
        if found.is_empty() { vec![format!("{}: no lapses", stack.guard).into()] } else { found }
    });
    let found: Vec<Text> = found.collect();
    if found.is_empty() { Document::default() } else { [lines(found)].into() }
}

/// Some of the scenarios: all, or those of one kind.
type Where = (&'static str, Option<Kind>);

/// False interventions are counted by the kind of scenario, because the table of the stacks counts those in controls.
/// In a live record no actor is scripted to be healthy.
const fn wheres(lapse: Lapse, is_live: bool) -> &'static [Where] {
    match lapse {
        Lapse::FalseIntervention if is_live => &[("", None)],
        Lapse::DoneTwice | Lapse::GuardFault | Lapse::NotTold => &[("", None)],
        Lapse::FalseIntervention => {
            &[(" in stubborn runs,", Some(Kind::Stubborn)), (" in controls,", Some(Kind::Control))]
        }
    }
}

/// One kind of lapse of one stack in some scenarios, if it happened.
fn line(
    bench: &Bench,
    stack: usize,
    lapse: Lapse,
    (words, kind): Where,
    own: impl Fn(&str) -> String,
) -> Option<Text> {
    let scenarios = bench.plan.scenarios.iter().enumerate();
    let cells = scenarios
        .filter(|(_, scenario)| kind.is_none_or(|kind| kind == scenario.kind))
        .map(|(scenario, _)| (scenario, bench.cell(scenario, stack)));
    let cells: Vec<_> =
        cells.filter_map(|(scenario, cell)| Some((scenario, cell, *cell.lapses.get(&lapse)?))).collect();
    let &(first, _, seed) = cells.first()?;
    let count: u64 = cells.iter().map(|(_, cell, _)| lapse.count(&cell.counts)).sum();
    let found = format!(
        "{}: {count} x {}{words} in {} {}; the first: ",
        bench.plan.stacks[stack].guard,
        if bench.plan.live.is_some() { lapse.name_in_live() } else { lapse.name() },
        cells.len(),
        if cells.len() == 1 { "scenario" } else { "scenarios" },
    );
    Some(Text::from(found) + code(own(&bench.plan.trial(first, stack, seed))))
}
