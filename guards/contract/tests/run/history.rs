//! Runs that go on from a transcript, hosts that rewrite it, agents inside agents, and what the user is shown.

use balk_contract::{
    AttemptCause, AttemptFacts, Blocked, Choice, ChoiceKind, Compaction, Conclusion, Decision, Entry, Gap,
    GapKind, Limit, Limits, Message, Question, Recovery, Run, Speaker, Status, Step, Termination, ToolResult,
    UserAnswer, UserMessage, Verdict,
};

use crate::scripted::{Scripted, calls, committed, note, reviewing, run, take_a_step, text};

#[test]
fn a_resumed_run_goes_on_where_the_transcript_ends() {
    let mut first = run(Scripted::default());
    first.completed(calls(&["look"]));
    let resume = |to: usize| {
        let limits = Limits::NONE;
        Run::resume(Scripted::default(), first.transcript()[..to].to_vec(), limits).expect("a transcript")
    };
    let Step::Tools { calls, .. } = resume(3).step() else { panic!("the call is due") };
    assert_eq!(calls.len(), 1);
    assert_eq!(resume(2).step(), Step::Model { asked: 1 });
    assert!(resume(3).news().is_empty(), "what was committed before is no news");
    let fault = Run::resume((), Vec::new(), Limits::NONE).expect_err("nothing to go on from");
    assert_eq!(
        fault.to_string(),
        "guard run: expected a transcript that begins with its start, found an empty transcript"
    );
}

#[test]
fn a_run_that_is_resumed_at_a_question_still_waits_for_the_answer() {
    let choice = |kind| Choice { kind, label: "it".into() };
    let question = Question {
        note: note("Well?"),
        options: vec![choice(ChoiceKind::Continue), choice(ChoiceKind::Stop)],
    };
    let asking = || {
        let decision = Decision { verdict: Verdict::Ask(question.clone()), notices: vec![note("Look.")] };
        Scripted { review: vec![("send", decision)], ..Scripted::default() }
    };
    let broken = || Scripted { recovery: Some(Recovery::Ask(question.clone())), ..Scripted::default() };
    let gap = Gap {
        kind: GapKind::MissingCapability,
        missing: "a key".into(),
        tried: Vec::new(),
        explanation: "There is none.".into(),
        could_do: Vec::new(),
        resume: "go on".into(),
        constraint: Some(note("only what exists")),
    };
    let end = Termination::StoppedByGuard;
    let concluding = || Scripted {
        conclusion: Some(Conclusion { end: end.clone(), note: note("Lost."), gap: Some(gap.clone()) }),
        ..reviewing("send", Verdict::Stop(note("no further")))
    };
    let sends = |run: &mut Run<Scripted>| run.completed(calls(&["send"]));
    let breaks = |run: &mut Run<Scripted>| {
        run.failed(AttemptCause::Connect, "it broke", AttemptFacts::default());
    };
    type Case<'a> = (&'a dyn Fn() -> Scripted, &'a dyn Fn(&mut Run<Scripted>));
    let cases: [Case<'_>; 3] = [(&asking, &sends), (&broken, &breaks), (&concluding, &sends)];
    for (guard, drive) in cases {
        let mut first = run(guard());
        drive(&mut first);
        let Step::User(question) = first.step() else { panic!("{:?}", first.step()) };
        for kind in question.options.iter().map(|it| it.kind) {
            let again =
                |run: &mut Run<Scripted>| run.answered(UserAnswer { choice: kind, text: "so".into() });
            let mut straight = run(guard());
            drive(&mut straight);
            let resumed = Run::resume(guard(), straight.transcript().to_vec(), Limits::NONE);
            let mut resumed = resumed.expect("a transcript");
            assert_eq!(resumed.step(), straight.step());
            again(&mut straight);
            again(&mut resumed);
            assert_eq!((resumed.step(), resumed.transcript()), (straight.step(), straight.transcript()));
        }
    }
}

#[test]
fn a_host_that_keeps_the_transcript_itself_takes_it() {
    let mut first = run(Scripted::default());
    first.completed(calls(&["look"]));
    let mut taken = first.take_news();
    assert!(first.transcript().is_empty() && first.take_news().is_empty());
    take_a_step(&mut first);
    taken.extend(first.news().iter().cloned());
    assert!(first.take_news().is_empty(), "it was seen as news");
    first.completed(text("done"));
    taken.extend(first.take_news());
    // The run itself goes on as if nothing had been taken.
    let mut other = run(Scripted::default());
    other.completed(calls(&["look"]));
    take_a_step(&mut other);
    other.completed(text("done"));
    assert_eq!(taken, other.transcript());
    assert_eq!((first.step(), first.view()), (other.step(), other.view()));
}

#[test]
fn a_rewritten_history_is_a_transcript_that_is_folded_anew() {
    let mut first = run(Scripted::default());
    first.completed(calls(&["look"]));
    take_a_step(&mut first);
    first.completed(text("wrong way"));
    // The host takes the last answer back and goes on from before it.
    let kept = first.transcript()[..5].to_vec();
    let mut edited = Run::resume(Scripted::default(), kept, Limits::NONE).expect("a transcript");
    assert_eq!(edited.step(), Step::Model { asked: 1 });
    edited.completed(text("another way"));
    assert_eq!(committed(&edited), "completion result note completion");
    assert_eq!(edited.guard().seen.len(), edited.transcript().len());
    // Or it puts a summary in place of everything: the view begins anew.
    let mut run = run(Scripted::default());
    run.compacted(Compaction { summary: "all done but the last file".into() });
    assert_eq!(run.view().messages(), [Message::User("all done but the last file".into())]);
    assert_eq!(run.step(), Step::Model { asked: 1 });
}

#[test]
fn a_message_that_comes_unasked_is_in_the_next_request() {
    let mut run = run(Scripted::default());
    run.completed(calls(&["look"]));
    take_a_step(&mut run);
    run.said(UserMessage { from: Speaker::User, text: "Hurry.".into() });
    assert_eq!(committed(&run), "completion result note user");
    assert_eq!(run.view().messages().last(), Some(&Message::User("Hurry.".into())));
    assert_eq!(run.step(), Step::Model { asked: 1 });
}

#[test]
fn a_sub_agent_is_a_tool_to_its_parent() {
    let mut parent = run(Scripted::default());
    parent.completed(calls(&["look"]));
    let Step::Tools { calls: due, .. } = parent.step() else { panic!("{:?}", parent.step()) };
    let mut child = run(Scripted::default());
    child.completed(calls(&["send"]));
    take_a_step(&mut child);
    child.completed(text("found it"));
    take_a_step(&mut child);
    let said = "found it";
    parent.executed(vec![ToolResult::executed(&due[0], Status::Ok, said)]);
    assert_eq!(committed(&parent), "completion result note");
    assert!(!parent.guard().seen.contains(&"end"), "what happens inside is not the parent's");
    assert!(child.guard().seen.contains(&"end"));
}

#[test]
fn words_for_the_model_are_not_shown_to_the_user() {
    let decision =
        Decision { verdict: Verdict::Retry(note("for the model")), notices: vec![note("for the user")] };
    let guard = Scripted { review: vec![("send", decision)], ..Scripted::default() };
    let mut run = run(guard);
    run.completed(calls(&["send"]));
    let told: Vec<_> = run.news().iter().filter_map(Entry::notice).map(ToString::to_string).collect();
    assert_eq!(told, ["for the user"]);
}

#[test]
fn a_run_that_is_resumed_at_a_final_answer_waits_for_a_reply() {
    let notices = || Scripted {
        review: vec![("told", Decision { notices: vec![note("Look.")], ..Decision::pass() })],
        ..Scripted::default()
    };
    for said in ["plain", "told"] {
        let mut straight = run(notices());
        straight.completed(text(said));
        let resumed = Run::resume(notices(), straight.transcript().to_vec(), Limits::NONE);
        let mut resumed = resumed.expect("a transcript");
        assert_eq!((straight.step(), resumed.step()), (Step::Reply, Step::Reply));
        for run in [&mut straight, &mut resumed] {
            run.said(UserMessage { from: Speaker::User, text: "And then?".into() });
            assert_eq!(run.step(), Step::Model { asked: 1 });
        }
        assert_eq!(resumed.transcript(), straight.transcript());
    }
}

#[test]
fn a_call_without_a_result_is_due_after_the_results_of_others() {
    let guards: [fn() -> Scripted; 3] = [
        Scripted::default,
        // Both calls are refused, and the model is told why.
        || reviewing("look", Verdict::Retry(note("no"))),
        // The first call is blocked.
        || reviewing("look", Verdict::Block(vec![Blocked { call: 0, note: note("no") }])),
    ];
    for (nth, guard) in guards.into_iter().enumerate() {
        let mut straight = run(guard());
        straight.completed(calls(&["look", "send"]));
        if matches!(straight.step(), Step::Tools { .. }) {
            take_a_step(&mut straight);
        }
        // The log was cut after the first of two results.
        let is_result = |it: &Entry| matches!(it, Entry::Result(_));
        let cut = 1 + straight.transcript().iter().position(is_result).expect("a result");
        let resumed = Run::resume(guard(), straight.transcript()[..cut].to_vec(), Limits::NONE);
        let mut resumed = resumed.expect("a transcript");
        let due = if let Step::Tools { calls, .. } = resumed.step() { calls } else { Vec::new() };
        assert_eq!(
            due.iter().map(|it| &*it.id).collect::<Vec<_>>(),
            if nth == 1 { vec![] } else { vec!["c1"] }
        );
        if !due.is_empty() {
            take_a_step(&mut resumed);
        }
        assert_eq!((resumed.step(), resumed.transcript()), (straight.step(), straight.transcript()));
    }
}

#[test]
fn a_result_that_is_in_the_transcript_is_not_made_again() {
    let guard = || Scripted { reruns: 1, ..Scripted::default() };
    let mut first = run(guard());
    first.completed(calls(&["look", "send"]));
    let mut transcript = first.into_transcript();
    let Some(Entry::Completion(said)) = transcript.last() else { panic!("{transcript:?}") };
    transcript.push(Entry::Result(ToolResult::executed(&said.calls[0], Status::Error, "busy")));
    let mut resumed = Run::resume(guard(), transcript, Limits::NONE).expect("a transcript");
    take_a_step(&mut resumed);
    assert_eq!(committed(&resumed), "completion result result");
    assert_eq!(resumed.step(), Step::Model { asked: 1 });
}

#[test]
fn counts_of_a_transcript_do_not_overflow() {
    let mut first = run(Scripted::default());
    first.completed(calls(&["look", "look"]));
    take_a_step(&mut first);
    let tried = |mut entry: Entry| {
        if let Entry::Result(it) = &mut entry {
            it.tries = u32::MAX;
        }
        entry
    };
    let transcript = first.into_transcript().into_iter().map(tried).collect();
    let limits = Limits { calls: 3, ..Limits::NONE };
    let run = Run::resume(Scripted::default(), transcript, limits).expect("a transcript");
    assert_eq!(run.step(), Step::Ended(Termination::Limit(Limit::Calls)));
}
