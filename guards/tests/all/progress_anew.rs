//! The guard **progress** finds the same step under other names: an element with a new reference, a question in
//! another order of words, a command in another spelling. Each stands beside the healthy row that looks like it.

use std::sync::Arc;

use crate::common::{Loop, Turn, calls};
use balk_guards::{Effect, Offer, Progress, Purpose, Tool};

fn run() -> Loop {
    let tools = [
        Tool::new("look").effect(Effect::ReadOnly),
        Tool::new("find_person").effect(Effect::ReadOnly),
        Tool::new("press"),
        Tool::new("edit_file"),
        Tool::new("set_status"),
        Tool::new("bash").purpose(Purpose::Shell),
    ];
    Loop::with_offer(Progress::default(), Arc::new(Offer::new(tools)))
}

#[track_caller]
fn check(turns: impl IntoIterator<Item = Turn>, expected: &[&str]) {
    assert_eq!(run().said(turns), expected);
}

/// References that a page gives its elements in its n-th version.
fn reference(n: usize, at: usize) -> String {
    format!("b_{:05x}", 0xa17e1 + n * 7919 + at * 613)
}

fn page(n: usize, text: &str) -> String {
    let [one, other] = [0, 1].map(|at| reference(n, at));
    format!(
        "Parking permit\n<button id=\"{one}\">Renew</button>\n<button id=\"{other}\">Print</button>\n<p>{text}</p>"
    )
}

fn press(what: &str, reference: &str, answer: &str) -> Turn {
    calls("press", &format!(r#"{{"what":"{what}","node":"{reference}"}}"#)).answers(answer)
}

fn seen(n: usize, text: &str) -> Turn {
    calls("look", "{}").answers(&page(n, text))
}

// An element with a new reference.

#[test]
fn a_button_that_is_pressed_again_on_an_unchanged_page_is_met_whatever_its_reference() {
    let pressed = |n: usize, text: &str| press("Renew", &reference(n, 0), &page(n + 1, text));
    let expired = |n| pressed(n, "The plate number is missing");
    check(
        [seen(0, "The plate number is missing")].into_iter().chain((0..5).map(expired)),
        &["5 note same-answer 1"],
    );
    let counted = |n| pressed(n, &format!("Renewed for {n} months"));
    check([seen(0, "Renewed for 0 months")].into_iter().chain((0..9).map(counted)), &[]);
}

#[test]
fn a_button_is_the_same_between_looks_and_the_next_one_of_a_list_is_another() {
    let in_turn = |place: fn(usize) -> usize| {
        let steps = move |n: usize| {
            [
                press("it", &reference(n, place(n)), r#"{"ok":true}"#),
                seen(n + 1, "The plate number is missing"),
            ]
        };
        [seen(0, "The plate number is missing")].into_iter().chain((0..5).flat_map(steps))
    };
    check(in_turn(|_| 0), &["8 note same-answer 1"]);
    let list = |n: usize| {
        let row = |at: usize| format!("<a id=\"{}\">bill {at}</a>\n", reference(n, at));
        format!("Your bills\n{}", (0..8).map(row).collect::<String>())
    };
    let next = |n: usize| press("it", &reference(n, n), &list(n + 1));
    check([calls("look", "{}").answers(&list(0))].into_iter().chain((0..8).map(next)), &[]);
}

// A question in other words.

fn find(name: &str) -> Turn {
    calls("find_person", &format!(r#"{{"name":"{name}"}}"#)).answers("[]")
}

#[test]
fn the_same_words_in_another_order_are_met_at_the_fourth_and_other_names_are_not() {
    let same = ["Olga Petrova", "Petrova Olga", "OLGA PETROVA", "Olga, Petrova", "Mrs Olga Petrova"];
    check(same.map(find), &["4 note same-answer 1"]);
    let others = ["Olga Petrova", "Petrova", "Olga", "Petrowa", "O. Petrov", "Olja Petrova", "Olga Petrenko"];
    check(others.map(find), &[]);
    let hotels = [
        "hotel Bremen",
        "hotel Bremen Adler",
        "hotel Bremen Krone",
        "hotel Bremen Post",
        "hotel Bremen Ratskeller",
    ];
    check(hotels.map(find), &[]);
}

// A command in another spelling.

fn bash(command: &str, answer: &str) -> Turn {
    calls("bash", &format!(r#"{{"command":"{command}"}}"#)).fails(answer)
}

fn edit(n: usize) -> Turn {
    calls("edit_file", &format!(r#"{{"path":"src/part{n}.ts","text":"const a{n} = 1"}}"#)).answers("edited")
}

#[test]
fn one_command_in_five_spellings_is_met_across_edits_and_other_commands_are_not() {
    let daemon = "error: cannot connect to the daemon 'vaultd', is it running?";
    let spelled = |commands: [&str; 5]| {
        let [one, two, three, four, five] = commands.map(|it| bash(it, daemon));
        [one, two, edit(1), three, four, edit(2), five]
    };
    let same = ["task seal", "cd . && task seal", "env CI=1 task seal", "task seal 2>&1", "time task seal"];
    check(spelled(same), &["7 note persisting-failure 1"]);
    let looks = ["task seal", "vaultctl info", "ps aux", "journalctl -u vaultd", "ls /run"];
    check(spelled(looks), &[]);
}

#[test]
fn a_log_that_is_named_after_the_time_is_no_other_failure() {
    let failed = |command: &str, n: usize| {
        bash(
            command,
            &format!("error: no tool 'certs'\nerror: the whole log is in 2024-05-01T10_0{n}_37_2{n}8Z-0.log"),
        )
    };
    let turns = [
        failed("pack dev", 1),
        failed("pack dev -v", 2),
        edit(1),
        failed("pack dev", 3),
        failed("npx pack dev", 4),
        edit(2),
        failed("pack dev --port 80", 5),
    ];
    check(turns, &["7 note persisting-failure 1"]);
}

#[test]
fn another_case_is_another_spelling_and_no_other_name() {
    let set = |field: &str, to: &str| {
        calls("set_status", &format!(r#"{{"id":"c-4","{field}":"{to}"}}"#))
            .fails("error: record c-4 is archived")
    };
    let turns = [set("state", "open"), set("State", "open"), set("state", "OPEN"), set("state", "Open")];
    check(turns, &["3 note near-call 1"]);
    let names = ["open", "paused", "closed", "waiting", "archived"].map(|it| set("state", it));
    check(names, &[]);
}
