//! The abandonment guard against rows A1 to A8, hits and silence alike.

#[expect(dead_code, reason = "each test file needs a part of it")]
mod common;

use balk_guards::{
    Abandonment, AbandonmentPolicy, AbandonmentSettings, ChoiceKind, Entry, Intervention, InterventionKind,
    Note, Offer, Subject, Tool, ToolResult, Verdict,
};
use common::{Loop, Turn, bare_offer, calls, offer, outline, says, text};

const PYTHON: &str = "Here is the program:\n\n```python\nprint('hello')\n```\n";
const FIRST: &str = "retry fence-after-failures 1, notice files-not-created 1";
const AGAIN: &str = "retry fence-after-failures 1";
const FOLLOW_UP: &str = "retry unacknowledged 2";
const ERROR: &str = "diagnostics: package `rich` is missing\nrolled back";

fn guard(policy: AbandonmentPolicy) -> Abandonment {
    Abandonment::new(AbandonmentSettings { policy, ..AbandonmentSettings::default() })
}

fn soft() -> Loop {
    Loop::new(Abandonment::default())
}

fn write() -> Turn {
    calls("write_file", r#"{"path":"hello.py","content":"print('hello')"}"#)
}

fn failed() -> Turn {
    write().fails(ERROR)
}

/// A run in which the write failed three times.
fn in_debt(policy: AbandonmentPolicy) -> Loop {
    let mut run = Loop::new(guard(policy));
    run.pass(&failed(), 3);
    run
}

fn owing() -> Loop {
    in_debt(AbandonmentPolicy::Soft)
}

/// After three failed writes and `between`, the guard says `expected` to a fence.
#[track_caller]
fn check(between: &[Turn], expected: &str) {
    let mut run = owing();
    for turn in between {
        run.check(turn, "pass");
    }
    run.check(&says(PYTHON), expected);
}

#[track_caller]
fn check_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in: {text}");
    }
}

// A1

#[test]
fn a1_failures_of_one_tool_are_counted_not_those_of_all() {
    let mut run = soft();
    run.pass(&failed(), 2);
    run.pass(&calls("append", "{}").fails("no"), 2);
    run.check(&says(PYTHON), "pass");
}

#[test]
fn a1_a_debt_of_one_tool_stays_when_another_fails() {
    check(&[calls("append", "{}").fails("no")], FIRST);
}

#[test]
fn a1_the_tool_that_failed_last_is_the_one_named() {
    let mut run = soft();
    run.pass(&failed(), 3);
    run.pass(&calls("append", r#"{"path":"log"}"#).fails("read-only disk"), 4);
    let decision = run.check(&says(PYTHON), FIRST);
    check_has(&text(&decision), &["`append` failed 4 times in a row", "read-only disk"]);
}

#[test]
fn a1_a_success_of_the_tool_clears_its_run() {
    let mut run = owing();
    run.check(&write(), "pass");
    run.pass(&failed(), 2);
    run.check(&says(PYTHON), "pass");
    run.check(&failed(), "pass");
    let decision = run.check(&says(PYTHON), FIRST);
    check_has(&text(&decision), &["failed 3 times in a row"]);
}

#[test]
fn a1_refusals_are_told_beside_and_not_added() {
    let mut run = soft();
    run.pass(&failed(), 2);
    refuse(&mut run);
    run.check(&says(PYTHON), "pass");
    run.pass(&failed(), 3);
    let decision = run.check(&says(PYTHON), FIRST);
    check_has(&text(&decision), &["failed 5 times in a row (1 more refused)"]);
}

/// Another guard blocks the write.
fn refuse(run: &mut Loop) {
    let Some(Entry::Result(result)) = run.entries.iter().rev().find(|it| matches!(it, Entry::Result(_)))
    else {
        panic!("no result yet");
    };
    let refused = ToolResult { origin: balk_guards::Origin::Synthetic, tries: 0, ..result.clone() };
    let note = Note {
        guard: "duplicate".into(),
        rule: "same-call".into(),
        level: 1,
        subject: Subject::Call(result.call.key),
        text: "again".into(),
    };
    run.commit(Entry::Result(refused));
    run.commit(Entry::Intervention(Intervention { kind: InterventionKind::Block, note, seen: true }));
}

#[test]
fn a1_a_refusal_before_any_failure_leaves_no_trace() {
    let mut run = soft();
    run.check(&write(), "pass");
    refuse(&mut run);
    run.pass(&failed(), 3);
    let decision = run.check(&says(PYTHON), FIRST);
    check_has(&text(&decision), &["`write_file` failed 3 times in a row; "]);
}

#[test]
fn a1_earlier_tries_of_a_call_are_one_failure() {
    let mut run = in_debt(AbandonmentPolicy::AutoRetry);
    assert_eq!(run.runs, 12, "each of three calls once, and three times again");
    let decision = run.check(&says(PYTHON), "notice files-not-created 1");
    check_has(&text(&decision), &["failed 3 times in a row"]);
}

// A2

#[test]
fn a2_every_way_to_write_a_fence_counts() {
    for fence in [
        "```python\nx\n```",
        "~~~py\nx\n~~~",
        "`````python3\n```\n`````",
        "   ```js\n   x\n   ```",
        "- step\n\n  ```ts\n  x\n  ```",
        "> ```tsx\n> x\n> ```",
        "```jsx {1,3}\nx\n```",
        "```{.python .numberLines}\nx\n```",
        "``` Python title=\"hello.py\"\nx\n```",
        "text\n```typescript\nnever closed",
        "```javascript:src/a.js\nx\n```",
    ] {
        owing().check(&says(fence), FIRST);
    }
}

#[test]
fn a2_other_fences_and_text_that_is_none_do_not_count() {
    for text in [
        "```text\nx\n```",
        "```json\n{}\n```",
        "```bash\nls\n```",
        "```\nx\n```",
        "```diff\n-x\n```",
        "    ```python\n    x\n    ```",
        "use ```python``` fences",
        "``python\nx\n``",
        "print('hello')",
    ] {
        owing().check(&says(text), "pass");
    }
}

#[test]
fn a2_the_counted_languages_are_a_setting() {
    let settings = AbandonmentSettings {
        languages: vec!["rust".into(), "bash".into()],
        ..AbandonmentSettings::default()
    };
    for (fence, expected) in
        [("```rust\n```", FIRST), ("```BASH\n```", FIRST), ("```python\n```", "pass"), ("```rs\n```", "pass")]
    {
        let mut run = Loop::new(Abandonment::new(settings.clone()));
        run.pass(&failed(), 3);
        run.check(&says(fence), expected);
    }
}

#[test]
fn a2_the_needed_fences_are_counted_over_all_texts_of_a_message() {
    let settings = AbandonmentSettings { fences: 2, ..AbandonmentSettings::default() };
    for (turn, expected) in [
        (says(PYTHON), "pass"),
        (says(PYTHON).and_says(PYTHON), FIRST),
        (says("```py\n```\n```text\n```"), "pass"),
        (says("```py\n```\n```js\n```"), FIRST),
    ] {
        let mut run = Loop::new(Abandonment::new(settings.clone()));
        run.pass(&failed(), 3);
        run.check(&turn, expected);
    }
}

#[test]
fn a2_a_fence_beside_a_call_or_in_thinking_is_none() {
    let mut run = owing();
    run.check(&calls("read", "{}").and_says(PYTHON), "pass");
    run.check(&failed().and_says(PYTHON), "pass");
    run.check(&Turn::default().and_thinks(PYTHON), "pass");
    run.check(&says("Let me see.").and_thinks(PYTHON), "pass");
}

// A3

#[test]
fn a3_three_failures_and_a_fence() {
    check(&[], FIRST);
    check(&[failed(), failed()], FIRST);
}

#[test]
fn a3_two_failures_are_not_enough_and_the_number_is_a_setting() {
    let mut run = soft();
    run.pass(&failed(), 2);
    run.check(&says(PYTHON), "pass");
    let mut run =
        Loop::new(Abandonment::new(AbandonmentSettings { failures: 2, ..AbandonmentSettings::default() }));
    run.pass(&failed(), 2);
    run.check(&says(PYTHON), FIRST);
}

#[test]
fn a3_the_fence_may_come_before_the_third_failure_without_harm() {
    let mut run = soft();
    run.pass(&failed(), 2);
    run.pass(&says(PYTHON), 2);
    run.check(&failed(), "pass");
    run.check(&says(PYTHON), FIRST);
}

#[test]
fn a3_a_change_in_between_makes_it_silent() {
    for tool in ["append", "send_mail", "deploy", "bash", "no_such_tool"] {
        check(&[calls(tool, "{}")], "pass");
        check(&[calls(tool, "{}").answers_something("done?")], "pass");
        check(&[calls(tool, "{}").goes_missing()], "pass");
    }
}

#[test]
fn a3_what_changed_nothing_does_not() {
    check(&[calls("read", "{}")], FIRST);
    check(&[calls("pytest", "{}").answers_something("?")], FIRST);
    check(&[calls("bash", "{}").fails("no such command")], FIRST);
    check(&[calls("send_mail", "{}").fails("offline")], FIRST);
}

#[test]
fn a3_only_a_tool_that_is_known_to_change_things_qualifies() {
    for (tool, expected) in [
        ("write_file", FIRST),
        ("append", FIRST),
        ("send_mail", FIRST),
        ("read", "pass"),
        ("pytest", "pass"),
        ("deploy", "pass"),
        ("bash", "pass"),
        ("no_such_tool", "pass"),
    ] {
        let mut run = soft();
        run.pass(&calls(tool, "{}").fails(ERROR), 5);
        run.check(&says(PYTHON), expected);
    }
}

#[test]
fn a3_an_unknown_status_is_no_failure() {
    let mut run = soft();
    run.pass(&write().answers_something(ERROR), 4);
    run.check(&says(PYTHON), "pass");
}

#[test]
fn a3_the_failures_need_not_be_neighbours_nor_equal() {
    let mut run = soft();
    for path in ["a.py", "b.py", "c.py"] {
        run.check(&calls("write_file", &format!(r#"{{"path":"{path}"}}"#)).fails(ERROR), "pass");
        run.check(&calls("read", &format!(r#"{{"path":"{path}"}}"#)), "pass");
        run.user("And?");
    }
    run.check(&says(PYTHON), FIRST);
}

// A4

#[test]
fn a4_the_correction_carries_what_is_needed() {
    let decision = owing().check(&says(PYTHON), FIRST);
    let Verdict::Retry(note) = &decision.verdict else { panic!("{decision:?}") };
    assert_eq!(note.subject, Subject::Tool("write_file".into()));
    check_has(
        &note.text,
        &[
            "`write_file` failed 3 times in a row",
            "diagnostics: package `rich` is missing",
            "does not do the task",
            "find out why `write_file` fails",
            "`bash`",
            "`ask_user`",
            "cannot be completed, and why",
            "Do not go on with code",
        ],
    );
    assert!(!note.text.contains("rolled back"), "the first line of the error is enough: {}", note.text);
}

#[test]
fn a4_tools_that_are_not_offered_are_not_named() {
    let mut run = Loop::with_offer(Abandonment::default(), bare_offer());
    run.pass(&failed(), 3);
    let text = text(&run.check(&says(PYTHON), FIRST));
    check_has(&text, &["look at what the failing call depends on", "ask the user to remove"]);
    assert!(!text.contains("bash") && !text.contains("ask_user"), "{text}");
}

#[test]
fn a4_tools_are_named_as_the_offer_names_them() {
    let offer = Offer::new([
        Tool::new("fs.write").effect(balk_guards::Effect::Write),
        Tool::new("run shell").purpose(balk_guards::Purpose::Shell),
    ]);
    let mut run = Loop::with_offer(Abandonment::default(), offer.into());
    run.pass(&calls("fs.write", "{}").fails(ERROR), 3);
    check_has(&text(&run.check(&says(PYTHON), FIRST)), &["`fs_write`", "`run_shell`"]);
}

#[test]
fn a4_a_long_error_is_cut_between_characters() {
    let mut run = soft();
    run.pass(&write().fails(&"诊断".repeat(5_000)), 3);
    let text = text(&run.check(&says(PYTHON), FIRST));
    assert!(text.chars().count() < 1_500, "{} characters", text.chars().count());
}

// A5

#[test]
fn a5_the_follow_up_comes_once() {
    let mut run = owing();
    run.check(&says(PYTHON), FIRST);
    run.check(&says(PYTHON), FOLLOW_UP);
    run.pass(&says(PYTHON), 2);
    run.user("Proceed");
    run.pass(&says("Done."), 2);
    run.pass(&says(PYTHON), 2);
}

#[test]
fn a5_a_plain_text_after_the_correction_gets_the_follow_up_too() {
    let mut run = owing();
    run.check(&says(PYTHON), FIRST);
    run.check(&says("Here you are, as asked."), FOLLOW_UP);
    run.check(&says("Here you are, as asked."), "pass");
}

#[test]
fn a5_one_of_the_three_forms_is_the_acknowledgement_and_stands() {
    for form in [
        "I cannot complete this because the package is missing.",
        "The write failed, so I will inspect the folder first.",
        "I show the code here because writing fails.",
        "无法完成，因为缺少这个包。",
        "No puedo terminar porque falta el paquete.",
        "Ich kann nicht weiter, weil das Paket fehlt.",
        "パッケージが不足しているため、完了できません。",
    ] {
        let mut run = owing();
        run.check(&says(PYTHON), FIRST);
        run.check(&says(form), "pass");
        run.user("I see. Thank you.");
        run.pass(&says("You are welcome."), 2);
        run.check(&says(PYTHON), "pass");
    }
}

#[test]
fn a5_a_form_may_come_with_the_code() {
    let mut run = owing();
    run.check(&says(PYTHON), FIRST);
    run.check(&says(&format!("Writing is not possible because the disk is full.\n{PYTHON}")), "pass");
    run.check(&says(PYTHON), "pass");
}

#[test]
fn a5_a_text_without_a_fence_is_taken_for_the_acknowledgement() {
    check(&[says("The tool keeps failing. What would you like me to do?")], "pass");
    check(&[says("写入失败了。")], "pass");
}

#[test]
fn a5_an_acknowledgement_ends_with_the_next_failure() {
    check(&[says("It keeps failing."), failed()], FIRST);
    check(&[says("It keeps failing."), calls("read", "{}").fails("no")], "pass");
}

#[test]
fn a5_thinking_alone_says_nothing() {
    check(&[Turn::default().and_thinks("hm")], FIRST);
    let mut run = owing();
    run.check(&says(PYTHON), FIRST);
    run.check(&Turn::default().and_thinks("hm"), "pass");
    run.check(&says("Well."), FOLLOW_UP);
}

#[test]
fn a5_a_deed_is_never_disturbed_and_settles_it() {
    for deed in [
        calls("bash", r#"{"command":"pip install rich"}"#),
        calls("read", "{}"),
        calls("read", "{}").fails("no such file"),
        calls("write_file", r#"{"path":"other.py"}"#).fails(ERROR),
        calls("ask_user", "{}"),
    ] {
        let mut run = owing();
        run.check(&says(PYTHON), FIRST);
        run.check(&deed, "pass");
        run.check(&says("One moment."), "pass");
    }
}

#[test]
fn a5_the_same_failing_call_is_no_deed() {
    let mut run = owing();
    run.check(&says(PYTHON), FIRST);
    run.check(&failed(), "pass");
    run.check(&says(PYTHON), FOLLOW_UP);
}

#[test]
fn a5_a_relapse_after_a_deed_is_corrected_anew_with_other_words() {
    let mut run = owing();
    let first = text(&run.check(&says(PYTHON), FIRST));
    run.check(&calls("read", "{}"), "pass");
    let second = text(&run.check(&says(PYTHON), AGAIN));
    assert_ne!(first, second);
    check_has(&second, &["correction 2"]);
    run.check(&calls("read", "{}"), "pass");
    assert_ne!(second, text(&run.check(&says(PYTHON), AGAIN)));
}

#[test]
fn a5_strict_wants_words_before_anything_else() {
    let mut run = in_debt(AbandonmentPolicy::Strict);
    run.check(&calls("read", "{}"), "retry words-first 1");
    run.check(&says("Let me try again."), "retry words-first 2");
    run.check(&says("I will inspect the folder, because the write fails."), "pass");
    run.check(&calls("read", "{}"), "pass");
    run.check(&says(PYTHON), "pass");
    run.check(&failed(), "pass");
    run.check(&says(PYTHON), "retry words-first 1, notice files-not-created 1");
}

#[test]
fn a5_strict_takes_words_that_come_with_the_call() {
    let mut run = in_debt(AbandonmentPolicy::Strict);
    run.check(&calls("read", "{}").and_says("I check the path because the write failed."), "pass");
}

#[test]
fn a5_strict_runs_nothing_without_the_words() {
    let mut run = in_debt(AbandonmentPolicy::Strict);
    let before = run.runs;
    run.check(&calls("read", "{}"), "retry words-first 1");
    assert_eq!(run.runs, before);
}

// A6

#[test]
fn a6_the_notice_names_the_files() {
    let mut run = soft();
    for path in ["a.py", "b/c.js", "a.py"] {
        run.check(&calls("write_file", &format!(r#"{{"file_path":"{path}"}}"#)).fails(ERROR), "pass");
    }
    let decision = run.check(&says(PYTHON), FIRST);
    check_has(&decision.notices[0].text, &["Not created: a.py and b/c.js", "`write_file`", "`rich`"]);
}

#[test]
fn a6_without_names_the_notice_says_that_nothing_was_written() {
    let mut run = soft();
    run.pass(&calls("write_file", r#"{"content":"x"}"#).fails(ERROR), 3);
    let decision = run.check(&says(PYTHON), FIRST);
    check_has(&decision.notices[0].text, &["Nothing was written"]);
}

#[test]
fn a6_many_and_long_names_are_bounded() {
    let mut run = soft();
    for n in 0..40 {
        let path = format!("{n}/{}", "é".repeat(100_000));
        run.check(&calls("write_file", &format!(r#"{{"path":"{path}"}}"#)).fails(ERROR), "pass");
    }
    let notice = &run.check(&says(PYTHON), FIRST).notices[0];
    assert!(notice.text.chars().count() < 3_000, "{} characters", notice.text.chars().count());
}

#[test]
fn a6_the_user_is_told_once_until_something_changes() {
    let mut run = owing();
    run.check(&says(PYTHON), FIRST);
    run.check(&calls("read", "{}"), "pass");
    run.check(&says(PYTHON), AGAIN);
    run.check(&calls("read", "{}"), "pass");
    run.check(&failed(), "pass");
    run.check(&says(PYTHON), AGAIN);
    run.check(&calls("bash", "{}"), "pass");
    run.check(&failed(), "pass");
    run.check(&says(PYTHON), FIRST);
    run.pass(&calls("append", r#"{"path":"log"}"#).fails("no"), 3);
    run.check(&says(PYTHON), FIRST);
}

// A7

#[test]
fn a7_hard_block_refuses_every_fence_then_asks_and_takes_the_answer() {
    let mut run = in_debt(AbandonmentPolicy::HardBlock);
    run.check(&says(PYTHON), FIRST);
    run.check(&says("Well."), "pass");
    run.check(&says(PYTHON), FOLLOW_UP);
    run.check(&says("I cannot do it because it fails."), "pass");
    run.check(&says(PYTHON), "retry unacknowledged 3");
    let Verdict::Ask(question) = run.check(&says(PYTHON), "ask ask-the-user 4").verdict else { panic!() };
    let kinds: Vec<_> = question.options.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [ChoiceKind::Instruct, ChoiceKind::Continue, ChoiceKind::Stop]);
    check_has(&question.note.text, &["3 times", "`write_file`", "`rich`"]);
    // The user let it go on.
    run.pass(&says(PYTHON), 5);
    run.check(&failed(), "pass");
    run.check(&says(PYTHON), "ask ask-the-user 4");
}

#[test]
fn a7_the_limit_of_hard_block_is_a_setting() {
    for limit in [0, 1, 2] {
        let mut run = Loop::new(Abandonment::new(AbandonmentSettings {
            policy: AbandonmentPolicy::HardBlock,
            limit,
            ..AbandonmentSettings::default()
        }));
        run.pass(&failed(), 3);
        let retries =
            (0..9).take_while(|_| matches!(run.turn(&says(PYTHON)).verdict, Verdict::Retry(_))).count();
        assert_eq!(retries, limit as usize);
    }
}

#[test]
fn a7_hard_block_never_disturbs_a_call() {
    let mut run = in_debt(AbandonmentPolicy::HardBlock);
    run.check(&says(PYTHON), FIRST);
    run.check(&calls("read", "{}").and_says(PYTHON), "pass");
    run.check(&says(PYTHON), AGAIN);
}

#[test]
fn a7_auto_retry_runs_a_failed_write_again_within_its_bound() {
    for (tool, runs) in
        [("write_file", 4), ("append", 4), ("send_mail", 1), ("deploy", 1), ("read", 1), ("bash", 1)]
    {
        let mut run = Loop::new(guard(AbandonmentPolicy::AutoRetry));
        run.check(&calls(tool, "{}").fails(ERROR), "pass");
        assert_eq!(run.runs, runs, "{tool}");
    }
    let mut run = Loop::new(guard(AbandonmentPolicy::AutoRetry));
    run.check(&write(), "pass");
    assert_eq!(run.runs, 1);
}

#[test]
fn a7_auto_retry_runs_the_one_call_that_failed() {
    let mut run = Loop::new(guard(AbandonmentPolicy::AutoRetry));
    run.check(&write().and_calls("append", "{}").fails(ERROR).and_calls("read", "{}"), "pass");
    assert_eq!(run.runs, 6);
    let tried: Vec<_> = run.entries.iter().filter(|it| matches!(it, Entry::Tried(_))).collect();
    assert!(tried.iter().all(|it| matches!(it, Entry::Tried(it) if &*it.call.tool == "append")), "{tried:?}");
}

#[test]
fn a7_auto_retry_tells_the_user_and_not_the_model() {
    let mut run = in_debt(AbandonmentPolicy::AutoRetry);
    run.check(&says(PYTHON), "notice files-not-created 1");
    run.pass(&says(PYTHON), 2);
}

#[test]
fn a7_the_other_policies_run_nothing_twice() {
    for policy in [AbandonmentPolicy::Soft, AbandonmentPolicy::HardBlock, AbandonmentPolicy::Strict] {
        let mut run = Loop::new(guard(policy));
        run.check(&failed(), "pass");
        assert_eq!(run.runs, 1);
    }
}

#[test]
fn a7_strict_asks_the_user_after_its_limit_and_takes_the_answer() {
    let mut run = in_debt(AbandonmentPolicy::Strict);
    for level in 1..=3 {
        run.check(&says("Hm."), &format!("retry words-first {level}"));
    }
    run.check(&says("Hm."), "ask ask-the-user 4");
    run.pass(&says("Hm."), 2);
    run.check(&calls("read", "{}"), "pass");
}

// A8

#[test]
fn a8_a_user_who_wants_to_see_code_is_not_interrupted() {
    for policy in [
        AbandonmentPolicy::Soft,
        AbandonmentPolicy::HardBlock,
        AbandonmentPolicy::AutoRetry,
        AbandonmentPolicy::Strict,
    ] {
        let mut run = Loop::new(guard(policy));
        run.user("Just show me a loop in Python, no file please.");
        run.pass(&says(PYTHON), 4);
        run.check(&failed(), "pass");
        run.pass(&says(PYTHON), 4);
    }
}

#[test]
fn a8_code_shown_after_the_tool_worked_again_is_an_explanation() {
    check(&[write()], "pass");
    check(&[says("It fails."), write()], "pass");
    let mut run = owing();
    run.check(&says(PYTHON), FIRST);
    run.check(&write(), "pass");
    run.pass(&says(PYTHON), 3);
}

#[test]
fn a8_code_shown_at_the_wish_of_a_user_who_was_told() {
    let mut run = owing();
    run.check(&says("The file cannot be written. Shall I show it here?"), "pass");
    run.user("Yes, show it.");
    run.check(&says(PYTHON), "pass");
}

#[test]
fn the_guard_of_another_name_moves_nothing() {
    let mut run = owing();
    let note = Note {
        guard: "other".into(),
        rule: "x".into(),
        level: 1,
        subject: Subject::Run,
        text: "Do it.".into(),
    };
    for kind in [InterventionKind::Feedback, InterventionKind::Notice, InterventionKind::Question(vec![])] {
        run.commit(Entry::Intervention(Intervention { kind, note: note.clone(), seen: true }));
    }
    assert_eq!(outline(&run.turn(&says(PYTHON))), FIRST);
    assert_eq!(offer().tools().len(), 8);
}
