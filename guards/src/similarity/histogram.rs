//! How often each character occurs at the beginnings of two texts, and the distance that they must have for it.
//!
//! One edit adds one character, takes one away, or does one of each. So the distance of two texts is at least
//! what one has more than the other, summed over the kinds of character of which it has more; counting
//! different characters as one kind can only make that smaller.
//!
//! Beginnings prove as much, wherever they are cut: a shortest series of edits makes the one of the left text
//! into some beginning of the right text. Is that longer than the one looked at, the right text has still more;
//! is it shorter, the left one has. So the lesser of the two sums is a bound, and unrelated texts are known for
//! what they are before half of them is read.

/// The kind of a character is its last byte in UTF-8: for ASCII the character itself.
const KINDS: usize = 256;
/// Counted side by side: a count that was just raised is not waited for when the next character is the same.
const LANES: usize = 4;
/// After about so many bytes of both texts together, the counts are compared.
const PIECE: usize = 4 << 10;
/// What is counted at a time may not be more.
pub(super) const LIMIT: usize = i32::MAX as usize;

type Counts = [[i32; KINDS]; LANES];

/// A lower bound of the distance of two texts of at most [`LIMIT`] bytes, found by reading on until it is more
/// than `most`, or does not look as if it would be.
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

/// Counts the characters, each where its last byte is: where no further one of it follows.
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

/// What the left counts are more than the right ones, and what they are fewer.
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
