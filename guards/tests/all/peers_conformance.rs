//! The conformance vectors of the field (`docs/field.md#conformance-vectors`) under the rule of every peer: the first
//! intervention of each, including documented false alarms. A peer that is not in a table is silent.

use std::sync::Arc;

use crate::common::{Loop, PEERS, Turn, again, calls, offer, says, thinks};
use balk_guards::{Effect, Offer, Protocol, Purpose, Start, Tool};

/// The first intervention of every peer in these turns: number of the turn, kind, rule and level.
#[track_caller]
fn check_with(offer: &Arc<Offer>, turns: &[Turn], expected: &[(&str, &str)]) {
    let mut said = Vec::new();
    for make in PEERS {
        let guard = make();
        let name = guard.name().to_owned();
        let start = Start { model: "test".into(), protocol: Protocol::Tool, offer: offer.clone() };
        let mut run = Loop::begun(guard, start);
        said.extend(run.said(turns.to_vec()).into_iter().next().map(|first| (name, first)));
    }
    let said: Vec<(&str, &str)> = said.iter().map(|(name, first)| (&**name, &**first)).collect();
    assert_eq!(said, expected);
}

#[track_caller]
fn check(turns: &[Turn], expected: &[(&str, &str)]) {
    check_with(&offer(), turns, expected);
}

fn read(path: &str) -> Turn {
    calls("read", &format!(r#"{{"path":"{path}"}}"#)).answers(&format!("contents of {path}"))
}

fn run(command: &str) -> Turn {
    calls("bash", &format!(r#"{{"command":"{command}"}}"#))
}

fn edit(content: &str) -> Turn {
    calls("write_file", &format!(r#"{{"path":"a","content":"{content}"}}"#))
}

fn test() -> Turn {
    calls("pytest", "{}")
}

#[test]
fn c6_1_the_same_read_three_times() {
    check(
        &again(&[read("a")], 3),
        &[
            ("cline", "3 note same-call 1"),
            ("kimi-cli", "3 note same-call 1"),
            ("openrouter", "3 block doom-loop 1"),
            ("hermes-like", "2 note no-progress 2"),
            ("naive-duplicate", "2 block same-call 1"),
        ],
    );
}

#[test]
fn c6_2_a_poll_with_new_bytes_each_time_is_a_loop_for_whoever_looks_at_calls_only() {
    let polls: Vec<Turn> = (0..50).map(|n| read("job").answers(&format!("{n} of 50 files"))).collect();
    check(
        &polls,
        &[
            ("cline", "3 note same-call 1"),
            ("roo-code", "4 ask same-call 1"),
            ("gemini-cli", "5 retry calls 1"),
            ("qwen-code", "5 stop same-call 1"),
            ("kimi-cli", "3 note same-call 1"),
            ("openrouter", "3 block doom-loop 1"),
            ("turn-limit", "21 stop turns 1"),
            ("naive-duplicate", "2 block same-call 1"),
        ],
    );
}

#[test]
fn c6_3_a_wait_with_the_same_empty_answer_is_spared_only_where_the_tool_is_known_to_wait() {
    let waits = Tool::new("wait").effect(Effect::ReadOnly).purpose(Purpose::Wait);
    let wait = calls("wait", "{}").answers("");
    check_with(
        &Arc::new(Offer::new([waits])),
        &again(&[wait], 12),
        &[
            ("cline", "3 note same-call 1"),
            ("roo-code", "4 ask same-call 1"),
            ("openhands", "5 stop same-action 2"),
            ("gemini-cli", "5 retry calls 1"),
            ("qwen-code", "5 stop same-call 1"),
            ("crush", "11 stop same-step 1"),
            ("kimi-cli", "3 note same-call 1"),
            ("openrouter", "3 block doom-loop 1"),
            ("naive-duplicate", "2 block same-call 1"),
        ],
    );
}

#[test]
fn c6_4_test_and_edit_with_new_contents() {
    let turns =
        [test().fails("3 failed"), edit("x"), test().fails("2 failed"), edit("y"), test().fails("1 failed")];
    // OpenRouter counts only rounds of the tool itself.
    check(&turns, &[("openrouter", "5 block doom-loop 1"), ("naive-duplicate", "3 block same-call 1")]);
}

#[test]
fn c6_5_a_change_and_back_is_seen_by_none_of_them() {
    let failing = || test().fails("1 failed");
    let turns = [failing(), edit("y"), failing(), edit("x"), failing()];
    check(&turns, &[("openrouter", "5 block doom-loop 1"), ("naive-duplicate", "3 block same-call 1")]);
}

#[test]
fn c6_6_a_failing_test_between_reads() {
    let failing = || test().fails("1 failed");
    let turns = [failing(), read("a"), failing(), read("b"), failing()];
    check(
        &turns,
        &[
            ("openrouter", "5 block doom-loop 1"),
            ("hermes-like", "3 note same-failure 2"),
            ("naive-duplicate", "3 block same-call 1"),
        ],
    );
}

#[test]
fn c6_7_a_poll_beside_a_constant_sleep() {
    let turns: Vec<Turn> =
        (0..6).flat_map(|n| [read("log").answers(&"x".repeat(n)), run("sleep 5")]).collect();
    check(
        &turns,
        &[
            ("gemini-cli", "10 retry calls 1"),
            ("openrouter", "5 block doom-loop 1"),
            ("naive-duplicate", "3 block same-call 1"),
        ],
    );
}

#[test]
fn c6_8_two_calls_in_turn_with_the_same_results() {
    let turns = again(&[calls("deploy", r#"{"to":"a"}"#), calls("deploy", r#"{"to":"b"}"#)], 12);
    check(
        &turns,
        &[
            ("openhands", "7 stop alternating 2"),
            ("gemini-cli", "10 retry calls 1"),
            ("hermes-like", "6 note cycle 3"),
            ("naive-duplicate", "3 block same-call 1"),
        ],
    );
}

#[test]
fn c6_9_three_and_five_calls_in_a_circle() {
    let circle = |of: &str| of.chars().map(|to| calls("deploy", &format!(r#"{{"to":"{to}"}}"#))).collect();
    let three: Vec<Turn> = circle("abc");
    check(
        &again(&three, 9),
        &[("hermes-like", "9 note cycle 3"), ("naive-duplicate", "4 block same-call 1")],
    );
    let five: Vec<Turn> = circle("abcde");
    check(
        &again(&five, 25),
        &[
            ("gemini-cli", "25 retry calls 1"),
            ("turn-limit", "21 stop turns 1"),
            ("naive-duplicate", "6 block same-call 1"),
        ],
    );
}

#[test]
fn c6_10_different_names_and_the_same_empty_result() {
    let turns: Vec<Turn> = ["a", "b", "c", "d", "e", "f", "g"].map(|name| read(name).answers("")).to_vec();
    check(&turns, &[]);
}

#[test]
fn c6_11_reshuffled_patterns_with_the_same_bytes_are_missed_by_all_of_them() {
    let turns: Vec<Turn> = (0..6).map(|n| run(&format!("grep -r {n}")).answers("nothing")).collect();
    check(&turns, &[]);
}

#[test]
fn c6_13_six_equal_calls_at_once() {
    let mut turn = read("a");
    for _ in 0..5 {
        turn = turn.and_calls("read", r#"{"path":"a"}"#).answers("contents of a");
    }
    check(
        &[turn, says("Done.")],
        &[
            ("cline", "1 ask same-call 2"),
            ("roo-code", "1 ask same-call 1"),
            ("openhands", "2 stop same-action 2"),
            ("gemini-cli", "1 retry calls 1"),
            ("qwen-code", "1 stop same-call 1"),
            ("opencode", "1 ask doom-loop 1"),
            ("hermes-like", "1 note no-progress 2"),
            ("forge", "2 retry text 1"),
            ("naive-no-tools", "2 retry no-call 1"),
        ],
    );
}

#[test]
fn c6_14_the_same_fan_out_three_times_in_any_order() {
    let fan = |first: &str, second: &str| {
        calls("deploy", &format!(r#"{{"to":"{first}"}}"#))
            .and_calls("deploy", &format!(r#"{{"to":"{second}"}}"#))
    };
    check(
        &[fan("a", "b"), fan("b", "a"), fan("a", "b")],
        &[("openrouter", "3 block doom-loop 1"), ("naive-duplicate", "2 block same-call 1")],
    );
}

#[test]
fn c6_15_the_same_failing_call() {
    check(
        &again(&[run("make").fails("error: no rule")], 5),
        &[
            ("cline", "3 note same-call 1"),
            ("roo-code", "4 ask same-call 1"),
            ("openhands", "5 stop same-action 2"),
            ("gemini-cli", "5 retry calls 1"),
            ("qwen-code", "5 stop same-call 1"),
            ("kimi-cli", "3 note same-call 1"),
            ("openrouter", "3 block doom-loop 1"),
            ("hermes-like", "2 note same-failure 2"),
            ("forge", "4 stop failing-tool 4"),
            ("naive-duplicate", "2 block same-call 1"),
        ],
    );
}

#[test]
fn c6_17_different_failing_commands_are_at_most_warned_about_but_by_forge() {
    // The halt of hermes-like exempts the shell, its warning does not. Forge ends after three replies whose calls
    // fail, whatever they are.
    let turns: Vec<Turn> = (0..9).map(|n| run(&format!("try {n}")).fails(&format!("error {n}"))).collect();
    check(&turns, &[("hermes-like", "3 note failing-tool 3"), ("forge", "4 stop failing-tool 4")]);
}

#[test]
fn c6_18_another_order_of_members_is_the_same_call_but_where_nobody_sorts() {
    let one = calls("deploy", r#"{"to":"a","as":"b"}"#);
    let other = calls("deploy", r#"{"as":"b","to":"a"}"#);
    check(
        &again(&[one, other], 5),
        &[
            ("cline", "3 note same-call 1"),
            ("roo-code", "4 ask same-call 1"),
            ("openhands", "5 stop same-action 2"),
            ("qwen-code", "5 stop same-call 1"),
            ("kimi-cli", "3 note same-call 1"),
            ("openrouter", "3 block doom-loop 1"),
            ("hermes-like", "3 note same-result 3"),
            ("naive-duplicate", "2 block same-call 1"),
        ],
    );
}

#[test]
fn c6_19_text_number_and_truth_are_different_and_so_is_another_order_in_a_list() {
    let turns: Vec<Turn> =
        [r#"{"n":"1"}"#, r#"{"n":1}"#, r#"{"n":true}"#, r#"{"n":[1,2]}"#, r#"{"n":[2,1]}"#]
            .map(|arguments| calls("deploy", arguments))
            .to_vec();
    check(&turns, &[]);
}

#[test]
fn c6_24_an_answer_without_a_call_is_corrected_by_whoever_wants_a_tool() {
    check(
        &[says("It is in the third line.")],
        &[
            ("cline", "1 retry no-tool 1"),
            ("roo-code", "1 retry no-tool 1"),
            ("forge", "1 retry text 1"),
            ("naive-no-tools", "1 retry no-call 1"),
        ],
    );
}

#[test]
fn c6_25_thinking_only_three_times() {
    check(
        &again(&[thinks("hm")], 3),
        &[
            ("cline", "1 retry no-tool 1"),
            ("roo-code", "1 retry no-tool 1"),
            ("openhands", "1 retry no-content 1"),
            ("gemini-cli", "1 retry thinking-only 1"),
            ("forge", "1 retry text 1"),
        ],
    );
}

#[test]
fn c6_30_things_that_begin_alike_are_no_chanting_and_one_sentence_over_and_over_is() {
    let things = |n: u8| {
        format!("The next file that has to be moved to the new folder is {}\n", n.to_string().repeat(12))
    };
    let list: String = (0..12).map(things).collect();
    let chant = things(1).repeat(12);
    let corrected = [
        ("cline", "1 retry no-tool 1"),
        ("roo-code", "1 retry no-tool 1"),
        ("forge", "1 retry text 1"),
        ("naive-no-tools", "1 retry no-call 1"),
    ];
    check(&[says(&list)], &corrected);
    let [cline, roo_code, forge, naive] = corrected;
    let (gemini_cli, openrouter) = (("gemini-cli", "1 retry chanting 1"), ("openrouter", "1 stop text 2"));
    check(&[says(&chant)], &[cline, roo_code, gemini_cli, openrouter, forge, naive]);
}
