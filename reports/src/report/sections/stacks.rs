//! Every stack over the scenarios of each suite, in three tables.

use super::number::{counted, grouped, median, or_dash, share};
use super::suites::{caption, each};
use crate::records::HELP_TURNS;
use crate::report::document::{Block, Document, Table, Text, code, emphasis, paragraph};
use crate::report::tables::{Figures, Report, StackRow, StackTable};

/// One row per stack: its name, and a cell for each column.
fn table<const N: usize>(
    suite: &StackTable,
    columns: [&str; N],
    cells: impl Fn(&StackRow) -> [String; N],
) -> Block {
    let mut table = Table::of_numbers(std::iter::once("stack").chain(columns));
    for row in &suite.rows {
        table.row(std::iter::once(code(&row.stack)).chain(cells(row).map(Text::from)));
    }
    table.or("No stack.")
}

/// A number of the first stack, which is the same for all of them.
fn first(suite: &StackTable, of: fn(&Figures) -> u64) -> u64 {
    suite.rows.first().map_or(0, |it| of(&it.figures))
}

/// The main figures, and what their columns mean.
pub(super) fn stacks(report: &Report) -> Document {
    let mut document = main_figures(report);
    document.push(terms(report));
    document
}

/// The main figures.
pub(in crate::report) fn main_figures(report: &Report) -> Document {
    let columns = [
        "recovered, %",
        "of the ceiling",
        "saved minus lost, points",
        "corrected p",
        "healthy runs lost, %",
        "false per 1,000, controls",
        "turns",
        "told, %",
        "tokens",
    ];
    each(report, |suite| {
        let table = table(suite, columns, |row| {
            let it = &row.figures;
            [
                share(&it.recovered),
                or_dash(row.share_of_ceiling),
                or_dash(it.against.as_ref().map(|it| it.difference)),
                or_dash(it.against.as_ref().map(|it| it.p_corrected)),
                share(&it.healthy_lost),
                it.false_on_controls.to_string(),
                grouped(it.false_on_controls.turns),
                share(&it.told),
                or_dash(row.tokens_on_stubborn),
            ]
        });
        let mut p_value = caption(suite)
            + " Every trial, stuck run and turn counts alike, so these figures compare stacks and forecast nothing.";
        if let Some(compared) = &suite.compared {
            p_value = p_value + format!(" Each test is one of {compared}.");
        }
        vec![table, paragraph(p_value)]
    })
}

/// What the columns of the main figures mean.
pub(in crate::report) fn terms(report: &Report) -> Block {
    let of = |number: fn(&Figures) -> u64| {
        let each = report.suites.iter().map(|it| number(&it.rows[usize::from(it.rows.len() > 1)].figures));
        counted(each.sum(), "trial")
    };
    let pairs = of(|it| it.against.as_ref().map_or(0, |it| it.difference.of));
    Block::List(vec![
        emphasis("Recovered")
            + ": of the stuck runs whose goal can be reached, those whose goal holds in the end. A run that never gets \
               stuck is not counted.",
        emphasis("Of the ceiling")
            + ": recovered runs as a multiple of those of the stack "
            + code("ceiling")
            + ", which is told the truth and each of whose corrections works. "
            + code("oracle")
            + " is told the truth too, speaks as often as our guards may, and is no bound.",
        emphasis("Saved minus lost")
            + format!(
                ": out of the same {pairs}, those done here but not in the first row, minus those done in the first \
                 row but not here.",
            ),
        emphasis("Corrected p")
            + ": over several scenarios Student's t over them, on one written scenario McNemar's exact test. The \
               interval can contain 0 where it is small, because an interval over few scenarios allows for one unlike \
               them.",
        emphasis("Healthy runs lost")
            + ": of the trials of controls, those done in the first row but not here.",
        emphasis("False per 1,000, controls") + ": interventions per 1,000 healthy turns of controls.",
        emphasis("Told")
            + ": of the stubborn trials whose goal cannot be reached, those that end with the user informed: told, \
               asked, or shown the end.",
        emphasis("Tokens")
            + format!(
                ": as a multiple of those of the first row on the same {} of stubborn scenarios.",
                of(|it| it.not_told.of)
            ),
    ])
}

/// How stuck runs recover, or do not.
pub(super) fn runs(report: &Report) -> Document {
    let columns = [
        "unprompted, % of recovered",
        "missed, % of onsets",
        "late, % of onsets",
        "not told, % of trials",
        "turns to help",
        "turns stuck",
    ];
    let mut document = each(report, |suite| {
        let table = table(suite, columns, |StackRow { figures: it, .. }| {
            [
                share(&it.unprompted),
                share(&it.missed),
                share(&it.late),
                share(&it.not_told),
                median(&it.until_help),
                median(&it.stuck_for),
            ]
        });
        vec![table, paragraph(caption(suite))]
    });
    document.push(Block::List(vec![
        emphasis("Unprompted") + ": recovered runs without an intervention or a resend after the onset.",
        emphasis("Missed") + ": stuck runs without an intervention or a resend after the onset.",
        emphasis("Late")
            + format!(
                ": stuck runs whose first intervention or resend came more than {HELP_TURNS} turns after the onset, or \
                 never."
            ),
        emphasis("Not told") + ": trials in which the task was not done and the user did not know.",
        emphasis("Turns to help")
            + ": from the onset to the first intervention or resend; 0 is the same turn. Over several scenarios the \
               median of their medians, which has no bounds below six of them.",
        emphasis("Turns stuck")
            + ": from the onset to the last stuck turn, in runs that recovered; the same median.",
    ]));
    document
}

/// How often a stack disturbs healthy turns, what that costs, and what should be 0.
pub(super) fn healthy(report: &Report) -> Document {
    let columns = [
        "healthy runs lost, %",
        "saved minus lost, points",
        "corrected p",
        "turns of kept runs",
        "tokens on controls",
        "false per 1,000, controls",
        "turns",
        "false per 1,000, stubborn runs",
        "turns",
        "done twice",
        "guard faults",
    ];
    let mut document = each(report, |suite| {
        let table = table(suite, columns, |row| {
            let it = &row.figures;
            let against = it.against_on_controls.as_ref();
            [
                share(&it.healthy_lost),
                or_dash(against.map(|it| it.difference)),
                or_dash(against.map(|it| it.p_corrected)),
                or_dash(row.turns_of_kept_controls),
                or_dash(row.tokens_on_controls),
                it.false_on_controls.to_string(),
                grouped(it.false_on_controls.turns),
                it.false_on_stubborn.to_string(),
                grouped(it.false_on_stubborn.turns),
                it.done_twice.to_string(),
                it.guard_faults.to_string(),
            ]
        });
        let all = counted(first(suite, |it| it.done_twice.of), "trial");
        let controls = counted(first(suite, |it| it.healthy_done.of), "trial");
        let numbers = format!(
            " Lost, saved and tokens are over {controls} of controls, done twice and guard faults over all {all}."
        );
        vec![table, paragraph(caption(suite) + numbers)]
    });
    document.push(Block::List(vec![
        emphasis("Healthy") + ": the model works, waits or has finished.",
        emphasis("Healthy runs lost") + ": trials of controls that are done in the first row but not here.",
        emphasis("Turns of kept runs")
            + ": of the trials of controls that are done in both, turns as a multiple of those in the first row. What \
               is above 1 is wasted.",
        emphasis("Done twice")
            + ": trials that repeated an effect that should happen once, with the bounds of the share.",
        emphasis("Guard faults") + ": trials in which a guard broke, with the bounds of the share.",
    ]));
    document
}
