//! A child that dies, lies or hangs: the fault says so, with its last lines, and nothing of it runs afterwards.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;

use balk::exec::{ExecGuard, Pool, Settings};
use balk_guards::Guard as _;
use rustix::process::{Pid, Signal, kill_process};

use super::{asked, begin, guard, hello, patient, says, sh};
use crate::common::program::{balk, wait_for, whole};
use balk_reports::records::quoted;

/// Why a command is no guard.
#[track_caller]
fn refused(script: &str, settings: Settings, expected: &str) {
    assert_eq!(Pool::start(&sh(script), settings).expect_err("it is no guard"), expected);
}

#[test]
fn a_command_that_is_no_guard_says_why() {
    let died = "expected a hello, found the end of its output (exit status: 3); the last lines of standard error:\n\
                one\ntwo";
    refused("echo one >&2; echo two >&2; exit 3", patient(), died);
    refused(
        "read -r _; exit 3",
        patient(),
        &died.replace("the last lines of standard error:\none\ntwo", "standard error was empty"),
    );
    refused(
        "kill -9 $$",
        patient(),
        "expected a hello, found the end of its output (signal: 9 (SIGKILL)); standard error was empty",
    );
    let short = Settings { start_ms: 300, ..patient() };
    refused("sleep 50", short, "expected a hello, found no line within 300 ms; standard error was empty");
    refused(
        "echo hi",
        patient(),
        "expected a hello, found `hi` (expected value at line 1 column 1); standard error was empty",
    );
    refused(
        "echo 1",
        patient(),
        "expected a hello, found `1` (invalid type: integer `1`, expected an object with the member `hello` at line \
         1 column 1); standard error was empty",
    );
    refused(
        r#"echo '{"hello":{"protocol":2,"name":"later"}}'"#,
        patient(),
        "expected a guard that speaks version 1 of the protocol, found 2; standard error was empty",
    );
    for (said, why) in [
        (
            r#"{"hello":{"protocol":1,"guard":"a b","answers":["review"]}}"#,
            "its name is not of letters, digits and dashes",
        ),
        (
            r#"{"hello":{"protocol":1,"guard":"g","answers":[]}}"#,
            "it answers no question, so it would be told nothing",
        ),
        (
            r#"{"hello":{"protocol":1,"guard":"g","answers":["judge"]}}"#,
            "hello.answers[0]: unknown variant `judge`, expected one of `review`, `settle`, `recover`, `conclude` at \
             line 1 column 53",
        ),
    ] {
        let expected = format!("expected a hello, found `{said}` ({why}); standard error was empty");
        refused(&says(said), patient(), &expected);
    }
    let long = format!(r#"{{"hello":{{"protocol":1,"guard":"{}","answers":["review"]}}}}"#, "g".repeat(201));
    let why = Pool::start(&sh(&says(&long)), patient()).expect_err("it is no guard");
    assert!(why.ends_with(" (its name has more than 200 characters); standard error was empty"), "{why}");
    let absent = Pool::start("no-such-program-anywhere --x", patient()).expect_err("it is not there");
    let ended = "expected a hello, found the end of its output (exit status: 127); the last lines of standard error:\n";
    assert!(absent.starts_with(ended) && absent.contains("no-such-program-anywhere"), "{absent}");
    for no_command in ["", "  ", "sh 'open"] {
        let reason = Pool::start(no_command, patient()).expect_err("it is no command");
        assert_eq!(reason, format!("expected a command, found `{no_command}`"));
    }
}

/// What a guard of this script answers about a completion with two calls, which is a fault.
pub(super) fn fault(does: &str, settings: Settings) -> String {
    let mut guard = guard(&asked(does), settings);
    let completion = begin(&mut guard);
    let fault = guard.review(&completion).expect_err("it breaks");
    assert_eq!(guard.review(&completion), Err(fault.clone()), "it stays broken");
    assert_eq!(guard.settle(&completion, &[]), Err(fault.clone()), "whatever it is asked");
    assert_eq!(fault.guard, "g");
    fault.reason
}

#[track_caller]
fn check(does: &str, expected: &str) {
    assert_eq!(fault(does, patient()), format!("{expected}; standard error was empty"));
}

#[test]
fn a_guard_that_dies_in_a_run_shows_its_last_lines() {
    let noisy = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $i >&2; done; exit 4";
    assert_eq!(
        fault(noisy, patient()),
        "expected an answer to `review`, found the end of its output (exit status: 4); the last lines of standard \
         error:\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9\nline 10\nline 11\nline 12"
    );
    check(
        "exec >&-; sleep 1000 & wait",
        "expected an answer to `review`, found the end of its output, and it goes on",
    );
}

#[test]
fn a_guard_that_lies_is_told_what_was_expected() {
    let review = "expected an answer to `review`, found";
    check("echo nonsense", &format!("{review} `nonsense` (expected value at line 1 column 1)"));
    check("echo", &format!("{review} `` (EOF while parsing a value at line 1 column 0)"));
    check("echo '[1]'", &format!("{review} `[1]` (expected value at line 1 column 1)"));
    check(
        r#"echo '{"settle":{"accept":[]}}'"#,
        &format!(r#"{review} one to `settle`: `{{"settle":{{"accept":[]}}}}`"#),
    );
    check(
        r#"echo '{"review":{"verdict":"block"}}'"#,
        &format!(
            "{review} `{{\"review\":{{\"verdict\":\"block\"}}}}` (review.verdict.block: invalid type: unit variant, \
             expected newtype variant at line 1 column 29)"
        ),
    );
    check(
        r#"printf 'checking\n%s\n' '{"review":{"verdict":"pass"}}'"#,
        &format!("{review} more than one line: `checking {{\"review\":{{\"verdict\":\"pass\"}}}}`"),
    );
    let block = |call: &str| {
        let note = r#""note":{"rule":"r","text":"t"}"#;
        says(&format!(r#"{{"review":{{"verdict":{{"block":[{{"call":{call},{note}}}]}}}}}}"#))
    };
    let inside = "in its answer to `review`:";
    check(&block("2"), &format!("{inside} expected an index of a call below 2, found 2"));
    let twice = r#"{"call":1,"note":{"rule":"r","text":"t"}}"#;
    let twice = format!(r#"{{"review":{{"verdict":{{"block":[{twice},{twice}]}}}}}}"#);
    check(&says(&twice), &format!("{inside} expected each call once, found 1 twice"));
    let retry = |note: &str| says(&format!(r#"{{"review":{{"verdict":{{"retry":{note}}}}}}}"#));
    check(
        &retry(r#"{"rule":"r","text":"t","level":0}"#),
        &format!("{inside} expected a level from 1, found 0"),
    );
    check(
        &retry(r#"{"rule":"r","text":"t","subject":{"call-at":9}}"#),
        &format!("{inside} expected an index of a call below 2, found 9"),
    );
    let ask = r#"{"review":{"verdict":{"ask":{"note":{"rule":"r","text":"t"},"options":[]}}}}"#;
    check(&says(ask), &format!("{inside} expected an option that the user can choose, found none"));
}

#[test]
fn a_guard_that_hangs_or_writes_for_ever_runs_into_its_limit() {
    let short = || Settings { answer_ms: 300, ..patient() };
    let hangs = "expected an answer to `review`, found no line within 300 ms";
    assert_eq!(fault("sleep 1000", short()), format!("{hangs}; standard error was empty"));
    assert_eq!(
        fault("printf '{\"rev'; sleep 1000", short()),
        format!("{hangs}; standard error was empty"),
        "the beginning of a line is no line"
    );
    let noise = fault("while :; do echo noise; done >&2", short());
    assert!(noise.starts_with(&format!("{hangs}; the last lines of standard error:\nnoise\n")), "{noise}");
    assert_eq!(noise.lines().count(), 11);
    let endless = fault("yes", patient());
    assert!(
        endless.starts_with("expected an answer to `review`, found more than one line: `y y y "),
        "{endless}"
    );
    let long = fault("head -c 5000000 /dev/zero | tr '\\0' x; sleep 1000", patient());
    assert!(
        long.starts_with("expected an answer to `review`, found more than 4 MiB without an end: `xxxxx"),
        "{long}"
    );
    assert!(long.len() < 400, "{long}");
}

#[test]
fn a_guard_that_talks_much_on_the_side_is_heard_all_the_same() {
    let pass = says(r#"{"review":{"verdict":"pass"}}"#);
    let mut guard = guard(&asked(&format!("head -c 300000 /dev/zero >&2; {pass}")), patient());
    let completion = begin(&mut guard);
    for _ in 0..3 {
        assert!(guard.review(&completion).expect("it answers").is_pass());
    }
}

/// Entries come before a question that it never reads to the end of.
#[test]
fn a_guard_that_does_not_read_runs_into_its_limit() {
    let script = format!("{}; echo busy >&2; sleep 1000", hello("\"review\""));
    let mut guard = guard(&script, Settings { answer_ms: 300, ..patient() });
    begin(&mut guard);
    let many = completion_of(200_000);
    for _ in 0..5 {
        guard.observe(&balk_guards::Entry::Completion(many.clone().into()));
    }
    assert_eq!(
        guard.review(&many).expect_err("it does not read").reason,
        "expected that it reads, found that it has not taken all within 300 ms; the last lines of standard error:\nbusy"
    );
}

/// Each piece that it takes is no new time for all.
#[test]
fn a_guard_that_reads_a_little_at_a_time_runs_into_its_limit() {
    let reads = "while dd bs=4096 count=1 of=/dev/null 2>/dev/null; do sleep 0.02; done";
    let script = format!("{}; {reads}", hello("\"review\""));
    let mut guard = guard(&script, Settings { answer_ms: 300, ..patient() });
    begin(&mut guard);
    let many = completion_of(900_000);
    guard.observe(&balk_guards::Entry::Completion(many.clone().into()));
    let reason = guard.review(&many).expect_err("it does not read all").reason;
    assert!(
        reason.contains("expected that it reads, found that it has not taken all within 300 ms"),
        "{reason}"
    );
}

/// Nor has it that time for each of the pieces in which it is told a long history.
#[test]
fn a_guard_that_reads_many_entries_slowly_runs_into_its_limit() {
    let reads = "while dd bs=65536 count=1 of=/dev/null 2>/dev/null; do sleep 0.1; done";
    let script = format!("{}; {reads}", hello("\"review\""));
    let mut guard = guard(&script, Settings { answer_ms: 300, ..patient() });
    let asked = begin(&mut guard);
    for _ in 0..18 {
        guard.observe(&balk_guards::Entry::Completion(completion_of(50_000).into()));
    }
    let reason = guard.review(&asked).expect_err("it does not read all").reason;
    assert!(
        reason.contains("expected that it reads, found that it has not taken all within 300 ms"),
        "{reason}"
    );
}

fn completion_of(bytes: usize) -> balk_guards::Completion {
    let text = balk_guards::Part::Text("x".repeat(bytes).into());
    let finish = balk_guards::FinishReason::Stop;
    balk_guards::Completion::new([text], [], finish, Default::default(), &super::offer())
}

/// The next run has a child of its own.
#[test]
fn a_guard_that_broke_is_whole_in_the_next_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let once = quoted(&folder.path().join("once").display().to_string());
    let pass = says(r#"{"review":{"verdict":"pass"}}"#);
    let script = asked(&format!("if [ -e {once} ]; then {pass}; else : > {once}; exit 1; fi"));
    let pool = std::sync::Arc::new(Pool::start(&sh(&script), patient()).expect("it says hello"));
    let review = || {
        let mut guard = ExecGuard::new(&pool);
        let completion = begin(&mut guard);
        guard.review(&completion).is_ok()
    };
    assert_eq!([review(), review(), review()], [false, true, true]);
}

/// What the system says of the process with this number; empty once it was waited for.
#[cfg(target_os = "linux")]
fn process(file: &Path) -> String {
    let id = fs::read_to_string(file).expect("it wrote its number");
    fs::read_to_string(Path::new("/proc").join(id.trim()).join("stat")).unwrap_or_default()
}

/// Whether it is running. Its new parent may not have waited for it.
#[cfg(target_os = "linux")]
fn is_running(file: &Path) -> bool {
    let process = process(file);
    !process.is_empty() && !process.contains(") Z ")
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_of_a_guard_runs_after_a_fault_or_after_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name);
    let notes = |name: &str| format!("echo $$ > {}", quoted(&file(name).display().to_string()));
    let below = |name: &str| format!("sh -c {} &", quoted(&format!("{}; sleep 1000", notes(name))));
    let both = format!("{} setsid {}", below("below"), below("apart"));
    let short = Settings { answer_ms: 300, ..patient() };
    let hangs = format!("{}; {both} sleep 1000", notes("hangs"));
    assert!(fault(&hangs, short).contains("no line within"));
    assert_eq!(process(&file("hangs")), "", "it is no zombie either");
    assert!(!is_running(&file("below")) && !is_running(&file("apart")), "nor does what it had started");

    // A guard that ends by itself, one that does not, and one that leaves something behind.
    let pass = says(r#"{"review":{"verdict":"pass"}}"#);
    for (name, then) in [("ends", ""), ("stays", "; sleep 1000"), ("leaves", "; sleep 1000 & exit 0")] {
        let mut guard = guard(&format!("{}; {}{then}", notes(name), asked(&pass)), patient());
        let completion = begin(&mut guard);
        assert!(guard.review(&completion).is_ok() && is_running(&file(name)));
        drop(guard);
        assert_eq!(process(&file(name)), "", "{name}");
    }
}

/// However Balk is ended, its guards end with it.
#[cfg(target_os = "linux")]
#[test]
fn a_guard_that_hangs_does_not_outlive_balk() {
    for signal in [Signal::INT, Signal::TERM, Signal::KILL] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("hangs");
        let spec = format!("exec:{}", sh(&asked("echo $$ > number; mv number hangs; sleep 1000")));
        fs::write(folder.path().join("balk.toml"), "[exec]\nanswer-ms = 600000\n")
            .expect("it can be written");
        let mut command = balk(folder.path(), &["scenario", "repeating", "--guard", &spec]);
        let mut running = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        wait_for("a question", || file.exists());
        kill_process(Pid::from_child(&running), signal).expect("it is running");
        running.wait().expect("it ends");
        wait_for("the end of the guard", || !is_running(&file));
        let mut said = String::new();
        running.stderr.take().expect("a pipe").read_to_string(&mut said).expect("the pipe is closed");
        assert_eq!(said, "settings of guards: balk.toml\n");
    }
}

#[test]
fn a_fault_ends_a_trial_as_such_and_shows_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let dies = format!("exec:{}", sh(&asked("echo 'Error: no rule' >&2; exit 1")));
    let shown =
        whole(&mut balk(folder.path(), &["scenario", "probe-listing", "--seed", "8", "--guard", &dies]));
    insta::assert_snapshot!("exec_dies", shown);
    let absent = ["scenario", "probe-listing", "--guard", "default,exec:sh -c 'echo why >&2; exit 2'"];
    insta::assert_snapshot!("exec_absent", whole(&mut balk(folder.path(), &absent)));
}
