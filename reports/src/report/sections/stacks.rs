//! Every stack over all scenarios, in three tables.

use super::number::{counted, grouped, median, or_dash, share};
use crate::report::document::{Block, Document, Table, Text, code, emphasis, paragraph};
use crate::report::tables::{Figures, Report, StackRow};

/// One row per stack: its name, and a cell for each column.
fn table<const N: usize>(
    report: &Report,
    columns: [&str; N],
    cells: impl Fn(&StackRow) -> [String; N],
) -> Table {
    let mut table = Table::of_numbers(std::iter::once("stack").chain(columns));
    for row in &report.stacks.rows {
        table.row(std::iter::once(code(&row.stack)).chain(cells(row).map(Text::from)));
    }
    table
}

/// The main figures.
pub(super) fn stacks(report: &Report) -> Document {
    let columns = [
        "recovered, %",
        "saved minus lost, points",
        "corrected p",
        "false per 1,000, controls",
        "turns",
        "told, %",
        "tokens",
    ];
    let table = table(report, columns, |row| {
        let it = &row.figures;
        [
            share(&it.recovered),
            or_dash(it.against.as_ref().map(|it| it.difference)),
            or_dash(it.against.as_ref().map(|it| it.p_corrected)),
            it.false_on_controls.to_string(),
            grouped(it.false_on_controls.turns),
            share(&it.told),
            or_dash(row.tokens_on_stubborn),
        ]
    });
    let pairs =
        report.stacks.rows.iter().find_map(|it| it.figures.against.as_ref()).map_or(0, |it| it.difference.of);
    let stubborn = report.stacks.rows.first().map_or(0, |it| it.figures.not_told.of);
    let caption = "A row is a stack over all scenarios; the 95 % intervals in brackets treat trials as independent. \
                   Every trial, stuck run and turn counts alike, so pooled figures compare stacks and forecast \
                   nothing.";
    let mut p_value = emphasis("Corrected p") + ": McNemar's exact test of these pairs.";
    if let Some(compared) = &report.stacks.compared {
        p_value = p_value + format!(" Each test is one of {compared}.");
    }
    let terms = vec![
        emphasis("Recovered")
            + ": of the stuck runs whose goal can be reached, those whose goal holds in the end. A run that never gets \
               stuck is not counted.",
        emphasis("Saved minus lost")
            + format!(
                ": out of the same {}, those done here but not in the first row, minus those done in the first row \
                 but not here.",
                counted(pairs, "trial")
            ),
        p_value,
        emphasis("False per 1,000, controls") + ": interventions per 1,000 healthy turns of controls.",
        emphasis("Told")
            + ": of the stubborn trials whose goal cannot be reached, those that end with the user informed: told, \
               asked, or shown the end.",
        emphasis("Tokens")
            + format!(
                ": as a multiple of those of the first row on the same {}.",
                counted(stubborn, "stubborn trial")
            ),
    ];
    [table.or("No stack."), paragraph(caption), Block::List(terms)].into()
}

/// How stuck runs recover, or do not.
pub(super) fn runs(report: &Report) -> Document {
    let columns = [
        "unprompted, % of recovered",
        "missed, % of onsets",
        "not told, % of trials",
        "turns to help",
        "turns stuck",
    ];
    let table = table(report, columns, |StackRow { figures: it, .. }| {
        [
            share(&it.unprompted),
            share(&it.missed),
            share(&it.not_told),
            median(&it.until_help),
            median(&it.stuck_for),
        ]
    });
    let caption = "A row is a stack over all stubborn trials. Intervals treat trials as independent; a median of fewer \
                   than six trials has none.";
    let terms = vec![
        emphasis("Unprompted") + ": recovered runs without an intervention or a resend after the onset.",
        emphasis("Missed") + ": stuck runs without an intervention or a resend after the onset.",
        emphasis("Not told") + ": trials in which the task was not done and the user did not know.",
        emphasis("Turns to help")
            + ": from the onset to the first intervention or resend; 0 is the same turn.",
        emphasis("Turns stuck") + ": from the onset to the last stuck turn, in runs that recovered.",
    ];
    [table.or("No stack."), paragraph(caption), Block::List(terms)].into()
}

/// How often a stack disturbs healthy turns, and what should be 0.
pub(super) fn healthy(report: &Report) -> Document {
    let columns = [
        "false per 1,000, controls",
        "turns",
        "false per 1,000, stubborn runs",
        "turns",
        "controls saved minus lost, points",
        "corrected p",
        "done twice",
        "guard faults",
        "tokens on controls",
    ];
    let table = table(report, columns, |row| {
        let it = &row.figures;
        let against = it.against_on_controls.as_ref();
        [
            it.false_on_controls.to_string(),
            grouped(it.false_on_controls.turns),
            it.false_on_stubborn.to_string(),
            grouped(it.false_on_stubborn.turns),
            or_dash(against.map(|it| it.difference)),
            or_dash(against.map(|it| it.p_corrected)),
            it.done_twice.to_string(),
            it.guard_faults.to_string(),
            or_dash(row.tokens_on_controls),
        ]
    });
    let trials = |of: fn(&Figures) -> u64| report.stacks.rows.first().map_or(0, |it| of(&it.figures));
    let caption = "A row is a stack; a turn is healthy if the model works, waits or has finished. Intervals treat \
                   trials as independent.";
    let controls = counted(trials(|it| it.healthy_done.of), "trial");
    let all = counted(trials(|it| it.done_twice.of), "trial");
    let terms = vec![
        emphasis("Saved minus lost")
            + " and "
            + emphasis("tokens")
            + format!(": over {controls} of controls."),
        emphasis("Done twice")
            + format!(
                ": of {all}, those that repeated an effect that should happen once, with the bounds of the share."
            ),
        emphasis("Guard faults")
            + format!(": of {all}, those in which a guard broke, with the bounds of the share."),
    ];
    [table.or("No stack."), paragraph(caption), Block::List(terms)].into()
}
