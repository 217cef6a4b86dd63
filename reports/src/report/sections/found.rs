//! What should not happen, and what a turn costs.

use super::number::{counted, grouped};
use crate::records::{Slip, Work};
use crate::report::document::Side::{Left, Right};
use crate::report::document::{Document, Table, Text, code, emphasis, folded, paragraph};
use crate::report::tables::{Expense, Report};

/// What should not happen: how often, and the command that shows it.
pub(super) fn slips(report: &Report) -> Document {
    let mut table = Table::of_numbers([
        "stack",
        "done twice",
        "guard fault",
        "not done and not told",
        "false intervention",
    ]);
    for row in &report.stacks.rows {
        let of = |slip: Slip| report.slips.iter().filter(move |it| it.slip == slip && it.stack == row.stack);
        let cells = Slip::ALL.map(|slip| {
            let scenarios = counted(of(slip).count() as u64, "scenario");
            let count: u64 = of(slip).map(|it| it.count).sum();
            if count == 0 { "0".into() } else { format!("{} in {scenarios}", grouped(count)).into() }
        });
        table.row(std::iter::once(code(&row.stack)).chain(cells));
    }
    let mut document = Document::from([table.or("No stack.")]);
    for slip in Slip::ALL {
        let mut rows = Table::new([
            ("scenario", Left),
            ("stack", Left),
            ("count", Right),
            ("trials", Right),
            ("the first of them", Left),
        ]);
        for it in report.slips.iter().filter(|it| it.slip == slip) {
            rows.row([
                code(&it.scenario),
                code(&it.stack),
                grouped(it.count).into(),
                grouped(it.trials).into(),
                code(&it.command),
            ]);
        }
        if !rows.is_empty() {
            document.push(folded(format!("Where: {}", slip.name()), rows));
        }
    }
    document
}

/// What a turn costs.
pub(super) fn cost(report: &Report) -> Document {
    let (timed, counted) = (timed(&report.expense), instructions(&report.expense));
    let mut document = Document::default();
    if report.expense.is_empty() {
        document.push(paragraph("Not measured for this record."));
    }
    if !timed.is_empty() {
        document.push(timed);
        document.push(paragraph(
            Text::from("Quantiles of one run on one machine, without intervals. An ")
                + emphasis("anchor")
                + " is the median time of xxh3 over as many bytes in the same run: that ratio is what may be compared \
                   elsewhere.",
        ));
    }
    if !counted.is_empty() {
        document.push(counted);
        document.push(paragraph("Instructions of one turn are counted, and have no interval."));
    }
    document
}

fn timed(expense: &Expense) -> Table {
    let mut table = Table::of_numbers([
        "stack, and what a turn does",
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
    let mut table =
        Table::of_numbers(["stack, and what a turn does", "bytes", "instructions", "for each byte"]);
    for row in &expense.instructions {
        let it = &row.counted;
        let cells = [grouped(it.bytes), grouped(it.instructions), row.for_each_byte.to_string()];
        table.row(std::iter::once(turn(&it.guard, it.what)).chain(cells.map(Text::from)));
    }
    table
}

/// A stack and what its turn does, as `default`, written.
fn turn(guard: &str, what: Work) -> Text {
    code(guard) + ", " + what.name()
}
