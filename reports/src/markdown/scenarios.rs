//! Every scenario, each folded away.

use super::table::{Table, code, escaped, folded, grouped, or_dash};
use crate::report::{Figures, Report, ScenarioRow, ScenarioTable};

/// Every scenario.
pub(super) fn scenarios(report: &Report) -> String {
    let mut text =
        "Columns as above; p-values are corrected for the stacks of the one scenario.\n".to_owned();
    for it in &report.scenarios {
        let what = match (&*it.kind, &it.unreachable) {
            ("control", _) => "control",
            (_, None) => "stubborn",
            (_, Some(_)) => "stubborn, cannot be reached",
        };
        let heading = format!("<code>{}</code> ({what}): {}", escaped(&it.scenario), escaped(&it.title));
        let tables = match (&*it.kind, &it.unreachable) {
            ("control", _) => control(it),
            (_, None) => format!("{}\n{}", recovery(it), course(it)),
            (_, Some(_)) => format!("{}\n{}", handoff(it), course(it)),
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
            ("recovered, %", |it| it.recovered.percent()),
            ("of", |it| grouped(it.recovered.of)),
            ("saved less lost, points", |it| or_dash(it.against.as_ref().map(|it| it.difference))),
            ("p, corrected", |it| or_dash(it.against.as_ref().map(|it| it.p_corrected))),
            ("flat, %", |it| it.recovered_flat.percent()),
            ("drawn, %", |it| it.recovered_drawn.percent()),
            ("unprompted, %", |it| it.unprompted.percent()),
        ],
    )
}

fn handoff(it: &ScenarioTable) -> String {
    table(it, &[("told, %", |it| it.told.percent()), ("of", |it| grouped(it.told.of))])
}

fn course(it: &ScenarioTable) -> String {
    table(
        it,
        &[
            ("missed, %", |it| it.missed.percent()),
            ("not told, %", |it| it.not_told.percent()),
            ("false per 1,000", |it| it.false_on_stubborn.to_string()),
            ("healthy turns", |it| grouped(it.false_on_stubborn.turns)),
            ("done twice", |it| it.done_twice.to_string()),
            ("guard faults", |it| it.guard_faults.to_string()),
            ("turns to help", |it| it.until_help.to_string()),
            ("turns stuck", |it| it.stuck_for.to_string()),
        ],
    )
}

fn control(it: &ScenarioTable) -> String {
    table(
        it,
        &[
            ("done, %", |it| it.healthy_done.percent()),
            ("of", |it| grouped(it.healthy_done.of)),
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
