//! What the default stack makes of results that are easy to misread: long logs, letters and lists about failures,
//! programs that say no with their exit status, and pages on which something is not there (spec F1).

use std::sync::Arc;

use crate::common::{Loop, Turn, all_guards, calls};
use balk_guards::{Effect, Offer, Purpose, Stack, Tool};

fn offer() -> Arc<Offer> {
    Arc::new(Offer::new([
        Tool::new("bash").purpose(Purpose::Shell),
        Tool::new("edit").effect(Effect::Write),
        Tool::new("open_mail").effect(Effect::ReadOnly),
        Tool::new("build"),
        Tool::new("click"),
    ]))
}

/// What the default stack says.
fn said(turns: impl IntoIterator<Item = Turn>) -> Vec<String> {
    Loop::with_offer(Stack::new(all_guards()), offer()).said(turns)
}

fn bash(command: &str) -> Turn {
    calls("bash", &format!(r#"{{"command":"{command}"}}"#))
}

fn edit(n: usize) -> Turn {
    calls("edit", &format!(r#"{{"path":"src/lib","old":"v{n}","new":"v{}"}}"#, n + 1))
}

/// A log of which only the ends are the same in every build, with this error in the middle.
fn log(error: &str, seconds: usize) -> String {
    let steps = |name: &str| (0..40).map(|n| format!("  CC {name}/{n}.o\n")).collect::<String>();
    format!(
        "{}{error}\n{}ninja: built in {seconds} s\nbuild stopped: subcommand failed.",
        steps("net"),
        steps("ui")
    )
}

/// An edit and a build, this many times, each with this error.
fn builds(times: usize, error: impl Fn(usize) -> String) -> Vec<Turn> {
    let build = |n: usize| calls("build", r#"{"target":"all"}"#).fails(&log(&error(n), 9 + n));
    (0..times).flat_map(|n| [edit(n), build(n)]).collect()
}

#[test]
fn builds_that_fail_in_another_way_each_time_are_progress() {
    let names = ["port", "host", "path", "user", "mode", "name"];
    assert_eq!(
        said(builds(6, |n| format!("net/a.c:{n}:9: error: '{}' was not declared", names[n]))),
        [""; 0]
    );
    assert_eq!(said(builds(6, |n| format!("net/a.c:{n}:9: Fehler: »{}« ist unbekannt", names[n]))), [""; 0]);
    // The edits move the place, and the error stays.
    let same = said(builds(6, |n| format!("net/a.c:{n}:9: error: 'port' was not declared")));
    assert!(same.iter().any(|it| it.contains("persisting-failure")), "{same:?}");
}

#[test]
fn other_calls_that_fail_in_another_way_each_time_are_a_diagnosis() {
    let causes =
        ["the key is too short", "no host in the address", "two owners of one port", "a loop in the graph"];
    let commands = ["make all", "ninja -C out app", "cmake --build . --target app", "bazel run //app"];
    let run = |n: usize, cause: &str| bash(commands[n]).fails(&log(&format!("ConfigError: {cause}"), 9));
    assert_eq!(said((0..4).map(|n| run(n, causes[n]))), [""; 0]);
    let same = said((0..4).map(|n| run(n, causes[0])));
    assert!(same.iter().any(|it| it.contains("same-failure")), "{same:?}");
}

/// A letter that speaks of a failure has been read; a letter that is not there has not.
#[test]
fn a_letter_about_a_failure_is_an_answer() {
    let open = |answer: &str| {
        let open = || calls("open_mail", r#"{"id":"m-7"}"#).answers_something(answer);
        said([open(), calls("open_mail", r#"{"id":"m-8"}"#).answers("From: Lee\nHello"), open()])
    };
    let letter = "From: bank@x.example\nSubject: Payment rejected\nDate: 3 March\n\nYour payment was rejected, because \
                  the account is unknown.";
    assert_eq!(open(letter), [""; 0]);
    assert_eq!(open("the letter m-7 does not exist"), ["3 block same-call 1"]);
}

#[test]
fn a_program_that_says_no_has_answered() {
    let polls = |program: &str, answer: &str| {
        let poll = || bash(program).fails(answer);
        let work = |n: usize| bash(&format!("make part-{n}")).answers(&format!("part {n} is made"));
        said((0..5).flat_map(|n| [poll(), work(n)]))
    };
    for answer in ["", "exit code 1", "(no output)\n[exit status 1]"] {
        assert_eq!(polls("test -f out/app", answer), [""; 0], "{answer}");
    }
    assert_eq!(polls("diff -q old new", "Files old and new differ\nexit code 1"), [""; 0]);
    let fails = polls("./deploy --now", "deploy: the token is too old\nexit code 1");
    assert!(fails.iter().any(|it| it.contains("persisting-failure")), "{fails:?}");
}

/// Each question is another one, and "no" is an answer to each.
#[test]
fn programs_that_say_no_one_after_another_are_a_diagnosis() {
    let asked = ["nc -z mail.local 25", "getent hosts mail", "test -s queue/outbox", "pgrep -f postfix"];
    let more = ["printenv SMTP_HOST", "grep -q retry mail.json", "test -x bin/send", "diff -q a b"];
    let no = "Command failed without output (exit status 1)";
    assert_eq!(said(asked.into_iter().chain(more).map(|it| bash(it).fails(no))), [""; 0]);
}

/// Waiting helps against a slow network, and not against a button that the page does not have.
#[test]
fn a_button_that_is_not_there_is_no_network_that_is_slow() {
    let clicks = |error: &str| {
        let click = || calls("click", r##"{"selector":"#buy"}"##).fails(error);
        said((0..5).flat_map(|n| [edit(n), click()]))
    };
    let missing = "TimeoutError: Timeout 30000ms exceeded.\nCall log:\n  - waiting for locator('#buy')";
    assert_eq!(clicks(missing), ["10 note persisting-failure 1"]);
    let slow =
        "TimeoutError: Timeout 30000ms exceeded.\nCall log:\n  - navigating to \"https://shop.example/\"";
    assert_eq!(clicks(slow), [""; 0]);
}
