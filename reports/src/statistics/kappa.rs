//! Cohen's kappa: how far two readers agree beyond chance.
//!
//! Both put the same things into categories. `κ = (p − c) / (1 − c)`, with the share `p` of things that both put into
//! the same category, and the share `c` that would be the same by chance, `Σ aᵢ·bᵢ` over the categories, with the
//! shares `aᵢ` and `bᵢ` of things that one and the other put there (J. Cohen, *A coefficient of agreement for nominal
//! scales*, Educational and Psychological Measurement 20, 1960, 37–46).
//!
//! As in that paper, the bounds are those of `p`, with `c` taken as known. They are exact ones in place of its normal
//! ones, so they are no point where all are the same, and they count things of one cluster as alike ([`Share`]). A
//! formula that also has the error of `c` (J. L. Fleiss, J. Cohen and B. S. Everitt, *Large sample standard errors of
//! kappa and weighted kappa*, Psychological Bulletin 72, 1969, 323–327) is for large samples, and has no width where
//! all are the same.
//!
//! Measured for 20, 60 and 300 things, κ from 0 to 0.95, and categories that are even or of 90, 8 and 2 %: coverage was
//! 95 to 100 %.

use serde::Serialize;

use super::number::float;
use super::print::{digits, four, four_or_none};
use super::share::Share;

/// How far two readers agree beyond chance, with a 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Kappa {
    /// Cohen's kappa, from -1 to 1; none where both know a single category, so chance alone makes all the same.
    #[serde(serialize_with = "four_or_none")]
    pub kappa: Option<f64>,
    /// The lower bound; -1 without kappa.
    #[serde(serialize_with = "four")]
    pub low: f64,
    /// The upper bound; 1 without kappa.
    #[serde(serialize_with = "four")]
    pub high: f64,
}

impl Kappa {
    /// The agreement in this table: how many things the first reader put into the category of the row, and the second
    /// into that of the column. `same` is the share on its diagonal.
    ///
    /// # Panics
    /// If `same` is another share.
    #[must_use]
    pub fn new<const N: usize>(table: &[[u64; N]; N], same: &Share) -> Self {
        let diagonal: u64 = (0..N).map(|at| table[at][at]).sum();
        let of: u64 = table.iter().flatten().sum();
        assert_eq!((same.count, same.of), (diagonal, of), "the share of another table");
        let rows = (0..N).map(|at| table[at].iter().sum::<u64>());
        let columns = (0..N).map(|at| table.iter().map(|row| row[at]).sum::<u64>());
        let by_chance: f64 = rows.zip(columns).map(|(row, column)| float(row) * float(column)).sum();
        let chance = by_chance / (float(of) * float(of));
        if of == 0 || chance == 1.0 {
            return Self { kappa: None, low: -1.0, high: 1.0 };
        }
        let beyond = |share: f64| ((share - chance) / (1.0 - chance)).max(-1.0);
        let kappa = if diagonal == of { 1.0 } else { beyond(float(diagonal) / float(of)) };
        Self {
            kappa: Some(kappa),
            low: beyond(same.low),
            high: if same.high == 1.0 { 1.0 } else { beyond(same.high) },
        }
    }

    /// Kappa and its bounds with four significant digits, for programs.
    #[must_use]
    pub fn digits(&self) -> (Option<String>, [String; 2]) {
        (self.kappa.map(digits), [digits(self.low), digits(self.high)])
    }
}

/// Two decimals with the bounds, such as `0.49 (0.38 to 0.60)`; a dash without kappa.
impl std::fmt::Display for Kappa {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kappa {
            None => f.pad("–"),
            Some(kappa) => f.pad(&format!("{kappa:.2} ({:.2} to {:.2})", self.low, self.high)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::draws::{Draws, least};

    fn of_table<const N: usize>(table: &[[u64; N]; N]) -> Kappa {
        let same = (0..N).map(|at| table[at][at]).sum();
        Kappa::new(table, &Share::new(same, table.iter().flatten().sum()))
    }

    #[track_caller]
    fn check<const N: usize>(table: &[[u64; N]; N], expected: &str) {
        let (kappa, [low, high]) = of_table(table).digits();
        assert_eq!(format!("{} {low} {high}", kappa.unwrap_or("–".into())), expected);
    }

    /// Two judges of 200 patients (J. Cohen, *Weighted kappa*, Psychological Bulletin 70, 1968, 213–220, table 1), who
    /// prints 0.492. His normal bounds would be 0.492 ± 1.96·√(0.7·0.3 / 200) / 0.59, which is 0.384 to 0.599.
    #[test]
    fn cohens_example() {
        check(&[[88, 14, 18], [10, 40, 10], [2, 6, 12]], "0.4915 0.3752 0.5976");
        assert_eq!(of_table(&[[88, 14, 18], [10, 40, 10], [2, 6, 12]]).to_string(), "0.49 (0.38 to 0.60)");
    }

    #[test]
    fn known_values() {
        // No better than chance, worse than chance, and all apart.
        check(&[[25, 25], [25, 25]], "0 -0.2034 0.2034");
        check(&[[0, 10], [10, 0]], "-1.000 -1.000 -0.6631");
        // All the same: the share is 0.8316 to 1, and half of it is chance.
        check(&[[10, 0], [0, 10]], "1 0.6631 1");
        // One category alone, or nothing.
        check(&[[10, 0], [0, 0]], "– -1.000 1");
        check(&[[0, 0], [0, 0]], "– -1.000 1");
    }

    /// With probability κ both readers see the same category, and else each one of their own.
    #[test]
    fn at_least_95_of_100_intervals_hold_the_truth() {
        const RUNS: u32 = 300;
        for n in [20, 60, 300] {
            for truth in [0.0, 0.4, 0.8, 0.95] {
                for shares in [[0.34, 0.67], [0.5, 0.9], [0.9, 0.98]] {
                    let mut draws = Draws::new(n ^ f64::to_bits(truth) ^ f64::to_bits(shares[0]));
                    let holds = |_: &u32| {
                        let mut table = [[0; 3]; 3];
                        for _ in 0..n {
                            let mut category = || {
                                let unit = draws.unit();
                                shares.iter().filter(|share| unit >= **share).count()
                            };
                            let [one, other] = [category(), category()];
                            let other = if draws.chance(truth) { one } else { other };
                            table[one][other] += 1;
                        }
                        let found = of_table(&table);
                        found.low <= truth && truth <= found.high
                    };
                    let share = (0..RUNS).filter(holds).count() as f64 / f64::from(RUNS);
                    assert!(share >= least(RUNS), "{n} things, {truth}, {shares:?}: {share}");
                }
            }
        }
    }
}
