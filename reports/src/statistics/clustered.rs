//! Weighted shares of judged points, with intervals that treat trajectories as independent.
//!
//! Points are drawn with unequal probabilities, and points of one trajectory are correlated. So the share is a
//! ratio of two sums over trajectories, `p = Σ y_c / Σ w_c`, with the weight `w_c` of the points of
//! trajectory `c` and the weight `y_c` of those that had the outcome. Its variance is that of the linearised
//! ratio (L. Kish, *Survey Sampling*, 1965, ch. 6; C.-E. Särndal, B. Swensson and J. Wretman, *Model Assisted
//! Survey Sampling*, 1992, 5.5–5.7), with `n` independent trajectories:
//!
//! `v = n / (n − 1) · Σ (y_c − p·w_c)² / (Σ w_c)²`
//!
//! `p ± 1.96·√v` can leave the range from 0 to 1, and is a point if all points agree. So the interval is the exact one
//! for the effective number of independent points, `n' = p·(1 − p) / v`, of which `p·n'` had the outcome: Clopper and
//! Pearson's bounds, whose equations need no whole numbers (E. L. Korn and B. I. Graubard,
//! *Confidence intervals for proportions with small expected number of positive counts estimated from survey
//! data*, Survey Methodology 24, 1998, 193–201).
//!
//! `n'` is at most Kish's effective number of trajectories, `(Σ w_c)² / Σ w_c²`, which depends on the weights alone.
//! This limit applies if `v` is 0, and it keeps one heavy trajectory from making `v` look small. The trajectory is the
//! unit, so Korn and Graubard's factor for the degrees of freedom is 1.
//!
//! Coverage, summed over all outcomes, is at least 95 % for ten trajectories of any weights whose points agree within a
//! trajectory. For 50 and 200 trajectories of 5 to 60 correlated points, coverage over 300 intervals each was no less
//! than 95 % allows.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::beta::{lower_bound, upper_bound};
use super::number::{float, square};
use super::print::{digits, four, four_or_none, percent};

/// The weights of one trajectory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cluster {
    /// The weight of the points that had the outcome.
    pub count: u64,
    /// The weight of all its points.
    pub of: u64,
}

/// A share of weighted points in clusters, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClusteredShare {
    /// The share, from 0 to 1; none without points.
    #[serde(serialize_with = "four_or_none")]
    pub share: Option<f64>,
    /// The lower bound.
    #[serde(serialize_with = "four")]
    #[schemars(with = "f64")]
    pub low: f64,
    /// The upper bound.
    #[serde(serialize_with = "four")]
    #[schemars(with = "f64")]
    pub high: f64,
    /// Kish's effective number of clusters.
    #[serde(serialize_with = "four")]
    #[schemars(with = "f64")]
    pub effective: f64,
}

impl ClusteredShare {
    /// The share over these clusters. A cluster without points does not count.
    ///
    /// # Panics
    /// If a cluster has more points with the outcome than points.
    #[must_use]
    pub fn new(clusters: &[Cluster]) -> Self {
        assert!(clusters.iter().all(|it| it.count <= it.of), "more than all points of a cluster");
        let clusters: Vec<Cluster> = clusters.iter().copied().filter(|it| it.of > 0).collect();
        if clusters.is_empty() {
            return Self { share: None, low: 0.0, high: 1.0, effective: 0.0 };
        }
        let (count, of) = clusters.iter().fold((0, 0), |(count, of), it| (count + it.count, of + it.of));
        let (p, of) = (float(count) / float(of), float(of));
        let effective = of * of / clusters.iter().map(|it| float(it.of) * float(it.of)).sum::<f64>();
        let n = float(clusters.len() as u64);
        let spread: f64 = clusters.iter().map(|it| square(float(it.count) - p * float(it.of))).sum();
        // One cluster says nothing about how clusters differ.
        let variance = if n > 1.0 { n / (n - 1.0) * spread / (of * of) } else { 0.0 };
        let worth = if variance > 0.0 { (p * (1.0 - p) / variance).min(effective) } else { effective };
        let x = p * worth;
        let low = if x > 0.0 { lower_bound(x, worth) } else { 0.0 };
        let high = if p < 1.0 { upper_bound(x, worth) } else { 1.0 };
        Self { share: Some(p), low, high, effective }
    }

    /// The share and its bounds with four significant digits, for programs.
    #[must_use]
    pub fn digits(&self) -> (Option<String>, [String; 2]) {
        (self.share.map(digits), [digits(self.low), digits(self.high)])
    }

    /// Kish's effective number of clusters with one decimal.
    #[must_use]
    pub fn effective_digits(&self) -> String {
        format!("{:.1}", self.effective)
    }

    /// The share and its bounds in percent with one decimal; dashes without points.
    #[must_use]
    pub fn percent(&self) -> [String; 3] {
        match self.share {
            None => ["–", "–", "–"].map(String::from),
            Some(share) => [share, self.low, self.high].map(|it| format!("{:.1} %", 100.0 * it)),
        }
    }
}

/// In percent with its bounds, as a [`Share`](super::Share) prints it: `84.5 (82.1–86.7)`; a dash without points.
impl fmt::Display for ClusteredShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(share) = self.share else { return f.pad("–") };
        let [share, low, high] = [share, self.low, self.high].map(percent);
        f.pad(&format!("{share} ({low}–{high})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::draws::{Draws, least};
    use crate::statistics::number::ALPHA;

    #[track_caller]
    fn check(clusters: &[(u64, u64)], expected: &str) {
        let clusters: Vec<Cluster> = clusters.iter().map(|&(count, of)| Cluster { count, of }).collect();
        let found = ClusteredShare::new(&clusters);
        let (share, [low, high]) = found.digits();
        let share = share.unwrap_or("–".into());
        assert_eq!(format!("{share} {low} {high} of {}", found.effective_digits()), expected);
    }

    #[test]
    fn known_values() {
        // v = 10/9 · (8·0.2² + 2·0.8²) / 10² = 0.01778, so n' = 0.16 / v = 9 of 10.
        let eight_of_ten: Vec<_> = (0..10).map(|at| (u64::from(at < 8), 1)).collect();
        check(&eight_of_ten, "0.8000 0.4219 0.9789 of 10.0");
        // If all points agree, v is 0 and n' = 4² / (1 + 1 + 4) = 2.667: 0.025^(1/n') and its rest.
        check(&[(1, 1), (1, 1), (2, 2)], "1 0.2507 1 of 2.7");
        check(&[(0, 1), (0, 1), (0, 2)], "0 0 0.7493 of 2.7");
        // Four points of four trajectories: n' = 3. The same points of two that agree within: n' = 1.
        check(&[(1, 1), (1, 1), (0, 1), (0, 1)], "0.5000 0.03875 0.9613 of 4.0");
        check(&[(2, 2), (0, 2)], "0.5000 0.0003856 0.9996 of 2.0");
        // 0.1875 / (2 · 1.125 / 16) = 1.333 is less than (3 + 1)² / (9 + 1) = 1.6.
        check(&[(3, 3), (0, 1)], "0.7500 0.01881 1.000 of 1.6");
        // v = 0.03398 would give n' = 6.863, more than the weights leave.
        check(&[(10, 10), (2, 5), (0, 3), (1, 1), (4, 8)], "0.6296 0.1105 0.9777 of 3.7");
    }

    #[test]
    fn one_trajectory_is_one_draw_and_none_says_nothing() {
        check(&[(30, 40)], "0.7500 0.005735 1.000 of 1.0");
        check(&[(7, 7)], "1 0.02500 1 of 1.0");
        check(&[], "– 0 1 of 0.0");
        check(&[(0, 0)], "– 0 1 of 0.0");
        assert_eq!(ClusteredShare::new(&[]).percent(), ["–", "–", "–"]);
        let one = ClusteredShare::new(&[Cluster { count: 7, of: 7 }]);
        assert_eq!(one.percent(), ["100.0 %", "2.5 %", "100.0 %"]);
    }

    #[test]
    fn neither_the_unit_of_the_weights_nor_the_order_matters() {
        let clusters = [(10, 10), (2, 5), (0, 3), (1, 1), (4, 8)];
        let of = |scale: u64, at: &[usize]| {
            let cluster =
                |at: &usize| Cluster { count: scale * clusters[*at].0, of: scale * clusters[*at].1 };
            let found = ClusteredShare::new(&at.iter().map(cluster).collect::<Vec<_>>());
            (found.digits(), found.effective_digits())
        };
        assert_eq!(of(1, &[0, 1, 2, 3, 4]), of(1_000, &[0, 1, 2, 3, 4]));
        assert_eq!(of(1, &[0, 1, 2, 3, 4]), of(1, &[3, 1, 4, 2, 0]));
    }

    /// The coverage of the interval, summed over every outcome of trajectories with these weights whose points all
    /// agree.
    fn coverage(weights: &[u64], p: f64) -> f64 {
        let outcomes = 0..1_u32 << weights.len();
        outcomes
            .map(|outcome| {
                let mut chance = 1.0;
                let mut clusters = Vec::new();
                for (at, &of) in weights.iter().enumerate() {
                    let has = outcome >> at & 1 == 1;
                    chance *= if has { p } else { 1.0 - p };
                    clusters.push(Cluster { count: if has { of } else { 0 }, of });
                }
                let found = ClusteredShare::new(&clusters);
                if found.low <= p && p <= found.high { chance } else { 0.0 }
            })
            .sum()
    }

    #[test]
    fn at_least_95_of_100_intervals_hold_the_truth() {
        let heavy = [1, 1, 1, 1, 2, 2, 3, 4, 8, 20];
        for weights in [[1; 10], heavy, [1, 1, 1, 1, 1, 1, 1, 1, 1, 50]] {
            for p in [0.02, 0.1, 0.3, 0.5, 0.8, 0.95] {
                let covered = coverage(&weights, p);
                assert!(covered >= 1.0 - ALPHA, "{weights:?}, p = {p}: {covered}");
            }
        }
    }

    /// The coverage for correlated points: the probability of a trajectory is 0, half, one and a half or twice the
    /// common one.
    fn simulated(runs: u32, trajectories: u32, p: f64) -> f64 {
        let mut draws = Draws::new(u64::from(trajectories) ^ p.to_bits());
        let holds = |_: &u32| {
            let clusters: Vec<Cluster> = (0..trajectories)
                .map(|_| {
                    let own = [0.0, 0.5, 1.5, 2.0][usize::try_from(draws.between(0, 3)).expect("small")] * p;
                    let of = draws.between(5, 60);
                    Cluster { count: draws.count(of, own), of }
                })
                .collect();
            let found = ClusteredShare::new(&clusters);
            found.low <= p && p <= found.high
        };
        (0..runs).filter(holds).count() as f64 / f64::from(runs)
    }

    #[test]
    fn they_hold_it_also_where_points_of_a_trajectory_resemble_each_other() {
        const RUNS: u32 = 300;
        for (trajectories, p) in [(50, 0.001), (50, 0.02), (50, 0.3), (200, 0.005), (200, 0.1), (200, 0.45)] {
            let share = simulated(RUNS, trajectories, p);
            assert!(share >= least(RUNS), "{trajectories} trajectories, {p}: {share}");
        }
    }
}
