//! The terminal writer, also for scripts that read the output of a command.
//!
//! Widths are those of characters on the screen: a wide character takes two columns. On a terminal, prose is wrapped.
//! If a table is too wide, its cells are wrapped between words; if that is not enough, its columns are split into
//! groups below each other, each with the first column. Commands are never split. Without a terminal nothing is
//! wrapped, so that scripts read the same text on every machine.

use anstyle::Style;
use textwrap::core::{Word, display_width};
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

use super::block::{Block, Document};
use super::table::{Side, Table};
use super::text::{Span, Text};
use super::visible::visible;

/// The place where a document is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Screen {
    /// Whether to use colours.
    pub colour: bool,
    /// The columns of the terminal; none if the output is not a terminal.
    pub columns: Option<usize>,
}

/// The blanks between two columns of a table.
const GAP: usize = 2;

/// Replaces the spaces of a command while lines are wrapped, so that it stays in one piece. No text has this character.
const UNBROKEN: &str = "\u{f8ff}";

const BOLD: Style = Style::new().bold();

/// The document, with a line break at the end.
#[must_use]
pub fn terminal(document: &Document, screen: Screen) -> String {
    document.blocks.iter().map(|it| block(it, screen)).collect::<Vec<_>>().join("\n")
}

impl Screen {
    /// The text in this style, if colours are used. What a terminal would obey in it is visible.
    #[must_use]
    pub fn paint(self, style: Style, text: &str) -> String {
        let text = visible(text);
        if self.colour && !text.is_empty() { format!("{style}{text}{style:#}") } else { text.into_owned() }
    }

    fn painted(self, text: &Text) -> String {
        let span = |span: &Span| match span {
            Span::Plain(words) => visible(words).into_owned(),
            Span::Code(words) => visible(words).replace(' ', UNBROKEN),
            Span::Emphasis(text) => self.painted(text),
            Span::Strong(text) => self.paint(BOLD, &text.plain()),
        };
        text.0.iter().map(span).collect()
    }

    /// The lines of the text, wrapped at the width of the screen.
    fn lines(self, text: &Text) -> String {
        let painted = self.painted(text);
        let lines = painted.split('\n').flat_map(|line| match self.columns {
            Some(columns) => broken(line, options(columns).break_words(false)),
            None => vec![line.to_owned()],
        });
        lines.map(|line| line.replace(UNBROKEN, " ") + "\n").collect()
    }
}

/// A line broken between words, and within words that are too wide for a line; at least one line.
#[must_use]
pub(crate) fn wrapped(line: &str, columns: usize) -> Vec<String> {
    // A line that fits is left alone: its indentation would count twice, once in the width of its words.
    if display_width(line) <= columns { vec![line.to_owned()] } else { broken(line, options(columns)) }
}

fn options(columns: usize) -> Options<'static> {
    Options::new(columns.max(1))
        .word_separator(WordSeparator::Custom(|line| Box::new(words(line))))
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
}

/// The words of a line. Chinese and Japanese have no spaces between words, so a line may end after any wide character,
/// but not inside a command.
fn words(line: &str) -> impl Iterator<Item = Word<'_>> {
    WordSeparator::AsciiSpace.find_words(line).flat_map(|word| {
        // Indentation is a word without letters.
        if word.word.is_empty() || word.word.contains(UNBROKEN) {
            return vec![word];
        }
        let is_wide = |c: char| display_width(c.encode_utf8(&mut [0; 4])) > 1;
        let mut pieces: Vec<Word<'_>> = word.word.split_inclusive(is_wide).map(Word::from).collect();
        if let Some(last) = pieces.last_mut() {
            last.whitespace = word.whitespace;
        }
        pieces
    })
}

fn broken<'l>(line: &'l str, options: Options<'l>) -> Vec<String> {
    let indent = &line[..line.len() - line.trim_start_matches(' ').len()];
    textwrap::wrap(line, options.subsequent_indent(indent)).into_iter().map(Into::into).collect()
}

fn block(block: &Block, screen: Screen) -> String {
    match block {
        Block::Heading { text, .. } => screen.lines(&Text(vec![Span::Strong(text.clone())])),
        Block::Paragraph(text) => screen.lines(text),
        Block::List(points) => {
            points.iter().map(|it| screen.lines(&(Text::from("- ") + it.clone()))).collect()
        }
        Block::Table(it) => table(it, screen),
        Block::Figure(it) => table(&it.table(), screen),
        Block::Code { text, .. } => visible(text).lines().map(|line| format!("    {line}\n")).collect(),
        Block::Folded { summary, inside } => {
            format!("{}\n{}", screen.lines(summary), terminal(inside, screen))
        }
    }
}

fn table(table: &Table, screen: Screen) -> String {
    let mut out = if table.title == Text::default() { String::new() } else { screen.lines(&table.title) };
    if !table.is_empty() {
        let grid = Grid::new(table, screen);
        let groups = grid.groups(screen.columns);
        out.push_str(&groups.iter().map(|group| grid.write(group)).collect::<Vec<_>>().join("\n"));
    }
    out.extend(table.notes.iter().map(|note| screen.lines(note)));
    out
}

/// The cells of a table as text; the first row is the heading, if there is one.
struct Grid {
    sides: Vec<Side>,
    rows: Vec<Vec<String>>,
}

/// A number that stays on one line with the interval in brackets behind it.
fn with_its_interval(cell: &str) -> String {
    let Some((number, rest)) = cell.split_once(" (") else { return cell.to_owned() };
    let Some((interval, rest)) = rest.split_once(')') else { return cell.to_owned() };
    format!("{number}{UNBROKEN}({}){rest}", interval.replace(' ', UNBROKEN))
}

/// Columns that fit beside each other: index and width.
type Group = Vec<(usize, usize)>;

impl Grid {
    fn new(table: &Table, screen: Screen) -> Self {
        let cell = |text: &Text| screen.painted(text).replace(UNBROKEN, " ");
        let names: Vec<String> = table.columns.iter().map(|(name, _)| cell(name)).collect();
        let heading = Some(names).filter(|names| names.iter().any(|it| !it.is_empty()));
        let rows = table.rows.iter().map(|row| {
            let cells = row.iter().zip(&table.columns).map(|(text, (_, side))| match side {
                Side::Left => cell(text),
                Side::Right => with_its_interval(&cell(text)),
            });
            cells.collect()
        });
        Self {
            sides: table.columns.iter().map(|(_, side)| *side).collect(),
            rows: heading.into_iter().chain(rows).collect(),
        }
    }

    /// The greatest width of a cell in each column, by this measure.
    fn widest(&self, width: impl Fn(&str) -> usize) -> Vec<usize> {
        (0..self.sides.len())
            .map(|at| self.rows.iter().map(|row| width(&row[at])).max().unwrap_or(0))
            .collect()
    }

    /// One group with columns as wide as their widest cells, if it fits; else with wrapped cells; else several groups.
    fn groups(&self, columns: Option<usize>) -> Vec<Group> {
        let mut widths = self.widest(display_width);
        let limit = columns.unwrap_or(usize::MAX);
        let all = |widths: &[usize]| widths.iter().sum::<usize>() + GAP * (widths.len() - 1);
        if all(&widths) <= limit {
            return vec![widths.into_iter().enumerate().collect()];
        }
        let words = self.widest(|cell| words(cell).map(|word| display_width(&word)).max().unwrap_or(0));
        while all(&widths) > limit {
            let spare = |at: &usize| widths[*at] > words[*at];
            let Some(widest) = (0..widths.len()).filter(spare).max_by_key(|at| widths[*at]) else { break };
            widths[widest] -= 1;
        }
        let mut groups: Vec<Group> = vec![vec![(0, widths[0])]];
        for (at, width) in widths.iter().copied().enumerate().skip(1) {
            let group = groups.last().expect("there is a first group");
            let taken: usize = group.iter().map(|(_, width)| width + GAP).sum();
            if group.len() > 1 && taken + width > limit {
                groups.push(vec![(0, widths[0])]);
            }
            groups.last_mut().expect("there is a first group").push((at, width));
        }
        groups
    }

    fn write(&self, group: &Group) -> String {
        let mut out = String::new();
        for row in &self.rows {
            let cells: Vec<Vec<String>> = group.iter().map(|&(at, width)| wrapped(&row[at], width)).collect();
            for line in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
                let cells = group.iter().zip(&cells).map(|(&(at, width), cell)| {
                    let text = cell.get(line).map_or_else(String::new, |it| it.replace(UNBROKEN, " "));
                    let blank = " ".repeat(width.saturating_sub(display_width(&text)));
                    match self.sides[at] {
                        Side::Left => format!("{text}{blank}"),
                        Side::Right => format!("{blank}{text}"),
                    }
                });
                let cells: Vec<String> = cells.collect();
                out.push_str(cells.join(&" ".repeat(GAP)).trim_end());
                out.push('\n');
            }
        }
        out
    }
}

#[cfg(test)]
mod tests;
