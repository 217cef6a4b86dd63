//! A comparison as people read it: a table for each figure, with the cells that changed.

use std::fmt::Write;

use super::comparison::{Compared, ComparedCell, Comparison};
use crate::statistics::{Change, compared, p_text};

/// A figure of a cell, how its change is shown, and what stands above its table.
struct Figure {
    title: &'static str,
    of: fn(&ComparedCell) -> Option<&Compared>,
    shown: fn(&Change) -> String,
}

const FIGURES: [Figure; 3] = [
    Figure {
        title: "recovered of those that got stuck, change in percentage points",
        of: |cell| cell.recovery.as_ref(),
        shown: points,
    },
    Figure {
        title: "done of all trials, change in percentage points",
        of: |cell| cell.done.as_ref(),
        shown: points,
    },
    Figure {
        title: "false interventions in 1,000 healthy turns",
        of: |cell| cell.false_rate.as_ref(),
        shown: |change| {
            let [value, low, high] = change.per_thousand();
            format!("{value} ({low} to {high})")
        },
    },
];

const PAIRED: &str =
    "paired: by the 32 draws of the same seeds; everything else as if the trials had nothing in common";

fn points(change: &Change) -> String {
    change.to_string()
}

/// The whole comparison.
#[must_use]
pub fn comparison_as_text(comparison: &Comparison) -> String {
    let mut text = String::new();
    for note in comparison.notes.iter().chain(&comparison.only) {
        put(&mut text, format_args!("note: {note}\n"));
    }
    for figure in FIGURES {
        let all: Vec<_> =
            comparison.cells.iter().filter_map(|cell| Some((cell, (figure.of)(cell)?))).collect();
        if all.is_empty() {
            continue;
        }
        let rows: Vec<[String; 7]> = all
            .iter()
            .filter(|(_, it)| it.before != it.after)
            .map(|(cell, it)| {
                [
                    cell.scenario.clone(),
                    cell.stack.clone(),
                    it.before.clone(),
                    it.after.clone(),
                    (figure.shown)(&it.change),
                    it.p.map_or(String::new(), p_text),
                    if it.is_paired { "paired" } else { "unpaired" }.to_owned(),
                ]
            })
            .collect();
        put(&mut text, format_args!("\n{}\n", figure.title));
        let has_p = all.iter().any(|(_, it)| it.p.is_some());
        if rows.is_empty() {
            put(&mut text, format_args!("all {} cells are as they were\n", all.len()));
            continue;
        }
        // Rates have no p-value and are never of pairs.
        let columns = if has_p { 7 } else { 5 };
        let titles = ["scenario", "stack", "A", "B", "change (95 %)", "p", "trials"].map(str::to_owned);
        table(&mut text, &titles, &rows, columns);
        let same = all.len() - rows.len();
        if same > 0 {
            put(&mut text, format_args!("{same} more cells are as they were\n"));
        }
        if let Some(said) = compared(all.len()).filter(|_| has_p) {
            put(&mut text, format_args!("{said}\n"));
        }
    }
    put(&mut text, format_args!("\n{PAIRED}\n"));
    text
}

/// Columns as wide as their widest text.
fn table(text: &mut String, titles: &[String; 7], rows: &[[String; 7]], columns: usize) {
    let lines = || std::iter::once(titles).chain(rows);
    let width = |at: usize| lines().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in lines() {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}", width = *width));
        let line = cells.collect::<Vec<_>>().join("  ");
        put(text, format_args!("{}\n", line.trim_end()));
    }
}

fn put(text: &mut String, line: std::fmt::Arguments<'_>) {
    text.write_fmt(line).expect("writing to a string never fails");
}
