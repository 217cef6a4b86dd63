//! Comparisons of stacks: the ranking, and every stack against `default`.

use super::head::can_be_sure;
use super::number::{counted, grouped, names, or_dash};
use super::suites::{caption, each};
use crate::report::document::Side::{Left, Right};
use crate::report::document::{Document, Table, Text, code, emphasis, folded, marked, paragraph};
use crate::report::tables::{Measure, Report, StackTable, Versus, VersusCell};

/// Which stack is ahead of which.
pub(super) fn ranking(report: &Report) -> Document {
    let Some(it) = &report.ranking else { return Document::default() };
    let mut table = Table::new([("stack", Left), ("ahead of", Left), ("behind", Left)]);
    for row in &it.rows {
        let listed = |it: &[String]| names(it.iter().map(|it| &**it));
        table.row([code(&row.stack), listed(&row.before), listed(&row.behind)]);
    }
    let mut document = Document::from([table.or("No stack.")]);
    if report.head.seeds_of_each() < it.least {
        document.push(paragraph("With so few seeds some draws have no trial, so no stack can be ahead."));
    }
    document.push(paragraph(format!(
        "A stack is ahead of another if it gets more stubborn trials done in at least {} of the {} draws of the \
         response model's parameters. Ties count for neither, and nothing else in this report is a ranking.",
        it.least, it.draws
    )));
    document
}

/// Where another stack is better than `default`, and how often it is worse.
pub(super) fn default(report: &Report) -> Document {
    let Some(versus) = &report.versus else {
        return [paragraph(marked("This record compares `default` with no other stack."))].into();
    };
    let mut better: Vec<&VersusCell> =
        versus.cells.iter().filter(|it| it.is_better() && it.difference.p.is_sure()).collect();
    better.sort_by(|one, other| one.p_corrected.0.total_cmp(&other.p_corrected.0));
    let (sure, unsure): (Vec<_>, Vec<_>) = better.into_iter().partition(|it| it.p_corrected.is_sure());
    let none = if can_be_sure(versus, report) {
        "No stack is significantly better than `default` on any scenario."
    } else {
        "There are too few seeds: after correction for all comparisons, no difference could be significant."
    };
    let mut document = each(report, |suite| {
        vec![over(versus, suite).or(marked("No other stack than `default`.")), paragraph(caption(suite))]
    });
    document.push(paragraph(marked(
        "Differences are per 100 trials: done of stubborn ones whose goal can be reached, false interventions of \
         controls. They have no bounds below six scenarios. P-values are corrected for all stacks, measures and suites \
         (Holm). The next tables compare scenario by scenario, so each of their rows speaks of one scenario alone.",
    )));
    document.push(cells(&sure).or(none));
    if !unsure.is_empty() {
        let heading = format!("{} more, not significant after correction", unsure.len());
        document.push(folded(heading, cells(&unsure)));
    }
    document.push(paragraph(marked(&format!(
        "The next table counts, out of {}, those on which a stack is better or worse than `default` with p below 5 % \
         before correction. The numbers in brackets count the significant ones.",
        counted(report.scenarios.len() as u64, "scenario"),
    ))));
    document.push(counts(versus));
    document.push(paragraph(
        Text::from(
            "Intervals of a written scenario treat the draws of its seeds as independent blocks, those of drawn worlds \
             groups of skeletons. ",
        )
            + emphasis("Significant")
            + format!(
                ": p below 5 % after correction for all {} comparisons (Holm). Before correction, one comparison in \
                 twenty has p below 5 % by chance alone.",
                grouped(versus.comparisons)
            ),
    ));
    document
}

/// One row per stack: the difference from `default` over a suite.
fn over(versus: &Versus, suite: &StackTable) -> Table {
    let columns = ["more done", "corrected p", "more false interventions", "corrected p"];
    let mut table = Table::of_numbers(std::iter::once("stack").chain(columns));
    for row in &suite.rows {
        let of = |measure: Measure| {
            let rows = versus.suites.iter().filter(|it| it.suite == suite.suite && it.measure == measure);
            let found = rows.into_iter().find(|it| it.stack == row.stack);
            [or_dash(found.map(|it| it.difference)), or_dash(found.map(|it| it.p_corrected))]
        };
        if versus.counts.iter().any(|it| it.stack == row.stack) {
            let cells = [Measure::Done, Measure::FalseInterventions].into_iter().flat_map(of);
            table.row(std::iter::once(code(&row.stack)).chain(cells.map(Text::from)));
        }
    }
    table
}

/// One row per stack: on how many scenarios it is better and worse, in both measures.
fn counts(versus: &Versus) -> Table {
    let mut table = Table::of_numbers(["stack", "more done", "fewer done", "fewer false", "more false"]);
    let (done, disturbed): (Vec<_>, Vec<_>) = versus.counts.iter().partition(|it| match it.measure {
        Measure::Done => true,
        Measure::FalseInterventions => false,
    });
    for (done, disturbed) in done.into_iter().zip(disturbed) {
        let both = [done, disturbed].map(|it| {
            [(it.better, it.surely_better), (it.worse, it.surely_worse)]
                .map(|(all, sure)| format!("{all} ({sure})").into())
        });
        table.row(std::iter::once(code(&done.stack)).chain(both.into_iter().flatten()));
    }
    table
}

fn cells(cells: &[&VersusCell]) -> Table {
    let mut table = Table::new([
        (Text::from("scenario"), Left),
        ("stack".into(), Left),
        ("measure".into(), Left),
        ("count".into(), Right),
        (code("default"), Right),
        ("trials".into(), Right),
        ("difference per 100 trials".into(), Right),
        ("corrected p".into(), Right),
    ]);
    for it in cells {
        table.row([
            code(&it.scenario),
            code(&it.stack),
            it.measure.to_string().into(),
            grouped(it.other).into(),
            grouped(it.default).into(),
            grouped(it.trials).into(),
            it.difference.to_string().into(),
            it.p_corrected.to_string().into(),
        ]);
    }
    table
}
