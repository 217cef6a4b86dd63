//! Figures: plain data that a writer draws. Every figure has its numbers as a table as well.

mod heat_map;
mod plots;
mod role;
mod timeline;

use super::table::Table;

pub use heat_map::{
    Detail, Fact, Failure, HeatCell, HeatColumn, HeatMap, HeatRow, Histogram, LEVELS, Ramp, Trial,
};
pub use plots::{Curve, Forest, ForestRow, Interval, Line, Point, Scatter, Unit};
pub use role::Role;
pub use timeline::{Lane, Mark, Marked, Said, State, Timeline, Turn, Voice};

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// Points with intervals in two directions.
    Scatter(Scatter),
    /// A table whose cells are coloured by their value, with more behind each of them.
    HeatMap(HeatMap),
    /// Shares that grow step by step.
    Curve(Curve),
    /// Differences with their intervals, one below the other.
    Forest(Forest),
    /// The turns of one or two runs.
    Timeline(Timeline),
}

impl Figure {
    /// The title.
    #[must_use]
    pub fn title(&self) -> &str {
        match self {
            Self::Scatter(it) => &it.title,
            Self::HeatMap(it) => &it.title,
            Self::Curve(it) => &it.title,
            Self::Forest(it) => &it.title,
            Self::Timeline(it) => &it.title,
        }
    }

    /// The numbers of the figure.
    #[must_use]
    pub fn table(&self) -> Table {
        match self {
            Self::Scatter(it) => it.table(),
            Self::HeatMap(it) => it.table(),
            Self::Curve(it) => it.table(),
            Self::Forest(it) => it.table(),
            Self::Timeline(it) => it.table(),
        }
    }
}
