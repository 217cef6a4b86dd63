//! The handoff guard against spec H2 to H4, and its laws: the contents of a handoff, and the retry that it offers.

use std::sync::Arc;

use crate::common::handoffs::{
    STUCK, after, conclude, constrain, fatal, handoff, kinds, no_jq, read, run, says_all,
};
use crate::common::{Loop, Turn, bare_offer, calls, says};
use balk_guards::{
    ChoiceKind, Conclusion, Entry, Guard, Handoff, Intervention, InterventionKind, Limit, Note, Stack,
    Subject, Termination, ToolResult, Tried, View,
};
use proptest::prelude::*;

// spec H2, H3, H4

#[test]
fn h2_the_handoff_carries_everything() {
    let read_twice = [read("a.json"), no_jq(), no_jq(), read("b.json").fails("busy"), read("b.json")];
    let (note, gap) = handoff(&after(&read_twice), &STUCK);
    assert_eq!(
        gap.tried,
        [
            Tried { tool: "read".into(), calls: 3, failures: 1, last_error: None },
            Tried {
                tool: "bash".into(),
                calls: 2,
                failures: 2,
                last_error: Some("bash: jq: command not found".into())
            },
        ]
    );
    says_all(&gap.explanation, &["gap in the tools", "not in your request", "`jq`", "command not found"]);
    assert_eq!(gap.could_do.len(), 2);
    says_all(&gap.could_do[0], &["install"]);
    says_all(&note.text, &[&gap.explanation, "`read` 3 times (1 failed)", "`bash` twice (failed each time)"]);
    says_all(&note.text, &[&gap.could_do[0], &gap.could_do[1], &gap.resume]);
}

#[test]
fn h2_h3_three_options_and_a_constrained_retry() {
    let it = conclude(&after(&[no_jq()]), &STUCK).expect("a conclusion");
    assert_eq!(kinds(&it), [ChoiceKind::Constrain, ChoiceKind::Report, ChoiceKind::Stop]);
    let constraint = it.gap.expect("a gap").constraint.expect("a retry");
    assert_eq!((&*constraint.guard, &*constraint.rule), ("handoff", "constrained"));
    says_all(
        &constraint.text,
        &["`jq` is not available", "`read`", "`ask_user`", "no others", "say plainly"],
    );
}

#[test]
fn h3_each_kind_is_constrained_in_its_own_words() {
    let text = |turn: Turn| {
        let (_, gap) = handoff(&after(&[turn]), &STUCK);
        gap.constraint.expect("a retry").text.to_string()
    };
    says_all(&text(read("a.py").fails("no such file: a.py")), &["`a.py` is not there"]);
    says_all(&text(calls("append", "no").fails("no")), &["`append` was not accepted", "one JSON object"]);
    says_all(&text(calls("append", "{}").fails("no")), &["led nowhere"]);
    let unknown = text(calls("browser_open", "{}").fails("error: unknown tool"));
    assert!(unknown.contains("does not exist here") && !unknown.contains("browser_open"), "{unknown}");
    let denied = text(calls("append", "{}").fails("operation not permitted"));
    says_all(
        &denied,
        &["`append` cannot do in this run what you last called it for", "`append`, `send_mail`"],
    );
    assert!(!denied.contains("not available"), "{denied}");
}

#[test]
fn h3_where_nobody_can_answer_the_options_are_text() {
    let it = conclude(&after(&[no_jq()]), &STUCK).expect("a conclusion");
    let notice = it.notice();
    says_all(&notice.text, &[&it.note.text, "\n- try again", "\n- report", "\n- end the run"]);
    assert_eq!(Note { text: it.note.text.clone(), ..notice }, it.note);
}

#[test]
fn h3_a_spent_budget_of_questions_offers_no_retry() {
    let mut run = Loop::new(Stack::new(vec![Box::new(()), Box::new(Handoff::default())]));
    run.pass(&no_jq(), 1);
    let note =
        Note { guard: "x".into(), rule: "r".into(), level: 1, subject: Subject::Run, text: "?".into() };
    for _ in 0..3 {
        let kind = InterventionKind::Question(vec![]);
        run.commit(Entry::Intervention(Intervention { kind, note: note.clone(), seen: true }));
    }
    let it = conclude(&run, &STUCK).expect("a conclusion");
    assert_eq!(kinds(&it), [ChoiceKind::Report, ChoiceKind::Stop]);
    assert!(!it.notice().text.contains("try again"));
}

#[test]
fn h4_what_failed_stays_in_the_transcript_and_the_conclusion_out_of_the_view() {
    let mut run = after(&[no_jq(), no_jq()]);
    let before = View::of(&run.entries);
    let failures = run.entries.len();
    let it = conclude(&run, &STUCK).expect("a conclusion");
    run.commit(Entry::Conclusion(Arc::new(it.clone())));
    assert_eq!(View::of(&run.entries), before);
    assert_eq!(run.entries[failures..], [Entry::Conclusion(Arc::new(it.clone()))]);
    let json = serde_json::to_string(&it).expect("plain data");
    assert_eq!(serde_json::from_str::<Conclusion>(&json).expect("its own text"), it);
}

// spec M1, M2

#[test]
fn m1_a_second_handoff_says_that_it_was_tried_and_offers_no_retry() {
    let mut run = after(&[no_jq()]);
    let first = constrain(&mut run, &STUCK);
    run.pass(&says("I need jq."), 1);
    let second = conclude(&run, &STUCK).expect("a conclusion");
    assert_eq!(kinds(&second), [ChoiceKind::Report, ChoiceKind::Stop]);
    assert_eq!((first.note.level, second.note.level), (1, 2));
    says_all(&second.note.text, &["tried again with the tools that exist"]);
    assert_ne!(first.note.text, second.note.text);
}

#[test]
fn m1_a_host_that_goes_on_without_a_retry_gets_other_words_and_the_retry() {
    let mut run = after(&[no_jq()]);
    let first = conclude(&run, &STUCK).expect("a conclusion");
    run.commit(Entry::Conclusion(Arc::new(first.clone())));
    let second = conclude(&run, &STUCK).expect("a conclusion");
    assert_ne!(first.note.text, second.note.text);
    assert!(!second.note.text.contains("tried again"));
    assert_eq!(kinds(&second).len(), 3);
}

// Limits and laws

#[test]
fn h2_tools_errors_and_names_are_bounded() {
    let mut run = run();
    for n in 0..100 {
        let path = format!(r#"{{"path":"{n}{}"}}"#, "語".repeat(5_000));
        run.turn(&calls(&format!("tool_{n}"), &path).fails(&"é\u{1}".repeat(9_000)));
        run.turn(&calls("append", &path));
        run.turn(&read(&"長".repeat(9_000)));
    }
    run.user(&"語".repeat(90_000));
    let (note, gap) = handoff(&run, &STUCK);
    assert_eq!(gap.tried.len(), 64);
    assert!(gap.tried.iter().flat_map(|it| &it.last_error).all(|it| it.chars().count() <= 300));
    assert!(note.text.chars().count() < 2_000, "{}", note.text);
    assert!(run.guard.save().to_string().len() < 128 * 1024);
}

fn last_result<'r>(run: &'r Loop, tool: &str) -> Option<&'r ToolResult> {
    let result = |entry: &'r Entry| if let Entry::Result(it) = entry { Some(it) } else { None };
    run.entries.iter().rev().filter_map(result).find(|it| *it.call.tool == *tool)
}

fn turn() -> impl Strategy<Value = Turn> {
    let tool = prop_oneof![Just("bash"), Just("read"), Just("write_file"), Just("no_such_tool")];
    let error = prop_oneof![
        Just("bash: jq: command not found".to_owned()),
        Just("no such file: a.py".to_owned()),
        Just("usage: x".to_owned()),
        Just("denied: 'x".to_owned()),
        Just("é\"\\\n`".repeat(2_000)),
        any::<String>(),
        "[a-z':` ]{0,9}(not found|ENOENT|does not exist|sh: 1: )[a-z':` ]{0,9}",
    ];
    let arguments = prop_oneof![
        3 => Just(r#"{"path":"a.py"}"#.to_owned()),
        1 => Just("{".to_owned()),
        1 => Just(format!("{{\"path\":{:?}}}", "語".repeat(5_000))),
        1 => any::<String>(),
    ];
    (tool, arguments, error, 0..4_u8).prop_map(|(tool, arguments, error, how)| {
        let call = calls(tool, &arguments);
        match how {
            0 => call.answers(&error),
            1 => call.answers_something(&error),
            _ => call.fails(&error),
        }
    })
}

fn end() -> impl Strategy<Value = Termination> {
    prop_oneof![
        Just(STUCK),
        Just(Termination::StoppedByGuard),
        Just(Termination::Limit(Limit::Turns)),
        any::<String>().prop_map(|message| fatal(&message)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn h6_a_reported_error_is_never_one_that_a_success_followed(
        turns in proptest::collection::vec(turn(), 0..24),
        end in end(),
    ) {
        let run = after(&turns);
        let Some(gap) = conclude(&run, &end).and_then(|it| it.gap) else { return Ok(()) };
        for tried in gap.tried {
            let last = last_result(&run, &tried.tool);
            let last = last.expect("what was tried stands in the transcript");
            prop_assert_eq!(tried.last_error.is_some(), last.is_failure());
            if let Some(error) = tried.last_error {
                prop_assert!(last.text.trim().starts_with(&*error) && error.chars().count() <= 300);
            }
        }
    }

    #[test]
    fn m1_m2_conclusions_differ_are_short_and_point_at_offered_tools_only(
        turns in proptest::collection::vec(turn(), 0..24),
        end in end(),
    ) {
        let mut run = Loop::with_offer(Handoff::default(), bare_offer());
        turns.iter().for_each(|turn| run.pass(turn, 1));
        let mut last: Option<Conclusion> = None;
        for _ in 0..3 {
            let it = conclude(&run, &end).expect("nobody has spoken");
            prop_assert!(it.note.text.chars().count() <= 2_400, "{}", it.note.text);
            prop_assert!(!it.note.text.contains("user refused"));
            if let Some(last) = last {
                prop_assert_ne!(last.note.text, it.note.text.clone());
            }
            let constraint = it.gap.as_ref().and_then(|gap| gap.constraint.as_ref());
            if let Some(constraint) = constraint {
                let offered = constraint.text.split_once("The tools that exist are ").expect("the offer").1;
                prop_assert!(offered.starts_with("`read` and `write_file`; there are no others."));
                constrain(&mut run, &end);
            } else {
                run.commit(Entry::Conclusion(Arc::new(it.clone())));
            }
            last = Some(it);
        }
    }

    #[test]
    fn h2_a_saved_state_gives_the_same_conclusion(
        turns in proptest::collection::vec(turn(), 0..24),
        end in end(),
        cut in any::<proptest::sample::Index>(),
    ) {
        let run = after(&turns);
        let (before, rest) = run.entries.split_at(cut.index(run.entries.len()));
        let mut first = Handoff::default();
        before.iter().for_each(|entry| first.observe(entry));
        let mut second = Handoff::default();
        second.load(first.save()).expect("its own state");
        rest.iter().for_each(|entry| second.observe(entry));
        prop_assert_eq!(second.conclude(&end).expect("never breaks"), conclude(&run, &end));
    }
}
