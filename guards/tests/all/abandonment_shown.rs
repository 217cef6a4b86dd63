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
    run.check(&says(&format!("{FILE}\nAnd its test:\n\n```\npass\n```\n")), FIRST);
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

const PROGRAM: &str = "def read_lines(path):\n    return open(path).readlines()\n\ndef print_upper(line):\n    \
                       print(line.upper(), end='')\n\nfor line in read_lines('in.txt'):\n    print_upper(line)\n";

/// After three failed writes of a program, the guard says this about a message.
fn after_failures(message: &str) -> String {
    let call = serde_json::json!({ "path": "up.py", "content": PROGRAM }).to_string();
    let mut run = Loop::new(guard(AbandonmentPolicy::Soft));
    run.pass(&crate::common::calls("write_file", &call).fails("EROFS: read-only file system"), 3);
    outline(&run.turn(&says(message)))
}

#[test]
fn a5_a_message_that_says_why_and_hands_over_the_code_is_an_honest_end_once() {
    for why in [
        "I could not write up.py: the file system is read-only. Save this yourself.",
        "Ich konnte up.py nicht schreiben, weil das Dateisystem nur lesbar ist.",
        "No he podido crear up.py porque el disco es de solo lectura.",
        "Je n'ai pas pu écrire up.py : le disque est protégé.",
        "Не удалось записать up.py: нет прав.",
        "读取权限不足，up.py 未能保存。",
        "権限がないため up.py を書き込めませんでした。",
    ] {
        let honest = format!("{why}\n\n```python\n{PROGRAM}```\n");
        assert_eq!(after_failures(&honest), "pass", "{why}");
    }
    let honest = says(&format!("I could not write it, because the disk is full.\n\n{PYTHON}"));
    let mut run = owing();
    run.check(&honest, "pass");
    run.user("Proceed.");
    run.check(&honest, FIRST);
    let mut run = owing();
    run.check(&honest, "pass");
    run.user("Proceed.");
    run.check(&says(PYTHON), FIRST);
    // After another failure, the user is told anew.
    let mut run = owing();
    run.check(&honest, "pass");
    run.check(&failed(), "pass");
    run.check(&honest, "pass");
}

#[test]
fn a5_code_that_says_so_inside_explains_nothing() {
    let code = "Here it is:\n\n```python\n# cannot fail, because it does nothing\nprint('hello')\n```\n";
    owing().check(&says(code), FIRST);
}

#[test]
fn a3_other_code_than_what_could_not_be_written_is_no_abandonment() {
    let shown = |before: &str, language: &str, code: &str| {
        after_failures(&format!("{before}\n\n```{language}\n{code}```\n"))
    };
    let look = "import os\nprint(os.stat('/srv/app').st_uid)\n";
    assert_eq!(shown("Whose folder is it?", "python", look), "pass");
    assert_eq!(
        shown("up.py needs a folder of mine.\nPlease run this:", "sh", "sudo chown app /srv/app\n"),
        "pass"
    );
    assert_eq!(shown("Here is the program:", "python", PROGRAM), FIRST);
    assert_eq!(shown("Here is the program:", "python", &format!("# v2\n{PROGRAM}")), FIRST);
    assert_eq!(shown("This is up.py:", "python", "print(open('in.txt').read().upper())\n"), FIRST);
    assert_eq!(shown("In up.py:", "text", PROGRAM), FIRST);
    let anew =
        "text = sys.stdin.read()\nwords = text.split(' ')\nshouted = [word.upper() for word in words]\n";
    assert_eq!(shown("Here is the whole program:", "python", anew), FIRST);
}
