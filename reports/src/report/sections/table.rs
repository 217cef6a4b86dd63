//! Tables of GitHub, and words in them.

use crate::statistics::{Median, Share};

/// Which side a column stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

use Side::{Left, Right};

/// A table.
pub(super) struct Table {
    text: String,
    columns: usize,
    rows: usize,
}

impl Table {
    /// A table with these columns: the first holds words, the others numbers.
    pub(super) fn of_numbers(columns: &[&str]) -> Self {
        let sides = std::iter::once(Left).chain(std::iter::repeat(Right));
        Self::new(&columns.iter().copied().zip(sides).collect::<Vec<_>>())
    }

    /// A table with these columns.
    pub(super) fn new(columns: &[(&str, Side)]) -> Self {
        let mut table = Self { text: String::new(), columns: columns.len(), rows: 0 };
        table.line(columns.iter().map(|(name, _)| (*name).to_owned()));
        table.line(columns.iter().map(|(_, side)| {
            match side {
                Left => "---",
                Right => "--:",
            }
            .to_owned()
        }));
        table.rows = 0;
        table
    }

    /// One row more.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.line(cells.into_iter().map(|it| it.replace('|', "\\|")));
    }

    /// Whether it has no row.
    pub(super) const fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The table, or this sentence where it has no row.
    pub(super) fn or(self, sentence: &str) -> String {
        if self.is_empty() { format!("{sentence}\n") } else { self.text }
    }

    fn line(&mut self, cells: impl Iterator<Item = String>) {
        let before = self.text.len();
        for cell in cells {
            self.text.push_str(&format!("| {cell} "));
        }
        debug_assert!(self.text[before..].matches("| ").count() >= self.columns, "a cell for each column");
        self.text.push_str("|\n");
        self.rows += 1;
    }
}

/// A name as it is typed.
pub(super) fn code(name: &str) -> String {
    format!("`{name}`")
}

/// Names with commas between them; a dash for none.
pub(super) fn names<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.into_iter().map(code).collect();
    if names.is_empty() { "–".into() } else { names.join(", ") }
}

/// A count with commas between thousands.
pub(super) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share in percent with its bounds, and of how many; a dash where there was no trial.
pub(super) fn share(it: &Share) -> String {
    if it.of == 0 { it.percent() } else { format!("{} of {}", it.percent(), grouped(it.of)) }
}

/// A median with its bounds, and of how many; a dash for what is not known.
pub(super) fn median(it: &Median) -> String {
    if it.of == 0 { it.to_string() } else { format!("{it} of {}", grouped(it.of)) }
}

/// Something that may not be.
pub(super) fn or_dash<T: std::fmt::Display>(it: Option<T>) -> String {
    it.map_or_else(|| "–".into(), |it| it.to_string())
}

/// A count and what is counted, in the singular or with an `s`.
pub(super) fn counted(count: u64, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} {what}{s}", grouped(count))
}

/// Long text, folded away below a line.
pub(super) fn folded(line: &str, text: &str) -> String {
    format!("<details>\n<summary>{line}</summary>\n\n{text}\n</details>\n")
}

/// Text for a place where HTML is read.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_one_of_github() {
        let mut table = Table::of_numbers(&["stack", "of"]);
        assert!(table.is_empty());
        table.row([code("a|b"), grouped(1_234_567)]);
        assert_eq!(table.or("nothing"), "| stack | of |\n| --- | --: |\n| `a\\|b` | 1,234,567 |\n");
        assert_eq!(Table::of_numbers(&["stack"]).or("nothing"), "nothing\n");
    }

    #[test]
    fn figures_say_of_how_many() {
        assert_eq!(share(&Share::new(1_000, 1_000)), "100.0 (99.6–100.0) of 1,000");
        assert_eq!(share(&Share::new(0, 0)), "–");
        assert_eq!(median(&Median::new([(2, 4)].into_iter())), "2 (–) of 4");
        assert_eq!([counted(1, "trial"), counted(1_000, "trial")], ["1 trial", "1,000 trials"]);
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(
            [0, 999, 1_000, 65_536, 1_000_000].map(grouped),
            ["0", "999", "1,000", "65,536", "1,000,000"]
        );
    }
}
