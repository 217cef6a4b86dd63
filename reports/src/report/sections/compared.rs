//! Who is surely before whom, and where another stack is better than `default`.

use super::head::can_be_sure;
use super::number::{counted, grouped, names};
use crate::report::document::Side::{Left, Right};
use crate::report::document::{Document, Table, Text, code, emphasis, folded, marked, paragraph};
use crate::report::tables::{Measure, Report, Versus, VersusCell};

/// Which stack is surely before which.
pub(super) fn ranking(report: &Report) -> Document {
    let it = &report.ranking;
    let mut table = Table::new([("stack", Left), ("surely ahead of", Left), ("surely behind", Left)]);
    for row in &it.rows {
        let listed = |it: &[String]| names(it.iter().map(|it| &**it));
        table.row([code(&row.stack), listed(&row.before), listed(&row.behind)]);
    }
    let mut document = Document::from([table.or("No stack.")]);
    if report.head.seeds_of_each() < it.least {
        document.push(paragraph("So few seeds leave draws without a trial, and nobody can be surely ahead."));
    }
    document.push(paragraph(format!(
        "A stack is ahead of another where it has more stubborn trials done in at least {} of {} draws of the response \
         model's numbers. Ties count for nobody. Nothing else here is ranked.",
        it.least, it.draws
    )));
    document
}

/// Where another stack is better than `default`, and how often it is worse.
pub(super) fn default(report: &Report) -> Document {
    let Some(versus) = &report.versus else {
        return [paragraph(marked("`default` was not compared with another stack."))].into();
    };
    let mut better: Vec<&VersusCell> =
        versus.cells.iter().filter(|it| it.is_better() && it.difference.p.is_sure()).collect();
    better.sort_by(|one, other| one.p_corrected.0.total_cmp(&other.p_corrected.0));
    let (sure, unsure): (Vec<_>, Vec<_>) = better.into_iter().partition(|it| it.p_corrected.is_sure());
    let none = if can_be_sure(versus, report) {
        "Nobody is surely better anywhere, once the comparisons are corrected for."
    } else {
        "So few seeds cannot tell: once the comparisons are corrected for, none of them could be sure."
    };
    let mut document = Document::from([cells(&sure).or(none)]);
    if !unsure.is_empty() {
        let heading = format!("{} more that do not survive the correction", unsure.len());
        document.push(folded(heading, cells(&unsure)));
    }
    document.push(paragraph(marked(&format!(
        "In how many of {} another stack is better or worse than `default` with p below 5 % for the one comparison, \
         and in brackets how often surely:",
        counted(report.scenarios.len() as u64, "scenario"),
    ))));
    document.push(counts(versus));
    document.push(paragraph(
        Text::from("Intervals by the draws of the seeds as blocks. ")
            + emphasis("Surely")
            + format!(
                ": p below 5 % after correction for all {} comparisons (Holm). Of those where nothing differs one in \
                 twenty has p below 5 %.",
                grouped(versus.comparisons)
            ),
    ));
    document
}

/// One row for each stack: better and worse, in both measures.
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
        ("".into(), Left),
        ("it has".into(), Right),
        (code("default"), Right),
        ("trials".into(), Right),
        ("difference per 100 trials".into(), Right),
        ("p, corrected".into(), Right),
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
