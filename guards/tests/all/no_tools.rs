//! The no-tools guard against spec N1 to N6, N8 and E2, hits and silence.

use std::sync::Arc;

use crate::common::{Loop, Turn, bare_offer, calls, offer, says, text, thinks};
use balk_guards::{
    ChoiceKind, Effect, FinishReason, Guard, NoTools, NoToolsSettings, Offer, Protocol, Purpose, Question,
    Start, Tool, Verdict,
};

const FIRST: &str = "retry no-call 1";
const SECOND: &str = "retry no-call 2";
const THINKING: &str = "retry thinking-only 1";
const ASK: &str = "ask limit 3";
const STOP: &str = "stop questions-spent 3";

/// The usual tools, and one that ends the task.
fn finishing() -> Arc<Offer> {
    let finish = Tool::new("attempt_completion").effect(Effect::ReadOnly).purpose(Purpose::Finish);
    Arc::new(Offer::new(offer().tools().iter().cloned().chain([finish])))
}

fn begun(settings: NoToolsSettings, model: &str, protocol: Protocol, offer: Arc<Offer>) -> Loop {
    Loop::begun(NoTools::new(settings), Start { model: model.into(), protocol, offer })
}

/// A run in which a tool ends the task.
fn tool_run(settings: NoToolsSettings) -> Loop {
    begun(settings, "test", Protocol::Tool, finishing())
}

/// A run in which text may end the task.
fn text_run() -> Loop {
    Loop::new(NoTools::default())
}

fn announces() -> Turn {
    says("I'll list the files now…")
}

fn in_text_form() -> NoToolsSettings {
    NoToolsSettings { text_form: true, ..NoToolsSettings::default() }
}

/// If a tool ends the task, each turn gets the decision beside it.
#[track_caller]
fn check(settings: NoToolsSettings, turns: &[(Turn, &str)]) -> Loop {
    let mut run = tool_run(settings);
    for (turn, expected) in turns {
        run.check(turn, expected);
    }
    run
}

// spec N1

#[test]
fn n1_a_native_call_is_one_whatever_it_is() {
    for turn in [
        calls("read", "{}"),
        calls("read", "{}").fails("no such file"),
        calls("no_such_tool", "not json"),
        announces().and_calls("bash", r#"{"command":"ls"}"#),
        thinks("hm").and_calls("read", "{}"),
    ] {
        check(NoToolsSettings::default(), &[(turn.clone(), "pass"), (announces(), FIRST), (turn, "pass")]);
    }
}

#[test]
fn n1_text_without_a_call_is_a_mistake_where_a_tool_ends_the_task() {
    for text in ["I'll list the files now…", "Done.", "Which one?", "```sh\nls\n```", &"x".repeat(5_000)] {
        check(NoToolsSettings::default(), &[(says(text), FIRST)]);
    }
}

#[test]
fn n1_the_text_form_is_a_call_where_the_agent_reads_it() {
    for call in [
        "I'll look.\n<read>\n<path>a.py</path>\n</read>",
        "<bash/>",
        "I use <bash> for this:\n<bash command=\"ls\"/>",
        "```json\n{\"tool\": \"read\", \"arguments\": {\"path\": \"a.py\"}}\n```",
        "{\"name\": \"bash\", \"parameters\": {}}",
        "<attempt_completion>\n<result>Done.</result>\n</attempt_completion>",
        "<ask_user><question>Which?</question></ask_user>",
        "{\"tool\": \"attempt_completion\", \"arguments\": {}}",
    ] {
        check(in_text_form(), &[(says(call), "pass"), (announces(), FIRST)]);
        check(NoToolsSettings::default(), &[(says(call), FIRST)]);
    }
}

#[test]
fn n1_a_mention_of_a_tool_and_a_call_only_thought_of_are_no_call() {
    for text in [
        "I will use <read> now.",
        "I call `bash`.",
        "<no_such_tool><a>1</a></no_such_tool>",
        "{\"tool\": \"no_such_tool\", \"arguments\": {}}",
        "{\"path\": \"a.py\"}",
        "<readable></readable>",
    ] {
        check(in_text_form(), &[(says(text), FIRST)]);
    }
    check(in_text_form(), &[(thinks("<bash/>"), THINKING)]);
}

// spec N2 to N4

#[test]
fn n2_the_correction_shows_the_form_of_a_call_and_the_way_to_end() {
    let mut run = tool_run(NoToolsSettings::default());
    run.check(&calls("read", r#"{"path":"hello.py"}"#), "pass");
    let first = text(&run.check(&says("The file is read."), FIRST));
    assert!(first.contains(r#"{"name": "the tool's name", "arguments": {"#), "{first}");
    assert!(!first.contains("read") && !first.contains("attempt_completion"), "{first}");
    let second = text(&run.check(&says("The file is read."), SECOND));
    assert!(second.contains("`attempt_completion`"), "{second}");
}

#[test]
fn n2_no_way_out_is_named_while_something_is_open_that_the_request_names() {
    let mut run = tool_run(NoToolsSettings::default());
    run.user("Find a figure on the line, and write it to notes/line.md.");
    let plan = says("Plan: find a source; read it; write the notes. Finding a source may take long.");
    run.check(&calls("read", r#"{"path":"archive"}"#), "pass");
    for expected in [FIRST, SECOND] {
        let text = text(&run.check(&plan, expected));
        assert!(!text.contains("attempt_completion"), "{text}");
    }
    run.check(&calls("write_file", r#"{"path":"notes/line.md","content":"1912"}"#), "pass");
    run.check(&says("The figure is in the notes."), FIRST);
    let text = text(&run.check(&says("The figure is in the notes."), SECOND));
    assert!(text.contains("`attempt_completion`"), "{text}");
}

#[test]
fn n2_a_model_that_only_thinks_is_told_how_to_end_where_nothing_is_open() {
    for (path, is_told) in [("notes.md", false), ("hello.py", true)] {
        let mut run = text_run();
        run.check(&calls("read", &format!(r#"{{"path":"{path}"}}"#)), "pass");
        let text = text(&run.check(&thinks("I should look."), THINKING));
        assert_eq!(text.contains("If all of the task is done"), is_told, "{path}: {text}");
    }
}

#[test]
fn n2_no_way_out_is_named_to_a_model_that_has_not_done_what_it_says() {
    for said in
        ["I'll list the files now…", "I have no access to your files.", "Shall I go on?", "```sh\nls\n```"]
    {
        let mut run = tool_run(NoToolsSettings::default());
        run.check(&calls("read", "{}"), "pass");
        for expected in [FIRST, SECOND] {
            let text = text(&run.check(&says(said), expected));
            assert!(!text.contains("attempt_completion") && !text.contains("ask_user"), "{text}");
        }
    }
}

#[test]
fn n2_no_tool_is_named_that_no_evidence_points_to() {
    for offer in [finishing(), bare_offer()] {
        for said in [announces(), says("I have no access to your files."), says("I'll read it and write it:")]
        {
            let mut run = begun(NoToolsSettings::default(), "test", Protocol::Tool, offer.clone());
            run.check(&calls("read", "{}"), "pass");
            for expected in [FIRST, SECOND] {
                let text = text(&run.check(&said, expected));
                let named = offer.tools().iter().find(|it| text.contains(&format!("\"{}\"", it.name)));
                assert!(named.is_none() && !text.contains('`'), "{text}");
            }
        }
    }
}

/// Tools with schemas.
fn described() -> Arc<Offer> {
    let write = r#"{"type":"object","required":["path","content"]}"#;
    Arc::new(Offer::new([
        Tool::new("read").effect(Effect::ReadOnly).parameters(r#"{"type":"object","required":["path"]}"#),
        Tool::new("write_file").effect(Effect::IdempotentWrite).parameters(write),
        Tool::new("search"),
    ]))
}

#[test]
fn n2_the_example_is_of_the_tool_that_the_evidence_points_to() {
    let write = r#"{"name": "write_file", "arguments": {"path": "…", "content": "…"}}"#;
    let read = r#"{"name": "read", "arguments": {"path": "…"}}"#;
    let none = r#"{"name": "the tool's name", "arguments": {"argument": "…"}}"#;
    let fence = "```python\nx = 1\n```";
    for (before, said, form) in [
        (None, "I will use write_file for it:", write),
        (None, "First `read`, then write_file:", write),
        (None, "I call write_file after `read`:", read),
        (None, "Let me read it:", none),
        (None, "I search for it:", none),
        (Some(calls("write_file", "{}").fails("no space")), fence, write),
        (Some(calls("read", "{}").fails("no such file")), fence, none),
        (Some(calls("write_file", "{}")), fence, none),
        (Some(calls("write_file", "{}").fails("no space")), "Let me look:", none),
    ] {
        let mut run = begun(NoToolsSettings::default(), "test", Protocol::Tool, described());
        before.iter().for_each(|turn| run.pass(turn, 1));
        let text = text(&run.check(&says(said), FIRST));
        assert!(text.contains(form), "{said}: {text}");
    }
}

#[test]
fn n2_a_printed_call_gets_no_example_because_it_is_one() {
    let mut run = begun(NoToolsSettings::default(), "test", Protocol::Text, described());
    let printed = r#"{"name": "read", "arguments": {"path": "a.py"}}"#;
    let text = text(&run.check(&says(printed), FIRST));
    assert!(text.contains("real tool call") && !text.contains('{'), "{text}");
}

#[test]
fn n2_where_calls_are_text_the_form_is_that_of_the_agent() {
    let mut run = begun(in_text_form(), "test", Protocol::Tool, described());
    let named = text(&run.check(&says("I will use write_file for it:"), FIRST));
    assert!(named.contains("<write_file><path>…</path><content>…</content></write_file>"), "{named}");
    let unnamed = text(&run.check(&says("Let me look:"), SECOND));
    assert!(unnamed.contains("<tool_name><argument>…</argument></tool_name>"), "{unnamed}");
}

#[test]
fn n2_where_only_the_end_is_offered_no_other_tool_is_spoken_of() {
    let only = Tool::new("attempt_completion").purpose(Purpose::Finish);
    let mut run = begun(NoToolsSettings::default(), "test", Protocol::Tool, Arc::new(Offer::new([only])));
    for expected in [FIRST, SECOND] {
        let text = text(&run.check(&announces(), expected));
        assert!(
            text.contains("`attempt_completion`") && !text.contains(": \n") && !text.contains(": ;"),
            "{text}"
        );
    }
}

#[test]
fn n3_a_call_resets_the_count() {
    let turns: Vec<_> = (0..6)
        .flat_map(|_| [(announces(), FIRST), (announces(), SECOND), (calls("read", "{}"), "pass")])
        .collect();
    check(NoToolsSettings::default(), &turns);
}

#[test]
fn n4_two_corrections_then_a_question_with_three_options() {
    let mut run = check(NoToolsSettings::default(), &[(announces(), FIRST), (says("Sure."), SECOND)]);
    let Verdict::Ask(Question { note, options }) = run.check(&announces(), ASK).verdict else { panic!() };
    assert!(note.text.contains("3 messages in a row") && note.text.contains("2 reminders"), "{}", note.text);
    let kinds: Vec<_> = options.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [ChoiceKind::Instruct, ChoiceKind::SwitchModel, ChoiceKind::Continue]);
}

#[test]
fn n4_every_answer_resets_the_count_and_the_questions_end() {
    for choice in [ChoiceKind::Continue, ChoiceKind::Instruct, ChoiceKind::SwitchModel] {
        let mut run = tool_run(NoToolsSettings::default());
        run.choice = choice;
        for last in [ASK, ASK, ASK, STOP] {
            for expected in [FIRST, SECOND, last] {
                run.check(&announces(), expected);
            }
        }
    }
}

#[test]
fn n4_calls_in_between_do_not_give_new_questions() {
    let mut run = tool_run(NoToolsSettings::default());
    for last in [ASK, ASK, ASK, STOP] {
        run.check(&calls("read", "{}"), "pass");
        for expected in [FIRST, SECOND, last] {
            run.check(&announces(), expected);
        }
    }
}

#[test]
fn n4_the_loops_own_prompt_is_no_request() {
    let mut run = tool_run(NoToolsSettings::default());
    for expected in [FIRST, SECOND, ASK] {
        run.check(&announces(), expected);
        run.prompt();
    }
}

// spec N5

#[test]
fn n5_limit_and_questions_are_settings() {
    let settings = |limit, questions| NoToolsSettings { limit, questions, ..NoToolsSettings::default() };
    for limit in [0, 1] {
        check(settings(limit, 1), &[(announces(), "ask limit 1"), (announces(), "stop questions-spent 1")]);
    }
    check(settings(2, 0), &[(announces(), FIRST), (announces(), "stop questions-spent 2")]);
    let mut run = tool_run(settings(300, 1));
    for level in 1..300_u32 {
        run.check(&announces(), &format!("retry no-call {}", level.min(255)));
    }
    run.check(&announces(), "ask limit 255");
}

#[test]
fn n5_a_message_of_ones_own_is_filled_in() {
    let message = Some("{count} of {limit}: call {tools}. {unknown}".to_owned());
    let settings = NoToolsSettings { message, ..NoToolsSettings::default() };
    let run = check(settings, &[(announces(), "retry message 1"), (thinks("hm"), "retry message 2")]);
    let said: Vec<_> = run.interventions().map(|it| it.note.text.clone()).collect();
    let tools = "`read`, `pytest`, `write_file`, `append` and 3 more";
    assert_eq!(&*said[0], format!("1 of 3: call {tools}. {{unknown}}"));
    assert!(said[1].starts_with(&format!("2 of 3: call {tools}. {{unknown}}")), "{}", said[1]);
}

// spec E2

#[test]
fn e2_thinking_alone_is_corrected_and_counted_under_both_protocols() {
    for protocol in [Protocol::Tool, Protocol::Text] {
        let mut run = begun(NoToolsSettings::default(), "test", protocol, finishing());
        let first = text(&run.check(&thinks("I should look."), THINKING));
        assert!(first.contains("is only thinking"), "{first}");
        run.check(&thinks("I should look."), "retry thinking-only 2");
        run.check(&thinks("I should look."), ASK);
    }
    check(
        NoToolsSettings::default(),
        &[(announces(), FIRST), (thinks("hm"), "retry thinking-only 2"), (announces(), ASK)],
    );
}

#[test]
fn e2_an_answer_ends_the_row_where_text_may_be_one() {
    let mut run = text_run();
    for (turn, expected) in
        [(thinks("hm"), THINKING), (says("Three files."), "pass"), (thinks("hm"), THINKING)]
    {
        run.check(&turn, expected);
    }
}

#[test]
fn e4_what_was_withheld_or_cut_off_is_not_its_affair() {
    for finish in [FinishReason::ContentFilter, FinishReason::Length] {
        for turn in [announces(), thinks("hm"), Turn::default()] {
            let other = turn.finishes(finish);
            check(
                NoToolsSettings::default(),
                &[
                    (other.clone(), "pass"),
                    (announces(), FIRST),
                    (other.clone(), "pass"),
                    (announces(), SECOND),
                ],
            );
        }
    }
}

// spec M1, M2

/// Over twelve turns of a kind, no two consecutive texts are equal, and no text names a missing tool.
#[track_caller]
fn check_texts(settings: NoToolsSettings, protocol: Protocol, turns: &[Turn]) {
    for offer in [finishing(), bare_offer()] {
        let mut run = begun(settings.clone(), "test", protocol, offer.clone());
        for turn in turns.iter().cycle().take(12) {
            let decision = run.turn(turn);
            if protocol == Protocol::Text {
                run.user("Go on.");
            }
            if let Verdict::Stop(_) = decision.verdict {
                break;
            }
        }
        let said: Vec<_> = run.interventions().map(|it| it.note.text.clone()).collect();
        assert!(said.len() > 2);
        for pair in said.windows(2) {
            assert_ne!(pair[0], pair[1]);
        }
        let absent: Vec<_> =
            finishing().tools().iter().filter(|it| offer.get(&it.name).is_none()).cloned().collect();
        for text in &said {
            assert!(absent.iter().all(|it| !text.contains(&format!("`{}`", it.name))), "{text}");
            assert!(!text.contains("refused"), "{text}");
        }
    }
}

#[test]
fn m1_m2_no_text_comes_twice_in_a_row() {
    let settings = |limit| NoToolsSettings { limit, ..NoToolsSettings::default() };
    let fixed = NoToolsSettings { message: Some("Call a tool.".into()), ..NoToolsSettings::default() };
    for settings in [settings(1), settings(2), settings(3), settings(5), fixed] {
        for protocol in [Protocol::Tool, Protocol::Text] {
            check_texts(settings.clone(), protocol, &[announces()]);
            check_texts(settings.clone(), protocol, &[thinks("hm")]);
            check_texts(settings.clone(), protocol, &[announces(), thinks("hm")]);
            check_texts(settings.clone(), protocol, &[announces(), calls("read", "{}")]);
        }
    }
}

#[test]
fn m1_the_last_reminder_says_that_it_is_the_last() {
    let mut run = tool_run(NoToolsSettings::default());
    let last = |text: &str| text.contains("The next time, the user is asked");
    assert!(!last(&text(&run.check(&announces(), FIRST))));
    assert!(last(&text(&run.check(&announces(), SECOND))));
}

#[test]
fn n4_a_run_is_taken_up_where_it_was_saved() {
    let mut run = check(NoToolsSettings::default(), &[(announces(), FIRST), (announces(), SECOND)]);
    let saved = run.guard.save();
    run.guard = Box::new(NoTools::default());
    run.guard.load(saved).expect("its own state");
    run.check(&announces(), ASK);
}
