//! How much depends on the response model: the same trials under other models, and what each parameter does.

use super::number::{grouped, or_dash, share};
use super::suites::{caption, each};
use crate::report::document::Side::{Left, Right};
use crate::report::document::{Block, Document, Table, Text, code, emphasis, folded, paragraph};
use crate::report::tables::{CellShift, Figures, Report, Shift, StackShift};
use crate::statistics::BlockDifference;

/// Recovery under the scenario's own response model, in flat mode, and with drawn parameters.
pub(super) fn models(report: &Report) -> Document {
    let mut document = each(report, |suite| {
        let mut table = Table::of_numbers(["stack", "recovered, %", "flat, %", "drawn, %"]);
        for row in &suite.rows {
            let it = &row.figures;
            let shares = [it.recovered, it.recovered_flat, it.recovered_drawn].map(|it| share(&it).into());
            table.row(std::iter::once(code(&row.stack)).chain(shares));
        }
        vec![table.or("No stack."), paragraph(caption(suite))]
    });
    document.push(paragraph(
        "The columns are recovered runs under three response models. A difference that only one column shows depends \
         on what a message is assumed to be worth.",
    ));
    document.push(Block::List(vec![
        emphasis("Flat")
            + ": every delivered intervention works equally well. An empty notice is as good as the best message.",
        emphasis("Drawn") + ": each seed draws the parameters of the response model from their ranges.",
    ]));
    document
}

/// How many cells are listed.
const CELLS: usize = 10;

/// What each uncertain parameter does.
pub(super) fn sensitivity(report: &Report) -> Document {
    let trials = |of: fn(&Figures) -> u64| -> u64 {
        report.suites.iter().filter_map(|it| it.rows.first()).map(|it| of(&it.figures)).sum()
    };
    let (stubborn, all) = (trials(|it| it.not_told.of), trials(|it| it.done_twice.of));
    let mut document = Document::from([
        paragraph(format!(
            "A shift is the figure in draws with a parameter in the upper half of its range, minus the figure in the \
             other draws: trials done per 100 stubborn trials ({} per stack), and false interventions per 100 trials \
             ({} per stack).",
            grouped(stubborn),
            grouped(all)
        )),
        most(report).or("No parameter of the response model was varied."),
        paragraph(
            "A row is a stack with its largest shifts over all suites, which selection overstates. Intervals treat \
             draws as independent, so they speak of these scenarios alone; one in twenty excludes 0 by chance.",
        ),
    ]);
    let every = every(report);
    if !every.is_empty() {
        document.push(folded("Every parameter", every));
    }
    let cells = largest_cells(report);
    if !cells.is_empty() {
        let shifts = grouped(report.sensitivity.cells.len() as u64);
        document.push(folded(
            format!("The largest of {shifts} shifts by scenario, overstated by selection"),
            cells,
        ));
    }
    document
}

/// For each stack, the parameter that moves it most.
fn most(report: &Report) -> Table {
    let mut table = Table::new([
        ("stack", Left),
        ("done: parameter", Left),
        ("points", Right),
        ("false: parameter", Left),
        ("per 100 trials", Right),
    ]);
    for row in report.suites.first().map_or(&[][..], |it| &it.rows) {
        let shifts = || report.sensitivity.stacks.iter().filter(|shift| shift.stack == row.stack);
        let found = [largest(shifts(), |it| it.done.as_ref()), largest(shifts(), false_ones)];
        let cells = found.map(|it| {
            it.map_or_else(|| ["–", "–"].map(Text::from), |(name, it)| [code(name), it.to_string().into()])
        });
        table.row(std::iter::once(code(&row.stack)).chain(cells.into_iter().flatten()));
    }
    table
}

/// What each parameter does to each stack.
fn every(report: &Report) -> Table {
    let mut table = Table::new([
        ("stack", Left),
        ("parameter", Left),
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

/// The parameter that moves a stack most, if any moves it.
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
        Table::new([("scenario", Left), ("stack", Left), ("parameter", Left), ("done, points", Right)]);
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
