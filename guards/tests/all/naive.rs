//! The naive versions of the reports' rules fire on healthy transcripts, where the guards of this crate are silent.

use crate::common::{Loop, Turn, calls, outline, says};
use balk_guards::{Abandonment, Duplicate, Guard};
use balk_peers::{NaiveAbandonment, NaiveAbandonmentSettings, NaiveDuplicate};

const PYTHON: &str = "It does this:\n\n```python\nprint('hello')\n```\n";
const TEST: &str = r#"{"path":"tests"}"#;

/// The healthy transcript passes under `ours`; `naive` intervenes in the last turn.
#[track_caller]
fn check(naive: impl Guard + 'static, ours: impl Guard + 'static, healthy: &[Turn]) {
    let mut run = Loop::new(ours);
    for turn in healthy {
        run.check(turn, "pass");
    }
    let mut run = Loop::new(naive);
    let last = healthy.iter().map(|turn| outline(&run.turn(turn))).last();
    assert_ne!(last.as_deref(), Some("pass"), "the naive guard lets it be");
}

#[track_caller]
fn check_fence(healthy: &[Turn]) {
    let naive = NaiveAbandonment::new(NaiveAbandonmentSettings { failures: 1 });
    check(naive, Abandonment::default(), healthy);
}

#[track_caller]
fn check_repeat(healthy: &[Turn]) {
    check(NaiveDuplicate::default(), Duplicate::default(), healthy);
}

fn write() -> Turn {
    calls("write_file", r#"{"path":"hello.py","content":"print('hello')"}"#)
}

#[test]
fn a_failure_long_mended_is_held_against_an_explanation() {
    check_fence(&[write().fails("no space"), write(), says(PYTHON)]);
}

#[test]
fn a_failing_test_is_taken_for_a_failing_write() {
    check_fence(&[
        calls("pytest", TEST).fails("1 failed"),
        calls("pytest", TEST).fails("2 failed"),
        calls("read", TEST),
        calls("pytest", TEST).fails("3 failed"),
        says(PYTHON),
    ]);
}

#[test]
fn one_failure_makes_a_debt() {
    check_fence(&[write().fails("no space"), says(PYTHON)]);
}

#[test]
fn the_output_of_a_shell_is_taken_for_a_program() {
    check_fence(&[
        write().fails("a"),
        write().fails("b"),
        write().fails("c"),
        says("```text\nno space left\n```"),
    ]);
}

#[test]
fn the_same_test_after_an_edit_is_refused() {
    check_repeat(&[calls("pytest", TEST).fails("1 failed"), write(), calls("pytest", TEST)]);
}

#[test]
fn reading_a_file_again_after_it_was_written_is_refused() {
    let read = calls("read", r#"{"path":"hello.py"}"#);
    check_repeat(&[read.clone().answers("old"), write(), read.answers("new")]);
}

#[test]
fn polling_is_refused() {
    let poll = || calls("read", r#"{"job":7}"#);
    check_repeat(&[poll().answers("10 %"), poll().answers("60 %"), poll().answers("done")]);
}

#[test]
fn a_second_look_is_refused() {
    check_repeat(&[calls("read", TEST).answers("a"), calls("read", TEST).answers("a")]);
}

#[test]
fn trying_again_after_a_time_out_is_refused() {
    check_repeat(&[calls("read", TEST).fails("connection timed out"), calls("read", TEST)]);
}
