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
fn h5_a_list_of_steps_is_refused() {
    for says in [
        "1. Look for jq again.\n2. Install it.\n3. Run the filter.",
        "The plan:\n\n1) look for jq\n2) install it",
        "- look for jq\n- install it",
        "Ich werde:\n  * nach jq suchen\n  * jq installieren",
        "• buscar jq\n• instalarlo",
        "Step 1: look for jq\nStep 2: install it",
        "Step 1: look for jq. Step 2: install it.",
        "**Step 1:** look for jq\n**Step 2:** install it",
        "Schritt 1: nach jq suchen. Schritt 2: jq installieren.",
        "Paso 1 - buscar jq\nPaso 2 - instalarlo",
        "Étape 1 : chercher jq\nÉtape 2 : l'installer",
        "步骤1：查找 jq。步骤2：安装 jq。",
        "第一步，查找 jq。\n第二步，安装 jq。",
        "一、查找 jq\n二、安装 jq",
        "ステップ1：jq を探す\nステップ2：jq を入れる",
        "手順１：jq を探す。手順２：jq を入れる。",
        "①jqを探す\n②jqを入れる",
        "1단계: jq 찾기\n2단계: jq 설치",
        "(1) look for jq\n(2) install it",
        "I will 1) look for jq 2) install it 3) run the filter.",
        "## 1. Look\nfor jq\n## 2. Install\nit",
        "9. Look for jq.\n10. Install it.",
    ] {
        check_refused(&Fixed::new(Ok(says)));
        assert_eq!(sanitise(says), None, "{says}");
    }
}

/// A number or a dash in a sentence is no step, and neither is one item or a pair of reasons in one sentence.
#[test]
fn h5_prose_with_numbers_and_dashes_is_taken() {
    for says in [
        "The filter needs 2 more files.",
        "The command ended with status 1. There is no jq here.",
        "jq – a tool for JSON – is not installed.",
        "There is no jq here - it was never installed.",
        "It needs jq 1.6 or 1.7. Neither is here.",
        "After 3 of 4 tries the server at port 80 was still away. 5 more would not help.",
        "At 10:30 it was away. At 10:31 it was away.",
        "In 2024. 2025. Neither year has the file.",
        "Two things are missing: 1) jq and 2) a network.",
        "- There is no jq here.",
        "1. There is no jq here.",
        "First, jq is missing. Then, there is no network.",
        "Es fehlt 1. jq. Mehr nicht.",
        "缺少两个文件。第1行有错误。",
        "jq が 1 つもありません。",
    ] {
        assert_eq!(sanitise(says).as_deref(), Some(says));
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
