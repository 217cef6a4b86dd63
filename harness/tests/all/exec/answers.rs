//! Every answer of a child, as the guard passes it on.

use std::sync::Arc;

use balk_guards::{
    AttemptFailure, Blocked, CallKey, Choice, ChoiceKind, Conclusion, Decision, Effect, Entry, FinishReason,
    Gap, GapKind, Guard as _, Note, Question, RawCall, Recovery, Repair, Settlement, Sight, Status, Subject,
    Termination, ToolResult, Verdict, Wait,
};
use serde_json::json;

use super::{begin, guard, hello, offer, patient, quoted};

/// A guard that answers this to every question of this name.
fn answering(name: &str, answer: &str) -> balk::exec::ExecGuard {
    let said = quoted(&format!("{{\"{name}\":{answer}}}"));
    let hello = hello(&format!("\"{name}\""));
    guard(
        &format!("{hello}; while read -r l; do case $l in '{{\"{name}\"'*) echo {said};; esac; done"),
        patient(),
    )
}

fn note(rule: &'static str, level: u8, subject: Subject, text: &str) -> Note {
    Note { guard: "g".into(), rule: rule.into(), level, subject, text: text.into() }
}

#[test]
fn every_verdict() {
    let check = |verdict: &str, expected: Verdict| {
        let mut guard = answering("review", &format!(r#"{{"verdict":{verdict}}}"#));
        let completion = begin(&mut guard);
        assert_eq!(guard.review(&completion), Ok(Decision::from(expected)), "{verdict}");
    };
    let [read, write] = ["read", "write"].map(|tool| CallKey::of(tool, "{}"));
    check("\"pass\"", Verdict::Pass);
    check(
        concat!(
            r#"{"block":[{"call":1,"note":{"rule":"a","text":"no"}},"#,
            r#"{"call":0,"note":{"rule":"b","text":"nor","subject":"run"}}]}"#
        ),
        Verdict::Block(vec![
            Blocked { call: 1, note: note("a", 1, Subject::Call(write), "no") },
            Blocked { call: 0, note: note("b", 1, Subject::Run, "nor") },
        ]),
    );
    check(
        r#"{"retry":{"rule":"a","text":"again","level":3,"subject":{"tool":"read"}}}"#,
        Verdict::Retry(note("a", 3, Subject::Tool("read".into()), "again")),
    );
    check(
        r#"{"stop":{"rule":"a","text":"over","subject":{"call-at":0}}}"#,
        Verdict::Stop(note("a", 1, Subject::Call(read), "over")),
    );
    let key = CallKey::of("other", "{}");
    check(
        &json!({"ask": {
            "note": {"rule": "a", "text": "what?", "subject": {"call": key}},
            "options": [{"kind": "stop", "label": "end"}],
        }})
        .to_string(),
        Verdict::Ask(Question {
            note: note("a", 1, Subject::Call(key), "what?"),
            options: vec![Choice { kind: ChoiceKind::Stop, label: "end".into() }],
        }),
    );
    let mut guard = answering("review", r#"{"verdict":"pass","notices":[{"rule":"a","text":"told"}]}"#);
    let completion = begin(&mut guard);
    let notices = vec![note("a", 1, Subject::Run, "told")];
    assert_eq!(guard.review(&completion), Ok(Decision { notices, ..Decision::pass() }));
    assert_eq!(guard.must_see(), Sight::Whole);
}

/// Its calls have the keys and effects of the run's own tools.
#[test]
fn a_repair() {
    let completion = json!({
        "parts": [],
        "calls": [{"id": "c", "tool": "read", "arguments": "{}", "effect": "read-only"}],
        "finish": "tool_call",
        "usage": {"input_tokens": 1, "output_tokens": 2},
    });
    let mut guard = answering(
        "review",
        &format!(
            r#"{{"verdict":{{"repair":{{"note":{{"rule":"a","text":"meant"}},"completion":{completion}}}}}}}"#
        ),
    );
    let original = begin(&mut guard);
    let Ok(Decision { verdict: Verdict::Repair(Repair { note: said, completion }), .. }) =
        guard.review(&original)
    else {
        panic!("it repairs");
    };
    assert_eq!(said, note("a", 1, Subject::Run, "meant"));
    assert_eq!((completion.finish, completion.usage.output_tokens), (FinishReason::ToolCall, 2));
    let raw = RawCall { id: "c".into(), tool: "read".into(), arguments: "{}".into() };
    let [call] = &*completion.calls else { panic!("one call") };
    assert_eq!((call.key, call.effect), (balk_guards::ToolCall::new(raw, &offer()).key, Effect::ReadOnly));
}

/// A rule is kept and counted for as long as a proxy runs.
#[test]
fn a_rule_has_a_bound() {
    let notice = |rule: &str| {
        let said = json!({"verdict": "pass", "notices": [{"rule": rule, "text": "told"}]});
        let mut guard = answering("review", &said.to_string());
        let completion = begin(&mut guard);
        guard.review(&completion).map(|it| it.notices[0].rule.chars().count()).map_err(|it| it.reason)
    };
    assert_eq!(notice(&"é".repeat(200)), Ok(200));
    let why = "expected a rule of at most 200 characters, found 201";
    let fault = format!("in its answer to `review`: {why}; standard error was empty");
    assert_eq!(notice(&"é".repeat(201)), Err(fault));
    for (rule, found) in [
        ("a\u{85}ended: b", "U+0085"),
        ("a\u{9b}2J", "U+009B"),
        ("a\u{2028}b", "U+2028"),
        ("a\u{7f}b", "U+007F"),
    ] {
        let why =
            format!("expected a rule on one line, without control characters such as tabs, found {found}");
        assert_eq!(notice(rule), Err(format!("in its answer to `review`: {why}; standard error was empty")));
    }
}

#[test]
fn every_settlement() {
    let check = |said: &str, expected: Result<Settlement, &str>| {
        let mut guard = answering("settle", said);
        let completion = begin(&mut guard);
        assert!(guard.review(&completion).expect("it is not asked").is_pass());
        assert_eq!(guard.must_see(), Sight::Nothing);
        let result = ToolResult::executed(&completion.calls[0], Status::Ok, "done");
        let found = guard.settle(&completion, &[result]).map_err(|fault| fault.reason);
        let expected =
            expected.map_err(|why| format!("in its answer to `settle`: {why}; standard error was empty"));
        assert_eq!(found, expected, "{said}");
    };
    check(r#"{"accept":[]}"#, Ok(Settlement::Accept(Vec::new())));
    check(
        r#"{"accept":[{"rule":"a","text":"look","subject":{"call-at":1}}]}"#,
        Ok(Settlement::Accept(vec![note("a", 1, Subject::Call(CallKey::of("write", "{}")), "look")])),
    );
    check(r#"{"rerun":{"call":1,"after":50}}"#, Ok(Settlement::Rerun { call: 1, after: 50 }));
    check(r#"{"rerun":{"call":2,"after":50}}"#, Err("expected an index of a call below 2, found 2"));
    check(
        r#"{"rerun":{"call":0,"after":18446744073709551615}}"#,
        Err("expected a wait of at most 1099511627776 ticks, found 18446744073709551615"),
    );
}

#[test]
fn every_recovery() {
    let check = |said: &str, expected: Result<Option<Recovery>, &str>| {
        let mut guard = answering("recover", said);
        begin(&mut guard);
        let found = guard.recover(&AttemptFailure::empty(1)).map_err(|fault| fault.reason);
        let expected =
            expected.map_err(|why| format!("in its answer to `recover`: {why}; standard error was empty"));
        assert_eq!(found, expected, "{said}");
    };
    check("null", Ok(None));
    check(
        r#"{"resend":{"after":{"at_least":1,"at_most":9}}}"#,
        Ok(Some(Recovery::resend(Wait { at_least: 1, at_most: 9 }))),
    );
    check(
        r#"{"resend":{"after":{"at_least":0,"at_most":0},"notice":{"rule":"a","text":"again"}}}"#,
        Ok(Some(Recovery::Resend {
            after: Wait::exactly(0),
            notice: Some(note("a", 1, Subject::Run, "again")),
        })),
    );
    check(
        r#"{"stop":{"rule":"a","text":"over"}}"#,
        Ok(Some(Recovery::Stop(note("a", 1, Subject::Run, "over")))),
    );
    check(
        r#"{"ask":{"note":{"rule":"a","text":"may it?"},"options":[{"kind":"continue","label":"yes"}]}}"#,
        Ok(Some(Recovery::Ask(Question {
            note: note("a", 1, Subject::Run, "may it?"),
            options: vec![Choice { kind: ChoiceKind::Continue, label: "yes".into() }],
        }))),
    );
    check(
        r#"{"resend":{"after":{"at_least":9,"at_most":1}}}"#,
        Err("expected a wait of at least 9 ticks, found at most 1"),
    );
    check(
        r#"{"stop":{"rule":"a","text":"over","subject":{"call-at":0}}}"#,
        Err("expected no index of a call, since there is none, found 0"),
    );
}

#[test]
fn every_conclusion() {
    let end = Termination::StoppedByGuard;
    let check = |said: &str, expected: Option<Conclusion>| {
        let mut guard = answering("conclude", said);
        begin(&mut guard);
        assert_eq!(guard.conclude(&end), Ok(expected), "{said}");
    };
    check("null", None);
    let told = note("a", 1, Subject::Run, "kept");
    check(
        r#"{"note":{"rule":"a","text":"kept"}}"#,
        Some(Conclusion { end: end.clone(), note: told.clone(), gap: None }),
    );
    let gap = json!({
        "kind": "missing-input", "missing": "a.csv", "tried": [{"tool": "read", "calls": 2, "failures": 2}],
        "explanation": "It is not there.", "could_do": ["Add it."], "resume": "Say so.",
        "constraint": {"rule": "b", "text": "Without it."},
    });
    let expected = Gap {
        kind: GapKind::MissingInput,
        missing: "a.csv".into(),
        tried: vec![balk_guards::Tried { tool: "read".into(), calls: 2, failures: 2, last_error: None }],
        explanation: "It is not there.".into(),
        could_do: vec!["Add it.".into()],
        resume: "Say so.".into(),
        constraint: Some(note("b", 1, Subject::Run, "Without it.")),
    };
    check(
        &format!(r#"{{"note":{{"rule":"a","text":"kept"}},"gap":{gap}}}"#),
        Some(Conclusion { end: end.clone(), note: told, gap: Some(expected) }),
    );
}

#[test]
fn a_state_is_that_of_its_guard() {
    let keeps = r#"read -r _; echo '{"hello":{"protocol":1,"guard":"g","answers":["review"],"keeps_state":true}}'
        while read -r l; do case $l in
            '{"save"'*) echo '{"save":{"version":7,"state":[1]}}';;
            '{"load":{"version":7,'*) echo '{"load":"ok"}';;
            '{"load"'*) echo '{"load":{"refused":"expected version 7"}}';;
            '{"review"'*) echo '{"review":{"verdict":"pass"}}';;
        esac; done"#;
    let mut it = guard(keeps, patient());
    let completion = begin(&mut it);
    let saved = it.save();
    assert_eq!((&saved["guard"], &saved["state"]), (&json!("g"), &json!({"version": 7, "state": [1]})));
    it.load(saved.clone()).expect("it is its own state");
    let mut other = saved.clone();
    other["state"]["version"] = json!(8);
    let refused = it.load(other).expect_err("another version");
    assert_eq!(refused.reason, "it refused the state: expected version 7");
    let mut foreign = saved.clone();
    foreign["guard"] = json!("other");
    assert_eq!(
        it.load(foreign).expect_err("no such guard").reason,
        "expected a state of `g`, found one of `other`"
    );
    let broken = it.load(json!({"guard": "g"})).expect_err("no state").reason;
    assert!(broken.starts_with("the saved state is broken: missing field"), "{broken}");
    assert_eq!(it.load(json!(null)), Ok(()));
    assert!(it.review(&completion).expect("it goes on").is_pass());
    // It keeps nothing of what it was told before, in either process.
    assert_eq!(it.save()["offer"], json!([]));
    begin(&mut it);
    assert_eq!(it.save()["offer"], saved["offer"]);
    assert!(it.review(&completion).expect("it goes on").is_pass());

    let mut keeps_none = answering("review", r#"{"verdict":"pass"}"#);
    begin(&mut keeps_none);
    assert_eq!(keeps_none.save(), json!(null));
    let refused = keeps_none.load(saved).expect_err("it keeps none").reason;
    assert!(refused.starts_with("expected null, for a guard that keeps no state, found {"), "{refused}");
}

/// A child that breaks over its state breaks the guard: the next answer says so. No other guard goes on without it.
#[test]
fn a_state_that_cannot_be_saved_is_a_fault() {
    let dies = r#"read -r _; echo '{"hello":{"protocol":1,"guard":"g","answers":["review"],"keeps_state":true}}'
        while read -r l; do case $l in '{"save"'*) exit 9;; esac; done"#;
    let mut it = guard(dies, patient());
    let completion = begin(&mut it);
    let why = "expected an answer to `save`, found the end of its output (exit status: 9); standard error was empty";
    let saved = it.save();
    assert_eq!(saved, json!({"guard": "g", "broke": why}));
    it.observe(&Entry::Completion(Arc::new(completion.clone())));
    assert_eq!(it.review(&completion).expect_err("it broke").reason, why);
    assert_eq!(it.save(), saved, "it stays broken");
    let refused = guard(dies, patient()).load(saved).expect_err("it is no state").reason;
    assert_eq!(refused, format!("expected a state, found that `g` had broken before: {why}"));
}
