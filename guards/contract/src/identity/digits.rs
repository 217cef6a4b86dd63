//! Where the digits of a text are.

use crate::places::{BLOCK, mask_at};

/// The runs of digits of a text, from left to right.
pub(super) struct Digits<'t> {
    bytes: &'t [u8],
    /// The start of the current block, and which of its bytes are digits that are not yet done, the first one lowest.
    block: usize,
    mask: u64,
}

impl<'t> Digits<'t> {
    pub(super) fn new(bytes: &'t [u8]) -> Self {
        Self { bytes, block: 0, mask: mask_at(bytes, 0, &is_digit) }
    }

    /// The first run of digits that is not yet done, begins before `until` and does not pass: its start and its end.
    /// Those before it that pass are done.
    #[inline]
    pub(super) fn run_unless(
        &mut self,
        until: usize,
        passes: impl Fn(usize, usize) -> bool,
    ) -> Option<(usize, usize)> {
        loop {
            while self.mask == 0 {
                self.next_block()?;
            }
            let start = self.block + self.mask.trailing_zeros() as usize;
            if start >= until {
                return None;
            }
            // A carry through the lowest run of ones clears it, and is where it ends.
            let carried = self.mask.wrapping_add(self.mask & self.mask.wrapping_neg());
            let mut end = self.block + carried.trailing_zeros() as usize;
            if end == self.block + BLOCK {
                end += self.bytes[end..].iter().take_while(|it| it.is_ascii_digit()).count();
            }
            if !passes(start, end) {
                return Some((start, end));
            }
            self.mask &= carried;
            if end > self.block + BLOCK {
                self.skip_to(end);
            }
        }
    }

    /// Marks everything before `at` as done.
    #[inline]
    pub(super) fn skip_to(&mut self, at: usize) {
        while at >= self.block + BLOCK {
            if self.next_block().is_none() {
                return;
            }
        }
        self.mask &= u64::MAX << at.saturating_sub(self.block);
    }

    #[inline]
    fn next_block(&mut self) -> Option<()> {
        self.mask = 0;
        let next = self.block + BLOCK;
        if next < self.bytes.len() {
            (self.block, self.mask) = (next, mask_at(self.bytes, next, &is_digit));
            return Some(());
        }
        None
    }
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every run, one after the other, or from `skip` on.
    fn runs(text: &str, skip: usize) -> Vec<(usize, usize)> {
        let mut digits = Digits::new(text.as_bytes());
        digits.skip_to(skip);
        let mut found = Vec::new();
        while let Some(run) = digits.run_unless(usize::MAX, |_, _| false) {
            found.push(run);
            digits.skip_to(run.1);
        }
        found
    }

    #[test]
    fn runs_are_found_wherever_blocks_begin() {
        for start in (0..200).filter(|start| start % 7 == 0 || start % 64 < 2 || start % 64 > 60) {
            for len in [1, 2, 3, 63, 64, 65, 130] {
                let text = format!("{}{}é/:{}", "x".repeat(start), "7".repeat(len), "0");
                let last = text.len() - 1;
                assert_eq!(runs(&text, 0), [(start, start + len), (last, last + 1)], "{start}, {len}");
                assert_eq!(runs(&text, start + len), [(last, last + 1)], "{start}, {len}");
                assert_eq!(runs(&text, last + 1), []);
            }
        }
        assert_eq!(runs("", 0), []);
        assert_eq!(runs(&"/:".repeat(70), 0), []);
    }
}
