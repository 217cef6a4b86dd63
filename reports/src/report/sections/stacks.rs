//! Every stack over all scenarios, in three tables.

use super::table::{Table, code, counted, grouped, median, or_dash, share};
use crate::report::tables::{Figures, Report};

/// What matters most.
pub(super) fn stacks(report: &Report) -> String {
    let mut table = Table::of_numbers(&[
        "stack",
        "recovered, %",
        "saved less lost, points",
        "p, corrected",
        "false per 1,000",
        "turns",
        "told, %",
        "tokens",
    ]);
    for row in &report.stacks.rows {
        let it = &row.figures;
        table.row([
            code(&row.stack),
            share(&it.recovered),
            or_dash(it.against.as_ref().map(|it| it.difference)),
            or_dash(it.against.as_ref().map(|it| it.p_corrected)),
            it.false_on_controls.to_string(),
            grouped(it.false_on_controls.turns),
            share(&it.told),
            or_dash(row.tokens_on_stubborn),
        ]);
    }
    let pairs =
        report.stacks.rows.iter().find_map(|it| it.figures.against.as_ref()).map_or(0, |it| it.difference.of);
    let stubborn = report.stacks.rows.first().map_or(0, |it| it.figures.not_told.of);
    let mut text = table.or("No stack.");
    text.push_str(&format!(
        "\nIn brackets 95 % intervals. *Recovered*: the goal holds in the end, of the runs that got stuck \
         where it can be reached; a run that a stack keeps from getting stuck is not among them. *Saved less \
         lost*: trials that are done here and not in the first row, less the others, of the same {}; *p* by \
         McNemar's exact test. *False per 1,000*: interventions in healthy turns of controls. *Told*: the \
         task was not done, and the user was told, asked or shown an end, of stubborn trials in which it \
         cannot be done. *Tokens*: over those of the first row on the same {}. Every trial, stuck run \
         and turn counts alike, so a scenario with more of them weighs more. Pooled figures compare stacks, \
         and are no forecast.",
        counted(pairs, "trial"),
        counted(stubborn, "stubborn trial"),
    ));
    if let Some(compared) = &report.stacks.compared {
        text.push_str(&format!(" Each test is one of {compared}."));
    }
    text.push('\n');
    text
}

/// How stuck runs come back.
pub(super) fn runs(report: &Report) -> String {
    let mut table = Table::of_numbers(&[
        "stack",
        "unprompted, % of recovered",
        "missed, % of onsets",
        "not told, % of trials",
        "turns to help",
        "turns stuck",
    ]);
    for row in &report.stacks.rows {
        let it = &row.figures;
        table.row([
            code(&row.stack),
            share(&it.unprompted),
            share(&it.missed),
            share(&it.not_told),
            median(&it.until_help),
            median(&it.stuck_for),
        ]);
    }
    table.or("No stack.")
        + "\n*Unprompted*: nobody had stepped in after the onset. *Missed*: nobody stepped in after the \
           onset. *Not told*: the task was not done, and the user did not know. *Turns to help*: medians \
           from the onset to the first intervention or resend, 0 for the same turn; *turns stuck*: from the \
           onset to the last stuck turn of runs that recovered. Of fewer than six a median has no bounds.\n"
}

/// Whom a stack disturbs, and what is to be 0.
pub(super) fn healthy(report: &Report) -> String {
    let mut table = Table::of_numbers(&[
        "stack",
        "false per 1,000, controls",
        "turns",
        "false per 1,000, stubborn runs",
        "turns",
        "controls saved less lost, points",
        "p, corrected",
        "done twice",
        "guard faults",
        "tokens on controls",
    ]);
    for row in &report.stacks.rows {
        let it = &row.figures;
        let against = it.against_on_controls.as_ref();
        table.row([
            code(&row.stack),
            it.false_on_controls.to_string(),
            grouped(it.false_on_controls.turns),
            it.false_on_stubborn.to_string(),
            grouped(it.false_on_stubborn.turns),
            or_dash(against.map(|it| it.difference)),
            or_dash(against.map(|it| it.p_corrected)),
            it.done_twice.to_string(),
            it.guard_faults.to_string(),
            or_dash(row.tokens_on_controls),
        ]);
    }
    let trials = |of: fn(&Figures) -> u64| report.stacks.rows.first().map_or(0, |it| of(&it.figures));
    table.or("No stack.")
        + &format!(
            "\nA turn is healthy where the model works, waits or is done; its intervals take the trial as the \
             unit. *Saved less lost* and *tokens* are of {}. *Done twice* and *guard faults* are trials of \
             {}, with the bounds of their share.\n",
            counted(trials(|it| it.healthy_done.of), "trial"),
            grouped(trials(|it| it.done_twice.of)),
        )
}
