//! Interventions in healthy turns.

use super::number::{grouped, or_dash};
use crate::report::document::Side::{Left, Right};
use crate::report::document::{Document, Table, Text, code, folded, paragraph};
use crate::report::tables::{FalseInterventions, Report};
use crate::statistics::Rate;

/// By control, by language, by guard and rule.
pub(super) fn false_interventions(report: &Report) -> Document {
    let it = &report.false_interventions;
    let caption = "A row is a stack and the control that it disturbs most. Intervals treat trials as independent, and \
                   speak of that control alone.";
    let mut document = Document::from([most_disturbed(it).or("No stack."), paragraph(caption)]);
    let by_trial = "Intervals treat trials as independent, and speak of that control alone.";
    let by_scenario = "A row adds up all scenarios. Intervals treat scenarios as independent.";
    for (heading, table, note) in [
        ("By control", by_shape(it), by_trial),
        ("By language", by_language(it), by_scenario),
        ("By guard and rule", by_rule(it), by_scenario),
    ] {
        if !table.is_empty() {
            let mut inside = Document::from(table);
            inside.push(paragraph(note));
            document.push(folded(heading, inside));
        }
    }
    document
}

/// For each stack, how many controls it leaves alone, and the one that it disturbs most often.
fn most_disturbed(it: &FalseInterventions) -> Table {
    let mut table = Table::new([
        ("stack", Left),
        ("controls left alone", Right),
        ("disturbed most", Left),
        ("false per 1,000", Right),
        ("turns", Right),
    ]);
    for row in &it.by_shape {
        let alone = row.shapes - row.disturbed.len() as u64;
        let rate = |it: &Rate| it.rate.unwrap_or(0.0);
        let most = row.disturbed.iter().max_by(|a, b| rate(&a.rate).total_cmp(&rate(&b.rate)));
        table.row([
            code(&row.stack),
            format!("{alone} of {}", row.shapes).into(),
            most.map_or_else(|| "–".into(), |it| code(&it.scenario)),
            or_dash(most.map(|it| it.rate)).into(),
            or_dash(most.map(|it| grouped(it.rate.turns))).into(),
        ]);
    }
    table
}

/// False interventions, turns, and false interventions per 1,000 turns.
fn rate(rate: &Rate) -> [Text; 3] {
    [grouped(rate.events), grouped(rate.turns), rate.to_string()].map(Text::from)
}

fn by_shape(it: &FalseInterventions) -> Table {
    let mut table = Table::new([
        ("control", Left),
        ("stack", Left),
        ("false", Right),
        ("turns", Right),
        ("per 1,000", Right),
    ]);
    for row in &it.by_shape {
        for shape in &row.disturbed {
            table.row([code(&shape.scenario), code(&row.stack)].into_iter().chain(rate(&shape.rate)));
        }
    }
    table
}

fn by_language(it: &FalseInterventions) -> Table {
    let mut table = Table::new([
        ("stack", Left),
        ("language", Left),
        ("false", Right),
        ("turns", Right),
        ("per 1,000", Right),
        ("scenarios", Right),
    ]);
    for row in &it.by_language {
        let names = [code(&row.stack), code(&row.language)];
        table.row(names.into_iter().chain(rate(&row.rate)).chain([grouped(row.rate.trials).into()]));
    }
    table
}

fn by_rule(it: &FalseInterventions) -> Table {
    let mut table = Table::new([
        ("stack", Left),
        ("guard", Left),
        ("rule", Left),
        ("interventions", Right),
        ("false", Right),
        ("healthy turns", Right),
        ("per 1,000", Right),
    ]);
    for row in &it.by_rule {
        let names = [&row.stack, &row.guard, &row.rule].map(code);
        table.row(names.into_iter().chain([grouped(row.interventions).into()]).chain(rate(&row.rate)));
    }
    table
}
