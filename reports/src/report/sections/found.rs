//! Lapses, and the cost of a turn.

use super::number::{counted, grouped};
use crate::records::{Lapse, Work};
use crate::report::document::Side::{Left, Right};
use crate::report::document::{Document, Table, Text, code, emphasis, folded, paragraph};
use crate::report::tables::{Expense, LapseRow, Report};

/// How many of the most serious lapses a short report names.
const SERIOUS: usize = 20;

/// The lapses: how often they happened, and commands that show one of each.
pub(super) fn lapses(report: &Report) -> Document {
    let mut document = how_often(report);
    for lapse in Lapse::ALL {
        let rows = examples(report.lapses.iter().filter(|it| it.lapse == lapse));
        if !rows.is_empty() {
            document.push(folded(format!("By scenario: {}", named(report, lapse)), rows));
        }
    }
    document
}

/// How often lapses happened, and commands that show the most serious ones.
pub(super) fn serious_lapses(report: &Report) -> Document {
    let mut document = how_often(report);
    let mut table = examples(report.lapses.iter().take(SERIOUS));
    let more = report.lapses.len().saturating_sub(SERIOUS);
    if more > 0 {
        let more = counted(more as u64, "cell");
        table
            .notes
            .push(format!("The most serious ones. {more} with a lapse are in the other formats.").into());
    }
    if !table.is_empty() {
        document.push(table);
    }
    document
}

fn named(report: &Report, lapse: Lapse) -> &'static str {
    if report.live.is_some() { lapse.name_in_live() } else { lapse.name() }
}

/// One row per stack: how often each lapse happened.
fn how_often(report: &Report) -> Document {
    let named = |it| named(report, it);
    let mut table = Table::of_numbers(std::iter::once("stack").chain(Lapse::ALL.map(named)));
    for row in report.suites.first().map_or(&[][..], |it| &it.rows) {
        let of =
            |lapse: Lapse| report.lapses.iter().filter(move |it| it.lapse == lapse && it.stack == row.stack);
        let cells = Lapse::ALL.map(|lapse| {
            let scenarios = counted(of(lapse).count() as u64, "scenario");
            let count: u64 = of(lapse).map(|it| it.count).sum();
            if count == 0 { "0".into() } else { format!("{} in {scenarios}", grouped(count)).into() }
        });
        table.row(std::iter::once(code(&row.stack)).chain(cells));
    }
    Document::from([
        table.or("No stack."),
        paragraph(format!(
            "A lapse should not happen in any trial. A row is a stack, and its cells count trials; only {}s are \
             counted one by one.",
            named(Lapse::FalseIntervention)
        )),
    ])
}

/// A row for each of these cells, with a command that shows the lapse.
fn examples<'l>(lapses: impl Iterator<Item = &'l LapseRow>) -> Table {
    let mut rows = Table::new([
        ("scenario", Left),
        ("stack", Left),
        ("count", Right),
        ("trials", Right),
        ("first example", Left),
    ]);
    for it in lapses {
        rows.row([
            code(&it.scenario),
            code(&it.stack),
            grouped(it.count).into(),
            grouped(it.trials).into(),
            code(&it.command),
        ]);
    }
    rows
}

/// The cost of a turn.
pub(super) fn cost(report: &Report) -> Document {
    let (timed, counted) = (timed(&report.expense), instructions(&report.expense));
    let mut document = Document::default();
    if report.expense.is_empty() {
        document.push(paragraph("The cost of this record was not measured."));
    }
    if !timed.is_empty() {
        document.push(paragraph(
            Text::from("The time in which a stack judges a turn, by the bytes of the turn: of a file that is ")
                + emphasis("written")
                + " or "
                + emphasis("read")
                + ", or of what a command prints, a "
                + emphasis("log")
                + " or how it "
                + emphasis("failed")
                + ". p50 and p99 are quantiles of one run on one machine, without intervals. "
                + emphasis("Anchors")
                + " are multiples of the median time of xxh3 over as many bytes in the same run; only they can be \
                   compared between machines.",
        ));
        document.push(folded("Time by stack and size of the turn", timed));
    }
    if !counted.is_empty() {
        document
            .push(paragraph("The instructions of one turn are counted exactly, so there is no interval."));
        document.push(folded("Instructions by stack and size of the turn", counted));
    }
    document
}

fn timed(expense: &Expense) -> Table {
    let mut table = Table::of_numbers([
        "stack and turn",
        "bytes",
        "turns",
        "p50, ns",
        "p99, ns",
        "xxh3, ns",
        "p50, anchors",
        "p99, anchors",
    ]);
    for row in &expense.timed {
        let it = &row.timed;
        let counts = [it.bytes, it.turns, it.p50_ns, it.p99_ns, it.anchor_p50_ns].map(grouped);
        let anchors = [row.p50_anchors, row.p99_anchors].map(|it| it.to_string());
        let cells = counts.into_iter().chain(anchors).map(Text::from);
        table.row(std::iter::once(turn(&it.guard, it.what)).chain(cells));
    }
    table
}

fn instructions(expense: &Expense) -> Table {
    let mut table = Table::of_numbers(["stack and turn", "bytes", "instructions", "per byte"]);
    for row in &expense.instructions {
        let it = &row.counted;
        let cells = [grouped(it.bytes), grouped(it.instructions), row.for_each_byte.to_string()];
        table.row(std::iter::once(turn(&it.guard, it.what)).chain(cells.map(Text::from)));
    }
    table
}

/// A stack and where the turn's bytes come from: `default`, written.
fn turn(guard: &str, what: Work) -> Text {
    code(guard) + ", " + what.name()
}
