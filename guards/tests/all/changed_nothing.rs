//! Writes that worked and changed nothing, against spec D5.

use crate::common::duplicates::{BLOCK, check};
use crate::common::{Loop, Turn, calls};
use balk_guards::{Progress, ProgressSettings};

fn write(content: &str) -> Turn {
    calls("write_file", &format!(r#"{{"path":"a.py","content":"{content}"}}"#)).answers("ok")
}

fn test() -> Turn {
    calls("pytest", "{}").fails("error: `limit` must be a number")
}

fn read(path: &str) -> Turn {
    calls("read", &format!(r#"{{"path":"{path}"}}"#)).answers(&format!("text of {path}"))
}

#[test]
fn d5_what_is_written_again_was_not_changed_by_the_second_write() {
    // A look and a failed test in between, so the same answer in a row is not what is seen.
    let looks = || [(read("b"), "pass"), (test(), "pass")];
    let mut turns = vec![(write("one"), "pass")];
    turns.extend(looks());
    turns.extend([(write("one"), "pass"), (read("c"), "pass"), (read("d"), "pass"), (write("one"), BLOCK)]);
    check(&turns);
}

#[test]
fn d5_a_second_write_of_the_same_mends_no_test() {
    check(&[(write("one"), "pass"), (test(), "pass"), (write("two"), "pass"), (test(), "pass")]);
    check(&[(write("one"), "pass"), (test(), "pass"), (write("one"), "pass"), (test(), BLOCK)]);
}

#[test]
fn d5_what_something_may_have_changed_in_between_is_written_anew() {
    let command = calls("bash", r#"{"command":"git checkout a.py"}"#).answers("done");
    let other = calls("write_file", r#"{"path":"b.py","content":"x"}"#).answers("ok");
    for between in [command, other, write("two")] {
        check(&[
            (write("one"), "pass"),
            (between, "pass"),
            (write("one"), "pass"),
            (read("b"), "pass"),
            (read("c"), "pass"),
            (write("one"), "pass"),
        ]);
    }
    // What a tool adds each time is not known to be there already.
    let append = || calls("append", r#"{"path":"a.py","content":"one"}"#).answers("ok");
    check(&[(append(), "pass"), (test(), "pass"), (append(), "pass"), (test(), "pass")]);
}

#[test]
fn d5_a_write_whose_answer_says_that_nothing_changed_is_not_sent_again() {
    let idle = || write("one").answers("No changes needed for 'a.py'");
    check(&[(idle(), "pass"), (read("b"), "pass"), (read("c"), "pass"), (idle(), BLOCK)]);
    // Another content is another matter: it does change the file.
    check(&[
        (write(&"one ".repeat(20)).answers("a.py unchanged"), "pass"),
        (write(&"one ".repeat(21)), "pass"),
    ]);
}

#[test]
fn d5_a_write_whose_answer_says_that_nothing_changed_is_no_progress() {
    let settings = ProgressSettings { equal_answers: 3, ..ProgressSettings::default() };
    let said = |answer: &str| {
        let mut run = Loop::new(Progress::new(settings));
        let turns = (0..6).flat_map(|n| [read("a"), write(&format!("version {n}")).answers(answer)]);
        run.said(turns)
    };
    assert_eq!(said("No changes needed for 'a.py'"), ["11 note repeat 1"]);
    assert_eq!(said("ok"), [""; 0]);
}
