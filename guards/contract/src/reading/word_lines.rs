//! Which lines of an answer have a word that counts. An answer is read without its kind first, and mostly that is all:
//! the kind of a text matters only for lines that have such a word.

use memchr::memchr_iter;

/// The lines that have a word which counts, or a count.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WordLines {
    /// One bit each; the last one stands for all lines behind it.
    lines: u64,
    /// Lines that were read, and whether the current one has such a word.
    read: u32,
    pub(super) has_word: bool,
}

impl WordLines {
    /// The current line ends.
    pub(super) fn end_line(&mut self) {
        self.lines |= u64::from(self.has_word) << self.read.min(u64::BITS - 1);
        (self.read, self.has_word) = (self.read + 1, false);
    }

    /// Whether this holds for all of these lines in the parts that were read, each with its first byte in the answer.
    pub(super) fn are_in(self, parts: &[(&[u8], usize)], holds: impl Fn(&[u8], usize) -> bool) -> bool {
        let mut nth = 0;
        parts.iter().all(|&(part, from)| {
            let mut start = 0;
            memchr_iter(b'\n', part).chain([part.len()]).all(|end| {
                let (line, at) = (&part[start..end], from + start);
                let has_word = self.lines >> nth.min(u64::BITS - 1) & 1 == 1;
                (nth, start) = (nth + 1, end + 1);
                !has_word || holds(line, at)
            })
        })
    }
}
