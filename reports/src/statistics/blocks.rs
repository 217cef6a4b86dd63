//! Differences over blocks of trials with t-intervals, for figures that are known only as sums over a block.
//!
//! A bench keeps some counts by block: the trials whose seeds share a draw of the response model. The blocks
//! are independent, so Student's t with the degrees of freedom of the blocks gives the interval (Student, *The
//! probable error of a mean*, Biometrika 6, 1908, 1–25).
//!
//! Blocks are weighted by their trials, so that the mean is that of the trials. The variance is that of a linearised
//! ratio (as in [`Rate`](super::Rate)), which is the usual variance if all blocks have as many trials.
//!
//! - [`paired`](BlockDifference::paired): mean of the differences of `k` blocks, `k − 1` degrees of freedom,
//! - [`halves`](BlockDifference::halves): mean of some blocks minus the mean of the others, with their pooled
//!   variance and `k − 2` degrees of freedom.
//!
//! If few blocks differ from 0, the t-test claims too much: four single events in 32 blocks give p = 0.04. So p is at
//! least `2^(1 − m)` for `m` blocks that are not 0, the least p of a sign-flipping test (R. A. Fisher, *The Design of
//! Experiments*, 1935, section 21). With fewer than six blocks, or four in a half, such a test cannot reach 5 %; then p
//! is 1 and there are no bounds. If all blocks are alike the interval is a point, and p says how little that may mean.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::beta::beta;
use super::number::{ALPHA, float};
use super::print::{PValue, digits, four, four_or_none, signed_percent};
use super::root::root;

/// The two compared counts of one block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The events of the first.
    pub one: u64,
    /// The events of the second, over the same trials.
    pub other: u64,
    /// The trials; a block without trials does not count.
    pub trials: u64,
}

impl Block {
    /// The first minus the second, per trial, and the trials.
    fn value(&self) -> Option<[f64; 2]> {
        let trials = float(self.trials);
        (self.trials > 0).then(|| [(float(self.one) - float(self.other)) / trials, trials])
    }
}

/// A difference of events per trial, over blocks, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockDifference {
    /// Events per trial; none without blocks.
    #[serde(serialize_with = "four_or_none")]
    pub difference: Option<f64>,
    /// The lower bound.
    #[serde(serialize_with = "four")]
    #[schemars(with = "Option<f64>")]
    pub low: f64,
    /// The upper bound.
    #[serde(serialize_with = "four")]
    #[schemars(with = "Option<f64>")]
    pub high: f64,
    /// Blocks with a trial.
    pub blocks: u64,
    /// The two-sided p-value of no difference.
    pub p: PValue,
}

/// Fewer blocks cannot reach 5 %: `2^(1 − 5)` is larger.
const BLOCKS_MIN: usize = 6;
/// The same for each half: 2 of the 20 ways to halve six blocks are a tenth.
const HALF_MIN: usize = 4;

impl BlockDifference {
    /// The first minus the second, over all blocks.
    #[must_use]
    pub fn paired(blocks: &[Block]) -> Self {
        let values: Vec<_> = blocks.iter().filter_map(Block::value).collect();
        let k = values.len();
        let claims = k >= BLOCKS_MIN;
        let (mean, spread) = mean_and_spread(&values);
        let freedom = float(k.saturating_sub(1) as u64);
        Self::new(&values, mean, spread / freedom.max(1.0) / (k as f64), freedom, claims)
    }

    /// The difference of the first and the second in the `high` blocks, minus that in the rest.
    ///
    /// # Panics
    /// If there is not one mark per block.
    #[must_use]
    pub fn halves(blocks: &[Block], high: &[bool]) -> Self {
        assert_eq!(blocks.len(), high.len(), "a mark for each block");
        let half = |wanted: bool| -> Vec<[f64; 2]> {
            let marked = blocks.iter().zip(high).filter(|(_, high)| **high == wanted);
            marked.filter_map(|(block, _)| block.value()).collect()
        };
        let (upper, lower) = (half(true), half(false));
        let claims = upper.len() >= HALF_MIN && lower.len() >= HALF_MIN;
        let [(upper_mean, upper_spread), (lower_mean, lower_spread)] =
            [&upper, &lower].map(|it| mean_and_spread(it));
        let (m, n) = (upper.len() as f64, lower.len() as f64);
        let freedom = (m + n - 2.0).max(1.0);
        let difference = match (upper_mean, lower_mean) {
            (Some(upper), Some(lower)) => Some(upper - lower),
            (None, _) | (_, None) => None,
        };
        let variance = (upper_spread + lower_spread) / freedom * (1.0 / m + 1.0 / n);
        Self::new(&[upper, lower].concat(), difference, variance, freedom, claims)
    }

    /// Whether one of this many comparisons over this many blocks could be significant after correction. No p is below
    /// that of blocks that all differ in one direction.
    #[must_use]
    pub fn can_be_sure(blocks: u64, comparisons: u64) -> bool {
        let least = (1..blocks).fold(1.0, |p, _| p / 2.0_f64);
        least * float(comparisons) < ALPHA
    }

    fn new(values: &[[f64; 2]], difference: Option<f64>, variance: f64, freedom: f64, claims: bool) -> Self {
        let blocks = values.len() as u64;
        let Some(mean) = difference.filter(|_| claims) else {
            return Self { difference, low: f64::NEG_INFINITY, high: f64::INFINITY, blocks, p: PValue(1.0) };
        };
        let error = variance.sqrt();
        let off = if error > 0.0 { student_bound(ALPHA, freedom) * error } else { 0.0 };
        let least = values.iter().filter(|[it, _]| *it != 0.0).fold(2.0, |p, _| p / 2.0_f64).min(1.0);
        let student = match (error > 0.0, mean == 0.0) {
            (_, true) => 1.0,
            (true, false) => student_tails(mean / error, freedom),
            (false, false) => 0.0,
        };
        Self { difference, low: mean - off, high: mean + off, blocks, p: PValue(student.max(least)) }
    }

    /// The difference in events per 100 trials with its bounds, such as `+12.0 (+4.6 to +19.1)`; for shares these are
    /// percentage points. A dash if nothing is claimed.
    #[must_use]
    pub fn per_hundred(&self) -> String {
        match self.difference {
            Some(difference) if self.low.is_finite() => {
                let [difference, low, high] = [difference, self.low, self.high].map(signed_percent);
                format!("{difference} ({low} to {high})")
            }
            Some(_) | None => "–".into(),
        }
    }

    /// The difference and its bounds with four significant digits, for programs; `inf` is an open bound.
    #[must_use]
    pub fn digits(&self) -> (Option<String>, [String; 2]) {
        (self.difference.map(digits), [digits(self.low), digits(self.high)])
    }

    /// Its absolute value, for sorting; unknown ones come last.
    #[must_use]
    pub fn size(&self) -> f64 {
        self.difference.filter(|_| self.low.is_finite()).map_or(-1.0, f64::abs)
    }
}

/// As [`per_hundred`](BlockDifference::per_hundred).
impl fmt::Display for BlockDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.per_hundred())
    }
}

/// The mean of values, weighted by trials, and the sum of squared deviations from it.
fn mean_and_spread(values: &[[f64; 2]]) -> (Option<f64>, f64) {
    let Some([first, _]) = values.first() else { return (None, 0.0) };
    // Equal values must leave no rounding error.
    if values.iter().all(|[it, _]| it == first) {
        return (Some(*first), 0.0);
    }
    let trials: f64 = values.iter().map(|[_, trials]| trials).sum();
    let mean = values.iter().map(|[it, trials]| it * trials).sum::<f64>() / trials;
    let average = trials / values.len() as f64;
    let off = |[it, trials]: &[f64; 2]| (it - mean) * trials / average;
    (Some(mean), values.iter().map(|it| off(it) * off(it)).sum())
}

/// The two-sided tail probability of Student's t.
fn student_tails(t: f64, freedom: f64) -> f64 {
    beta(freedom / (freedom + t * t), freedom / 2.0, 0.5)
}

/// The critical value of Student's t above which, and below whose negative, there is this probability in all.
pub(super) fn student_bound(tails: f64, freedom: f64) -> f64 {
    let x = root(|x| beta(x, freedom / 2.0, 0.5) < tails);
    (freedom * (1.0 - x) / x).sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::draws::{Draws, least};
    use super::*;

    fn block(one: u64, other: u64) -> Block {
        Block { one, other, trials: 10 }
    }

    #[test]
    fn bounds_of_student_are_the_published_ones() {
        let printed = |freedom: f64| format!("{:.3}", student_bound(ALPHA, freedom));
        assert_eq!([1.0, 5.0, 30.0, 31.0].map(printed), ["12.706", "2.571", "2.042", "2.040"]);
        assert_eq!(format!("{:.3}", student_tails(2.0423, 30.0)), "0.050");
    }

    /// By hand: differences 0.1, 0.2, 0.3 twice; mean 0.2, variance 0.04 / 5, t(5) = 2.5706, ±0.09387.
    #[test]
    fn paired_blocks_by_hand() {
        let blocks = [1, 2, 3, 1, 2, 3].map(|more| block(4 + more, 4));
        assert_eq!(BlockDifference::paired(&blocks).to_string(), "+20.0 (+10.6 to +29.4)");
        let with_an_empty_one = [&blocks[..], &[Block::default()]].concat();
        assert_eq!(BlockDifference::paired(&with_an_empty_one), BlockDifference::paired(&blocks));
    }

    /// 2^-13 times 560 is 0.07, and half of that is below 0.05.
    #[test]
    fn few_blocks_cannot_be_sure_of_one_of_many() {
        let sure = [(14, 560), (15, 560), (5, 1), (6, 1), (1, 1)]
            .map(|(blocks, comparisons)| BlockDifference::can_be_sure(blocks, comparisons));
        assert_eq!(sure, [false, true, false, true, false]);
    }

    /// Six events in 10 trials, none in five blocks of 2: the mean is that of the 20 trials.
    #[test]
    fn a_block_counts_by_its_trials() {
        let blocks: Vec<_> = std::iter::once(Block { one: 6, other: 0, trials: 10 })
            .chain([Block { one: 0, other: 0, trials: 2 }; 5])
            .collect();
        let found = BlockDifference::paired(&blocks);
        assert_eq!(found.difference, Some(0.3));
        // Off by 0.3 of 10 and -0.3 of 2 trials, of 10/3 on average: spread 0.81 + 5 · 0.0324; t(5) = 2.5706.
        assert!((found.high - (0.3 + 2.5706 * (0.972_f64 / 5.0 / 6.0).sqrt())).abs() < 1e-4, "{found}");
    }

    /// By hand: means 0.25 and 0.05, spreads 0.05 and 0.01, variance 0.06 / 6 · ½, t(6) = 2.4469, ±0.1730.
    #[test]
    fn halves_by_hand() {
        let blocks = [1, 2, 3, 4, 0, 0, 1, 1].map(|more| block(more, 0));
        let high = [true, true, true, true, false, false, false, false];
        assert_eq!(BlockDifference::halves(&blocks, &high).to_string(), "+20.0 (+2.7 to +37.3)");
    }

    #[test]
    fn few_blocks_and_few_events_claim_little() {
        let five = BlockDifference::paired(&[block(9, 0); 5]);
        assert_eq!((five.to_string().as_str(), five.p), ("–", PValue(1.0)));
        let six = BlockDifference::paired(&[block(9, 0); 6]);
        assert_eq!((six.to_string().as_str(), six.p), ("+90.0 (+90.0 to +90.0)", PValue(1.0 / 32.0)));
        let mut rare = [block(0, 0); 32];
        rare[..4].fill(block(1, 0));
        assert_eq!(BlockDifference::paired(&rare).p, PValue(0.125));
        assert_eq!(BlockDifference::paired(&[block(3, 3); 32]).p, PValue(1.0));
        assert_eq!(BlockDifference::halves(&[block(1, 0); 7], &[true; 7]).difference, None);
        assert_eq!(BlockDifference::paired(&[]).difference, None);
    }

    /// 32 blocks of 30 trials whose shares differ from block to block.
    #[test]
    fn nineteen_of_twenty_intervals_hold_the_truth() {
        const RUNS: u32 = 2_000;
        let mut draws = Draws::new(7);
        let mut held = [0_u32; 2];
        let high: Vec<bool> = (0..32).map(|at| at % 2 == 0).collect();
        for _ in 0..RUNS {
            let blocks: Vec<Block> = (0..32)
                .map(|_| {
                    let share = 0.3 + 0.4 * draws.unit();
                    Block { one: draws.count(30, share), other: draws.count(30, 0.3), trials: 30 }
                })
                .collect();
            let [all, halves] = [BlockDifference::paired(&blocks), BlockDifference::halves(&blocks, &high)];
            held[0] += u32::from(all.low <= 0.2 && 0.2 <= all.high);
            held[1] += u32::from(halves.low <= 0.0 && 0.0 <= halves.high);
        }
        for held in held {
            assert!(f64::from(held) / f64::from(RUNS) >= least(RUNS), "{held} of {RUNS}");
        }
    }
}
