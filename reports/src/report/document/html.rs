//! The HTML writer: one page in one file, which asks for nothing else.
//!
//! Its style and its script are constants of this program, and a policy in the page allows these two and forbids all
//! other code, styles, pictures and requests. Foreign text gets into the page through `markup.rs` alone. Without the
//! script everything is there but sorting, filtering, the details of cells, and stepping through a trial.

mod blocks;
mod cells;
mod heat;
mod text;
mod trial;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::block::{Block, Document};
use super::markup::Markup;

const STYLE: &str = concat!(
    include_str!("svg/colours.css"),
    include_str!("svg/figures.css"),
    include_str!("html/page.css"),
    include_str!("html/trial.css")
);
const SCRIPT: &str = include_str!("html/page.js");

/// The document as a page.
#[must_use]
pub fn html(document: &Document) -> String {
    let title = title(document);
    let mut out = Markup::default();
    out.constant("<!DOCTYPE html>\n");
    out.around("html", &[("lang", "en")], |out| {
        out.around("head", &[], |out| head(out, &title));
        out.constant("\n");
        out.around("body", &[], |out| {
            out.element("a", &[("class", "skip"), ("href", "#main")], "Skip to the content");
            blocks::page(out, document);
            out.around("script", &[], |out| out.constant(SCRIPT));
        });
    });
    out.constant("\n");
    out.finish()
}

fn head(out: &mut Markup, title: &str) {
    out.open("meta", &[("charset", "utf-8")]);
    let hash = |code: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(code)));
    let policy = format!(
        "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    out.open("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &policy)]);
    out.open("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
    out.open("meta", &[("name", "color-scheme"), ("content", "light dark")]);
    out.element("title", &[], title);
    out.around("style", &[], |out| out.constant(STYLE));
}

/// The words of the first heading.
fn title(document: &Document) -> String {
    let heading = document.blocks.iter().find_map(|block| match block {
        Block::Heading { text, .. } => Some(text.plain()),
        Block::Paragraph(_)
        | Block::List(_)
        | Block::Table(_)
        | Block::Code { .. }
        | Block::Folded { .. }
        | Block::Figure(_) => None,
    });
    heading.unwrap_or_else(|| "Balk".to_owned())
}
