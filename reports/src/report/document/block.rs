//! Headings, prose, lists, tables and code, one below the other.

use super::table::Table;
use super::text::Text;

/// A part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// A heading.
    Heading {
        /// From 1, the title of the whole.
        level: u8,
        /// Its words.
        text: Text,
    },
    /// Prose. A line break in it stays one.
    Paragraph(Text),
    /// Points, each in a line.
    List(Vec<Text>),
    /// A table.
    Table(Table),
    /// Text to be read or pasted as it is.
    Code {
        /// What it is written in, as `console`.
        language: &'static str,
        /// The text, without a line break at its end.
        text: String,
    },
    /// What is long and seldom read: folded away below a line, where the form can fold.
    Folded {
        /// The line.
        summary: Text,
        /// What is below it.
        inside: Document,
    },
}

/// What people read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// From the top to the bottom.
    pub blocks: Vec<Block>,
}

/// Prose.
#[must_use]
pub fn paragraph(text: impl Into<Text>) -> Block {
    Block::Paragraph(text.into())
}

/// Prose of these lines.
#[must_use]
pub fn lines(lines: impl IntoIterator<Item = Text>) -> Block {
    let lines = lines.into_iter().enumerate();
    paragraph(lines.fold(Text::default(), |all, (at, line)| if at == 0 { line } else { all + "\n" + line }))
}

/// What is long and seldom read.
#[must_use]
pub fn folded(summary: impl Into<Text>, inside: impl Into<Document>) -> Block {
    Block::Folded { summary: summary.into(), inside: inside.into() }
}

impl Document {
    /// One block more.
    pub fn push(&mut self, block: impl Into<Block>) {
        self.blocks.push(block.into());
    }
}

impl Table {
    /// The table, or this sentence where it has no row.
    #[must_use]
    pub fn or(self, sentence: impl Into<Text>) -> Block {
        if self.is_empty() { paragraph(sentence) } else { Block::Table(self) }
    }
}

impl From<Table> for Block {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}

impl From<Table> for Document {
    fn from(table: Table) -> Self {
        [Block::Table(table)].into()
    }
}

impl<const N: usize> From<[Block; N]> for Document {
    fn from(blocks: [Block; N]) -> Self {
        Self { blocks: blocks.into() }
    }
}
