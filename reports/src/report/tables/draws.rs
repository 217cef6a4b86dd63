//! The trials of a bench by the draw of their seed, for comparisons over draws.

use crate::records::{Bench, ByDraw, DRAWS};
use crate::statistics::Block;

/// Two counts of the same trials, draw by draw.
pub(super) fn blocks(one: &[u64; DRAWS], other: &[u64; DRAWS], trials: &[u64; DRAWS]) -> Vec<Block> {
    let counts = one.iter().zip(other).zip(trials);
    counts.map(|((&one, &other), &trials)| Block { one, other, trials }).collect()
}

/// Adds counts draw by draw.
pub(super) fn add(sum: &mut [u64; DRAWS], more: &[u64; DRAWS]) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// The stubborn scenarios of a plan.
pub(super) fn stubborn(bench: &Bench) -> impl Iterator<Item = usize> + '_ {
    (0..bench.plan.scenarios.len()).filter(|&at| bench.plan.scenarios[at].is_stubborn())
}

/// A count by draw.
pub(super) type Counted = fn(&ByDraw) -> &[u64; DRAWS];
