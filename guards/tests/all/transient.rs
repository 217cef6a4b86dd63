//! Healthy models that every guard of the default stack must leave alone together (spec F3, D7, P2, P4): they wait and
//! try again after a failure that may pass, run a flaky test once more, look at pictures, and wait for another job.
//! Each has its bound.

use std::sync::Arc;

use crate::common::{Loop, Turn, again, all_guards, calls};
use balk_guards::{Effect, Offer, Purpose, Stack, Status, Tool};

/// What package managers, clients and proxies say when a network fails.
const PASSING: [&str; 16] = [
    "npm error code ECONNRESET\nnpm error syscall read\nnpm error errno ECONNRESET\nnpm error network read ECONNRESET\n\
     npm error network This is a problem related to network connectivity.",
    "npm ERR! code ECONNRESET\nnpm ERR! network aborted\nnpm ERR! network This is a problem related to network \
     connectivity.",
    "npm error code EAI_AGAIN\nnpm error syscall getaddrinfo\nnpm error errno EAI_AGAIN\nnpm error request to \
     https://registry.npmjs.org/react failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org",
    "Error: getaddrinfo EAI_AGAIN api.example.com\n    at GetAddrInfoReqWrap.onlookupall [as oncomplete] \
     (node:dns:122:26)",
    "pip._vendor.urllib3.exceptions.ProtocolError: ('Connection broken: IncompleteRead(262144 bytes read, 1048576 more \
     expected)', IncompleteRead(262144 bytes read, 1048576 more expected))",
    "ERROR: Exception:\nurllib3.exceptions.ProtocolError: (\"Connection broken: ConnectionResetError(104, 'Connection \
     reset by peer')\", ConnectionResetError(104, 'Connection reset by peer'))",
    "curl: (6) Could not resolve host: files.example.org",
    "fatal: unable to access 'https://github.com/example/tool.git/': Could not resolve host: github.com",
    "Error: socket hang up\n    at connResetException (node:internal/errors:787:14)\n  code: 'ECONNRESET'",
    "request to https://registry.npmjs.org/left-pad failed, reason: socket hang up",
    "curl: (22) The requested URL returned error: 502",
    "<html>\n<head><title>502 Bad Gateway</title></head>\n<body>\n<center><h1>502 Bad Gateway</h1></center>\n</body>\n\
     </html>",
    "HTTP/1.1 503 Service Unavailable\nContent-Type: text/plain\n\nupstream connect error",
    "curl: (22) The requested URL returned error: 503",
    "curl: (56) Recv failure: Connection reset by peer",
    "fatal: unable to access 'https://git.example.net/a.git/': Recv failure: Operation timed out",
];

fn offer() -> Arc<Offer> {
    Arc::new(Offer::new([
        Tool::new("bash").purpose(Purpose::Shell),
        Tool::new("fetch").effect(Effect::ReadOnly),
        Tool::new("read").effect(Effect::ReadOnly),
        Tool::new("pytest").effect(Effect::ReadOnly),
        Tool::new("write_file").effect(Effect::IdempotentWrite),
        Tool::new("edit").effect(Effect::Write),
        Tool::new("wait").effect(Effect::ReadOnly).purpose(Purpose::Wait),
        Tool::new("take_screenshot").effect(Effect::ReadOnly),
        Tool::new("click"),
    ]))
}

/// What the default stack says.
fn said(turns: impl IntoIterator<Item = Turn>) -> Vec<String> {
    Loop::with_offer(Stack::new(all_guards()), offer()).said(turns)
}

#[track_caller]
fn silent(about: &str, turns: impl IntoIterator<Item = Turn>) {
    assert_eq!(said(turns), [""; 0], "{about}");
}

fn bash(command: &str) -> Turn {
    calls("bash", &format!(r#"{{"command":"{command}"}}"#))
}

fn sleep(nth: usize) -> Turn {
    bash(&format!("sleep {}", [20, 20, 30, 60][nth % 4])).answers("")
}

fn read(nth: usize) -> Turn {
    calls("read", &format!(r#"{{"path":"src/{nth}.rs"}}"#)).answers(&format!("text of {nth}"))
}

/// Ways to try again, with the number of tries that must be left alone. `call` makes a call that fails.
fn patterns(call: &dyn Fn(&str) -> Turn) -> Vec<(&'static str, Vec<Turn>)> {
    let same = || call("install");
    let waits = |nth: usize| call(&format!("sleep {}; install", 10 << nth));
    vec![
        ("five tries in a row", again(&[same()], 5)),
        ("eight tries, each after a pause", (0..8).flat_map(|nth| [same(), sleep(nth)]).collect()),
        (
            "eight tries, each after a tool that waits",
            (0..8).flat_map(|_| [same(), calls("wait", r#"{"seconds":20}"#).answers("")]).collect(),
        ),
        ("four tries that wait first themselves", (0..4).map(waits).collect()),
        ("eight equal tries that wait first themselves", again(&[call("sleep 30; install")], 8)),
        ("four tries with other work between", (0..4).flat_map(|nth| [same(), read(nth)]).collect()),
        ("three tries with the same look between", again(&[same(), read(0)], 5)),
        (
            "five tries with other options",
            (0..5).map(|nth| call(&format!("install --tries={nth}"))).collect(),
        ),
    ]
}

#[test]
fn f3_who_waits_and_tries_again_is_left_alone() {
    let mut wrong = Vec::new();
    for text in PASSING {
        for status in [Status::Error, Status::Unknown] {
            for tool in ["bash", "fetch"] {
                let call = |what: &str| {
                    let call = calls(tool, &format!(r#"{{"command":"{what}"}}"#));
                    if status == Status::Error { call.fails(text) } else { call.answers_something(text) }
                };
                for (about, turns) in patterns(&call) {
                    let said = said(turns);
                    if !said.is_empty() {
                        let first = text.lines().next().unwrap_or_default();
                        wrong.push(format!("{status:?} {tool}, {about}: {said:?} ({first:.60})"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn f3_patience_is_bounded_and_nobody_is_told_that_it_will_fail_again() {
    let down = || bash("install").fails(PASSING[0]);
    let mut run = Loop::with_offer(Stack::new(all_guards()), offer());
    assert_eq!(run.said(again(&[down()], 6)), ["6 block same-call 1"]);
    let text = run.interventions().next().expect("a block").note.text.clone();
    assert!(!text.contains("will fail again") && text.contains("Before you try it again, wait"), "{text}");
    let texts: Vec<_> = run.said(again(&[down()], 1));
    assert_eq!(texts, ["1 block same-call-after-feedback 2"]);
    let text = run.interventions().last().expect("a block").note.text.clone();
    assert!(!text.contains("would answer the same again"), "{text}");
    assert!(!said((0..40).flat_map(|nth| [down(), sleep(nth)])).is_empty(), "a pause is no licence");
}

#[test]
fn d1_a_flaky_test_may_run_once_more() {
    let red = || {
        calls("pytest", "{}")
            .fails("FAILED tests/test_net.py::test_retry - assert 2 == 3\n1 failed, 41 passed")
    };
    silent("declared", again(&[red()], 2));
    let red = || {
        bash("pytest -q").fails("FAILED tests/test_net.py::test_retry - assert 2 == 3\n1 failed, 41 passed")
    };
    silent("by a shell", again(&[red()], 2));
    silent("unknown status", again(&[bash("pytest -q").answers_something("1 failed, 41 passed")], 2));
}

/// The same assertion after every edit is told once, as a hint; nothing is refused.
#[test]
fn p2_a_test_that_goes_red_seven_times_with_edits_between_is_not_refused() {
    let edit = |nth: usize| calls("edit", &format!(r#"{{"path":"a.rs","old":"{nth}","new":"{}"}}"#, nth + 1));
    for run in [|text: &str| calls("pytest", "{}").fails(text), |text: &str| bash("pytest -q").fails(text)] {
        let red =
            |nth: usize| run(&format!("FAILED test_{nth} - assert {nth} == 0\n{} failed, 9 passed", 8 - nth));
        silent("another failure each time", (0..7).flat_map(|nth| [red(nth), edit(nth)]));
        let same = || run("FAILED test_a - assert 1 == 0\n1 failed, 9 passed");
        let said = said((0..7).flat_map(|nth| [same(), edit(nth)]));
        assert!(said.iter().all(|it| it.contains(" note ")) && said.len() <= 1, "{said:?}");
    }
}

#[test]
fn d7_pictures_are_not_equal_because_no_text_holds_them() {
    for picture in ["", "[image]", "Screenshot taken\n[image]"] {
        let look = || calls("take_screenshot", "{}").answers(picture);
        silent("in a row", again(&[look()], 8));
        silent("after clicks", again(&[calls("click", r#"{"x":10,"y":20}"#).answers("ok"), look()], 24));
    }
    let read = calls("read", r#"{"path":"a"}"#).answers("");
    assert_eq!(said(again(&[read], 3)), ["3 block same-call 1"], "an empty file is seen");
}

/// Polls the job with the same command each time.
fn poll(answer: &str) -> Turn {
    bash("tail -n 1 build.log").answers(answer)
}

#[test]
fn p4_another_job_has_a_ladder_of_its_own() {
    let start = |job: &str, pid: u32| {
        bash(&format!("nohup make {job} &")).answers(&format!("[1] {pid} {job} started"))
    };
    for answer in ["[ 1%] still running", "[ 1%] base/strings.o"] {
        let first: Vec<Turn> = [start("wide", 411)].into_iter().chain(again(&[poll(answer)], 24)).collect();
        let mut run = Loop::with_offer(Stack::new(all_guards()), offer());
        let of_first = run.said(first);
        assert!(of_first.len() > 1, "the first job is dead: {of_first:?}");
        let patience = said([start("wide", 411)].into_iter().chain(again(&[poll(answer)], 24)));
        assert_eq!(patience, of_first);
        // The new job is polled with the same command, and gets the same patience.
        let of_second = run.said([start("narrow", 977)].into_iter().chain(again(&[poll(answer)], 24)));
        let first_word = |said: &[String]| said[0].clone();
        assert_eq!(first_word(&of_second), first_word(&of_first), "{of_first:?} {of_second:?}");
    }
}
