//! The no-tools guard against spec T1 and N8: what excuses a text, and what only looks like an excuse. Text may end the
//! task, and the user has asked for `hello.py`.

use std::sync::Arc;

use crate::common::{Loop, calls, says};
use crate::no_tools_evidence::{after, reads, writes};
use balk_guards::{CallRepair, Effect, NoTools, Offer, Stack, Tool};

const FIRST: &str = "retry no-call 1";

#[test]
fn t1_who_is_asked_to_show_it_may_show_code_and_not_ask_again() {
    let mut run = after(&[reads(), says("Shall I write it?")]);
    run.user("Just show it.");
    run.check(&says("Is it all right to begin?"), FIRST);
}

#[test]
fn t1_a_plan_again_has_several_numbered_steps_and_comes_before_any_call() {
    let mut run = after(&[says("- one: a\n- two: b\n- three: c")]);
    run.user("Proceed.");
    run.pass(&says("- four: d\n- five: e\n- six: f"), 1);
    let mut run = after(&[reads(), says("1. Look\n2. Write\n3. Run it")]);
    run.user("Proceed.");
    run.pass(&says("1. Look again\n2. Write it\n3. Run it and check"), 1);
}

#[test]
fn t1_a_question_excuses_a_claim_only_after_a_failure() {
    let claim = || says("I have finished hello.py. Anything else?");
    after(&[reads()]).check(&claim(), FIRST);
    after(&[writes("hello.py").fails("no")]).pass(&claim(), 1);
}

#[test]
fn t1_a_claim_is_none_where_no_tool_changes_anything() {
    let claim = says("All set! hello.py prints the greeting now.");
    let only = |effect| Arc::new(Offer::new([Tool::new("look").effect(effect)]));
    Loop::with_offer(NoTools::default(), only(Effect::ReadOnly)).pass(&claim, 1);
    Loop::with_offer(NoTools::default(), only(Effect::Unknown)).check(&claim, FIRST);
}

#[test]
fn n8_what_comes_next_is_announced_in_a_few_words() {
    let next = "What comes next could be src/greet.py.";
    after(&[writes("hello.py")]).check(&says(next), FIRST);
    let report = format!("{}{next}", "The notes say a good deal about style. ".repeat(12));
    after(&[writes("hello.py")]).pass(&says(&report), 1);
}

/// Only a short yes, to a question, without a question or a file of its own, answers the question.
#[test]
fn t1_what_is_more_than_a_yes_does_not_answer_a_question() {
    let asks = || says("May I create src/greet.py?");
    let asks_again = || says("Is it fine to create src/greet.py?");
    for (user, expected) in [
        ("Sure: of course!", FIRST),
        ("Sure: why not?", "pass"),
        ("Yes: but look at notes.md first.", "pass"),
        ("Yes: and remember that the greeting has to work in five languages, with names in each.", "pass"),
    ] {
        let mut run = after(&[writes("hello.py"), asks()]);
        run.user(user);
        run.check(&asks_again(), expected);
    }
    let mut run = after(&[writes("hello.py"), says("A file src/greet.py could hold it.")]);
    run.user("Sure: of course!");
    run.pass(&asks_again(), 1);
}

#[test]
fn t3_a_new_request_has_its_own_count_where_text_may_end_the_task() {
    let announces = || says("I'll list the files now…");
    let mut run = after(&[]);
    run.check(&announces(), FIRST);
    run.user("Then write the second file, main.rs.");
    run.check(&announces(), FIRST);
}

/// The text in place of which a call was made is forgotten, and no other.
#[test]
fn x4_a_repaired_call_does_not_make_an_earlier_text_new() {
    let guards = Stack::new(vec![Box::new(CallRepair::default()), Box::new(NoTools::default())]);
    let mut run = Loop::new(guards);
    run.check(&says("I'll list the files now…"), FIRST);
    run.check(&reads(), "pass");
    run.check(&says("It has three lines."), "pass");
    run.check(&calls("Read", r#"{"path":"a.md"}"#), "repair tool-name 1");
    run.check(&says("It has three lines."), "ask limit 1");
}
