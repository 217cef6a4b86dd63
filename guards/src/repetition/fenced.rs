//! Whether a growing text is inside a code fence.
//!
//! [`fence`](crate::fence) reads whole texts as CommonMark does. A stream has no end to look at, and here only patience
//! depends on the answer, so this is simpler: a fence opens on a line that begins with three ticks or tildes, whatever
//! marks of lists and quotes stand before them, and the next such line without anything else closes it.

use super::recent::Recent;
use crate::search;

/// Bytes before the marks of a fence: indentation, quotes, the mark of a list item.
const BEFORE: usize = 16;

/// Reads a text for fences.
#[derive(Clone, Debug, Default)]
pub(super) struct Fenced {
    open: Option<Open>,
    /// Where the search goes on.
    next: usize,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    mark: u8,
    marks: usize,
    /// Where its line begins, or some bytes later.
    at: usize,
}

impl Fenced {
    /// Whether everything since this place is in one fence.
    pub(super) fn since(&self, place: usize) -> bool {
        self.open.is_some_and(|open| open.at <= place)
    }

    /// Reads the text up to `end`; `is_all` if nothing follows.
    pub(super) fn read(&mut self, text: &Recent, end: usize, is_all: bool) {
        while let Some((at, marks)) = self.marks(text, end) {
            let after = at + marks;
            // What follows the marks says whether they close a fence.
            let follows = if after < end { text.span(after, after + 1)[0] } else { b'\n' };
            if after == end && !is_all {
                self.next = at;
                return;
            }
            let mark = text.span(at, at + 1)[0];
            let begins = begins_line(text, at);
            match self.open {
                Some(open) if begins && mark == open.mark && marks >= open.marks => {
                    if follows.is_ascii_whitespace() {
                        self.open = None;
                    }
                }
                None if begins => self.open = Some(Open { mark, marks, at }),
                Some(_) | None => {}
            }
            self.next = after;
        }
        // Marks may go on in the next piece.
        self.next = self.next.max((end + 1).saturating_sub(MARKS));
    }

    /// The next three marks or more, and how many they are.
    fn marks(&self, text: &Recent, end: usize) -> Option<(usize, usize)> {
        let rest = text.span(self.next.max(text.oldest()).min(end), end);
        let (found, marks) = search::marks(rest)?;
        Some((end - rest.len() + found, marks))
    }
}

/// Marks of the shortest fence.
const MARKS: usize = 3;

/// Whether only indentation and marks of blocks are before this place in its line.
fn begins_line(text: &Recent, at: usize) -> bool {
    let before = text.span(at.saturating_sub(BEFORE).max(text.oldest()), at);
    let line = before.iter().rposition(|byte| *byte == b'\n').map(|end| &before[end + 1..]);
    let is_first = before.len() == at;
    let line = line.or_else(|| is_first.then_some(before));
    line.is_some_and(|line| line.iter().all(|byte| b" \t>*-+.)".contains(byte) || byte.is_ascii_digit()))
}
