//! The abandonment guard against spec A8: code that the user asked for, and code that explains.

use crate::common::debts::{FIRST, PYTHON, check, failed, guard, in_debt, owing, write};
use crate::common::{Loop, outline, says};
use balk_guards::{Abandonment, AbandonmentPolicy, AbandonmentSettings};

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
fn a8_a_wish_for_code_holds_until_the_user_says_something_else() {
    for policy in [
        AbandonmentPolicy::Soft,
        AbandonmentPolicy::HardBlock,
        AbandonmentPolicy::AutoRetry,
        AbandonmentPolicy::Strict,
    ] {
        let mut run = in_debt(policy);
        run.user("Just show me the code here.");
        run.pass(&says(PYTHON), 2);
        run.user("Go on.");
        run.pass(&says(PYTHON), 2);
        run.user("Good. Now put it into hello.py.");
        assert_ne!(outline(&run.turn(&says(PYTHON))), "pass", "{policy:?}");
    }
    // Also after the model was corrected: what the user says is newer.
    let mut run = owing();
    run.check(&says(PYTHON), FIRST);
    run.user("Never mind, show it here.");
    run.pass(&says(PYTHON), 2);
}

#[test]
fn a8_a_task_that_speaks_of_code_or_a_nudge_is_no_wish_for_it() {
    for said in ["Proceed.", "Write the code, please.", "Where is the code? I see no file."] {
        let mut run = owing();
        run.user(said);
        run.check(&says(PYTHON), FIRST);
    }
}

const FILE: &str = "Save this as hello.py:\n\n```\nprint('hello')\n```\n";

#[test]
fn a3_the_file_shown_again_after_two_failures_is_one_more_try() {
    let mut run = Loop::new(guard(AbandonmentPolicy::Soft));
    run.pass(&failed(), 2);
    run.check(&says(FILE), "pass");
    run.user("I don't see the file.");
    run.check(&says(FILE), FIRST);
}

#[test]
fn a3_a_fence_of_any_language_counts_where_it_names_the_file() {
    check(&[], FIRST);
    let mut run = owing();
    run.check(&says(FILE), FIRST);
    let mut run = owing();
    run.pass(&says("Run this:\n\n```\nls\n```\n"), 3);
}

#[test]
fn a3_the_needed_fences_are_a_setting_whatever_the_language() {
    let settings = AbandonmentSettings { fences: 2, ..AbandonmentSettings::default() };
    let mut run = Loop::new(Abandonment::new(settings));
    run.pass(&failed(), 3);
    run.check(&says(FILE), "pass");
    run.check(&says(&format!("{FILE}\nAnd its test:\n\n```\nassert True\n```\n")), FIRST);
}

#[test]
fn a3_what_is_shown_is_no_try_where_one_call_failed_or_the_user_asked_or_the_file_was_written() {
    let mut run = Loop::new(guard(AbandonmentPolicy::Soft));
    run.pass(&failed(), 1);
    run.pass(&says(FILE), 5);
    let mut run = Loop::new(guard(AbandonmentPolicy::Soft));
    run.pass(&failed(), 2);
    run.user("Just show me the code here.");
    run.pass(&says(FILE), 5);
    let mut run = Loop::new(guard(AbandonmentPolicy::Soft));
    run.pass(&failed(), 2);
    run.check(&write(), "pass");
    run.pass(&says(FILE), 5);
}
