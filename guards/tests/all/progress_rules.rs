//! The progress guard: rules about single calls, writes and replies, where they fire and where they must not.

use std::sync::Arc;

use crate::common::{Loop, Turn, again, calls, says};
use balk_guards::{Effect, Offer, Progress, ProgressSettings, Purpose, Tool};

fn offer() -> Arc<Offer> {
    Arc::new(Offer::new([
        Tool::new("read").effect(Effect::ReadOnly).parameters(r#"{"type":"object","required":["path"]}"#),
        Tool::new("write_file").effect(Effect::IdempotentWrite),
        Tool::new("replace").effect(Effect::Write),
        Tool::new("bash").purpose(Purpose::Shell),
        Tool::new("wait_for").effect(Effect::ReadOnly).purpose(Purpose::Wait),
        Tool::new("done").purpose(Purpose::Finish),
    ]))
}

fn run() -> Loop {
    Loop::with_offer(Progress::default(), offer())
}

fn read(path: &str) -> Turn {
    calls("read", &format!(r#"{{"path":"{path}"}}"#)).answers(&format!("text of {path}"))
}

#[track_caller]
fn check(turns: impl IntoIterator<Item = Turn>, expected: &[&str]) {
    assert_eq!(run().said(turns), expected);
}

/// Everything that the guard says if each reply gets this answer.
#[track_caller]
fn check_replies(replies: &[(&str, &str)], expected: &[&str]) {
    let mut run = run();
    run.said([bash("ls")]);
    let mut said = Vec::new();
    for (nth, (reply, answer)) in replies.iter().enumerate() {
        said.extend(run.said([says(reply)]).iter().map(|it| it.replacen('1', &(nth + 1).to_string(), 1)));
        run.user(answer);
    }
    assert_eq!(said, expected);
}

fn bash(command: &str) -> Turn {
    calls("bash", &format!(r#"{{"command":"{command}"}}"#))
}

// Calls that cannot run.

#[test]
fn tools_that_are_not_on_offer_climb_to_the_end_whatever_their_names() {
    let unknown = |n: usize| calls(&format!("tool_{n}"), "{}").fails("no such tool");
    check(
        (0..7).map(unknown),
        &["3 note unknown-tool 1", "4 block unknown-tool 2", "5 ask unknown-tool 3", "7 stop unknown-tool 4"],
    );
    let mut run = run();
    run.said((0..3).map(unknown));
    let text = &run.interventions().next().expect("a note").note.text;
    assert!(text.contains("`read`, `write_file`") && !text.contains("tool_2"), "{text}");
}

#[test]
fn one_good_call_between_unknown_ones_begins_anew() {
    let unknown = |n: usize| calls(&format!("tool_{n}"), "{}").fails("no such tool");
    check((0..12).map(|n| if n % 3 == 2 { bash(&n.to_string()) } else { unknown(n) }), &[]);
}

#[test]
fn arguments_without_what_the_tool_requires_are_met_before_their_errors_agree() {
    let wrong = |n: usize| {
        let arguments = [r#"{"file":"a"}"#, r#"{"name":"b","x":1}"#, r#"["a"]"#, "{path: a}"][n % 4];
        calls("read", arguments).fails(["invalid input", "expected a path", "wrong type", "no JSON"][n % 4])
    };
    check((0..4).map(wrong), &["3 note invalid-arguments 1", "4 block invalid-arguments 2"]);
    let mut run = run();
    run.said((0..3).map(wrong));
    assert!(run.interventions().next().expect("a note").note.text.contains("with `path` in it"));
}

#[test]
fn a_good_call_that_fails_is_not_invalid() {
    let missing =
        |n: usize| calls("read", &format!(r#"{{"path":"{n}"}}"#)).fails(["not there", "no rights"][n % 2]);
    check((0..6).map(missing), &[]);
}

#[test]
fn a_task_declared_done_again_and_again_is_sent_back_to_what_was_said() {
    let done = |n: usize| calls("done", &format!(r#"{{"summary":"all is done {n}"}}"#)).fails("2 tests fail");
    check(
        (0..8).map(done),
        &[
            "3 note refused-finish 1",
            "4 block refused-finish 2",
            "6 ask refused-finish 3",
            "8 stop refused-finish 4",
        ],
    );
    let work = |n: usize| calls("write_file", &format!(r#"{{"path":"{n}","content":""}}"#));
    check((0..12).map(|n| if n % 3 == 2 { work(n) } else { done(n) }), &[]);
}

#[test]
fn what_a_shell_may_have_mended_in_between_buys_a_finish_twice_the_time() {
    let done = |n: usize| calls("done", &format!(r#"{{"summary":"all is done {n}"}}"#)).fails("2 tests fail");
    let fix = |n: usize| bash(&format!("sed -i s/a/{n}/ a.py")).answers("");
    check((0..7).flat_map(|n| [fix(n), done(n)]), &["12 note refused-finish 1"]);
}

/// The answer to another declaration, or to another call, is no refusal of this one.
#[test]
fn a_finish_that_is_refused_for_another_reason_is_not_the_same() {
    let done = |n: usize| calls("done", &format!(r#"{{"summary":"all is done {n}"}}"#));
    let same = "the tests fail";
    let other = "the report is missing";
    let twice = [done(0).fails(same), done(1).fails(same)];
    check(twice.clone().into_iter().chain([done(2).fails(same)]), &["3 note refused-finish 1"]);
    check(twice.clone().into_iter().chain([done(2).fails(other)]), &[]);
    let later = [done(0).fails(other), done(1).fails(same), done(2).fails(same), done(3).fails(same)];
    check(later, &["4 note refused-finish 1"]);
    // What was taken is no refusal, whatever it says.
    check(twice.clone().into_iter().chain([done(2).answers(same)]), &[]);
    let beside = done(2).fails(other).and_calls("bash", r#"{"command":"make"}"#).fails(same);
    check(twice.into_iter().chain([beside]), &[]);
}

/// Where the host goes on after the task was declared finished, nothing was refused.
#[test]
fn a_finish_that_is_taken_is_never_a_wrong_one() {
    let done =
        |n: usize| calls("done", &format!(r#"{{"summary":"all is done {n}"}}"#)).answers("noted, go on");
    let settings =
        ProgressSettings { near_calls: 0, grown_calls: 0, wandering: 0, ..ProgressSettings::default() };
    assert_eq!(Loop::with_offer(Progress::new(settings), offer()).said((0..16).map(done)), [""; 0]);
}

// Calls that change little.

#[test]
fn a_call_that_grows_and_learns_nothing_is_told_so() {
    let grown = |n: usize| bash(&format!("cd app{}", " && cd app".repeat(n))).answers("app");
    check((0..8).map(grown), &["5 note growing-call 1", "6 block growing-call 2", "8 ask growing-call 3"]);
    let learns =
        |n: usize| bash(&format!("cat a{}", " | grep b".repeat(n))).answers(&format!("{} lines", 9 - n));
    check((0..6).map(learns), &[]);
}

#[test]
fn cosmetic_changes_to_a_call_that_fails_the_same_are_told_at_the_third() {
    let names = ["value", "values", "vals", "valu", "val", "v", "vv", "vvv", "w"];
    let patched = |n: usize| {
        let text =
            format!("import numpy as np; {} = np.linalg.inv(np.zeros((2, 2))); print('the end')", names[n]);
        bash(&text).answers_something("Traceback:\nnumpy.linalg.LinAlgError: Singular matrix")
    };
    check((0..9).map(patched), &["3 note near-call 1", "7 block near-call 2", "9 ask near-call 3"]);
}

#[test]
fn other_calls_or_other_errors_are_diagnosis() {
    let errors = |n: usize| format!("ValueError: expected {n} rows and found none of these");
    let command =
        |n: usize| format!("python -c 'import numpy; print(numpy.load(\\\"data.npy\\\").shape[{n}])'");
    check((0..5).map(|n| bash(&command(n)).fails(&errors(n))), &[]);
    let others = ["ls -la /srv", "pip list | grep numpy", "python -V", "cat setup.cfg", "git log -3 --stat"];
    check(others.map(|it| bash(it).fails("error: cannot open the shared library")), &[]);
}

#[test]
fn an_answer_that_names_nothing_may_have_other_causes_each_time() {
    let names = [
        "passwd", "/srv", "net.core", "HOME", "redis", "port 80", "disk", "x11", "cron", "mail", "sshd",
        "ntp",
    ];
    let probe = |n: usize, answer: &str| bash(&format!("look-at {}", names[n])).fails(answer);
    let of = |answer: &'static str| (0..12).map(move |n| probe(n, answer));
    check(of("the command printed nothing and returned 1"), &["12 note same-failure 1"]);
    check(of("the command needs `dist/targets.toml` first").take(6), &["6 note same-failure 1"]);
}

#[test]
fn a_failure_that_may_pass_is_worth_twice_the_tries() {
    let flags = ["-s", "-S", "-sS", "-L", "-sL", "-SL"];
    let fetch = |n: usize| {
        bash(&format!("curl {} https://example.org/archive/of/the/data.tar.gz -o data.tar.gz", flags[n]))
            .fails("error: connection timed out while reading")
    };
    check((0..6).map(fetch), &["6 note near-call 1"]);
}

// Writes.

fn replace(from: &str, to: &str) -> Turn {
    calls("replace", &format!(r#"{{"path":"a.py","old":"{from}","new":"{to}"}}"#))
}

#[test]
fn an_edit_that_is_taken_back_and_made_again_is_a_rewrite() {
    // A refused write leaves the file unchanged.
    let [forth, back] = [replace("x", "y"), replace("y", "x")];
    check(
        [forth.clone(), back.clone(), forth, back.clone(), back],
        &["3 note rewrite 1", "4 block rewrite 2", "5 ask rewrite 3"],
    );
}

#[test]
fn one_edit_taken_back_is_honest_work_and_a_third_version_is_news() {
    check(
        [replace("x", "y"), replace("y", "x"), replace("x", "z"), replace("z", "x"), replace("x", "w")],
        &[],
    );
    let whole = |text: &str| calls("write_file", &format!(r#"{{"path":"b.py","content":"{text}"}}"#));
    // A look at something new between them, so that it is not one file written over and over.
    let with_looks = |texts: &[&str]| {
        let turns = texts.iter().enumerate().flat_map(|(n, text)| [whole(text), read(&format!("{n}"))]);
        turns.collect::<Vec<_>>()
    };
    check(with_looks(&["1", "2", "1", "3", "1", "4"]), &[]);
    check(with_looks(&["1", "2", "1", "2"]), &["7 note rewrite 1"]);
}

// What changes do not touch.

fn failing(n: usize) -> Turn {
    calls("pytest", "{}").fails(&format!("FAILED test_a - assert {n} == 2"))
}

#[test]
fn the_same_failure_after_every_change_climbs_to_the_end() {
    let turns = (0..16).flat_map(|n| [failing(1), replace(&format!("x{n}"), &format!("y{n}"))]);
    check(
        turns,
        &[
            "9 note persisting-failure 1",
            "21 block persisting-failure 2",
            "25 ask persisting-failure 3",
            "29 stop persisting-failure 4",
        ],
    );
}

#[test]
fn a_failure_that_changes_goes_away_may_pass_or_was_met_without_a_change_does_not_persist() {
    let patch = |n: usize| replace(&format!("x{n}"), &format!("y{n}"));
    check((0..14).flat_map(|n| [failing(n / 3), patch(n)]), &[]);
    let green = || calls("pytest", "{}").answers("1 passed");
    check((0..4).flat_map(|n| [failing(1), patch(n), failing(1), patch(n + 10), green()]), &[]);
    let cut_off = || calls("pytest", "{}").fails("ConnectionError: connection refused");
    check((0..14).flat_map(|n| [cut_off(), patch(n)]), &[]);
    check([failing(1), read("a"), failing(1), read("b"), failing(1)], &["5 note repeat 1"]);
}

fn plan(text: &str) -> Turn {
    calls("write_file", &format!(r#"{{"path":"PLAN.md","content":"Plan: {text}"}}"#))
}

#[test]
fn a_plan_that_is_written_again_and_again_climbs_to_the_end() {
    let look = || calls("read", r#"{"path":"./PLAN.md"}"#);
    let turns = (10..26).flat_map(|n| [plan(&format!("{n}")), look().answers(&format!("plan {n}"))]);
    check(
        turns,
        &["9 note rewriting 1", "21 block rewriting 2", "25 ask rewriting 3", "29 stop rewriting 4"],
    );
}

#[test]
fn a_file_that_grows_that_follows_news_or_stands_among_others_is_not_rewritten() {
    check((1..12).map(|n| plan(&"a line\\n".repeat(n * n))), &[]);
    check((10..24).flat_map(|n| [plan(&format!("{n}")), read(&format!("{n}"))]), &[]);
    let other = |n: usize| calls("write_file", &format!(r#"{{"path":"{n}.py","content":"x"}}"#));
    check((10..24).flat_map(|n| [plan(&format!("{n}")), other(n)]), &[]);
    let look = || calls("read", r#"{"path":"PLAN.md"}"#);
    let checked = |n: usize| bash("check").answers_something(&format!("error: line {n} is too long"));
    check(
        (10..24).flat_map(|n| [plan(&format!("{n}")), look().answers(&format!("plan {n}")), checked(n)]),
        &[],
    );
    let edit = |n: usize| replace(&format!("x{n}"), &format!("y{n}"));
    check((10..24).map(edit), &[]);
}

// Unknown effects.

#[test]
fn what_nobody_knows_to_be_a_change_buys_patience_and_no_silence() {
    let test = || bash("pytest -q").answers_something("FAILED test_a - assert 1 == 2");
    let patch = |n: usize| bash(&format!("sed -i s/a/{n}/ a.py")).answers_something("");
    let turns = (0..15).flat_map(|n| [test(), patch(n)]);
    let notes = ["5 note repeat 1", "9 note persisting-failure 1"];
    let to_the_end =
        ["21 block persisting-failure 2", "25 ask persisting-failure 3", "29 stop persisting-failure 4"];
    check(turns, &[&notes[..], &to_the_end].concat());
}

#[test]
fn a_changed_answer_is_evidence_for_all_calls() {
    let test = || bash("pytest -q").answers_something("2 passed");
    let diff = |n: usize| bash("git diff").answers_something(&format!("+line {n}"));
    check((0..20).flat_map(|n| [test(), diff(n)]), &[]);
}

#[test]
fn a_declared_wait_needs_no_words() {
    let wait = calls("wait_for", r#"{"job":"7"}"#).answers("");
    check(again(&[wait], 12), &["10 note waiting 1"]);
}

// Replies.

const REFUSED: &str = "Please answer with exactly ONE action in triple backticks, found 2 actions. \
    Nothing was run; format your answer as the example shows.";

#[test]
fn replies_that_are_refused_in_a_row_are_corrected_at_the_third() {
    check_replies(
        &[("One.", REFUSED), ("Two.", &REFUSED.replace('2', "14")), ("Three.", REFUSED), ("Four.", "")],
        &["3 retry refused-replies 1", "4 retry refused-replies 2"],
    );
}

#[test]
fn a_person_who_answers_each_time_refuses_nothing() {
    check_replies(
        &[
            ("Which order is it?", "The one from last week, please."),
            ("Is it the blue one?", "No, it is the green one with stripes."),
            ("Shall I cancel it?", "Yes."),
            ("Really?", "Yes, please, and the next one too."),
            ("Now?", "Yes, please, and the next one too."),
            ("And this one?", "Yes, please, and the next one too."),
            ("And that?", ""),
        ],
        &[],
    );
    let mut run = run();
    for _ in 0..6 {
        assert!(run.said([says("Two blocks.")]).is_empty());
        run.user(REFUSED);
        run.said([bash("ls")]);
    }
}

#[test]
fn the_same_text_for_the_third_time_is_corrected() {
    let plan = "I will now read the configuration, change the port and then start the server again.";
    check_replies(&[(plan, "Go on."), (plan, "Please do."), (plan, "And?")], &["3 retry repeated-text 1"]);
    check_replies(&[("Done.", "Sure?"), ("Done.", "Really?"), ("Done.", "Hm?"), ("Done.", "?")], &[]);
    // A short one needs twice as many in a row, in characters of any script, while the user says nothing new.
    let reply = |text, user: &'static str| vec![(text, user); 6];
    for text in [
        "I am on it.",
        "Ich schaue es mir jetzt gleich genauer an, versprochen.",
        "好的，我这就开始处理这个文件。",
    ] {
        check_replies(&reply(text, "Go on."), &["6 retry repeated-text 1"]);
        check_replies(&reply(text, "And the file b.txt?"), &[]);
        check_replies(
            &[reply(text, "Go on.")[..5].to_vec(), vec![("Now.", "Go on."), (text, "")]].concat(),
            &[],
        );
    }
    let long = "我会先读取配置文件，然后修改端口，再重新启动服务器，最后检查日志。";
    check_replies(&[(long, "继续。"), (long, "请继续。"), (long, "继续。")], &["3 retry repeated-text 1"]);
    let mut run = run();
    for n in 0..6 {
        assert!(run.said([says(plan)]).is_empty(), "a call lies between");
        run.said([bash(&n.to_string())]);
    }
}

#[test]
fn who_says_again_that_it_cannot_is_left_alone() {
    let honest = "I cannot finish this: the package is missing, and no file was written for you.";
    let spanish = "No puedo terminarlo: falta el paquete, y no se ha escrito ningún fichero para usted.";
    for text in [honest, spanish] {
        check_replies(&[(text, "Go on."), (text, "Please do."), (text, "And?"), (text, "")], &[]);
    }
}

#[test]
fn who_tries_one_number_after_the_other_has_twice_the_time() {
    let port = |n: usize| bash(&format!("connect {n}")).fails("error: `db` has no such schema in it");
    let tries = |all: usize| (8000..8000 + all).map(port).collect::<Vec<_>>();
    check(tries(11), &[]);
    let words = ["one", "alpha", "x", "main", "test", "prod"];
    let named = words.map(|it| bash(&format!("open {it}")).fails("error: `db` has no such schema in it"));
    check(named, &["6 note same-failure 1"]);
}

#[test]
fn each_of_these_rules_can_be_off() {
    let off = ProgressSettings {
        laps: 0,
        unfit_calls: 0,
        refused_ends: 0,
        grown_calls: 0,
        returns: 0,
        rewrites: 0,
        persisting_failures: 0,
        whole_failures: 0,
        near_calls: 0,
        refused_replies: 0,
        same_texts: 0,
        ..ProgressSettings::default()
    };
    let mut run = Loop::with_offer(Progress::new(off), offer());
    let unknown = (0..5).map(|n| calls(&format!("tool_{n}"), "{}").fails("no"));
    let done = (0..5).map(|n| calls("done", &format!(r#"{{"n":{n}}}"#)).fails("no"));
    let grown = (0..5).map(|n| bash(&"x".repeat(n + 1)).answers("y"));
    let whole = |n: usize| calls("write_file", &format!(r#"{{"path":"b","content":"{}"}}"#, n % 2));
    let turns =
        unknown.chain(done).chain(grown).chain((0..5).map(whole)).chain((0..5).map(|_| says(REFUSED)));
    assert_eq!(run.said(turns), [""; 0]);
}
