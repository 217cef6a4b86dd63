//! Documents: what people read, independent of the medium.
//!
//! A document is a list of [`Block`]s, and a writer turns it into text: [`markdown`] or [`terminal`]. A page for the
//! browser needs one more writer and nothing else.

mod block;
mod markdown;
mod table;
mod terminal;
mod text;

pub use block::{Block, Document, folded, lines, paragraph};
pub use markdown::markdown;
pub use table::{Side, Table};
pub use terminal::{Screen, terminal};
pub use text::{Span, Text, code, emphasis, joined, marked, strong};

pub(super) use terminal::wrapped;
