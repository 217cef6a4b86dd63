//! Tables with typed columns, a title above and notes below.

use super::text::Text;

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// For words.
    Left,
    /// For numbers.
    Right,
}

/// A table. Without rows it shows only its title and its notes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The title; may be empty.
    pub title: Text,
    /// The name and the alignment of each column. If no column has a name, there is no heading.
    pub columns: Vec<(Text, Side)>,
    /// The rows, each with one cell per column.
    pub rows: Vec<Vec<Text>>,
    /// Notes below the table.
    pub notes: Vec<Text>,
}

impl Table {
    /// A table with these columns.
    #[must_use]
    pub fn new<T: Into<Text>>(columns: impl IntoIterator<Item = (T, Side)>) -> Self {
        let columns = columns.into_iter().map(|(name, side)| (name.into(), side)).collect();
        Self { columns, ..Self::default() }
    }

    /// A table with these columns: words in the first, numbers in the others.
    #[must_use]
    pub fn of_numbers<T: Into<Text>>(columns: impl IntoIterator<Item = T>) -> Self {
        let sides = std::iter::once(Side::Left).chain(std::iter::repeat(Side::Right));
        Self::new(columns.into_iter().zip(sides))
    }

    /// Appends a row.
    ///
    /// # Panics
    /// If the row does not have one cell per column.
    pub fn row<T: Into<Text>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let cells: Vec<Text> = cells.into_iter().map(Into::into).collect();
        assert_eq!(cells.len(), self.columns.len(), "a cell for each column");
        self.rows.push(cells);
    }

    /// Whether it has no rows.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
