//! Retry-safety about calls of broken attempts that the model repeats (spec R7), hits and silence.

use crate::common::broken::{failure, ran};
use crate::common::{Loop, Turn, calls, text};
use balk_guards::{AttemptCause, ChoiceKind, Guard, RetrySafety};

const REFUSED: &str = "block ran-already-again 1";
const REFUSED_AGAIN: &str = "block ran-already-again 2";
const ASKED: &str = "ask ran-already-again 3";

fn mail() -> Turn {
    calls("send_mail", r#"{"to":"a"}"#)
}

/// A run in which this turn broke, and the user's answer to the question about it.
fn after(turn: &Turn, choice: ChoiceKind) -> Loop {
    let mut run = Loop::new(RetrySafety::default());
    run.choice = choice;
    run.breaks(turn, &failure(AttemptCause::Disconnected, ran(&["send_mail"])));
    run
}

#[test]
fn r7_what_ran_does_not_run_again_unseen() {
    for turn in [mail().goes_missing(), mail().answers("sent"), mail().answers_something("?")] {
        for choice in [ChoiceKind::Instruct, ChoiceKind::Continue] {
            let mut run = after(&turn, choice);
            let refused = run.check(&mail(), REFUSED);
            assert!(text(&refused).contains("`send_mail`"), "{}", text(&refused));
            let again = run.check(&calls("send_mail", "{ \"to\": \"a\" }"), REFUSED_AGAIN);
            assert_ne!(text(&refused), text(&again), "m1");
        }
    }
}

#[test]
fn r7_whoever_has_looked_may_send_it() {
    for look in [
        calls("read", "{}"),
        calls("read", "{}").fails("no such entry"),
        calls("read", "{}").answers_something("?"),
    ] {
        let mut run = after(&mail().goes_missing(), ChoiceKind::Instruct);
        run.check(&mail(), REFUSED);
        run.check(&look, "pass");
        run.check(&mail(), "pass");
    }
    // A call that did not run, or whose end is unknown, is no look.
    let mut run = after(&mail().goes_missing(), ChoiceKind::Instruct);
    run.check(&calls("deploy", "{}").goes_missing(), "pass");
    run.check(&calls("deploy", "{}").answers_something("?"), "pass");
    run.check(&mail(), REFUSED);
}

#[test]
fn r7_only_the_very_call_is_held_and_only_if_it_may_have_changed_something() {
    let mut run = after(&mail().goes_missing(), ChoiceKind::Instruct);
    run.check(&calls("send_mail", r#"{"to":"b"}"#).goes_missing(), "pass");
    run.check(&mail(), REFUSED);
    for harmless in [mail().fails("refused"), calls("read", "{}").goes_missing()] {
        let mut run = after(&harmless, ChoiceKind::Instruct);
        run.check(&harmless, "pass");
    }
}

#[test]
fn r7_of_several_calls_only_what_ran_is_refused() {
    let mut run = after(&mail().goes_missing(), ChoiceKind::Instruct);
    let both = mail().and_calls("read", "{}");
    run.check(&both, REFUSED);
    // The other call was a look, which settles the refusal.
    run.check(&mail(), "pass");
}

#[test]
fn r7_the_third_time_the_user_is_asked_and_only_he_lets_it_run() {
    // Another answer of the user resets the count.
    for (choice, then) in [(ChoiceKind::Instruct, REFUSED), (ChoiceKind::Continue, "pass")] {
        let mut run = after(&mail().goes_missing(), choice);
        run.check(&mail(), REFUSED);
        run.check(&mail(), REFUSED_AGAIN);
        run.check(&mail(), ASKED);
        run.check(&mail(), then);
    }
}

/// The user can tell two calls of one tool apart, by words that the model never sees.
#[test]
fn r7_the_question_says_which_call_it_is_about() {
    let order = r#"{"note":"two\n lines"}"#;
    let long = format!(r#"{{"body":"{}"}}"#, "語".repeat(500));
    for (arguments, about) in [
        (r#"{"to":"a"}"#, r#"`send_mail` ({"to":"a"})"#.to_owned()),
        (r#"{"path":"out/a.txt","body":"x"}"#, "`send_mail` (out/a.txt)".to_owned()),
        ("{\n  \"to\": \"a\"\n}", r#"`send_mail` ({ "to": "a" })"#.to_owned()),
        (order, format!("`send_mail` ({order})")),
        ("", "`send_mail` ({})".to_owned()),
        (&long, format!("`send_mail` ({{\"body\":\"{} [… ", "語".repeat(71))),
    ] {
        let (this, other) = (|| calls("send_mail", arguments), calls("send_mail", r#"{"to":"b"}"#));
        let both = other.goes_missing().and_calls("send_mail", arguments).goes_missing();
        let mut run = after(&both, ChoiceKind::Instruct);
        for refused in [REFUSED, REFUSED_AGAIN] {
            let refused = text(&run.check(&this(), refused));
            assert!(!refused.contains('{') && !refused.contains("a.txt"), "{refused}");
        }
        let asked = text(&run.check(&this(), ASKED));
        assert!(asked.contains(&about) && !asked.contains('\n'), "{asked}");
    }
}

#[test]
fn r7_only_the_call_that_was_asked_about_is_let_go() {
    let other = || calls("send_mail", r#"{"to":"b"}"#);
    let both = mail().goes_missing().and_calls("send_mail", r#"{"to":"b"}"#).goes_missing();
    let mut run = after(&both, ChoiceKind::Continue);
    run.check(&mail(), REFUSED);
    run.check(&mail(), REFUSED_AGAIN);
    run.check(&mail(), ASKED);
    run.check(&other(), REFUSED);
    run.check(&mail(), "pass");
}

#[test]
fn r7_what_is_held_survives_a_restart() {
    let mut run = after(&mail().goes_missing(), ChoiceKind::Instruct);
    run.check(&mail(), REFUSED);
    let saved = run.guard.save();
    run.guard = Box::new(RetrySafety::default());
    run.guard.load(saved).expect("its own state");
    run.check(&mail(), REFUSED_AGAIN);
}

#[test]
fn r7_a_run_that_does_not_break_holds_nothing() {
    let mut run = Loop::new(RetrySafety::default());
    run.pass(&mail(), 5);
    run.pass(&mail().goes_missing(), 3);
}

/// Bounded: the oldest of many calls is forgotten.
#[test]
fn r7_many_calls_are_not_all_remembered() {
    let many =
        (0..40).fold(Turn::default(), |turn, at| turn.and_calls("append", &format!(r#"{{"at":{at}}}"#)));
    let mut run = after(&many, ChoiceKind::Instruct);
    run.check(&calls("append", r#"{"at":39}"#), REFUSED);
    let mut run = after(&many, ChoiceKind::Instruct);
    run.check(&calls("append", r#"{"at":0}"#), "pass");
}
