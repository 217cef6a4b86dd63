//! What a number of worlds and trials can tell apart, before they are played.
//!
//! If a share `d` of the pairs of trials differ, saved or lost, and saved minus lost is `δ`, one pair has the variance
//! `d − δ²` (R. J. Connor, *Sample size for testing differences in proportions for the paired-sample design*,
//! Biometrics 43, 1987, 207–211). The mean over `k` worlds of `n` pairs each has that variance times `f = (1 + (n −
//! 1)·ρ) / (k·n)`, with the intra-world correlation `ρ` (L. Kish, *Survey Sampling*, 1965, ch. 5). So in 80 of 100 runs
//! the observed difference is at least `δ − u·√(f·(d − δ²))`, with the 80 % point `u` of Student's t for `k − 1`
//! degrees of freedom, as usual for few clusters (A. Donner and N. Klar, *Design and Analysis of Cluster Randomization
//! Trials in Health Research*, 2000, ch. 5). The shares saved and lost take part in the shortfall by their covariances
//! with the difference. A difference can be found if the interval over worlds ([`PairedDifference::of_clusters`])
//! excludes 0 for these shares and worlds that vary as `f` says.
//!
//! That interval allows for a world unlike those seen. So it demands more than the usual formula, `(t + u)·√(f·(d −
//! δ²))`, where worlds are few and alike: 21 points in place of 9 for 20 worlds of 10 pairs, a fifth of which differ,
//! without a correlation; 28 in place of 22 with one of 0.6.
//!
//! Measured for 10 to 200 worlds, 5 to 40 pairs, 5 to 40 % that differ, and correlations of 0, 0.3 and 0.6: 75 to 95 %
//! of intervals excluded 0 at the computed difference, which is rounded up to whole points.
//!
//! [`PairedDifference::of_clusters`]: super::PairedDifference::of_clusters

use super::blocks::student_bound;
use super::difference::{added, correlation};
use super::difference_of_clusters::PairedCluster;
use super::number::{float, square};
use super::share_of_clusters::bounds;

/// How pairs of trials vary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variation {
    /// The share of pairs that differ, saved or lost, from 0 to 1.
    pub discordant: f64,
    /// How much pairs of one world resemble each other: the intra-world correlation, from 0 to 1.
    pub correlation: f64,
}

/// How often the difference is to be found.
const POWER: f64 = 0.8;

impl Variation {
    /// What to assume before anything was played, from the easiest to the hardest case: one pair in five differs, as in
    /// the first trials with a real model, and scenarios have correlations up to 0.6.
    pub const ASSUMED: [Self; 2] =
        [Self { discordant: 0.2, correlation: 0.0 }, Self { discordant: 0.2, correlation: 0.6 }];

    /// The variation of the pairs of these worlds, with the correlation of an analysis of variance (A. Donner and J. J.
    /// Koval, *The estimation of intraclass correlation in the analysis of family data*, Biometrics 36, 1980, 19–25),
    /// at least 0. None with fewer than two worlds, if no world has two pairs, or if no pair differs. A few worlds show
    /// the correlation badly.
    #[must_use]
    pub fn of_worlds(worlds: &[PairedCluster]) -> Option<Self> {
        let worlds: Vec<_> = worlds.iter().filter(|it| it.of > 0).collect();
        let sum = |of: &dyn Fn(&PairedCluster) -> f64| worlds.iter().map(|it| of(it)).sum::<f64>();
        let differs = sum(&|it| float(it.saved + it.lost));
        let [k, pairs] = [float(worlds.len() as u64), sum(&|it| float(it.of))];
        if k < 2.0 || pairs <= k || differs == 0.0 {
            return None;
        }
        let total = |it: &PairedCluster| float(it.saved) - float(it.lost);
        let mean = sum(&total) / pairs;
        let between = sum(&|it| square(total(it) - mean * float(it.of)) / float(it.of)) / (k - 1.0);
        let within = (differs - sum(&|it| square(total(it)) / float(it.of))) / (pairs - k);
        let size = (pairs - sum(&|it| square(float(it.of))) / pairs) / (k - 1.0);
        let all = between + (size - 1.0) * within;
        let correlation = if all > 0.0 { ((between - within) / all).max(0.0) } else { 0.0 };
        Some(Self { discordant: differs / pairs, correlation })
    }

    /// The smallest difference, in whole points of a hundred, for which the 95 % interval over this many worlds, each
    /// with this many pairs of trials, excludes 0 in 80 of 100 runs. None if it does so for no difference.
    #[must_use]
    pub fn detectable(self, worlds: u64, trials: u64) -> Option<u64> {
        if worlds < 2 || trials == 0 {
            return None;
        }
        let factor = (1.0 + (float(trials) - 1.0) * self.correlation) / float(worlds * trials);
        let below = student_bound(2.0 * (1.0 - POWER), float(worlds - 1));
        (1..100).find(|points| {
            let difference = float(*points) / 100.0;
            // A difference needs at least as many pairs that differ.
            let discordant = self.discordant.max(difference);
            let [saved, lost] = [discordant + difference, discordant - difference].map(|it| it / 2.0);
            let short = below * (factor / (discordant - square(difference))).sqrt();
            let seen =
                [saved * (1.0 - short * (1.0 - difference)), lost * (1.0 + short * (1.0 + difference))];
            seen[0] > seen[1] && excludes_zero(worlds, trials, factor, seen)
        })
    }
}

/// Whether the interval over worlds excludes 0 if these shares are saved and lost, each with its own variance times
/// this factor.
fn excludes_zero(worlds: u64, trials: u64, factor: f64, [saved, lost]: [f64; 2]) -> bool {
    // Worlds in pairs, one above and one below the mean, have the spread that is expected of all of them.
    let paired = worlds - worlds % 2;
    let spread = factor * float(worlds * (worlds - 1)) / float(paired);
    let share = |p: f64| {
        let off = (spread * p * (1.0 - p)).sqrt();
        let world = |at: u64| match (at < paired, at % 2) {
            (true, 0) => p + off,
            (true, _) => p - off,
            (false, _) => p,
        };
        let clusters: Vec<_> = (0..worlds).map(|at| [world(at) * float(trials), float(trials)]).collect();
        bounds(&clusters)
    };
    let [[low, ..], [_, high, _]] = [saved, lost].map(share);
    saved - lost > added(saved - low, high - lost, correlation(saved, lost))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::difference::PairedDifference;
    use crate::statistics::draws::Draws;

    fn variation(worlds: &[[u64; 3]]) -> Option<[f64; 2]> {
        let worlds: Vec<_> =
            worlds.iter().map(|&[saved, lost, of]| PairedCluster { saved, lost, of }).collect();
        // Without the error of the last digit.
        let round = |it: f64| (1e9 * it).round() / 1e9;
        Variation::of_worlds(&worlds).map(|it| [it.discordant, round(it.correlation)])
    }

    /// Saved 2, 1 and 0 of 2: between worlds (1 + 0 + 1)/2 / 2 = 1/2, within them (3 − 4/2 − 1/2) / 3 = 1/6, and
    /// (1/2 − 1/6) / (1/2 + 1/6) = 1/2.
    #[test]
    fn variation_by_hand() {
        assert_eq!(variation(&[[2, 0, 2], [1, 0, 2], [0, 0, 2], [0, 0, 0]]), Some([0.5, 0.5]));
        assert_eq!(variation(&[[2, 0, 2], [0, 0, 2]]), Some([0.5, 1.0]));
        assert_eq!(variation(&[[1, 0, 2], [1, 0, 2]]), Some([0.5, 0.0]));
        assert_eq!(variation(&[[3, 0, 3], [3, 0, 3]]), Some([1.0, 0.0]));
        for unknown in [&[][..], &[[1, 1, 9]], &[[1, 0, 1], [0, 1, 1]], &[[0, 0, 5], [0, 0, 5]]] {
            assert_eq!(variation(unknown), None);
        }
    }

    /// With many worlds of one pair each, the usual formula: (1.961 + 0.842)² / 2,000 = 0.00393 times 0.3, less 0.4 %,
    /// is 3.43 points squared. With few worlds it says 9 and 22 points, and the interval demands more.
    #[test]
    fn the_usual_formula_is_for_many_worlds() {
        let many = Variation { discordant: 0.3, correlation: 0.5 };
        assert_eq!(many.detectable(2_000, 1), Some(4));
        assert_eq!(Variation::ASSUMED.map(|it| it.detectable(20, 10)), [Some(21), Some(28)]);
        let one = Variation::ASSUMED[0];
        assert_eq!(
            [(1, 50), (50, 0), (2, 50)].map(|(worlds, trials)| one.detectable(worlds, trials)),
            [None; 3]
        );
    }

    /// The share of intervals that exclude 0 if there is this difference.
    fn found(it: Variation, worlds: u64, trials: u64, points: u64) -> f64 {
        const RUNS: u32 = 300;
        let difference = float(points) / 100.0;
        let discordant = it.discordant.max(difference);
        let saved = f64::midpoint(discordant, difference);
        let mut draws = Draws::new(worlds ^ points << 9 ^ trials << 20);
        let excludes = |_: &u32| {
            let world = |_| {
                let common = draws.unit();
                let mut pairs = PairedCluster { of: trials, ..PairedCluster::default() };
                for _ in 0..trials {
                    let [one, other] = draws.pair(common, it.correlation, [saved, discordant - saved]);
                    pairs.saved += one;
                    pairs.lost += other;
                }
                pairs
            };
            PairedDifference::of_clusters(&(0..worlds).map(world).collect::<Vec<_>>()).0.low > 0.0
        };
        (0..RUNS).filter(excludes).count() as f64 / f64::from(RUNS)
    }

    #[test]
    fn about_80_of_100_intervals_exclude_zero() {
        for (worlds, trials) in [(10, 10), (20, 5), (60, 5)] {
            for discordant in [0.05, 0.2, 0.4] {
                for correlation in [0.0, 0.6] {
                    let it = Variation { discordant, correlation };
                    let points = it.detectable(worlds, trials).expect("enough worlds");
                    let share = found(it, worlds, trials, points);
                    assert!((0.75..0.95).contains(&share), "{worlds}, {trials}, {it:?}, {points}: {share}");
                }
            }
        }
    }
}
