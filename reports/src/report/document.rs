//! Documents: what people read, independent of the medium.
//!
//! A document is a list of [`Block`]s, and a writer turns it into text: [`markdown`], [`terminal`] or [`html`]. A
//! [`Figure`](figure::Figure) is data as well: [`svg`] draws one by itself.

mod block;
pub mod figure;
mod html;
mod markdown;
mod markup;
mod svg;
mod table;
mod terminal;
mod text;
mod visible;

pub use block::{Block, Document, folded, lines, paragraph};
pub use html::html;
pub use markdown::markdown;
pub use svg::svg;
pub use table::{Side, Table};
pub use terminal::{Screen, terminal};
pub use text::{Span, Text, code, emphasis, joined, marked, strong};
pub use visible::{sign, visible};

pub(super) use terminal::wrapped;
