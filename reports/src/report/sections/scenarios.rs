//! Every scenario, each folded away.

use super::table::{Table, code, counted, escaped, folded, grouped, median, or_dash, share};
use crate::records::Kind;
use crate::report::tables::{Figures, Report, ScenarioRow, ScenarioTable};

/// Every scenario.
pub(super) fn scenarios(report: &Report) -> String {
    let mut text =
        "Columns as above; p-values are corrected for the stacks of the one scenario. Saved and lost are of all \
         trials, and so are things done twice and guard faults.\n"
            .to_owned();
    for it in &report.scenarios {
        let what = match (it.kind, &it.unreachable) {
            (Kind::Control, _) => "control",
            (Kind::Stubborn, None) => "stubborn",
            (Kind::Stubborn, Some(_)) => "stubborn, cannot be reached",
        };
        let trials = counted(it.rows.first().map_or(0, |row| row.counts.trials), "trial");
        let heading =
            format!("<code>{}</code> ({what}, {trials}): {}", escaped(&it.scenario), escaped(&it.title));
        let tables = match (it.kind, &it.unreachable) {
            (Kind::Control, _) => control(it),
            (Kind::Stubborn, None) => format!("{}\n{}", recovery(it), course(it)),
            (Kind::Stubborn, Some(_)) => format!("{}\n{}", handoff(it), course(it)),
        };
        text.push('\n');
        text.push_str(&folded(&heading, &tables));
    }
    text
}

type Column = (&'static str, fn(&Figures) -> String);

fn table(it: &ScenarioTable, columns: &[Column]) -> String {
    let names: Vec<&str> = ["stack"].into_iter().chain(columns.iter().map(|(name, _)| *name)).collect();
    let mut table = Table::of_numbers(&names);
    for ScenarioRow { stack, figures, .. } in &it.rows {
        table.row(std::iter::once(code(stack)).chain(columns.iter().map(|(_, cell)| cell(figures))));
    }
    table.or("No stack.")
}

fn recovery(it: &ScenarioTable) -> String {
    table(
        it,
        &[
            ("recovered, %", |it| share(&it.recovered)),
            ("saved less lost, points", |it| or_dash(it.against.as_ref().map(|it| it.difference))),
            ("p, corrected", |it| or_dash(it.against.as_ref().map(|it| it.p_corrected))),
            ("flat, %", |it| share(&it.recovered_flat)),
            ("drawn, %", |it| share(&it.recovered_drawn)),
            ("unprompted, %", |it| share(&it.unprompted)),
        ],
    )
}

fn handoff(it: &ScenarioTable) -> String {
    table(it, &[("told, %", |it| share(&it.told))])
}

fn course(it: &ScenarioTable) -> String {
    table(
        it,
        &[
            ("missed, %", |it| share(&it.missed)),
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

fn control(it: &ScenarioTable) -> String {
    table(
        it,
        &[
            ("done, %", |it| share(&it.healthy_done)),
            ("saved less lost, points", |it| {
                or_dash(it.against_on_controls.as_ref().map(|it| it.difference))
            }),
            ("p, corrected", |it| or_dash(it.against_on_controls.as_ref().map(|it| it.p_corrected))),
            ("false per 1,000", |it| it.false_on_controls.to_string()),
            ("healthy turns", |it| grouped(it.false_on_controls.turns)),
            ("done twice", |it| it.done_twice.to_string()),
            ("guard faults", |it| it.guard_faults.to_string()),
        ],
    )
}
