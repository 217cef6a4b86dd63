//! The pictures of a page: scatters over the suites, and forest plots against `default`.

#![expect(clippy::float_arithmetic, reason = "figures in percent and per thousand; no trial depends on them")]

use super::answer::{DISTURBED_MAX, LOST_OF};
use crate::report::document::figure::{Figure, Forest, ForestRow, Interval, Point, Role, Scatter, Unit};
use crate::report::document::{Document, Text, marked, paragraph};
use crate::report::sections::number::share;
use crate::report::sections::suites::heading;
use crate::report::tables::{Measure, Report, StackRow, StackTable, VersusSuite};
use crate::statistics::{Rate, Share};

/// A scatter for each suite in which runs got stuck and controls ran.
pub(super) fn scatters(report: &Report, role: &dyn Fn(&str) -> Role) -> Document {
    let mut document = Document::default();
    for suite in &report.suites {
        let figure = scatter(suite, role);
        if !figure.points.is_empty() {
            document.push(Figure::Scatter(figure));
        }
    }
    if !document.blocks.is_empty() {
        document.push(paragraph(marked(&format!(
            "Each mark is a stack. Further up, it brings more stuck runs back; further left, it leaves healthy runs \
             alone. The dashed line is the frontier: nothing under test is above it or left of it. `none` is no guard \
             at all; `oracle` and `ceiling` are told the truth, which no real guard can be. Thin lines are 95 % \
             intervals; they are wide where few scenarios are behind a figure. The axis is logarithmic beyond 1. The \
             stack to take is the one under test that is highest, of those that disturb at most {DISTURBED_MAX} of \
             1,000 healthy turns and lose at most one of {LOST_OF} healthy runs.",
        ))));
    }
    document
}

/// The scatter of one suite.
#[must_use]
pub fn scatter(suite: &StackTable, role: &dyn Fn(&str) -> Role) -> Scatter {
    let point = |row: &StackRow| {
        let (rate, recovered) = (&row.figures.false_on_controls, &row.figures.recovered);
        Some(Point {
            name: row.stack.clone(),
            role: role(&row.stack),
            across: per_thousand(rate)?,
            up: percent(recovered)?,
            shown: [rate.to_string(), share(recovered)],
        })
    };
    Scatter {
        title: heading(suite.suite).to_owned(),
        caption: Text::from(format!(
            "{} stubborn scenarios and {} controls.",
            suite.stubborn, suite.controls
        )),
        across: "false interventions per 1,000 healthy turns",
        up: "stuck runs that recover, %",
        points: suite.rows.iter().filter_map(point).collect(),
    }
}

fn per_thousand(it: &Rate) -> Option<Interval> {
    it.rate.map(|rate| Interval { value: 1_000.0 * rate, low: 1_000.0 * it.low, high: 1_000.0 * it.high })
}

fn percent(it: &Share) -> Option<Interval> {
    let value = || 100.0 * it.count as f64 / it.of as f64;
    (it.of > 0).then(|| Interval { value: value(), low: 100.0 * it.low, high: 100.0 * it.high })
}

/// Every stack minus `default`, over the scenarios of each suite.
pub(super) fn forests(report: &Report) -> Document {
    let Some(versus) = &report.versus else {
        return [paragraph(marked("This record compares `default` with no other stack."))].into();
    };
    let mut document = Document::default();
    for (measure, title, unit) in [
        (
            Measure::Done,
            "Stubborn runs that reach their goal, more or fewer than with default, per 100 trials",
            Unit::Points,
        ),
        (
            Measure::FalseInterventions,
            "False interventions, more or fewer than with default, per 100 healthy trials",
            Unit::Events,
        ),
    ] {
        let rows: Vec<ForestRow> =
            versus.suites.iter().filter(|it| it.measure == measure).filter_map(row).collect();
        if !rows.is_empty() {
            let caption = "A line is a 95 % interval. A filled mark is a difference that is significant after \
                           correction for all stacks, measures and suites.";
            document.push(Figure::Forest(Forest {
                title: title.to_owned(),
                caption: caption.into(),
                unit,
                rows,
            }));
        }
    }
    document
}

fn row(it: &VersusSuite) -> Option<ForestRow> {
    let value = it.difference.difference?;
    Some(ForestRow {
        of: [heading(it.suite).to_owned(), it.stack.clone()],
        difference: Interval {
            value: 100.0 * value,
            low: 100.0 * it.difference.low,
            high: 100.0 * it.difference.high,
        },
        shown: it.difference.to_string(),
        p: it.p_corrected.to_string(),
        is_sure: it.p_corrected.is_sure(),
    })
}
