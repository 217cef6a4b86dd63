//! The abandonment guard against spec A5 to A7: what settles a debt, what the user is told, and the
//! four policies.

use crate::common::debts::{ERROR, FIRST, PYTHON, check, failed, guard, in_debt, owing, soft, write};
use crate::common::handoffs::says_all;
use crate::common::{Loop, Turn, calls, says, text};
use balk_guards::{
    Abandonment, AbandonmentPolicy, AbandonmentSettings, ChoiceKind, Entry, InterventionKind, Verdict,
};

const AGAIN: &str = "retry fence-after-failures 1, notice files-not-created 2";
const FOLLOW_UP: &str = "retry unacknowledged 2";
const TOLD_AGAIN: &str = "notice files-not-created 2";

// spec A5

#[test]
fn a5_the_follow_up_comes_once() {
    let mut run = owing();
    run.check(&says(PYTHON), FIRST);
    run.check(&says(PYTHON), &format!("{FOLLOW_UP}, {TOLD_AGAIN}"));
    run.check(&says(PYTHON), TOLD_AGAIN);
    run.user("Proceed");
    run.pass(&says("Done."), 2);
    run.check(&says(PYTHON), TOLD_AGAIN);
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
        // It settles what the model owes, and creates no file.
        run.check(&says(PYTHON), TOLD_AGAIN);
    }
}

#[test]
fn a5_a_form_may_come_with_the_code() {
    let mut run = owing();
    run.check(&says(PYTHON), FIRST);
    run.check(&says(&format!("Writing is not possible because the disk is full.\n{PYTHON}")), TOLD_AGAIN);
    run.check(&says(PYTHON), TOLD_AGAIN);
}

#[test]
fn a5_a_text_without_a_fence_is_left_alone_and_settles_nothing() {
    for sentence in [
        "The tool keeps failing. What would you like me to do?",
        "hello.py cannot be written with these tools.",
        "I cannot complete this because the package is missing.",
        "写入失败了。",
    ] {
        let mut run = owing();
        run.check(&says(sentence), "pass");
        run.user("Proceed.");
        run.check(&says(PYTHON), FIRST);
        run.user("Proceed.");
        run.check(&says(PYTHON), &format!("{FOLLOW_UP}, {TOLD_AGAIN}"));
    }
}

#[test]
fn a5_an_acknowledgement_ends_with_the_next_failure() {
    let mut run = owing();
    run.check(&says(PYTHON), FIRST);
    run.check(&says("I cannot complete this because the package is missing."), "pass");
    run.check(&calls("write_file", r#"{"path":"other.py"}"#).fails(ERROR), "pass");
    run.check(&says(PYTHON), AGAIN);
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
    run.check(&says(PYTHON), &format!("{FOLLOW_UP}, {TOLD_AGAIN}"));
}

#[test]
fn a5_a_relapse_after_a_deed_is_corrected_anew_with_other_words() {
    let mut run = owing();
    let first = text(&run.check(&says(PYTHON), FIRST));
    run.check(&calls("read", "{}"), "pass");
    let second = text(&run.check(&says(PYTHON), AGAIN));
    assert_ne!(first, second);
    says_all(&second, &["correction 2"]);
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
    run.check(&says(PYTHON), "notice files-not-created 1");
    run.check(&failed(), "pass");
    run.check(&says(PYTHON), "retry words-first 1, notice files-not-created 2");
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

// spec A6

#[test]
fn a6_the_notice_names_the_files() {
    let mut run = soft();
    for path in ["a.py", "b/c.js", "a.py"] {
        run.check(&calls("write_file", &format!(r#"{{"file_path":"{path}"}}"#)).fails(ERROR), "pass");
    }
    let decision = run.check(&says(PYTHON), FIRST);
    says_all(&decision.notices[0].text, &["Not created: a.py and b/c.js", "`write_file`", "`rich`"]);
}

#[test]
fn a6_without_names_the_notice_says_that_nothing_was_written() {
    let mut run = soft();
    run.pass(&calls("write_file", r#"{"content":"x"}"#).fails(ERROR), 3);
    let decision = run.check(&says(PYTHON), FIRST);
    says_all(&decision.notices[0].text, &["Nothing was written"]);
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
fn a6_the_user_is_told_at_every_fence_in_other_words() {
    let mut run = owing();
    run.check(&says(PYTHON), FIRST);
    run.check(&calls("read", "{}"), "pass");
    run.check(&says(PYTHON), AGAIN);
    run.check(&calls("read", "{}"), "pass");
    run.check(&failed(), "pass");
    run.check(&says(PYTHON), AGAIN);
    run.user("Proceed.");
    run.turn(&says(PYTHON));
    let told: Vec<&str> = run
        .interventions()
        .filter(|it| it.kind == InterventionKind::Notice)
        .map(|it| &*it.note.text)
        .collect();
    assert_eq!(told.len(), 4);
    for (at, text) in told.iter().enumerate() {
        assert!(!told[..at].contains(text), "told twice: {text}");
        says_all(text, &["hello.py", "`write_file`"]);
    }
    says_all(told[1], &["Still not created", "message 2"]);
}

#[test]
fn a6_after_a_change_it_is_told_anew() {
    let mut run = owing();
    run.check(&says(PYTHON), FIRST);
    run.check(&calls("bash", r#"{"command":"cat > hello.py"}"#), "pass");
    run.check(&failed(), "pass");
    run.check(&says(PYTHON), FIRST);
    run.pass(&calls("append", r#"{"path":"log"}"#).fails("no"), 3);
    run.check(&says(PYTHON), FIRST);
}

// spec A7

#[test]
fn a7_hard_block_refuses_every_fence_then_asks_and_takes_the_answer() {
    let mut run = in_debt(AbandonmentPolicy::HardBlock);
    run.check(&says(PYTHON), FIRST);
    run.check(&says("Well."), "pass");
    run.check(&says(PYTHON), &format!("{FOLLOW_UP}, {TOLD_AGAIN}"));
    run.check(&says("I cannot do it because it fails."), "pass");
    run.check(&says(PYTHON), &format!("retry unacknowledged 3, {TOLD_AGAIN}"));
    let asked = format!("ask ask-the-user 4, {TOLD_AGAIN}");
    let Verdict::Ask(question) = run.check(&says(PYTHON), &asked).verdict else { panic!() };
    let kinds: Vec<_> = question.options.iter().map(|it| it.kind).collect();
    assert_eq!(
        kinds,
        [ChoiceKind::Instruct, ChoiceKind::SwitchModel, ChoiceKind::Continue, ChoiceKind::Stop]
    );
    says_all(&question.note.text, &["3 times", "`write_file`", "`rich`"]);
    // The user let the model continue.
    run.pass(&says(PYTHON), 5);
    run.check(&failed(), "pass");
    run.check(&says(PYTHON), &asked);
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
    run.check(&says(PYTHON), TOLD_AGAIN);
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
