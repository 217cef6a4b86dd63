//! The handoff guard against spec H1 to H6, hits and silence alike.

#[expect(dead_code, reason = "each test file needs a part of it")]
mod common;

use std::sync::Arc;

use balk_guards::{
    AttemptCause, AttemptFacts, AttemptFailure, AttemptResponse, ChoiceKind, Conclusion, Effect,
    EmptyCompletion, Entry, FailedAttempt, Gap, GapKind, Guard, Handoff, HandoffSettings, Intervention,
    InterventionKind, Limit, Note, Offer, Recovery, Stack, Subject, Termination, Tool, ToolResult, Tried,
    UserAnswer, View,
};
use common::broken::{called, nothing, ran, shown, unknown, with_search};
use common::{Loop, Turn, bare_offer, calls, offer, says};
use proptest::prelude::*;

const STUCK: Termination = Termination::NoProgress;

fn run() -> Loop {
    Loop::new(Handoff::default())
}

fn after(turns: &[Turn]) -> Loop {
    let mut run = run();
    turns.iter().for_each(|turn| run.pass(turn, 1));
    run
}

fn fatal(message: &str) -> Termination {
    Termination::FatalExecution(message.into())
}

fn conclude(run: &Loop, end: &Termination) -> Option<Conclusion> {
    run.guard.conclude(end).expect("never breaks")
}

#[track_caller]
fn handoff(run: &Loop, end: &Termination) -> (Note, Gap) {
    let Conclusion { note, gap, .. } = conclude(run, end).expect("a conclusion");
    let gap = gap.expect("a gap");
    assert_eq!((&*note.guard, &*note.rule), ("handoff", gap.kind.name()));
    (note, gap)
}

#[track_caller]
fn soft(run: &Loop, end: &Termination, rule: &str) -> String {
    let it = conclude(run, end).expect("a conclusion");
    assert_eq!((it.gap.clone(), &*it.note.guard, &*it.note.rule), (None, "handoff", rule));
    assert_eq!((it.question(), it.notice()), (None, it.note.clone()));
    it.note.text.to_string()
}

#[track_caller]
fn says_all(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in: {text}");
    }
}

fn kinds(it: &Conclusion) -> Vec<ChoiceKind> {
    it.question().expect("a question").options.iter().map(|it| it.kind).collect()
}

fn no_jq() -> Turn {
    calls("bash", r#"{"command":"jq . a.json"}"#).fails("bash: jq: command not found")
}

fn write() -> Turn {
    calls("write_file", r#"{"path":"a.py"}"#)
}

fn read(path: &str) -> Turn {
    calls("read", &format!(r#"{{"path":"{path}"}}"#)).answers(path)
}

/// What the loop does with a conclusion whose question is answered with "try again".
fn constrain(run: &mut Loop, end: &Termination) -> Conclusion {
    let it = conclude(run, end).expect("a conclusion");
    run.commit(Entry::Conclusion(Arc::new(it.clone())));
    run.commit(Entry::Intervention(it.question().expect("a question").intervention(true)));
    run.commit(Entry::Answer(UserAnswer { choice: ChoiceKind::Constrain, text: "Try again.".into() }));
    let note = it.gap.clone().and_then(|gap| gap.constraint).expect("a retry is offered");
    run.commit(Entry::Intervention(Intervention { kind: InterventionKind::Note, note, seen: true }));
    it
}

// spec H1

#[test]
fn h1_no_progress_and_a_fatal_failure_build_a_handoff() {
    let run = after(&[no_jq(), no_jq()]);
    for end in [STUCK, Termination::StoppedByGuard, Termination::Limit(Limit::Turns), fatal("jq is missing")]
    {
        let (_, gap) = handoff(&run, &end);
        assert_eq!((gap.kind, &*gap.missing), (GapKind::MissingCapability, "jq"));
        assert_eq!(conclude(&run, &end).expect("a conclusion").end, end);
    }
}

#[test]
fn h1_other_ends_build_none() {
    for run in [run(), after(&[no_jq()]), after(&[write()])] {
        for end in [Termination::Finished, Termination::StoppedByUser, Termination::GuardFault("x".into())] {
            assert_eq!(conclude(&run, &end), None);
        }
    }
}

#[test]
fn h1_while_the_run_goes_on_nothing_is_said() {
    let mut run = after(&[no_jq(), no_jq(), read("a"), read("a"), read("a"), says("```python\nx\n```")]);
    assert_eq!(run.guard.recover(&AttemptFailure::empty(9)), Ok(None));
    run.pass(&no_jq(), 5);
    assert_eq!(run.interventions().count(), 0);
}

#[test]
fn h1_with_changes_it_ends_softly_and_says_them() {
    let run = after(&[write(), calls("send_mail", "{}"), no_jq()]);
    for end in [STUCK, Termination::StoppedByGuard, Termination::Limit(Limit::Calls)] {
        let text = soft(&run, &end, "partial-work");
        says_all(&text, &["`a.py` and `send_mail`", "2 calls", "jq: command not found", "To go on"]);
    }
    says_all(&soft(&run, &Termination::Limit(Limit::Calls), "partial-work"), &["limit of calls"]);
}

#[test]
fn h1_a_fatal_failure_is_handed_over_with_its_changes() {
    let (note, gap) = handoff(&after(&[write(), no_jq()]), &fatal("gone"));
    assert_eq!(&*gap.missing, "jq");
    says_all(&note.text, &["Changed before, and kept: `a.py`"]);
}

#[test]
fn h1_a_write_that_failed_was_refused_or_is_unknown_is_no_change() {
    let turns = [write().fails("no space"), calls("bash", "{}"), write().answers_something("?")];
    handoff(&after(&turns), &STUCK);
}

#[test]
fn h1_nothing_was_changed_is_said_only_where_it_is_known() {
    let limit = Termination::Limit(Limit::Turns);
    let lost_read = calls("read", "{}").goes_missing();
    for turn in [read("b"), lost_read, write().fails("no space"), calls("bash", "{}").fails("no")] {
        let mut run = after(&[turn, calls("bash", "{}").fails("no"), says("Hm.")]);
        run.user("Go on.");
        run.pass(&read("a"), 1);
        says_all(&soft(&run, &limit, "partial-work"), &["Nothing was changed so far."]);
    }
    for (turn, said) in [
        (calls("bash", "{}"), "No change is known of."),
        (calls("deploy", "{}").answers_something("?"), "No change is known of."),
        (
            write().answers_something("?"),
            "May have been changed: `a.py` (it did not say whether it worked); look first.",
        ),
        (write().goes_missing(), "May have been changed: `a.py` (its answer is lost); look first."),
        (calls("bash", "{}").goes_missing(), "May have been changed: `bash` (its answer is lost)"),
    ] {
        let text = soft(&after(&[turn, read("a")]), &limit, "partial-work");
        says_all(&text, &[said]);
        assert!(!text.contains("Nothing was changed"), "{text}");
    }
}

#[test]
fn h1_a_lost_call_ends_softly_and_is_said() {
    let lost = || calls("send_mail", "{}").goes_missing();
    let run = after(&[lost(), lost(), write().answers_something("?"), no_jq()]);
    for end in [STUCK, Termination::StoppedByGuard, Termination::Limit(Limit::Calls)] {
        let text = soft(&run, &end, "partial-work");
        says_all(&text, &["changed: `send_mail` (its answer is lost) and `a.py` (it did not say"]);
    }
    let (note, _) = handoff(&run, &fatal("gone"));
    says_all(&note.text, &["\n\nMay have been changed: `send_mail` (its answer is lost)"]);
    let text = soft(&after(&[write(), lost()]), &STUCK, "partial-work");
    says_all(&text, &["Changed, and kept: `a.py` (1 call). May have been changed: `send_mail`"]);
    let mut run = after(&[lost()]);
    run.user("Count the rows.");
    run.pass(&no_jq(), 1);
    handoff(&run, &STUCK);
    for harmless in [calls("read", "{}").goes_missing(), calls("bash", "{}").fails("no")] {
        handoff(&after(&[harmless]), &STUCK);
    }
}

#[test]
fn h1_changes_of_an_earlier_request_do_not_soften_this_one() {
    let mut run = after(&[write(), says("Done.")]);
    run.user("Now count the rows.");
    run.pass(&no_jq(), 1);
    let (note, _) = handoff(&run, &STUCK);
    says_all(&note.text, &["kept: `a.py`"]);
}

#[test]
fn h1_a_bound_reached_on_the_way_is_no_gap() {
    let run = after(&[read("a"), read("b"), read("c")]);
    let text = soft(&run, &Termination::Limit(Limit::Turns), "partial-work");
    says_all(&text, &["limit of turns", "Nothing was changed"]);
    handoff(&after(&[says("I will."), says("I will.")]), &Termination::Limit(Limit::Turns));
}

#[test]
fn h1_the_message_counts_where_no_call_of_the_last_turn_failed() {
    let run = after(&[calls("pytest", "{}").fails("2 failed"), calls("read", "{}")]);
    let (note, gap) = handoff(&run, &fatal("sandbox: operation not permitted"));
    assert_eq!((gap.kind, &*gap.missing), (GapKind::MissingCapability, ""));
    says_all(&note.text, &["sandbox: operation not permitted"]);
    let (note, gap) = handoff(&run, &fatal("the disk is gone"));
    assert_eq!(gap.kind, GapKind::NoProgress);
    says_all(&note.text, &["the disk is gone"]);
    handoff(&after(&[says("Hm.")]), &fatal(""));
}

// spec H1, the provider

fn failed(cause: AttemptCause, message: &str, facts: AttemptFacts) -> Entry {
    let failure = AttemptFailure { attempt: 3, cause, message: message.into(), facts };
    Entry::Failed(FailedAttempt { failure, response: AttemptResponse::Ended })
}

#[test]
fn h1_a_provider_that_is_not_there_is_no_gap() {
    let mut run = after(&[write(), no_jq()]);
    run.commit(failed(AttemptCause::Connect, "connection refused.", AttemptFacts::default()));
    let text = soft(&run, &fatal("connection refused"), "provider");
    says_all(&text, &["no connection came about: connection refused", "Nothing was run", "kept: `a.py`"]);
    run.pass(&no_jq(), 1);
    handoff(&run, &fatal("x"));
    let facts = AttemptFacts { tool_execution_started: None, ..AttemptFacts::default() };
    run.commit(failed(AttemptCause::Disconnected, "", facts));
    let text = soft(&run, &Termination::Limit(Limit::Attempts), "provider");
    assert!(text.contains("the connection broke off") && !text.contains("Nothing was run"), "{text}");
}

const AS_BEFORE: &str = "are as they were: start the run again once the provider answers.";
const NOTHING_RAN: &str = "Nothing was run in that attempt.";

/// The notice of a run on this offer that ended over this attempt.
#[track_caller]
fn provider(offer: &Arc<Offer>, cause: AttemptCause, facts: AttemptFacts) -> String {
    let mut run = Loop::with_offer(Handoff::default(), offer.clone());
    run.commit(failed(cause, "", facts));
    soft(&run, &Termination::Limit(Limit::Attempts), "provider")
}

#[test]
fn h1_what_began_in_the_attempt_is_to_be_looked_for() {
    let text = |facts| provider(&offer(), AttemptCause::Disconnected, facts);
    let begun = |tool: &str| format!("`{tool}` may have taken effect: look before you start again.");
    for (facts, words) in [
        (ran(&["read", "send_mail", "send_mail"]), begun("send_mail")),
        (ran(&["append", "no_such_tool"]), begun("append` and `no_such_tool")),
        (
            AttemptFacts { started: vec![], ..ran(&[]) },
            "Whether a tool took effect is not known: look before you start again.".into(),
        ),
        (unknown(), "Whether a tool took effect is not known: look before you start again.".into()),
    ] {
        let text = text(facts);
        says_all(&text, &[&words]);
        assert!(!text.contains(NOTHING_RAN) && !text.contains("as they were"), "{text}");
    }
    for facts in [nothing(), called(), shown()] {
        says_all(&text(facts), &[NOTHING_RAN, AS_BEFORE]);
    }
    let harmless = text(ran(&["read"]));
    says_all(&harmless, &[AS_BEFORE]);
    assert!(!harmless.contains(NOTHING_RAN), "{harmless}");
    let many: Vec<String> = (0..99).map(|at| format!("{at}{}", "語".repeat(500))).collect();
    let names: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(text(ran(&names)).chars().count() < 2_000);
}

#[test]
fn h1_what_the_provider_runs_may_have_run_whatever_was_seen() {
    let bank = Tool::new("bank.pay").effect(Effect::External).provider_executed();
    let bank = Arc::new(Offer::new([Tool::new("read").effect(Effect::ReadOnly), bank]));
    for facts in [nothing(), shown(), unknown()] {
        let text = provider(&bank, AttemptCause::TimedOut, facts);
        says_all(&text, &["`bank_pay` may have taken effect: look before you start again."]);
        assert!(!text.contains(NOTHING_RAN), "{text}");
    }
    let both = provider(&bank, AttemptCause::TimedOut, ran(&["bank.pay", "read"]));
    says_all(&both, &[" `bank_pay` may have taken effect"]);
    let search = provider(&Arc::new(with_search()), AttemptCause::TimedOut, nothing());
    says_all(&search, &[AS_BEFORE]);
    assert!(!search.contains(NOTHING_RAN), "{search}");
    // Where no request left, nobody ran anything.
    says_all(&provider(&bank, AttemptCause::Connect, nothing()), &[NOTHING_RAN, AS_BEFORE]);
    says_all(&provider(&bank, AttemptCause::Connect, unknown()), &[NOTHING_RAN, AS_BEFORE]);
}

#[test]
fn h1_what_a_guard_said_about_the_attempt_is_not_said_again() {
    let mut run =
        Loop::new(Stack::new(vec![Box::new(EmptyCompletion::default()), Box::new(Handoff::default())]));
    run.pass(&no_jq(), 2);
    let failure = AttemptFailure::empty(3);
    let Ok(Some(Recovery::Stop(note))) = run.guard.recover(&failure) else {
        panic!("the attempts are spent")
    };
    run.commit(Entry::Failed(FailedAttempt { failure, response: AttemptResponse::Ended }));
    assert_eq!(conclude(&run, &Termination::StoppedByGuard), None);
    run.commit(Entry::Intervention(Intervention { kind: InterventionKind::Stop, note, seen: true }));
    assert_eq!(conclude(&run, &Termination::StoppedByGuard), None);
    assert_eq!(conclude(&run, &fatal("nothing came")), None);
}

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
    let denied = text(calls("append", "{}").fails("operation not permitted"));
    says_all(&denied, &["What `append` was last called for cannot be done", "`append`, `send_mail`"]);
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

// spec H6

#[test]
fn h6_read_only_loops_are_no_progress() {
    let same: Vec<_> = (0..3).map(|_| read("a.py")).collect();
    let cycle: Vec<_> = ["a.py", "b.py", "a.py", "b.py"].map(read).into();
    for (turns, again) in [(same, "`read` a.py"), (cycle, "`read` a.py and `read` b.py")] {
        for end in [STUCK, Termination::Limit(Limit::Turns)] {
            let (note, gap) = handoff(&after(&turns), &end);
            assert_eq!((gap.kind, &*gap.missing), (GapKind::NoProgress, ""));
            says_all(&note.text, &["read the same over and over", again, "2 reads brought nothing new"]);
        }
    }
}

#[test]
fn h6_reads_that_bring_something_new_are_no_loop() {
    let limit = Termination::Limit(Limit::Turns);
    let poll = |n: u32| calls("read", "{}").answers(&format!("row {n}"));
    let changing: Vec<_> = (0..9).map(poll).collect();
    let once_more: Vec<_> = ["a", "b", "a", "c", "b", "d"].map(read).into();
    let between = [read("a"), calls("bash", "{}"), read("a"), calls("bash", "{}"), read("a")];
    for turns in [&changing[..], &once_more, &between] {
        soft(&after(turns), &limit, "partial-work");
    }
    let mut run = after(&[read("a"), read("a")]);
    run.compact();
    run.pass(&read("a"), 2);
    soft(&run, &limit, "partial-work");
    run.user("Again.");
    run.pass(&read("a"), 2);
    soft(&run, &limit, "partial-work");
    run.pass(&read("a"), 1);
    handoff(&run, &limit);
}

#[test]
fn h6_one_late_first_read_does_not_end_a_long_circle() {
    let circle = ["a.py", "b.py", "c.py"].map(read);
    let mut turns: Vec<_> = circle.iter().cycle().take(12).cloned().collect();
    turns.push(read("d.py"));
    let (note, _) = handoff(&after(&turns), &Termination::Limit(Limit::Turns));
    says_all(&note.text, &["read the same over and over", "`read` a.py"]);
    turns.extend(["e.py", "f.py"].map(read));
    soft(&after(&turns), &Termination::Limit(Limit::Turns), "partial-work");
}

#[test]
fn h6_how_many_reads_make_a_loop_is_a_setting() {
    let looping = |repeated_reads, reads| {
        let mut run = Loop::new(Handoff::new(HandoffSettings { repeated_reads }));
        run.pass(&read("a"), reads);
        let (note, _) = handoff(&run, &STUCK);
        note.text.contains("over and over")
    };
    assert!(looping(0, 2) && looping(1, 2) && looping(5, 6));
    assert!(!looping(0, 1) && !looping(5, 5));
}

#[test]
fn h6_a_stale_error_is_not_reported() {
    let run = after(&[no_jq(), calls("bash", r#"{"command":"python count.py"}"#)]);
    let (note, gap) = handoff(&run, &STUCK);
    assert_eq!((gap.kind, &gap.tried[0].last_error), (GapKind::NoProgress, &None));
    assert!(!note.text.contains("jq"), "{}", note.text);
    // Nor where nobody knows whether the later call worked.
    let turns = [no_jq(), calls("bash", "{}").answers_something("")];
    assert_eq!(handoff(&after(&turns), &STUCK).1.tried[0].last_error, None);
    let lost = after(&[no_jq(), calls("bash", "{}").goes_missing()]);
    assert_eq!(handoff(&lost, &fatal("gone")).1.tried[0].last_error, None);
    assert!(!soft(&lost, &STUCK, "partial-work").contains("jq"));
}

#[test]
fn h6_a_soft_end_does_not_report_what_later_work_left_behind() {
    let absent = || read("a.json").fails("no such file: a.json");
    for later in [write(), calls("bash", "{}"), calls("pytest", "{}")] {
        let run = after(&[write(), absent(), later]);
        let text = soft(&run, &Termination::Limit(Limit::Turns), "partial-work");
        says_all(&text, &["is not certain"]);
        assert!(!text.contains("Not done is") && !text.contains("a.json"), "{text}");
    }
    // What failed since stands in the way, also where nobody knows of a later call whether it worked.
    for later in [says("Hm."), calls("pytest", "{}").fails("2 failed"), write().answers_something("?")] {
        let run = after(&[write(), calls("bash", "{}"), absent(), later]);
        let text = soft(&run, &Termination::Limit(Limit::Turns), "partial-work");
        says_all(&text, &["Not done is what `read` was last called for", "a.json"]);
    }
    let red = calls("pytest", "{}").fails("2 failed");
    let run = after(&[write(), no_jq(), read("a"), red]);
    says_all(&soft(&run, &STUCK, "partial-work"), &["Not done is what `pytest` was last called for"]);
}

#[test]
fn h6_a_gap_is_rather_what_failed_since_the_last_change() {
    let red = || calls("pytest", "{}").fails("2 failed");
    let (_, gap) = handoff(&after(&[no_jq(), write(), red()]), &fatal("gone"));
    assert_eq!((gap.kind, &*gap.missing), (GapKind::NoProgress, "pytest"));
    // Whoever only looked around has left nothing behind.
    for look in [read("a"), calls("deploy", "{}"), write().fails("no")] {
        for end in [STUCK, Termination::Limit(Limit::Turns)] {
            let (_, gap) = handoff(&after(&[no_jq(), look.clone(), red()]), &end);
            assert_eq!((gap.kind, &*gap.missing), (GapKind::MissingCapability, "jq"));
            handoff(&after(&[no_jq(), look.clone()]), &end);
        }
    }
}

#[test]
fn h6_an_old_failure_is_not_the_obstacle_of_a_new_request_that_ran_into_another() {
    let mut run = after(&[no_jq()]);
    run.user("Proceed");
    run.pass(&says("```python\nx\n```"), 1);
    assert_eq!(handoff(&run, &STUCK).1.kind, GapKind::MissingCapability);
    run.pass(&read("a"), 3);
    let (note, gap) = handoff(&run, &STUCK);
    assert_eq!(gap.kind, GapKind::NoProgress);
    says_all(&note.text, &["over and over"]);
}

#[test]
fn h6_a_broken_call_that_the_loop_refused_is_malformed_and_was_never_run() {
    let mut run =
        Loop::new(Stack::new(vec![Box::new(EmptyCompletion::default()), Box::new(Handoff::default())]));
    let cut = calls("write_file", r#"{"path":"a.py","content":"pri"#);
    run.check(&cut.finishes(balk_guards::FinishReason::Length), "block truncated-call 1");
    let (note, gap) = handoff(&run, &STUCK);
    assert_eq!((gap.kind, gap.tried[0].calls), (GapKind::MalformedCall, 0));
    says_all(&note.text, &["(asked for, never run)"]);
}

// Bounds and laws

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
            prop_assert_eq!(tried.last_error.is_some(), last.status == balk_guards::Status::Error);
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
