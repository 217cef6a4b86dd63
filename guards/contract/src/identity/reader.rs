//! Reads bytes to the right, and a word to the left.

use std::ops::RangeInclusive;

/// How much is read of a name before a number: all that a rule looks for is shorter.
pub(super) const NAME_BYTES: usize = 11;

/// The letters before `at`, with one to four separators between.
pub(super) fn word_before<'t>(
    bytes: &'t [u8],
    floor: usize,
    at: usize,
    separators: &[u8],
) -> Option<(usize, &'t [u8])> {
    let before = &bytes[floor.min(at)..at];
    let gap = before.iter().rev().take(4).take_while(|byte| separators.contains(byte)).count();
    let before = &before[..before.len() - gap];
    let letters = before.iter().rev().take(NAME_BYTES).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let end = at - gap;
    let start = end - letters;
    (end < at && start < end).then(|| (start, &bytes[start..end]))
}

/// Reads from left to right; a copy is a bookmark.
#[derive(Clone, Copy)]
pub(super) struct Reader<'t> {
    pub(super) bytes: &'t [u8],
    pub(super) at: usize,
}

impl<'t> Reader<'t> {
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn take(&mut self, any: &[u8]) -> Option<u8> {
        let byte = self.peek().filter(|byte| any.contains(byte))?;
        self.at += 1;
        Some(byte)
    }

    pub(super) fn digits(&mut self) -> usize {
        let digits = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += digits;
        digits
    }

    pub(super) fn letters(&mut self) -> &'t [u8] {
        let rest = &self.bytes[self.at..];
        let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        self.at += letters;
        &rest[..letters]
    }

    /// Takes all digits that follow if their number and value are in range; otherwise none. For at most nine digits.
    #[inline]
    pub(super) fn number(
        &mut self,
        digits: RangeInclusive<usize>,
        value: RangeInclusive<u32>,
    ) -> Option<u32> {
        let (mut number, mut count) = (0, 0);
        for digit in self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()) {
            count += 1;
            if count > *digits.end() {
                return None;
            }
            number = number * 10 + u32::from(digit - b'0');
        }
        let fits = digits.contains(&count) && value.contains(&number);
        self.at += if fits { count } else { 0 };
        fits.then_some(number)
    }

    /// True if nothing follows that would extend the part.
    pub(super) fn ends(&self) -> bool {
        !self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }
}
