//! The weights of trials, and the sums after a merge.

use super::*;

#[test]
fn thresholds_are_those_of_a_poisson_variable_with_mean_1() {
    let (mut chance, mut sum) = (libm::exp(-1.0), 0.0);
    for (k, threshold) in THRESHOLDS.iter().enumerate() {
        sum += chance;
        chance /= (k + 1) as f64;
        let expected = 4_294_967_296.0 * sum;
        assert!((f64::from(*threshold) - expected).abs() <= 0.500_01, "{k}: {threshold} for {expected}");
    }
}

#[test]
fn weights_have_the_mean_and_the_spread_of_a_poisson_variable_and_are_not_correlated() {
    const TRIALS: u64 = 5_000;
    let weights: Vec<Weights> = (0..TRIALS).map(|seed| Weights::new(trial_key("lock", seed))).collect();
    let number = |it: u32| f64::from(it);
    let of = (TRIALS as f64) * REPLICATES as f64;
    let all = || weights.iter().flat_map(|it| it.0);
    let mean = all().map(number).sum::<f64>() / of;
    let variance = all().map(|it| (number(it) - 1.0) * (number(it) - 1.0)).sum::<f64>() / of;
    // A million draws: standard errors 0.001 and 0.0017 (the fourth moment of a Poisson variable is 4).
    assert!((mean - 1.0).abs() < 0.003, "{mean}");
    assert!((variance - 1.0).abs() < 0.005_2, "{variance}");
    // Between neighbours among the replicates, and among the trials.
    let product = |a: u32, b: u32| (number(a) - 1.0) * (number(b) - 1.0);
    let replicates =
        weights.iter().flat_map(|it| it.0.windows(2)).map(|it| product(it[0], it[1])).sum::<f64>();
    let trials =
        weights.windows(2).map(|it| it[0].0.iter().zip(it[1].0).map(|(a, b)| product(*a, b)).sum::<f64>());
    for sum in [replicates, trials.sum::<f64>()] {
        assert!((sum / of).abs() < 0.003, "{}", sum / of);
    }
}

#[test]
fn weights_are_a_matter_of_the_key_alone() {
    let first = |key| Weights::new(key).0[..12].to_vec();
    // Pinned: other weights would change every existing report.
    assert_eq!(first(trial_key("abandonment", 7)), PINNED);
    assert_ne!(first(trial_key("abandonment", 8)), PINNED);
    assert_ne!(first(trial_key("abandonmen", 7)), PINNED);
}

const PINNED: [u32; 12] = [0, 1, 2, 0, 2, 1, 3, 1, 0, 0, 0, 3];

/// Some trials as (key, numerator, denominator).
fn trials(of: u64) -> Vec<(u64, u64, u64)> {
    (0..of).map(|seed| (trial_key("lock", seed), 10 + seed % 7, 12 + seed % 5)).collect()
}

fn bootstrap(trials: &[(u64, u64, u64)]) -> Bootstrap {
    let mut sums = Bootstrap::default();
    for &(key, numerator, denominator) in trials {
        sums.add(key, numerator, denominator);
    }
    sums
}

#[test]
fn shards_add_up_to_the_same_bytes_in_any_order() {
    let mut trials = trials(90);
    let whole = bootstrap(&trials);
    let [first, rest] = [&trials[..31], &trials[31..]].map(bootstrap);
    assert_eq!(first.plus(&rest), whole);
    assert_eq!(rest.plus(&first), whole);
    trials.reverse();
    assert_eq!(bootstrap(&trials), whole);
    let text = serde_json::to_string(&whole).expect("plain numbers");
    assert_eq!(serde_json::from_str::<Bootstrap>(&text).expect("as written"), whole);
    let error = serde_json::from_str::<Bootstrap>("[[1,2],[3,4]]").expect_err("two pairs");
    assert!(error.to_string().starts_with("expected 201 pairs of sums, found 2"), "{error}");
}

#[test]
fn every_trial_counts_in_a_replicate_as_often_as_its_weight() {
    let found = bootstrap(&[(1, 10, 3), (2, 100, 5)]);
    let [a, b] = [1, 2].map(Weights::new);
    for at in 0..REPLICATES {
        let [a, b] = [&a, &b].map(|it| u64::from(it.0[at]));
        assert_eq!([found.numerators[at], found.denominators[at]], [10 * a + 100 * b, 3 * a + 5 * b]);
    }
    assert_eq!([found.numerator, found.denominator], [110, 8]);
}
