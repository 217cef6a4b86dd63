//! Tables: typed columns, a title above and notes below.

use super::text::Text;

/// The side of a column at which its cells begin or end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table. Without rows there is only its title and its notes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What it shows; may be empty.
    pub title: Text,
    /// The name and the side of each column. Columns without a name have no heading.
    pub columns: Vec<(Text, Side)>,
    /// The rows, each with a cell for each column.
    pub rows: Vec<Vec<Text>>,
    /// Lines that belong to the table and follow it.
    pub notes: Vec<Text>,
}

impl Table {
    /// A table with these columns.
    #[must_use]
    pub fn new<T: Into<Text>>(columns: impl IntoIterator<Item = (T, Side)>) -> Self {
        let columns = columns.into_iter().map(|(name, side)| (name.into(), side)).collect();
        Self { columns, ..Self::default() }
    }

    /// A table with these columns: the first has words, the others have numbers.
    #[must_use]
    pub fn of_numbers<T: Into<Text>>(columns: impl IntoIterator<Item = T>) -> Self {
        let sides = std::iter::once(Side::Left).chain(std::iter::repeat(Side::Right));
        Self::new(columns.into_iter().zip(sides))
    }

    /// One row more.
    ///
    /// # Panics
    /// If it has not a cell for each column.
    pub fn row<T: Into<Text>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let cells: Vec<Text> = cells.into_iter().map(Into::into).collect();
        assert_eq!(cells.len(), self.columns.len(), "a cell for each column");
        self.rows.push(cells);
    }

    /// Whether it has no row.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
