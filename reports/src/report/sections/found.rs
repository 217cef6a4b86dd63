//! Lapses, and the cost of a turn.

use super::number::{counted, grouped};
use crate::records::{Lapse, Work};
use crate::report::document::Side::{Left, Right};
use crate::report::document::{Document, Table, Text, code, emphasis, folded, paragraph};
use crate::report::tables::{Expense, Report};

/// The lapses: how often they happened, and commands that show one of each.
pub(super) fn lapses(report: &Report) -> Document {
    let is_live = report.live.is_some();
    let named = |it: Lapse| if is_live { it.name_in_live() } else { it.name() };
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
    let mut document = Document::from([
        table.or("No stack."),
        paragraph(format!(
            "A lapse should not happen in any trial. A row is a stack, and its cells count trials; only {}s are \
             counted one by one.",
            named(Lapse::FalseIntervention)
        )),
    ]);
    for lapse in Lapse::ALL {
        let mut rows = Table::new([
            ("scenario", Left),
            ("stack", Left),
            ("count", Right),
            ("trials", Right),
            ("first example", Left),
        ]);
        for it in report.lapses.iter().filter(|it| it.lapse == lapse) {
            rows.row([
                code(&it.scenario),
                code(&it.stack),
                grouped(it.count).into(),
                grouped(it.trials).into(),
                code(&it.command),
            ]);
        }
        if !rows.is_empty() {
            document.push(folded(format!("By scenario: {}", named(lapse)), rows));
        }
    }
    document
}

/// The cost of a turn.
pub(super) fn cost(report: &Report) -> Document {
    let (timed, counted) = (timed(&report.expense), instructions(&report.expense));
    let mut document = Document::default();
    if report.expense.is_empty() {
        document.push(paragraph("The cost of this record was not measured."));
    }
    if !timed.is_empty() {
        document.push(timed);
        document.push(paragraph(
            Text::from("A row is the time of a stack's turns of about one size: quantiles of one run on one machine, \
                        without intervals. ")
                + emphasis("Anchors")
                + " are multiples of the median time of xxh3 over as many bytes in the same run; only they can be \
                   compared between machines.",
        ));
    }
    if !counted.is_empty() {
        document.push(counted);
        document.push(paragraph(
            "A row is one turn. Its instructions are counted exactly, so there is no interval.",
        ));
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
