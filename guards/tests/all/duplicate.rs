//! The duplicate guard against spec D1 and D7, hits and silence.

use std::sync::Arc;

use crate::common::duplicates::{ARGUMENTS, BLOCK, ERROR, SECOND, check, edit, failed, read, run};
use crate::common::{Loop, Turn, calls, says};
use balk_guards::{Duplicate, DuplicateSettings, ToolCall, ToolResult, Verdict};

// spec D1

#[test]
fn d1_a_call_that_failed_is_a_duplicate_the_second_time() {
    check(&[(failed(), "pass"), (failed(), BLOCK)]);
    check(&[(failed(), "pass"), (says("Hm."), "pass"), (read(), "pass"), (failed(), BLOCK)]);
}

#[test]
fn d1_a_failure_counts_whatever_the_tool_can_change() {
    for tool in ["read", "write_file", "append", "send_mail", "deploy", "no_such_tool"] {
        check(&[(calls(tool, "{}").fails(ERROR), "pass"), (calls(tool, "{}"), BLOCK)]);
    }
}

#[test]
fn d1_spelling_does_not_matter() {
    let first = calls("read", r#"{"a":1,"b":[10,"x/y"]}"#).fails(ERROR);
    for same in [
        r#"{"b":[10,"x/y"],"a":1}"#,
        "{ \"a\" : 1.0,\n  \"b\" : [ 1e1, \"\\u0078\\/y\" ] }",
        r#"{"a":2,"b":[10,"x/y"],"a":10e-1}"#,
    ] {
        check(&[(first.clone(), "pass"), (calls("read", same), BLOCK)]);
    }
}

#[test]
fn d1_meaning_does() {
    for (one, other) in [
        ("100000000000000000001", "100000000000000000002"),
        ("1", "\"1\""),
        ("0.1", "0.10000000000000000001"),
        ("null", "false"),
    ] {
        let call = |value: &str| calls("read", &format!(r#"{{"id":{value}}}"#)).fails(ERROR);
        check(&[(call(one), "pass"), (call(other), "pass"), (call(one), BLOCK)]);
    }
    check(&[(calls("read", "{}").fails(ERROR), "pass"), (calls("pytest", "{}").fails(ERROR), "pass")]);
}

#[test]
fn d1_broken_arguments_are_compared_as_text() {
    check(&[
        (calls("read", "{\"a\": ").fails(ERROR), "pass"),
        (calls("read", "{\"a\":").fails(ERROR), "pass"),
        (calls("read", "{\"a\": ").fails(ERROR), BLOCK),
    ]);
}

#[test]
fn d1_two_equal_results_make_the_third_call_a_duplicate() {
    for tool in ["read", "write_file", "append", "send_mail", "deploy", "bash"] {
        let call = calls(tool, r#"{"id":1}"#);
        check(&[(call.clone(), "pass"), (call.clone(), "pass"), (call, BLOCK)]);
    }
}

#[test]
fn d1_an_unknown_status_needs_two_equal_results() {
    for tool in ["read", "deploy"] {
        let call = calls(tool, "{}").answers_something("a.py, 12\nb.py, 7");
        check(&[(call.clone(), "pass"), (call.clone(), "pass"), (call, BLOCK)]);
    }
    // What reads like a failure is one, and a tool that only reads fails again.
    let call = calls("read", "{}").answers_something(ERROR);
    check(&[(call.clone(), "pass"), (call, BLOCK)]);
}

#[test]
fn d1_the_equal_results_needed_are_a_setting() {
    for equal_results in [1, 3, 4] {
        let settings = DuplicateSettings { equal_results, ..DuplicateSettings::default() };
        let mut run = Loop::new(Duplicate::new(settings));
        run.pass(&read(), equal_results as usize);
        run.check(&read(), BLOCK);
    }
}

#[test]
fn d1_a_change_in_between_begins_anew() {
    for change in [
        calls("write_file", r#"{"path":"other.py"}"#),
        calls("append", "{}"),
        calls("send_mail", "{}"),
        calls("deploy", "{}"),
        calls("no_such_tool", "{}"),
        calls("write_file", r#"{"path":"other.py"}"#).answers_something("?"),
        calls("deploy", "{}").goes_missing(),
    ] {
        check(&[(failed(), "pass"), (change.clone(), "pass"), (failed(), "pass"), (failed(), BLOCK)]);
        check(&[
            (read(), "pass"),
            (read(), "pass"),
            (change.clone(), "pass"),
            (read(), "pass"),
            (read(), "pass"),
            (read(), BLOCK),
        ]);
    }
}

#[test]
fn d1_what_changed_nothing_does_not() {
    for other in [
        calls("pytest", "{}"),
        calls("pytest", "{}").answers_something("?"),
        calls("pytest", "{}").goes_missing(),
        calls("append", "{}").fails("no"),
        calls("deploy", "{}").fails("no"),
        says("I will do it now."),
    ] {
        check(&[(failed(), "pass"), (other, "pass"), (failed(), BLOCK)]);
    }
}

#[test]
fn d1_a_call_without_an_answer_says_nothing_about_the_next() {
    check(&[(read().goes_missing(), "pass"), (read(), "pass"), (read(), "pass"), (read(), BLOCK)]);
}

#[test]
fn d1_the_user_may_have_changed_something_and_the_loop_has_not() {
    let mut run = run();
    run.check(&failed(), "pass");
    run.prompt();
    run.check(&failed(), BLOCK);
    run.user("I installed it.");
    run.check(&failed(), "pass");
}

#[test]
fn d1_only_the_last_result_counts() {
    let call = || calls("read", "{}");
    check(&[(call().answers("a"), "pass"), (call().fails("a"), "pass"), (call().answers("a"), BLOCK)]);
    check(&[
        (call().answers("a"), "pass"),
        (call().fails("b: no such file"), "pass"),
        (edit(), "pass"),
        (call().answers("a"), "pass"),
        (call().answers("a"), "pass"),
        (call().answers("a"), BLOCK),
    ]);
}

#[test]
fn d7_what_has_two_answers_by_turns_is_left_alone() {
    let test = |passes: bool| {
        let test = calls("bash", r#"{"command":"pytest test_a.py"}"#);
        if passes { test.answers("1 passed") } else { test.fails("FAILED test_a.py::a - 1 failed") }
    };
    check(&[true, false, true, false, true, false, true].map(|passes| (test(passes), "pass")));
    let jobs = |count: u32| calls("bash", r#"{"command":"llen jobs"}"#).answers(&count.to_string());
    check(&[3, 4, 3, 4, 3, 4, 3, 4, 3, 4].map(|count| (jobs(count), "pass")));
}

#[test]
fn d1_the_last_64_distinct_calls_are_remembered() {
    for (others, expected) in [(63, BLOCK), (64, "pass")] {
        let mut run = run();
        run.check(&failed(), "pass");
        for n in 0..others {
            run.check(&calls("read", &format!("{{\"n\":{n}}}")), "pass");
        }
        run.check(&failed(), expected);
    }
}

#[test]
fn d1_after_a_compaction_the_answer_is_no_longer_there() {
    let mut run = run();
    run.check(&failed(), "pass");
    run.pass(&read(), 2);
    run.compact();
    run.check(&failed(), "pass");
    run.pass(&read(), 2);
    run.check(&read(), BLOCK);
}

// spec D7

#[test]
fn d7_the_same_test_after_an_edit() {
    let mut run = run();
    for n in 0..9 {
        run.check(&calls("pytest", "{}").fails("1 failed"), "pass");
        run.check(&calls("write_file", &format!("{{\"n\":{n}}}")), "pass");
    }
}

#[test]
fn d7_the_same_test_after_an_edit_in_the_same_turn() {
    let test = |edit: Turn| edit.and_calls("pytest", "{}").fails("NameError: name 'x' is not defined");
    let edit = |n: u32| calls("write_file", &format!("{{\"n\":{n}}}"));
    let mut run = run();
    for n in 0..9 {
        run.check(&test(edit(n)), "pass");
    }
    // Neither a test before the edit nor one after a refused edit sees anything new.
    run.check(&calls("pytest", "{}").and_calls("write_file", r#"{"n":10}"#), BLOCK);
    let mut run = Loop::new(Duplicate::default());
    run.check(&test(edit(0).fails("no")), "pass");
    run.check(&test(edit(0).fails("no")), &[BLOCK; 2].join(", "));
}

#[test]
fn d7_reading_again_what_was_written() {
    let mut run = run();
    for n in 0..9 {
        run.check(&read(), "pass");
        run.check(&calls("append", &format!("{{\"n\":{n}}}")), "pass");
    }
}

#[test]
fn d7_polling_while_the_result_changes() {
    for tool in ["read", "deploy"] {
        let mut run = run();
        for percent in 0..20 {
            run.check(&calls(tool, r#"{"job":7}"#).answers(&format!("{percent} percent")), "pass");
        }
    }
}

#[test]
fn d7_paging() {
    let mut run = run();
    for offset in 0..20 {
        run.check(&calls("read", &format!(r#"{{"path":"a","offset":{offset}}}"#)).answers("same"), "pass");
    }
}

#[test]
fn d7_a_failure_that_may_pass_is_worth_five_tries_and_one_more_after_each_pause() {
    for error in [
        "Connection refused",
        "503 Service Unavailable",
        "request timed out",
        "TIMEOUT",
        "429 Too Many Requests",
        "database is locked",
        "try again later",
    ] {
        let call = calls("read", "{}").fails(error);
        let tries = (call.clone(), "pass");
        let mut at_once = vec![tries.clone(); 5];
        at_once.push((call.clone(), BLOCK));
        check(&at_once);
        let sleep = (calls("bash", r#"{"command":"sleep 20"}"#).answers(""), "pass");
        let mut patient = vec![tries.clone()];
        for _ in 0..5 {
            patient.extend([sleep.clone(), tries.clone()]);
        }
        patient.extend([tries.clone(), tries.clone(), tries.clone(), tries.clone(), (call, BLOCK)]);
        check(&patient);
    }
}

/// The progress guard is more patient with them, and has its own words for them.
#[test]
fn d7_calls_that_wait_are_left_alone() {
    let wait =
        |command: &str, answer: &str| calls("bash", &format!(r#"{{"command":"{command}"}}"#)).answers(answer);
    for turn in [
        wait("job status", "still running"),
        wait("sleep 5", ""),
        wait("sleep 5; job status", "3 of 7"),
        wait("job status", "Zustand: wird vorbereitet"),
        wait("job status", "estado: en cola"),
        wait("read_code", "no code yet"),
        wait("job status", "任务状态：排队"),
    ] {
        check(&[(turn.clone(), "pass"), (turn.clone(), "pass"), (turn.clone(), "pass"), (turn, "pass")]);
    }
    let file = wait(
        "cat sleep.rs",
        "use std::thread;\n\nfn sleep() { thread::sleep(A_WHILE); }\n\nfn main() { loop { sleep(); print!(\".\"); } }",
    );
    check(&[(file.clone(), "pass"), (file.clone(), "pass"), (file, BLOCK)]);
}

/// A status in any words, from a tool that is not known to change anything: it is looked at twice as often.
#[test]
fn d7_what_may_be_a_state_is_looked_at_four_times() {
    let status = |answer: &str| calls("bash", r#"{"command":"job status"}"#).answers(answer);
    let tried = |turn: Turn, passes: usize| {
        let mut all = vec![(turn.clone(), "pass"); passes];
        all.push((turn, BLOCK));
        check(&all);
    };
    for answer in [
        "warming up",
        "state: scheduled",
        r#"{"status":"SCHEDULED"}"#,
        "Zustand: vorbereitet",
        "estado: programado",
        "任务状态：已排期",
        "準備中です",
        "scheduled\n(request 12ab34cd)",
    ] {
        tried(status(answer), 4);
    }
    // What is no state: rows, numbers, ids, labels, tags, nothing, a long answer, and what a file has in it.
    let long = "one sentence after the other ".repeat(4);
    for answer in ["[('BK', 5)]", "12", "noah_patel_6952", "Output:\n12", "<output>\n</output>", "", &long] {
        tried(status(answer), 2);
    }
    tried(calls("read", r#"{"path":"a"}"#).answers("not much"), 2);
    tried(calls("write_file", r#"{"id":"a"}"#).answers("all fine"), 2);
    // What was acknowledged and names a thing was done for it.
    for write in ["append", "send_mail"] {
        tried(calls(write, r#"{"id":1}"#).answers("all fine"), 2);
    }
}

#[test]
fn d7_a_call_that_works_may_come_back_after_something_else() {
    let status = || calls("bash", r#"{"command":"job status"}"#).answers("3 of 7");
    let look = || (calls("read", r#"{"path":"notes"}"#), "pass");
    check(&[(status(), "pass"), look(), (status(), "pass"), look(), (status(), "pass")]);
    check(&[
        (status(), "pass"),
        (status(), "pass"),
        look(),
        (status(), "pass"),
        (status(), "pass"),
        (status(), BLOCK),
    ]);
}

#[test]
fn d1_a_failure_that_says_nothing_needs_two_looks_unless_the_tool_works_whole() {
    let grep = calls("bash", r#"{"command":"grep -c x f"}"#).fails("");
    check(&[(grep.clone(), "pass"), (grep.clone(), "pass"), (grep, BLOCK)]);
    // A test may be flaky; a name that does not exist is not.
    let flaky = calls("bash", r#"{"command":"pytest"}"#).fails("1 failed, 11 passed");
    check(&[(flaky.clone(), "pass"), (flaky.clone(), "pass"), (flaky.clone(), "pass"), (flaky, BLOCK)]);
    let missing = calls("bash", r#"{"command":"pytest"}"#).fails("pytest: command not found");
    check(&[(missing.clone(), "pass"), (missing, BLOCK)]);
    // Even where it is declared that the test changes nothing.
    let flaky = calls("pytest", "{}").fails("1 failed, 11 passed");
    check(&[(flaky.clone(), "pass"), (flaky.clone(), "pass"), (flaky.clone(), "pass"), (flaky, BLOCK)]);
    let read = calls("read", "{}").fails("");
    check(&[(read.clone(), "pass"), (read, BLOCK)]);
}

#[test]
fn d7_parallel_equal_calls_are_no_duplicates_of_each_other() {
    let fan_out = |fails: bool| {
        let call = |turn: Turn| {
            let turn = turn.and_calls("read", "{}");
            if fails { turn.fails(ERROR) } else { turn }
        };
        call(call(call(Turn::default())))
    };
    check(&[(fan_out(false), "pass")]);
    check(&[(fan_out(true), "pass"), (fan_out(true), &[BLOCK; 3].join(", "))]);
}

#[test]
fn d7_parallel_equal_results_are_one_look() {
    let twice = calls("read", "{}").and_calls("read", "{}");
    check(&[(twice, "pass"), (calls("read", "{}"), "pass"), (calls("read", "{}"), BLOCK)]);
}

#[test]
fn d7_the_other_calls_of_a_turn_run() {
    let mut run = run();
    run.check(&failed(), "pass");
    let before = run.runs;
    let decision = run.check(&read().and_calls("write_file", ARGUMENTS).and_calls("pytest", "{}"), BLOCK);
    let Verdict::Block(blocked) = &decision.verdict else { panic!() };
    assert_eq!(blocked.iter().map(|it| it.call).collect::<Vec<_>>(), [1]);
    assert_eq!(run.runs, before + 2);
}

#[test]
fn d7_a_block_lapses_after_some_other_turns() {
    for (turns, expected) in [(4, SECOND), (5, "pass"), (9, "pass")] {
        let mut run = run();
        run.check(&failed(), "pass");
        run.check(&failed(), BLOCK);
        run.pass(&says("Hm."), turns);
        run.check(&failed(), expected);
    }
}

#[test]
fn d7_a_lapsed_block_keeps_its_rung_while_the_result_stays() {
    let mut run = run();
    run.check(&failed(), "pass");
    run.check(&failed(), BLOCK);
    run.pass(&says("Hm."), 5);
    run.check(&failed(), "pass");
    run.check(&failed(), SECOND);
    run.pass(&says("Hm."), 5);
    run.check(&calls("write_file", ARGUMENTS), "pass");
    run.check(&calls("write_file", ARGUMENTS), "pass");
    run.check(&calls("write_file", ARGUMENTS), BLOCK);
}

#[test]
fn d7_a_retry_of_the_loop_is_no_repeat_of_the_model() {
    let mut run = run();
    let call = Arc::new(ToolCall::new(
        balk_guards::RawCall { id: "c".into(), tool: "read".into(), arguments: "{}".into() },
        &crate::common::offer(),
    ));
    for tries in 1..4 {
        run.commit(balk_guards::Entry::Tried(ToolResult {
            call: call.clone(),
            origin: balk_guards::Origin::Executed,
            status: balk_guards::Status::Error,
            tries,
            text: ERROR.into(),
        }));
    }
    run.check(&calls("read", "{}"), "pass");
}
