//! What `balk check` says of valid files that are doubtful, where only trials show it.

use std::collections::BTreeSet;
use std::fs;

use crate::common::program::{balk, whole};
use balk::warnings::played;
use balk_scenarios::catalogue::listed;
use balk_scenarios::format::{check, template_of};
use balk_scenarios::toolsets;

const GOOD: &str = include_str!("../../../scenarios/tests/good.toml");

/// What trials of this text show.
#[track_caller]
fn warned(file: &str, text: &str) -> String {
    let checked = check(file, text, toolsets::catalogue()).unwrap_or_else(|wrong| panic!("{wrong}"));
    let shown: Vec<String> = played(&checked).iter().map(|it| it.render(false)).collect();
    shown.join("\n\n")
}

/// The good file, whose healthy actor goes on like this after its one call.
fn going_on(next: &str) -> String {
    let end = "\n[[healthy.state]]\nname = \"end\"\ntruth = [{ is = \"finished\" }]\nsays = \"excuse\"\n";
    format!("{GOOD}next = [{next}]\n{end}")
}

#[test]
fn a_healthy_actor_that_one_refusal_stops_is_shown() {
    let text = going_on(
        "{ when = \"failed\", to = \"work\" }, { when = \"refused\", to = \"end\" }, \
         { when = \"always\", to = \"end\" }",
    );
    insta::assert_snapshot!("warned_refused", warned("refused.toml", &text));
}

#[test]
fn a_healthy_actor_that_hears_the_refusal_is_fine() {
    let next = "{ when = \"failed\", to = \"work\" }, { when = \"always\", to = \"end\" }";
    assert_eq!(warned("goes-on.toml", &going_on(next)), "", "it tries once more before it goes on");
    assert_eq!(warned("good.toml", GOOD), "", "it tries again");
    assert_eq!(warned("starter.toml", &template_of("mine")), "");
}

#[test]
fn a_healthy_actor_that_never_does_its_task_is_shown() {
    let text = GOOD.replace("contains = \"#\" }]", "contains = \"no such text\" }]");
    insta::assert_snapshot!("warned_undone", warned("undone.toml", &text));
    let unreachable = text.replace("text\" }]\n", "text\" }]\nunreachable = \"missing-input\"\n");
    assert_eq!(warned("unreachable.toml", &unreachable), "", "nobody could do it");
}

#[test]
fn warnings_are_shown_and_change_no_exit_code() {
    let folder = tempfile::tempdir().expect("a directory can be made");
    let doubtful = GOOD.replace("[phrases.excuse]", "[phrases.unsaid]\nen = [\"Well.\"]\n\n[phrases.excuse]");
    fs::write(folder.path().join("doubtful.toml"), doubtful).expect("it can be written");
    fs::write(folder.path().join("good.toml"), GOOD).expect("it can be written");
    let check = whole(&mut balk(folder.path(), &["check", "doubtful.toml", "good.toml"]));
    insta::assert_snapshot!("check_doubtful", check);
}

#[test]
fn warnings_that_are_not_shown_are_counted() {
    let folder = tempfile::tempdir().expect("a directory can be made");
    let phrases: String = (0..60).map(|at| format!("[phrases.q{at}]\nany = [\"x\"]\n\n")).collect();
    let text = GOOD.replace("[phrases.excuse]", &format!("{phrases}[phrases.excuse]"));
    fs::write(folder.path().join("many.toml"), text).expect("it can be written");
    let check = whole(&mut balk(folder.path(), &["check", "many.toml"]));
    assert!(check.contains("10 more warnings are not shown") && check.contains(", 60 warnings"), "{check}");
}

#[test]
fn healthy_actors_do_their_task_after_one_refusal() {
    let files: BTreeSet<(&str, &str)> = listed().map(|it| (it.file, it.text)).collect();
    for (file, text) in files {
        assert_eq!(warned(file, text), "");
    }
}
