//! The duplicate guard against spec D2 to D6: its messages, what settles it, and how it escalates.

use crate::common::duplicates::{ARGUMENTS, BLOCK, ERROR, SECOND, check, failed, read, run};
use crate::common::handoffs::says_all;
use crate::common::{Loop, Turn, bare_offer, calls, outline, says, text};
use balk_guards::{
    Budget, ChoiceKind, Duplicate, DuplicatePolicy, DuplicateSettings, Protocol, Stack, Start, Subject,
    Verdict, default_stack,
};

const ASK: &str = "ask same-call-after-options 3";
const STOP: &str = "stop same-call-after-question 4";

fn guard(policy: DuplicatePolicy) -> Duplicate {
    Duplicate::new(DuplicateSettings { policy, ..DuplicateSettings::default() })
}

// spec D2

#[test]
fn d2_the_feedback_carries_what_can_be_acted_on() {
    let mut run = run();
    run.check(&failed(), "pass");
    let decision = run.check(&failed(), BLOCK);
    let Verdict::Block(blocked) = &decision.verdict else { panic!() };
    assert_eq!((blocked.len(), blocked[0].call), (1, 0));
    says_all(
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
        (read(), "That call succeeded: its answer is above."),
        (read().answers_something("x"), "If the answer above is a failure"),
        (read().fails("x"), "it will fail again"),
    ] {
        let mut run = run();
        while outline(&run.turn(&turn)) == "pass" {}
        let said = run.interventions().next().expect("a block").note.text.clone();
        says_all(&said, &[expected]);
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
    says_all(&text(&run.check(&turn, BLOCK)), &["Arguments:\n{\"path\": \"a\n\nIt failed"]);
}

// spec D3

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
fn d3_strict_takes_the_other_phrases_of_the_field() {
    for phrase in ["Instead, I will use the shell.", "I'll verify the folder.", "The issue is the folder."] {
        let mut run = blocked(DuplicatePolicy::Strict);
        run.check(&check_package().and_says(phrase), "pass");
        run.check(&check_package(), "pass");
    }
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

#[test]
fn d3_strict_gives_way_too_where_a_stack_makes_questions_of_its_demands() {
    let budget = Budget { corrections: 0, questions: 9, ..Budget::default() };
    let mut run = Loop::new(Stack::with_budget(vec![Box::new(guard(DuplicatePolicy::Strict))], budget));
    run.check(&failed(), "pass");
    run.check(&failed(), BLOCK);
    run.check(&check_package(), "ask words-first 1");
    run.check(&check_package(), "ask words-first 2");
    run.check(&check_package(), "pass");
}

// spec D4

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
    says_all(
        &text(&run.check(&failed(), SECOND)),
        &["Choose one", "`bash`", "`ask_user`", ERROR, "the user is asked"],
    );
    let Verdict::Ask(question) = run.check(&failed(), ASK).verdict else { panic!() };
    let kinds: Vec<_> = question.options.iter().map(|it| it.kind).collect();
    assert_eq!(
        kinds,
        [ChoiceKind::Instruct, ChoiceKind::SwitchModel, ChoiceKind::Continue, ChoiceKind::Stop]
    );
    says_all(&question.note.text, &["`write_file`", "told twice", ERROR]);
    says_all(&text(&run.check(&failed(), STOP)), &["Stopped", "`write_file`", ERROR, "is not done"]);
}

/// An empty answer is said to be one; a message does not break off where it would stand.
#[test]
fn d4_a_call_that_says_nothing_is_told_so_on_each_rung() {
    let mut run = run();
    let silent = calls("write_file", ARGUMENTS).fails(" \n");
    run.check(&silent, "pass");
    run.check(&silent, BLOCK);
    says_all(&text(&run.check(&silent, SECOND)), &["It answered \"(nothing)\" "]);
    let Verdict::Ask(question) = run.check(&silent, ASK).verdict else { panic!() };
    says_all(&question.note.text, &["The call answered: (nothing). "]);
    says_all(&text(&run.check(&silent, STOP)), &["It answered: (nothing)."]);
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
        (read(), SECOND),
        (failed(), SECOND),
        (failed(), ASK),
        (failed(), STOP),
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
    run.user("Fixed it, go on.");
    run.check(&failed(), "pass");
    run.check(&failed(), ASK);
}

#[test]
fn d1_who_only_says_go_on_changes_nothing() {
    for nudge in ["Proceed.", "ok", "go on", "继续", "weiter", "Sí, sigue.", "OK, please continue"] {
        let mut run = run();
        run.check(&failed(), "pass");
        for expected in [BLOCK, SECOND, ASK] {
            run.user(nudge);
            run.check(&failed(), expected);
        }
    }
}

#[test]
fn d4_the_whole_stack_climbs_the_ladder_between_go_aheads() {
    let mut run = Loop::new(default_stack());
    let mut verdicts = Vec::new();
    for nudge in ["Proceed.", "ok", "go on", "继续", "weiter"] {
        verdicts.push(run.turn(&failed()).verdict.strength());
        run.check(&says("The write was rolled back. Shall I try again?"), "pass");
        run.user(nudge);
    }
    assert_eq!(verdicts, [0, 1, 1, 3, 4]);
}

#[test]
fn d1_a_nudge_that_was_said_before_changes_nothing() {
    let mut run = run();
    run.check(&failed(), "pass");
    run.user("It must work.");
    run.check(&failed(), "pass");
    for expected in [BLOCK, SECOND, ASK] {
        run.user("It must work.");
        run.check(&failed(), expected);
    }
    run.user("I have installed it. Proceed.");
    run.check(&failed(), "pass");
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

// spec D6

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

// spec M2

#[test]
fn m2_the_options_name_no_tool_that_is_not_offered() {
    let mut run = Loop::with_offer(Duplicate::default(), bare_offer());
    let call = calls("no_such_tool", "{}").fails("no such tool");
    run.check(&call, "pass");
    run.check(&call, BLOCK);
    let options = text(&run.check(&call, SECOND));
    says_all(&options, &["ask the user for"]);
    assert!(!options.contains("bash") && !options.contains("ask_user"), "{options}");
    let proposed = options.split("Choose one").nth(1).expect("options");
    assert!(!proposed.contains("no_such_tool"), "{options}");
}

#[test]
fn d4_no_question_is_offered_where_it_reaches_no_one() {
    let start = Start { model: "test".into(), protocol: Protocol::Tool, offer: bare_offer() };
    let mut run = Loop::begun(Duplicate::default(), start);
    let call = calls("no_such_tool", "{}").fails("no such tool");
    run.check(&call, "pass");
    run.check(&call, BLOCK);
    let options = text(&run.check(&call, SECOND));
    assert!(options.contains("2. ") && !options.contains("ask the user"), "{options}");
}

/// Above an error may stand a clock.
#[test]
fn d2_the_second_message_quotes_the_line_that_says_what_failed() {
    let fetch = || calls("bash", r#"{"command":"fetch a"}"#).fails("[15:02:59]\nHTTP/1.1 403 Forbidden");
    let mut run = run();
    run.check(&fetch(), "pass");
    run.check(&fetch(), BLOCK);
    let second = text(&run.check(&fetch(), SECOND));
    assert!(second.contains("It answered \"HTTP/1.1 403 Forbidden\""), "{second}");
}
