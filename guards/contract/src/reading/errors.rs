//! The lines of a whole answer that begin like errors. A long log ends with how much failed, or that something did, and
//! what failed is in the middle of it.

use memchr::memchr_iter;

use super::line::Line;
use super::{HEAD, TAIL, digest};

/// What the lines of a long answer say that begin like errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Errors<'t> {
    /// A digest of all of them, in any order: parallel steps end in any order. Zero if there are none.
    pub digest: u16,
    /// The first of them, which the others may follow from.
    pub first: Option<&'t str>,
}

impl<'t> Errors<'t> {
    /// Reads all of an answer; none of a short one, which a [`Reading`](super::Reading) has read whole.
    #[must_use]
    pub fn of(answer: &'t str) -> Self {
        let bytes = answer.as_bytes();
        let (mut sum, mut first, mut start) = (0_u64, None, 0);
        if bytes.len() <= HEAD + TAIL {
            return Self::default();
        }
        for end in memchr_iter(b'\n', bytes).chain([bytes.len()]) {
            // What is said behind a place in a file counts: an edit above it moves the place.
            if let Line::Error(said) = Line::of(&bytes[start..end]) {
                sum = sum.wrapping_add(digest(said));
                first = first.or_else(|| answer.get(start..end).map(str::trim));
            }
            start = end + 1;
        }
        Self { digest: (sum ^ sum >> 16 ^ sum >> 32 ^ sum >> 48) as u16, first }
    }
}
