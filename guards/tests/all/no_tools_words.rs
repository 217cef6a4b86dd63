//! The no-tools guard against spec T1 and T3: what a text does in place of a call, where text may end the task.

use crate::common::{Loop, Turn, calls, says, text};
use balk_guards::NoTools;

const FIRST: &str = "retry no-call 1";

/// A run in which text may end the task.
fn text_run() -> Loop {
    Loop::new(NoTools::default())
}

fn announces() -> Turn {
    says("I'll list the files now…")
}

#[test]
fn t3_where_text_may_end_the_task_one_correction_a_request_then_the_user_is_asked() {
    let mut run = text_run();
    for _ in 0..2 {
        run.check(&announces(), FIRST);
        run.check(&announces(), "ask limit 2");
        run.user("Then write the second file, main.rs.");
    }
}

#[test]
fn t1_the_same_again_after_a_nudge_is_a_mistake() {
    for (before, after) in [
        ("Done: all is written.", "Done: all is written."),
        ("Shall I write it?", "Is it all right to begin?"),
        ("```sh\nls\n```", "Paste this:\n```\nls -a\n```"),
    ] {
        let mut run = text_run();
        run.check(&calls("read", "{}"), "pass");
        run.check(&says(before), "pass");
        run.user("Yes, go on.");
        let decision = run.check(&says(after), FIRST);
        assert_eq!(text(&decision).contains("answered already"), after.contains('?'), "{after}");
    }
}

#[test]
fn t1_an_answer_to_what_the_user_said_is_no_mistake() {
    for (user, answer) in [
        ("No, that is all. Thank you!", "You are welcome."),
        ("I prefer the gift card.", "With the gift card it costs less."),
        ("Which one is faster?", "The first one."),
        ("Fine.", "Anything else is up to you."),
        ("Show it.", "```sh\nls\n```"),
    ] {
        let mut run = text_run();
        run.check(&says("Which of the two?"), "pass");
        run.user(user);
        run.check(&says(answer), "pass");
    }
    // A call settles the nudge; what follows may be its answer.
    let mut run = text_run();
    run.check(&says("Shall I look?"), "pass");
    run.user("Go on.");
    run.check(&calls("read", "{}"), "pass");
    run.check(&says("It has three lines."), "pass");
    run.check(&says("Shall I look?"), "pass");
    // After a correction, what was said before it is no answer.
    let mut run = text_run();
    run.check(&announces(), FIRST);
    run.check(&calls("read", "{}"), "pass");
    run.check(&says("It has three lines."), "pass");
    run.check(&says("It has three lines."), "ask limit 1");
}

#[test]
fn t1_who_has_tried_may_say_again_that_it_cannot_be_done() {
    let cannot = || says("I cannot complete this because the library is missing.");
    let mut run = text_run();
    run.check(&calls("write_file", "{}").fails("not found: d3"), "pass");
    run.check(&cannot(), "pass");
    for _ in 0..3 {
        run.user("Go on");
        run.check(&cannot(), "pass");
    }
    let mut run = text_run();
    run.check(&cannot(), "pass");
    run.user("Go on");
    run.check(&cannot(), FIRST);
}

#[test]
fn t1_a_printed_call_is_one_unless_the_request_speaks_of_calls() {
    let printed = || says(r#"{"name": "read", "arguments": {"path": "a.py"}}"#);
    text_run().check(&printed(), FIRST);
    let mut run = text_run();
    run.user("Show me as JSON how you would call it.");
    run.check(&printed(), "pass");
}

#[test]
fn t1_denied_access_is_one_before_any_call() {
    let denies = || says("I don't have access to your files.");
    text_run().check(&denies(), FIRST);
    let mut run = text_run();
    run.check(&calls("read", "{}").fails("permission denied"), "pass");
    run.check(&denies(), "pass");
}
