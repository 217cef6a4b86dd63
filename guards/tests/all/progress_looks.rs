//! The guard **progress** lets a call run whose answer can say something new: a retry after a step that may have mended
//! it, a look for the cause, a deed after pages that say nothing, and what the user wants to see several times.

use std::sync::Arc;

use crate::common::{Loop, Turn, calls};
use balk_guards::{Effect, Offer, Progress, Purpose, Tool};

fn run() -> Loop {
    let tools = [Tool::new("read").effect(Effect::ReadOnly), Tool::new("bash").purpose(Purpose::Shell)];
    Loop::with_offer(Progress::default(), Arc::new(Offer::new(tools)))
}

#[track_caller]
fn check(turns: impl IntoIterator<Item = Turn>, expected: &[&str]) {
    assert_eq!(run().said(turns), expected);
}

fn bash(command: &str) -> Turn {
    calls("bash", &format!(r#"{{"command":"{command}"}}"#))
}

fn read(path: &str) -> Turn {
    calls("read", &format!(r#"{{"path":"{path}"}}"#)).answers(&format!("text of {path}"))
}

#[test]
fn a_failing_call_runs_again_after_a_new_step_that_may_have_mended_it() {
    let invite = || bash("invite --room elm");
    let fails = || invite().fails("room elm is not in the directory");
    let before = || [fails(), read("a"), fails(), read("b"), fails()];
    let told = "5 note repeat 1";
    let alias = bash("alias elm elm-2").answers("alias created");
    check(before().into_iter().chain([alias, invite().answers("sent")]), &[told]);
    // A step that is known, or only looks, mends nothing.
    check(before().into_iter().chain([read("c"), invite()]), &[told, "7 block repeat 2"]);
}

#[test]
fn a_look_for_the_cause_runs_where_a_test_failed_in_several_spellings() {
    let spellings = ["just check", "just check --all", "CI=1 just check", "just -v check", "just check -j 1"];
    let more = ["just --unstable check", "just check --no-deps", "just check --locked"];
    let fails = |it: &&str| bash(it).fails("assertion failed at tests/tide.rs:41:5: left 11, right 14");
    let before = || spellings.iter().chain(&more).map(fails).collect::<Vec<_>>();
    let told = ["3 note same-failure 1", "7 block same-failure 2"];
    check(before().into_iter().take(6).chain([bash("just check --release")]), &told);
    check(
        before().into_iter().take(6).chain([bash("head -4 tests/tide.csv").answers("18.11.;11")]),
        &told[..1],
    );
}

#[test]
fn another_program_is_another_matter_than_pages_that_say_nothing() {
    let page = |n: usize| bash(&format!("buoy log --of north --page {n}")).answers("no entries on this page");
    let told = ["6 note same-answer 1", "13 block same-answer 2"];
    check((1..=13).map(page), &told);
    check((1..=12).map(page).chain([bash("alarm ack A-119").answers("no entries on this page")]), &told[..1]);
}

#[test]
fn what_the_user_wants_several_times_is_no_standstill() {
    let measure = |n: usize| bash("measure").answers(&format!("p50 {} ms", 90 + n * 7 % 31));
    let laps = || {
        (0..3).flat_map(move |n| {
            let set = |what: &str| bash(&format!("set {what}")).answers(&format!("variant {what}"));
            [set("on"), measure(n * 2), set("off"), measure(n * 2 + 1)]
        })
    };
    let said = |request: &str| {
        let mut run = run();
        run.user(request);
        run.said(laps())
    };
    assert_eq!(said("Compare the variants."), ["11 note repeat 1"]);
    assert_eq!(said("Compare the variants, each a few times."), [""; 0]);
}
