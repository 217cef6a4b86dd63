//! How often each character occurs in the beginnings of two texts, and the distance that follows from it.
//!
//! One edit adds one character, removes one, or does one of each. So the distance of two texts is at least the
//! surplus of one over the other, summed over the kinds of character of which it has more; counting different
//! characters as one kind can only reduce the sum.
//!
//! Beginnings prove the same, wherever they are cut: a shortest series of edits turns the beginning of the left text
//! into some beginning of the right text. If that is longer than the one examined, the right text has even more; if
//! it is shorter, the left one has. So the smaller of the two sums is a bound, and unrelated texts are recognised
//! before half of them is read.

/// The kind of a character is its last byte in UTF-8: for ASCII the character itself.
const KINDS: usize = 256;
/// Separate counters side by side: if the next character is the same, its count need not wait for the previous one.
const LANES: usize = 4;
/// The counts are compared after about this many bytes of both texts together.
const PIECE: usize = 4 << 10;
/// The maximum that can be counted at a time.
pub(super) const LIMIT: usize = i32::MAX as usize;

type Counts = [[i32; KINDS]; LANES];

/// A lower bound for the distance of two texts of at most [`LIMIT`] bytes. Reads on until the bound exceeds `most`,
/// or is unlikely to.
pub(super) fn distance_at_least(left: &str, right: &str, most: usize) -> usize {
    let parts = (left.len() + right.len()) / PIECE + 1;
    let part = |text: &'_ str, nth: usize| text.floor_char_boundary(text.len() * nth / parts);
    let (mut of_left, mut of_right) = ([[0; KINDS]; LANES], [[0; KINDS]; LANES]);
    for done in 1..=parts {
        count(&left[part(left, done - 1)..part(left, done)], &mut of_left);
        count(&right[part(right, done - 1)..part(right, done)], &mut of_right);
        let (more, fewer) = differences(&of_left, &of_right);
        if done == parts {
            return more.max(fewer);
        }
        let at_least = more.min(fewer);
        if at_least > most || at_least * parts < most * done {
            return at_least;
        }
    }
    0
}

/// Counts the characters, each at its last byte: where no further byte of it follows.
fn count(text: &str, counts: &mut Counts) {
    let Some((last, bytes)) = text.as_bytes().split_last() else { return };
    counts[0][usize::from(*last)] += 1;
    let (chunks, rest) = bytes.as_chunks::<LANES>();
    let (next_chunks, next_rest) = text.as_bytes()[1..].as_chunks::<LANES>();
    for (chunk, next) in chunks.iter().zip(next_chunks) {
        for ((lane, byte), next) in counts.iter_mut().zip(chunk).zip(next) {
            lane[usize::from(*byte)] += i32::from(is_first(*next));
        }
    }
    for (byte, next) in rest.iter().zip(next_rest) {
        counts[0][usize::from(*byte)] += i32::from(is_first(*next));
    }
}

/// By how much the left counts exceed the right ones, and by how much they fall short.
fn differences(left: &Counts, right: &Counts) -> (usize, usize) {
    let (mut more, mut fewer) = (0, 0);
    for kind in 0..KINDS {
        let sum = |counts: &Counts| counts.iter().map(|lane| lane[kind]).sum::<i32>();
        let difference = sum(left) - sum(right);
        more += difference.max(0);
        fewer -= difference.min(0);
    }
    (more as usize, fewer as usize)
}

/// Whether a byte is the first of a character.
pub(super) fn is_first(byte: u8) -> bool {
    !(0x80..0xc0).contains(&byte)
}
