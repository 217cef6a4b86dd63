//! The blocks of a page.

use super::cells::Cells;
use super::text::{inline, scrolled, table};
use super::{heat, trial};
use crate::report::document::block::{Block, Document};
use crate::report::document::figure::Figure;
use crate::report::document::markup::Markup;
use crate::report::document::svg;
use crate::report::document::table::Table;
use crate::report::document::text::Text;

/// The whole content of a page: its heading, a list of its parts, the parts, and the data of its cells.
pub(super) fn page(out: &mut Markup, document: &Document) {
    let mut writer = Writer::default();
    let begins_part = |it: &Block| matches!(it, Block::Heading { level: 2, .. });
    let first = document.blocks.iter().position(begins_part).unwrap_or(document.blocks.len());
    let (opening, rest) = document.blocks.split_at(first);
    let parts: Vec<&[Block]> = rest.chunk_by(|_, next| !begins_part(next)).collect();
    out.around("header", &[("class", "top")], |out| {
        if parts.len() > 1 {
            out.around("nav", &[("aria-label", "Parts of this page")], |out| {
                for (nth, part) in parts.iter().enumerate() {
                    out.around("a", &[("href", &format!("#part-{nth}"))], |out| heading_text(out, &part[0]));
                }
            });
        }
        out.element("button", &[("id", "theme"), ("type", "button"), ("hidden", "")], "Dark");
    });
    out.around("main", &[("id", "main")], |out| {
        out.around("div", &[("class", "opening")], |out| writer.blocks(out, opening));
        for (nth, part) in parts.iter().enumerate() {
            let id = format!("part-{nth}");
            out.around("section", &[("id", &id)], |out| writer.blocks(out, part));
        }
    });
    if !writer.cells.is_empty() {
        writer.cells.write(out);
    }
}

fn heading_text(out: &mut Markup, block: &Block) {
    if let Block::Heading { text, .. } = block {
        inline(out, text);
    }
}

/// Whether a figure is small enough to have others, and prose about them, beside it.
fn is_plot(block: &Block) -> bool {
    matches!(block, Block::Figure(Figure::Scatter(_) | Figure::Curve(_)))
}

fn is_prose(block: &Block) -> bool {
    matches!(block, Block::Paragraph(_))
}

#[derive(Default)]
struct Writer {
    cells: Cells,
    timelines: usize,
}

impl Writer {
    fn blocks(&mut self, out: &mut Markup, blocks: &[Block]) {
        for together in blocks.chunk_by(|one, next| is_plot(one) && (is_plot(next) || is_prose(next))) {
            let mut write = |out: &mut Markup| {
                for block in together {
                    self.block(out, block);
                    out.constant("\n");
                }
            };
            if together.len() > 1 { out.around("div", &[("class", "plots")], write) } else { write(out) }
        }
    }

    fn block(&mut self, out: &mut Markup, block: &Block) {
        match block {
            Block::Heading { level, text } => {
                let tag = match level {
                    1 => "h1",
                    2 => "h2",
                    3 => "h3",
                    _ => "h4",
                };
                out.around(tag, &[], |out| inline(out, text));
            }
            Block::Paragraph(text) => out.around("p", &[], |out| inline(out, text)),
            Block::List(points) => out.around("ul", &[], |out| {
                for point in points {
                    out.around("li", &[], |out| inline(out, point));
                }
            }),
            Block::Table(it) => table(out, it),
            Block::Code { text, .. } => {
                out.around("pre", &[("tabindex", "0")], |out| out.element("code", &[], text));
            }
            Block::Folded { summary, inside } => out.around("details", &[], |out| {
                out.around("summary", &[], |out| inline(out, summary));
                self.blocks(out, &inside.blocks);
            }),
            Block::Figure(it) => self.figure(out, it),
        }
    }

    fn figure(&mut self, out: &mut Markup, figure: &Figure) {
        match figure {
            Figure::Scatter(it) => picture(out, figure, &it.caption, |out| svg::scatter(out, it, None)),
            Figure::Curve(it) => {
                picture(out, figure, &Text::default(), |out| svg::curve(out, it, None));
            }
            Figure::Forest(it) => picture(out, figure, &it.caption, |out| svg::forest(out, it, None)),
            Figure::HeatMap(it) => {
                let nth = self.cells.add(it);
                heat::heat_map(out, it, nth);
            }
            Figure::Timeline(it) => {
                self.timelines += 1;
                trial::timeline(out, it, self.timelines);
                numbers(out, figure);
            }
        }
    }
}

/// A picture with its title, its caption and its numbers.
fn picture(out: &mut Markup, figure: &Figure, caption: &Text, draw: impl FnOnce(&mut Markup)) {
    out.around("figure", &[], |out| {
        out.around("figcaption", &[], |out| {
            out.element("strong", &[], figure.title());
            out.constant(" ");
            inline(out, caption);
        });
        scrolled(out, figure.title(), draw);
        numbers(out, figure);
    });
}

/// The numbers of a figure, folded.
fn numbers(out: &mut Markup, figure: &Figure) {
    out.around("details", &[("class", "numbers")], |out| {
        out.element("summary", &[], "The numbers as a table");
        table(out, &Table { title: Text::default(), ..figure.table() });
    });
}
