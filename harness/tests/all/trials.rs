//! Trials as a person reads them: each scenario without a guard, with its own guard and with the default stack. A
//! change of behaviour appears here as a diff of what happened.

use crate::common::recipe::recipe;
use balk::simulate::Simulation;
use balk_reports::records::TrialRecord;
use balk_reports::report::document::Screen;
use balk_reports::report::show;
use balk_scenarios::catalogue::{self, CATALOGUE};
use balk_scenarios::{Kind, WorldOptions};

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

/// For every other stubborn scenario: the shortest English run in which a guard had to act, and which reached its
/// goal or, if no run does, told the user.
#[test]
fn every_stubborn_scenario_with_the_default_stack() {
    const ABOVE: [&str; 2] = ["abandonment", "repeating"];
    // In these `default` recovers nothing yet.
    const UNSEEN: [&str; 3] = ["sentence-before-fences", "same-write-on-proceed", "fence-after-two"];
    let default = recipe("default");
    let listed = CATALOGUE
        .iter()
        .filter(|it| it.kind == Kind::Stubborn)
        .filter(|it| !ABOVE.contains(&it.name) && !UNSEEN.contains(&it.name));
    for listed in listed {
        let scenario = listed.read(&[]).expect("it is good");
        let simulation = Simulation::new(&scenario, &default, WorldOptions::default());
        let records = (0..100).map(|seed| simulation.record(seed, &[]));
        let english = |it: &TrialRecord| it.world.iter().any(|it| it.name == "language" && it.value == "en");
        let records: Vec<TrialRecord> = records.filter(english).collect();
        let shortest = |wanted: fn(&&TrialRecord) -> bool| {
            records.iter().filter(wanted).min_by_key(|it| (it.entries.len(), it.grade.interventions))
        };
        let recovers =
            |it: &&TrialRecord| it.grade.recovered() && it.grade.interventions + it.grade.resends > 0;
        let handed_over = |it: &&TrialRecord| it.grade.handed_over() && it.grade.interventions > 0;
        let record = shortest(recovers).or_else(|| shortest(handed_over));
        let page = show(record.expect("some run ends well, or is handed over"), Screen::default());
        insta::assert_snapshot!(format!("{}_default", listed.name), page);
    }
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
