//! A few edits between two texts, found by following the diagonals of the edit matrix (Ukkonen 1985; Landau
//! and Vishkin 1989).
//!
//! With each further edit, every diagonal is followed from the furthest place that one edit less reached on it
//! or beside it, as far as the texts agree. This costs the square of the edits and not of the lengths.

/// What a search for few edits found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// The distance is at most as many edits as were looked for.
    Found,
    /// The distance is larger.
    Exceeded,
    /// Nothing is proven: it took too long, or did not look as if it would succeed.
    GivenUp,
}

/// Passes over the longer text after which a search is given up: on texts that repeat themselves every
/// diagonal runs far.
const PASSES: usize = 8;
/// Edits from which on a search is given up where the text would need twice those that are left.
const TRIAL: usize = 4;

/// Looks for a series of at most `most` edits from `left` to `right`.
pub(super) fn search<C: Copy + Eq>(left: &[C], right: &[C], most: usize) -> Search {
    let (height, width) = (left.len() as isize, right.len() as isize);
    // A place is `(at, at + diagonal)`, offsets into both texts; both ends meet on the diagonal `goal`.
    let goal = width - height;
    if goal.unsigned_abs() > most {
        return Search::Exceeded;
    }
    // Diagonals that are `most` edits away at either side, and one more that stays out of reach.
    let middle = most as isize + 1;
    let mut furthest = vec![-1; 2 * most + 3];
    let mut budget = PASSES * left.len().max(right.len());
    for edits in 0..=most as isize {
        let spare = most as isize - edits;
        // Diagonals further out can be reached, but not left for the goal with the edits that are left.
        let from = (-edits).max(goal - spare).max(-height);
        let to = edits.min(goal + spare).min(width);
        let mut best = 0;
        // What one edit less reached on the diagonal before, which is overwritten by now.
        let mut before = furthest[(middle + from - 1) as usize];
        for diagonal in from..=to {
            let place = (middle + diagonal) as usize;
            let (here, after) = (furthest[place], furthest[place + 1]);
            // A character put in from the right text, replaced, or taken away from the left one. Where a text
            // ends first, the diagonal ends there, and the edit reaches its end just as well.
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
        // Edits so far, to what they should be for this part of the text.
        if edits >= TRIAL as isize && edits * height > 2 * most as isize * best {
            return Search::GivenUp;
        }
    }
    Search::Exceeded
}

const CHUNK: usize = 8;

/// How much is equal at the beginning.
pub(super) fn common_prefix<C: Copy + Eq>(left: &[C], right: &[C]) -> usize {
    let (left_chunks, _) = left.as_chunks::<CHUNK>();
    let (right_chunks, _) = right.as_chunks::<CHUNK>();
    let equal =
        left_chunks.iter().zip(right_chunks).take_while(|(left, right)| left == right).count() * CHUNK;
    let rest = left[equal..].iter().zip(&right[equal..]);
    equal + rest.take_while(|(left, right)| left == right).count()
}

/// How much is equal at the end.
pub(super) fn common_suffix<C: Copy + Eq>(left: &[C], right: &[C]) -> usize {
    let (_, left_chunks) = left.as_rchunks::<CHUNK>();
    let (_, right_chunks) = right.as_rchunks::<CHUNK>();
    let chunks = left_chunks.iter().rev().zip(right_chunks.iter().rev());
    let equal = chunks.take_while(|(left, right)| left == right).count() * CHUNK;
    let rest = left[..left.len() - equal].iter().rev().zip(right[..right.len() - equal].iter().rev());
    equal + rest.take_while(|(left, right)| left == right).count()
}
