//! The ladders of the peers, as documented: each fires at its threshold and not before, escalates as its product
//! does, and resets where its product does.

use std::sync::Arc;

use crate::common::{Loop, PEERS, Turn, again, calls, says, text, thinks};
use balk_guards::{
    AttemptCause, AttemptFailure, Effect, Guard, NAME_CHARS, Offer, Protocol, Purpose, Start, Tool, Verdict,
};
use balk_peers::{
    Cline, Crush, GeminiCli, HermesLike, HermesLikeSettings, KimiCli, NaiveAbandonment, NaiveDuplicate,
    NaiveNoTools, OpenHands, OpenRouter, QwenCode, RooCode, RooCodeSettings, TurnLimit, TurnLimitSettings,
};

/// Everything that the guard says in these turns, as `turn kind rule level`.
#[track_caller]
fn check(guard: impl Guard + 'static, turns: &[Turn], expected: &[&str]) {
    assert_eq!(Loop::new(guard).said(turns.to_vec()), expected);
}

fn call(of: &str) -> Turn {
    calls("deploy", &format!(r#"{{"of":"{of}"}}"#))
}

#[test]
fn cline_warns_once_and_asks_at_the_fifth_and_then_counts_anew() {
    let expected = ["3 note same-call 1", "5 ask same-call 2", "8 note same-call 1", "10 ask same-call 2"];
    check(Cline::default(), &again(&[call("a")], 10), &expected);
    let other = [call("a"), call("a"), call("b"), call("a"), call("a")];
    check(Cline::default(), &other, &[]);
    let elsewhere = [call("a"), call("a"), calls("bash", r#"{"of":"a"}"#)];
    check(Cline::default(), &elsewhere, &[]);
}

#[test]
fn cline_does_not_look_at_the_list_of_what_is_to_be_done() {
    let with = |list: &str| calls("deploy", &format!(r#"{{"of":"a","task_progress":"{list}"}}"#));
    check(Cline::default(), &[with("1"), with("2"), call("a")], &["3 note same-call 1"]);
    let in_text = |list: &str| calls("deploy", &format!(r#"{{"of":"task_progress {list}"}}"#));
    check(Cline::default(), &[in_text("1"), in_text("2"), in_text("3")], &[]);
}

#[test]
fn cline_asks_at_the_third_mistake_and_any_call_that_can_be_read_clears_them() {
    let expected = [
        "1 retry no-tool 1",
        "2 retry no-tool 2",
        "3 ask mistakes 3",
        "4 retry no-tool 1",
        "6 retry no-tool 1",
    ];
    let turns = [says("a"), says("b"), says("c"), says("d"), call("a").fails("no"), says("e")];
    check(Cline::default(), &turns, &expected);
    let unread = || calls("deploy", "{");
    let expected = ["3 note same-call 1", "4 ask mistakes 3"];
    check(Cline::default(), &[unread(), unread(), unread(), call("b")], &expected);
}

#[test]
fn roo_code_lets_three_run_and_asks_at_the_fourth() {
    let expected = ["4 ask same-call 1", "8 ask same-call 1"];
    check(RooCode::default(), &again(&[call("a")], 8), &expected);
    let one = RooCode::new(RooCodeSettings { limit: 1 });
    check(one, &again(&[call("a")], 2), &["2 ask same-call 1"]);
    let never = RooCode::new(RooCodeSettings { limit: 0 });
    check(never, &again(&[call("a")], 9), &[]);
    let pages: Vec<Turn> = (0..9).map(|n| call(&n.to_string())).collect();
    check(RooCode::default(), &pages, &[]);
}

#[test]
fn roo_code_forgives_the_first_text_without_a_call() {
    let expected = [
        "1 retry no-tool 1",
        "2 retry no-tool 2",
        "2 notice no-tool 2",
        "3 retry no-tool 3",
        "3 notice no-tool 3",
        "4 ask mistakes 3",
    ];
    check(RooCode::default(), &again(&[says("a")], 4), &expected);
    let spared = [says("a"), call("a"), says("b"), call("b"), says("c"), call("c"), says("d")];
    let corrected = ["1 retry no-tool 1", "3 retry no-tool 1", "5 retry no-tool 1", "7 retry no-tool 1"];
    check(RooCode::default(), &spared, &corrected);
}

#[test]
fn openhands_nudges_after_the_third_call_that_could_not_be_executed_and_ends_after_the_fourth() {
    let failing = |error: &str| calls("no_such_tool", "{}").fails(error);
    let turns = [failing("x"), failing("y"), failing("z"), failing("x"), says("I give up.")];
    check(OpenHands::default(), &turns, &["3 note failing-action 1", "5 stop failing-action 2"]);
    let ran: Vec<Turn> = ["x", "y", "z", "x"].map(|error| call("a").fails(error)).to_vec();
    check(OpenHands::default(), &ran, &[]);
    let obeys = [failing("x"), failing("x"), failing("x"), call("b"), says("Done.")];
    check(OpenHands::default(), &obeys, &["3 note failing-action 1"]);
}

#[test]
fn openhands_takes_other_words_for_another_action_and_other_output_for_another_observation() {
    let same = again(&[call("a").and_says("Once more.")], 5);
    check(OpenHands::default(), &same, &["5 stop same-action 2"]);
    let words: Vec<Turn> = (0..9).map(|n| call("a").and_says(&format!("Try {n}."))).collect();
    check(OpenHands::default(), &words, &[]);
    let output: Vec<Turn> = (0..9).map(|n| call("a").answers(&format!("12:30:0{n}"))).collect();
    check(OpenHands::default(), &output, &[]);
}

#[test]
fn openhands_begins_anew_with_the_user_and_not_with_the_loop() {
    let mut run = Loop::new(OpenHands::default());
    run.pass(&call("a"), 4);
    run.user("Go on.");
    run.pass(&call("a"), 4);
    run.prompt();
    run.check(&call("a"), "stop same-action 2");
}

#[test]
fn openhands_ends_a_monologue_of_three_and_an_alternation_of_six() {
    check(OpenHands::default(), &[says("a"), says("b"), says("c")], &["3 stop monologue 2"]);
    check(OpenHands::default(), &[says("a"), says("b"), call("a"), says("c"), says("d")], &[]);
    let thought = ["1 retry no-content 1", "2 retry no-content 1", "3 stop monologue 2"];
    check(OpenHands::default(), &again(&[thinks("hm")], 3), &thought);
    let in_turn = again(&[call("a"), call("b")], 7);
    check(OpenHands::default(), &in_turn, &["7 stop alternating 2"]);
    let broken: Vec<Turn> = ["a", "b", "a", "b", "a", "c", "d"].map(call).to_vec();
    check(OpenHands::default(), &broken, &[]);
}

#[test]
fn openhands_sees_twenty_events() {
    // Six alternating steps are twelve events; five messages between them fit into the window, ten do not.
    let turns = |messages: usize| {
        let mut all = Vec::new();
        for step in again(&[call("a"), call("b")], 6) {
            all.extend(again(&[says("Hm.")], messages));
            all.push(step);
        }
        all.push(call("c"));
        all
    };
    check(OpenHands::default(), &turns(1), &["13 stop alternating 2"]);
    check(OpenHands::default(), &turns(2), &[]);
}

#[test]
fn gemini_cli_corrects_the_first_loop_and_ends_at_the_second() {
    check(GeminiCli::default(), &again(&[call("a")], 6), &["5 retry calls 1", "6 stop calls 2"]);
    check(GeminiCli::default(), &again(&[call("a")], 4), &[]);
    let between = [call("a"), call("a"), says("Hm."), call("a"), call("a").fails("no"), call("a")];
    check(GeminiCli::default(), &between, &["6 retry calls 1"]);
    let broken = [call("a"), call("b"), call("a"), call("b"), call("a"), call("c"), call("a"), call("b")];
    check(GeminiCli::default(), &broken, &[]);
    let another = [again(&[call("a")], 5), again(&[call("b")], 5)].concat();
    check(GeminiCli::default(), &another, &["5 retry calls 1", "10 stop calls 2"]);
}

#[test]
fn gemini_cli_begins_anew_with_each_prompt() {
    let mut run = Loop::new(GeminiCli::default());
    run.pass(&call("a"), 4);
    run.user("Go on.");
    run.pass(&call("a"), 4);
    run.check(&call("a"), "retry calls 1");
}

#[test]
fn gemini_cli_asks_three_times_for_more_than_thinking() {
    let expected = [
        "1 retry thinking-only 1",
        "2 retry thinking-only 2",
        "3 retry thinking-only 3",
        "4 stop thinking-only 4",
    ];
    check(GeminiCli::default(), &again(&[thinks("hm")], 4), &expected);
}

#[test]
fn qwen_code_ends_the_turn_without_a_nudge() {
    check(QwenCode::default(), &again(&[call("a")], 4), &[]);
    check(QwenCode::default(), &again(&[call("a")], 5), &["5 stop same-call 1"]);
    let broken = [again(&[call("a")], 4), vec![call("b")], again(&[call("a")], 4)].concat();
    check(QwenCode::default(), &broken, &[]);
}

#[test]
fn qwen_code_lets_a_task_list_be_read_as_long_as_it_changes() {
    let list = |n: usize| calls("task_list", "{}").answers(&format!("{n} open"));
    let changing: Vec<Turn> = (0..20).map(list).collect();
    check(QwenCode::default(), &changing, &[]);
    check(QwenCode::default(), &again(&[list(1)], 5), &["5 stop same-call 1"]);
    let other: Vec<Turn> = (0..5).map(|n| call("a").answers(&n.to_string())).collect();
    check(QwenCode::default(), &other, &["5 stop same-call 1"]);
}

#[test]
fn qwen_code_ends_eight_overviews_of_git() {
    let look = |n: usize| {
        let command = ["git status", "git diff HEAD && git status -s", "git -C . diff | git ls-files"][n % 3];
        calls("bash", &format!(r#"{{"command":"{command} -{n}"}}"#))
    };
    let eight: Vec<Turn> = (0..8).map(look).collect();
    check(QwenCode::default(), &eight, &["8 stop git-overview 1"]);
    check(QwenCode::default(), &eight[..7], &[]);
    let mut broken = eight;
    broken[4] = calls("bash", r#"{"command":"git status && make"}"#);
    check(QwenCode::default(), &broken, &[]);
}

#[test]
fn qwen_code_ends_many_calls_only_where_some_are_the_same() {
    let different: Vec<Turn> = (0..300).map(|n| call(&n.to_string())).collect();
    check(QwenCode::default(), &different, &[]);
    let mut some = different[..101].to_vec();
    for at in [1, 11, 21, 31, 41, 51] {
        some[at] = call("same");
    }
    check(QwenCode::default(), &some[..100], &[]);
    check(QwenCode::default(), &some, &["101 stop calls 1"]);
}

#[test]
fn qwen_code_ends_a_thousand_different_calls_and_begins_anew_with_each_prompt() {
    let different: Vec<Turn> = (0..1_001).map(|n| call(&n.to_string())).collect();
    check(QwenCode::default(), &different, &["1001 stop calls 1"]);
    let mut run = Loop::new(QwenCode::default());
    run.pass(&call("a"), 4);
    run.user("Go on.");
    run.pass(&call("a"), 4);
    run.prompt();
    run.check(&call("a"), "stop same-call 1");
}

#[test]
fn c6_26_qwen_code_takes_back_what_a_broken_stream_brought() {
    let broken = AttemptFailure { cause: AttemptCause::Disconnected, ..AttemptFailure::empty(1) };
    let mut run = Loop::new(QwenCode::default());
    run.pass(&call("a"), 3);
    run.breaks(&call("a"), &broken);
    // The request that is sent again begins the streak anew.
    run.pass(&call("a"), 4);
    run.check(&call("a"), "stop same-call 1");
}

#[test]
fn crush_wants_ten_steps_and_six_of_them_equal() {
    let other = |n: usize| call(&n.to_string());
    let of = |equal: usize, others: usize| {
        [again(&[call("a")], equal), (0..others).map(other).collect(), vec![says("So.")]].concat()
    };
    check(Crush::default(), &of(9, 0), &[]);
    check(Crush::default(), &of(5, 5), &[]);
    check(Crush::default(), &of(6, 4), &["11 stop same-step 1"]);
    check(Crush::default(), &again(&[call("a"), call("b")], 30), &[]);
    let clock: Vec<Turn> = (0..30).map(|n| call("a").answers(&n.to_string())).collect();
    check(Crush::default(), &clock, &[]);
    check(Crush::default(), &again(&[says("a")], 30), &[]);
    let mut run = Loop::new(Crush::default());
    run.pass(&call("a"), 9);
    run.user("Go on.");
    run.pass(&call("a"), 10);
    run.check(&call("a"), "stop same-step 1");
}

#[test]
fn kimi_cli_counts_each_equal_call_of_a_step_and_a_new_message_begins_anew() {
    let twice = call("a").and_calls("deploy", r#"{"of":"a"}"#);
    check(KimiCli::default(), &again(&[twice], 3), &["2 note same-call 1", "3 note same-call 2"]);
    let mut run = Loop::new(KimiCli::default());
    assert_eq!(run.said(again(&[call("a")], 2)), [""; 0]);
    run.user("Go on.");
    assert_eq!(run.said(again(&[call("a")], 3)), ["3 note same-call 1"]);
}

#[test]
fn c6_27_openrouter_counts_what_it_refuses_and_ends_and_the_naive_rule_never_does() {
    let expected =
        ["3 block doom-loop 1", "4 block doom-loop 1", "5 block doom-loop 1", "6 stop doom-loop 2"];
    check(OpenRouter::default(), &again(&[call("a")], 6), &expected);
    let mut run = Loop::new(NaiveDuplicate::default());
    run.pass(&call("a"), 1);
    for _ in 0..50 {
        run.check(&call("a"), "block same-call 1");
    }
}

#[test]
fn openrouter_counts_rounds_of_a_tool_whatever_stands_between() {
    let read = || calls("read", r#"{"path":"a"}"#);
    let between = [call("a"), read(), call("a"), says("Hm."), call("a")];
    check(OpenRouter::default(), &between, &["5 block doom-loop 1"]);
    check(OpenRouter::default(), &[call("a"), call("b"), call("a"), call("b"), call("a")], &[]);
    let mut run = Loop::new(OpenRouter::default());
    run.pass(&call("a"), 2);
    run.user("Go on.");
    run.check(&call("a"), "block doom-loop 1");
}

#[test]
fn hermes_like_refuses_the_sixth_failure_and_an_edit_clears_them() {
    let failing = || call("a").fails("no");
    // The fifth equal result in a row ends the turn before the sixth failure is refused.
    let expected = [
        "2 note same-failure 2",
        "3 note same-failure 3",
        "3 note same-result 3",
        "4 note same-failure 4",
        "4 note same-result 4",
        "5 note same-failure 5",
        "5 note same-result 5",
        "6 stop same-result 5",
    ];
    check(HermesLike::default(), &again(&[failing()], 6), &expected);
    let edit = |n: usize| calls("write_file", &format!(r#"{{"path":"a","content":"{n}"}}"#));
    let edited: Vec<Turn> = (0..12).flat_map(|n| [failing(), edit(n)]).collect();
    check(HermesLike::default(), &edited, &[]);
    let varied: Vec<Turn> =
        (0..5).map(|n| call("a").fails(&format!("error {n}"))).chain(again(&[call("a")], 2)).collect();
    let said = Loop::new(HermesLike::default()).said(varied);
    assert_eq!(said[said.len() - 2..], ["6 block same-failure 5", "7 stop refused 5"]);
}

#[test]
fn hermes_like_refuses_a_sixth_look_at_the_same_answer() {
    let look = || calls("read", r#"{"path":"a"}"#).answers("the same");
    let turns: Vec<Turn> = (0..6).flat_map(|n| [look(), call(&n.to_string())]).collect();
    let expected = [
        "3 note no-progress 2",
        "5 note no-progress 3",
        "7 note no-progress 4",
        "9 note no-progress 5",
        "11 block no-progress 5",
        "12 stop refused 5",
    ];
    check(HermesLike::default(), &turns, &expected);
}

#[test]
fn hermes_like_halts_a_tool_that_fails_eight_times_unless_it_is_a_shell() {
    let failing = |tool: &str, n: usize| calls(tool, &format!(r#"{{"n":{n}}}"#)).fails(&format!("error {n}"));
    let of = |tool: &str| -> Vec<Turn> { (0..9).map(|n| failing(tool, n)).collect() };
    let said = Loop::new(HermesLike::default()).said(of("deploy"));
    assert_eq!(said.last().map(|it| &**it), Some("9 stop failing-tool 5"));
    // Other calls in the message of the eighth failure do not matter.
    let mut beside = of("deploy");
    beside[7] = beside[7].clone().and_calls("read_file", r#"{"path":"a.py"}"#);
    let said = Loop::new(HermesLike::default()).said(beside);
    assert_eq!(said.last().map(|it| &**it), Some("9 stop failing-tool 5"));
    let said = Loop::new(HermesLike::default()).said(of("bash"));
    assert!(said.iter().all(|it| it.contains("note failing-tool")), "{said:?}");
}

#[test]
fn hermes_like_does_not_see_a_loop_behind_a_clock_and_spares_who_waits() {
    let clock: Vec<Turn> = (0..5).map(|n| call("date").answers(&format!("2024-05-01 12:30:0{n}"))).collect();
    check(HermesLike::default(), &clock, &[]);
    let kernel = |n: usize| {
        let result = format!(r#"{{"output":"","duration_seconds":{n},"kernel":{{"execution_count":{n}}}}}"#);
        calls("execute_code", "{}").answers(&result)
    };
    let said = Loop::new(HermesLike::default()).said((0..5).map(kernel));
    assert_eq!(said, ["3 note same-result 3", "4 note same-result 4", "5 note same-result 5"]);
    let waits = Tool::new("wait").effect(Effect::ReadOnly).purpose(Purpose::Wait);
    let start =
        Start { model: "test".into(), protocol: Protocol::Text, offer: Arc::new(Offer::new([waits])) };
    let mut run = Loop::begun(HermesLike::default(), start);
    run.pass(&calls("wait", "{}").answers("running"), 20);
    assert_eq!(run.interventions().count(), 0);
}

#[test]
fn hermes_like_ends_a_circle_at_the_fifth_lap_and_only_speaks_where_somebody_sits() {
    let circle = again(&[call("a"), call("b")], 11);
    let said = Loop::new(HermesLike::default()).said(circle.clone());
    assert_eq!(said.first().map(|it| &**it), Some("6 note cycle 3"));
    assert_eq!(said.last().map(|it| &**it), Some("11 stop cycle 5"));
    let attended = HermesLike::new(HermesLikeSettings { hard_stops: false });
    let said = Loop::new(attended).said(circle);
    assert!(said.iter().all(|it| it.contains("note cycle")), "{said:?}");
}

#[test]
fn turn_limit_ends_the_turn_after_the_last() {
    let pages: Vec<Turn> = (0..21).map(|n| call(&n.to_string())).collect();
    check(TurnLimit::default(), &pages, &["21 stop turns 1"]);
    check(TurnLimit::default(), &pages[..20], &[]);
    let two = TurnLimit::new(TurnLimitSettings { limit: 2 });
    check(two, &pages[..3], &["3 stop turns 1"]);
    let mut run = Loop::new(TurnLimit::new(TurnLimitSettings { limit: 2 }));
    run.pass(&call("a"), 2);
    run.user("Go on.");
    run.pass(&call("a"), 2);
}

#[test]
fn the_naive_readings_fire_each_time() {
    let fence = || says("```python\nx\n```");
    let failing = |n: usize| calls("pytest", &format!(r#"{{"n":{n}}}"#)).fails("no");
    check(NaiveAbandonment::default(), &[failing(1), failing(2), fence()], &[]);
    let turns =
        [failing(1), failing(2), failing(3), fence(), call("a"), fence(), failing(4).and_says("```\nx\n```")];
    check(NaiveAbandonment::default(), &turns, &["4 retry fence 1", "6 retry fence 1"]);
    check(NaiveNoTools, &again(&[says("a")], 2), &["1 retry no-call 1", "2 retry no-call 1"]);
    check(NaiveNoTools, &[call("a").and_says("a"), thinks("a")], &[]);
}

#[test]
fn what_they_say_names_the_tool_and_never_claims_that_the_user_refused() {
    let mut heard = 0;
    for make in PEERS {
        let mut run = Loop::new(make());
        let mut turns = again(&[call("a").fails("no space left")], 13);
        turns.extend(again(&[says("I'll do it."), thinks("hm")], 8));
        for turn in turns {
            let decision = run.turn(&turn);
            if decision.verdict != Verdict::Pass {
                assert!(!text(&decision).is_empty());
            }
        }
        for it in run.interventions() {
            heard += 1;
            let said = it.note.text.to_lowercase();
            for claim in ["user refused", "user denied", "user declined", "user rejected"] {
                assert!(!said.contains(claim), "{said}");
            }
            assert!(it.note.text.len() < 1_000 + NAME_CHARS, "{said}");
        }
    }
    assert!(heard > 50, "{heard} interventions");
    let mut run = Loop::new(KimiCli::default());
    run.said(again(&[call("a")], 7));
    let last = run.interventions().last().expect("it speaks");
    assert!(last.note.text.contains("- tool: deploy\n- repeated_times: 7\n"), "{}", last.note.text);
}
