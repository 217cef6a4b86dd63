//! The retry-safety guard against spec R3 to R7, hits and silence alike.

#[expect(dead_code, reason = "each test file needs a part of it")]
mod common;

use std::sync::Arc;

use balk_guards::retry_safety::{Recommendation, assess};
use balk_guards::{
    AttemptCause, AttemptFacts, AttemptFailure, ChoiceKind, Effect, EmptyCompletion, FinishReason, Guard,
    InterventionKind, LOST, Message, Offer, Question, Recovery, RetrySafety, RetrySafetyPolicy,
    RetrySafetySettings, Settlement, Stack, Status, Subject, Tool, ToolResult, View, Wait,
};
use common::broken::{DOWN, called, failure, nothing, promised, ran, shown, status, unknown, with_search};
use common::{Loop, Turn, bare_offer, calls, offer, says};
use serde_json::json;

use AttemptCause::{Connect, Disconnected, TimedOut};
use RetrySafetyPolicy::{Conservative, Facts, FastPath};

fn run() -> Loop {
    Loop::new(RetrySafety::default())
}

fn run_set(settings: RetrySafetySettings) -> Loop {
    Loop::new(RetrySafety::new(settings))
}

/// An attempt that breaks, with nothing left of it in the transcript.
fn fails(run: &mut Loop, cause: AttemptCause, facts: AttemptFacts) -> Recovery {
    run.breaks(&Turn::default(), &failure(cause, facts)).expect("it has an opinion")
}

#[track_caller]
fn resends(run: &mut Loop, cause: AttemptCause, facts: AttemptFacts, at_least: u64, at_most: u64) {
    let after = Wait { at_least, at_most };
    assert_eq!(fails(run, cause, facts), Recovery::Resend { after });
}

/// The run ends by this rule, with all these words.
#[track_caller]
fn stops(run: &mut Loop, cause: AttemptCause, facts: AttemptFacts, rule: &str, words: &[&str]) -> String {
    let Recovery::Stop(note) = fails(run, cause, facts) else { panic!("it does not end") };
    assert_eq!((&*note.guard, &*note.rule), ("retry-safety", rule));
    for word in words {
        assert!(note.text.contains(word), "{word:?} is missing in: {}", note.text);
    }
    note.text.to_string()
}

#[track_caller]
fn asks(run: &mut Loop, turn: &Turn, facts: AttemptFacts, rule: &str, words: &[&str]) -> Question {
    let Some(Recovery::Ask(question)) = run.breaks(turn, &failure(Disconnected, facts)) else {
        panic!("the user is not asked")
    };
    assert_eq!((&*question.note.guard, &*question.note.rule), ("retry-safety", rule));
    for word in words {
        assert!(question.note.text.contains(word), "{word:?} is missing in: {}", question.note.text);
    }
    let kinds: Vec<_> = question.options.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [ChoiceKind::Instruct, ChoiceKind::Continue, ChoiceKind::Stop]);
    question
}

// spec R4

#[test]
fn r4_the_question_says_which_tool_and_what_became_of_it() {
    let mail = || calls("send_mail", r#"{"to":"a"}"#);
    for (turn, outcome) in [
        (mail().goes_missing(), "`send_mail` (its answer is lost)"),
        (mail(), "`send_mail` (worked)"),
        (mail().fails("no"), "`send_mail` (failed)"),
        (mail().answers_something("?"), "`send_mail` (answered, but did not say whether it worked)"),
    ] {
        let facts = ran(&["read", "send_mail"]);
        let words = ["the connection broke off", outcome, "twice"];
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
    let words = ["`web_search` is run by the provider", "cannot be seen", "no other tool ran"];
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
        (shown(), "is not complete. No other tool ran."),
        (unsure, "Whether another tool ran is not known."),
        (harmless, "If another tool ran, it changed nothing."),
    ] {
        let mut run = Loop::with_offer(RetrySafety::default(), Arc::new(with_search()));
        asks(&mut run, &Turn::default(), facts, "provider-executed-tool", &[words]);
    }
}

#[test]
fn r4_a_tool_that_began_twice_is_named_once() {
    let twice = calls("append", "1").goes_missing().and_calls("append", "2").goes_missing();
    let words = ["What had begun to run: `append` (its answer is lost) and `send_mail`."];
    asks(
        &mut run(),
        &twice,
        ran(&["append", "append", "send_mail", "append"]),
        "unsafe-execution-started",
        &words,
    );
    let mut reads = run_set(RetrySafetySettings { retries: 0, ..RetrySafetySettings::default() });
    stops(&mut reads, DOWN, ran(&["read", "read"]), "transport-failure", &["changes nothing: `read`."]);
}

#[test]
fn r4_the_question_says_what_is_not_known() {
    let words = ["Whether a tool ran is not known"];
    asks(&mut run(), &Turn::default(), unknown(), "attempt-facts-incomplete", &words);
}

#[test]
fn r4_text_that_was_shown_is_resent_and_the_end_says_that_it_is_not_complete() {
    let mut run = run();
    resends(&mut run, Disconnected, shown(), 0, 500);
    let words = ["not complete", "No tool ran", "asking again once did not help"];
    let end = stops(&mut run, Disconnected, shown(), "answer-cut-off", &words);
    assert!(!end.contains("Nothing was done"), "{end}");
}

// spec R3

#[test]
fn r3_before_the_first_progress_it_is_asked_again_once_and_then_the_user_is_told_that_nothing_was_done() {
    for cause in [Connect, TimedOut, Disconnected, DOWN, status(408), status(409), status(429)] {
        let mut run = run();
        resends(&mut run, cause, nothing(), 0, 500);
        let words = ["Nothing was done", "no text came", "no tool ran", "once did not help", "Go on later"];
        stops(&mut run, cause, nothing(), "early-transport-failure", &words);
        assert_eq!(run.interventions().count(), 1);
    }
}

#[test]
fn r3_the_wait_doubles_and_is_bounded() {
    let settings =
        RetrySafetySettings { retries: 5, backoff: 100, max_wait: 700, ..RetrySafetySettings::default() };
    let mut run = run_set(settings);
    for at_most in [100, 200, 400, 700, 700] {
        resends(&mut run, DOWN, nothing(), 0, at_most);
    }
    stops(&mut run, DOWN, nothing(), "early-transport-failure", &["5 times"]);
}

#[test]
fn r3_extreme_settings_do_no_harm() {
    let huge = RetrySafetySettings {
        retries: u32::MAX,
        promised_retries: u32::MAX,
        backoff: u64::MAX,
        max_wait: u64::MAX,
        budget: 99,
        ..RetrySafetySettings::default()
    };
    let mut run = run_set(huge);
    for _ in 0..80 {
        resends(&mut run, DOWN, nothing(), 0, u64::MAX);
    }
    resends(&mut run, promised(429, u64::MAX), nothing(), u64::MAX, u64::MAX);
    let none = RetrySafetySettings { retries: 0, promised_retries: 0, ..RetrySafetySettings::default() };
    let end = stops(&mut run_set(none), DOWN, nothing(), "early-transport-failure", &["Nothing was done"]);
    assert!(!end.contains("asking again"), "{end}");
    stops(&mut run_set(none), promised(503, 1), nothing(), "early-transport-failure", &[]);
    let spent = RetrySafetySettings { budget: 0, ..RetrySafetySettings::default() };
    stops(&mut run_set(spent), DOWN, nothing(), "budget-spent", &["Nothing was done"]);
    stops(&mut run_set(spent), DOWN, ran(&["send_mail"]), "budget-spent", &["`send_mail`"]);
}

#[test]
fn r3_every_turn_has_its_retry_until_the_budget_of_the_run_is_spent() {
    let mut run = run();
    for n in 0..10 {
        resends(&mut run, DOWN, nothing(), 0, 500);
        run.check(&calls("read", &format!("[{n}]")), "pass");
    }
    stops(&mut run, DOWN, nothing(), "budget-spent", &["10 times", "Nothing was done"]);
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
    let mut run = run();
    let read = calls("read", "{}");
    let broken = failure(Disconnected, ran(&["read"]));
    assert!(matches!(run.breaks(&read, &broken), Some(Recovery::Resend { .. })));
    let Some(Recovery::Stop(note)) = run.breaks(&read, &broken) else { panic!("it does not end") };
    assert_eq!(note.rule, "transport-failure");
    assert!(note.text.contains("changes nothing: `read`"), "{}", note.text);
}

#[test]
fn r3_empty_answers_between_do_not_count() {
    let mut run = run();
    for _ in 0..5 {
        assert_eq!(run.breaks(&Turn::default(), &AttemptFailure::empty(1)), None);
    }
    resends(&mut run, DOWN, nothing(), 0, 500);
    assert_eq!(run.breaks(&Turn::default(), &AttemptFailure::empty(7)), None);
    stops(&mut run, DOWN, nothing(), "early-transport-failure", &["once"]);
    let members: Vec<Box<dyn Guard>> =
        vec![Box::new(RetrySafety::default()), Box::new(EmptyCompletion::default())];
    let mut run = Loop::new(Stack::new(members));
    for (attempt, ticks) in [(1, 500), (2, 1_000)] {
        let after = Wait::exactly(ticks);
        let resent = run.breaks(&Turn::default(), &AttemptFailure::empty(attempt));
        assert_eq!(resent, Some(Recovery::Resend { after }));
    }
    resends(&mut run, DOWN, nothing(), 0, 500);
}

#[test]
fn r5_the_conservative_question_says_what_was_never_declared() {
    let settings = RetrySafetySettings { policy: Conservative, ..RetrySafetySettings::default() };
    let mut run = run_set(settings);
    let words = ["What `deploy` can change was never declared", "No text came, and no tool ran"];
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
    for part in ["status 400", "\"max_tokens is too large\"", "Nothing was done", "would refuse it again"] {
        assert!(note.text.contains(part), "{}", note.text);
    }
    let mut run = Loop::new(RetrySafety::default());
    stops(&mut run, status(401), ran(&["send_mail"]), "request-rejected", &["begun to run: `send_mail`"]);
}

#[test]
fn r6_the_provider_is_asked_again_when_it_wants_to_be_and_more_often() {
    let mut run = run();
    resends(&mut run, promised(429, 2_000), nothing(), 2_000, 2_500);
    resends(&mut run, promised(503, 0), nothing(), 0, 1_000);
    resends(&mut run, promised(429, 60_000), shown(), 60_000, 62_000);
    stops(&mut run, promised(429, 1), nothing(), "early-transport-failure", &["3 times"]);
    let mut run = Loop::new(RetrySafety::default());
    resends(&mut run, promised(429, 1), nothing(), 1, 501);
    stops(&mut run, DOWN, nothing(), "early-transport-failure", &["status 503"]);
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
        let words = [span, "Nothing was done", "limits how often"];
        stops(&mut run(), promised(429, ticks), nothing(), "told-to-wait", &words);
    }
    // A question would only be followed by the same answer.
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

// spec R7

/// What the guard says beside the results of a completion.
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
        "`send_mail` (its answer is lost)",
        "again with the same arguments",
        "Nobody knows whether `send_mail` took effect: look first",
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
            &["`append` (its answer is lost)."],
        );
        let said = &run.interventions().next().expect("a note").note.text;
        assert!(said.contains("already: `append` (its answer is lost)."), "{said}");
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
    asks(&mut run, &mail, ran(&["send_mail"]), "unsafe-execution-started", &["is lost"]);
    let question =
        asks(&mut run, &Turn::default(), ran(&["send_mail"]), "unsafe-execution-started", &["question 2"]);
    assert!(!question.note.text.contains("is lost"), "{}", question.note.text);
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
    // The user is: it is the reason.
    assert!(said[1].contains("`bash`"), "{}", said[1]);
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
        "policy": "fast-path", "retries": 2, "promised-retries": 4, "backoff": 5, "max-wait": 6, "budget": 7,
    });
    let expected = RetrySafetySettings {
        policy: FastPath,
        retries: 2,
        promised_retries: 4,
        backoff: 5,
        max_wait: 6,
        budget: 7,
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
