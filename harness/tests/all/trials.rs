//! Trials as a person reads them: a few pairs in full, and every scenario in short. A change of behaviour appears here
//! as a diff of what happened.

use std::sync::Arc;

use crate::common::outline::outline;
use crate::common::recipe::recipe;
use crate::common::runs::{Run, under};
use balk::simulate::Simulation;
use balk_reports::report::document::Screen;
use balk_reports::report::show;
use balk_scenarios::catalogue::{self, CATALOGUE};
use balk_scenarios::{Kind, Scenario, World, WorldOptions};

/// Runs one trial of a scenario; `sets` as on the command line.
fn page(name: &str, seed: u64, guard: &str, sets: &[(&str, &str)]) -> String {
    let sets: Vec<_> = sets.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario = catalogue::find(name).expect("the catalogue has it").read(&sets).expect("it is good");
    show(
        &Simulation::new(&scenario, &recipe(guard), WorldOptions::default()).record(seed, &sets),
        Screen::default(),
    )
}

#[test]
fn abandonment() {
    for guard in ["none", "abandonment", "default"] {
        insta::assert_snapshot!(format!("abandonment_{guard}"), page("abandonment", 45, guard, &[]));
    }
}

#[test]
fn explains_code() {
    for guard in ["none", "abandonment", "default"] {
        insta::assert_snapshot!(format!("explains-code_{guard}"), page("explains-code", 34, guard, &[]));
    }
}

#[test]
fn repeating() {
    // Without a guard nothing new happens in the 28 omitted turns.
    let short = page("repeating", 38, "none", &[("limits.turns", "12")]);
    insta::assert_snapshot!("repeating_none", short);
    for guard in ["duplicate", "default"] {
        insta::assert_snapshot!(format!("repeating_{guard}"), page("repeating", 38, guard, &[]));
    }
}

#[test]
fn test_edit_test() {
    for guard in ["none", "duplicate", "default"] {
        insta::assert_snapshot!(format!("test-edit-test_{guard}"), page("test-edit-test", 54, guard, &[]));
    }
}

/// For every stubborn scenario: of the runs that fail and of those that recover, the one of median length; for every
/// control, the run in which the guards did most. In short, and in English if there is such a run in English.
#[test]
fn every_scenario_with_the_default_stack() {
    for listed in CATALOGUE {
        let scenario = listed.read(&[]).expect("it is good");
        let runs = under(&scenario, 0..=99, "default");
        let page = match listed.kind {
            Kind::Stubborn => {
                let fails = median(&scenario, &runs, |run| run.grade.onset.is_some() && !run.grade.goal);
                let recovers = median(&scenario, &runs, |run| run.grade.recovered());
                format!("fails: {fails}\nrecovers: {recovers}")
            }
            Kind::Control => most_disturbed(&scenario, &runs),
        };
        insta::assert_snapshot!(format!("short_{}", listed.name), page);
    }
}

fn is_english(scenario: &Arc<Scenario>, run: &Run) -> bool {
    let drawn = World::draw(scenario, run.seed, WorldOptions::default()).drawn();
    drawn.iter().any(|(name, value)| name == "language" && value == "en")
}

/// The number of such runs, and the one of median length.
fn median(scenario: &Arc<Scenario>, runs: &[Run], wanted: impl Fn(&Run) -> bool) -> String {
    let all: Vec<&Run> = runs.iter().filter(|run| wanted(run)).collect();
    let english = all.iter().copied().filter(|run| is_english(scenario, run));
    let mut from: Vec<&Run> = english.collect();
    if from.is_empty() {
        from.clone_from(&all);
    }
    from.sort_by_key(|run| (run.grade.turns, run.trial.entries.len(), run.seed));
    match from.get(from.len() / 2) {
        None => format!("none of {} runs\n", runs.len()),
        Some(run) => format!("{} of {} runs, such as {}", all.len(), runs.len(), outline(run)),
    }
}

/// The number of runs in which the guards did something, and the one with most of it.
fn most_disturbed(scenario: &Arc<Scenario>, runs: &[Run]) -> String {
    let done = |run: &Run| run.grade.interventions + run.grade.resends;
    let disturbed = runs.iter().filter(|run| done(run) > 0).count();
    let most = |run: &&Run| {
        let grade = &run.grade;
        (done(run), !grade.goal, is_english(scenario, run), std::cmp::Reverse(run.seed))
    };
    let run = runs.iter().max_by_key(most).expect("a hundred runs");
    format!("guards act in {disturbed} of {} runs; the most in {}", runs.len(), outline(run))
}

#[test]
fn colours_change_nothing_but_the_colours() {
    let scenario = catalogue::find("repeating").expect("the catalogue has it").read(&[]).expect("it is good");
    let record = Simulation::new(&scenario, &recipe("default"), WorldOptions::default()).record(38, &[]);
    let colour = show(&record, Screen { colour: true, columns: None });
    let plain = show(&record, Screen::default());
    assert_eq!(anstream::adapter::strip_str(&colour).to_string(), plain);
    assert_ne!(colour, plain);
}
