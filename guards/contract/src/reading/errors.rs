//! The lines of a whole answer that begin like errors. A long log ends with how much failed, or that something did, and
//! what failed is in the middle of it.

use memchr::memchr_iter;

use super::line::{Line, may_be_error};
use super::said::{HEAD, TAIL, digest};

/// What the lines of a long answer say that begin like errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Errors<'t> {
    /// A digest of all of them, in any order: parallel steps end in any order. Zero if there are none.
    pub digest: u16,
    /// The first of them, which the others may follow from; its beginning, if it is longer than 32 KiB.
    pub first: Option<&'t str>,
}

impl<'t> Errors<'t> {
    /// Reads all of an answer; none of a short one, which a [`Reading`](super::Reading) has read whole.
    #[must_use]
    pub fn of(answer: &'t str) -> Self {
        FoundErrors::of(answer).in_answer(answer)
    }
}

/// The same without the text of its answer, to be kept beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FoundErrors {
    digest: u16,
    /// Where the first line begins, and its bytes.
    first: Option<(usize, usize)>,
}

impl FoundErrors {
    pub(crate) fn of(answer: &str) -> Self {
        let bytes = answer.as_bytes();
        let (mut sum, mut first, mut start) = (0_u64, None, 0);
        if bytes.len() <= HEAD + TAIL {
            return Self::default();
        }
        for end in memchr_iter(b'\n', bytes).chain([bytes.len()]) {
            let line = &bytes[start..end];
            // What is said behind a place in a file counts: an edit above it moves the place.
            if may_be_error(line)
                && let Line::Error(said) = Line::of(line)
            {
                sum = sum.wrapping_add(digest(said));
                first = first.or(Some((start, (end - start).min(LINE_BYTES))));
            }
            start = end + 1;
        }
        Self { digest: (sum ^ sum >> 16 ^ sum >> 32 ^ sum >> 48) as u16, first }
    }

    pub(crate) fn in_answer(self, answer: &str) -> Errors<'_> {
        // A cut character is left out.
        let line = |(start, length)| {
            let mut ends = (start..=start + length).rev();
            answer.get(start..ends.find(|&end| answer.is_char_boundary(end))?)
        };
        Errors { digest: self.digest, first: self.first.and_then(line).map(str::trim) }
    }

    /// All of it in one number, which is not zero; zero if the line begins too far behind.
    pub(crate) fn packed(self) -> u64 {
        let known = 1 | u64::from(self.digest) << 1;
        match self.first {
            None => known,
            Some((start, _)) if start >> START_BITS != 0 => 0,
            Some((start, length)) => {
                known | 1 << 17 | ((start as u64) << LINE_BITS | length as u64) << LINE_SHIFT
            }
        }
    }

    /// What [`packed`](Self::packed) made a number of; `None` for zero.
    pub(crate) fn unpacked(packed: u64) -> Option<Self> {
        let line = packed >> LINE_SHIFT;
        let place = ((line >> LINE_BITS) as usize, line as usize & LINE_BYTES);
        let first = (packed >> 17 & 1 == 1).then_some(place);
        (packed != 0).then_some(Self { digest: (packed >> 1) as u16, first })
    }
}

/// Bits for the length of a line and for where it begins, behind those for the digest and two flags.
const LINE_BITS: u32 = 15;
const LINE_BYTES: usize = (1 << LINE_BITS) - 1;
const LINE_SHIFT: u32 = 18;
const START_BITS: u32 = u64::BITS - LINE_SHIFT - LINE_BITS;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_what_was_found() {
        let long = format!("error: {}\nok\n", "é".repeat(LINE_BYTES));
        for answer in
            [&"all is well\n".repeat(99), &format!("{}error: x\nok", "step\n".repeat(99)), &long, ""]
        {
            let found = FoundErrors::of(answer);
            assert_eq!(FoundErrors::unpacked(found.packed()), Some(found));
            assert_eq!(found.in_answer(answer), Errors::of(answer));
        }
        assert!(Errors::of(&long).first.is_some_and(|it| it.len() > LINE_BYTES - 4));
        let far = FoundErrors { digest: 7, first: Some((1 << START_BITS, 9)) };
        assert_eq!(FoundErrors::unpacked(far.packed()), None);
    }
}
