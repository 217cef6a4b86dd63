//! Tools, and what they print.

use super::class::Class;
use super::hole::{Filled, Hole, Piece};

/// A tool, with what it prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name, as in `npm`.
    pub name: String,
    /// The version or the document that its messages follow.
    pub follows: String,
    /// Whether no reading is tuned on its messages.
    pub reserve: bool,
    /// At least one.
    pub messages: Vec<Message>,
}

/// What a tool prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it means.
    pub class: Class,
    /// The language of the message, two letters as in ISO 639. Most tools only speak `en`.
    pub language: String,
    /// The exit status of a command that prints it, where it has one.
    pub exit: Option<u8>,
    pub(super) pieces: Vec<Piece>,
}

impl Message {
    /// The text, with a drawn value in each hole. The same hole has the same value everywhere in a message. `below`
    /// draws a number below a bound.
    pub fn fill(&self, below: &mut impl FnMut(usize) -> usize) -> String {
        let mut filled = Filled::default();
        self.fill_by(|hole, number| filled.value(hole, number, below))
    }

    /// The text, with these values in its holes: `value` gets the kind of the hole and its number, which is 2 in
    /// `{path2}` and 1 in `{path}`.
    pub fn fill_by(&self, mut value: impl FnMut(Hole, usize) -> String) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(words) => text.push_str(words),
                Piece::Hole(hole, number) => text.push_str(&value(*hole, *number)),
            }
        }
        text
    }

    /// The text with one fixed value in each hole, for tables and tests.
    #[must_use]
    pub fn example(&self) -> String {
        self.fill(&mut |bound| bound / 3)
    }
}
