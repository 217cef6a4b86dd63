//! The no-tools guard against spec T1 where the user tells the model to try again. Text may end the task.

use crate::common::{Loop, calls, outline, says};
use balk_guards::NoTools;

const PASS: &str = "pass";
const FIRST: &str = "retry no-call 1";

/// Who tried and says that it cannot be done is honest; who is told twice to try again is to try.
#[test]
fn t1_who_is_told_twice_to_try_again_and_does_not_is_corrected() {
    let sync = calls("bash", r#"{"command":"uv sync"}"#).fails("operation timed out");
    let texts = ["The service is down, I can't go on.", "It is a network error, I can't do anything."];
    let said = |urges: &str, turns: usize| {
        let mut run = Loop::new(NoTools::default());
        run.user("Build the invoices with `uv run invoices build`.");
        run.turn(&sync);
        let mut said = Vec::new();
        for nth in 0..turns {
            said.push(outline(&run.turn(&says(texts[nth / 2 % 2]))));
            run.user(urges);
        }
        said
    };
    let again = "Please try again, it mostly works after a while.";
    assert_eq!(said(again, 3), [PASS, PASS, FIRST]);
    assert_eq!(said("Ok, I'll see what I can do about it.", 3), [PASS; 3]);
}

/// A user who wants the same in other words wants words.
#[test]
fn t3_a_user_who_wants_another_version_of_a_text_gets_it() {
    let texts =
        ["The median is the value in the middle.", "Half lies below it.", "It splits the list in two."];
    let said = |nudge: &str| {
        let mut run = Loop::new(NoTools::default());
        run.user("Import sales.csv.");
        run.turn(&calls("read", r#"{"path":"README.md"}"#).answers("sales.csv: see docs"));
        texts.map(|text| {
            let said = outline(&run.turn(&says(text)));
            run.user(nudge);
            said
        })
    };
    for nudge in [
        "Another version, please, in other words.",
        "Outra versão, por favor, com outras palavras.",
        "换一种说法。",
        "Innymi słowami, proszę.",
    ] {
        assert_eq!(said(nudge), [PASS; 3], "{nudge}");
    }
    assert_eq!(said("Go on, please."), [PASS, PASS, FIRST]);
}
