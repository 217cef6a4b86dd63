//! The tables of every scenario, each in a folded block.

use super::number::{counted, grouped, median, or_dash, share};
use crate::records::Kind;
use crate::report::document::{Block, Document, Table, Text, code, folded, paragraph};
use crate::report::tables::{Figures, Report, ScenarioRow, ScenarioTable};

/// Every scenario.
pub(super) fn scenarios(report: &Report) -> Document {
    let mut document = Document::from([paragraph(
        "Columns are as above, and a row is a stack on one scenario. Intervals treat trials as independent, so they \
         speak of that scenario alone; in drawn worlds they treat skeletons as independent. P-values are corrected for \
         the stacks of that scenario; saved minus lost, done twice and guard faults are out of all its trials.",
    )]);
    for it in &report.scenarios {
        let (what, tables) = match (it.kind, &it.unreachable) {
            (Kind::Control, _) => ("control", vec![control(it)]),
            (Kind::Stubborn, None) => ("stubborn", vec![recovery(it), course(it)]),
            (Kind::Stubborn, Some(_)) => ("stubborn, goal cannot be reached", vec![handoff(it), course(it)]),
        };
        let trials = counted(it.rows.first().map_or(0, |row| row.counts.trials), "trial");
        let heading = code(&it.scenario) + format!(" ({what}, {trials}): {}", it.title);
        document.push(folded(heading, Document { blocks: tables }));
    }
    document
}

type Column = (&'static str, fn(&Figures) -> String);

fn table(it: &ScenarioTable, columns: &[Column]) -> Block {
    let mut table = Table::of_numbers(std::iter::once("stack").chain(columns.iter().map(|(name, _)| *name)));
    for ScenarioRow { stack, figures, .. } in &it.rows {
        let cells = columns.iter().map(|(_, cell)| Text::from(cell(figures)));
        table.row(std::iter::once(code(stack)).chain(cells));
    }
    table.or("No stack.")
}

fn recovery(it: &ScenarioTable) -> Block {
    table(
        it,
        &[
            ("recovered, %", |it| share(&it.recovered)),
            ("saved minus lost, points", |it| or_dash(it.against.as_ref().map(|it| it.difference))),
            ("corrected p", |it| or_dash(it.against.as_ref().map(|it| it.p_corrected))),
            ("flat, %", |it| share(&it.recovered_flat)),
            ("drawn, %", |it| share(&it.recovered_drawn)),
            ("unprompted, %", |it| share(&it.unprompted)),
        ],
    )
}

fn handoff(it: &ScenarioTable) -> Block {
    table(it, &[("told, %", |it| share(&it.told))])
}

fn course(it: &ScenarioTable) -> Block {
    table(
        it,
        &[
            ("missed, %", |it| share(&it.missed)),
            ("late, %", |it| share(&it.late)),
            ("not told, %", |it| share(&it.not_told)),
            ("false per 1,000", |it| it.false_on_stubborn.to_string()),
            ("healthy turns", |it| grouped(it.false_on_stubborn.turns)),
            ("done twice", |it| it.done_twice.to_string()),
            ("guard faults", |it| it.guard_faults.to_string()),
            ("turns to help", |it| median(&it.until_help)),
            ("turns stuck", |it| median(&it.stuck_for)),
        ],
    )
}

fn control(it: &ScenarioTable) -> Block {
    table(
        it,
        &[
            ("done, %", |it| share(&it.healthy_done)),
            ("saved minus lost, points", |it| {
                or_dash(it.against_on_controls.as_ref().map(|it| it.difference))
            }),
            ("corrected p", |it| or_dash(it.against_on_controls.as_ref().map(|it| it.p_corrected))),
            ("false per 1,000", |it| it.false_on_controls.to_string()),
            ("healthy turns", |it| grouped(it.false_on_controls.turns)),
            ("done twice", |it| it.done_twice.to_string()),
            ("guard faults", |it| it.guard_faults.to_string()),
        ],
    )
}
