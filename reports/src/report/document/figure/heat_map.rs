//! Heat maps: a cell for each row and column, and what is known of it.

use super::plots::Curve;
use super::role::Role;
use crate::report::document::table::{Side, Table};
use crate::report::document::text::{Text, code};

/// The number of shades.
pub const LEVELS: usize = 6;

/// Scenarios by stacks.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// What it is about.
    pub title: String,
    /// How to read it.
    pub caption: Text,
    /// Which colours it has.
    pub ramp: Ramp,
    /// What each shade means, from the lowest value on.
    pub levels: [&'static str; LEVELS],
    /// The stacks.
    pub columns: Vec<HeatColumn>,
    /// The scenarios.
    pub rows: Vec<HeatRow>,
}

/// The colours of a heat map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ramp {
    /// A high value is good.
    Good,
    /// A high value is bad.
    Bad,
}

/// A stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeatColumn {
    /// Its name.
    pub name: String,
    /// What it is in the comparison.
    pub role: Role,
    /// A description, in one line.
    pub about: String,
}

/// A scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatRow {
    /// Its name.
    pub name: String,
    /// The group that it belongs to, such as a suite; rows of a group follow each other.
    pub group: &'static str,
    /// A description, in one line.
    pub about: String,
    /// A cell for each column; none if nothing was measured.
    pub cells: Vec<Option<HeatCell>>,
}

/// A scenario under a stack.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatCell {
    /// The shade, below [`LEVELS`].
    pub level: usize,
    /// The value as people read it, in a few characters.
    pub shown: String,
    /// The value to sort by.
    pub order: u64,
    /// What is known of it.
    pub detail: Detail,
}

/// What is known of a cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detail {
    /// Figures with their intervals.
    pub facts: Vec<Fact>,
    /// How long things took, on the axes of the heat map's `frames`.
    pub histograms: Vec<Histogram>,
    /// Which rules intervened, each with how often.
    pub rules: Vec<Fact>,
    /// What should not have happened.
    pub failures: Vec<Failure>,
    /// The command that measures the cell again.
    pub command: String,
    /// A trial of it.
    pub trial: Option<Trial>,
}

/// A figure by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is.
    pub name: String,
    /// Its value, with its interval and its n.
    pub value: String,
}

/// Runs by a number of turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// What the turns lead to.
    pub name: &'static str,
    /// The runs that are the whole.
    pub of: u64,
    /// Turns, and the runs that took so many.
    pub steps: Vec<(u32, u64)>,
}

/// Something that should not have happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What happened, and how often.
    pub what: String,
    /// A trial that shows it.
    pub trial: Trial,
}

/// One trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The command that shows it.
    pub command: String,
    /// The page that shows it, if there is one.
    pub page: Option<String>,
}

impl HeatMap {
    /// The most turns that a curve of a cell shows.
    pub const TURNS: u32 = 40;

    /// The empty curves that [`Detail::histograms`] are drawn into.
    pub(in crate::report::document) fn frames(&self) -> Vec<Curve> {
        let mut names: Vec<&'static str> = Vec::new();
        let cells = self.rows.iter().flat_map(|row| row.cells.iter().flatten());
        for histogram in cells.flat_map(|cell| &cell.detail.histograms) {
            if !names.contains(&histogram.name) {
                names.push(histogram.name);
            }
        }
        let frame = |name: &str| Curve { title: name.to_owned(), turns: Self::TURNS, lines: Vec::new() };
        names.into_iter().map(frame).collect()
    }

    pub(super) fn table(&self) -> Table {
        let names = self.columns.iter().map(|it| (code(&it.name), Side::Right));
        let mut table = Table {
            title: self.title.as_str().into(),
            ..Table::new(std::iter::once(("scenario".into(), Side::Left)).chain(names))
        };
        for row in &self.rows {
            let shown = |it: &Option<HeatCell>| it.as_ref().map_or("–", |it| &it.shown).into();
            table.row(std::iter::once(code(&row.name)).chain(row.cells.iter().map(shown)));
        }
        table
    }
}
