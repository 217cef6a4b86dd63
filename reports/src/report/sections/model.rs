//! What the response model decides: the same trials under others, and what its uncertain numbers do.

use super::number::{grouped, or_dash, share};
use crate::report::document::Side::{Left, Right};
use crate::report::document::{Document, Table, Text, code, emphasis, folded, paragraph};
use crate::report::tables::{CellShift, Report, Shift, StackShift};
use crate::statistics::BlockDifference;

/// Recovery under the model's own numbers, in flat mode and with drawn numbers.
pub(super) fn models(report: &Report) -> Document {
    let mut table = Table::of_numbers(["stack", "recovered, %", "flat, %", "drawn, %"]);
    for row in &report.stacks.rows {
        let it = &row.figures;
        let shares = [it.recovered, it.recovered_flat, it.recovered_drawn].map(|it| share(&it).into());
        table.row(std::iter::once(code(&row.stack)).chain(shares));
    }
    let caption = emphasis("Flat")
        + ": an intervention counts for being delivered, whatever it says: an empty notice and the best message tie. "
        + emphasis("Drawn")
        + ": the numbers of the response model are drawn from their ranges. What holds in one column only hangs on \
           what a message is thought to be worth.";
    [table.or("No stack."), paragraph(caption)].into()
}

/// How many cells are listed.
const CELLS: usize = 10;

/// What each uncertain number does.
pub(super) fn sensitivity(report: &Report) -> Document {
    let (stubborn, all) =
        report.stacks.rows.first().map_or((0, 0), |it| (it.figures.not_told.of, it.figures.done_twice.of));
    let mut document = Document::from([
        paragraph(format!(
            "By how much a figure is higher where a number of the response model lies in the upper half of its range: \
             trials done of 100 stubborn ones (of {} of each stack), and false interventions in 100 trials (of {}).",
            grouped(stubborn),
            grouped(all)
        )),
        most(report).or("No number of the response model was varied."),
        paragraph(
            "The largest of all shifts is shown, so it is overstated; and one in twenty intervals leaves 0 out by \
             chance.",
        ),
    ]);
    let every = every(report);
    if !every.is_empty() {
        document.push(folded("Every number", every));
    }
    let cells = largest_cells(report);
    if !cells.is_empty() {
        let shifts = grouped(report.sensitivity.cells.len() as u64);
        document.push(folded(format!("The largest of {shifts} shifts of a cell, so overstated"), cells));
    }
    document
}

/// For each stack the number that moves it most.
fn most(report: &Report) -> Table {
    let mut table = Table::new([
        ("stack", Left),
        ("done: most by", Left),
        ("points", Right),
        ("false: most by", Left),
        ("per 100 trials", Right),
    ]);
    for row in &report.stacks.rows {
        let shifts = || report.sensitivity.stacks.iter().filter(|shift| shift.stack == row.stack);
        let found = [largest(shifts(), |it| it.done.as_ref()), largest(shifts(), false_ones)];
        let cells = found.map(|it| {
            it.map_or_else(|| ["–", "–"].map(Text::from), |(name, it)| [code(name), it.to_string().into()])
        });
        table.row(std::iter::once(code(&row.stack)).chain(cells.into_iter().flatten()));
    }
    table
}

/// What each number does to each stack.
fn every(report: &Report) -> Table {
    let mut table = Table::new([
        ("stack", Left),
        ("number", Left),
        ("done, points", Right),
        ("false, per 100 trials", Right),
    ]);
    for StackShift { stack, parameter, shift } in &report.sensitivity.stacks {
        let done = or_dash(shift.done.as_ref());
        table.row([code(stack), code(parameter), done.into(), shift.false_interventions.to_string().into()]);
    }
    table
}

fn false_ones(shift: &Shift) -> Option<&BlockDifference> {
    Some(&shift.false_interventions)
}

type Of = fn(&Shift) -> Option<&BlockDifference>;

/// The number that moves a stack most, where any moved it at all.
fn largest<'r>(
    shifts: impl Iterator<Item = &'r StackShift>,
    of: Of,
) -> Option<(&'r str, &'r BlockDifference)> {
    shifts
        .filter_map(|it| Some((&*it.parameter, of(&it.shift)?)))
        .filter(|(_, it)| it.p.0 < 1.0)
        .max_by(|(_, one), (_, other)| one.size().total_cmp(&other.size()))
}

fn largest_cells(report: &Report) -> Table {
    let mut cells: Vec<(&CellShift, &BlockDifference)> = report
        .sensitivity
        .cells
        .iter()
        .filter_map(|it| Some((it, it.shift.done.as_ref()?)))
        .filter(|(_, it)| it.p.0 < 1.0)
        .collect();
    cells.sort_by(|(_, one), (_, other)| other.size().total_cmp(&one.size()));
    let mut table =
        Table::new([("scenario", Left), ("stack", Left), ("number", Left), ("done, points", Right)]);
    for (cell, difference) in cells.into_iter().take(CELLS) {
        table.row([
            code(&cell.scenario),
            code(&cell.stack),
            code(&cell.parameter),
            difference.to_string().into(),
        ]);
    }
    table
}
