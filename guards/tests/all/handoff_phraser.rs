//! A phraser's words (spec H5): which are accepted, and that a phraser cannot break a handoff.

use std::cell::Cell;

use crate::common::{Loop, calls};
use balk_guards::{Conclusion, EXPLANATION_CHARS, Gap, Handoff, Phraser, Termination, sanitise};
use proptest::prelude::*;

/// Always says the same, and counts how often it is asked.
struct Fixed {
    says: Result<String, String>,
    asked: Cell<u32>,
}

impl Fixed {
    fn new(says: Result<&str, &str>) -> Self {
        Self { says: says.map(str::to_owned).map_err(str::to_owned), asked: Cell::new(0) }
    }
}

impl Phraser for Fixed {
    fn phrase(&self, _: &Gap) -> Result<String, String> {
        self.asked.set(self.asked.get() + 1);
        self.says.clone()
    }
}

struct Panics;

impl Phraser for Panics {
    fn phrase(&self, _: &Gap) -> Result<String, String> {
        std::panic::panic_any(PanicsAgain)
    }
}

/// A panic payload that panics when it is dropped.
struct PanicsAgain;

impl Drop for PanicsAgain {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

fn conclusion() -> Conclusion {
    let mut run = Loop::new(Handoff::default());
    run.pass(&calls("bash", r#"{"command":"jq ."}"#).fails("bash: jq: command not found"), 2);
    run.guard.conclude(&Termination::NoProgress).expect("never breaks").expect("a conclusion")
}

/// The words are accepted, and nothing else changes.
#[track_caller]
fn check_taken(says: &str, explanation: &str) {
    let plain = conclusion();
    let phrased = plain.clone().phrased(&Fixed::new(Ok(says)));
    let mut expected = plain.clone();
    let gap = expected.gap.as_mut().expect("a gap");
    expected.note.text = plain.note.text.replace(&*gap.explanation, explanation).into();
    gap.explanation = explanation.into();
    assert_eq!(phrased, expected);
    assert_eq!(phrased.question().map(|it| it.options), plain.question().map(|it| it.options));
    assert_ne!(phrased.note.text, plain.note.text);
}

/// The template remains.
#[track_caller]
fn check_refused(phraser: &dyn Phraser) {
    assert_eq!(conclusion().phrased(phraser), conclusion());
}

#[test]
fn h5_prose_is_taken_in_one_line() {
    check_taken("  The agent has\r\n\tno `jq` here.\n\n", "The agent has no `jq` here.");
    check_taken("\u{1b}[31mHier fehlt\u{7}jq.\u{0}", "[31mHier fehlt jq.");
    check_taken("ここには jq がありません。", "ここには jq がありません。");
}

#[test]
fn h5_what_is_no_prose_is_refused() {
    for says in [
        "",
        " \n\t\u{3000}",
        "\u{1}\u{2}",
        "\u{200b}…",
        r#"{"kind":"missing"}"#,
        "{}",
        "[]",
        r#"["look", "again"]"#,
        "null",
        "3",
        r#""A quoted sentence.""#,
        r#"Here is my plan: {"steps": [{"tool": "bash"}]}"#,
        "Plan { steps: ['look again'] }",
        r#"{"plan": "cut o"#,
        "- [ ] {step}",
        "<plan><step>look</step></plan>",
        "Run this:\n```bash\napt install jq\n```",
        "~~~\ncode\n~~~",
        "so: ```jq```",
    ] {
        check_refused(&Fixed::new(Ok(says)));
        assert_eq!(sanitise(says), None, "{says}");
    }
}

#[test]
fn h5_long_words_are_cut_between_characters() {
    let just = "語".repeat(EXPLANATION_CHARS);
    check_taken(&just, &just);
    let cut = format!("{}…", "語".repeat(EXPLANATION_CHARS - 1));
    check_taken(&"語".repeat(EXPLANATION_CHARS + 1), &cut);
    check_taken(&"語".repeat(1 << 20), &cut);
}

#[test]
fn h5_an_error_and_a_panic_fall_back() {
    check_refused(&Fixed::new(Err("the model is not reachable")));
    check_refused(&Panics);
}

#[test]
fn h5_the_phraser_is_asked_once_and_only_about_a_gap() {
    let phraser = Fixed::new(Ok("There is no jq."));
    let _ = conclusion().phrased(&phraser);
    assert_eq!(phraser.asked.get(), 1);
    let soft = Conclusion { gap: None, ..conclusion() };
    assert_eq!(soft.clone().phrased(&phraser), soft);
    assert_eq!(phraser.asked.get(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn h5_whatever_is_said_what_is_shown_is_one_short_line(
        text in prop_oneof![any::<String>(), "(?s).{0,600}", "[a-z \n]{390,410}"],
    ) {
        if let Some(line) = sanitise(&text) {
            prop_assert!(line.chars().count() <= EXPLANATION_CHARS);
            let is_foreign = line.contains(|c: char| c.is_control() || "{}".contains(c));
            prop_assert!(!is_foreign, "{line:?}");
            prop_assert!(line.contains(char::is_alphanumeric) && line.trim() == line);
        }
    }
}
