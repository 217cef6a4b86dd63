//! The tables of a bench that can be counted by hand.

use crate::common::small;
use crate::common::small::{bench, cost};
use balk_reports::records::{Bench, Beside, Cell, Grade, HELP_TURNS, Lapse, Outcome, Seeds, Suite};
use balk_reports::report::{Measure, Report};

fn report() -> Report {
    Report::new(&bench(small::SEEDS), &Beside::default())
}

#[track_caller]
fn check(found: impl ToString, expected: &str) {
    assert_eq!(found.to_string(), expected);
}

#[test]
fn recovery_is_of_the_stuck_whose_goal_can_be_reached() {
    let [none, default, peer] = &report().suites[0].rows[..] else { panic!("three stacks") };
    let shares = |it: &balk_reports::report::StackRow| {
        let it = &it.figures;
        [it.recovered, it.unprompted, it.missed, it.told, it.not_told, it.healthy_done]
            .map(|it| (it.count, it.of))
    };
    // Missed and not told are of both stubborn scenarios, told of the one that cannot be reached.
    assert_eq!(shares(none), [(4, 64), (4, 4), (128, 128), (0, 64), (124, 128), (64, 64)]);
    assert_eq!(shares(default), [(40, 64), (0, 40), (0, 128), (64, 64), (24, 128), (64, 64)]);
    assert_eq!(shares(peer), [(12, 64), (0, 12), (0, 128), (32, 64), (84, 128), (62, 64)]);
    // 0.025^(1/64) = 0.94400… from below.
    check(default.figures.told.percent(), "100.0 (94.4–100.0)");
    // In flat mode everybody does as the baseline does.
    assert_eq!(default.figures.recovered_flat.count, 4);
    assert_eq!(default.figures.recovered_drawn.count, 44);
}

#[test]
fn every_stack_stands_beside_the_baseline() {
    let rows = report().suites.remove(0).rows;
    assert_eq!((&rows[0].figures.against, rows[0].tokens_on_stubborn), (&None, None));
    let [default, peer] = [1, 2].map(|at| rows[at].figures.against.clone().expect("a comparison"));
    assert_eq!((default.difference.saved, default.difference.lost, default.difference.of), (36, 0, 64));
    // 2 / 2^36 and 2 / 2^8; of two tests the smaller counts twice.
    assert_eq!(default.p.digits(), "2.910e-11");
    assert_eq!(default.p_corrected.digits(), "5.821e-11");
    assert_eq!([peer.p, peer.p_corrected].map(|it| it.to_string()), ["0.0078", "0.0078"]);
    // Two lost of two that differ: 2 / 2^2, twice.
    let controls = rows[2].figures.against_on_controls.clone().expect("a comparison");
    assert_eq!(
        (controls.difference.lost, &*controls.p.digits(), &*controls.p_corrected.digits()),
        (2, "0.5000", "1")
    );
    // Both stubborn scenarios cost half. One control alone has no bounds.
    check(rows[1].tokens_on_stubborn.expect("a ratio"), "0.5000 (0.5000–0.5000)");
    check(rows[1].tokens_on_controls.expect("a ratio"), "1 (–)");
    check(
        report().suites.remove(0).compared.expect("two tests"),
        "2 comparisons; p-values are corrected for them (Holm), intervals are not",
    );
}

#[test]
fn healthy_runs_lost_and_turns_wasted_are_of_controls() {
    let rows = report().suites.remove(0).rows;
    let lost = rows[2].figures.healthy_lost;
    assert_eq!((lost.count, lost.of, lost.effective_count()), (2, 64, 64));
    // Every run has five turns.
    check(rows[2].turns_of_kept_controls.expect("kept runs"), "1 (–)");
    assert_eq!(rows[0].turns_of_kept_controls, None);
}

#[test]
fn suites_are_apart() {
    let mut bench = bench(small::SEEDS);
    bench.plan.scenarios[0].suite = Suite::Field;
    let suites = Report::new(&bench, &Beside::default()).suites;
    let found: Vec<_> = suites.iter().map(|it| (it.suite, it.stubborn, it.reachable, it.controls)).collect();
    assert_eq!(found, [(Suite::Written, 1, 0, 1), (Suite::Field, 1, 1, 0)]);
    let of = |at: usize| suites[at].rows[1].figures.recovered.of;
    assert_eq!([of(0), of(1)], [0, 64]);
}

/// Of 64 trials of one drawn cell every eight share a skeleton and its fate, so they are worth far fewer.
#[test]
fn in_drawn_worlds_the_skeleton_is_the_unit() {
    let mut bench = Bench::new(bench(1).plan);
    bench.plan.scenarios.iter_mut().for_each(|it| it.suite = Suite::Drawn);
    let mut cells = vec![Cell::default(); 3];
    for seed in 0..64 {
        let skeleton = format!("fix+cycle@{}", seed / 8);
        for cell in &mut cells {
            let grade = Grade { onset: Some(1), goal: seed % 16 < 8, turns: 9, ..Grade::default() };
            cell.take(&Outcome {
                seed,
                language: "en",
                skeleton: Some(&skeleton),
                grade: &grade,
                baseline: &grade,
                flat: &grade,
                drawn: &grade,
            });
        }
    }
    bench.add(0, &Seeds::range(0, 63), &cells).expect("the first seeds");
    let report = Report::new(&bench, &Beside::default());
    for share in [report.suites[0].rows[1].figures.recovered, report.scenarios[0].rows[1].figures.recovered] {
        assert_eq!((share.count, share.of), (32, 64));
        assert!((4..33).contains(&share.effective_count()), "{}", share.effective);
    }
    let mut written = Vec::new();
    bench.write(&mut written).expect("a vector takes all");
    assert_eq!(Bench::read(&written[..]).expect("as written"), bench);
}

#[test]
fn turns_are_counted_from_the_onset() {
    let rows = report().suites.remove(0).rows;
    check(rows[0].figures.until_help, "–");
    // Two scenarios are too few for bounds of the median of their medians. One can recover: trials are its unit.
    check(rows[1].figures.until_help, "1 (–)");
    assert_eq!(rows[1].figures.until_help.of, 2);
    check(rows[1].figures.stuck_for, "3 (3–3)");
}

/// Of 64 stuck trials a quarter is helped at the last turn in time, a quarter one turn later, and half never, though
/// half of these come back by themselves.
#[test]
fn help_is_late_after_eight_turns_and_where_none_comes() {
    let mut written = Bench::new(bench(1).plan);
    let mut drawn = Bench::new(bench(1).plan);
    drawn.plan.scenarios.iter_mut().for_each(|it| it.suite = Suite::Drawn);
    for (bench, skeleton) in [(&mut written, None), (&mut drawn, Some("fix+cycle@1"))] {
        let mut cells = vec![Cell::default(); 3];
        for seed in 0..64 {
            let first_help = [Some(3 + HELP_TURNS), Some(4 + HELP_TURNS), None, None][seed as usize % 4];
            let grade =
                Grade { onset: Some(3), first_help, goal: seed % 2 == 0, turns: 20, ..Grade::default() };
            for cell in &mut cells {
                cell.take(&Outcome {
                    seed,
                    language: "en",
                    skeleton,
                    grade: &grade,
                    baseline: &grade,
                    flat: &grade,
                    drawn: &grade,
                });
            }
        }
        bench.add(0, &Seeds::range(0, 63), &cells).expect("the first seeds");
        let report = Report::new(bench, &Beside::default());
        let late = report.scenarios[0].rows[1].figures.late;
        assert_eq!((late.count, late.of), (48, 64));
    }
    let mut record = Vec::new();
    drawn.write(&mut record).expect("a vector takes all");
    assert_eq!(Bench::read(&record[..]).expect("as written"), drawn);
}

#[test]
fn false_interventions_are_of_healthy_turns() {
    let rows = report().suites.remove(0).rows;
    let rate = rows[1].figures.false_on_controls;
    assert_eq!((rate.events, rate.turns, rate.trials), (8, 320, 64));
    check(rate.rate.expect("turns").to_string(), "0.025");
    assert_eq!(rows[1].figures.false_on_stubborn.turns, 512);
    let tables = report().false_interventions;
    let [_, shapes, _] = &tables.by_shape[..] else { panic!("three stacks") };
    assert_eq!((shapes.shapes, shapes.disturbed.len(), &*shapes.disturbed[0].scenario), (1, 1, "polling"));
    let [language] = &tables.by_language[..] else { panic!("all are in one language") };
    // Half of the seeds: 4 and 4 turns in the stubborn scenarios, 5 in the control; three units.
    assert_eq!(
        (&*language.language, language.rate.events, language.rate.turns, language.rate.trials),
        ("en", 8, 416, 3)
    );
    let [rule] = &tables.by_rule[..] else { panic!("one rule is ever false") };
    assert_eq!((&*rule.rule, rule.interventions, rule.rate.events, rule.rate.turns), ("rule", 136, 8, 832));
}

#[test]
fn only_what_holds_in_nearly_all_draws_is_ranked() {
    let ranking = report().ranking.expect("draws");
    assert_eq!((ranking.least, ranking.draws), (31, 32));
    // With drawn numbers `none` has seeds 0–3: draws 0 to 3. `default` has seeds 0–39, which is one in each
    // draw and one more in draws 0 to 7: in draws 0 to 3 it has one more than `none`, in the others too.
    assert_eq!(ranking.rows[1].before, ["none"]);
    assert_eq!(ranking.rows[0].behind, ["default"]);
    // `peer` has one done in draws 0 to 11: as many as `default` in draws 8 and 10.
    assert_eq!(ranking.rows[1].more_in, [32, 0, 30]);
    // `peer` has seeds 0–11: eight draws more than `none`, and ties elsewhere.
    assert_eq!(ranking.rows[2].more_in, [8, 0, 0]);
    assert!(ranking.rows[2].before.is_empty());
}

/// One draw in which the other has as many may be, two may not.
#[test]
fn a_tie_counts_for_nobody() {
    let before = |ties: usize| {
        let mut bench = bench(small::SEEDS);
        for draw in 0..ties {
            let own = bench.cell(0, 1).drawn_by.done[draw];
            bench.cells[0].drawn_by.done[draw] = own;
        }
        Report::new(&bench, &Beside::default()).ranking.expect("draws").rows[1]
            .before
            .contains(&"none".to_owned())
    };
    assert_eq!([1, 2].map(before), [true, false]);
}

#[test]
fn where_another_is_better_than_default_is_said() {
    let versus = report().versus.expect("there is a default");
    // One rival, two measures, three scenarios.
    assert_eq!((versus.comparisons, versus.counts.len()), (6, 2));
    let cell = |scenario: &str, stack: &str, measure: Measure| {
        let found = versus
            .cells
            .iter()
            .find(|it| it.scenario.starts_with(scenario) && it.stack == stack && it.measure == measure);
        found.expect("a cell in which something differs")
    };
    // One false intervention less in each of 8 of 32 draws of two trials: mean −0.125, sd 0.2200, ±0.0793.
    let quiet = cell("polling", "peer", Measure::FalseInterventions);
    assert_eq!((quiet.other, quiet.default, quiet.trials, quiet.is_better()), (0, 8, 64, true));
    check(quiet.difference, "−12.5 (−20.4 to −4.6)");
    // t = 3.215 on 31 degrees has p = 0.003; flipping eight signs has no less than 2 / 2^8 = 0.0078.
    assert_eq!(quiet.difference.p.digits(), "0.007812");
    // Six tests, one of which has a smaller p: five times that.
    assert_eq!(quiet.p_corrected.digits(), "0.03906");
    // Two trials fewer in draws 0 and 1 only: the least p of two signs is ½.
    assert_eq!(cell("polling", "peer", Measure::Done).difference.p.digits(), "0.5000");
    let count = |stack: &str, measure: Measure| {
        let it = versus.counts.iter().find(|it| it.stack == stack && it.measure == measure).expect("a count");
        (it.better, it.surely_better, it.worse, it.surely_worse, it.scenarios)
    };
    assert_eq!(count("peer", Measure::FalseInterventions), (1, 1, 0, 0, 3));
    assert_eq!(count("peer", Measure::Done), (0, 0, 1, 1, 3));
    let without = Bench { plan: without_default(), ..bench(small::SEEDS) };
    assert_eq!(Report::new(&without, &Beside::default()).versus, None);
}

fn without_default() -> balk_reports::records::Plan {
    let mut plan = bench(small::SEEDS).plan;
    plan.stacks[1].guard = "oracle".into();
    plan
}

#[test]
fn the_oracle_is_nobodys_rival() {
    let mut bench = bench(small::SEEDS);
    bench.plan.stacks[2].guard = "oracle".into();
    assert_eq!(Report::new(&bench, &Beside::default()).versus, None);
}

/// Of 16 odd draws, four have one more done of six trials: over two scenarios of two trials, ¼ each.
#[test]
fn a_number_that_moves_a_stack_is_found() {
    let table = report().sensitivity;
    assert_eq!(table.stacks.len(), 3);
    let done = |at: usize| table.stacks[at].shift.done.expect("stubborn scenarios");
    // Mean of the odd draws 4·¼ / 16 = 0.0625, of the even ones 0; variance 0.1875 / 30 / 8; t(30) = 2.0423.
    check(done(1), "+6.2 (+0.5 to +12.0)");
    check(done(0), "0.0 (0.0 to 0.0)");
    let [cell] = &table.cells[..] else { panic!("one cell moves") };
    assert_eq!(
        (&*cell.scenario, &*cell.stack, &*cell.parameter),
        ("repeating (n=1, m=2)", "default", "cause")
    );
    // The same, twice as large.
    check(cell.shift.done.expect("it is stubborn"), "+12.5 (+1.1 to +23.9)");
    check(cell.shift.false_interventions, "0.0 (0.0 to 0.0)");
}

#[test]
fn lapses_come_with_the_command_that_shows_them() {
    let lapses = report().lapses;
    let found: Vec<_> =
        lapses.iter().map(|it| (it.lapse, &*it.scenario, &*it.stack, it.count, &*it.command)).collect();
    let repeating = "repeating (n=1, m=2)";
    let set = "--set n=1 --set m=2";
    assert_eq!(
        found,
        [
            (
                Lapse::NotTold,
                repeating,
                "none",
                60,
                &*format!("balk scenario repeating --seed 4 --guard none {set}")
            ),
            (
                Lapse::NotTold,
                repeating,
                "default",
                24,
                &*format!("balk scenario repeating --seed 40 --guard default {set}")
            ),
            (
                Lapse::NotTold,
                repeating,
                "peer",
                52,
                &*format!("balk scenario repeating --seed 12 --guard peer {set}")
            ),
            (Lapse::NotTold, "gap", "none", 64, "balk scenario gap --seed 0 --guard none"),
            (Lapse::NotTold, "gap", "peer", 32, "balk scenario gap --seed 32 --guard peer"),
            (Lapse::NotTold, "polling", "peer", 2, "balk scenario polling --seed 0 --guard peer"),
            (
                Lapse::FalseIntervention,
                "polling",
                "default",
                8,
                "balk scenario polling --seed 0 --guard default"
            ),
        ]
    );
}

#[test]
fn a_record_that_is_not_whole_says_what_is_missing() {
    assert!(report().head.missing.is_empty());
    let head = Report::new(&bench(16), &Beside::default()).head;
    assert_eq!((head.planned, head.done), (576, 144));
    assert_eq!(head.missing.iter().map(|it| it.seeds).collect::<Vec<_>>(), [48, 48, 48]);
    assert_eq!((head.stubborn, head.reachable, head.controls), (2, 1, 1));
}

#[test]
fn cost_is_shown_beside_its_anchor() {
    let expense = Report::new(&bench(1), &Beside { cost: cost(), ..Beside::default() }).expense;
    let row = &expense.timed[0];
    assert_eq!([row.p50_anchors, row.p99_anchors].map(|it| it.to_string()), ["7.500", "25.00"]);
    check(expense.instructions[0].for_each_byte, "2.250");
}
