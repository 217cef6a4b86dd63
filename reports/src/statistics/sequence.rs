//! The difference of two shares of the same trials, with an interval that holds at every look.
//!
//! Worlds are played in blocks: each adds a pair of trials of every world, and the caller looks after each one. A pair
//! is 1 (saved), −1 (lost) or 0. The mean of a world's pairs so far, moved to the range from 0 to 1, is `y_c`. A bet
//! that the mean over worlds is more than `q` grows to
//!
//! `E(q) = Σ_κ w_κ · Π_c (1 − κ + κ·y_c / q)`
//!
//! with stakes `κ` of ¼, ½, ¾ and 1 and weights of 0.1, 0.2, 0.3 and 0.4. The lower bound is the smallest `q` for which
//! `E(q)` is below `2/α = 40` (for one comparison); the upper bound is that of the mirrored pairs (betting: I.
//! Waudby-Smith and A. Ramdas, *Estimating means of bounded random variables by betting*, Journal of the Royal
//! Statistical Society B 86, 2024, 1–27; fixed weights of stakes: F. Orabona and K.-S. Jun, *Tight concentrations and
//! confidence sequences from the regret of universal portfolio*, IEEE Transactions on Information Theory 70, 2024,
//! 436–455).
//!
//! **Why many looks do no harm.** These authors bet on one observation after another. Here pairs of one world resemble
//! each other and a block brings no new world, so the bet is on worlds, and looks are counted backwards. If the order
//! of a world's pairs says nothing, its mean at the next look and later ones tells what to expect of its mean now: the
//! mean at the next look. Worlds are independent, so `E(q)` is a martingale in reversed time. If the mean over worlds
//! is `q`, its expectation is at most 1, because a product is at most the power of the average. So `E(q)` reaches 40 at
//! any look with a probability of at most 1/40 (J. L. Doob, *Stochastic Processes*, 1953, chapter VII; A. Ramdas and T.
//! Manole, *Randomized and exchangeable improvements of Markov's, Chebyshev's and Chernoff's inequalities*,
//! arXiv:2304.02611, 2023). This is exact for any number of worlds, pairs and looks and any intra-world correlation.
//!
//! **What the claim is about.** The mean over worlds, which count alike: of the population that they were drawn from,
//! and also of just these worlds. More pairs narrow the interval only until each world's own mean is known; from then
//! on it takes more worlds.
//!
//! **Several comparisons.** With `m` of them, each has its bounds at `2·m/α` (C. E. Bonferroni, 1936), so all of their
//! intervals hold at once, at every look, with a probability of 95 %. They may depend on each other in any way.
//!
//! **What it needs.** The same worlds at every look, and none that shares a skeleton with another. How many pairs a
//! world has may differ, if that does not depend on their results. A world that has no pair yet counts as the worst
//! that it could be, for either bound.
//!
//! **What it costs.** Nothing is assumed about worlds that were not seen, so few worlds say little: fewer than seven
//! never exclude 0, of four comparisons fewer than nine. If all worlds differ alike, 10 of them show a difference of 54
//! points, 20 one of 24, and 60 one of 8. The estimate at an early stop is too large on average; the interval allows
//! for that.
//!
//! Measured with ten looks and correlations of 0.3 and 0.6. Without a difference, 10 and 20 worlds excluded 0 at some
//! look in at most 3 % of runs; Student's t over the same worlds was significant in up to 14 %. With 35 % saved and 5 %
//! lost, 20 worlds excluded 0 in 73 and 55 % of runs, half of these by the second block, and 10 worlds in 4 and 5 %.
//! With 65 % saved and 5 % lost, 10 worlds did so in 74 and 59 %.

use std::fmt;

use super::difference_of_clusters::PairedCluster;
use super::number::{ALPHA, float};
use super::print::signed_percent;
use super::root::root;

/// Saved minus lost, as a mean over worlds, with the 95 % interval that holds at all looks at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SequentialDifference {
    /// The mean over worlds that have pairs, from −1 to 1.
    pub difference: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// Stakes of the bet, as a share of what there is, with their weights. Large stakes find what is alike in few worlds.
const STAKES: [[f64; 2]; 4] = [[0.25, 0.1], [0.5, 0.2], [0.75, 0.3], [1.0, 0.4]];

impl SequentialDifference {
    /// The difference over these worlds after some blocks, one of so many that are looked at together; none without a
    /// pair.
    ///
    /// # Panics
    /// If more pairs of a world differ than there are.
    #[must_use]
    pub fn of_worlds(worlds: &[PairedCluster], comparisons: u64) -> Option<Self> {
        let means: Vec<Option<f64>> = worlds.iter().map(mean).collect();
        let known = means.iter().flatten().count() as u64;
        (known > 0).then(|| {
            let difference = means.iter().flatten().sum::<f64>() / float(known);
            let shares = |sign: f64| -> Vec<f64> {
                means.iter().map(|it| it.map_or(0.0, |mean| f64::midpoint(1.0, sign * mean))).collect()
            };
            let bound = |sign: f64| sign * (2.0 * lower_bound(&shares(sign), comparisons) - 1.0);
            let [low, high] = [1.0, -1.0].map(bound);
            Self { difference, low, high }
        })
    }

    /// Whether one of the two is better, however often the caller looked. A later look does not take that back.
    #[must_use]
    pub fn excludes_zero(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// The difference in percentage points with its bounds, such as `+20.0 (+4.6 to +35.0)`.
impl fmt::Display for SequentialDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [difference, low, high] = [self.difference, self.low, self.high].map(signed_percent);
        f.pad(&format!("{difference} ({low} to {high})"))
    }
}

/// Saved minus lost per pair of a world; none without pairs.
fn mean(world: &PairedCluster) -> Option<f64> {
    let PairedCluster { saved, lost, of } = *world;
    assert!(saved <= of && lost <= of - saved, "{saved} saved and {lost} lost of {of} pairs");
    (of > 0).then(|| (float(saved) - float(lost)) / float(of))
}

/// The smallest mean, from 0 to 1, that a bet on a larger one does not refute.
fn lower_bound(shares: &[f64], comparisons: u64) -> f64 {
    let refuted = 2.0 * float(comparisons) / ALPHA;
    root(|mean| STAKES.iter().map(|stake| capital(shares, mean, *stake)).sum::<f64>() >= refuted)
}

/// What a bet with this stake has grown to, times its weight. It falls as the mean rises. What is too large for a float
/// is cut, which can only widen the interval.
fn capital(shares: &[f64], mean: f64, [stake, weight]: [f64; 2]) -> f64 {
    shares
        .iter()
        .fold(weight, |capital, share| (capital * (1.0 - stake + stake * share / mean)).clamp(0.0, f64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::blocks::{Block, BlockDifference};
    use crate::statistics::draws::Draws;

    fn found(worlds: &[[u64; 3]]) -> SequentialDifference {
        let worlds: Vec<_> =
            worlds.iter().map(|&[saved, lost, of]| PairedCluster { saved, lost, of }).collect();
        SequentialDifference::of_worlds(&worlds, 1).expect("there are pairs")
    }

    /// All of seven worlds are won, so `E(½)` is 0.4·2^7 + 0.3·1.75^7 + 0.2·1.5^7 + 0.1·1.25^7 = 70.2; of six it is
    /// 36.9. With one world and `q = y/r`, `E` is 0.25 + 0.75·r on average, which is 40 at r = 53.
    #[test]
    fn bounds_by_hand() {
        let of = SequentialDifference::of_worlds;
        assert_eq!([of(&[], 1), of(&[PairedCluster::default()], 1)], [None, None]);
        // Of four comparisons, each needs 160: eight worlds have 134.5, nine have 259.4.
        let won = [PairedCluster { saved: 5, lost: 0, of: 5 }; 9];
        let excludes = |worlds: usize| of(&won[..worlds], 4).is_some_and(|it| it.excludes_zero());
        assert!(excludes(9) && !excludes(8));
        assert!(found(&[[5, 0, 5]; 7]).excludes_zero() && !found(&[[5, 0, 5]; 6]).excludes_zero());
        let one = found(&[[3, 0, 3]]);
        assert_eq!(one.to_string(), "+100.0 (−96.2 to +100.0)");
        assert!((one.low - (2.0 / 53.0 - 1.0)).abs() < 1e-12, "{one:?}");
        assert_eq!(found(&[[2, 2, 9]; 20]).to_string(), "0.0 (−19.4 to +19.4)");
    }

    #[test]
    fn worlds_that_differ_alike_show_what_the_documentation_says() {
        for (worlds, points) in [(10, 54), (20, 24), (60, 8)] {
            assert!(found(&vec![[points, 0, 100]; worlds]).excludes_zero(), "{worlds}");
            assert!(!found(&vec![[points - 1, 0, 100]; worlds]).excludes_zero(), "{worlds}");
        }
    }

    #[test]
    fn neither_the_sign_nor_the_order_matters_and_a_world_without_pairs_is_the_worst() {
        let worlds = [[3, 1, 5], [4, 0, 5], [0, 0, 5], [5, 0, 5], [1, 2, 5]];
        let [there, back] = [found(&worlds), found(&worlds.map(|[saved, lost, of]| [lost, saved, of]))];
        assert_eq!([back.difference, back.low, back.high], [-there.difference, -there.high, -there.low]);
        let missing = found(&[&worlds[..], &[[0, 0, 0]]].concat());
        let [lost, won] = [[0, 5, 5], [5, 0, 5]].map(|it| found(&[&worlds[..], &[it]].concat()));
        assert_eq!([missing.difference, missing.low, missing.high], [there.difference, lost.low, won.high]);
    }

    /// The shares of runs in which some look misses the truth, excludes 0, or has a significant Student's t.
    fn looks(worlds: usize, correlation: f64, [saved, lost]: [f64; 2]) -> [f64; 3] {
        const RUNS: u32 = 300;
        const BLOCKS: u32 = 10;
        let mut draws = Draws::new(worlds as u64);
        let mut counts = [0.0; 3];
        for _ in 0..RUNS {
            let commons: Vec<f64> = (0..worlds).map(|_| draws.unit()).collect();
            let mut pairs = vec![PairedCluster::default(); worlds];
            let mut ever = [false; 3];
            for _ in 0..BLOCKS {
                for (it, common) in pairs.iter_mut().zip(&commons) {
                    let [one, other] = draws.pair(*common, correlation, [saved, lost]);
                    *it = PairedCluster { saved: it.saved + one, lost: it.lost + other, of: it.of + 1 };
                }
                let found = SequentialDifference::of_worlds(&pairs, 1).expect("there are pairs");
                let blocks = pairs.iter().map(|it| Block { one: it.saved, other: it.lost, trials: it.of });
                let student = BlockDifference::paired(&blocks.collect::<Vec<_>>()).p.is_sure();
                let missed = saved - lost < found.low || saved - lost > found.high;
                let now = [missed, found.excludes_zero(), student];
                ever = std::array::from_fn(|at| ever[at] || now[at]);
            }
            counts = std::array::from_fn(|at| counts[at] + f64::from(ever[at]));
        }
        counts.map(|it| it / f64::from(RUNS))
    }

    #[test]
    fn at_most_5_of_100_runs_have_any_wrong_look_and_a_large_difference_ends_most() {
        let [none, few, large, larger] = [[0.4, 0.4], [0.1, 0.1], [0.35, 0.05], [0.65, 0.05]];
        for (worlds, found) in [(10, larger), (20, large)] {
            for correlation in [0.3, 0.6] {
                for shares in [none, few, large, larger] {
                    let [missed, ended, student] = looks(worlds, correlation, shares);
                    let case =
                        format!("{worlds} worlds, {correlation}, {shares:?}: {missed}, {ended}, {student}");
                    assert!(missed <= ALPHA, "{case}");
                    assert!(shares != found || ended > 0.5, "{case}");
                    assert!(
                        shares != none || student > 1.5 * ALPHA,
                        "{case}: these runs would show an error"
                    );
                }
            }
        }
    }
}
