//! The retry-safety guard against spec R3 to R6, hits and silence.

use std::sync::Arc;

use crate::common::broken::{
    DOWN, called, failure, nothing, promised, ran, shown, status, unknown, with_search,
};
use crate::common::retries::{asks, fails, resends, run, run_set, stops};
use crate::common::{Loop, Turn, calls, offer, says};
use balk_guards::retry_safety::{Recommendation, assess};
use balk_guards::{
    AttemptCause, AttemptFacts, AttemptFailure, AttemptResponse, Effect, EmptyCompletion, Entry,
    FailedAttempt, FinishReason, Guard, InterventionKind, Offer, Recovery, RetrySafety, RetrySafetyPolicy,
    RetrySafetySettings, Stack, Subject, Tool, Wait,
};
use serde_json::json;

use AttemptCause::{Connect, Disconnected, TimedOut};
use RetrySafetyPolicy::{Conservative, Facts, FastPath};

// spec R4

#[test]
fn r4_the_question_says_which_tool_and_what_became_of_it() {
    let mail = || calls("send_mail", r#"{"to":"a"}"#);
    for (turn, outcome) in [
        (mail().goes_missing(), "`send_mail` (its result was lost)"),
        (mail(), "`send_mail` (worked)"),
        (mail().fails("no"), "`send_mail` (failed)"),
        (mail().answers_something("?"), "`send_mail` (answered, but it is not known whether it worked)"),
    ] {
        let facts = ran(&["read", "send_mail"]);
        let words = ["the connection was lost", outcome, "repeat an action"];
        let question = asks(&mut run(), &turn, facts, "unsafe-execution-started", &words);
        assert_eq!(question.note.subject, Subject::Tool("send_mail".into()));
        assert!(question.options[1].label.contains("stays in the transcript"));
    }
}

#[test]
fn r4_what_is_not_in_the_transcript_is_not_said_to_be() {
    let words = ["`send_mail`."];
    let question =
        asks(&mut run(), &Turn::default(), ran(&["send_mail"]), "unsafe-execution-started", &words);
    assert_eq!(question.options[1].label, "ask the model again");
}

#[test]
fn r4_the_question_names_the_tool_that_the_provider_runs() {
    let mut run = Loop::with_offer(RetrySafety::default(), Arc::new(with_search()));
    let words = ["`web_search` is run by the provider", "nothing shows whether it ran", "no other tool ran"];
    let question = asks(&mut run, &Turn::default(), nothing(), "provider-executed-tool", &words);
    assert!(!question.note.text.contains("Nothing was done"), "{}", question.note.text);
}

#[test]
fn r4_where_the_provider_runs_a_tool_only_the_others_are_known_not_to_have_run() {
    let unsure = AttemptFacts { tool_execution_started: None, unsafe_side_effect_started: None, ..called() };
    let harmless = AttemptFacts { unsafe_side_effect_started: Some(false), ..unsure.clone() };
    for (facts, words) in [
        (nothing(), "no other tool ran"),
        (called(), "No other tool ran."),
        (shown(), "is incomplete. No other tool ran."),
        (unsure, "It is not known whether another tool ran."),
        (harmless, "If another tool ran, it changed nothing."),
    ] {
        let mut run = Loop::with_offer(RetrySafety::default(), Arc::new(with_search()));
        asks(&mut run, &Turn::default(), facts, "provider-executed-tool", &[words]);
    }
}

#[test]
fn r4_a_tool_that_began_twice_is_named_once() {
    let twice = calls("append", "1").goes_missing().and_calls("append", "2").goes_missing();
    let twice = twice.and_calls("send_mail", "{}").and_calls("append", "3").goes_missing();
    let words = ["These tools had started: `append` (its result was lost) and `send_mail` (worked)."];
    asks(
        &mut run(),
        &twice,
        ran(&["append", "append", "send_mail", "append"]),
        "unsafe-execution-started",
        &words,
    );
    let mut reads = run_set(RetrySafetySettings { retries: 0, ..RetrySafetySettings::default() });
    stops(
        &mut reads,
        DOWN,
        ran(&["read", "read"]),
        "transport-failure",
        &["Only read-only tools had started: `read`."],
    );
}

#[test]
fn r4_the_question_says_what_is_not_known() {
    let words = ["It is not known whether a tool ran"];
    asks(&mut run(), &Turn::default(), unknown(), "attempt-facts-incomplete", &words);
}

#[test]
fn r4_text_that_was_shown_is_resent_and_the_end_says_that_it_is_not_complete() {
    let mut run = run_set(RetrySafetySettings { retries: 1, ..RetrySafetySettings::default() });
    resends(&mut run, Disconnected, shown(), 0, 500);
    let words = ["incomplete", "No tool ran", "retrying once did not help"];
    let end = stops(&mut run, Disconnected, shown(), "answer-cut-off", &words);
    assert!(!end.contains("Nothing was done"), "{end}");
}

/// The notices of a run, in order.
fn notices(run: &Loop) -> Vec<&str> {
    let notices = run.interventions().filter(|it| it.kind == InterventionKind::Notice);
    notices.inspect(|it| assert_eq!(&*it.note.rule, "text-shown-again")).map(|it| &*it.note.text).collect()
}

#[test]
fn r4_who_saw_a_part_is_told_that_it_is_incomplete_and_comes_again() {
    let mut run = run();
    for _ in 0..2 {
        resends(&mut run, Disconnected, shown(), 0, 500);
        run.check(&says("The whole answer."), "pass");
    }
    let told = notices(&run);
    for part in ["incomplete", "the connection was lost", "twice", "only the text is repeated"] {
        assert!(told[0].contains(part), "{part:?} is missing in: {}", told[0]);
    }
    assert_ne!(told[0], told[1], "m1");
    assert_eq!(told.len(), 2);
    // It comes before what it announces.
    let (at, again) = run.entries.iter().enumerate().find(|(_, it)| it.notice().is_some()).expect("a notice");
    assert!(again.notice().is_some_and(|it| **it == *told[0]));
    assert!(
        matches!(run.entries[at - 1], Entry::Failed(_))
            && matches!(run.entries[at + 1], Entry::Completion(_))
    );
}

#[test]
fn r4_what_nobody_saw_needs_no_word() {
    let mut run = run();
    for facts in [nothing(), called(), AttemptFacts { visible_output: None, ..called() }] {
        resends(&mut run, Disconnected, facts, 0, 500);
        run.check(&says("Done."), "pass");
    }
    assert_eq!(run.interventions().count(), 0);
}

#[test]
fn r4_after_calls_the_answer_goes_on_and_is_not_said_to_come_again() {
    let mut run = run();
    let facts = AttemptFacts { visible_output: Some(true), ..ran(&["read"]) };
    let recovery = run.breaks(&says("I look.").and_calls("read", "{}"), &failure(Disconnected, facts));
    assert!(matches!(recovery, Some(Recovery::Resend { .. })), "{recovery:?}");
    let told = notices(&run)[0];
    assert!(told.contains("incomplete") && told.contains("goes on") && !told.contains("again"), "{told}");
    // The next attempt is another: it began nothing.
    resends(&mut run, Disconnected, shown(), 0, 1_000);
    assert!(notices(&run)[1].contains("from the beginning"), "{}", notices(&run)[1]);
}

// spec R3

#[test]
fn r3_before_the_first_progress_it_is_asked_again_and_then_the_user_is_told_that_nothing_was_done() {
    for cause in [Connect, TimedOut, Disconnected, DOWN, status(408), status(409), status(429)] {
        let mut run = run();
        for doubled in 0..12 {
            resends(&mut run, cause, nothing(), 0, (500 << doubled).min(30_000));
        }
        let words =
            ["Nothing was done", "no text arrived", "no tool ran", "12 times did not help", "Continue later"];
        stops(&mut run, cause, nothing(), "early-transport-failure", &words);
        assert_eq!(run.interventions().count(), 1);
    }
}

#[test]
fn r3_who_speaks_begins_anew() {
    for speak in [(|run| run.user("Try again.")) as fn(&mut Loop), |run| {
        asks(run, &Turn::default(), unknown(), "attempt-facts-incomplete", &[]);
    }] {
        let mut run = run();
        resends(&mut run, DOWN, nothing(), 0, 500);
        speak(&mut run);
        resends(&mut run, DOWN, nothing(), 0, 500);
    }
}

#[test]
fn r3_what_a_broken_attempt_left_is_no_turn_of_its_own() {
    let mut run = run_set(RetrySafetySettings { retries: 1, ..RetrySafetySettings::default() });
    let read = calls("read", "{}");
    let broken = failure(Disconnected, ran(&["read"]));
    assert!(matches!(run.breaks(&read, &broken), Some(Recovery::Resend { .. })));
    let Some(Recovery::Stop(note)) = run.breaks(&read, &broken) else { panic!("it does not end") };
    assert_eq!(note.rule, "transport-failure");
    assert!(note.text.contains("Only read-only tools had started: `read`"), "{}", note.text);
}

#[test]
fn r3_empty_answers_between_do_not_count() {
    let mut run = run_set(RetrySafetySettings { retries: 1, ..RetrySafetySettings::default() });
    for _ in 0..5 {
        assert_eq!(run.breaks(&Turn::default(), &AttemptFailure::empty(1)), None);
    }
    resends(&mut run, DOWN, nothing(), 0, 500);
    assert_eq!(run.breaks(&Turn::default(), &AttemptFailure::empty(1)), None);
    stops(&mut run, DOWN, nothing(), "early-transport-failure", &["once"]);
    let members: Vec<Box<dyn Guard>> =
        vec![Box::new(RetrySafety::default()), Box::new(EmptyCompletion::default())];
    let mut run = Loop::new(Stack::new(members));
    for (attempt, ticks) in [(1, 500), (2, 1_000)] {
        let after = Wait::exactly(ticks);
        let failure = AttemptFailure::empty(attempt);
        assert_eq!(run.guard.recover(&failure), Ok(Some(Recovery::resend(after))));
        let response = AttemptResponse::Resent { after: ticks };
        run.commit(Entry::Failed(FailedAttempt { failure, response }));
    }
    resends(&mut run, DOWN, nothing(), 0, 500);
}

#[test]
fn r5_the_conservative_question_says_what_was_never_declared() {
    let settings = RetrySafetySettings { policy: Conservative, ..RetrySafetySettings::default() };
    let mut run = run_set(settings);
    let words = ["What `deploy` can change is not declared", "No text arrived, and no tool ran"];
    asks(&mut run, &Turn::default(), nothing(), "side-effect-facts-incomplete", &words);
}

// spec R6

#[test]
fn r6_a_request_that_is_refused_as_such_is_never_sent_again() {
    for code in 400..600 {
        for facts in [nothing(), unknown(), ran(&["send_mail"])] {
            let never =
                assess(Facts, status(code), &facts, &offer()).recommendation == Recommendation::DoNotRetry;
            assert_eq!(never, (400..500).contains(&code) && ![408, 409, 429].contains(&code), "{code}");
        }
    }
    let mut run = run();
    let message = "max_tokens is too large\nand more";
    let refused = AttemptFailure { message: message.into(), ..failure(promised(400, 1), nothing()) };
    let Some(Recovery::Stop(note)) = run.breaks(&Turn::default(), &refused) else { panic!("resent") };
    assert_eq!(note.rule, "request-rejected");
    for part in [
        "status 400",
        "\"max_tokens is too large\"",
        "Nothing was done",
        "would refuse the same request again",
    ] {
        assert!(note.text.contains(part), "{}", note.text);
    }
    let mut run = Loop::new(RetrySafety::default());
    stops(
        &mut run,
        status(401),
        ran(&["send_mail"]),
        "request-rejected",
        &["These tools had started: `send_mail`"],
    );
}

#[test]
fn r6_a_provider_that_wants_more_time_than_is_waited_ends_the_run_with_that_time() {
    for (ticks, span) in [
        (60_001, "61 seconds"),
        (120_000, "2 minutes"),
        (3_600_000, "60 minutes"),
        (3 * 3_600_000, "3 hours"),
        (24 * 3_600_000 + 1, "25 hours"),
    ] {
        let words = [span, "Nothing was done", "rate limit"];
        stops(&mut run(), promised(429, ticks), nothing(), "told-to-wait", &words);
    }
    // A question would only lead to the same answer.
    stops(&mut run(), promised(429, 99_000), ran(&["send_mail"]), "told-to-wait", &["`send_mail`"]);
}

#[test]
fn r6_every_cause_reads_differently() {
    let causes = [Connect, TimedOut, Disconnected, DOWN, status(408), status(409), status(429), status(404)];
    let settings = RetrySafetySettings { retries: 0, ..RetrySafetySettings::default() };
    let texts: Vec<String> = causes
        .iter()
        .map(|&cause| match fails(&mut run_set(settings), cause, shown()) {
            Recovery::Stop(note) => note.text.split('.').next().expect("a sentence").to_owned(),
            Recovery::Resend { .. } | Recovery::Ask(_) => panic!("it does not end"),
        })
        .collect();
    for (at, text) in texts.iter().enumerate() {
        assert!(!texts[..at].contains(text), "{text}");
    }
}

// Silence

#[test]
fn r3_it_says_nothing_to_a_run_that_does_not_break() {
    let mut run = run();
    for turn in [
        says("Hm."),
        calls("append", "{}").fails("no"),
        calls("send_mail", "{}").goes_missing(),
        says("```python\nx\n```"),
        says("The first").finishes(FinishReason::Length),
        Turn::default().finishes(FinishReason::ContentFilter),
    ] {
        run.pass(&turn, 5);
    }
    assert_eq!(run.interventions().count(), 0);
}

// Settings and state

#[test]
fn r5_settings_are_kebab_case_and_closed() {
    let json = json!({
        "policy": "fast-path", "retries": 2, "total-wait": 4, "backoff": 5, "max-backoff": 8, "max-wait": 6,
        "questions": 7,
    });
    let expected = RetrySafetySettings {
        policy: FastPath,
        retries: 2,
        total_wait: 4,
        backoff: 5,
        max_backoff: 8,
        max_wait: 6,
        questions: 7,
    };
    assert_eq!(serde_json::from_value::<RetrySafetySettings>(json).expect("settings"), expected);
    assert_eq!(serde_json::from_value::<RetrySafetySettings>(json!({})).expect("none"), Default::default());
    assert!(serde_json::from_value::<RetrySafetySettings>(json!({ "retry": 1 })).is_err());
}

#[test]
fn r7_a_run_is_taken_up_where_it_was_saved() {
    let mut run = Loop::with_offer(
        RetrySafety::default(),
        Arc::new(Offer::new([
            Tool::new("fs.read").effect(Effect::ReadOnly),
            Tool::new("web").provider_executed(),
        ])),
    );
    resends(&mut run, Connect, nothing(), 0, 500);
    let saved = run.guard.save();
    let mut other = RetrySafety::default();
    other.load(saved.clone()).expect("its own state");
    assert_eq!(other.save(), saved);
    for facts in [nothing(), ran(&["fs.read"]), ran(&["fs_read"])] {
        for cause in [Connect, DOWN] {
            let failure = failure(cause, facts.clone());
            assert_eq!(other.recover(&failure), run.guard.recover(&failure));
        }
    }
}
