//! Files of the first version of the format become files of this one.

use std::sync::Arc;

use balk_scenarios::format::{names, parse};
use balk_scenarios::migrate::{NotOld, Old, joined};
use balk_scenarios::{Kind, Scenario, toolsets};

const STUBBORN: &str = include_str!("../old/slow-page.toml");
const HEALTHY: &str = include_str!("../old/slow-page-control.toml");

fn old(text: &str) -> Old {
    Old::read(text).unwrap_or_else(|not| panic!("{not}"))
}

fn scenarios(text: &str) -> Vec<Arc<Scenario>> {
    parse("new.toml", text, toolsets::catalogue()).unwrap_or_else(|wrong| panic!("{wrong}"))
}

#[test]
fn two_twins_become_one_file_with_its_comments() {
    let text = joined(&old(STUBBORN), &old(HEALTHY)).expect("they share a world");
    let [stubborn, healthy] = &scenarios(&text)[..] else { panic!("two scenarios") };
    assert_eq!((&*stubborn.name, &*healthy.name), ("slow-page", "slow-page-control"));
    insta::assert_snapshot!(text);
}

#[test]
fn a_healthy_scenario_becomes_a_file_of_its_own() {
    let text = old(HEALTHY).alone();
    assert_eq!(names(&text), [("slow-page-control".to_owned(), Kind::Control)]);
    assert_eq!(scenarios(&text).len(), 1);
    let comments = |text: &str| text.lines().filter(|it| it.starts_with('#')).count();
    assert_eq!(comments(&text), comments(HEALTHY));
}

/// What counts in a correction is chosen for a run, so files that differ in it alone share a world.
#[test]
fn the_old_mode_of_the_response_is_dropped() {
    let with =
        |text: &str, mode: &str| text.replace("\nprofile = ", &format!("\nmode = \"{mode}\"\nprofile = "));
    let (stubborn, healthy) = (old(&with(STUBBORN, "features")), old(&with(HEALTHY, "flat")));
    assert_eq!((stubborn.mode.as_deref(), healthy.mode.as_deref()), (Some("features"), Some("flat")));
    assert_eq!(old(STUBBORN).mode, None);
    let text = joined(&stubborn, &healthy).expect("they share a world");
    assert_eq!(text, joined(&old(STUBBORN), &old(HEALTHY)).expect("they share a world"));
}

/// What both files have under one name, with different contents, is told apart.
#[test]
fn what_differs_and_belongs_to_the_healthy_actor_gets_a_name_of_its_own() {
    let with_count = |text: &str, to: u32| {
        text.replace("[numbers]\n", &format!("[numbers]\ntries = {{ from = 2, to = {to} }}\n"))
    };
    let stubborn = with_count(STUBBORN, 3);
    let healthy = with_count(HEALTHY, 5)
        .replace("en = [\"{page.path} is written.\"]", "en = [\"Written after {tries}.\"]")
        .replace("de = [\"{page.path} ist geschrieben.\"]", "de = [\"Fertig nach {tries}.\"]")
        .replace("when = \"user-spoke\"\n", "when = \"user-spoke\"\nvisits = \"tries\"\n");
    let text = joined(&old(&stubborn), &old(&healthy)).expect("they share a world");
    for line in [
        "tries = { from = 2, to = 3 }",
        "healthy_tries = { from = 2, to = 5 }",
        "[phrases.healthy_done]",
        "en = [\"Written after {healthy_tries}.\"]",
        "visits = \"healthy_tries\"",
        "says = \"healthy_done\"",
    ] {
        assert_eq!(text.lines().filter(|it| *it == line).count(), 1, "{line}\n{text}");
    }
    assert_eq!(scenarios(&text).len(), 2);
}

#[test]
fn worlds_that_differ_are_not_joined() {
    let healthy = HEALTHY
        .replace("turns = 30", "turns = 40")
        .replace("clears = [\"locked\"]", "clears = []")
        .replace("path = \"docs/faq.md\"", "path = \"docs/questions.md\"")
        .replace("en = [\"Proceed.\", \"Yes, go on.\"]", "en = [\"Proceed.\"]")
        .replace("minutes = { from = 2", "minutes = { from = 3");
    let conflicts = joined(&old(STUBBORN), &old(&healthy)).expect_err("they differ").to_string();
    assert_eq!(conflicts, "limits.turns, environment.rule, pool.page, phrases.locked, phrases.proceed");
}

#[test]
fn other_files_are_refused() {
    let refused = |text: &str| Old::read(text).map(|_| ()).expect_err("it is no old file").to_string();
    assert_eq!(refused(&old(HEALTHY).alone()), "a file that already says its format");
    assert_eq!(refused(&STUBBORN.replace("twin = \"slow-page-control\"\n", "")), "no `twin`");
    assert!(matches!(Old::read("name ="), Err(NotOld::NotToml(_))));
}
