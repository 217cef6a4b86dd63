//! Words and tables.

use crate::report::document::markup::Markup;
use crate::report::document::table::{Side, Table};
use crate::report::document::text::{Span, Text};

/// Content that may be wider than the screen. The keyboard can scroll it.
pub(super) fn scrolled(out: &mut Markup, label: &str, inside: impl FnOnce(&mut Markup)) {
    let attributes = [("class", "scroll"), ("role", "group"), ("tabindex", "0"), ("aria-label", label)];
    out.around("div", &attributes, inside);
}

/// A table, with its title above and its notes below.
pub(super) fn table(out: &mut Markup, table: &Table) {
    let title = table.title.plain();
    if !table.is_empty() {
        let label = if title.is_empty() { "Table" } else { &title };
        scrolled(out, label, |out| out.around("table", &[], |out| rows(out, table)));
    } else if !title.is_empty() {
        out.around("p", &[], |out| inline(out, &table.title));
    }
    for note in &table.notes {
        out.around("p", &[("class", "note")], |out| inline(out, note));
    }
}

fn rows(out: &mut Markup, table: &Table) {
    if table.title != Text::default() {
        out.around("caption", &[], |out| inline(out, &table.title));
    }
    let class = |side: Side| match side {
        Side::Left => "words",
        Side::Right => "number",
    };
    if table.columns.iter().any(|(name, _)| *name != Text::default()) {
        out.open("thead", &[]);
        out.around("tr", &[], |out| {
            for (name, side) in &table.columns {
                let (tag, attributes) = match name.plain().is_empty() {
                    true => ("td", &[("class", class(*side))][..]),
                    false => ("th", &[("class", class(*side)), ("scope", "col")][..]),
                };
                out.around(tag, attributes, |out| inline(out, name));
            }
        });
        out.close("thead");
    }
    out.around("tbody", &[], |out| {
        for row in &table.rows {
            out.around("tr", &[], |out| {
                for (nth, (cell, (_, side))) in row.iter().zip(&table.columns).enumerate() {
                    let (tag, attributes) = match nth {
                        0 => ("th", &[("class", class(*side)), ("scope", "row")][..]),
                        _ => ("td", &[("class", class(*side))][..]),
                    };
                    out.around(tag, attributes, |out| inline(out, cell));
                }
            });
            out.constant("\n");
        }
    });
}

/// Text with its spans. A line break in it is kept.
pub(super) fn inline(out: &mut Markup, text: &Text) {
    for span in &text.0 {
        match span {
            Span::Plain(words) => {
                for (nth, line) in words.split('\n').enumerate() {
                    if nth > 0 {
                        out.open("br", &[]);
                    }
                    out.text(line);
                }
            }
            Span::Emphasis(text) => out.around("em", &[], |out| inline(out, text)),
            Span::Strong(text) => out.around("strong", &[], |out| inline(out, text)),
            Span::Code(words) => out.element("code", &[], words),
        }
    }
}
