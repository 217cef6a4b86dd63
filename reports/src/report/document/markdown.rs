//! The Markdown writer. Tables and folded blocks are those of GitHub.

use super::block::{Block, Document};
use super::table::{Side, Table};
use super::text::{Span, Text};

/// The document, with a line break at the end.
#[must_use]
pub fn markdown(document: &Document) -> String {
    document.blocks.iter().map(block).collect::<Vec<_>>().join("\n")
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading { level, text } => format!("{} {}\n", "#".repeat((*level).into()), inline(text)),
        Block::Paragraph(text) => inline(text) + "\n",
        Block::List(points) => points.iter().map(|it| format!("- {}\n", inline(it))).collect(),
        Block::Table(it) => table(it),
        Block::Figure(it) => table(&it.table()),
        Block::Code { language, text } => format!("```{language}\n{text}\n```\n"),
        Block::Folded { summary, inside } => {
            format!("<details>\n<summary>{}</summary>\n\n{}\n</details>\n", html(summary), markdown(inside))
        }
    }
}

fn table(table: &Table) -> String {
    let line = |cells: &mut dyn Iterator<Item = String>| {
        cells.map(|it| format!("| {} ", it.replace('|', "\\|"))).collect::<String>() + "|\n"
    };
    let mut parts: Vec<String> = Vec::new();
    let title = inline(&table.title);
    if !title.is_empty() {
        parts.push(title + "\n");
    }
    if !table.is_empty() {
        let rule = |side: &Side| match side {
            Side::Left => "---".to_owned(),
            Side::Right => "--:".to_owned(),
        };
        let names = line(&mut table.columns.iter().map(|(name, _)| inline(name)));
        let rules = line(&mut table.columns.iter().map(|(_, side)| rule(side)));
        let rows = table.rows.iter().map(|row| line(&mut row.iter().map(inline)));
        parts.push(names + &rules + &rows.collect::<String>());
    }
    parts.extend(table.notes.iter().map(|note| inline(note) + "\n"));
    parts.join("\n")
}

fn inline(text: &Text) -> String {
    let span = |span: &Span| match span {
        Span::Plain(words) => words.clone(),
        Span::Emphasis(text) => format!("*{}*", inline(text)),
        Span::Strong(text) => format!("**{}**", inline(text)),
        Span::Code(words) => format!("`{words}`"),
    };
    text.0.iter().map(span).collect()
}

/// Text as HTML.
fn html(text: &Text) -> String {
    let escaped = |words: &str| words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
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
}
