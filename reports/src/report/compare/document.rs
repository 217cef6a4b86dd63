//! A comparison as a document: a table per figure, with the cells that changed.

use super::comparison::{Compared, ComparedCell, Comparison};
use crate::report::document::figure::{Figure, Forest, ForestRow, Interval, Unit};
use crate::report::document::{Block, Document, Side, Table, Text, code, folded, paragraph, strong};
use crate::report::sections::number::counted;
use crate::statistics::{Change, PValue, compared, p_text};

/// A figure of a cell, the format of its change, and the title of its table.
struct Shown {
    title: &'static str,
    of: fn(&ComparedCell) -> Option<&Compared>,
    shown: fn(&Change) -> String,
    /// The change in the unit of a forest plot.
    scaled: fn(&Change) -> Change,
    unit: Unit,
}

const FIGURES: [Shown; 3] = [
    Shown {
        title: "Recovered of the stuck trials, change in percentage points",
        of: |cell| cell.recovery.as_ref(),
        shown: points,
        scaled: Change::hundredfold,
        unit: Unit::Points,
    },
    Shown {
        title: "Done of all trials, change in percentage points",
        of: |cell| cell.done.as_ref(),
        shown: points,
        scaled: Change::hundredfold,
        unit: Unit::Points,
    },
    Shown {
        title: "False interventions per 1,000 healthy turns",
        of: |cell| cell.false_rate.as_ref(),
        shown: |change| {
            let [value, low, high] = change.per_thousand();
            format!("{value} ({low} to {high})")
        },
        scaled: Change::thousandfold,
        unit: Unit::Events,
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

/// The same as a page: a forest plot per figure, with the cells that changed most, and the table of all.
#[must_use]
pub fn comparison_as_page(comparison: &Comparison, [before, after]: [&str; 2]) -> Document {
    let mut page = Document::from([
        Block::Heading { level: 1, text: "What changed from one record to another".into() },
        paragraph(strong("A") + ": " + code(before) + ", and later " + strong("B") + ": " + code(after)),
    ]);
    let notes: Vec<Text> =
        comparison.notes.iter().chain(&comparison.only).map(|it| it.as_str().into()).collect();
    if !notes.is_empty() {
        page.push(Block::List(notes));
    }
    for it in &FIGURES {
        let Some(table) = figure(it, comparison) else { continue };
        page.push(Block::Heading { level: 2, text: it.title.into() });
        if let Some(forest) = forest(it, comparison) {
            page.push(Figure::Forest(forest));
        }
        let changed = format!("All {} that changed", counted(table.rows.len() as u64, "cell"));
        match table.is_empty() {
            true => page.push(Table { title: Text::default(), ..table }),
            false => page.push(folded(changed, Table { title: Text::default(), ..table })),
        }
    }
    page.push(paragraph(CAPTION));
    page
}

/// The most rows of a forest plot.
const FOREST_MAX: usize = 40;

/// The cells that changed most, the largest change first; none if no cell changed.
fn forest(figure: &Shown, comparison: &Comparison) -> Option<Forest> {
    let all = comparison.cells.iter().filter_map(|cell| Some((cell, (figure.of)(cell)?)));
    let mut changed: Vec<_> = all.filter(|(_, it)| it.before != it.after).collect();
    if changed.is_empty() {
        return None;
    }
    changed.sort_by(|(_, one), (_, other)| other.change.value.abs().total_cmp(&one.change.value.abs()));
    let more = changed.len().saturating_sub(FOREST_MAX);
    let row = |(cell, it): &(&ComparedCell, &Compared)| {
        let change = (figure.scaled)(&it.change);
        ForestRow {
            of: [cell.scenario.clone(), cell.stack.clone()],
            difference: Interval { value: change.value, low: change.low, high: change.high },
            shown: (figure.shown)(&it.change),
            p: it.p.map_or_else(String::new, p_text),
            is_sure: it.p.map_or(change.low > 0.0 || change.high < 0.0, |p| PValue(p).is_sure()),
        }
    };
    let shown = match more {
        0 => String::new(),
        more => format!(": the {FOREST_MAX} cells that changed most; {more} more are in the table"),
    };
    let filled = match changed.iter().any(|(_, it)| it.p.is_some()) {
        true => "A filled mark is significant after correction.",
        false => "The interval of a filled mark excludes 0; it is not corrected for the number of cells.",
    };
    let caption = format!("B minus A, with 95 % intervals{shown}. {filled}");
    let rows = changed.iter().take(FOREST_MAX).map(row).collect();
    Some(Forest { title: figure.title.to_owned(), caption: caption.into(), unit: figure.unit, rows })
}

/// The cells in which a figure changed; none if no cell has the figure.
fn figure(figure: &Shown, comparison: &Comparison) -> Option<Table> {
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
