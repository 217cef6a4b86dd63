//! The slips of a bench, in a few lines.

use super::document::{Document, Text, code, lines};
use crate::records::{Bench, Slip};

/// A line for each stack under test and each kind of slip: how often, in how many scenarios, and the command that
/// shows the first one, as a command of the program that prints them.
#[must_use]
pub fn slips(bench: &Bench, own: impl Fn(&str) -> String) -> Document {
    let under_test = bench.plan.stacks.iter().enumerate().filter(|(_, stack)| stack.is_under_test());
    let found = under_test.flat_map(|(at, stack)| {
        let found: Vec<Text> = Slip::ALL.into_iter().filter_map(|slip| line(bench, at, slip, &own)).collect();
        if found.is_empty() { vec![format!("{}: no slips", stack.guard).into()] } else { found }
    });
    let found: Vec<Text> = found.collect();
    if found.is_empty() { Document::default() } else { [lines(found)].into() }
}

/// One kind of slip of one stack, if it happened.
fn line(bench: &Bench, stack: usize, slip: Slip, own: impl Fn(&str) -> String) -> Option<Text> {
    let cells = (0..bench.plan.scenarios.len()).map(|scenario| (scenario, bench.cell(scenario, stack)));
    let cells: Vec<_> =
        cells.filter_map(|(scenario, cell)| Some((scenario, cell, *cell.slips.get(&slip)?))).collect();
    let &(first, _, seed) = cells.first()?;
    let count: u64 = cells.iter().map(|(_, cell, _)| slip.count(&cell.counts)).sum();
    let found = format!(
        "{}: {count} x {} in {} {}; the first: ",
        bench.plan.stacks[stack].guard,
        slip.name(),
        cells.len(),
        if cells.len() == 1 { "scenario" } else { "scenarios" },
    );
    Some(Text::from(found) + code(own(&bench.plan.trial(first, stack, seed))))
}
