//! Near-duplicate writes against spec D5, hits and silence.

use crate::common::{Loop, Turn, calls, says, text};
use balk_guards::{Budget, Duplicate, DuplicatePolicy, DuplicateSettings, Stack};
use serde_json::json;

const BLOCK: &str = "block same-call 1";
const SECOND: &str = "block same-call-after-feedback 2";
const ASK: &str = "ask same-call-after-options 3";
const STOP: &str = "stop same-call-after-question 4";
const ERROR: &str = "diagnostics: package `rich` is missing\nrolled back";

/// A write of this content to a file.
fn write_to(path: &str, content: &str) -> Turn {
    calls("write_file", &json!({ "path": path, "content": content }).to_string())
}

fn write(content: &str) -> Turn {
    write_to("a.py", content)
}

fn failed(content: &str) -> Turn {
    write(content).fails(ERROR)
}

/// A text of `chars` characters, of which `edits`, spread over the text, are different.
fn edited(chars: usize, edits: usize) -> String {
    (0..chars).map(|at| if at % 10 == 5 && at / 10 < edits { '#' } else { 'x' }).collect()
}

/// A hundred characters.
fn draft() -> String {
    edited(100, 0)
}

/// A hundred characters, ninety-five of which are those of the draft.
fn near() -> String {
    edited(100, 5)
}

/// Under the default settings, each turn gets the decision beside it.
#[track_caller]
fn check(turns: &[(Turn, &str)]) -> Loop {
    check_with(DuplicateSettings::default(), turns)
}

#[track_caller]
fn check_with(settings: DuplicateSettings, turns: &[(Turn, &str)]) -> Loop {
    let mut run = Loop::new(Duplicate::new(settings));
    for (turn, expected) in turns {
        run.check(turn, expected);
    }
    run
}

/// After a failed write of the draft and `between`, a near write gets `expected`.
#[track_caller]
fn check_after(between: &[Turn], expected: &str) {
    let mut run = check(&[(failed(&draft()), "pass")]);
    for turn in between {
        run.check(turn, "pass");
    }
    run.check(&write(&near()), expected);
}

// The threshold

#[test]
fn d5_strictly_above_the_threshold_counts_and_exactly_on_it_does_not() {
    for (edits, expected) in [(1, BLOCK), (9, BLOCK), (10, "pass")] {
        check(&[(failed(&draft()), "pass"), (write(&edited(100, edits)), expected)]);
    }
    check(&[(failed(&edited(110, 0)), "pass"), (write(&edited(110, 10)), BLOCK)]);
    check(&[(failed(&edited(110, 0)), "pass"), (write(&edited(110, 11)), "pass")]);
}

#[test]
fn d5_what_is_added_and_taken_away_counts_against_the_longer_text() {
    let text = |chars| edited(chars, 0);
    check(&[(failed(&text(90)), "pass"), (write(&text(100)), "pass")]);
    check(&[(failed(&text(91)), "pass"), (write(&text(100)), BLOCK)]);
    check(&[(failed(&text(100)), "pass"), (write(&text(90)), "pass")]);
    check(&[(failed(&text(100)), "pass"), (write(&text(91)), BLOCK)]);
}

#[test]
fn d5_characters_count_and_not_bytes() {
    let text = |wide: usize| format!("{}{}", "語".repeat(wide), "x".repeat(100 - wide));
    check(&[(failed(&text(9)), "pass"), (write(&text(0)), BLOCK)]);
    check(&[(failed(&text(10)), "pass"), (write(&text(0)), "pass")]);
    check(&[(failed(&text(60)), "pass"), (write(&text(69)), BLOCK)]);
    check(&[(failed(&text(60)), "pass"), (write(&text(70)), "pass")]);
    let emoji = |last: &str| format!("{}{last}", "👩‍💻é".repeat(20));
    check(&[(failed(&emoji("a")), "pass"), (write(&emoji("b")), BLOCK)]);
}

#[test]
fn d5_the_threshold_is_a_setting_and_a_hundred_is_off() {
    let settings = |near_percent| DuplicateSettings { near_percent, ..DuplicateSettings::default() };
    let turns = |edits, expected| [(failed(&draft()), "pass"), (write(&edited(100, edits)), expected)];
    check_with(settings(96), &turns(3, BLOCK));
    check_with(settings(96), &turns(4, "pass"));
    check_with(settings(99), &turns(1, "pass"));
    check_with(settings(0), &[(failed(&draft()), "pass"), (write("y"), "pass")]);
    check_with(settings(0), &turns(10, BLOCK));
    for off in [100, 101, u16::MAX] {
        check_with(settings(off), &turns(1, "pass"));
        check_with(settings(off), &[(failed(&draft()), "pass"), (failed(&draft()), BLOCK)]);
    }
}

// What counts

#[test]
fn d5_every_known_write_counts_and_nothing_else_does() {
    let call =
        |tool: &str, content: &str| calls(tool, &json!({ "path": "a.py", "content": content }).to_string());
    for (tool, expected) in [
        ("write_file", BLOCK),
        ("append", BLOCK),
        ("send_mail", BLOCK),
        ("read", "pass"),
        ("pytest", "pass"),
        ("deploy", "pass"),
        ("no_such_tool", "pass"),
    ] {
        check(&[(call(tool, &draft()).fails(ERROR), "pass"), (call(tool, &near()), expected)]);
    }
}

#[test]
fn d5_another_path_or_tool_is_another_write() {
    check(&[(failed(&draft()), "pass"), (write_to("b.py", &near()), "pass")]);
    let append = calls("append", &json!({ "path": "a.py", "content": near() }).to_string());
    check(&[(failed(&draft()), "pass"), (append, "pass")]);
    let nowhere = |content: &str| calls("write_file", &json!({ "content": content }).to_string());
    check(&[(nowhere(&draft()).fails(ERROR), "pass"), (nowhere(&near()), "pass")]);
}

#[test]
fn d5_several_files_are_kept_apart() {
    let paths = ["a.py", "b.py", "c.py"];
    let turns: Vec<_> = paths.iter().map(|path| (write_to(path, &draft()).fails(ERROR), "pass")).collect();
    let mut run = check(&turns);
    for path in paths {
        run.check(&write_to(path, &near()), BLOCK);
    }
}

#[test]
fn d5_a_rewrite_after_a_write_that_worked_is_none() {
    check(&[(write(&draft()), "pass"), (write(&near()), "pass"), (write(&edited(100, 3)), "pass")]);
    check(&[(failed(&draft()), "pass"), (write("y"), "pass"), (write(&near()), "pass")]);
    check_after(&[write_to("b.py", "y")], "pass");
}

#[test]
fn d5_anything_that_may_have_changed_something_ends_it() {
    check_after(&[calls("append", "{}")], "pass");
    check_after(&[calls("bash", r#"{"command":"pip install rich"}"#)], "pass");
    check_after(&[calls("deploy", "{}").answers_something("hm")], "pass");
    check_after(&[calls("append", "{}").answers_something("hm")], "pass");
    check_after(&[calls("append", "{}").goes_missing()], "pass");
}

#[test]
fn d5_what_changes_nothing_does_not_end_it() {
    check_after(&[], BLOCK);
    check_after(&[says("Hm."), calls("read", "{}"), calls("pytest", "{}").fails("no")], BLOCK);
    check_after(&[calls("append", "{}").fails("no"), write_to("b.py", "y").fails("no")], BLOCK);
}

#[test]
fn d5_a_word_of_the_user_and_a_compaction_end_it() {
    let mut run = check(&[(failed(&draft()), "pass")]);
    run.user("I installed it.");
    run.check(&write(&near()), "pass");
    let mut run = check(&[(failed(&draft()), "pass")]);
    run.compact();
    run.check(&write(&near()), "pass");
    let mut run = check(&[(failed(&draft()), "pass")]);
    run.prompt();
    run.check(&write(&near()), BLOCK);
}

#[test]
fn d5_an_error_that_may_pass_by_itself_is_none() {
    for error in ["connection timed out", "503 service unavailable", "the file is locked"] {
        check(&[(write(&draft()).fails(error), "pass"), (write(&near()), "pass")]);
    }
}

#[test]
fn d5_a_write_that_nobody_answered_is_none() {
    check(&[(write(&draft()).goes_missing(), "pass"), (write(&near()), "pass")]);
    check(&[(write(&draft()).answers_something("hm"), "pass"), (write(&near()), "pass")]);
}

#[test]
fn d5_another_replacement_in_an_edit_is_another_write() {
    let edit = |new: &str| {
        calls("append", &json!({ "path": "a.py", "old": draft(), "new": new, "count": 1 }).to_string())
    };
    check(&[(edit("import rich").fails(ERROR), "pass"), (edit("import os"), "pass")]);
    let draft = |content: &str, mode: u32| {
        calls("write_file", &json!({ "path": "a.py", "content": content, "mode": mode }).to_string())
    };
    check(&[(draft(&near(), 1).fails(ERROR), "pass"), (draft(&edited(100, 6), 1), BLOCK)]);
    check(&[(draft(&near(), 1).fails(ERROR), "pass"), (draft(&edited(100, 6), 2), "pass")]);
}

#[test]
fn d5_arguments_that_are_no_object_are_none() {
    for arguments in ["not json", "[1]", "null", r#"{"path":3,"content":"x"}"#, r#"{"path":"a"}"#] {
        let call = |more: &str| calls("write_file", &format!("{arguments}{more}"));
        check(&[(call("").fails(ERROR), "pass"), (call(" \n!"), "pass")]);
    }
}

// The ladder

#[test]
fn d5_the_ladder_goes_on_whatever_small_change_is_made() {
    let mut run = check(&[(failed(&draft()), "pass")]);
    for (edits, expected) in [(1, BLOCK), (2, SECOND), (3, ASK), (4, STOP)] {
        run.check(&write(&edited(100, edits)), expected);
    }
}

#[test]
fn d5_the_same_and_the_nearly_same_are_one_family() {
    check(&[
        (failed(&draft()), "pass"),
        (write(&draft()), BLOCK),
        (write(&near()), SECOND),
        (write(&draft()), ASK),
    ]);
}

#[test]
fn d5_a_chain_of_small_changes_is_one_family() {
    // Both were sent at once, so both ran: the chain continues from the second.
    let both = failed(&draft())
        .and_calls("write_file", &json!({ "path": "a.py", "content": edited(100, 8) }).to_string());
    let mut run = check(&[(both.fails(ERROR), "pass"), (write(&edited(100, 3)), BLOCK)]);
    // Too different from the first, and near to the last.
    let mut far = edited(100, 8);
    far.replace_range(90..97, "#######");
    run.check(&write(&far), SECOND);
}

#[test]
fn d5_a_write_that_ran_again_after_a_block_lapsed_goes_on_with_the_ladder() {
    let mut run = check(&[(failed(&draft()), "pass"), (write(&near()), BLOCK)]);
    for n in 0..6 {
        run.check(&calls("read", &json!({ "path": n }).to_string()), "pass");
    }
    run.check(&failed(&edited(100, 1)), "pass");
    run.check(&write(&edited(100, 1)), SECOND);
    run.check(&write(&edited(100, 3)), ASK);
}

#[test]
fn d5_a_failure_after_a_success_begins_a_new_family() {
    let other = write_to("b.py", "y");
    let mut run = check(&[(failed(&draft()), "pass"), (other, "pass"), (failed(&near()), "pass")]);
    run.check(&write(&edited(100, 6)), BLOCK);
}

#[test]
fn d5_a_large_change_begins_a_new_family() {
    let other = "print('hello')\n".repeat(5);
    let mut run = check(&[(failed(&draft()), "pass"), (write(&near()), BLOCK), (failed(&other), "pass")]);
    run.check(&write(&format!("{other}\n")), BLOCK);
    // The first draft was replaced, so a text near to it is new.
    run.check(&write(&near()), "pass");
}

#[test]
fn d5_the_feedback_says_that_it_was_nearly_the_same() {
    let mut run = check(&[(failed(&draft()), "pass")]);
    let feedback = text(&run.check(&write(&near()), BLOCK));
    for part in ["nearly these arguments in turn 1", "package `rich` is missing", "duplicate 1"] {
        assert!(feedback.contains(part), "{part:?} is missing in: {feedback}");
    }
    assert_eq!(run.runs, 1);
}

#[test]
fn d5_every_policy_and_a_stack_see_it() {
    for policy in [DuplicatePolicy::Actionable, DuplicatePolicy::Notice, DuplicatePolicy::Strict] {
        let settings = DuplicateSettings { policy, ..DuplicateSettings::default() };
        check_with(settings, &[(failed(&draft()), "pass"), (write(&near()), BLOCK)]);
        let members = || Stack::with_budget(vec![Box::new(Duplicate::new(settings))], Budget::default());
        let mut run = Loop::new(members());
        run.check(&failed(&draft()), "pass");
        run.check(&write(&near()), BLOCK);
    }
}

// Sizes and saving

#[test]
fn d5_beyond_64_kib_few_edits_are_found_and_many_are_left_alone() {
    let lines = |from: usize, to: usize| {
        (from..to).map(|n| format!("line {n} says {}\n", n * 7919)).collect::<String>()
    };
    let long = lines(0, 5_000);
    assert!(long.len() > 64 << 10);
    let one_edit = long.replacen("line 2500 ", "line 2501 ", 1);
    check(&[(failed(&long), "pass"), (write(&one_edit), BLOCK)]);
    check(&[(failed(&long), "pass"), (write(&lines(5_000, 10_000)), "pass")]);
    check(&[(failed(&long), "pass"), (write(&lines(0, 2_500)), "pass")]);
    let wide = "語é\n".repeat(30_000);
    check(&[(failed(&wide), "pass"), (write(&format!("x{wide}")), BLOCK)]);
    check(&[(failed(&wide), "pass"), (write(&long), "pass")]);
    // Scattered edits, below the threshold but not provable by bounds: silence is better than a false intervention.
    let scattered = long.replace("7 says", "8 says");
    check(&[(failed(&long), "pass"), (write(&scattered), "pass")]);
}

#[test]
fn d5_a_run_is_taken_up_where_it_was_saved() {
    let mut run = check(&[(failed(&draft()), "pass"), (write(&near()), BLOCK)]);
    let saved = run.guard.save().to_string();
    run.guard = Box::new(Duplicate::default());
    run.guard.load(serde_json::from_str(&saved).expect("JSON")).expect("its own state");
    run.check(&write(&edited(100, 6)), SECOND);
    run.check(&write(&"y".repeat(100)), "pass");
}
