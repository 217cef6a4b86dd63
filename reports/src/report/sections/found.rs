//! What should not happen, and what a turn costs.

use super::table::Side::{Left, Right};
use super::table::{Table, code, counted, folded, grouped};
use crate::records::{Slip, Work};
use crate::report::tables::Report;

/// What should not happen: how often, and the command that shows it.
pub(super) fn slips(report: &Report) -> String {
    let mut table = Table::of_numbers(&[
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
            if count == 0 { "0".into() } else { format!("{} in {scenarios}", grouped(count)) }
        });
        table.row(std::iter::once(code(&row.stack)).chain(cells));
    }
    let mut text = table.or("No stack.");
    for slip in Slip::ALL {
        let mut rows = Table::new(&[
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
                grouped(it.count),
                grouped(it.trials),
                code(&it.command),
            ]);
        }
        if !rows.is_empty() {
            text.push('\n');
            text.push_str(&folded(&format!("Where: {}", slip.name()), &rows.or("")));
        }
    }
    text
}

/// What a turn costs.
pub(super) fn cost(report: &Report) -> String {
    if report.expense.is_empty() {
        return "Not measured for this record.\n".into();
    }
    let mut timed = Table::of_numbers(&[
        "stack, and what a turn does",
        "bytes",
        "turns",
        "p50, ns",
        "p99, ns",
        "xxh3, ns",
        "p50, anchors",
        "p99, anchors",
    ]);
    for row in &report.expense.timed {
        let it = &row.timed;
        let counts = [it.bytes, it.turns, it.p50_ns, it.p99_ns, it.anchor_p50_ns].map(grouped);
        let anchors = [row.p50_anchors, row.p99_anchors].map(|it| it.to_string());
        timed.row(std::iter::once(turn(&it.guard, it.what)).chain(counts).chain(anchors));
    }
    let mut counted =
        Table::of_numbers(&["stack, and what a turn does", "bytes", "instructions", "for each byte"]);
    for row in &report.expense.instructions {
        let it = &row.counted;
        let counts = [grouped(it.bytes), grouped(it.instructions), row.for_each_byte.to_string()];
        counted.row(std::iter::once(turn(&it.guard, it.what)).chain(counts));
    }
    let mut text = String::new();
    if !timed.is_empty() {
        text.push_str(&timed.or(""));
        text.push_str(
            "\nQuantiles of one run on one machine, without intervals. An *anchor* is the median time of \
             xxh3 over as many bytes in the same run: that ratio is what may be compared elsewhere.\n",
        );
    }
    if !counted.is_empty() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&counted.or(""));
        text.push_str("\nInstructions of one turn are counted, and have no interval.\n");
    }
    text
}

/// A stack and what its turn does, as `default`, written.
fn turn(guard: &str, what: Work) -> String {
    format!("{}, {}", code(guard), what.name())
}
