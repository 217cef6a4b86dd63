//! What is due when, what is committed, and what a host cannot get wrong in silence.

use std::sync::Arc;

use balk_contract::{
    AttemptCause, AttemptFacts, Blocked, Choice, ChoiceKind, Compaction, Completion, Entry, Guard, Limits,
    Message, Protocol, Question, Recovery, Repair, Run, Speaker, Start, Step, Termination, ToolResult,
    UserAnswer, UserMessage, Verdict, Wait,
};

use crate::scripted::{Scripted, calls, check, committed, note, offer, reviewing, take_a_step, text, works};

#[test]
fn a_run_without_objections_goes_from_the_model_to_the_tools_and_back() {
    let drive = |run: &mut Run<Scripted>| {
        assert_eq!(run.step(), Step::Model { asked: 1 });
        run.completed(calls(&["look", "send"]));
        take_a_step(run);
        assert_eq!(run.step(), Step::Model { asked: 1 });
        run.completed(text("It is done."));
        assert_eq!(run.step(), Step::Reply);
        run.said(UserMessage { from: Speaker::User, text: "And now?".into() });
        run.completed(text("Nothing."));
        take_a_step(run);
        assert_eq!(run.step(), Step::Ended(Termination::Finished));
    };
    let expected = "completion result result note completion user completion end";
    check(Scripted::default(), drive, expected);
}

#[test]
fn a_blocked_call_does_not_run_and_gets_its_result_in_its_place() {
    let block = Verdict::Block(vec![Blocked { call: 0, note: note("not that") }]);
    let drive = |run: &mut Run<Scripted>| {
        run.completed(calls(&["send", "look"]));
        let Step::Tools { calls, attempt: 1 } = run.step() else { panic!("{:?}", run.step()) };
        assert_eq!(calls.iter().map(|it| &*it.tool).collect::<Vec<_>>(), ["look"]);
        take_a_step(run);
    };
    let run = check(reviewing("send", block), drive, "completion result result note block");
    let texts: Vec<_> = run.transcript().iter().filter_map(result).map(|it| it.text.to_string()).collect();
    assert_eq!(texts, ["Not run: not that", "done"]);
}

fn result(entry: &Entry) -> Option<&ToolResult> {
    if let Entry::Result(result) = entry { Some(result) } else { None }
}

#[test]
fn a_refused_turn_runs_nothing_and_a_question_waits_for_its_answer() {
    let retry = reviewing("send", Verdict::Retry(note("do it otherwise")));
    let drive = |run: &mut Run<Scripted>| {
        run.completed(calls(&["send"]));
        assert_eq!(run.step(), Step::Model { asked: 1 });
    };
    check(retry, drive, "completion result feedback");

    let go_on = Choice { kind: ChoiceKind::Continue, label: "go on".into() };
    let stop = Choice { kind: ChoiceKind::Stop, label: "stop".into() };
    let question = Question { note: note("Well?"), options: vec![go_on, stop] };
    let ask = || reviewing("send", Verdict::Ask(question.clone()));
    let asked = |run: &mut Run<Scripted>| {
        run.completed(calls(&["send"]));
        assert_eq!(run.step(), Step::User(question.clone()));
    };
    let drive = |run: &mut Run<Scripted>| {
        asked(run);
        take_a_step(run);
    };
    check(ask(), drive, "completion result question answer");
    let drive = |run: &mut Run<Scripted>| {
        asked(run);
        run.answered(UserAnswer { choice: ChoiceKind::Stop, text: "stop".into() });
        assert_eq!(run.step(), Step::Ended(Termination::StoppedByUser));
    };
    check(ask(), drive, "completion result question answer end");
    let drive = |run: &mut Run<Scripted>| {
        asked(run);
        run.answered(UserAnswer { choice: ChoiceKind::Report, text: "report".into() });
    };
    let run = check(ask(), drive, "completion result question end");
    assert_fault(&run, "guard run: expected one of the choices of the question, found Report");
    let drive = |run: &mut Run<Scripted>| {
        asked(run);
        run.unanswered();
    };
    check(ask(), drive, "completion result question end");
}

#[test]
fn a_call_runs_again_when_a_guard_wants_it_and_one_result_is_committed() {
    let drive = |run: &mut Run<Scripted>| {
        run.completed(calls(&["look", "send"]));
        take_a_step(run);
        assert_eq!(run.step(), Step::Wait(Wait::exactly(7)));
        take_a_step(run);
        let Step::Tools { calls, attempt: 2 } = run.step() else { panic!("{:?}", run.step()) };
        assert_eq!(calls.len(), 1);
        take_a_step(run);
    };
    let guard = Scripted { reruns: 1, ..Scripted::default() };
    let run = check(guard, drive, "completion tried result result note");
    let tries: Vec<_> = run.transcript().iter().filter_map(result).map(|it| it.tries).collect();
    assert_eq!(tries, [2, 1]);
}

#[test]
fn a_failed_attempt_is_made_again_and_the_model_is_told_how_often() {
    let resend = Some(Recovery::resend(Wait { at_least: 5, at_most: 9 }));
    let drive = |run: &mut Run<Scripted>| {
        run.completed(Completion::default());
        assert_eq!(run.step(), Step::Wait(Wait { at_least: 5, at_most: 9 }));
        run.waited(6);
        assert_eq!(run.step(), Step::Model { asked: 2 });
        run.failed(AttemptCause::Connect, "", AttemptFacts::default());
        run.waited(5);
        assert_eq!(run.step(), Step::Model { asked: 3 });
        run.completed(text("Here I am."));
    };
    let guard = || Scripted { recovery: resend.clone(), ..Scripted::default() };
    check(guard(), drive, "failed failed completion");
    let drive = |run: &mut Run<Scripted>| {
        run.failed(AttemptCause::Connect, "", AttemptFacts::default());
        run.waited(10);
    };
    let run = check(guard(), drive, "end");
    assert_fault(&run, "guard run: expected a wait within the span that was due, found 10 ticks");
}

#[test]
fn a_failure_without_an_opinion_ends_the_run_in_the_providers_words() {
    let drive =
        |run: &mut Run<Scripted>| run.failed(AttemptCause::Connect, "no route", AttemptFacts::default());
    let run = check(Scripted::default(), drive, "failed end");
    assert_eq!(run.step(), Step::Ended(Termination::FatalExecution("no route".into())));
}

#[test]
fn calls_of_a_broken_attempt_run_and_the_failure_says_which() {
    let resend = Some(Recovery::resend(Wait::exactly(0)));
    let drive = |run: &mut Run<Scripted>| {
        run.interrupted(calls(&["send"]), AttemptCause::Disconnected, "gone", AttemptFacts::default());
        let Step::Tools { calls, .. } = run.step() else { panic!("{:?}", run.step()) };
        run.executed(vec![ToolResult::lost(&calls[0])]);
        take_a_step(run);
        assert_eq!(run.step(), Step::Model { asked: 1 });
    };
    let guard = Scripted { recovery: resend, ..Scripted::default() };
    let run = check(guard, drive, "completion result note failed");
    let Some(Entry::Failed(failed)) = run.transcript().last() else { panic!("it failed last") };
    let facts = &failed.failure.facts;
    assert_eq!(facts.started, ["send".into()]);
    assert_eq!((facts.tool_execution_started, facts.unsafe_side_effect_started), (Some(true), Some(true)));
}

#[test]
fn a_guard_whose_repair_takes_the_calls_of_a_broken_attempt_breaks() {
    let repair = Repair { note: note("no calls"), completion: Arc::new(text("It was not to be.")) };
    let guard = || Scripted {
        review: vec![("send", Verdict::Repair(repair.clone()).into())],
        recovery: Some(Recovery::resend(Wait::exactly(0))),
        ..Scripted::default()
    };
    let drive = |run: &mut Run<Scripted>| {
        run.interrupted(calls(&["send"]), AttemptCause::Disconnected, "gone", AttemptFacts::default());
    };
    let run = check(guard(), drive, "completion end");
    assert_fault(
        &run,
        "guard scripted: expected a repair that leaves a broken attempt at least one call, found none",
    );
    let whole = |run: &mut Run<Scripted>| run.completed(calls(&["send"]));
    check(guard(), whole, "completion repair");
}

/// A repair of a printed call: the text is replaced by the call that it shows.
fn repairing(to: &[&str]) -> Verdict {
    Verdict::Repair(Repair { note: note("made the call that was printed"), completion: Arc::new(calls(to)) })
}

#[test]
fn a_repair_takes_the_completions_place_and_is_judged_like_one() {
    let block = Verdict::Block(vec![Blocked { call: 0, note: note("not that") }]);
    let guard = Scripted {
        review: vec![("<look/>", repairing(&["look", "send"]).into()), ("send", block.into())],
        ..Scripted::default()
    };
    let drive = |run: &mut Run<Scripted>| {
        run.completed(text("<look/>"));
        take_a_step(run);
    };
    let run = check(guard, drive, "completion repair result result note block");
    let [Message::User(_), Message::Assistant(said), Message::Result { .. }, Message::Result { .. }, ..] =
        run.view().messages()
    else {
        panic!("{:?}", run.view().messages())
    };
    assert_eq!((said.has_text(), said.calls.len()), (false, 2), "the model sees what was made of its answer");
}

#[test]
fn a_guard_that_repairs_its_own_repair_breaks() {
    let guard = Scripted {
        review: vec![("<look/>", repairing(&["look"]).into()), ("look", repairing(&["send"]).into())],
        ..Scripted::default()
    };
    let run = check(guard, |run| run.completed(text("<look/>")), "completion repair end");
    assert_fault(&run, "guard scripted: expected one repair of a completion, found a second one");
}

#[track_caller]
fn assert_fault<G: Guard>(run: &Run<G>, expected: &str) {
    let Step::Ended(Termination::GuardFault(fault)) = run.step() else { panic!("{:?}", run.step()) };
    assert_eq!(&*fault, expected);
}

#[test]
fn a_host_that_forgets_a_duty_is_told_which() {
    let results = |run: &mut Run<Scripted>| run.executed(Vec::new());
    let run = check(Scripted::default(), results, "end");
    assert_fault(&run, "guard run: expected what came of asking the model, found results");

    let drive = |run: &mut Run<Scripted>| {
        run.completed(calls(&["look", "send"]));
        run.completed(text("already"));
    };
    let run = check(Scripted::default(), drive, "completion end");
    assert_fault(&run, "guard run: expected the results of the calls that are due, found a completion");

    let drive = |run: &mut Run<Scripted>| {
        run.completed(calls(&["look", "send"]));
        let Step::Tools { calls, .. } = run.step() else { panic!("{:?}", run.step()) };
        run.executed(works(&calls[..1]));
    };
    let run = check(Scripted::default(), drive, "completion end");
    assert_fault(&run, "guard run: expected results of the calls [c0, c1], found [c0]");

    let drive = |run: &mut Run<Scripted>| {
        run.completed(text("done"));
        run.compacted(Compaction { summary: "so far".into() });
    };
    let run = check(Scripted::default(), drive, "completion end");
    assert_fault(&run, "guard run: expected a message of the user, or the end of the run, found a summary");
}

#[test]
fn nothing_is_added_to_a_run_that_has_ended() {
    let drive = |run: &mut Run<Scripted>| {
        run.end(Termination::StoppedByUser);
        run.completed(text("hello?"));
        run.waited(1);
        run.unanswered();
    };
    check(Scripted::default(), drive, "end");
}

#[test]
fn bounds_end_the_run() {
    let limited = |limits: Limits| {
        let start = Start { model: "test".into(), protocol: Protocol::Text, offer: offer() };
        Run::new((), start, "Do it.", limits)
    };
    let mut run = limited(Limits { turns: 1, ..Limits::NONE });
    run.completed(calls(&["look"]));
    take_a_step(&mut run);
    assert_eq!(run.step(), Step::Ended(Termination::Limit(balk_contract::Limit::Turns)));

    let mut run = limited(Limits { calls: 1, ..Limits::NONE });
    run.completed(calls(&["look", "send"]));
    let Step::Tools { calls, .. } = run.step() else { panic!("{:?}", run.step()) };
    assert_eq!(calls.len(), 1);
    run.executed(works(&calls));
    assert_eq!(committed(&run), "completion result result end");
}
