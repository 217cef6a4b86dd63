//! How often each character occurs, and the distance that two texts must have for it.

/// How many characters of each of 256 kinds a text has: a kind is the lowest byte of a scalar value, which for
/// ASCII is the character itself.
///
/// One edit adds one character, takes one away, or does one of each. So the distance is at least what one
/// text has more than the other, summed over the kinds of which it has more. Characters that share a kind
/// can only make that smaller.
#[derive(Clone, Debug)]
pub(super) struct Histogram([i32; KINDS]);

const KINDS: usize = 256;
/// Counted side by side: a count that was just raised is not waited for when the next character is the same.
const LANES: usize = 4;

impl Histogram {
    /// A histogram of a longer text would not fit.
    pub(super) const LIMIT: usize = i32::MAX as usize;

    /// The histogram of a text of at most [`Self::LIMIT`] bytes.
    pub(super) fn of(text: &str) -> Self {
        let mut lanes = [[0; KINDS]; LANES];
        if text.is_ascii() {
            let (chunks, rest) = text.as_bytes().as_chunks::<LANES>();
            for chunk in chunks {
                for (lane, byte) in lanes.iter_mut().zip(chunk) {
                    lane[usize::from(*byte)] += 1;
                }
            }
            for byte in rest {
                lanes[0][usize::from(*byte)] += 1;
            }
        } else {
            for character in text.chars() {
                lanes[0][u32::from(character) as usize % KINDS] += 1;
            }
        }
        let [mut counts, others @ ..] = lanes;
        for other in others {
            for (count, other) in counts.iter_mut().zip(other) {
                *count += other;
            }
        }
        Self(counts)
    }

    /// A lower bound of the distance.
    pub(super) fn distance_at_least(&self, other: &Self) -> usize {
        let (mut more, mut fewer) = (0, 0);
        for (one, other) in self.0.iter().zip(&other.0) {
            let difference = one - other;
            more += difference.max(0);
            fewer -= difference.min(0);
        }
        more.max(fewer) as usize
    }
}
