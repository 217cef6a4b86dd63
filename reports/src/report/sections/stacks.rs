//! Every stack over all scenarios, in three tables.

use super::number::{counted, grouped, median, or_dash, share};
use crate::report::document::{Document, Table, Text, code, emphasis, paragraph};
use crate::report::tables::{Figures, Report, StackRow};

/// A row for each stack: its name, and a cell for each column.
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

/// What matters most.
pub(super) fn stacks(report: &Report) -> Document {
    let columns = [
        "recovered, %",
        "saved less lost, points",
        "p, corrected",
        "false per 1,000",
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
    let mut caption = Text::from("In brackets 95 % intervals. ")
        + emphasis("Recovered")
        + ": the goal holds in the end, of the runs that got stuck where it can be reached; a run that a stack keeps \
           from getting stuck is not among them. "
        + emphasis("Saved less lost")
        + format!(
            ": trials that are done here and not in the first row, less the others, of the same {}; ",
            counted(pairs, "trial")
        )
        + emphasis("p")
        + " by McNemar's exact test. "
        + emphasis("False per 1,000")
        + ": interventions in healthy turns of controls. "
        + emphasis("Told")
        + ": the task was not done, and the user was told, asked or shown an end, of stubborn trials in which it \
           cannot be done. "
        + emphasis("Tokens")
        + format!(
            ": over those of the first row on the same {}. Every trial, stuck run and turn counts alike, so a scenario \
             with more of them weighs more. Pooled figures compare stacks, and are no forecast.",
            counted(stubborn, "stubborn trial")
        );
    if let Some(compared) = &report.stacks.compared {
        caption = caption + format!(" Each test is one of {compared}.");
    }
    [table.or("No stack."), paragraph(caption)].into()
}

/// How stuck runs come back.
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
    let caption = emphasis("Unprompted")
        + ": nobody had stepped in after the onset. "
        + emphasis("Missed")
        + ": nobody stepped in after the onset. "
        + emphasis("Not told")
        + ": the task was not done, and the user did not know. "
        + emphasis("Turns to help")
        + ": medians from the onset to the first intervention or resend, 0 for the same turn; "
        + emphasis("turns stuck")
        + ": from the onset to the last stuck turn of runs that recovered. Of fewer than six a median has no bounds.";
    [table.or("No stack."), paragraph(caption)].into()
}

/// Whom a stack disturbs, and what is to be 0.
pub(super) fn healthy(report: &Report) -> Document {
    let columns = [
        "false per 1,000, controls",
        "turns",
        "false per 1,000, stubborn runs",
        "turns",
        "controls saved less lost, points",
        "p, corrected",
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
    let caption = Text::from(
        "A turn is healthy where the model works, waits or is done; its intervals take the trial as the unit. ",
    ) + emphasis("Saved less lost")
        + " and "
        + emphasis("tokens")
        + format!(" are of {}. ", counted(trials(|it| it.healthy_done.of), "trial"))
        + emphasis("Done twice")
        + " and "
        + emphasis("guard faults")
        + format!(
            " are trials of {}, with the bounds of their share.",
            grouped(trials(|it| it.done_twice.of))
        );
    [table.or("No stack."), paragraph(caption)].into()
}
