//! ChaCha8, one block at a time. A draw needs only a word or two, and libraries always make four blocks.
//!
//! The layout is Bernstein's (<https://cr.yp.to/chacha.html>): a key of 256 bits, a block counter of 64 bits, a
//! stream of 64 bits. A test compares the words with those of `rand_chacha`.

/// Words of 32 bits in a block.
pub(super) const WORDS: usize = 16;

/// Four words that are computed together.
type Row = [u32; 4];

/// "expand 32-byte k".
const CONSTANT: Row = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// The key, as two rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key([Row; 2]);

impl Key {
    pub(super) fn new(bytes: [u8; 32]) -> Self {
        let (words, _) = bytes.as_chunks::<4>();
        let word = |at: usize| u32::from_le_bytes(words[at]);
        Self([0, 4].map(|row| [word(row), word(row + 1), word(row + 2), word(row + 3)]))
    }

    /// The block of this number of this stream.
    pub(super) fn block(&self, stream: u64, number: u64) -> [u32; WORDS] {
        let halves = |word: u64| [word as u32, (word >> 32) as u32];
        let ([low, high], [first, second]) = (halves(number), halves(stream));
        let start = [CONSTANT, self.0[0], self.0[1], [low, high, first, second]];
        let mut rows = start;
        for _ in 0..DOUBLE_ROUNDS {
            rows = quarter_rounds(rows);
            let [a, b, c, d] = rows;
            // The diagonals become columns, and columns again become diagonals.
            rows = quarter_rounds([a, turn::<1>(b), turn::<2>(c), turn::<3>(d)]);
            let [a, b, c, d] = rows;
            rows = [a, turn::<3>(b), turn::<2>(c), turn::<1>(d)];
        }
        let mut block = [0; WORDS];
        for (out, (row, start)) in block.as_chunks_mut::<4>().0.iter_mut().zip(rows.into_iter().zip(start)) {
            *out = add(row, start);
        }
        block
    }
}

/// Eight rounds.
const DOUBLE_ROUNDS: u32 = 4;

/// A quarter round on each of the four columns.
fn quarter_rounds([a, b, c, d]: [Row; 4]) -> [Row; 4] {
    let a = add(a, b);
    let d = mix::<16>(d, a);
    let c = add(c, d);
    let b = mix::<12>(b, c);
    let a = add(a, b);
    let d = mix::<8>(d, a);
    let c = add(c, d);
    let b = mix::<7>(b, c);
    [a, b, c, d]
}

/// The row, rotated to the left by this many places.
fn turn<const BY: usize>(row: Row) -> Row {
    std::array::from_fn(|at| row[(at + BY) % 4])
}

fn add(a: Row, b: Row) -> Row {
    std::array::from_fn(|at| a[at].wrapping_add(b[at]))
}

fn mix<const BITS: u32>(a: Row, b: Row) -> Row {
    std::array::from_fn(|at| (a[at] ^ b[at]).rotate_left(BITS))
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_core::{Rng, SeedableRng};

    use super::*;

    #[test]
    fn the_words_are_those_of_the_library() {
        let bytes: [u8; 32] = std::array::from_fn(|at| (at * 37 + 5) as u8);
        let key = Key::new(bytes);
        for stream in [0, 1, 0x0123_4567_89ab_cdef, u64::MAX] {
            for number in [0, 1, 255, 256, u64::from(u32::MAX), 1 << 40] {
                let mut library = ChaCha8Rng::from_seed(bytes);
                library.set_stream(stream);
                library.set_word_pos(u128::from(number) * WORDS as u128);
                let expected: [u32; WORDS] = std::array::from_fn(|_| library.next_u32());
                assert_eq!(key.block(stream, number), expected, "stream {stream}, block {number}");
            }
        }
    }
}
