//! The no-tools guard against spec N8, T1 and T3: what a text does in place of a call, where text may end the task.

use std::sync::Arc;

use crate::common::{Loop, Turn, calls, says, text};
use balk_guards::{NoTools, Offer, Purpose, Tool};

const FIRST: &str = "retry no-call 1";

/// A run in which text may end the task.
fn text_run() -> Loop {
    Loop::new(NoTools::default())
}

fn announces() -> Turn {
    says("I'll list the files now…")
}

#[test]
fn t3_where_text_may_end_the_task_one_correction_a_request_then_the_user_is_asked() {
    let mut run = text_run();
    for _ in 0..2 {
        run.check(&announces(), FIRST);
        run.check(&announces(), "ask limit 2");
        run.user("Then write the second file, main.rs.");
    }
}

#[test]
fn t1_the_same_again_after_a_nudge_is_a_mistake() {
    for (before, after) in [
        ("Done: all is written.", "Done: all is written."),
        ("Shall I write it?", "Is it all right to begin?"),
        ("```sh\nls\n```", "Paste this:\n```\nls -a\n```"),
    ] {
        let mut run = text_run();
        run.check(&calls("read", "{}"), "pass");
        run.check(&says(before), "pass");
        run.user("Yes, go on.");
        let decision = run.check(&says(after), FIRST);
        assert_eq!(text(&decision).contains("answered already"), after.contains('?'), "{after}");
    }
}

#[test]
fn t1_an_answer_to_what_the_user_said_is_no_mistake() {
    for (user, answer) in [
        ("No, that is all. Thank you!", "You are welcome."),
        ("I prefer the gift card.", "With the gift card it costs less."),
        ("Which one is faster?", "The first one."),
        ("Fine.", "Anything else is up to you."),
        ("Show it.", "```sh\nls\n```"),
    ] {
        let mut run = text_run();
        run.check(&says("Which of the two?"), "pass");
        run.user(user);
        run.check(&says(answer), "pass");
    }
    // A call settles the nudge; what follows may be its answer.
    let mut run = text_run();
    run.check(&says("Shall I look?"), "pass");
    run.user("Go on.");
    run.check(&calls("read", "{}"), "pass");
    run.check(&says("It has three lines."), "pass");
    run.check(&says("Shall I look?"), "pass");
    // After a correction, what was said before it is no answer.
    let mut run = text_run();
    run.check(&announces(), FIRST);
    run.check(&calls("read", "{}"), "pass");
    run.check(&says("It has three lines."), "pass");
    run.check(&says("It has three lines."), "ask limit 1");
}

#[test]
fn t1_who_has_tried_may_say_again_that_it_cannot_be_done() {
    let cannot = || says("I cannot complete this because the library is missing.");
    let mut run = text_run();
    run.check(&calls("write_file", "{}").fails("not found: d3"), "pass");
    run.check(&cannot(), "pass");
    for _ in 0..3 {
        run.user("Go on");
        run.check(&cannot(), "pass");
    }
    let mut run = text_run();
    run.check(&cannot(), "pass");
    run.user("Go on");
    run.check(&cannot(), FIRST);
}

#[test]
fn t1_a_printed_call_is_one_unless_the_request_speaks_of_calls() {
    let printed = || says(r#"{"name": "read", "arguments": {"path": "a.py"}}"#);
    text_run().check(&printed(), FIRST);
    let mut run = text_run();
    run.user("Show me as JSON how you would call it.");
    run.check(&printed(), "pass");
}

#[test]
fn t1_denied_access_is_one_before_any_call() {
    let denies = || says("I don't have access to your files.");
    text_run().check(&denies(), FIRST);
    let mut run = text_run();
    run.check(&calls("read", "{}").fails("permission denied"), "pass");
    run.check(&denies(), "pass");
}

// spec N8

#[test]
fn n8_announcements_are_seen_in_five_languages_and_by_form_in_any() {
    for text in [
        "I'll list the files now…",
        "Sure. Let me check the configuration.",
        "我来查看当前目录。",
        "Voy a revisar los archivos.",
        "Ich sehe mir die Dateien an.",
        "これからファイルを確認します。",
        "Zaraz sprawdzę pliki:",
        "Сейчас посмотрю файлы...",
    ] {
        text_run().check(&says(text), FIRST);
    }
}

#[test]
fn n8_answers_questions_fences_and_long_texts_are_left_alone() {
    let long = format!("{} I'll list the files now:", "The reason is simple. ".repeat(30));
    for text in [
        "There are three files: a.py, b.py and README.md.",
        "Which folder do you mean?",
        "您指的是哪个文件夹？",
        "目录中有三个文件。",
        "Hay tres archivos.",
        "Es sind drei Dateien.",
        "ファイルは三つあります。",
        "W katalogu są trzy pliki.",
        "If you want, I will list the files.",
        "Use this:\n```sh\nls\n```",
        &long,
    ] {
        text_run().check(&says(text), "pass");
    }
}

#[test]
fn n8_a_new_request_may_be_corrected_once_again() {
    let mut run = text_run();
    for _ in 0..6 {
        run.check(&announces(), FIRST);
        run.check(&says("There are three files."), "pass");
        run.user("And in src?");
    }
}

#[test]
fn n8_an_announcement_is_a_mistake_after_a_call_as_well() {
    for call in [calls("read", "{}"), calls("read", "{}").fails("no"), calls("read", "{}").goes_missing()] {
        let mut run = text_run();
        run.check(&call, "pass");
        run.check(&announces(), FIRST);
    }
}

#[test]
fn n8_nothing_is_said_where_there_is_nothing_to_call() {
    let ask = Tool::new("ask_user").purpose(Purpose::AskUser);
    for offer in [Offer::default(), Offer::new([ask])] {
        let mut run = Loop::with_offer(NoTools::default(), Arc::new(offer));
        run.pass(&announces(), 5);
    }
}

#[test]
fn n8_the_last_of_several_texts_decides() {
    let mut run = text_run();
    run.check(&announces().and_says("There are three files."), "pass");
    run.check(&says("There are three files.").and_says("Let me read the first one:"), FIRST);
}
