use super::*;
use crate::records::{Bench, Cell, HELP_TURNS, Lapse, RateSums, Seeds, plan};

fn gate(text: &str) -> Gate {
    text.parse().unwrap_or_else(|wrong| panic!("{text}: {wrong}"))
}

/// 50 trials of `repeating` and `polling` with `none` and `default`, with the changes of `change`.
fn bench(change: impl Fn(usize, usize, &mut Cell)) -> Bench {
    let mut bench = Bench::new(plan());
    for scenario in 0..2 {
        let mut cells = vec![Cell::default(); 2];
        for (stack, cell) in cells.iter_mut().enumerate() {
            cell.counts.trials = 50;
            change(scenario, stack, cell);
        }
        bench.add(scenario, &Seeds::range(0, 49), &cells).expect("the first seeds");
    }
    bench
}

/// The cells that fail, and what was found.
fn failed(bench: &Bench, gates: &[&str], sureness: Sureness) -> Vec<String> {
    let gates: Vec<Gate> = gates.iter().map(|text| gate(text)).collect();
    let found = |metric: Metric, scenario: usize, stack: usize| {
        metric.of(&bench.plan.scenarios[scenario], bench.cell(scenario, stack))
    };
    judge(&gates, sureness, bench, found).failed.iter().map(Failed::to_string).collect()
}

const BOTH: [Sureness; 2] = [Sureness::Certain, Sureness::Refuted];

#[test]
fn counts_are_judged_as_they_are_in_cells_under_test() {
    let bench = bench(|_, _, cell| {
        cell.counts.false_interventions = 3;
        cell.lapses.insert(Lapse::FalseIntervention, 7);
    });
    for sureness in BOTH {
        assert_eq!(failed(&bench, &["false_interventions>3", "false_interventions<3"], sureness), [""; 0]);
        assert_eq!(
            failed(&bench, &["@control: false_interventions >= 3"], sureness),
            [
                "polling with default: false_interventions 3; fails the gate @control: false_interventions >= 3"
            ]
        );
        assert_eq!(failed(&bench, &["none@repeating:false_interventions>5/2"], sureness).len(), 1);
        assert_eq!(failed(&bench, &["false_interventions<=3"], sureness).len(), 2);
    }
    let judged = judge(
        &[gate("default@repeating: false_interventions>0")],
        Sureness::Certain,
        &bench,
        |it, at, to| it.of(&bench.plan.scenarios[at], bench.cell(at, to)),
    );
    assert_eq!(judged.failed[0].again, "balk scenario repeating --seed 7 --guard default");
    // No single trial shows a share. The trials are those that were judged.
    let again = |text: &str| {
        let judged = judge(&[gate(text)], Sureness::Certain, &bench, |it, at, to| {
            it.of(&bench.plan.scenarios[at], bench.cell(at, to))
        });
        judged.failed[0].again.clone()
    };
    assert_eq!(again("default: recovery>1"), "balk scenario repeating --seeds 0-49 --guard default");
    // Not all metrics have a column there.
    assert_eq!(
        again("@repeating: missed<1"),
        "balk bench --suite repeating --guard default --seeds 0-49 --fail-on 'missed < 1'"
    );
}

#[test]
fn a_rate_is_judged_on_the_bound_that_is_asked_for() {
    // 48 of 50: 0.8629 to 0.9951.
    let bench = bench(|scenario, _, cell| {
        if scenario == 0 {
            (cell.counts.onsets, cell.counts.recovered, cell.counts.done) = (50, 48, 48);
        }
    });
    let check = |text: &str, fails: [usize; 2]| {
        let found = BOTH.map(|sureness| failed(&bench, &[text], sureness).len());
        assert_eq!(found, fails, "{text}");
    };
    check("recovery<0.86", [0, 0]);
    check("recovery<0.9", [1, 0]);
    check("recovery<0.996", [1, 1]);
    check("recovery>0.9", [1, 0]);
    check("recovery>0.86", [1, 1]);
    check("recovery>0.996", [0, 0]);
    assert_eq!(
        failed(&bench, &["recovery<9/10"], Sureness::Certain),
        ["repeating with default: recovery 48 of 50 (0.8629 to 0.9951); fails the gate recovery < 9/10"]
    );
}

#[test]
fn a_rate_is_counted_for_turns_by_trial() {
    let mut sums = RateSums::default();
    (0..50).for_each(|trial| sums.add(u32::from(trial < 5), 20));
    let bench = bench(|_, _, cell| cell.disturbed = sums);
    // 5 in 1,000 turns.
    for (text, fails) in [("false_rate>1", [2, 2]), ("false_rate>5", [2, 0]), ("false_rate>100", [0, 0])] {
        assert_eq!(BOTH.map(|sureness| failed(&bench, &[text], sureness).len()), fails, "{text}");
    }
}

#[test]
fn what_is_not_known_fails_only_where_it_has_a_meaning_and_must_be_certain() {
    let never_stuck = bench(|_, _, _| ());
    let check = |bench: &Bench, text: &str, certain: &[&str]| {
        let scenarios = |sureness| -> Vec<String> {
            failed(bench, &[text], sureness)
                .iter()
                .map(|it| it.split(' ').next().unwrap_or("").into())
                .collect()
        };
        assert_eq!(scenarios(Sureness::Certain), certain, "{text}");
        assert_eq!(scenarios(Sureness::Refuted), [""; 0], "{text}");
    };
    check(&never_stuck, "recovery<0.1", &["repeating"]);
    check(&never_stuck, "recovery>=0", &["repeating"]);
    check(&never_stuck, "unprompted>0.1", &[]);
    let mut empty = Bench::new(plan());
    for (text, fails) in [
        ("done<0.1", &["repeating", "polling"][..]),
        ("told<0.1", &["repeating", "polling"]),
        ("false_rate>9", &["repeating", "polling"]),
        ("recovery<0.1", &["repeating"]),
        ("false_interventions>0", &["repeating", "polling"]),
    ] {
        check(&empty, text, fails);
    }
    // If every trial is done, nobody need be told; if the goal cannot be reached, no trial is done.
    let done = bench(|_, _, cell| cell.counts.done = 50);
    check(&done, "told<0.9", &[]);
    empty.plan.scenarios[0].unreachable = Some("missing-input".into());
    check(&empty, "recovery<0.1", &[]);
    check(&empty, "done<0.1", &["polling"]);
}

/// A cell that is not judged is not one that holds.
#[test]
fn cells_with_nothing_to_count_are_counted_apart() {
    let bench = bench(|scenario, _, cell| {
        if scenario == 0 {
            (cell.counts.onsets, cell.counts.recovered, cell.counts.done) = (50, 48, 50);
        }
    });
    let tally = |text: &str| {
        let found = |it: Metric, at: usize, to| it.of(&bench.plan.scenarios[at], bench.cell(at, to));
        judge(&[gate(text)], Sureness::Certain, &bench, found).cells[0]
    };
    let of = |judged, failed, passed_over| Tally { judged, failed, passed_over };
    assert_eq!(tally("late<0.5"), of(1, 0, 1));
    assert_eq!(tally("told<1"), of(1, 1, 1));
    assert_eq!(tally("false_rate>5"), of(0, 0, 2));
    assert_eq!(tally("done<0.1"), of(2, 1, 0));
    // Nothing recovers in a control, so it has no such cell at all.
    assert_eq!(tally("unprompted>0.9"), of(1, 0, 0));
}

#[test]
fn a_gate_has_a_cell_only_where_its_metric_has_a_meaning() {
    let plan = plan();
    for (text, has) in [
        ("recovery<0.9", true),
        ("@control: recovery<0.9", false),
        ("@polling: unprompted>0", false),
        ("@control: done<1", true),
        ("@control: lost>0", true),
    ] {
        assert_eq!(gate(text).has_a_cell(&plan), has, "{text}");
    }
}

#[test]
fn every_metric_reads_a_figure_of_its_own() {
    let metrics = [
        ("false_interventions>0", 1),
        ("double_effects>0", 2),
        ("guard_faults>0", 3),
        ("not_told>0", 4),
        ("missed>0", 5),
        ("lost>0", 6),
        ("needless_questions>0", 7),
    ];
    for (text, value) in metrics {
        let bench = bench(|_, _, cell| {
            let counts = &mut cell.counts;
            match value {
                1 => counts.false_interventions = value,
                2 => counts.double_effects = value,
                3 => counts.guard_faults = value,
                4 => counts.not_told = value,
                5 => counts.missed = value,
                6 => cell.paired.lost = value,
                _ => counts.needless_questions = value,
            }
        });
        for (other, _) in metrics {
            assert_eq!(
                failed(&bench, &[other], Sureness::Certain).len(),
                if other == text { 2 } else { 0 },
                "{other}"
            );
        }
    }
    let rates = bench(|_, _, cell| {
        let counts = &mut cell.counts;
        (counts.onsets, counts.recovered, counts.unprompted) = (40, 30, 10);
        (counts.done, counts.handed_over) = (35, 5);
        for turns in [0, HELP_TURNS, HELP_TURNS, HELP_TURNS + 1] {
            cell.until_help.add(turns);
        }
    });
    for (text, found) in [
        ("default@repeating: recovery<1", "30 of 40"),
        ("default@repeating: done<1", "35 of 50"),
        ("default@repeating: told<1", "5 of 15"),
        ("default@repeating: unprompted<1", "10 of 30"),
        ("default@repeating: late<1", "37 of 40"),
    ] {
        assert!(failed(&rates, &[text], Sureness::Certain)[0].contains(found), "{text}");
    }
}

#[test]
fn gates_read_back_as_they_are_written() {
    for text in [
        "recovery < 0.9",
        "default: done >= 9/10",
        "@control: false_rate > 1",
        "no-tools{limit=2},duplicate=notice@stubborn: missed <= 3",
        "default@repeating (response.stubbornness=1/2): lost > 0",
    ] {
        assert_eq!(gate(text).to_string(), text);
        assert_eq!(gate(&text.replace(' ', "")).condition, gate(text).condition);
    }
}

#[track_caller]
fn refused(text: &str, says: &str) {
    let wrong = text.parse::<Gate>().expect_err("no gate");
    assert!(wrong.contains(says), "{text}: {wrong}");
}

#[test]
fn what_is_no_gate_is_refused() {
    refused("recovry<0.9", "`recovry` is not a metric; did you mean `recovery`?");
    refused("beauty>0", "known: false_interventions,");
    refused("recovery", "expected METRIC OP NUMBER");
    refused("recovery=0.9", "expected METRIC OP NUMBER");
    refused("<0.9", "expected METRIC OP NUMBER");
    refused("recovery<", "expected a number");
    refused("recovery<=>0.9", "expected a number");
    refused(": recovery<0.9", "expected STACK");
    refused("default@: recovery<0.9", "expected STACK");
    let no_such = |text: &str| gate(text).fits(&plan()).expect_err("not in the plan");
    assert_eq!(no_such("defualt: done<1").nearest.as_deref(), Some("default"));
    assert_eq!(no_such("@repeatin: done<1").nearest.as_deref(), Some("repeating"));
    assert_eq!(gate("default@polling: done<1").fits(&plan()), Ok(()));
}
