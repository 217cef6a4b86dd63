//! The sequences with which other projects test their guards, by their number in `docs/field.md#conformance-vectors`:
//! what the best rule there says, what ours says, and the reason if the two differ. Ours are `Progress` and
//! `Duplicate`, with their default policies; other guards cover the numbers that are missing here.

use crate::common::{Loop, Turn, again, calls};
use balk_guards::{Duplicate, Guard, Progress};

#[track_caller]
fn check(guard: impl Guard + 'static, turns: impl IntoIterator<Item = Turn>, expected: &[&str]) {
    assert_eq!(Loop::new(guard).said(turns), expected);
}

/// The progress guard says this.
#[track_caller]
fn progress(turns: impl IntoIterator<Item = Turn>, expected: &[&str]) {
    check(Progress::default(), turns, expected);
}

/// The duplicate guard says this, and the progress guard nothing.
#[track_caller]
fn duplicate(turns: impl IntoIterator<Item = Turn> + Clone, expected: &[&str]) {
    progress(turns.clone(), &[]);
    check(Duplicate::default(), turns, expected);
}

fn read(path: &str) -> Turn {
    calls("read", &format!(r#"{{"path":"{path}"}}"#)).answers(&format!("text of {path}"))
}

fn test() -> Turn {
    calls("pytest", "{}").fails("3 failed, 1 passed")
}

fn edit(text: &str) -> Turn {
    calls("write_file", &format!(r#"{{"path":"a.py","content":"{text}"}}"#))
}

/// stella and Cline: a hint. Ours, `Duplicate`: the third is refused.
#[test]
fn vector_1_the_same_read_three_times() {
    duplicate(again(&[read("a")], 3), &["3 block same-call 1"]);
}

/// stella, openclaw: none.
#[test]
fn vector_2_the_same_poll_with_new_bytes_each_time() {
    let poll = |n: u32| calls("read", r#"{"job":7}"#).answers(&format!("line {n}"));
    duplicate((0..50).map(poll).collect::<Vec<_>>(), &[]);
}

/// stella, yolop: a hint to wait in one call, and no end. `Progress` agrees if the result says that something is
/// still running. An empty result says nothing, and no tool is declared as one that waits, so `Duplicate` treats it
/// as a repeat.
#[test]
fn vector_3_the_same_wait_with_the_same_answer() {
    let wait = |answer: &str| calls("bash", r#"{"command":"wait 5"}"#).answers(answer);
    progress(again(&[wait("still running")], 15), &["10 note waiting 1"]);
    duplicate(again(&[wait("")], 3), &["3 block same-call 1"]);
}

/// All rules that see results: none. `Progress`: a note at the fifth equal failure, whatever was changed.
#[test]
fn vector_4_test_edit_test() {
    duplicate([test(), edit("1"), test(), edit("2"), test(), edit("3")], &[]);
}

/// yolop: a hint at the first return to an earlier state. `Progress`: at the second in a row, because undoing one
/// change is normal work.
#[test]
fn vector_5_an_edit_that_is_undone_and_done_again() {
    let other = calls("pytest", "{}").fails("1 failed, 3 passed");
    let back_and_forth = [edit("x"), test(), edit("y"), other];
    progress(again(&back_and_forth, 5), &[]);
    progress(again(&back_and_forth, 11), &["7 note rewrite 1", "9 block rewrite 2"]);
}

/// stella: a repeat at the third.
#[test]
fn vector_6_a_failing_test_between_reads() {
    progress([test(), read("a"), test(), read("b"), test()], &["5 note repeat 1"]);
}

/// All rules that see results: none.
#[test]
fn vector_7_a_stream_and_a_constant_pause() {
    let poll = |n: u32| calls("read", r#"{"job":7}"#).answers(&format!("line {n}"));
    let sleep = calls("bash", r#"{"command":"sleep 5"}"#).answers("");
    duplicate((0..20).flat_map(|n| [poll(n), sleep.clone()]).collect::<Vec<_>>(), &[]);
}

/// stella: a cycle at three laps. `Progress`: at two, which are stuck in 85 %
/// (`docs/labels.md#what-single-rules-find`).
#[test]
fn vector_8_two_in_turn() {
    progress(again(&[read("a"), read("b")], 4), &["4 note cycle 1"]);
}

/// stella, hermes: a cycle at three laps, none of period 5. `Progress`: periods up to six, and at three laps if all
/// calls are looks with one tool, because an agent may read through files twice.
#[test]
fn vector_9_three_and_five_in_turn() {
    let five = ["a", "b", "c", "d", "e"].map(read);
    progress(again(&five[..3], 9), &["9 note cycle 1"]);
    progress(again(&five, 15), &["15 note cycle 1"]);
}

/// zeroclaw, after a complaint: none, or a hint.
#[test]
fn vector_10_seven_names_with_empty_answers() {
    let member = |n: u32| calls("read", &format!(r#"{{"name":"{n}"}}"#)).answers("[]");
    duplicate((0..7).map(member).collect::<Vec<_>>(), &[]);
}

/// stella: stagnation for its own tools, none for others (12). Ours: none, because nothing distinguishes these six
/// from those of vector 10.
#[test]
fn vectors_11_and_12_other_patterns_with_the_same_bytes() {
    let search = |n: u32| calls("read", &format!(r#"{{"pattern":"a|{n}"}}"#)).answers("a.py:1");
    duplicate((0..6).map(search).collect::<Vec<_>>(), &[]);
}

/// OpenRouter: one round.
#[test]
fn vector_13_six_equal_calls_in_one_round() {
    let six = (0..6).fold(Turn::default(), |turn, _| turn.and_calls("read", "{}"));
    duplicate([six], &[]);
}

/// OpenRouter: the third round, in any order. Ours: `Duplicate` if the rounds are consecutive, `Progress` if there
/// are other steps in between.
#[test]
fn vector_14_the_same_fan_out_in_three_rounds() {
    let one = read("a").and_calls("pytest", "{}").fails("x not found");
    let other =
        calls("pytest", "{}").fails("x not found").and_calls("read", r#"{"path":"a"}"#).answers("text of a");
    duplicate([one.clone(), other.clone()], &["2 block same-call 1"]);
    progress([one.clone(), read("b"), other, read("c"), one], &["5 note repeat 1"]);
}

/// OpenHands: a nudge at the third and the end at the fourth. `Duplicate`: the second is refused, because 55 % of the
/// models that repeat a failure once continue (`docs/reactions.md#lock-in`); of a test, which may be flaky, the fourth.
#[test]
fn vector_15_the_same_failing_call() {
    duplicate(again(&[test()], 4), &["4 block same-call 1"]);
    let missing = calls("pytest", "{}").fails("pytest: command not found");
    duplicate(again(&[missing], 2), &["2 block same-call 1"]);
}

/// yolop: the tool is withheld. `Progress`: a note at the sixth, because three failures of one tool are stuck in only
/// 41 % (`docs/labels.md#what-single-rules-find`).
#[test]
fn vector_16_commands_that_are_not_found() {
    let missing = |name: &str| {
        let command = format!(r#"{{"command":"{name} ."}}"#);
        calls("bash", &command).fails(&format!("{name}: command not found"))
    };
    let turns: Vec<_> = ["tree", "fdfind", "ripgrep", "eza", "broot", "lsd"].map(missing).into();
    duplicate(turns[..5].to_vec(), &[]);
    progress(turns, &["6 note same-failure 1"]);
}

/// hermes, ironclaw: none.
#[test]
fn vector_17_different_failures() {
    let errors =
        ["no module named rich", "assertion failed in test_a", "fixture is missing", "invalid syntax"];
    let turns = errors
        .iter()
        .enumerate()
        .map(|(n, error)| calls("pytest", &format!(r#"{{"k":"{n}"}}"#)).fails(error));
    duplicate(
        turns
            .cycle()
            .take(12)
            .enumerate()
            .map(|(n, turn)| if n < 4 { turn } else { read(&n.to_string()) })
            .collect::<Vec<_>>(),
        &[],
    );
}

/// All: identical.
#[test]
fn vector_18_the_order_of_keys() {
    let look = |arguments: &str| calls("read", arguments);
    let [one, other] = [r#"{"a":1,"b":2}"#, r#"{ "b": 2, "a": 1.0 }"#].map(look);
    progress([one.clone(), read("x"), other, read("x"), one], &["4 note cycle 1", "5 block cycle 2"]);
}

/// zeroclaw: different.
#[test]
fn vector_19_kinds_of_values_and_the_order_of_lists() {
    let values = ["1", "\"1\"", "true", "[1,2]", "[2,1]"];
    let looks = values.map(|value| calls("read", &format!(r#"{{"v":{value}}}"#)));
    duplicate(looks.iter().flat_map(|it| [it.clone(), read("x")]).take(6).collect::<Vec<_>>(), &[]);
}

/// stella: a second warning, and no end.
#[test]
fn vector_20_another_loop_after_a_warning() {
    let mut turns = again(&[read("a"), read("b")], 4);
    turns.extend(again(&[read("c"), read("d")], 4));
    progress(turns, &["4 note cycle 1", "8 note cycle 1"]);
}

/// stella: the same loop, and the end. `Progress`: the same loop, and the next rung.
#[test]
fn vector_21_the_same_cycle_from_another_call_on() {
    let mut turns = again(&[read("a"), read("b")], 4);
    turns.extend(again(&[read("b"), read("a")], 2));
    progress(turns, &["4 note cycle 1", "5 block cycle 2", "6 ask cycle 3"]);
}

/// stella: still counted. `Progress` too; it allows one lap to read again what was lost.
#[test]
fn vector_22_a_compaction_in_the_middle() {
    let cycle = [read("a"), read("b")];
    let mut run = Loop::new(Progress::default());
    assert_eq!(run.said(again(&cycle, 2)), [""; 0]);
    run.compact();
    assert_eq!(run.said(again(&cycle, 5)), ["4 note cycle 1", "5 block cycle 2"]);
}

/// stella: never evidence.
#[test]
fn vector_23_answers_that_nobody_has() {
    duplicate(again(&[read("a").goes_missing(), read("b").goes_missing()], 20), &[]);
}

/// qwen: counters are rolled back. Ours count what was committed, so a repeated attempt does not count.
#[test]
fn vector_26_a_stream_that_is_sent_again() {
    let mut run = Loop::new(Progress::default());
    for _ in 0..20 {
        run.breaks(&Turn::default(), &balk_guards::AttemptFailure::empty(1));
    }
    assert_eq!(run.said([read("a"), read("b"), read("a")]), [""; 0]);
}

/// After a complaint in kilocode: it must count, and must end.
#[test]
fn vector_27_a_refused_call_that_is_sent_again() {
    let mut turns = vec![test(), read("a"), test(), read("b"), test()];
    turns.extend(again(&[test()], 4));
    let expected = ["5 note repeat 1", "6 block repeat 2", "7 ask repeat 3", "9 stop repeat 4"];
    progress(turns, &expected);
}

/// yolop: a checkpoint is required. `Progress`: none, as long as the look-ups return something new.
#[test]
fn vector_29_48_look_ups_without_a_change() {
    duplicate((0..48).map(|n| read(&n.to_string())).collect::<Vec<_>>(), &[]);
}
