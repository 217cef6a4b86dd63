//! The trials of a bench by the draw of their seed: what is compared over draws.

use crate::bench::{Bench, ByDraw, DRAWS, Seeds};
use crate::stats::Block;

/// How many seeds of a set have each draw.
pub(super) fn trials(seeds: &Seeds) -> [u64; DRAWS] {
    let all = DRAWS as u64;
    let mut trials = [0; DRAWS];
    for [from, to] in seeds.ranges() {
        for (draw, trials) in (0..).zip(&mut trials) {
            // Seeds below a number with this draw.
            let below = |number: u64| number / all + u64::from(number % all > draw);
            *trials += below(to + 1) - below(*from);
        }
    }
    trials
}

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

/// What is counted by draw.
pub(super) type Counted = fn(&ByDraw) -> &[u64; DRAWS];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_counted_by_their_remainder() {
        for text in ["0-31", "5-5", "30-33,64-200", "", "7-1000"] {
            let seeds = Seeds::try_from(text.to_owned()).expect("seeds");
            let mut expected = [0; DRAWS];
            for [from, to] in seeds.ranges() {
                (*from..=*to).for_each(|seed| expected[ByDraw::draw_of(seed)] += 1);
            }
            assert_eq!(trials(&seeds), expected, "{text}");
        }
    }
}
