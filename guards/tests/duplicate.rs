//! The duplicate guard against rows D1 to D7, hits and silence alike.

#[expect(dead_code, reason = "each test file needs a part of it")]
mod common;

use std::sync::Arc;

use balk_guards::{
    ChoiceKind, Duplicate, DuplicatePolicy, DuplicateSettings, Subject, ToolCall, ToolResult, Verdict,
};
use common::{Loop, Turn, bare_offer, calls, outline, says, text};

const BLOCK: &str = "block same-call 1";
const SECOND: &str = "block same-call-after-feedback 2";
const ASK: &str = "ask same-call-after-options 3";
const STOP: &str = "stop same-call-after-question 4";
const ARGUMENTS: &str = r#"{"path":"hello.py","content":"x"}"#;
const ERROR: &str = "diagnostics: package `rich` is missing";

fn guard(policy: DuplicatePolicy) -> Duplicate {
    Duplicate::new(DuplicateSettings { policy, ..DuplicateSettings::default() })
}

fn run() -> Loop {
    Loop::new(Duplicate::default())
}

fn failed() -> Turn {
    calls("write_file", ARGUMENTS).fails(ERROR)
}

fn read() -> Turn {
    calls("read", r#"{"path":"hello.py"}"#).answers("x = 1")
}

/// Under the default policy each turn gets what stands beside it.
#[track_caller]
fn check(turns: &[(Turn, &str)]) {
    let mut run = run();
    for (turn, expected) in turns {
        run.check(turn, expected);
    }
}

#[track_caller]
fn check_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in: {text}");
    }
}

// D1

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
        let call = calls(tool, "{}");
        check(&[(call.clone(), "pass"), (call.clone(), "pass"), (call, BLOCK)]);
    }
}

#[test]
fn d1_an_unknown_status_needs_two_equal_results() {
    for tool in ["read", "deploy"] {
        let call = calls(tool, "{}").answers_something(ERROR);
        check(&[(call.clone(), "pass"), (call.clone(), "pass"), (call, BLOCK)]);
    }
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
    check(&[
        (call().answers("a"), "pass"),
        (call().answers("b"), "pass"),
        (call().answers("a"), "pass"),
        (call().answers("a"), "pass"),
        (call().answers("a"), BLOCK),
    ]);
    check(&[(call().answers("a"), "pass"), (call().fails("a"), "pass"), (call().answers("a"), BLOCK)]);
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

// D2

#[test]
fn d2_the_feedback_carries_what_can_be_acted_on() {
    let mut run = run();
    run.check(&failed(), "pass");
    let decision = run.check(&failed(), BLOCK);
    let Verdict::Block(blocked) = &decision.verdict else { panic!() };
    assert_eq!((blocked.len(), blocked[0].call), (1, 0));
    check_has(
        &blocked[0].note.text,
        &[
            "`write_file`",
            "turn 1",
            "{\n  \"path\": \"hello.py\",\n  \"content\": \"x\"\n}",
            "failed",
            ERROR,
            "nothing has changed since",
            "Read the error",
            "If you are stuck",
            "Do not send this call again with the same arguments",
            "What will you do differently?",
        ],
    );
}

#[test]
fn d2_the_advice_follows_the_earlier_result() {
    for (turn, expected) in [
        (read(), "That call succeeded: its answer stands above."),
        (read().answers_something("x"), "If the answer above is a failure"),
        (read().fails("x"), "it will fail again"),
    ] {
        let mut run = run();
        while outline(&run.turn(&turn)) == "pass" {}
        let said = run.interventions().next().expect("a block").note.text.clone();
        check_has(&said, &[expected]);
    }
}

#[test]
fn d2_arguments_are_cut_at_500_characters_and_results_at_1_000() {
    for (argument, result) in [("é", "語"), ("a", "§"), ("😀", "\u{301}")] {
        for (length, whole) in [(400, true), (3_000, false)] {
            let arguments = format!(r#"{{"A":"{}"}}"#, argument.repeat(length));
            let turn = calls("read", &arguments).fails(&result.repeat(2 * length));
            let mut run = run();
            run.check(&turn, "pass");
            let said = text(&run.check(&turn, BLOCK));
            let pretty = said.split("Arguments:\n").nth(1).expect("the arguments");
            let pretty = pretty.split("\n\nIt failed").next().expect("their end");
            let shown = pretty.split(" […").next().expect("what is shown").chars().count();
            assert_eq!(shown, if whole { length + "{\n  \"A\": \"\"\n}".len() } else { 500 });
            assert_eq!(said.matches(result).count(), if whole { 2 * length } else { 1_000 });
        }
    }
}

#[test]
fn d2_a_result_of_1_000_characters_is_whole_and_one_more_is_cut() {
    for (length, cut) in [(999, false), (1_000, false), (1_001, true)] {
        let turn = calls("read", "{}").fails(&"語".repeat(length));
        let mut run = run();
        run.check(&turn, "pass");
        let said = text(&run.check(&turn, BLOCK));
        assert_eq!(said.matches('語').count(), length.min(1_000));
        assert_eq!(said.contains("[… cut]"), cut, "{length}");
    }
}

#[test]
fn d2_broken_arguments_are_shown_as_they_are() {
    let turn = calls("read", "{\"path\": \"a").fails("unexpected end");
    let mut run = run();
    run.check(&turn, "pass");
    check_has(&text(&run.check(&turn, BLOCK)), &["Arguments:\n{\"path\": \"a\n\nIt failed"]);
}

// D3

const FIRST_SENTENCE: &str = "Instead, I will check whether the package is installed.";
const SECOND_SENTENCE: &str = "Let me try writing the file again.";

fn check_package() -> Turn {
    calls("read", r#"{"package":"rich"}"#)
}

fn blocked(policy: DuplicatePolicy) -> Loop {
    let mut run = Loop::new(guard(policy));
    run.check(&failed(), "pass");
    run.check(&failed(), BLOCK);
    run
}

#[test]
fn d3_what_follows_decides_about_the_first_sentence() {
    let mut kept = blocked(DuplicatePolicy::Actionable);
    kept.check(&says(FIRST_SENTENCE), "pass");
    kept.check(&check_package(), "pass");
    let mut broken = blocked(DuplicatePolicy::Actionable);
    broken.check(&says(FIRST_SENTENCE), "pass");
    broken.check(&failed(), SECOND);
    blocked(DuplicatePolicy::Actionable).check(&failed().and_says(FIRST_SENTENCE), SECOND);
}

#[test]
fn d3_what_follows_decides_about_the_second_sentence() {
    let mut run = blocked(DuplicatePolicy::Actionable);
    run.check(&says(SECOND_SENTENCE), "pass");
    run.check(&failed(), SECOND);
    let mut run = blocked(DuplicatePolicy::Actionable);
    run.check(&says(SECOND_SENTENCE), "pass");
    run.check(&calls("write_file", r#"{"path":"b.py"}"#).fails("no"), "pass");
    blocked(DuplicatePolicy::Actionable).check(&check_package().and_says(SECOND_SENTENCE), "pass");
}

#[test]
fn d3_a_deed_needs_no_words() {
    blocked(DuplicatePolicy::Actionable).check(&check_package(), "pass");
}

#[test]
fn d3_strict_takes_the_first_sentence_and_refuses_the_second() {
    let mut run = blocked(DuplicatePolicy::Strict);
    run.check(&check_package().and_says(FIRST_SENTENCE), "pass");
    run.check(&check_package(), "pass");
    let mut run = blocked(DuplicatePolicy::Strict);
    run.check(&check_package().and_says(SECOND_SENTENCE), "retry words-first 1");
    run.check(&says(FIRST_SENTENCE), "pass");
    run.check(&check_package(), "pass");
}

#[test]
fn d3_strict_refuses_even_a_different_call_without_words_and_gives_way_after_two() {
    let mut run = blocked(DuplicatePolicy::Strict);
    let before = run.runs;
    let first = text(&run.check(&check_package(), "retry words-first 1"));
    assert_eq!(run.runs, before, "nothing ran");
    assert_ne!(first, text(&run.check(&check_package(), "retry words-first 2")));
    run.check(&check_package(), "pass");
}

#[test]
fn d3_strict_takes_words_and_still_counts_the_same_call() {
    let mut run = blocked(DuplicatePolicy::Strict);
    run.check(&failed().and_says(FIRST_SENTENCE), SECOND);
    run.check(&failed(), "retry words-first 1");
    run.check(&failed().and_says(FIRST_SENTENCE), ASK);
}

// D4

fn ladder(policy: DuplicatePolicy) {
    let mut run = Loop::new(guard(policy));
    run.check(&failed(), "pass");
    for (nth, expected) in [BLOCK, SECOND, ASK, STOP].into_iter().enumerate() {
        let before = run.runs;
        let decision = run.check(&failed().and_says(FIRST_SENTENCE), expected);
        let strengths = [1, 1, 3, 4];
        assert_eq!(decision.verdict.strength(), strengths[nth]);
        assert_eq!(run.runs, before, "it did not run");
        for it in decision.interventions(true) {
            assert!(matches!(it.note.subject, Subject::Call(_)));
        }
    }
}

#[test]
fn d4_block_block_ask_stop() {
    ladder(DuplicatePolicy::Actionable);
    ladder(DuplicatePolicy::Strict);
    ladder(DuplicatePolicy::Notice);
}

#[test]
fn d4_what_each_rung_says() {
    let mut run = run();
    run.check(&failed(), "pass");
    run.check(&failed(), BLOCK);
    check_has(
        &text(&run.check(&failed(), SECOND)),
        &["Choose one", "`bash`", "`ask_user`", "cannot be completed", ERROR, "the user is asked"],
    );
    let Verdict::Ask(question) = run.check(&failed(), ASK).verdict else { panic!() };
    let kinds: Vec<_> = question.options.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [ChoiceKind::Instruct, ChoiceKind::Continue, ChoiceKind::Stop]);
    check_has(&question.note.text, &["`write_file`", "told twice", ERROR]);
    check_has(&text(&run.check(&failed(), STOP)), &["Stopped", "`write_file`", ERROR, "Not done"]);
}

#[test]
fn d4_the_family_counts_however_it_is_spelled_and_whatever_lies_between() {
    let spelled = calls("write_file", "{ \"content\": \"x\", \"path\": \"hello.py\" }").fails(ERROR);
    check(&[
        (failed(), "pass"),
        (spelled.clone(), BLOCK),
        (read(), "pass"),
        (failed(), SECOND),
        (says("I understand."), "pass"),
        (spelled, ASK),
        (failed(), STOP),
    ]);
}

#[test]
fn d4_families_have_ladders_of_their_own() {
    check(&[
        (failed(), "pass"),
        (failed(), BLOCK),
        (read(), "pass"),
        (read(), "pass"),
        (read(), BLOCK),
        (failed(), SECOND),
        (read(), SECOND),
        (failed(), ASK),
        (read(), ASK),
        (read(), STOP),
    ]);
}

#[test]
fn d4_an_applied_change_resets_the_ladder() {
    let change = calls("append", "{}");
    check(&[
        (failed(), "pass"),
        (failed(), BLOCK),
        (failed(), SECOND),
        (change, "pass"),
        (failed(), "pass"),
        (failed(), BLOCK),
    ]);
}

#[test]
fn d4_a_possible_change_lets_the_call_run_and_keeps_the_rung() {
    let mut run = run();
    run.check(&failed(), "pass");
    run.check(&failed(), BLOCK);
    run.check(&calls("bash", "{}"), "pass");
    run.check(&failed(), "pass");
    run.check(&failed(), SECOND);
    run.user("Go on.");
    run.check(&failed(), "pass");
    run.check(&failed(), ASK);
}

#[test]
fn d4_a_changed_result_resets_the_ladder() {
    let mut run = run();
    run.check(&failed(), "pass");
    run.check(&failed(), BLOCK);
    run.check(&failed(), SECOND);
    run.user("Try now.");
    run.check(&calls("write_file", ARGUMENTS).fails("another error"), "pass");
    run.check(&failed(), BLOCK);
}

#[test]
fn d4_an_answer_alone_resets_nothing() {
    let mut run = run();
    run.check(&failed(), "pass");
    for expected in [BLOCK, SECOND, ASK] {
        run.check(&failed(), expected);
    }
    run.check(&says("All right."), "pass");
    run.check(&failed(), STOP);
}

#[test]
fn d4_the_highest_rung_among_the_calls_of_a_turn_decides() {
    let other = calls("read", "{}").fails(ERROR);
    let mut run = run();
    run.check(&failed(), "pass");
    run.check(&other, "pass");
    for expected in [BLOCK, SECOND] {
        run.check(&other, expected);
        run.check(&failed(), expected);
    }
    run.check(&failed(), ASK);
    let both = other.and_calls("write_file", ARGUMENTS);
    run.check(&both, STOP);
}

// D6

#[test]
fn d6_the_plain_notice_carries_nothing_to_act_on() {
    let mut run = Loop::new(guard(DuplicatePolicy::Notice));
    run.check(&failed(), "pass");
    let plain = "`write_file` was already called with the same arguments.";
    assert_eq!(text(&run.check(&failed(), BLOCK)), plain);
    assert_eq!(text(&run.check(&failed(), SECOND)), plain);
}

#[test]
fn d6_the_notice_fires_where_the_feedback_does() {
    let mut notice = Loop::new(guard(DuplicatePolicy::Notice));
    let mut feedback = run();
    let turns = [failed(), read(), failed(), read(), read(), calls("append", "{}"), failed(), failed()];
    for turn in turns.iter().cycle().take(40) {
        assert_eq!(outline(&notice.turn(turn)), outline(&feedback.turn(turn)));
    }
}

// D7

#[test]
fn d7_the_same_test_after_an_edit() {
    let mut run = run();
    for n in 0..9 {
        run.check(&calls("pytest", "{}").fails("1 failed"), "pass");
        run.check(&calls("write_file", &format!("{{\"n\":{n}}}")), "pass");
    }
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
fn d7_an_error_that_may_pass_by_itself_is_tried_once_more() {
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
        check(&[(call.clone(), "pass"), (call.clone(), "pass"), (call, BLOCK)]);
    }
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
        &common::offer(),
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

// M2

#[test]
fn m2_the_options_name_no_tool_that_is_not_offered() {
    let mut run = Loop::with_offer(Duplicate::default(), bare_offer());
    let call = calls("no_such_tool", "{}").fails("no such tool");
    run.check(&call, "pass");
    run.check(&call, BLOCK);
    let options = text(&run.check(&call, SECOND));
    check_has(&options, &["ask the user for"]);
    assert!(!options.contains("bash") && !options.contains("ask_user"), "{options}");
    let proposed = options.split("Choose one").nth(1).expect("options");
    assert!(!proposed.contains("no_such_tool"), "{options}");
}
