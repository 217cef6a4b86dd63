//! The progress guard: where each rule fires, and legitimate cases in which it must not.

use crate::common::{Loop, Turn, again, calls, progress_at, says};
use balk_guards::{Budget, Progress, ProgressSettings, Stack};

fn run() -> Loop {
    Loop::new(Progress::default())
}

/// In a run of these turns, the guard says this.
#[track_caller]
fn check(turns: impl IntoIterator<Item = Turn>, expected: &[&str]) {
    assert_eq!(run().said(turns), expected);
}

fn read(path: &str) -> Turn {
    calls("read", &format!(r#"{{"path":"{path}"}}"#)).answers(&format!("text of {path}"))
}

fn fails() -> Turn {
    calls("pytest", "{}").fails("3 failed, 1 passed")
}

fn edit(text: &str) -> Turn {
    calls("write_file", &format!(r#"{{"path":"a.py","content":"{text}"}}"#))
}

fn poll(answer: &str) -> Turn {
    calls("read", r#"{"job":7}"#).answers(answer)
}

// The rules, and their ladders.

#[test]
fn a_cycle_climbs_from_a_note_to_the_end() {
    for period in 2..=6 {
        let names = ["a", "b", "c", "d", "e", "f"];
        let cycle: Vec<Turn> = names[..period].iter().map(|it| read(it)).collect();
        // An agent that reads through several files may do so twice.
        let second = if period > 2 { 3 * period } else { 2 * period };
        let said = run().said(again(&cycle, second + 10 * period));
        let to_the_question = [
            format!("{second} note cycle 1"),
            format!("{} block cycle 2", second + 1),
            format!("{} ask cycle 3", second + 2),
        ];
        assert_eq!(said[..3], to_the_question);
        // After a question the user may have fixed it, so the next call runs.
        assert!(said.iter().any(|it| it.contains(" stop ")), "{said:?}");
        assert!(!said.iter().any(|it| it.starts_with(&format!("{} ", second + 3))), "{said:?}");
    }
}

#[test]
fn a_cycle_may_hold_a_round_twice() {
    for cycle in [[read("a"), read("b"), read("a")], [read("a"), read("a"), read("b")]] {
        let settings = ProgressSettings { equal_answers: 0, ..ProgressSettings::default() };
        let mut run = Loop::new(Progress::new(settings));
        assert_eq!(run.said(again(&cycle, 10)), ["9 note cycle 1", "10 block cycle 2"]);
    }
}

/// Work between tries that may yet succeed has twice the laps; another failure between them is no work.
#[test]
fn tries_with_nothing_but_failures_between_them_are_a_cycle_like_any_other() {
    let settings = ProgressSettings { equal_failures: 0, equal_answers: 0, ..ProgressSettings::default() };
    let said = |between: Turn| {
        let down = read("a").fails("HTTP/1.1 503 Service Unavailable");
        Loop::new(Progress::new(settings)).said(again(&[down, between], 9))
    };
    assert_eq!(said(read("b").fails("b: no such file or directory"))[0], "4 note cycle 1");
    assert_eq!(said(read("b"))[0], "8 note cycle 1");
}

/// The same call alone, with answers that come back: it may be stepping through something.
#[test]
fn one_call_whose_answers_go_round_has_twice_the_laps() {
    let step = |answer: &str| calls("read", r#"{"next":true}"#).answers(answer);
    let settings = ProgressSettings { equal_answers: 0, ..ProgressSettings::default() };
    let mut run = Loop::new(Progress::new(settings));
    // The first answer that is another one is news.
    assert_eq!(run.said(again(&[step("a"), step("b")], 9)), ["9 note cycle 1"]);
}

/// Only the round that is due continues a cycle: all of its calls, no other, with the same answers.
#[test]
fn a_round_that_is_not_the_one_that_is_due_continues_no_cycle() {
    let both = || read("a").and_calls("read", r#"{"path":"b"}"#).answers("text of b");
    check([both(), read("c"), both(), read("c")], &["4 note cycle 1"]);
    // One call more.
    let more = read("c").and_calls("read", r#"{"path":"d"}"#).answers("text of d");
    check([both(), read("c"), both(), more], &[]);
    // One call less.
    check([read("c"), both(), read("c"), read("a")], &[]);
    // Another answer.
    check([both(), read("c"), both(), calls("read", r#"{"path":"c"}"#).answers("another text")], &[]);
}

#[test]
fn a_call_that_comes_back_between_others_is_a_repeat() {
    // An agent that learns something new in between may be watching changes by others.
    let looks =
        |call: Turn| (0..7).flat_map(move |n| [call.clone(), read(&format!("{n}"))]).collect::<Vec<_>>();
    let to_the_end = ["5 note repeat 1", "7 block repeat 2", "9 ask repeat 3", "13 stop repeat 4"];
    check(looks(fails()), &to_the_end);
    check(looks(read("same")), &["11 note repeat 1", "13 block repeat 2"]);
    let known = ["a", "b", "c", "same", "a", "same", "b", "same"].map(read);
    check(known, &["8 note repeat 1"]);
}

#[test]
fn different_arguments_with_the_same_failure_are_one_failure() {
    let failing = |n: usize| {
        let table = format!("table{}", "x".repeat(n));
        calls("bash", &format!(r#"{{"command":"query {table}"}}"#)).fails(&format!("no such table: {table}"))
    };
    check(
        (0..17).map(failing),
        &[
            "6 note same-failure 1",
            "13 block same-failure 2",
            // A refused call may have been right: only another failure is evidence.
            "15 ask same-failure 3",
            "17 stop same-failure 4",
        ],
    );
    // A fan-out is one round.
    let (few, many) = (3, 6);
    let fan_out = |n: usize| {
        (0..many).fold(Turn::default(), |turn, at| {
            let table = format!("table{}", "x".repeat(many * n + at));
            turn.and_calls("bash", &format!(r#"{{"command":"query {table}"}}"#))
                .fails(&format!("no such table: {table}"))
        })
    };
    check((0..few).map(fan_out), &[]);
    check((0..many).map(fan_out), &["6 note same-failure 1"]);
    // Looks with other tools do not hide the failures, and are another step.
    let looked = (0..6).flat_map(|n| [failing(n), read(&format!("{n}"))]);
    check(looked, &["11 note same-failure 1"]);
}

#[test]
fn a_wide_circle_of_look_ups_is_wandering() {
    // Eight files: too many for a cycle, and twelve rounds without anything new come before the fourth look at one.
    let circle: Vec<Turn> = ["a", "b", "c", "d", "e", "f", "g", "h"].map(read).into();
    check(
        again(&circle, 24),
        &["20 note wandering 1", "21 block wandering 2", "22 ask wandering 3", "24 stop wandering 4"],
    );
}

#[test]
fn one_late_first_read_does_not_end_a_long_circle() {
    let circle: Vec<Turn> = (0..12).map(|n| read(&format!("{n}"))).collect();
    let mut turns = again(&circle, 31);
    turns.insert(23, read("late"));
    check(turns, &["31 note wandering 1", "32 block wandering 2"]);
}

#[test]
fn one_standstill_is_not_told_twice_at_once() {
    let circle: Vec<Turn> = (0..7).map(|n| read(&format!("{n}"))).collect();
    let settings = ProgressSettings { wandering: 0, ..ProgressSettings::default() };
    let mut run = Loop::new(Progress::new(settings));
    let expected = ["21 note repeat 1", "28 block repeat 2"];
    assert_eq!(run.said(again(&circle, 28)), expected);
}

#[test]
fn who_waits_is_told_late_and_never_ended() {
    let turns = (0..60).map(|n| poll(&format!("still running, {n}.5 s elapsed")));
    let expected = ["10 note waiting 1", "16 block waiting 2", "17 ask waiting 3"];
    let again = ["33 block waiting 2", "34 ask waiting 3", "50 block waiting 2", "51 ask waiting 3"];
    check(turns, &[&expected[..], &again].concat());
}

#[test]
fn a_pause_between_looks_at_a_job_is_part_of_the_waiting() {
    let pause = calls("bash", r#"{"command":"sleep 5"}"#).answers("");
    check(again(&[poll("job 7 is pending"), pause], 21), &["19 note waiting 1"]);
}

#[test]
fn every_threshold_is_a_setting_and_zero_turns_the_rule_off() {
    let off = progress_at(0);
    let fails = || calls("pytest", "{}").fails("fixture `db` is missing");
    let turns = || again(&[read("a"), read("b"), poll("pending"), fails()], 40);
    let of = |settings| Loop::new(Progress::new(settings)).said(turns());
    assert_eq!(of(off), [""; 0]);
    assert_eq!(of(ProgressSettings { waits: 5, ..off })[0], "19 note waiting 1");
    assert_eq!(of(ProgressSettings { same_failures: 1, ..off })[0], "4 note same-failure 1");
    let no_poll = || again(&[read("a"), read("b"), fails()], 30);
    let of = |settings| Loop::new(Progress::new(settings)).said(no_poll())[0].clone();
    assert_eq!(of(ProgressSettings { laps: 4, ..off }), "12 note cycle 1");
    assert_eq!(of(ProgressSettings { equal_failures: 4, ..off }), "12 note repeat 1");
    assert_eq!(of(ProgressSettings { equal_answers: 4, ..off }), "11 note repeat 1");
    assert_eq!(of(ProgressSettings { wandering: 7, ..off }), "10 note wandering 1");
}

// Reasons for silence.

#[test]
fn a_change_in_between_begins_anew() {
    let failing = |n: usize| calls("pytest", "{}").fails(&format!("{} failed, 1 passed", 30 - n));
    let test_and_edit = (0..20).flat_map(|n| [failing(n), edit(&n.to_string())]);
    check(test_and_edit, &[]);
    let one_turn = (0..20).map(|n| {
        edit(&n.to_string()).and_calls("pytest", "{}").fails(&format!("{} failed, 1 passed", 30 - n))
    });
    check(one_turn, &[]);
}

#[test]
fn a_write_that_is_made_again_is_no_change() {
    let cycle = [edit("x"), fails()];
    check(again(&cycle, 5), &["4 note cycle 1", "5 block cycle 2"]);
}

#[test]
fn answers_that_change_are_progress() {
    let polls = (0..60).flat_map(|n| [poll(&format!("{n} percent")), read("notes")]);
    check(polls, &[]);
    check((0..60).map(|n| poll(&format!("still running, {n} percent"))), &[]);
}

#[test]
fn paging_batches_and_exploring_are_progress() {
    let page =
        |n: usize| calls("read", &format!(r#"{{"path":"a","offset":{n}}}"#)).answers(&format!("page {n}"));
    check((0..60).map(page), &[]);
    let item = |n: usize| calls("read", &format!(r#"{{"user":{n}}}"#)).answers("[]");
    check((0..60).map(item), &[]);
    let send = |n: usize| calls("send_mail", &format!(r#"{{"to":{n}}}"#)).answers("sent");
    check((0..60).map(send), &[]);
    // A batch in which some calls fail in the same way.
    let some = |n: usize| if n.is_multiple_of(4) { item(n) } else { item(n).fails("user account is locked") };
    check((0..60).map(some), &[]);
    // One known file is read again for every new one.
    let exploring = (0..30).flat_map(|n| [read(&n.to_string()), read(&(n / 2).to_string())]);
    check(exploring, &[]);
}

#[test]
fn different_failures_are_a_diagnosis() {
    let errors = ["no such table", "permission denied", "syntax error in query", "column is missing"];
    let failing =
        |n: usize| calls("bash", &format!(r#"{{"command":"try {n}"}}"#)).fails(errors[n % errors.len()]);
    check((0..40).map(failing), &[]);
    let nothing_said = |n: usize| calls("bash", &format!(r#"{{"command":"try {n}"}}"#)).fails("exit code 1");
    check((0..40).map(nothing_said), &[]);
}

#[test]
fn a_user_who_asks_again_begins_anew() {
    let mut run = run();
    for _ in 0..20 {
        run.pass(&read("a"), 1);
        run.pass(&read("b"), 1);
        run.user("And again, please.");
    }
    assert_eq!(run.interventions().count(), 0);
}

#[test]
fn repeats_in_a_row_are_left_to_the_guard_against_duplicates() {
    check(again(&[read("a")], 12), &[]);
    check(again(&[fails()], 12), &[]);
}

#[test]
fn reading_again_what_a_compaction_took_away_is_new() {
    let files = |all: u32| (0..all).map(|n| read(&n.to_string())).collect::<Vec<_>>();
    let mut run = run();
    for _ in 0..3 {
        assert_eq!(run.said(files(16)), [""; 0]);
        run.compact();
    }
    let mut run = Loop::new(Progress::default());
    for expected in [&[][..], &[], &["3 note cycle 1"]] {
        assert_eq!(run.said(files(3)), expected);
        run.compact();
    }
}

#[test]
fn a_failure_that_speaks_of_running_is_no_waiting() {
    let test = calls("pytest", "{}").fails("running 3 tests: 1 failed");
    check([test.clone(), read("a"), test.clone(), read("b"), test], &["5 note repeat 1"]);
}

// The ladder.

#[test]
fn what_was_said_once_is_not_said_again_and_evidence_takes_back_the_rest() {
    let cycle = [read("a"), read("b")];
    let mut run = run();
    assert_eq!(run.said(again(&cycle, 6)), ["4 note cycle 1", "5 block cycle 2", "6 ask cycle 3"]);
    run.pass(&edit("x"), 1);
    assert_eq!(run.said(again(&cycle, 6)), ["5 block cycle 2", "6 ask cycle 3"]);
}

#[test]
fn a_refused_call_is_no_progress_and_another_step_is_free() {
    let cycle = [read("a"), read("b")];
    let mut run = run();
    run.said(again(&cycle, 4));
    run.check(&read("b"), "block cycle 2");
    run.check(&read("c"), "pass");
    run.check(&edit("x"), "pass");
    run.check(&read("a"), "pass");
}

#[test]
fn the_other_calls_of_a_turn_run() {
    let cycle = [read("a"), read("b")];
    let mut run = run();
    run.said(again(&cycle, 4));
    let before = run.runs;
    run.check(&read("new").and_calls("read", r#"{"path":"a"}"#), "block cycle 2");
    assert_eq!(run.runs, before + 1);
    // Calls after one that may change something are not judged.
    run.check(&edit("x").and_calls("read", r#"{"path":"a"}"#), "pass");
}

#[test]
fn a_refusal_lapses_once() {
    let mut run = run();
    run.said([fails(), read("a"), fails(), read("b"), fails(), read("c")]);
    run.check(&fails(), "block repeat 2");
    run.pass(&says("Hm."), 4);
    run.check(&fails(), "ask repeat 3");
    run.pass(&says("Hm."), 5);
    run.check(&fails(), "pass");
    run.pass(&says("Hm."), 5);
    run.pass(&says("Well."), 4);
    run.check(&fails(), "stop repeat 4");
}

#[test]
fn a_note_that_was_dropped_makes_the_refusal_the_first_step() {
    let budget = Budget { corrections: 0, ..Budget::default() };
    let mut run = Loop::new(Stack::with_budget(vec![Box::new(Progress::default())], budget));
    let expected = ["5 block cycle 2", "6 ask cycle 3", "8 stop cycle 4"];
    assert_eq!(run.said(again(&[read("a"), read("b")], 8)), expected);
}

#[test]
fn m2_names_only_tools_on_offer_and_says_what_is_possible() {
    let cycle = [calls("no_such_tool", "{}").fails("none"), calls("read", "{}")];
    let mut run = Loop::with_offer(Progress::default(), crate::common::bare_offer());
    run.said(again(&cycle, 8));
    let texts: Vec<_> = run.interventions().map(|it| it.note.text.clone()).collect();
    assert_eq!(texts.len(), 4);
    for text in &texts {
        assert!(!text.contains("no_such_tool") && !text.contains("ask_user"), "{text}");
    }
    assert!(texts[0].contains("were taken twice"), "{}", texts[0]);
    assert!(texts[1].contains("This is the last warning"), "{}", texts[1]);
    assert!(texts[3].contains("before the goal was reached"), "{}", texts[3]);
}
