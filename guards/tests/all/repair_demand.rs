//! Repairs after a guard asked for a call, and of files that were finished before.

use crate::common::{Loop, calls, outline, says};
use crate::repair::{APPEND, WRITE, offer, repaired, start};
use balk_guards::{CallRepair, NoTools, Protocol, Stack, Start};

/// A run in which the model was just asked for a call.
fn demanded() -> Loop {
    let stack = Stack::new(vec![Box::new(CallRepair::default()), Box::new(NoTools::default())]);
    let mut run =
        Loop::begun(stack, Start { model: "test".into(), protocol: Protocol::Tool, offer: offer() });
    run.check(&says("The file is next."), "retry no-call 1");
    run
}

#[test]
fn x2_the_answer_to_a_demand_for_a_call_is_one_whatever_stands_around_it() {
    let second = r#"{"name": "finish", "arguments": {}}"#;
    for answer in [
        format!("Here's the next call:\n\n```json\n{APPEND}\n```\n\nThis call adds a line."),
        format!("```json\n{APPEND}\n{second}\n```"),
        format!("1. The line:\n```json\n{APPEND}\n```\n2. The end:\n```json\n{second}\n```"),
    ] {
        let mut run = demanded();
        run.check(&says(&answer), "repair printed-call 1, notice printed-call 1");
        let completion = repaired(&run).expect("it is repaired");
        let made: Vec<_> = completion.calls.iter().map(|it| &*it.tool).collect();
        assert_eq!(made, ["append"], "only the first: the others were written before its result");
        assert!(completion.texts().all(|it| !it.contains("adds")), "what follows is cut");
        // The demand is answered. The same text later is one like any other.
        let later = outline(&run.turn(&says(&answer)));
        assert!(later.starts_with("retry") || later.starts_with("ask"), "{later}");
    }
}

#[test]
fn x2_an_example_or_a_question_stays_one_after_a_demand() {
    let mut asked_for = demanded();
    asked_for.user("Show me as JSON how you would write a file.");
    asked_for.check(&says(WRITE), "retry no-call 2");
    for silent in [
        format!("For example:\n{WRITE}"),
        format!("{WRITE}\n\nShall I make it?"),
        format!("> {WRITE}"),
        "```json\n{\"name\": \"write_file\", \"arguments\": {\"path\": \"<path>\"}}\n```".to_owned(),
        format!("```json\n{WRITE}\n// and then\n```"),
    ] {
        let mut run = demanded();
        run.turn(&says(&silent));
        assert!(repaired(&run).is_none(), "{silent}");
    }
    let mut run = demanded();
    run.check(&says("It adds a line.\nappend(path=\"a\", content=\"x\")"), "ask printed-call 1");
}

#[test]
fn x2_a_finished_file_is_not_written_again_from_a_text_unasked() {
    let written = calls("write_file", r#"{"path": "a", "content": "all of it"}"#);
    let mut run = start();
    run.turn(&written);
    run.user("Thanks. How did you do that?");
    run.check(&says(WRITE), "ask printed-call 1");
    let mut run = start();
    run.turn(&written);
    run.check(&says(WRITE), "repair printed-call 1, notice printed-call 1");
    let mut run = start();
    run.turn(&written);
    run.user("The file notes.md needs a heading.");
    run.check(&says(WRITE), "repair printed-call 1, notice printed-call 1");
    let mut run = start();
    run.turn(&calls("write_file", r#"{"path": "a", "content": "x"}"#).fails("disk full"));
    run.user("There is space now.");
    run.check(&says(WRITE), "repair printed-call 1, notice printed-call 1");
}
