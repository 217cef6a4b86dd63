//! Who is surely before whom, and where another stack is better than `default`.

use super::head::can_be_sure;
use super::table::Side::{Left, Right};
use super::table::{Table, code, counted, folded, grouped, names};
use crate::report::tables::{Measure, Report, Versus, VersusCell};

/// Which stack is surely before which.
pub(super) fn ranking(report: &Report) -> String {
    let it = &report.ranking;
    let mut table = Table::new(&[("stack", Left), ("surely ahead of", Left), ("surely behind", Left)]);
    for row in &it.rows {
        let listed = |it: &[String]| names(it.iter().map(|it| &**it));
        table.row([code(&row.stack), listed(&row.before), listed(&row.behind)]);
    }
    let few = if report.head.seeds_of_each() < it.least {
        "\nSo few seeds leave draws without a trial, and nobody can be surely ahead.\n"
    } else {
        ""
    };
    table.or("No stack.")
        + few
        + &format!(
            "\nA stack is ahead of another where it has more stubborn trials done in at least {} of {} draws \
             of the response model's numbers. Ties count for nobody. Nothing else here is ranked.\n",
            it.least, it.draws
        )
}

/// Where another stack is better than `default`, and how often it is worse.
pub(super) fn default(report: &Report) -> String {
    let Some(versus) = &report.versus else {
        return "`default` was not compared with another stack.\n".into();
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
    let mut text = cells(&sure).or(none);
    if !unsure.is_empty() {
        let heading = format!("{} more that do not survive the correction", unsure.len());
        text.push('\n');
        text.push_str(&folded(&heading, &cells(&unsure).or("")));
    }
    text.push_str(&format!(
        "\nIn how many of {} another stack is better or worse than `default` with p below 5 % for the one \
         comparison, and in brackets how often surely:\n\n{}",
        counted(report.scenarios.len() as u64, "scenario"),
        counts(versus).or("")
    ));
    text.push_str(&format!(
        "\nIntervals by the draws of the seeds as blocks. *Surely*: p below 5 % after correction for all {} \
         comparisons (Holm). Of those where nothing differs one in twenty has p below 5 %.\n",
        grouped(versus.comparisons)
    ));
    text
}

/// One row for each stack: better and worse, in both measures.
fn counts(versus: &Versus) -> Table {
    let mut table = Table::of_numbers(&["stack", "more done", "fewer done", "fewer false", "more false"]);
    let (done, disturbed): (Vec<_>, Vec<_>) = versus.counts.iter().partition(|it| match it.measure {
        Measure::Done => true,
        Measure::FalseInterventions => false,
    });
    for (done, disturbed) in done.into_iter().zip(disturbed) {
        let both = [done, disturbed].map(|it| {
            [(it.better, it.surely_better), (it.worse, it.surely_worse)]
                .map(|(all, sure)| format!("{all} ({sure})"))
        });
        table.row(std::iter::once(code(&done.stack)).chain(both.into_iter().flatten()));
    }
    table
}

fn cells(cells: &[&VersusCell]) -> Table {
    let mut table = Table::new(&[
        ("scenario", Left),
        ("stack", Left),
        ("", Left),
        ("it has", Right),
        ("`default`", Right),
        ("trials", Right),
        ("difference per 100 trials", Right),
        ("p, corrected", Right),
    ]);
    for it in cells {
        table.row([
            code(&it.scenario),
            code(&it.stack),
            it.measure.to_string(),
            grouped(it.other),
            grouped(it.default),
            grouped(it.trials),
            it.difference.to_string(),
            it.p_corrected.to_string(),
        ]);
    }
    table
}
