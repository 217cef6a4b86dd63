//! Holm's correction of several p-values, and the note that goes with it.
//!
//! Of `m` hypotheses in the order of their p-values, the `k`-th has the adjusted
//! `max_{j ≤ k} min(1, (m − j + 1)·p_j)`. Rejecting those whose adjusted value is at most α rejects a true
//! hypothesis with a probability of at most α, however the tests depend on each other (S. Holm, *A simple sequentially
//! rejective multiple test procedure*, Scandinavian Journal of Statistics 6, 1979, 65–70). The correction covers
//! the p-values of one table. Intervals are not corrected: each is a statement about its own cell.

/// Adjusted p-values, in the order given.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest: f64 = 0.0;
    let mut left = p_values.len() as f64;
    for at in order {
        largest = largest.max((left * p_values[at]).min(1.0));
        adjusted[at] = largest;
        left -= 1.0;
    }
    adjusted
}

/// The note under a table with this many tests; none for a single test.
#[must_use]
pub fn compared(tests: usize) -> Option<String> {
    (tests > 1)
        .then(|| format!("{tests} comparisons; p-values are corrected for them (Holm), intervals are not"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjusted_values_are_those_of_the_procedure() {
        // 4·0.005, 3·0.01, 2·0.03, and 1·0.04 raised to the one before it.
        let found = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (found, expected) in found.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((found - expected).abs() < 1e-15, "{found} for {expected}");
        }
        assert_eq!(holm(&[0.9, 0.4, 0.9]), [1.0, 1.0, 1.0]);
        assert_eq!(holm(&[0.2]), [0.2]);
        assert_eq!(holm(&[]), [0.0; 0]);
    }

    #[test]
    fn the_order_of_the_tests_does_not_matter_and_no_value_gets_smaller() {
        let values = [0.3, 0.001, 0.02, 0.02, 0.7, 0.000_1];
        let found = holm(&values);
        let mut turned: Vec<f64> = values.to_vec();
        turned.reverse();
        let mut back = holm(&turned);
        back.reverse();
        assert_eq!(found, back);
        assert!(values.iter().zip(&found).all(|(p, adjusted)| p <= adjusted && *adjusted <= 1.0));
    }

    #[test]
    fn several_tests_are_said() {
        assert_eq!(compared(1), None);
        assert_eq!(
            compared(12).as_deref(),
            Some("12 comparisons; p-values are corrected for them (Holm), intervals are not")
        );
    }
}
