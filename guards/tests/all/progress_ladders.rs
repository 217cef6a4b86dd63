//! The progress guard: the ladders of its rules, from the first step to the end (spec P3).

use std::sync::Arc;

use crate::common::{Loop, Turn, calls, says};
use balk_guards::{Effect, Offer, Progress, Purpose, Tool};

fn offer() -> Arc<Offer> {
    Arc::new(Offer::new([
        Tool::new("read").effect(Effect::ReadOnly).parameters(r#"{"type":"object","required":["path"]}"#),
        Tool::new("write_file").effect(Effect::IdempotentWrite),
        Tool::new("replace").effect(Effect::Write),
        Tool::new("bash").purpose(Purpose::Shell),
    ]))
}

/// What the guard does under this rule in these turns, each step once.
#[track_caller]
fn check(rule: &str, turns: impl IntoIterator<Item = Turn>, expected: &[&str]) {
    check_said(rule, &Loop::with_offer(Progress::default(), offer()).said(turns), expected);
}

#[track_caller]
fn check_said(rule: &str, said: &[String], expected: &[&str]) {
    let mut steps: Vec<String> = Vec::new();
    for line in said {
        let words: Vec<&str> = line.split(' ').collect();
        let step = format!("{} {}", words[1], words[3]);
        if words[2] == rule && !steps.contains(&step) {
            steps.push(step);
        }
    }
    assert_eq!(steps, expected, "{said:?}");
}

const LADDER: [&str; 4] = ["note 1", "block 2", "ask 3", "stop 4"];

#[test]
fn calls_that_cannot_be_read_climb_to_the_end() {
    let wrong = |n: usize| {
        let arguments = [r#"{"file":"a"}"#, r#"{"name":"b","x":1}"#, r#"["a"]"#, "{path: a}"][n % 4];
        calls("read", arguments).fails("invalid input")
    };
    check("invalid-arguments", (0..12).map(wrong), &LADDER);
}

#[test]
fn a_call_that_grows_climbs_to_the_end() {
    let grown = |n: usize| {
        calls("bash", &format!(r#"{{"command":"cd app{}"}}"#, " && cd app".repeat(n))).answers("app")
    };
    check("growing-call", (0..24).map(grown), &LADDER);
}

#[test]
fn an_edit_to_and_fro_climbs_to_the_end() {
    let replace =
        |from: &str, to: &str| calls("replace", &format!(r#"{{"path":"a.py","old":"{from}","new":"{to}"}}"#));
    let swap = |n: usize| if n.is_multiple_of(2) { replace("x", "y") } else { replace("y", "x") };
    check("rewrite", (0..24).map(swap), &LADDER);
}

#[test]
fn a_write_of_what_is_there_climbs_to_the_end() {
    let write = |n: usize| match n % 2 {
        0 => calls("write_file", r#"{"path":"a.py","content":"same"}"#),
        _ => calls("read", &format!(r#"{{"path":"{n}"}}"#)).answers(&format!("text {n}")),
    };
    check("no-op", (0..40).map(write), &LADDER);
}

#[test]
fn cosmetic_changes_to_a_failing_call_climb_to_the_end() {
    let patched = |n: usize| {
        let name = format!("v{}", "w".repeat(n));
        let code = format!("import numpy as np; {name} = np.linalg.inv(np.zeros((2, 2))); print('the end')");
        calls("bash", &format!(r#"{{"command":"{code}"}}"#))
            .answers_something("Traceback:\nnumpy.linalg.LinAlgError: Singular matrix")
    };
    check("near-call", (0..40).map(patched), &LADDER);
}

#[test]
fn replies_that_are_refused_climb_to_the_end() {
    let refused = "Please answer with exactly ONE action in triple backticks, found 2 actions. Nothing was run; \
                   format your answer as the example shows.";
    let mut run = Loop::with_offer(Progress::default(), offer());
    run.said([calls("bash", r#"{"command":"ls"}"#)]);
    let mut said = Vec::new();
    for n in 0..24 {
        said.extend(run.said([says(&format!("Reply {n}."))]));
        run.user(refused);
    }
    check_said("refused-replies", &said, &["retry 1", "retry 2", "ask 3", "stop 4"]);
}

#[test]
fn the_same_text_climbs_to_the_end() {
    let plan = "I will now read the configuration, change the port and then start the server again.";
    check("repeated-text", (0..24).map(|_| says(plan)), &["retry 1", "retry 2", "ask 3", "stop 4"]);
}

#[test]
fn p1_a_go_ahead_is_no_evidence() {
    let rounds = [calls("read", "[1]").answers("a"), calls("read", "[2]").answers("b")];
    let said = |texts: [&str; 4]| {
        let mut run = Loop::new(Progress::default());
        for (round, text) in rounds.iter().cycle().zip(texts) {
            run.turn(round);
            run.user(text);
        }
        run.interventions().count()
    };
    assert_eq!(said(["Proceed.", "ok", "go on", "weiter"]), 1);
    let news = ["Fixed it.", "It is there now.", "I have moved it.", "You may look again."];
    assert_eq!(said(news), 0);
}
