//! Figures of numbers: scatter, curve and forest plot.

use super::role::Role;
use crate::report::document::table::{Side, Table};
use crate::report::document::text::{Text, code};

/// A number with its bounds. A bound may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The number.
    pub value: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// Stacks by what they recover and how often they disturb: one point a stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// What it is about.
    pub title: String,
    /// How to read it.
    pub caption: Text,
    /// The name of the horizontal axis: events per 1,000 turns, on a scale that is linear near 0 and then logarithmic.
    pub across: &'static str,
    /// The name of the vertical axis: percent.
    pub up: &'static str,
    /// The points.
    pub points: Vec<Point>,
}

/// One stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its name.
    pub name: String,
    /// What it is in the comparison.
    pub role: Role,
    /// Events per 1,000 turns.
    pub across: Interval,
    /// From 0 to 100.
    pub up: Interval,
    /// Both as people read them.
    pub shown: [String; 2],
}

impl Scatter {
    /// The points that no other one beats: none of them is further up without being further right. Yardsticks are left
    /// out. From left to right.
    #[must_use]
    pub fn frontier(&self) -> Vec<&Point> {
        let mut all: Vec<&Point> = self.points.iter().filter(|it| it.role != Role::Yardstick).collect();
        all.sort_by(|one, other| {
            let across = one.across.value.total_cmp(&other.across.value);
            across.then(other.up.value.total_cmp(&one.up.value))
        });
        let mut highest = f64::NEG_INFINITY;
        all.retain(|it| {
            let is_higher = it.up.value > highest;
            highest = highest.max(it.up.value);
            is_higher
        });
        all
    }

    pub(super) fn table(&self) -> Table {
        let frontier = self.frontier();
        let mut table = Table {
            title: self.title.as_str().into(),
            ..Table::new([
                ("stack", Side::Left),
                (self.up, Side::Right),
                (self.across, Side::Right),
                ("on the frontier", Side::Left),
            ])
        };
        for point in &self.points {
            let [across, up] = point.shown.clone();
            let is_on = frontier.iter().any(|it| it.name == point.name);
            let is_on = if is_on { "yes" } else { "" };
            table.row([code(&point.name), up.into(), across.into(), is_on.into()]);
        }
        table
    }
}

/// Shares of runs by the number of turns that they took.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it is about.
    pub title: String,
    /// The number of turns at the right end.
    pub turns: u32,
    /// The lines.
    pub lines: Vec<Line>,
}

/// One line of a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it is about.
    pub name: String,
    /// The runs that are its whole.
    pub of: u64,
    /// Turns, and the runs that took exactly so many; in ascending order.
    pub steps: Vec<(u32, u64)>,
}

impl Curve {
    pub(super) fn table(&self) -> Table {
        let mut table = Table {
            title: self.title.as_str().into(),
            ..Table::new([
                ("", Side::Left),
                ("turns", Side::Right),
                ("runs", Side::Right),
                ("of", Side::Right),
            ])
        };
        for line in &self.lines {
            let mut sum = 0;
            for (turns, runs) in &line.steps {
                sum += runs;
                table.row([line.name.clone(), turns.to_string(), sum.to_string(), line.of.to_string()]);
            }
        }
        table
    }
}

/// What the numbers of a forest plot are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Percentage points; more is better.
    Points,
    /// Events that should not happen; fewer is better.
    Events,
}

impl Unit {
    /// What stands left and right of no difference.
    pub(in crate::report::document) const fn sides(self) -> [&'static str; 2] {
        match self {
            Self::Points => ["← worse", "better →"],
            Self::Events => ["← better", "worse →"],
        }
    }
}

/// Differences with their intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct Forest {
    /// What it is about.
    pub title: String,
    /// How to read it.
    pub caption: Text,
    /// The unit of the differences.
    pub unit: Unit,
    /// The differences, from top to bottom.
    pub rows: Vec<ForestRow>,
}

/// One difference.
#[derive(Clone, Debug, PartialEq)]
pub struct ForestRow {
    /// What is compared: in a group, and in it.
    pub of: [String; 2],
    /// The difference.
    pub difference: Interval,
    /// The difference as people read it.
    pub shown: String,
    /// Its p-value as people read it; empty if it has none.
    pub p: String,
    /// Whether it is a difference at all, after correction for all comparisons; of one without a p-value, whether its
    /// interval leaves out 0.
    pub is_sure: bool,
}

impl Forest {
    pub(super) fn table(&self) -> Table {
        let columns = ["", "", "difference (95 %)", "corrected p"];
        let sides = [Side::Left, Side::Left, Side::Right, Side::Right];
        let mut table =
            Table { title: self.title.as_str().into(), ..Table::new(columns.into_iter().zip(sides)) };
        for row in &self.rows {
            let [group, name] = &row.of;
            table.row([code(group), code(name), row.shown.as_str().into(), row.p.as_str().into()]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(name: &str, role: Role, across: f64, up: f64) -> Point {
        let interval = |value| Interval { value, low: value, high: value };
        let shown = [across.to_string(), up.to_string()];
        Point { name: name.into(), role, across: interval(across), up: interval(up), shown }
    }

    #[test]
    fn the_frontier_is_what_no_other_stack_beats() {
        let scatter = Scatter {
            title: String::new(),
            caption: Text::default(),
            across: "false",
            up: "recovered",
            points: vec![
                point("loud", Role::Peer, 300.0, 95.0),
                point("worse", Role::Peer, 5.0, 60.0),
                point("good", Role::Ours, 1.0, 90.0),
                point("same place, lower", Role::Peer, 1.0, 80.0),
                point("silent", Role::Peer, 0.0, 20.0),
                point("truth", Role::Yardstick, 0.0, 99.0),
            ],
        };
        let names: Vec<&str> = scatter.frontier().iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["silent", "good", "loud"]);
        let table = scatter.table();
        assert_eq!(table.rows[0].iter().map(Text::plain).collect::<Vec<_>>(), ["loud", "95", "300", "yes"]);
        assert_eq!(table.rows[5][3].plain(), "");
    }

    #[test]
    fn a_curve_adds_up() {
        let line = Line { name: "helped".into(), of: 9, steps: vec![(0, 2), (3, 4)] };
        let table = Curve { title: String::new(), turns: 8, lines: vec![line] }.table();
        let last: Vec<String> = table.rows[1].iter().map(Text::plain).collect();
        assert_eq!(last, ["helped", "3", "6", "9"]);
    }
}
