//! The progress guard: a test that fails in the same way after every change, as real runners print it, and what is read
//! again and again (spec P1, P2).

use std::sync::Arc;

use crate::common::{Loop, Turn, calls};
use balk_guards::{Effect, Offer, Progress, Purpose, Tool};

fn run() -> Loop {
    let tools = [
        Tool::new("read").effect(Effect::ReadOnly),
        Tool::new("edit").effect(Effect::Write),
        Tool::new("bash").purpose(Purpose::Shell),
    ];
    Loop::with_offer(Progress::default(), Arc::new(Offer::new(tools)))
}

#[track_caller]
fn check(turns: impl IntoIterator<Item = Turn>, expected: &[&str]) {
    assert_eq!(run().said(turns), expected);
}

/// A named cause moves more models than a count (`docs/reactions.md#what-a-correction-says`).
#[test]
fn a_message_about_failures_quotes_the_line_that_says_what_failed() {
    let failed =
        |n| format!("compiling\nerror: `limit` is {n}\n1 error\n{}", "a line of the build\n".repeat(9));
    let mut run = self::run();
    run.said(runs(12, |_| failed(7)));
    let texts: Vec<&str> = run.interventions().map(|it| &*it.note.text).collect();
    assert_eq!(texts.len(), 2, "a note and a warning: {texts:?}");
    for text in &texts {
        assert!(text.contains("The last error was: error: `limit` is 7. Do not change"), "{text}");
    }
    // Another tool failed last: its error is not the one that comes again.
    let mut run = self::run();
    run.said(runs(10, |_| failed(7)));
    run.said([edit(9), calls("read", r#"{"path":"b"}"#).fails("no such file: b")]);
    run.said(runs(1, |_| failed(7)));
    let warning = run.interventions().last().expect("it is warned").note.text.clone();
    assert!(warning.contains("last warning") && !warning.contains("no such file"), "{warning}");
}

fn edit(n: usize) -> Turn {
    calls("edit", &format!(r#"{{"path":"src/lib","old":"v{n}","new":"v{}"}}"#, n + 1))
}

/// An edit and a run of the tests, this many times, each with this output.
fn runs(times: usize, output: impl Fn(usize) -> String) -> Vec<Turn> {
    let test = |n| calls("bash", r#"{"command":"make check"}"#).fails(&output(n));
    (0..times).flat_map(|n| [edit(n), test(n)]).collect()
}

#[test]
fn the_same_failure_is_seen_through_clocks_durations_and_the_number_of_the_run() {
    let told = ["10 note persisting-failure 1"];
    // A linter that counts its runs in the line that sums up.
    check(
        runs(5, |n| {
            format!(
                "[09:1{n}:07] checking conf.yml\n[09:1{n}:09] ERROR `port`: must be a number\npass {}: 1 error",
                n * 7 % 5
            )
        }),
        &told,
    );
    // `go test`: the last lines name a package and a time.
    check(
        runs(5, |n| {
            format!(
                "--- FAIL: TestTotal (0.0{n}s)\n    c_test.go:31: got 4, want 5\nFAIL\nFAIL\tshop/cart\t0.{n}12s\nFAIL"
            )
        }),
        &told,
    );
    // `unittest`: the last line only counts.
    check(
        runs(5, |n| {
            format!(
                "F..\n======\nFAIL: test_total (cart.T)\n------\nTraceback (most recent call last):\n  File \"t.py\", \
                 line 9, in test_total\nAssertionError: 4 != 5\n\n---\nRan 3 tests in 0.0{n}1s\n\nFAILED (failures=1)"
            )
        }),
        &told,
    );
    // `jest`, with a count of tests after the names.
    check(
        runs(5, |n| {
            format!(
                "FAIL src/cart.test.js\n  ● total › tax\n    Expected: 5\n    Received: 4\n\nTests:       1 failed, 3 \
                 passed, 4 total\nTime:        1.{n} s\nRan all test suites."
            )
        }),
        &told,
    );
}

/// What `cargo test` prints of a test that panics: each run has another thread.
fn cargo(line: usize, thread: usize) -> String {
    format!(
        "..F\n\n---- totals stdout ----\nthread 'totals' ({thread}) panicked at src/cart.rs:{line}:5:\nleft: 4, right: \
         5\n\ntest result: FAILED. 2 passed; 1 failed; in 0.{thread}s\n\nerror: test failed, to rerun pass `-l`"
    )
}

#[test]
fn of_a_long_report_all_lines_count_that_say_what_failed() {
    check(runs(5, |n| cargo(31, 4_407 + n)), &["10 note persisting-failure 1"]);
    check(runs(8, |n| cargo(90 - n * 9, 4_407)), &[]);
    let mvn = |line: usize| {
        format!(
            "[ERROR] CartTest.total:{line} expected:<5> but was:<4>\n[ERROR] Failed to execute goal surefire:test \
             (default-test): There are test failures."
        )
    };
    check(runs(5, |_| mvn(31)), &["10 note persisting-failure 1"]);
    check(runs(8, |n| mvn(90 - n * 9)), &[]);
}

#[test]
fn another_place_another_test_or_fewer_failures_are_progress() {
    check(runs(8, |n| format!("conf.yml:{}: `port`: must be a number\n1 error", 80 - n * 9)), &[]);
    check(
        runs(8, |n| {
            format!(
                "--- FAIL: TestTotal{n} (0.01s)\n    c_test.go:31: got 4, want 5\nFAIL\nFAIL\tshop/cart\t0.012s\nFAIL"
            )
        }),
        &[],
    );
    // The test that is named last stays, those before it are mended one by one.
    check(
        runs(8, |n| {
            format!(
                "FAILED t.py::test_last - AssertionError: assert 4 == 5\n{} failed, {} passed",
                8 - n,
                30 + n
            )
        }),
        &[],
    );
}

/// What Python prints when a class cannot be made: one class of the file after the other is mended.
#[test]
fn an_error_that_moves_on_to_the_next_class_or_name_is_progress() {
    let fails = |class: &str, line: usize, name: &str| {
        format!(
            "Traceback (most recent call last):\n  File \"tune.py\", line 3, in <module>\n    import models\n  File \
             \"models.py\", line {line}, in {class}\n    @shown(\nTypeError: shown() got an unexpected keyword \
             argument '{name}'"
        )
    };
    let classes = ["Masked", "Sequence", "Choice", "Token", "Answer", "Next"];
    check(runs(6, |n| fails(classes[n], 90 * n + 7, "tokenizer")), &[]);
    check(runs(6, |n| fails("Masked", 7, classes[n])), &[]);
    // What is written above it moves the line, and mends nothing.
    check(runs(5, |n| fails("Masked", n + 7, "tokenizer")), &["10 note persisting-failure 1"]);
}

#[test]
fn what_is_read_in_another_way_is_not_new() {
    let text = |path: &str| format!("# {path}\n{}", "one line of it\n".repeat(4));
    let read = |path: &str| calls("read", &format!(r#"{{"path":"{path}"}}"#)).answers(&text(path));
    let shown = |how: &str, path: &str| {
        calls("bash", &format!(r#"{{"command":"{how} {path}"}}"#)).answers(&text(path))
    };
    let firsts = || ["a", "b", "c", "d"].map(read);
    let others = |how: &'static str| ["a", "b", "c", "d"].map(|path| shown(how, path));
    // Four new rounds, then the same texts again and again.
    let wanders = firsts().into_iter().chain(others("cat")).chain(others("head -n 40")).chain(firsts());
    check(wanders, &["16 note wandering 1"]);
    // One line may be the answer to many questions.
    let price = |n: usize| calls("bash", &format!(r#"{{"command":"price {n}"}}"#)).answers("price: 3 EUR");
    check((0..14).map(price).chain([price(0)]), &[]);
}
