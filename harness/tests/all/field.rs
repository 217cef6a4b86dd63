//! The field suite under the present guards: the verdict of every scenario, and the order in which stacks come out of
//! it. Both say what is so. A change of a guard may change them, and no guard may be changed in order to do so.

use std::fmt::Write;
use std::ops::RangeInclusive;

use crate::common::runs::{recovered, under};
use crate::common::scenario;
use balk_scenarios::Kind;
use balk_scenarios::catalogue::{CATALOGUE, FIELD, Listed};

const SEEDS: RangeInclusive<u64> = 0..=199;
/// Enough for a share over all scenarios of a suite, and for what holds in nine of ten runs.
const FEW: RangeInclusive<u64> = 0..=49;
const STACKS: [&str; 4] = ["none", "default", "hermes-like", "ceiling"];

/// What a stack did on a suite, or on one scenario.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    recovered: u64,
    stuck: u64,
    /// Healthy runs that did not reach their goal.
    lost: u64,
    controls: u64,
    false_interventions: u64,
    healthy_turns: u64,
}

impl Sum {
    fn of(listed: &Listed, seeds: RangeInclusive<u64>, stack: &str) -> Self {
        let runs = under(&scenario(listed.name, &[]), seeds, stack);
        let count = |is: fn(&balk_reports::records::Grade) -> bool| -> u64 {
            runs.iter().map(|run| u64::from(is(&run.grade))).sum()
        };
        match listed.kind {
            Kind::Stubborn => Self {
                recovered: u64::try_from(recovered(&runs)).expect("few runs"),
                stuck: count(|it| it.onset.is_some()),
                ..Self::default()
            },
            Kind::Control => Self {
                lost: count(|it| !it.goal),
                controls: count(|_| true),
                false_interventions: runs.iter().map(|it| u64::from(it.grade.false_interventions)).sum(),
                healthy_turns: runs.iter().map(|it| u64::from(it.grade.healthy_turns)).sum(),
                ..Self::default()
            },
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            recovered: self.recovered + other.recovered,
            stuck: self.stuck + other.stuck,
            lost: self.lost + other.lost,
            controls: self.controls + other.controls,
            false_interventions: self.false_interventions + other.false_interventions,
            healthy_turns: self.healthy_turns + other.healthy_turns,
        }
    }

    fn line(self, kind: Kind) -> String {
        match kind {
            Kind::Stubborn => format!("recovered {} of {}", self.recovered, self.stuck),
            Kind::Control => format!(
                "lost {} of {}, {} false interventions in {} healthy turns",
                self.lost, self.controls, self.false_interventions, self.healthy_turns
            ),
        }
    }
}

#[test]
fn the_order_of_stacks_in_the_field() {
    let mut verdicts = String::new();
    let [none, default, hermes, ceiling] = STACKS.map(|stack| {
        let mut all = Sum::default();
        for listed in FIELD {
            let sum = Sum::of(listed, SEEDS, stack);
            writeln!(verdicts, "{}, {stack}: {}", listed.name, sum.line(listed.kind)).expect("a string");
            all = all.and(sum);
        }
        for kind in [Kind::Stubborn, Kind::Control] {
            writeln!(verdicts, "all, {stack}: {}", all.line(kind)).expect("a string");
        }
        all
    });
    insta::assert_snapshot!("present_verdicts_of_the_field", verdicts);
    let less = |a: (u64, u64), b: (u64, u64)| a.0 * b.1 < b.0 * a.1;
    let recovers = |it: Sum| (it.recovered, it.stuck);
    let disturbs = |it: Sum| (it.false_interventions, it.healthy_turns);
    assert!(less(recovers(none), recovers(hermes)), "{none:?} {hermes:?}");
    assert!(less(recovers(hermes), recovers(default)), "{hermes:?} {default:?}");
    assert!(less(recovers(default), recovers(ceiling)), "{default:?} {ceiling:?}");
    assert!(less(disturbs(default), disturbs(hermes)), "{default:?} {hermes:?}");
    assert_eq!(default.lost, 0, "no healthy run is lost");
}

/// The guards grew up with the catalogue, and later with what these reports show; strangers write other pairs.
#[test]
fn default_recovers_about_as_much_in_the_field_as_in_the_catalogue() {
    let sum = |listed: &'static [Listed]| {
        let stubborn = listed.iter().filter(|it| it.kind == Kind::Stubborn);
        let reachable = stubborn.filter(|it| scenario(it.name, &[]).unreachable.is_none());
        reachable.map(|it| Sum::of(it, FEW, "default")).fold(Sum::default(), Sum::and)
    };
    let (field, catalogue) = (sum(FIELD), sum(CATALOGUE));
    let percent = |it: Sum| 100 * it.recovered / it.stuck;
    assert!(percent(field).abs_diff(percent(catalogue)) <= 10, "field {field:?}, catalogue {catalogue:?}");
}

/// The rules of the catalogue for a scenario that measures something.
#[test]
fn every_pair_measures_something() {
    for listed in FIELD {
        let [alone, best] = ["none", "ceiling"].map(|stack| Sum::of(listed, FEW, stack));
        match listed.kind {
            Kind::Stubborn => {
                assert!(10 * alone.stuck >= 9 * 50, "{}: nine in ten get stuck, {alone:?}", listed.name);
                assert!(2 * alone.recovered <= 50, "{}: at most half come back alone", listed.name);
                assert!(10 * best.recovered >= 9 * best.stuck, "{}: it can be recovered", listed.name);
            }
            Kind::Control => assert_eq!((alone.lost, best.lost), (0, 0), "{}: its work is done", listed.name),
        }
    }
}
