//! Interventions in healthy turns.

use super::table::Side::{Left, Right};
use super::table::{Table, code, folded, grouped, or_dash};
use crate::report::tables::Report;
use crate::statistics::Rate;

/// By shape, by language, by guard and rule.
pub(super) fn false_interventions(report: &Report) -> String {
    let it = &report.false_interventions;
    let mut text = by_shape(report);
    let mut shapes = Table::new(&[
        ("shape", Left),
        ("stack", Left),
        ("false", Right),
        ("turns", Right),
        ("per 1,000", Right),
    ]);
    for row in &it.by_shape {
        for shape in &row.disturbed {
            let rate = &shape.rate;
            shapes.row([
                code(&shape.scenario),
                code(&row.stack),
                grouped(rate.events),
                grouped(rate.turns),
                rate.to_string(),
            ]);
        }
    }
    let mut languages = Table::new(&[
        ("stack", Left),
        ("language", Left),
        ("false", Right),
        ("turns", Right),
        ("per 1,000", Right),
        ("scenarios", Right),
    ]);
    for row in &it.by_language {
        let rate = &row.rate;
        let counts = [rate.events, rate.turns].map(grouped);
        let names = [code(&row.stack), code(&row.language)];
        languages.row(names.into_iter().chain(counts).chain([rate.to_string(), grouped(rate.trials)]));
    }
    let mut rules = Table::new(&[
        ("stack", Left),
        ("guard", Left),
        ("rule", Left),
        ("interventions", Right),
        ("false", Right),
        ("healthy turns", Right),
        ("per 1,000", Right),
    ]);
    for row in &it.by_rule {
        rules.row([
            code(&row.stack),
            code(&row.guard),
            code(&row.rule),
            grouped(row.interventions),
            grouped(row.rate.events),
            grouped(row.rate.turns),
            row.rate.to_string(),
        ]);
    }
    let by_scenario = "\nCounted over all scenarios; the interval takes the scenario as the unit.\n";
    for (heading, table, note) in [
        ("Every legitimate shape", shapes, ""),
        ("By language", languages, by_scenario),
        ("By guard and rule", rules, by_scenario),
    ] {
        if !table.is_empty() {
            text.push('\n');
            text.push_str(&folded(heading, &format!("{}{note}", table.or(""))));
        }
    }
    text
}

/// For each stack how many shapes it leaves alone, and the one it disturbs most.
fn by_shape(report: &Report) -> String {
    let mut table = Table::new(&[
        ("stack", Left),
        ("shapes left alone", Right),
        ("disturbed most", Left),
        ("per 1,000 there", Right),
        ("turns", Right),
    ]);
    for row in &report.false_interventions.by_shape {
        let alone = row.shapes - row.disturbed.len() as u64;
        let rate = |it: &Rate| it.rate.unwrap_or(0.0);
        let most = row.disturbed.iter().max_by(|a, b| rate(&a.rate).total_cmp(&rate(&b.rate)));
        table.row([
            code(&row.stack),
            format!("{alone} of {}", row.shapes),
            or_dash(most.map(|it| code(&it.scenario))),
            or_dash(most.map(|it| it.rate)),
            or_dash(most.map(|it| grouped(it.rate.turns))),
        ]);
    }
    table.or("No stack.")
}
