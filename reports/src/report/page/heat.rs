//! The heat maps of a page: stuck runs that come back, and healthy runs that are disturbed.

use super::beside::Beside;
use super::detail::{Place, detail};
use crate::records::{Bench, Kind, Suite};
use crate::report::document::figure::{Figure, HeatCell, HeatColumn, HeatMap, HeatRow, LEVELS, Ramp};
use crate::report::document::{Document, marked, paragraph};
use crate::report::tables::{Report, ScenarioTable};
use crate::statistics::{Rate, Share};

/// Both heat maps, as far as the record has rows for them.
pub(super) fn heat_maps(bench: &Bench, report: &Report, beside: Beside<'_>) -> Document {
    let stubborn = HeatMap {
        title: "Stuck runs that recover, %".to_owned(),
        caption: marked(
            "Of the runs that get stuck, how many reach their goal. Where the goal is out of reach: of the runs, how \
             many end with the user informed.",
        ),
        ramp: Ramp::Good,
        levels: ["below 10", "10 to 30", "30 to 50", "50 to 70", "70 to 90", "90 and more"],
        columns: columns(report, beside),
        rows: rows(bench, report, beside, Kind::Stubborn),
    };
    let controls = HeatMap {
        title: "False interventions per 1,000 turns of healthy runs".to_owned(),
        caption: marked("These runs never get stuck, so a guard should be silent."),
        ramp: Ramp::Bad,
        levels: ["none", "below 1", "1 to 10", "10 to 50", "50 to 200", "200 and more"],
        columns: columns(report, beside),
        rows: rows(bench, report, beside, Kind::Control),
    };
    let mut document = Document::from([paragraph(marked(
        "Choose a cell for its figures with their intervals, how fast help and recovery come, where and why it fails, \
         and the command that measures it again. Choose a stack to sort by it, twice for its worst scenarios first.",
    ))]);
    for map in [stubborn, controls].into_iter().filter(|it| !it.rows.is_empty()) {
        document.push(Figure::HeatMap(map));
    }
    document
}

fn columns(report: &Report, beside: Beside<'_>) -> Vec<HeatColumn> {
    let rows = report.suites.first().map_or(&[][..], |it| &it.rows);
    let column = rows.iter().map(|row| HeatColumn {
        name: row.stack.clone(),
        role: (beside.role)(&row.stack),
        about: row.about.clone(),
    });
    column.collect()
}

/// A row for each scenario of this kind; those of a group follow each other.
fn rows(bench: &Bench, report: &Report, beside: Beside<'_>, kind: Kind) -> Vec<HeatRow> {
    let tables = report.scenarios.iter().enumerate().filter(|(_, it)| it.kind == kind);
    let row = |(at, table): (usize, &ScenarioTable)| {
        let cells = table.rows.iter().enumerate().map(|(stack, row)| {
            let place = Place { bench, beside, scenario: at, stack };
            let (level, shown, order) = match (kind, &table.unreachable) {
                (Kind::Stubborn, None) => share(&row.figures.recovered)?,
                (Kind::Stubborn, Some(_)) => share(&row.figures.told)?,
                (Kind::Control, _) => rate(&row.figures.false_on_controls)?,
            };
            Some(HeatCell { level, shown, order, detail: detail(&place, table, row) })
        });
        let cells = cells.collect();
        let group = group(table);
        HeatRow { name: table.scenario.clone(), group, about: table.title.clone(), cells }
    };
    let mut rows: Vec<HeatRow> = tables.map(row).collect();
    rows.sort_by_key(|it| GROUPS.iter().position(|group| *group == it.group));
    rows
}

const GROUPS: [&str; 5] =
    ["Written scenarios", "Field scenarios", "Drawn worlds", "Files", "Goal out of reach: user told"];

const fn group(table: &ScenarioTable) -> &'static str {
    match (table.unreachable.is_some(), table.suite) {
        (true, _) => GROUPS[4],
        (false, Suite::Written) => GROUPS[0],
        (false, Suite::Field) => GROUPS[1],
        (false, Suite::Drawn) => GROUPS[2],
        (false, Suite::File) => GROUPS[3],
    }
}

/// The shade, the words and the order of a share; none without runs.
fn share(it: &Share) -> Option<(usize, String, u64)> {
    if it.of == 0 {
        return None;
    }
    let tenths = u64::try_from(u128::from(it.count) * 1_000 / u128::from(it.of)).unwrap_or(1_000);
    let level = [100, 300, 500, 700, 900].iter().filter(|least| tenths >= **least).count();
    Some((level.min(LEVELS - 1), ((tenths + 5) / 10).to_string(), tenths))
}

/// The same of a rate; none without turns.
fn rate(it: &Rate) -> Option<(usize, String, u64)> {
    if it.turns == 0 {
        return None;
    }
    let hundredths = u128::from(it.events) * 100_000 / u128::from(it.turns);
    let hundredths = u64::try_from(hundredths).unwrap_or(u64::MAX);
    let level = match (it.events, hundredths) {
        (0, _) => 0,
        (_, 0..100) => 1,
        (_, 100..1_000) => 2,
        (_, 1_000..5_000) => 3,
        (_, 5_000..20_000) => 4,
        (_, 20_000..) => 5,
    };
    let shown = match (it.events, hundredths) {
        (0, _) => "0".to_owned(),
        (_, 0) => "<.01".to_owned(),
        (_, 1..100) => format!(".{hundredths:02}"),
        (_, 100..1_000) => format!("{}.{}", hundredths / 100, hundredths % 100 / 10),
        (_, 1_000..) => (hundredths / 100).to_string(),
    };
    Some((level, shown, hundredths))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::RateSums;

    #[test]
    fn shares_are_rounded_and_shaded() {
        let of = |count, of| share(&Share::new(count, of)).map(|(level, shown, _)| (level, shown));
        assert_eq!(of(0, 0), None);
        assert_eq!(of(0, 9), Some((0, "0".into())));
        assert_eq!(of(899, 1_000), Some((4, "90".into())));
        assert_eq!(of(9, 9), Some((5, "100".into())));
    }

    #[test]
    fn rates_have_few_characters() {
        let of = |events: u32, turns: u32| {
            let mut sums = RateSums::default();
            if turns > 0 {
                sums.add(events, turns);
            }
            rate(&Rate::new(&sums)).map(|(level, shown, _)| (level, shown))
        };
        assert_eq!(of(0, 0), None);
        assert_eq!(of(0, 5), Some((0, "0".into())));
        assert_eq!(of(1, 1_000_000), Some((1, "<.01".into())));
        assert_eq!(of(4, 100_000), Some((1, ".04".into())));
        assert_eq!(of(37, 5_000), Some((2, "7.4".into())));
        assert_eq!(of(304, 1_000), Some((5, "304".into())));
    }
}
