//! Known values of rates, and the coverage of their intervals.

use super::*;
use crate::statistics::draws::{Draws, least};

/// The sums over trials of (events, turns).
fn sums(trials: &[(u32, u32)]) -> RateSums {
    let mut sums = RateSums::default();
    for &(events, turns) in trials {
        sums.add(events, turns);
    }
    sums
}

#[track_caller]
fn check(trials: &[(u32, u32)], expected: &str) {
    assert_eq!(Rate::new(&sums(trials)).to_string(), expected);
}

#[test]
fn no_events_leave_open_what_no_disturbed_trial_leaves_open() {
    // −ln 0.025 = 3.689 of 1,000 trials, of 300, and of 20, however long they are.
    for turns in [5, 60] {
        check(&vec![(0, turns); 1_000], "0 (0–3.689)");
        check(&vec![(0, turns); 300], "0 (0–12.30)");
        check(&[(0, turns); 20], "0 (0–184.4)");
    }
    check(&[(0, 1), (0, 3)], "0 (0–2306)");
}

#[test]
fn the_variance_is_that_of_the_linearised_ratio() {
    // X = 9, Y = 60, r = 0.15, residuals 1, −2.5 and 1.5: v = 3/2 · 9.5 = 14.25. W = 1,400/60, r·W = 3.5, e =
    // 19.83, w = √((14.25 + 393.4) / 4) = 10.10. The quantiles were computed with another library.
    check(&[(4, 20), (2, 30), (3, 10)], "150.0 (22.73–754.7)");
    check(&[(0, 12), (3, 9), (1, 40), (0, 7), (0, 33), (2, 18), (0, 25), (0, 60)], "29.41 (3.104–349.3)");
}

#[test]
fn events_that_come_singly_show_that_bursts_are_rare() {
    let singly = |events: u32| (0..1_000).map(|at| (u32::from(at < events), 20)).collect::<Vec<_>>();
    check(&singly(1), "0.05000 (0.001265–2.644)");
    check(&singly(5), "0.2500 (0.08133–1.718)");
    // 173.2 to 229.7 as a Poisson count.
    check(&singly(200), "10.00 (8.789–11.37)");
}

#[test]
fn many_events_of_many_trials_are_nearly_normal() {
    // One event each in half of 100,000 trials of ten turns: a share of ½ ± 1.96·½/√100,000, a tenth of it
    // per turn.
    let trials: Vec<_> = (0..100_000).map(|at| (at % 2, 10)).collect();
    let (rate, [low, high]) = Rate::new(&sums(&trials)).per_thousand();
    assert_eq!(
        [rate.as_deref(), Some(low.as_str()), Some(high.as_str())],
        ["50.00", "49.69", "50.31"].map(Some)
    );
}

#[test]
fn trials_that_agree_are_worth_more_than_trials_that_do_not() {
    let alike: Vec<_> = (0..200).map(|_| (1, 20)).collect();
    let apart: Vec<_> = (0..200).map(|at| if at % 10 == 0 { (10, 20) } else { (0, 20) }).collect();
    let [alike, apart] = [alike, apart].map(|it| Rate::new(&sums(&it)));
    assert_eq!(alike.rate, apart.rate);
    assert!(apart.low < alike.low && alike.high < apart.high, "{alike} and {apart}");
}

#[test]
fn shards_add_up_and_order_and_empty_trials_do_not_matter() {
    let trials = [(0, 12), (3, 9), (1, 40), (0, 0), (0, 7)];
    let whole = sums(&trials);
    assert_eq!(sums(&trials[..2]).plus(&sums(&trials[2..])), whole);
    assert_eq!(sums(&trials[2..]).plus(&sums(&trials[..2])), whole);
    assert_eq!(sums(&[(0, 12), (3, 9), (1, 40), (0, 7)]), whole);
    assert_eq!([whole.trials, whole.disturbed], [4, 2]);
}

#[test]
fn no_turns_say_nothing_and_one_trial_little() {
    check(&[], "–");
    assert_eq!(Rate::new(&sums(&[(0, 0)])).per_thousand(), (None, ["0".into(), "inf".into()]));
    check(&[(0, 20)], "0 (0–3689)");
    check(&[(20, 20)], "1000 (12.66–1000)");
}

/// How the events of one trial are correlated.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Not at all.
    Independent,
    /// Three at a time.
    Bursts,
    /// In few trials, there in nearly every third turn.
    Prone,
    /// In few trials, there in every turn.
    Whole,
    /// The probability of a trial is drawn from 0, half, one and a half and four times the rate.
    Mixed,
    /// More in long trials.
    Long,
}

const KINDS: [Kind; 6] = [Kind::Independent, Kind::Bursts, Kind::Prone, Kind::Whole, Kind::Mixed, Kind::Long];

/// The events of one trial, with this mean probability per turn.
fn events(kind: Kind, draws: &mut Draws, rate: f64, turns: u64) -> u64 {
    match kind {
        Kind::Independent => draws.count(turns, rate),
        Kind::Bursts => 3 * draws.count(turns / 3, rate) + draws.count(turns % 3, rate),
        Kind::Prone => {
            let within = rate.max(0.3);
            if draws.chance(rate / within) { draws.count(turns, within) } else { 0 }
        }
        Kind::Whole => {
            if draws.chance(rate) {
                turns
            } else {
                0
            }
        }
        Kind::Mixed => {
            // (0 + ½ + 1½ + 4) / 6, the last two drawn as often as the first four.
            let share = [0.0, 0.0, 0.5, 0.5, 1.0, 4.0][usize::try_from(draws.between(0, 5)).expect("small")];
            draws.count(turns, share * rate)
        }
        // 5 to 60 turns: Σ y² / Σ y is 40.57.
        Kind::Long => draws.count(turns, rate * turns as f64 / 40.569_2),
    }
}

/// How many of this many intervals contain the true rate.
fn holding(kind: Kind, runs: u32, trials: u32, rate: f64) -> u32 {
    let mut draws = Draws::new(u64::from(trials) ^ rate.to_bits() ^ ((kind as u64) << 32));
    let holds = |_: &u32| {
        let mut sums = RateSums::default();
        for _ in 0..trials {
            let turns = draws.between(5, 60);
            let events = events(kind, &mut draws, rate, turns);
            sums.add(u32::try_from(events).expect("few"), u32::try_from(turns).expect("few"));
        }
        let found = Rate::new(&sums);
        found.low <= rate && rate <= found.high
    };
    u32::try_from((0..runs).filter(holds).count()).expect("few")
}

#[test]
fn at_least_95_of_100_intervals_hold_the_truth() {
    const RUNS: u32 = 300;
    for kind in KINDS {
        for (trials, rates) in [(50, [0.001, 0.01, 0.05, 0.2].as_slice()), (200, &[0.003, 0.03, 0.2])] {
            for &rate in rates {
                let share = f64::from(holding(kind, RUNS, trials, rate)) / f64::from(RUNS);
                assert!(share >= least(RUNS), "{kind:?}, {trials} trials, {rate}: {share}");
            }
        }
    }
    for kind in [Kind::Independent, Kind::Prone, Kind::Whole] {
        let share = f64::from(holding(kind, RUNS, 50, 0.95)) / f64::from(RUNS);
        assert!(share >= least(RUNS), "{kind:?}, 50 trials, 0.95: {share}");
    }
}

/// If a stack intervenes twice in every turn of a disturbed trial, its bounds are twice those of a single intervention.
#[test]
fn events_that_come_in_twos_are_held_as_often() {
    let once: Vec<_> = (0..40).map(|trial| (if trial < 3 { 10 } else { 0 }, 10)).collect();
    let twice: Vec<_> = once.iter().map(|(events, turns)| (2 * events, *turns)).collect();
    let [once, twice] = [once, twice].map(|trials| Rate::new(&sums(&trials)));
    assert!((twice.high - 2.0 * once.high).abs() < 1e-9, "{once} {twice}");
    // 17 in 10 turns: two a turn may be left. w = √(3² / 21), and of a gamma of mean 340 + w and variance w² the bound.
    check(&[(17, 10); 20], "1700 (1464–1710)");
}
