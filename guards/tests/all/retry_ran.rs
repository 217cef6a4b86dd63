//! The retry-safety guard against spec R7: calls that ran in a broken attempt.

use crate::common::broken::{DOWN, failure, nothing, ran};
use crate::common::retries::{asks, resends, run};
use crate::common::{Loop, Turn, bare_offer, calls, offer, says};
use balk_guards::{
    AttemptCause, FinishReason, Guard, InterventionKind, LOST, Message, RetrySafety, Settlement, Status,
    ToolResult, View,
};

use AttemptCause::Disconnected;

// spec R7

/// What the guard adds to the results of a completion.
fn settled(turn: &Turn) -> Settlement {
    let guard = run().guard;
    let completion = turn.completion(&offer(), &mut 0);
    let results: Vec<ToolResult> =
        completion.calls.iter().map(|call| ToolResult::executed(call, Status::Ok, "ok")).collect();
    guard.settle(&completion, &results).expect("never breaks")
}

#[test]
fn r7_the_next_view_says_what_ran() {
    let mut run = run();
    let turn = says("I write, then send.")
        .and_calls("read", "{}")
        .and_calls("write_file", r#"{"path":"a"}"#)
        .and_calls("append", "{}")
        .fails("no")
        .and_calls("send_mail", "{}")
        .goes_missing();
    asks(
        &mut run,
        &turn,
        ran(&["read", "write_file", "append", "send_mail"]),
        "unsafe-execution-started",
        &[],
    );
    let note = run.interventions().next().expect("a note").clone();
    assert_eq!((note.kind, &*note.note.rule), (InterventionKind::Note, "ran-already"));
    let text = &note.note.text;
    for part in [
        "`write_file` (worked), `append` (failed)",
        "`send_mail` (its result was lost)",
        "again with the same arguments",
        "It is not known whether `send_mail` took effect: check first",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!text.contains("`read`"), "{text}");
    let view = View::of(&run.entries);
    assert!(view.messages().contains(&Message::User(text.clone())));
}

#[test]
fn r7_of_several_calls_of_a_tool_the_least_certain_counts() {
    let lost_first = calls("append", "1").goes_missing().and_calls("append", "2");
    let lost_last = calls("append", "1").fails("no").and_calls("append", "2").goes_missing();
    for turn in [lost_first, lost_last] {
        let mut run = run();
        asks(
            &mut run,
            &turn,
            ran(&["append"]),
            "unsafe-execution-started",
            &["`append` (its result was lost)."],
        );
        let said = &run.interventions().next().expect("a note").note.text;
        assert!(said.contains("had run: `append` (its result was lost)."), "{said}");
    }
}

#[test]
fn r7_nothing_is_said_of_calls_that_change_nothing_or_did_not_run() {
    let silent = Settlement::Accept(vec![]);
    let read = calls("read", "{}").and_calls("pytest", "{}").finishes(FinishReason::Error);
    assert_eq!(settled(&read), silent);
    for finish in [FinishReason::Stop, FinishReason::ToolCall, FinishReason::Length, FinishReason::NotGiven] {
        assert_eq!(settled(&calls("append", "{}").finishes(finish)), silent);
    }
    let completion = calls("append", "{}").finishes(FinishReason::Error).completion(&offer(), &mut 0);
    let refused = [ToolResult::refused(&completion.calls[0], "no")];
    assert_eq!(run().guard.settle(&completion, &refused), Ok(silent));
}

#[test]
fn r7_where_no_answer_was_lost_nothing_need_be_looked_for() {
    let turn = calls("append", "{}").and_calls("append", "[]").finishes(FinishReason::Error);
    let Settlement::Accept(notes) = settled(&turn) else { panic!() };
    assert_eq!(notes.len(), 1);
    assert!(notes[0].text.contains("`append` (worked).") && !notes[0].text.contains("look"));
}

#[test]
fn r7_the_lost_answer_says_so_itself() {
    assert!(LOST.contains("lost") && LOST.contains("may have taken effect"));
}

#[test]
fn r7_what_left_a_result_did_run_whatever_the_facts_say() {
    let words = ["`send_mail` (worked)"];
    asks(&mut run(), &calls("send_mail", "{}"), nothing(), "unsafe-execution-started", &words);
}

#[test]
fn r7_what_ran_is_forgotten_with_the_attempt() {
    let mut run = run();
    let mail = calls("send_mail", "{}").goes_missing();
    asks(&mut run, &mail, ran(&["send_mail"]), "unsafe-execution-started", &["its result was lost"]);
    let question =
        asks(&mut run, &Turn::default(), ran(&["send_mail"]), "unsafe-execution-started", &["question 2"]);
    assert!(!question.note.text.contains("its result was lost"), "{}", question.note.text);
}

#[test]
fn r7_what_ran_is_forgotten_when_the_user_speaks() {
    let broken = calls("append", "{}").finishes(FinishReason::Error);
    let mut run = run();
    run.pass(&broken, 1);
    run.user("Go on.");
    resends(&mut run, DOWN, nothing(), 0, 500);
}

#[test]
fn m2_the_model_is_not_told_the_name_of_a_tool_that_is_not_on_offer() {
    let mut run = Loop::with_offer(RetrySafety::default(), bare_offer());
    run.breaks(&calls("bash", "{}").goes_missing(), &failure(Disconnected, ran(&["bash"])));
    let said: Vec<_> = run.interventions().map(|it| it.note.text.clone()).collect();
    assert!(!said[0].contains("bash") && said[0].contains("not on offer"), "{}", said[0]);
    // The user is told the name: the tool is the reason.
    assert!(said[1].contains("`bash`"), "{}", said[1]);
}
