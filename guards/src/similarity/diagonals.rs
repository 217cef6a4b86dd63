//! A few edits between two texts, found by following the diagonals of the edit matrix (Ukkonen 1985; Landau and
//! Vishkin 1989).
//!
//! For each number of edits, every diagonal is followed as far as the texts agree, from the furthest place that one
//! edit less reached on it or on a neighbour. The cost is the square of the edits, not of the lengths.

/// What a search for few edits found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// The distance is at most the number of edits allowed.
    Found,
    /// The distance is larger.
    Exceeded,
    /// Nothing is proven: the search took too long, or was unlikely to succeed.
    GivenUp,
}

/// Passes over the longer text before a search is given up: in repetitive texts every diagonal runs far.
const PASSES: usize = 8;
/// Edits that are always tried, plus an eighth of the allowed ones. After that, a search is given up if the text
/// would need more than twice the allowed edits, extrapolated from the finished part.
const TRIAL: usize = 4;

/// Searches for a series of at most `most` edits from `left` to `right`.
pub(super) fn search<C: Copy + Eq>(left: &[C], right: &[C], most: usize) -> Search {
    let (height, width) = (left.len() as isize, right.len() as isize);
    // A place is `(at, at + diagonal)`, offsets into both texts; both ends meet on the diagonal `goal`.
    let goal = width - height;
    if goal.unsigned_abs() > most {
        return Search::Exceeded;
    }
    // Diagonals up to `most` edits away on either side, and one more on each side that is never reached.
    let middle = most as isize + 1;
    let mut furthest = vec![-1; 2 * most + 3];
    let trial = (TRIAL + most / 8) as isize;
    let mut budget = PASSES * left.len().max(right.len());
    for edits in 0..=most as isize {
        let spare = most as isize - edits;
        // Diagonals further out can be reached, but the remaining edits are not enough to get back to the goal.
        let from = (-edits).max(goal - spare).max(-height);
        let to = edits.min(goal + spare).min(width);
        let mut best = 0;
        // What one edit less reached on the previous diagonal, which is already overwritten.
        let mut before = furthest[(middle + from - 1) as usize];
        for diagonal in from..=to {
            let place = (middle + diagonal) as usize;
            let (here, after) = (furthest[place], furthest[place + 1]);
            // A character inserted from the right text, replaced, or removed from the left one. If a text ends first,
            // the diagonal ends there, and the edit still reaches its end.
            let at = if edits == 0 { 0 } else { before.max(here + 1).max(after + 1) };
            let at = at.min(height).min(width - diagonal);
            let run = common_prefix(&left[at as usize..], &right[(at + diagonal) as usize..]);
            let at = at + run as isize;
            if diagonal == goal && at == height {
                return Search::Found;
            }
            let Some(less) = budget.checked_sub(run) else { return Search::GivenUp };
            budget = less;
            best = best.max(at);
            before = here;
            furthest[place] = at;
        }
        if edits >= trial && edits * height > 2 * most as isize * best {
            return Search::GivenUp;
        }
    }
    Search::Exceeded
}

const CHUNK: usize = 8;

/// The length of the common beginning.
pub(crate) fn common_prefix<C: Copy + Eq>(left: &[C], right: &[C]) -> usize {
    let (left_chunks, _) = left.as_chunks::<CHUNK>();
    let (right_chunks, _) = right.as_chunks::<CHUNK>();
    let equal =
        left_chunks.iter().zip(right_chunks).take_while(|(left, right)| left == right).count() * CHUNK;
    let rest = left[equal..].iter().zip(&right[equal..]);
    equal + rest.take_while(|(left, right)| left == right).count()
}

/// The length of the common end.
pub(crate) fn common_suffix<C: Copy + Eq>(left: &[C], right: &[C]) -> usize {
    let (_, left_chunks) = left.as_rchunks::<CHUNK>();
    let (_, right_chunks) = right.as_rchunks::<CHUNK>();
    let chunks = left_chunks.iter().rev().zip(right_chunks.iter().rev());
    let equal = chunks.take_while(|(left, right)| left == right).count() * CHUNK;
    let rest = left[..left.len() - equal].iter().rev().zip(right[..right.len() - equal].iter().rev());
    equal + rest.take_while(|(left, right)| left == right).count()
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// The distance, from the whole matrix.
    fn distance(left: &[u8], right: &[u8]) -> usize {
        let mut row: Vec<usize> = (0..=right.len()).collect();
        for (at, one) in left.iter().enumerate() {
            let mut diagonal = std::mem::replace(&mut row[0], at + 1);
            for (to, other) in right.iter().enumerate() {
                let replaced = diagonal + usize::from(one != other);
                diagonal = row[to + 1];
                row[to + 1] = replaced.min(diagonal + 1).min(row[to] + 1);
            }
        }
        row[right.len()]
    }

    #[track_caller]
    fn check(left: &[u8], right: &[u8], most: usize) {
        let expected = if distance(left, right) <= most { Search::Found } else { Search::Exceeded };
        let found = search(left, right, most);
        assert!(found == expected || found == Search::GivenUp, "{found:?}: {left:?} and {right:?} in {most}");
    }

    fn letters(most: usize) -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![vec(b'a'..=b'b', 0..=most), vec(b'a'..=b'f', 0..=most)]
    }

    #[test]
    fn finds_edits_that_are_there() {
        assert_eq!(search(b"", b"", 0), Search::Found);
        assert_eq!(search(b"", b"abc", 3), Search::Found);
        assert_eq!(search(b"kitten", b"sitting", 3), Search::Found);
        assert_eq!(search(b"kitten", b"sitting", 2), Search::Exceeded);
        assert_eq!(search(b"abc", b"", 2), Search::Exceeded);
        let text: Vec<u8> = (b'a'..=b'z').cycle().take(5_000).collect();
        let mut other = text.clone();
        for at in (50..5_000).step_by(250) {
            other[at] = b'#';
        }
        assert_eq!(search(&text, &other, 20), Search::Found);
        assert_eq!(search(&text, &other, 19), Search::Exceeded);
        assert_eq!(search(&text, &other[2..], 22), Search::Found);
    }

    #[test]
    fn gives_up_on_what_looks_hopeless() {
        let text: Vec<u8> = (b'a'..=b'z').cycle().take(5_000).collect();
        assert_eq!(search(&text, &[b'#'; 5_000], 100), Search::GivenUp);
    }

    proptest! {
        #[test]
        fn agrees_with_the_matrix(left in letters(40), right in letters(40), most in 0..40_usize) {
            check(&left, &right, most);
        }

        #[test]
        fn agrees_on_texts_alike(
            text in letters(200),
            edits in vec((any::<prop::sample::Index>(), 0..3_usize, letters(3)), 0..12),
            off in 0..3_usize,
        ) {
            let mut other = text.clone();
            for (at, taken, put) in edits {
                let from = at.index(other.len() + 1);
                other.splice(from..(from + taken).min(other.len()), put);
            }
            check(&text, &other, (distance(&text, &other) + off).saturating_sub(1));
        }

        #[test]
        fn common_ends_are_found(left in letters(40), right in letters(40), ends in letters(40)) {
            let same = |(left, right): &(&u8, &u8)| left == right;
            let front = [[&ends[..], &left].concat(), [&ends[..], &right].concat()];
            let expected = front[0].iter().zip(&front[1]).take_while(same).count();
            prop_assert_eq!(common_prefix(&front[0], &front[1]), expected);
            let back = [[&left[..], &ends].concat(), [&right[..], &ends].concat()];
            let expected = back[0].iter().rev().zip(back[1].iter().rev()).take_while(same).count();
            prop_assert_eq!(common_suffix(&back[0], &back[1]), expected);
        }
    }
}
