//! Weighted shares of judged points, with intervals that know which points are of one trajectory.
//!
//! Points are drawn with unequal chances, and those of one trajectory resemble each other. So the share is a
//! ratio of two sums over trajectories, `p = Σ y_c / Σ w_c`, with the weight `w_c` of the points of trajectory
//! `c` and the weight `y_c` of those that had the outcome. Its variance is that of the linearised ratio (L. Kish,
//! *Survey Sampling*, 1965, ch. 6; C.-E. Särndal, B. Swensson and J. Wretman, *Model Assisted Survey Sampling*,
//! 1992, 5.5–5.7), the `n` trajectories taken as drawn one by one:
//!
//! `v = n / (n − 1) · Σ (y_c − p·w_c)² / (Σ w_c)²`
//!
//! `p ± 1.96·√v` would leave the range from 0 to 1, and be a point where all points agree. So the interval is
//! the exact one of so many independent points as are worth the same, `n' = p·(1 − p) / v`, with `p·n'` of
//! them: Clopper and Pearson's bounds, whose equations need no whole numbers (E. L. Korn and B. I. Graubard,
//! *Confidence intervals for proportions with small expected number of positive counts estimated from survey
//! data*, Survey Methodology 24, 1998, 193–201).
//!
//! `n'` is at most Kish's effective number of trajectories, `(Σ w_c)² / Σ w_c²`: what the weights alone leave of
//! `n` where a trajectory counts as one draw. That is all that is known where `v` is 0, and it keeps a heavy
//! trajectory from making `v` look small. The trajectory being the unit, Korn and Graubard's factor for the
//! degrees of freedom is 1.

use super::{ALPHA, digits, float, root};

/// The weights of one trajectory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cluster {
    /// Of the points that had the outcome.
    pub count: u64,
    /// Of all its points.
    pub of: u64,
}

/// A share of weighted points in clusters, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusteredShare {
    /// From 0 to 1; of no points there is none.
    pub share: Option<f64>,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    /// Kish's effective number of clusters.
    pub effective: f64,
}

impl ClusteredShare {
    /// The share over these clusters. A cluster without points counts for nothing.
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
        let (x, rest) = (p * worth, (1.0 - p) * worth);
        let low = if x > 0.0 { root(|it| super::beta(it, x, rest + 1.0) < ALPHA / 2.0) } else { 0.0 };
        let high =
            if rest > 0.0 { root(|it| 1.0 - super::beta(it, x + 1.0, rest) > ALPHA / 2.0) } else { 1.0 };
        Self { share: Some(p), low, high, effective }
    }

    /// Share and bounds with four significant digits: what programs get.
    #[must_use]
    pub fn digits(&self) -> (Option<String>, [String; 2]) {
        (self.share.map(digits), [digits(self.low), digits(self.high)])
    }

    /// Kish's effective number of clusters with one decimal.
    #[must_use]
    pub fn effective_digits(&self) -> String {
        format!("{:.1}", self.effective)
    }

    /// Share, lower and upper bound in percent with one decimal; dashes where there was no point.
    #[must_use]
    pub fn percent(&self) -> [String; 3] {
        match self.share {
            None => ["–", "–", "–"].map(String::from),
            Some(share) => [share, self.low, self.high].map(|it| format!("{:.1} %", 100.0 * it)),
        }
    }
}

fn square(value: f64) -> f64 {
    value * value
}
