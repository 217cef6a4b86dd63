//! The Markdown writer. Tables and folded blocks are those of GitHub.
//!
//! Texts are content: what would be markup in one is escaped, and a code span has as many backticks as it needs.

use super::block::{Block, Document};
use super::table::{Side, Table};
use super::text::{Span, Text};
use super::visible::visible;

/// The document, with a line break at the end.
#[must_use]
pub fn markdown(document: &Document) -> String {
    document.blocks.iter().map(block).collect::<Vec<_>>().join("\n")
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading { level, text } => format!("{} {}\n", "#".repeat((*level).into()), line(text)),
        Block::Paragraph(text) => lines(text) + "\n",
        Block::List(points) => points.iter().map(|it| format!("- {}\n", line(it))).collect(),
        Block::Table(it) => table(it),
        Block::Figure(it) => table(&it.table()),
        Block::Code { language, text } => {
            let text = visible(text);
            let fence = "`".repeat(longest_run(&text, '`').max(2) + 1);
            format!("{fence}{language}\n{text}\n{fence}\n")
        }
        Block::Folded { summary, inside } => {
            let summary = on_one_line(&html(summary));
            format!("<details>\n<summary>{summary}</summary>\n\n{}\n</details>\n", markdown(inside))
        }
    }
}

fn table(table: &Table) -> String {
    let row = |cells: &mut dyn Iterator<Item = String>| {
        cells.map(|it| format!("| {it} ")).collect::<String>() + "|\n"
    };
    let mut parts: Vec<String> = Vec::new();
    let title = lines(&table.title);
    if !title.is_empty() {
        parts.push(title + "\n");
    }
    if !table.is_empty() {
        let rule = |side: &Side| match side {
            Side::Left => "---".to_owned(),
            Side::Right => "--:".to_owned(),
        };
        let names = row(&mut table.columns.iter().map(|(name, _)| cell(name)));
        let rules = row(&mut table.columns.iter().map(|(_, side)| rule(side)));
        let rows = table.rows.iter().map(|it| row(&mut it.iter().map(cell)));
        parts.push(names + &rules + &rows.collect::<String>());
    }
    parts.extend(table.notes.iter().map(|note| lines(note) + "\n"));
    parts.join("\n")
}

/// A text that may have several lines. A line that would begin a block is escaped, and an empty one is left out.
fn lines(text: &Text) -> String {
    let inline = inline(text);
    let kept = inline.lines().map(str::trim).filter(|line| !line.is_empty());
    kept.map(beginning_as_text).collect::<Vec<_>>().join("\n")
}

/// A text on one line.
fn line(text: &Text) -> String {
    beginning_as_text(&on_one_line(&inline(text)))
}

/// A cell of a table, where a bar ends the cell even inside of code.
fn cell(text: &Text) -> String {
    let mut cell = String::new();
    for c in on_one_line(&inline(text)).chars() {
        // Of the text, a bar is escaped already; in code it is not.
        if c == '|' && !cell.ends_with('\\') {
            cell.push('\\');
        }
        cell.push(c);
    }
    cell
}

fn on_one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The line, with its first character escaped if it would begin a heading, a list, a quote or a rule.
fn beginning_as_text(line: &str) -> String {
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let at = match line[digits..].chars().next() {
        Some('#' | '+' | '-' | '=' | '>' | '~' | ':') if digits == 0 => 0,
        Some('.' | ')') if digits > 0 => digits,
        _ => return line.to_owned(),
    };
    format!("{}\\{}", &line[..at], &line[at..])
}

fn inline(text: &Text) -> String {
    let last = text.0.len().saturating_sub(1);
    let span = |(at, span): (usize, &Span)| match span {
        Span::Plain(words) => escaped(&visible(words), at == last),
        Span::Emphasis(text) => format!("*{}*", inline(text)),
        Span::Strong(text) => format!("**{}**", inline(text)),
        Span::Code(words) => code(&visible(words), at == last),
    };
    text.0.iter().enumerate().map(span).collect()
}

/// Words in backticks, more of them than any run of backticks in the words.
fn code(words: &str, is_last: bool) -> String {
    let words = words.replace('\n', " ");
    // A bar behind a backslash cannot be in a code span of a table, and neither can a line that is blank.
    if words.contains("\\|") || words.trim().is_empty() {
        return escaped(&words, is_last);
    }
    let ticks = match longest_run(&words, '`') {
        0 => "`".to_owned(),
        longest => "`".repeat(longest + 1),
    };
    // One blank on each side is no part of the code.
    let is_apart = words.contains('`') || (words.starts_with(' ') && words.ends_with(' '));
    let blank = if is_apart { " " } else { "" };
    format!("{ticks}{blank}{words}{blank}{ticks}")
}

fn longest_run(text: &str, of: char) -> usize {
    text.split(|c| c != of).map(str::len).max().unwrap_or(0)
}

/// Words in which nothing is markup: neither emphasis, code, a link (or one in a wiki), an image or HTML, nor an
/// address that GitHub makes a link. What follows words that are not the last may make a link of a bracket.
fn escaped(words: &str, is_last: bool) -> String {
    let mut out = String::with_capacity(words.len());
    let mut before = None;
    let mut chars = words.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_markup = match c {
            '\\' | '`' | '*' | '|' | '~' | '$' => true,
            '[' => next.map_or(!is_last, |it| matches!(it, '[' | '^' | ' ' | 'x' | 'X')),
            ']' => next.map_or(!is_last, |it| matches!(it, '(' | '[' | ':')),
            '_' => !(is_word(before) && is_word(next)),
            '<' => next.is_some_and(|it| it.is_ascii_alphabetic() || matches!(it, '/' | '!' | '?')),
            '&' => next.is_some_and(|it| it.is_ascii_alphabetic() || it == '#'),
            ':' => words[at..].starts_with("://"),
            '.' => at >= 3 && words.as_bytes()[at - 3..at].eq_ignore_ascii_case(b"www"),
            '@' => is_word(before) && is_word(next),
            _ => false,
        };
        if is_markup {
            out.push('\\');
        }
        out.push(c);
        before = Some(c);
    }
    out
}

/// Text as HTML.
fn html(text: &Text) -> String {
    let escaped = |words: &str| {
        let words = visible(words).replace('&', "&amp;");
        words.replace('<', "&lt;").replace('>', "&gt;")
    };
    let span = |span: &Span| match span {
        Span::Plain(words) => escaped(words),
        Span::Emphasis(text) => format!("<em>{}</em>", html(text)),
        Span::Strong(text) => format!("<strong>{}</strong>", html(text)),
        Span::Code(words) => format!("<code>{}</code>", escaped(words)),
    };
    text.0.iter().map(span).collect()
}

#[cfg(test)]
mod tests {
    use super::super::block::{folded, paragraph};
    use super::super::text::{code, emphasis, strong};
    use super::*;

    #[test]
    fn a_document_is_one_of_github() {
        let mut table = Table::of_numbers(["stack", "of"]);
        table.row([code("a|b"), "1,234".into()]);
        let document = Document::from([
            Block::Heading { level: 2, text: "Stacks".into() },
            table.into(),
            paragraph(emphasis("Of") + ": trials."),
            Block::List(vec![strong("one"), code("two")]),
            folded(code("<x>") + " & y", Table { notes: vec!["all".into()], ..Table::default() }),
        ]);
        assert_eq!(
            markdown(&document),
            "## Stacks\n\n| stack | of |\n| --- | --: |\n| `a\\|b` | 1,234 |\n\n*Of*: trials.\n\n- **one**\n- `two`\n\n\
             <details>\n<summary><code>&lt;x&gt;</code> &amp; y</summary>\n\nall\n\n</details>\n"
        );
    }

    #[test]
    fn content_stays_content() {
        let of = |text: Text| markdown(&Document::from([paragraph(text)]));
        assert_eq!(of(code("a`b``c")), "``` a`b``c ```\n");
        assert_eq!(of("<img src=x> ![a](b) *c* snake_case 3 < 4 [5]".into()), {
            "\\<img src=x> ![a\\](b) \\*c\\* snake_case 3 < 4 [5]\n"
        });
        assert_eq!(of("<![CDATA[[a](b)|c]] [[d]]".into()), "\\<![CDATA\\[[a\\](b)\\|c]] \\[[d]]\n");
        assert_eq!(of(Text::from("[") + code("a") + "]" + "]"), "\\[`a`\\]]\n");
        assert_eq!(of("- a\n\n# b\n1. c\u{1b}".into()), "\\- a\n\\# b\n1\\. c␛\n");
        assert_eq!(of("https://a www.b".into()), "https\\://a www\\.b\n");
        assert_eq!(of("a WwW.b ww.é.wwé.www".into()), "a WwW\\.b ww.é.wwé.www\n");
    }

    /// A title of a record may be as long as a line of it: 16 MiB. Work in its square would take hours.
    #[test]
    fn a_long_text_costs_linear_work() {
        for of in [".", "[:", "_", "`"] {
            let text = of.repeat(1_000_000 / of.len());
            let mut table = Table::of_numbers([text.as_str()]);
            table.row([text.as_str()]);
            let written = markdown(&Document::from([
                Block::Heading { level: 1, text: text.as_str().into() },
                paragraph(code(&text)),
                table.into(),
            ]));
            assert!(written.len() >= 3_000_000, "{of}");
        }
    }
}
