//! The last lines of a stream that may be endless.

use std::collections::VecDeque;
use std::mem;

use crate::import::one_line;

/// How many lines are kept.
const LINES: usize = 10;

/// How many characters of each.
const CHARS: usize = 200;

/// The last lines that were written.
#[derive(Debug, Default)]
pub(super) struct LastLines {
    whole: VecDeque<String>,
    /// The beginning of the last one.
    open: Vec<u8>,
}

impl LastLines {
    /// Takes more of the stream.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let mut pieces = bytes.split(|&byte| byte == b'\n');
        let last = pieces.next_back().unwrap_or_default();
        for piece in pieces {
            self.extend(piece);
            self.close();
        }
        self.extend(last);
    }

    /// Takes the lines out.
    pub(super) fn taken(&mut self) -> Vec<String> {
        self.close();
        mem::take(&mut self.whole).into()
    }

    fn extend(&mut self, piece: &[u8]) {
        // A character has at most four bytes, and one more of them shows that the line goes on.
        let room = (4 * (CHARS + 1)).saturating_sub(self.open.len());
        self.open.extend_from_slice(&piece[..piece.len().min(room)]);
    }

    fn close(&mut self) {
        let line = one_line(&String::from_utf8_lossy(&mem::take(&mut self.open)), CHARS);
        if line.is_empty() {
            return;
        }
        if self.whole.len() == LINES {
            self.whole.pop_front();
        }
        self.whole.push_back(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ten_lines_are_kept_and_the_beginning_of_each() {
        let mut last = LastLines::default();
        for piece in ["a", "b\n\n", "\u{1b}[31mred\r\nhalf", " a line"] {
            last.push(piece.as_bytes());
        }
        assert_eq!(last.taken(), ["ab", "?[31mred", "half a line"]);
        for nth in 0..100_000 {
            last.push(format!("{nth}\n").as_bytes());
        }
        let expected: Vec<String> = (99_990..100_000).map(|nth| nth.to_string()).collect();
        assert_eq!(last.taken(), expected);
        for _ in 0..1_000 {
            last.push("é".repeat(1_000).as_bytes());
        }
        assert!(last.open.len() <= 4 * (CHARS + 1), "{}", last.open.len());
        assert_eq!(last.taken(), ["é".repeat(200) + "…"]);
    }
}
