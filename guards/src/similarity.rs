//! Whether two texts are nearly the same: normalised Levenshtein similarity over Unicode scalar values, decided
//! exactly (spec D5).
//!
//! The similarity is `1 − distance / longer length`, and *near* is strictly above a [`Ratio`]. That is equivalent to
//! a distance of at most some whole number, the cutoff, so nothing is ever rounded. Cheap proofs come first:
//!
//! | step | why it is a proof |
//! |---|---|
//! | remove the common beginning and end | some shortest series of edits leaves them alone |
//! | near, if the rest is no longer than the cutoff | replacing all of it costs its length |
//! | apart, if the lengths differ by more than the cutoff | one edit changes a length by at most one |
//! | apart, if one text has too many more characters of some kinds | one edit removes or adds one; see `histogram` |
//! | near, if few edits are enough | they were found, as edits of bytes; see `diagonals` |
//! | otherwise the distance itself | `rapidfuzz`, which stops at the cutoff |
//!
//! The search for edits works on bytes, which need no decoding. The distance in characters is never more than that in
//! bytes: a character that differs, or that one text lacks, differs in at least one byte. So few edits of bytes prove
//! that texts are near; many edits of bytes prove nothing, except in ASCII.
//!
//! The order, and when a step is skipped, follow from measured costs (`cargo bench --bench similarity`;
//! `docs/costs.md#near-duplicates`). Sketches (MinHash, SimHash) are even cheaper, but do not answer this question.
//!
//! Texts of more than [`LIMIT`] bytes are decided by the bounds and by few edits, or not at all: their distance takes
//! longer than a guard may.

use std::str::Chars;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rapidfuzz::HashableChar;
use rapidfuzz::distance::levenshtein;
use serde::{Deserialize, Serialize};

use diagonals::Search;
pub(crate) use diagonals::{common_prefix, common_suffix};
use histogram::is_first;

mod diagonals;
mod histogram;

/// Longer texts, in bytes, are not compared in full.
pub const LIMIT: usize = 64 << 10;
/// The maximum number of byte edits to search for if a text is longer than [`LIMIT`].
const EDITS_BEYOND: usize = 32;
/// Two texts with at most this many bytes in total are compared unchanged: removing the common ends costs more than
/// it saves, and `rapidfuzz` is fastest on whole texts with few edits.
const TINY: usize = 40;
/// If fewer bytes than this are left of both texts, the distance itself costs little more than the histogram and the
/// diagonals, which would not always avoid it.
const SHORT: usize = 3 << 10;
/// For the histogram, texts beyond ASCII are short up to this many times the usual size: it reads all their bytes,
/// while the distance works on fewer characters.
const BYTES: usize = 4;

/// How similar near texts are: strictly more than this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    num: u16,
    den: u16,
}

impl Ratio {
    /// `num / den`, or `None` if that is not a number from 0 to 1.
    #[must_use]
    pub const fn new(num: u16, den: u16) -> Option<Self> {
        if den == 0 || num > den { None } else { Some(Self { num, den }) }
    }

    /// The largest distance that is still near, if the longer text has `longer` characters; `None` if not even a
    /// distance of 0 is.
    ///
    /// `1 − distance / longer > num / den` is `distance × den < longer × (den − num)`.
    fn cutoff(self, longer: usize) -> Option<usize> {
        let room = longer as u64 * u64::from(self.den - self.num);
        Some((room.checked_sub(1)? / u64::from(self.den)) as usize)
    }

    /// Whether a distance is at most the cutoff.
    fn admits(self, distance: usize, longer: usize) -> bool {
        distance as u64 * u64::from(self.den) < longer as u64 * u64::from(self.den - self.num)
    }
}

/// The threshold of spec D5.
impl Default for Ratio {
    fn default() -> Self {
        Self { num: 9, den: 10 }
    }
}

/// What is known about two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nearness {
    /// Equal, or similar above the threshold.
    Near,
    /// Not similar above the threshold.
    Apart,
    /// Not decided: only bounds were asked for, or a text is longer than [`LIMIT`].
    Open,
}

/// A text with the number of its characters, computed at the first request and then kept.
///
/// Serialized as the text alone; equal if the texts are equal.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Profile<T> {
    text: T,
    /// 0 if not counted yet. Concurrent callers compute the same value, so no lock is needed.
    #[serde(skip)]
    chars: AtomicUsize,
}

impl<T: Clone> Clone for Profile<T> {
    fn clone(&self) -> Self {
        Self { text: self.text.clone(), chars: AtomicUsize::new(self.chars.load(Relaxed)) }
    }
}

impl<T: PartialEq> PartialEq for Profile<T> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl<T: Eq> Eq for Profile<T> {}

impl<T: AsRef<str>> Profile<T> {
    /// The profile of a text; computes nothing yet.
    #[must_use]
    pub const fn new(text: T) -> Self {
        Self { text, chars: AtomicUsize::new(0) }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.text.as_ref()
    }

    /// Whether the texts are near, if that is cheap to decide: for scanning many texts. Does not allocate.
    #[must_use]
    pub fn by_bounds<U: AsRef<str>>(&self, other: &Profile<U>, above: Ratio) -> Nearness {
        match self.narrow(other, above, 0) {
            Ok(_) => Nearness::Open,
            Err(known) => known,
        }
    }

    /// Whether the texts are near; open only if a text is longer than [`LIMIT`].
    #[must_use]
    pub fn nearness<U: AsRef<str>>(&self, other: &Profile<U>, above: Ratio) -> Nearness {
        if self.text().len() + other.text().len() <= TINY {
            return self.whole(other, above);
        }
        match self.narrow(other, above, SHORT) {
            Ok(pair) => pair.settle(),
            Err(known) => known,
        }
    }

    /// Decides by the distance of the whole texts.
    fn whole<U: AsRef<str>>(&self, other: &Profile<U>, above: Ratio) -> Nearness {
        let (left, right) = (Part::new(self.text(), self.chars()), Part::new(other.text(), other.chars()));
        if left.text == right.text {
            return Nearness::Near;
        }
        match above.cutoff(left.chars.max(right.chars)) {
            None => Nearness::Apart,
            Some(cutoff) if left.is_ascii() && right.is_ascii() => {
                compare(left.text.bytes(), right.text.bytes(), cutoff)
            }
            Some(cutoff) => compare(left.iter(), right.iter(), cutoff),
        }
    }

    /// Applies the bounds: returns what they prove, or what they leave. The histogram is used only if at least `long`
    /// bytes are left.
    fn narrow<'t, U: AsRef<str>>(
        &'t self,
        other: &'t Profile<U>,
        above: Ratio,
        long: usize,
    ) -> Result<Pair<'t>, Nearness> {
        let (text, another) = (self.text(), other.text());
        let (start, left, right) = without_common_ends(text, another);
        if left.is_empty() && right.is_empty() {
            return Err(Nearness::Near);
        }
        // A character has at most four bytes, so the texts have at least this many characters, without counting.
        let uncounted = text.len().max(another.len()).div_ceil(4);
        if above.admits(left.len().max(right.len()), uncounted) {
            return Err(Nearness::Near);
        }
        let (chars, others) = (self.chars(), other.chars());
        let cutoff = above.cutoff(chars.max(others)).ok_or(Nearness::Apart)?;
        if chars.abs_diff(others) > cutoff {
            return Err(Nearness::Apart);
        }
        let common = count(&text[..start]) + count(&text[start + left.len()..]);
        let (left, right) = (Part::new(left, chars - common), Part::new(right, others - common));
        if left.chars.max(right.chars) <= cutoff {
            return Err(Nearness::Near);
        }
        let ascii = left.is_ascii() && right.is_ascii();
        let in_limit = self.in_limit() && other.in_limit();
        let mut pair = Pair { left, right, cutoff, at_least: 1, ascii, in_limit };
        let long = if pair.ascii { long } else { BYTES * long };
        if pair.bytes() >= long && uncounted <= histogram::LIMIT / 4 {
            pair.at_least = histogram::distance_at_least(left.text, right.text, cutoff);
        }
        if pair.at_least > cutoff { Err(Nearness::Apart) } else { Ok(pair) }
    }

    fn in_limit(&self) -> bool {
        self.text().len() <= LIMIT
    }

    fn chars(&self) -> usize {
        let mut chars = self.chars.load(Relaxed);
        if chars == 0 {
            chars = count(self.text());
            self.chars.store(chars, Relaxed);
        }
        chars
    }
}

/// What the bounds leave of two texts.
struct Pair<'t> {
    left: Part<'t>,
    right: Part<'t>,
    /// A distance of at most this is near.
    cutoff: usize,
    /// The distance is at least this.
    at_least: usize,
    /// Whether everything left is ASCII.
    ascii: bool,
    /// Whether the distance may be computed, however much is left.
    in_limit: bool,
}

impl Pair<'_> {
    fn bytes(&self) -> usize {
        self.left.text.len() + self.right.text.len()
    }

    /// Searches for few edits first.
    fn settle(&self) -> Nearness {
        let (left, right) = (self.left.text.as_bytes(), self.right.text.as_bytes());
        let edits = self.affordable(left.len().max(right.len()));
        if self.at_least <= edits {
            match diagonals::search(left, right, edits) {
                Search::Found => return Nearness::Near,
                Search::Exceeded if self.ascii && edits == self.cutoff => return Nearness::Apart,
                Search::Exceeded | Search::GivenUp => {}
            }
        }
        match (self.in_limit, self.ascii) {
            (false, _) => Nearness::Open,
            (true, true) => compare(left.iter().copied(), right.iter().copied(), self.cutoff),
            (true, false) => compare(self.left.iter(), self.right.iter(), self.cutoff),
        }
    }

    /// How many byte edits to search for on diagonals. The cost of the search grows with the square of this, the cost
    /// of the distance with `longer × cutoff`; the divisor, measured, keeps the search at a tenth of the distance.
    fn affordable(&self, longer: usize) -> usize {
        let edits = match (self.in_limit, self.bytes() < SHORT) {
            (false, _) => EDITS_BEYOND,
            (true, true) => 0,
            (true, false) => (longer * self.cutoff / 1_000).isqrt(),
        };
        edits.min(self.cutoff)
    }
}

/// Decides by the distance itself, computed no further than the cutoff.
fn compare<I>(left: I, right: I, cutoff: usize) -> Nearness
where
    I: DoubleEndedIterator<Item: Copy + PartialEq + HashableChar> + Clone,
{
    match levenshtein::distance_with_args(left, right, &levenshtein::Args::default().score_cutoff(cutoff)) {
        Some(_) => Nearness::Near,
        None => Nearness::Apart,
    }
}

/// A part of a text, and how many characters it has.
#[derive(Clone, Copy)]
struct Part<'t> {
    text: &'t str,
    chars: usize,
}

impl<'t> Part<'t> {
    fn new(text: &'t str, chars: usize) -> Self {
        Self { text, chars }
    }

    fn is_ascii(self) -> bool {
        self.chars == self.text.len()
    }

    fn iter(self) -> Counted<'t> {
        Counted { chars: self.text.chars(), left: self.chars }
    }
}

/// An iterator over characters that knows their number, which `rapidfuzz` asks for first.
#[derive(Clone)]
struct Counted<'t> {
    chars: Chars<'t>,
    left: usize,
}

impl Iterator for Counted<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let next = self.chars.next()?;
        self.left -= 1;
        Some(next)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }

    fn count(self) -> usize {
        self.left
    }
}

impl DoubleEndedIterator for Counted<'_> {
    fn next_back(&mut self) -> Option<char> {
        let next = self.chars.next_back()?;
        self.left -= 1;
        Some(next)
    }
}

/// Where the texts begin to differ, and the rest of both without their common end.
fn without_common_ends<'t>(left: &'t str, right: &'t str) -> (usize, &'t str, &'t str) {
    // The texts are equal up to here, so a character starts in both or in neither.
    let start = left.floor_char_boundary(common_prefix(left.as_bytes(), right.as_bytes()));
    let (left, right) = (&left[start..], &right[start..]);
    let end = left.ceil_char_boundary(left.len() - common_suffix(left.as_bytes(), right.as_bytes()));
    let common = left.len() - end;
    (start, &left[..end], &right[..right.len() - common])
}

/// The number of characters. Takes a third of the time of `chars().count()`, because it adds up a chunk of bytes at a
/// time in single bytes.
fn count(text: &str) -> usize {
    let (chunks, rest) = text.as_bytes().as_chunks::<64>();
    chunks.iter().map(|chunk| firsts(chunk)).sum::<usize>() + firsts(rest)
}

/// How many characters begin in these bytes, of which there are at most 255.
fn firsts(bytes: &[u8]) -> usize {
    usize::from(bytes.iter().map(|byte| u8::from(is_first(*byte))).sum::<u8>())
}
