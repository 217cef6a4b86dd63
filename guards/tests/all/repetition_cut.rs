//! Spec X5: the model is shown one copy of a text that repeats itself.

use crate::common::{Loop, rungs, says, thinks};
use balk_guards::{Entry, FinishReason, Message, Repetition, View};

const CHANT: &str = "I will now look at the file and then I will go on. ";

fn run() -> Loop {
    Loop::new(Repetition::default())
}

/// What the model is shown of its own words.
fn shown(run: &Loop) -> Vec<String> {
    let view = View::of(&run.entries);
    let said = view.messages().iter().filter_map(|it| match it {
        Message::Assistant(said) => Some(said.texts().map(|text| &**text).collect()),
        Message::User(_) | Message::Result { .. } => None,
    });
    said.collect()
}

#[test]
fn x5_the_model_is_shown_one_copy() {
    for (before, copy, after) in [
        ("The file is long. ", CHANT, ""),
        ("", "我现在来看看这个文件，然后继续。", ""),
        ("First, the imports.\n", CHANT, "And so on"),
    ] {
        let mut run = run();
        let whole = format!("{before}{}{after}", copy.repeat(20));
        assert_eq!(
            run.said([says(&whole)]),
            ["1 repair copies-cut 1", "1 retry repeats-itself 1"],
            "{whole}"
        );
        let shown = shown(&run).concat();
        let core: String = copy.chars().take(10).collect();
        assert_eq!(shown.matches(&core).count(), 1, "{shown}");
        assert!(shown.starts_with(before) && shown.ends_with(after), "{shown}");
        let kept =
            |entry: &Entry| matches!(entry, Entry::Completion(it) if it.texts().any(|text| **text == *whole));
        assert!(run.entries.iter().any(kept), "the record keeps the message");
    }
}

#[test]
fn x5_what_was_thought_and_what_broke_off_is_not_cut() {
    assert_eq!(run().said([thinks(&CHANT.repeat(20))]), ["1 retry repeats-itself 1"]);
    let broken = says(&CHANT.repeat(20)).finishes(FinishReason::Error);
    assert_eq!(run().said([broken]), ["1 retry repeats-itself 1"]);
}

/// The audit removes one rule, and not what the guard says beside it.
#[test]
fn x5_without_the_cut_the_correction_is_left() {
    let cut = "repetition: copies-cut, repair at level 1";
    let mut run = Loop::new(rungs::lacking(Box::new(Repetition::default()), cut));
    assert_eq!(run.said([says(&CHANT.repeat(20))]), ["1 retry repeats-itself 1"]);
}
