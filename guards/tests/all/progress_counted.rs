//! The progress guard: what hides a standstill. Numbers that a harness counts, calls that return, forms that come back.

use std::sync::Arc;

use crate::common::{Loop, Turn, calls, says};
use balk_guards::{AttemptFailure, Effect, Offer, Progress, Tool};

fn run() -> Loop {
    let tools = [
        Tool::new("read").effect(Effect::ReadOnly),
        Tool::new("bash"),
        Tool::new("edit").effect(Effect::Write),
    ];
    Loop::with_offer(Progress::default(), Arc::new(Offer::new(tools)))
}

#[track_caller]
fn check(turns: impl IntoIterator<Item = Turn>, expected: &[&str]) {
    assert_eq!(run().said(turns), expected);
}

fn read(path: &str) -> Turn {
    calls("read", &format!(r#"{{"path":"{path}"}}"#)).answers(&format!("text of {path}"))
}

fn bash(command: &str) -> Turn {
    calls("bash", &format!(r#"{{"command":"{command}"}}"#))
}

// A number that rises with every answer.

/// Looks at these files, one after another, each answered with its text and this last line, with the number of the
/// answer for `#`.
fn counted(paths: &[&str], last: &str) -> Vec<Turn> {
    let look = |(nth, path): (usize, &&str)| {
        let last = last.replace('#', &(nth + 1).to_string());
        calls("read", &format!(r#"{{"path":"{path}"}}"#)).answers(&format!("text of {path}\n{last}"))
    };
    paths.iter().enumerate().map(look).collect()
}

const CIRCLE: [&str; 12] = ["x", "y", "z", "a", "b", "a", "b", "a", "b", "a", "b", "a"];

#[test]
fn a_number_that_the_harness_counts_makes_no_answer_new() {
    let expected = ["7 note cycle 1", "8 block cycle 2"];
    for last in ["state 1#", "[10:0#:00] (request 1acd447#) call no 1#, end of output"] {
        assert_eq!(run().said(counted(&CIRCLE[..8], last)), expected, "{last}");
    }
}

#[test]
fn the_harness_may_count_in_the_first_line() {
    let look = |nth: usize, more: &str| {
        let path = CIRCLE[nth];
        let answer = format!("(session d1c2f86{nth:x}, call {})\ntext of {path}{more}", nth + 1);
        calls("read", &format!(r#"{{"path":"{path}"}}"#)).answers(&answer)
    };
    let expected = ["7 note cycle 1", "8 block cycle 2"];
    check((0..8).map(|nth| look(nth, "")), &expected);
    check((0..8).map(|nth| look(nth, &format!("\n[{nth} of 40 calls left]"))), &expected);
    check((0..8).map(|nth| look(nth, &format!("\nline {nth}0 of it"))), &expected);
    check((0..8).map(|nth| look(nth, &format!("\nline {} of it\nend", nth * nth))), &[]);
}

#[test]
fn a_number_that_does_not_always_rise_or_that_the_call_names_is_the_answer() {
    let falls = ["7", "9", "8", "11", "10", "13", "12", "15", "14", "17", "16", "19"];
    let answers = CIRCLE.iter().zip(falls).map(|(path, number)| {
        calls("read", &format!(r#"{{"path":"{path}"}}"#)).answers(&format!("text\n{number} left to do"))
    });
    check(answers, &[]);
    let named = |n: usize| calls("read", &format!(r#"{{"page":{n}}}"#)).answers(&format!("text\npage {n}"));
    check((1..20).map(named), &[]);
    // One call alone may look at something that goes on.
    let polled = |n: usize| calls("read", r#"{"job":7}"#).answers(&format!("job 7:\n{n} done"));
    check((1..20).map(polled), &[]);
}

#[test]
fn another_text_before_the_number_is_news() {
    let answer = |n: usize| {
        let path = CIRCLE[n % CIRCLE.len()];
        calls("read", &format!(r#"{{"path":"{path}"}}"#)).answers(&format!("line {n} of {path}\nstate {n}"))
    };
    check((0..24).map(answer), &[]);
}

#[test]
fn tests_that_pass_one_by_one_are_progress() {
    let edit =
        |n: usize| calls("edit", &format!(r#"{{"path":"a","old":"{n}","new":"x"}}"#)).answers("edited");
    let test = |n: usize| bash("pytest").answers(&format!("...\n{n} passed"));
    check((1..16).flat_map(|n| [edit(n), test(n)]), &[]);
}

/// The guard against duplicates takes each of these answers for news.
#[test]
fn one_look_again_and_again_is_seen_behind_a_counter() {
    let paths = ["x", "y", "z", "a", "a", "a", "a"];
    check(counted(&paths, "state #"), &["6 note repeat 1", "7 block repeat 2"]);
}

#[test]
fn things_that_are_made_one_after_another_may_be_numbered() {
    let make = |n: usize| {
        let title = ["one more thing to do", "one more thing to buy", "one more thing to see"][n % 3];
        bash(&format!("ticket new {title} {}", "please ".repeat(n)))
            .answers(&format!("created ticket {}", 100 + n))
    };
    check((1..12).map(make), &[]);
}

// News that is none.

fn edit() -> Turn {
    bash("fix the target").answers_something("the file is edited: all: build")
}

/// A run that fails in the same way each time, after a progress bar.
fn runs(n: usize) -> Turn {
    bash("train").answers_something(&format!(
        "100%|###| 3/3 [00:00<00:00, {n}4.96it/s]\nAttributeError: 'dict' has no attribute 'map'"
    ))
}

#[test]
fn the_speed_of_a_progress_bar_is_no_news() {
    check((0..2).flat_map(|n| [edit(), runs(n)]), &["4 note cycle 1"]);
}

#[test]
fn an_error_between_two_looks_is_nothing_to_learn() {
    let missing = |n: usize| {
        calls("read", &format!(r#"{{"path":"part-{n}"}}"#)).fails(&format!("error: no such file: part-{n}"))
    };
    check(
        (0..6).flat_map(|n| [read("same"), missing(n)]),
        &["5 note repeat 1", "7 block repeat 2", "9 ask repeat 3"],
    );
    // One that may pass says that something goes on.
    let away = |n: usize| bash(&format!("curl {n}")).fails("error: connection refused");
    check((0..5).flat_map(|n| [read("same"), away(n)]), &[]);
}

// A program with another number.

fn solve(n: usize) -> Turn {
    bash(&format!("python - <<PY\\nfrom solver import solve\\nprint(solve(steps={n}00))\\nPY"))
}

#[test]
fn a_program_with_another_number_each_time_is_told_at_the_sixth_equal_answer() {
    check((1..7).map(|n| solve(n).fails("ValueError: math domain error")), &["6 note same-failure 1"]);
    check((1..7).map(|n| solve(n).answers_something("found: 47.0 of 48.0")), &["6 note near-call 1"]);
    // Numbers are tried one by one in one line.
    let port = |n: usize| bash(&format!("open {n}")).fails("ValueError: math domain error");
    check((1..12).map(port), &[]);
    let stored =
        |n: usize| bash(&format!("store item {n} of the list")).answers_something("stored, and that is all");
    check((1..12).map(stored), &[]);
}

// An error below its heading.

#[test]
fn an_error_is_read_below_a_heading_that_says_nothing() {
    let replace = |text: &str| {
        let padded = format!("{text} {}", "x".repeat(200));
        calls("edit", &format!(r#"{{"path":"a.c","old":"{padded}"}}"#))
            .fails("ERROR:\nNo replacement was performed, the text did not appear verbatim in `a.c`.")
    };
    let looks = |n: usize| bash(&format!("list {n}")).answers_something("a b c");
    check([replace("a"), looks(1), replace("a")], &["3 note persisting-failure 1"]);
    let other = calls("edit", &format!(r#"{{"path":"a.c","old":"a {}"}}"#, "x".repeat(200)))
        .fails("ERROR:\nThe text appears more than once in `a.c`: lines 3 and 9.");
    check([replace("a"), looks(1), other], &[]);
}

// Forms.

const FORM: &str = "I don't understand your input. If you want to execute code, use <execute> YOUR_CODE </execute>. \
    You have # steps left and 2 chances to propose a solution.";

fn form(left: usize) -> String {
    FORM.replace('#', &left.to_string())
}

#[test]
fn a_form_that_counts_down_refuses_also_who_never_called_anything() {
    let mut run = run();
    for left in [4, 3] {
        assert!(run.said([says(&format!("The answer is {left}."))]).is_empty());
        run.user(&form(left));
    }
    assert_eq!(run.said([says("The answer is C.")]), ["1 retry refused-replies 1"]);
    let mut asked = self::run();
    for n in 1..6 {
        assert!(asked.said([says(&format!("This is paragraph {n}, as you wanted."))]).is_empty());
        asked
            .user(&format!("{n} of 8 is fine. {}", "Write the next paragraph in the same style. ".repeat(3)));
    }
}

#[test]
fn a_form_that_refused_before_a_call_is_known_after_it() {
    let mut run = run();
    assert!(run.said([says("The answer is C.")]).is_empty());
    run.user(&form(4));
    assert!(run.said([read("a"), says("It is C, then.")]).is_empty());
    run.user(&form(2));
    assert_eq!(run.said([says("I said that it is C.")]), ["1 retry refused-replies 1"]);
}

#[test]
fn a_complaint_about_an_empty_answer_is_no_news() {
    let complaint = "Thought or action not provided in the correct format. Please retry, and make sure that the \
                     response is in the form that was asked for.";
    let mut circle = run();
    let mut said = Vec::new();
    for n in 0..3 {
        said.extend(circle.said([edit(), runs(n)]));
        circle.breaks(&Turn::default(), &AttemptFailure::empty(1));
        circle.user(complaint);
    }
    assert_eq!(said, ["2 note cycle 1"]);
}

// In a row of failures.

#[test]
fn in_a_row_of_failures_nearly_the_same_call_that_comes_back_is_one_more() {
    let missing = |command: &str| bash(command).fails("error: there is no such table: 'school.teachers'");
    let form = || bash("teacher").fails("format your command as follows: `SQL` and then the code");
    let first = || missing("select name from teachers where town != 'Little Lever'");
    let again = || missing("select name from teachers where town not like 'Little Lever'");
    check([first(), form(), again()], &["3 note repeat 1"]);
    let mut told = run();
    told.said([first(), form(), again()]);
    let text = told.interventions().next().expect("a note").note.text.to_string();
    assert!(text.contains("nearly the same call"), "{text}");
    // After a look, at something else, or with another name in one place.
    check([first(), read("a"), again()], &[]);
    check([first(), form(), missing("show all of it")], &[]);
    let named = |name: &str| missing(&format!("select name from {name} where town != 'Little Lever'"));
    check([named("teachers"), form(), named("pupils")], &[]);
    // Each error rules something out.
    let other = || bash("select id from pupils").fails("error: there is no such table: 'school.pupils'");
    check([first(), other(), again()], &[]);
    // What may pass may be tried again.
    let away = |n: usize| {
        bash(&format!("fetch https://host/a/b/c?try={n} and wait")).fails("error: connection refused")
    };
    check(
        [away(1), form(), bash("fetch https://host/a/b/c and wait").fails("error: connection refused")],
        &[],
    );
}
