//! The abandonment guard against spec A1 to A4, hits and silence.

use std::sync::Arc;

use crate::common::debts::{ERROR, FIRST, PYTHON, check, failed, in_debt, owing, soft, write};
use crate::common::handoffs::says_all;
use crate::common::{Loop, Turn, bare_offer, calls, offer, outline, says, text};
use balk_guards::{
    Abandonment, AbandonmentPolicy, AbandonmentSettings, Entry, Intervention, InterventionKind, Note, Offer,
    Subject, Tool, ToolResult, Verdict,
};

// spec A1

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
    says_all(&text(&decision), &["`append` failed 4 times in a row", "read-only disk"]);
}

#[test]
fn a1_a_success_of_the_tool_clears_its_run() {
    let mut run = owing();
    run.check(&write(), "pass");
    run.pass(&failed(), 2);
    run.check(&says(PYTHON), "pass");
    run.check(&failed(), "pass");
    let decision = run.check(&says(PYTHON), FIRST);
    says_all(&text(&decision), &["failed 3 times in a row"]);
}

#[test]
fn a1_refusals_are_told_beside_and_not_added() {
    let mut run = soft();
    run.pass(&failed(), 2);
    refuse(&mut run);
    run.pass(&failed(), 3);
    let decision = run.check(&says(PYTHON), FIRST);
    says_all(&text(&decision), &["failed 5 times in a row (1 more refused)"]);
}

#[test]
fn a3_what_another_guard_refused_was_a_try() {
    for (failures, refusals, expected) in
        [(2, 1, FIRST), (1, 2, FIRST), (1, 5, FIRST), (2, 0, "pass"), (1, 1, "pass")]
    {
        let mut run = soft();
        run.pass(&failed(), failures);
        (0..refusals).for_each(|_| refuse(&mut run));
        run.check(&says(PYTHON), expected);
    }
    let mut run = soft();
    run.pass(&failed(), 1);
    (0..2).for_each(|_| refuse(&mut run));
    says_all(&text(&run.check(&says(PYTHON), FIRST)), &["failed once in a row (2 more refused)"]);
}

#[test]
fn a3_a_success_ends_what_was_refused_as_well() {
    let mut run = soft();
    run.pass(&failed(), 1);
    (0..2).for_each(|_| refuse(&mut run));
    run.check(&write(), "pass");
    run.pass(&failed(), 2);
    run.check(&says(PYTHON), "pass");
}

/// What did not run is no message without a call either.
#[test]
fn a5_words_beside_a_call_that_was_refused_settle_nothing() {
    let mut run = owing();
    run.check(&says(PYTHON), FIRST);
    let words = failed().and_says("I cannot complete this because the disk is full.");
    run.commit(Entry::Completion(Arc::new(words.completion(&offer(), &mut 99))));
    refuse(&mut run);
    run.check(&says("Well."), "retry unacknowledged 2");
}

/// The write is blocked by another guard.
fn refuse(run: &mut Loop) {
    let Some(Entry::Result(result)) = run.entries.iter().rev().find(|it| matches!(it, Entry::Result(_)))
    else {
        panic!("no result yet");
    };
    let call = |it: &Entry| if let Entry::Completion(it) = it { it.calls.first().cloned() } else { None };
    let call = run.entries.iter().rev().find_map(call).expect("no call yet");
    let refused = ToolResult { call, origin: balk_guards::Origin::Synthetic, tries: 0, ..result.clone() };
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
    says_all(&text(&decision), &["`write_file` failed 3 times in a row; "]);
}

#[test]
fn a1_earlier_tries_of_a_call_are_one_failure() {
    let mut run = in_debt(AbandonmentPolicy::AutoRetry);
    assert_eq!(run.runs, 12, "each of three calls once, and three times again");
    let decision = run.check(&says(PYTHON), "notice files-not-created 1");
    says_all(&text(&decision), &["failed 3 times in a row"]);
}

// spec A2

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
        "text\n```typescript\nopen",
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

// spec A3

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
    for tool in ["append", "send_mail"] {
        check(&[calls(tool, "{}")], "pass");
        check(&[calls(tool, "{}").answers_something("done?")], "pass");
        check(&[calls(tool, "{}").goes_missing()], "pass");
    }
}

#[test]
fn a3_a_call_of_unknown_effect_counts_as_a_change_if_it_names_the_file() {
    for tool in ["deploy", "bash", "no_such_tool"] {
        let names_it = calls(tool, r#"{"command":"cat > hello.py"}"#);
        check(std::slice::from_ref(&names_it), "pass");
        check(&[names_it.clone().answers_something("done?")], "pass");
        check(&[names_it.goes_missing()], "pass");
        check(&[calls(tool, r#"{"command":"pip install pygame"}"#)], FIRST);
    }
}

#[test]
fn a3_where_no_file_is_known_any_unknown_effect_counts_as_a_change() {
    let mut run = soft();
    run.pass(&calls("append", r#"{"text":"x"}"#).fails(ERROR), 3);
    run.check(&calls("bash", r#"{"command":"pip install pygame"}"#), "pass");
    run.check(&says(PYTHON), "pass");
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
fn a3_without_a_declared_effect_a_tool_that_seems_to_write_qualifies_and_is_marked() {
    let file = r#"{"path":"hello.py","content":"print('hello')"}"#;
    for (tool, arguments, expected) in [
        ("filesystem.write_file", file, FIRST),
        ("editor", file, FIRST),
        ("str_replace_editor", r#"{"command":"create","path":"hello.py","file_text":"x"}"#, FIRST),
        ("str_replace_editor", r#"{"command":"view","path":"hello.py"}"#, "pass"),
        ("read_text", file, "pass"),
        ("run_tests", file, "pass"),
        ("bash", r#"{"command":"cat > hello.py <<EOF\nprint()\nEOF"}"#, "pass"),
    ] {
        let mut run = Loop::with_offer(Abandonment::default(), Offer::default().into());
        run.pass(&calls(tool, arguments).fails(ERROR), 3);
        let decision = run.check(&says(PYTHON), expected);
        if expected == FIRST {
            says_all(&text(&decision), &["seems to write", "not declared"]);
            says_all(&decision.notices[0].text, &["Not created: hello.py", "seems to write"]);
        }
    }
    let declared = owing().check(&says(PYTHON), FIRST);
    assert!(!text(&declared).contains("seems"), "{declared:?}");
    assert!(!declared.notices[0].text.contains("seems"), "{declared:?}");
}

#[test]
fn a3_a_view_by_a_tool_that_seems_to_write_is_no_success_of_writing() {
    let create = calls("editor", r#"{"command":"create","path":"a.py","file_text":"x"}"#);
    let view = calls("editor", r#"{"command":"view","path":"a.py"}"#);
    let undeclared = || Loop::with_offer(Abandonment::default(), Offer::default().into());
    let mut run = undeclared();
    run.pass(&create.clone().fails(ERROR), 3);
    run.check(&view, "pass");
    run.check(&says(PYTHON), FIRST);
    let mut run = undeclared();
    run.pass(&create.clone().fails(ERROR), 3);
    run.check(&create, "pass");
    run.check(&says(PYTHON), "pass");
}

#[test]
fn a3_an_unknown_status_alone_is_no_failure() {
    let mut run = soft();
    run.pass(&write().answers_something("hello.py, 1 line"), 4);
    run.check(&says(PYTHON), "pass");
}

#[test]
fn a3_without_a_status_the_text_says_whether_it_failed() {
    let mut run = soft();
    run.pass(&write().answers_something("error: rolled back: cannot find package `rich`"), 3);
    let decision = run.check(&says(PYTHON), FIRST);
    says_all(&text(&decision), &["failed 3 times in a row", "cannot find package"]);
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

// spec A4

#[test]
fn a4_the_correction_carries_what_is_needed() {
    let decision = owing().check(&says(PYTHON), FIRST);
    let Verdict::Retry(note) = &decision.verdict else { panic!("{decision:?}") };
    assert_eq!(note.subject, Subject::Tool("write_file".into()));
    says_all(
        &note.text,
        &[
            "`write_file` failed 3 times in a row",
            "diagnostics: package `rich` is missing",
            "does not create a file",
            "find out why `write_file` fails",
            "`bash`",
            "`ask_user`",
            "cannot be completed, and why",
            "Do not continue as if",
        ],
    );
    assert!(!note.text.contains("rolled back"), "the first line of the error is enough: {}", note.text);
}

#[test]
fn a4_tools_that_are_not_offered_are_not_named() {
    let mut run = Loop::with_offer(Abandonment::default(), bare_offer());
    run.pass(&failed(), 3);
    let text = text(&run.check(&says(PYTHON), FIRST));
    says_all(&text, &["check what the failing call depends on", "ask the user to remove"]);
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
    says_all(&text(&run.check(&says(PYTHON), FIRST)), &["`fs_write`", "`run_shell`"]);
}

#[test]
fn a4_a_long_error_is_cut_between_characters() {
    let mut run = soft();
    run.pass(&write().fails(&"诊断".repeat(5_000)), 3);
    let text = text(&run.check(&says(PYTHON), FIRST));
    assert!(text.chars().count() < 1_500, "{} characters", text.chars().count());
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
    // A run that ends at a question waits for its answer, so the question comes first.
    for kind in [InterventionKind::Question(vec![]), InterventionKind::Feedback, InterventionKind::Notice] {
        run.commit(Entry::Intervention(Intervention { kind, note: note.clone(), seen: true }));
    }
    assert_eq!(outline(&run.turn(&says(PYTHON))), FIRST);
    assert_eq!(offer().tools().len(), 8);
}
