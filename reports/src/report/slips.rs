//! What went wrong in a bench, in a few lines.

use std::fmt::Write;

use crate::records::{Bench, Slip};

/// For each stack that is under test a line for each kind of slip: how often, in how many scenarios, and the command
/// that shows the first.
#[must_use]
pub fn slips(bench: &Bench) -> String {
    let mut text = String::new();
    let mut put = |line: std::fmt::Arguments<'_>| {
        text.write_fmt(line).expect("writing to a string never fails");
    };
    for (at, stack) in bench.plan.stacks.iter().enumerate() {
        let guard = &stack.guard;
        if !stack.is_under_test() {
            continue;
        }
        let mut is_clean = true;
        for slip in Slip::ALL {
            let cells = (0..bench.plan.scenarios.len()).map(|scenario| (scenario, bench.cell(scenario, at)));
            let cells: Vec<_> = cells
                .filter_map(|(scenario, cell)| Some((scenario, cell, *cell.slips.get(&slip)?)))
                .collect();
            let Some(&(first, _, seed)) = cells.first() else { continue };
            is_clean = false;
            let count: u64 = cells.iter().map(|(_, cell, _)| slip.count(&cell.counts)).sum();
            let scenarios = if cells.len() == 1 { "scenario" } else { "scenarios" };
            put(format_args!(
                "{guard}: {count} x {} in {} {scenarios}; the first: {}\n",
                slip.name(),
                cells.len(),
                bench.plan.trial(first, at, seed)
            ));
        }
        if is_clean {
            put(format_args!("{guard}: nothing went wrong\n"));
        }
    }
    text
}
