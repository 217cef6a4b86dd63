//! A comparison as a document: a table per figure, with the cells that changed.

use super::comparison::{Compared, ComparedCell, Comparison};
use crate::report::document::{Document, Side, Table, Text, paragraph};
use crate::statistics::{Change, compared, p_text};

/// A figure of a cell, the format of its change, and the title of its table.
struct Figure {
    title: &'static str,
    of: fn(&ComparedCell) -> Option<&Compared>,
    shown: fn(&Change) -> String,
}

const FIGURES: [Figure; 3] = [
    Figure {
        title: "Recovered of the stuck trials, change in percentage points",
        of: |cell| cell.recovery.as_ref(),
        shown: points,
    },
    Figure {
        title: "Done of all trials, change in percentage points",
        of: |cell| cell.done.as_ref(),
        shown: points,
    },
    Figure {
        title: "False interventions per 1,000 healthy turns",
        of: |cell| cell.false_rate.as_ref(),
        shown: |change| {
            let [value, low, high] = change.per_thousand();
            format!("{value} ({low} to {high})")
        },
    },
];

const CAPTION: &str = "A row is a cell that both records have and that changed. Paired intervals treat the 32 draws of \
                       the same seeds as independent; unpaired ones treat all trials as independent. So a row \
                       speaks of its scenario alone. In drawn worlds both treat skeletons as independent.";

fn points(change: &Change) -> String {
    change.to_string()
}

/// The whole comparison of two records with these names.
#[must_use]
pub fn comparison_as_document(comparison: &Comparison, [before, after]: [&str; 2]) -> Document {
    let names = [format!("A: {before}"), format!("B: {after}")];
    let notes = comparison.notes.iter().chain(&comparison.only).map(|note| format!("note: {note}"));
    let mut document =
        Document::from([paragraph(names.into_iter().chain(notes).collect::<Vec<_>>().join("\n"))]);
    document.blocks.extend(FIGURES.iter().filter_map(|it| figure(it, comparison)).map(Into::into));
    document.push(paragraph(CAPTION));
    document
}

/// The cells in which a figure changed; none if no cell has the figure.
fn figure(figure: &Figure, comparison: &Comparison) -> Option<Table> {
    let all: Vec<_> = comparison.cells.iter().filter_map(|cell| Some((cell, (figure.of)(cell)?))).collect();
    if all.is_empty() {
        return None;
    }
    let has_p = all.iter().any(|(_, it)| it.p.is_some());
    // Rates have no p-value and are never paired.
    let columns = if has_p { 7 } else { 5 };
    let names = ["scenario", "stack", "A", "B", "change (95 %)", "p", "trials"];
    let mut table = Table {
        title: figure.title.into(),
        ..Table::new(names.into_iter().take(columns).map(|name| (name, Side::Left)))
    };
    for (cell, it) in all.iter().filter(|(_, it)| it.before != it.after) {
        let cells: [Text; 7] = [
            cell.scenario.clone(),
            cell.stack.clone(),
            it.before.clone(),
            it.after.clone(),
            (figure.shown)(&it.change),
            it.p.map_or(String::new(), p_text),
            if it.is_paired { "paired" } else { "unpaired" }.to_owned(),
        ]
        .map(Text::from);
        table.row(cells.into_iter().take(columns));
    }
    let same = all.len() - table.rows.len();
    if table.is_empty() {
        table.notes.push(format!("No cell changed ({same} compared).").into());
        return Some(table);
    }
    if same > 0 {
        table.notes.push(format!("Unchanged: {same} more").into());
    }
    table.notes.extend(compared(all.len()).filter(|_| has_p).map(Text::from));
    Some(table)
}
