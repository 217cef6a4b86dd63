//! The empty-completion guard against spec E1 to E4, hits and silence.

use std::sync::Arc;

use crate::common::{Loop, Turn, calls, offer, says, text, thinks};
use balk_guards::{
    AttemptCause, AttemptFailure, AttemptResponse, ChoiceKind, Completion, EmptyCompletion,
    EmptyCompletionSettings, Entry, FailedAttempt, FinishReason, Guard, NoTools, Part, Question, Recovery,
    Stack, Usage, Verdict, View, Wait,
};

const CUT_CALL: &str = "block truncated-call 1";
const CUT_TEXT: &str = "retry truncated-text 1";
const ASK: &str = "ask truncated-again 3";

fn run() -> Loop {
    Loop::new(EmptyCompletion::default())
}

fn cut(turn: Turn) -> Turn {
    turn.finishes(FinishReason::Length)
}

fn cut_write() -> Turn {
    cut(calls("write_file", r#"{"path":"a.py","content":"pri"#))
}

fn recovers(guard: &dyn Guard, attempt: u32) -> Option<Recovery> {
    guard.recover(&AttemptFailure::empty(attempt)).expect("never breaks")
}

/// A failed attempt after which the request was sent again.
fn failed(failure: AttemptFailure) -> Entry {
    Entry::Failed(FailedAttempt { failure, response: AttemptResponse::Resent { after: 500 } })
}

fn resend(after: u64) -> Option<Recovery> {
    Some(Recovery::resend(Wait::exactly(after)))
}

/// Each turn gets the decision beside it.
#[track_caller]
fn check(turns: &[(Turn, &str)]) -> Loop {
    let mut run = run();
    for (turn, expected) in turns {
        run.check(turn, expected);
    }
    run
}

/// The waits before each further attempt; returns the message that ends the run.
#[track_caller]
fn check_attempts(settings: EmptyCompletionSettings, waits: &[u64]) -> String {
    let mut guard = EmptyCompletion::new(settings);
    let mut attempt = 1;
    for &after in waits {
        assert_eq!(recovers(&guard, attempt), resend(after));
        guard.observe(&failed(AttemptFailure::empty(attempt)));
        attempt += 1;
    }
    let Some(Recovery::Stop(note)) = recovers(&guard, attempt) else {
        panic!("attempt {attempt} is the last")
    };
    assert_eq!((&*note.guard, &*note.rule), ("empty-completion", "attempts-spent"));
    note.text.to_string()
}

// spec E1

#[test]
fn e1_an_empty_answer_is_asked_for_again_with_a_growing_wait_and_then_the_run_ends() {
    let end = check_attempts(EmptyCompletionSettings::default(), &[500, 1_000]);
    assert!(end.contains("an empty answer") && end.contains("3 times"), "{end}");
}

#[test]
fn e1_attempts_and_wait_are_settings() {
    let settings = |attempts, wait| EmptyCompletionSettings { attempts, wait, ..Default::default() };
    check_attempts(settings(0, 9), &[]);
    check_attempts(settings(1, 9), &[]);
    check_attempts(settings(5, 2), &[2, 4, 6, 8]);
    check_attempts(settings(3, u64::MAX), &[u64::MAX, u64::MAX]);
}

#[test]
fn e1_a_transport_failure_is_no_affair_of_this_guard() {
    let refused = AttemptCause::Status { code: 503, retry_after: None };
    for attempt in [1, 2, 3, 99] {
        for cause in [AttemptCause::Connect, AttemptCause::TimedOut, AttemptCause::Disconnected, refused] {
            let failure = AttemptFailure { cause, ..AttemptFailure::empty(attempt) };
            assert_eq!(EmptyCompletion::default().recover(&failure), Ok(None));
        }
    }
}

#[test]
fn e1_nothing_is_added_to_the_view() {
    let mut run = run();
    run.check(&calls("read", "{}"), "pass");
    let before = View::of(&run.entries);
    for attempt in [1, 2] {
        let Some(Recovery::Resend { after, .. }) = recovers(&*run.guard, attempt) else { panic!() };
        assert_eq!(after.at_least, 500 * u64::from(attempt));
        run.commit(failed(AttemptFailure::empty(attempt)));
    }
    assert_eq!(View::of(&run.entries), before);
    assert_eq!(run.interventions().count(), 0);
    run.check(&says("Done."), "pass");
}

#[test]
fn e1_every_turn_has_its_attempts() {
    let mut run = run();
    for _ in 0..4 {
        for attempt in [1, 2] {
            assert_eq!(recovers(&*run.guard, attempt), resend(500 * u64::from(attempt)));
            run.commit(failed(AttemptFailure::empty(attempt)));
        }
        run.check(&calls("read", "{}"), "pass");
    }
}

/// Attempts that broke are counted elsewhere, and are many in an outage.
#[test]
fn e1_an_empty_answer_after_an_outage_is_the_first() {
    let mut run = run();
    let down = |attempt| AttemptFailure { cause: AttemptCause::TimedOut, ..AttemptFailure::empty(attempt) };
    for attempt in 1..=6 {
        run.commit(failed(down(attempt)));
    }
    assert_eq!(recovers(&*run.guard, 7), resend(500));
    run.commit(failed(AttemptFailure::empty(7)));
    run.commit(failed(down(8)));
    assert_eq!(recovers(&*run.guard, 9), resend(1_000));
    run.commit(failed(AttemptFailure::empty(9)));
    let Some(Recovery::Stop(note)) = recovers(&*run.guard, 10) else { panic!("it is the third") };
    assert!(note.text.contains("3 times"), "{}", note.text);
    run.user("Try again.");
    assert_eq!(recovers(&*run.guard, 1), resend(500));
}

#[test]
fn e1_in_a_stack_it_alone_recovers_what_is_empty() {
    let stack = Stack::new(vec![Box::new(NoTools::default()), Box::new(EmptyCompletion::default())]);
    assert_eq!(recovers(&stack, 1), resend(500));
    let reset = AttemptFailure { cause: AttemptCause::Disconnected, ..AttemptFailure::empty(1) };
    assert_eq!(stack.recover(&reset), Ok(None));
}

// spec E2, E4

fn completion(parts: Vec<Part>, finish: FinishReason) -> Completion {
    Completion::new(parts, [], finish, Usage::default(), &offer())
}

#[test]
fn e4_white_space_is_empty() {
    for blank in ["", " ", "\n\n\t", "\u{a0}\u{3000}"] {
        let thinking = Part::Thinking { text: blank.into(), signature: None };
        let parts = vec![Part::Text(blank.into()), thinking];
        for finish in [FinishReason::Stop, FinishReason::ToolCall, FinishReason::NotGiven] {
            assert!(completion(parts.clone(), finish).is_empty(), "{blank:?} {finish:?}");
        }
    }
}

#[test]
fn e4_a_refusal_and_a_filter_stop_are_answers() {
    assert!(!completion(vec![], FinishReason::ContentFilter).is_empty());
    assert!(!completion(vec![Part::Text("I can't help with that.".into())], FinishReason::Stop).is_empty());
    let filtered = Turn::default().finishes(FinishReason::ContentFilter);
    check(&[(filtered, "pass"), (says("I can't help with that."), "pass")]);
}

#[test]
fn e2_thinking_is_neither_empty_nor_spoken_of() {
    let thinking = Part::Thinking { text: "hm".into(), signature: None };
    let sealed = Part::Thinking { text: "".into(), signature: Some("seal".into()) };
    for part in [thinking, sealed] {
        assert!(!completion(vec![part], FinishReason::Stop).is_empty());
    }
    check(&[(thinks("hm"), "pass"), (thinks("hm"), "pass")]);
}

// spec E3

#[test]
fn e3_an_answer_cut_off_before_it_began_is_hinted_at_and_not_resent() {
    for turn in [Turn::default(), thinks("Let me think"), says("\n")] {
        assert!(!turn.clone().finishes(FinishReason::Length).completion(&offer(), &mut 0).is_empty());
        let mut run = run();
        let hint = text(&run.check(&cut(turn), CUT_TEXT));
        assert!(hint.contains("before you answered") && hint.contains("shorter"), "{hint}");
    }
}

#[test]
fn e3_a_text_that_was_cut_off_is_to_be_continued() {
    let mut run = run();
    let hint = text(&run.check(&cut(says("The first step is")), CUT_TEXT));
    assert!(hint.contains("where it stopped") && hint.contains("fewer words"), "{hint}");
}

#[test]
fn e3_what_a_text_left_open_is_begun_again_and_made_smaller() {
    for open in [
        "{\"name\": \"write_file\", \"arguments\": {\"path\": \"a.md\", \"content\": \"# One\\nThe first",
        "I write it in one go:\n```python\nimport os\n\ndef main():",
        "<write_file>\n<path>a.md</path>\n<content>\n# One",
        "Schritt 1:\n[write_file(path=\"a.md\", content=\"# Eins",
        "先写文件。\n<tool_call>\n{\"name\": \"write_file\", \"arguments\": {\"content\": \"第一",
    ] {
        let mut run = run();
        let hint = text(&run.check(&cut(says(open)), CUT_TEXT));
        assert!(hint.contains("Begin again") && hint.contains("smaller parts"), "{hint}");
        assert!(!hint.contains("Continue where"), "{hint}");
        let more = text(&run.check(&cut(says(open)), "retry truncated-text 2"));
        assert!(more != hint && more.contains("Begin again"), "{more}");
        run.check(&cut(says(open)), ASK);
    }
}

#[test]
fn e3_a_truncated_call_never_runs_and_those_before_it_do() {
    let mut run = run();
    let hint = text(&run.check(&cut_write(), CUT_CALL));
    assert!(hint.contains("`write_file`") && hint.contains("part of the content"), "{hint}");
    assert_eq!(run.runs, 0);
    let three = calls("read", "{}").and_calls("read", r#"{"path":"b"}"#).and_calls("append", r#"{"path":"#);
    let Verdict::Block(blocked) = run.check(&cut(three), "block truncated-call 2").verdict else { panic!() };
    assert_eq!(blocked.iter().map(|it| it.call).collect::<Vec<_>>(), [2]);
    assert_eq!(run.runs, 2);
}

#[test]
fn e3_a_call_that_looks_whole_is_not_trusted_either() {
    let mut run = run();
    run.check(&cut(calls("write_file", r#"{"path":"a.py","content":"x"}"#)), CUT_CALL);
    run.check(&cut(says("Now").and_calls("bash", "{}")), "block truncated-call 2");
    assert_eq!(run.runs, 0);
}

#[test]
fn e3_calls_that_were_not_cut_off_run() {
    for finish in [FinishReason::ToolCall, FinishReason::Stop, FinishReason::NotGiven, FinishReason::Error] {
        let mut run = run();
        run.check(&calls("write_file", r#"{"path":"a.py","conten"#).finishes(finish), "pass");
        assert_eq!(run.runs, 1);
    }
}

#[test]
fn e3_three_in_a_row_are_a_question() {
    let cut_text = || cut(says("The first"));
    let mut run = check(&[(cut_write(), CUT_CALL), (cut_text(), "retry truncated-text 2")]);
    let Verdict::Ask(Question { note, options }) = run.check(&cut_write(), ASK).verdict else { panic!() };
    assert!(note.text.contains("3 answers in a row"), "{}", note.text);
    let kinds: Vec<_> = options.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [ChoiceKind::Instruct, ChoiceKind::SwitchModel, ChoiceKind::Stop]);
    assert_eq!(run.runs, 0);
}

#[test]
fn e3_an_answer_that_came_to_its_end_resets_the_row() {
    for whole in [says("Done."), calls("read", "{}"), thinks("hm")] {
        let turns: Vec<_> = (0..4)
            .flat_map(|_| {
                [(cut_write(), CUT_CALL), (cut_write(), "block truncated-call 2"), (whole.clone(), "pass")]
            })
            .collect();
        check(&turns);
    }
}

#[test]
fn e3_an_attempt_that_failed_does_not_reset_the_row() {
    let mut run = check(&[(cut_write(), CUT_CALL), (cut_write(), "block truncated-call 2")]);
    run.commit(Entry::Failed(FailedAttempt {
        failure: AttemptFailure::empty(1),
        response: AttemptResponse::Resent { after: 500 },
    }));
    run.check(&cut_write(), ASK);
}

#[test]
fn e3_how_many_in_a_row_is_a_setting() {
    let settings = EmptyCompletionSettings { truncations: 1, ..EmptyCompletionSettings::default() };
    let mut run = Loop::new(EmptyCompletion::new(settings));
    run.check(&cut_write(), "ask truncated-again 1");
}

#[test]
fn e3_in_a_stack_it_ends() {
    let mut run = Loop::new(Stack::new(vec![Box::new(EmptyCompletion::default())]));
    for expected in [CUT_TEXT, "retry truncated-text 2", ASK] {
        run.check(&cut(says("The first")), expected);
    }
    run.check(&cut(says("The first")), "ask truncated-again 4");
    run.check(&cut(says("The first")), "ask truncated-again 5");
    run.check(&cut(says("The first")), "stop truncated-again 6");
}

// spec M1

#[test]
fn m1_the_texts_differ() {
    let whole = says("Done.");
    for (truncations, period) in [(1, 2), (1, 4), (2, 4), (3, 4)] {
        for turn in [cut(says("The first")), cut(Turn::default()), cut_write()] {
            let settings = EmptyCompletionSettings { truncations, ..EmptyCompletionSettings::default() };
            let mut run = Loop::new(EmptyCompletion::new(settings));
            for n in 0..12 {
                run.turn(if n % period == period - 1 { &whole } else { &turn });
            }
            let said: Vec<Arc<str>> = run.interventions().map(|it| it.note.text.clone()).collect();
            assert_eq!(said.len(), 12 - 12 / period);
            for pair in said.windows(2) {
                assert_ne!(pair[0], pair[1]);
            }
        }
    }
}

#[test]
fn e3_a_run_is_taken_up_where_it_was_saved() {
    let mut run = check(&[(cut_write(), CUT_CALL), (cut_write(), "block truncated-call 2")]);
    let saved = run.guard.save();
    run.guard = Box::new(EmptyCompletion::default());
    run.guard.load(saved).expect("its own state");
    run.check(&cut_write(), ASK);
}
