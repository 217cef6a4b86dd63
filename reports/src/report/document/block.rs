//! The blocks of a document: headings, prose, lists, tables, figures and code.

use super::figure::Figure;
use super::table::Table;
use super::text::Text;

/// A block of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A heading.
    Heading {
        /// The level, from 1 for the title.
        level: u8,
        /// The text.
        text: Text,
    },
    /// Prose. Line breaks in it are kept.
    Paragraph(Text),
    /// A list of points.
    List(Vec<Text>),
    /// A table.
    Table(Table),
    /// A figure. A medium that cannot draw shows its table.
    Figure(Figure),
    /// Verbatim text, to read or to paste.
    Code {
        /// Its language, such as `console`.
        language: &'static str,
        /// The text, without a line break at the end.
        text: String,
    },
    /// A long part that few people read, folded below a summary if the medium can fold.
    Folded {
        /// The summary, in one line.
        summary: Text,
        /// The folded part.
        inside: Document,
    },
}

/// A document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// The blocks, from top to bottom.
    pub blocks: Vec<Block>,
}

/// A block of prose.
#[must_use]
pub fn paragraph(text: impl Into<Text>) -> Block {
    Block::Paragraph(text.into())
}

/// A block of prose with these lines.
#[must_use]
pub fn lines(lines: impl IntoIterator<Item = Text>) -> Block {
    let lines = lines.into_iter().enumerate();
    paragraph(lines.fold(Text::default(), |all, (at, line)| if at == 0 { line } else { all + "\n" + line }))
}

/// A folded block.
#[must_use]
pub fn folded(summary: impl Into<Text>, inside: impl Into<Document>) -> Block {
    Block::Folded { summary: summary.into(), inside: inside.into() }
}

impl Document {
    /// Appends a block.
    pub fn push(&mut self, block: impl Into<Block>) {
        self.blocks.push(block.into());
    }
}

impl Table {
    /// The table, or this sentence if it has no rows.
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

impl From<Figure> for Block {
    fn from(figure: Figure) -> Self {
        Self::Figure(figure)
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
