//! The handoff guard against spec H1: which ends are handed over, and which only get a notice.

use std::sync::Arc;

use crate::common::broken::{called, nothing, ran, shown, unknown, with_search};
use crate::common::handoffs::{
    STUCK, after, conclude, fatal, handoff, no_jq, read, run, says_all, soft, write,
};
use crate::common::{Loop, calls, offer, says};
use balk_guards::{
    AttemptCause, AttemptFacts, AttemptFailure, AttemptResponse, Effect, EmptyCompletion, Entry,
    FailedAttempt, GapKind, Guard, Handoff, Intervention, InterventionKind, Limit, Offer, Recovery, Stack,
    Termination, Tool,
};

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
        says_all(&text, &["`a.py` and `send_mail`", "2 calls", "jq: command not found", "To continue"]);
    }
    says_all(&soft(&run, &Termination::Limit(Limit::Calls), "partial-work"), &["limit of calls"]);
}

#[test]
fn h1_a_fatal_failure_is_handed_over_with_its_changes() {
    let (note, gap) = handoff(&after(&[write(), no_jq()]), &fatal("gone"));
    assert_eq!(&*gap.missing, "jq");
    says_all(&note.text, &["Changed and kept: `a.py`"]);
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
        says_all(&soft(&run, &limit, "partial-work"), &["Nothing was changed."]);
    }
    for (turn, said) in [
        (calls("bash", "{}"), "No changes are known."),
        (calls("deploy", "{}").answers_something("?"), "No changes are known."),
        (
            write().answers_something("?"),
            "May have changed: `a.py` (it is not known whether it worked); check first.",
        ),
        (write().goes_missing(), "May have changed: `a.py` (its result was lost); check first."),
        (calls("bash", "{}").goes_missing(), "May have changed: `bash` (its result was lost)"),
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
        says_all(&text, &["May have changed: `send_mail` (its result was lost) and `a.py` (it is not known"]);
    }
    let (note, _) = handoff(&run, &fatal("gone"));
    says_all(&note.text, &["\n\nMay have changed: `send_mail` (its result was lost)"]);
    let text = soft(&after(&[write(), lost()]), &STUCK, "partial-work");
    says_all(&text, &["Changed and kept: `a.py` (1 call). May have changed: `send_mail`"]);
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
    says_all(&text, &["the connection failed: connection refused", "Nothing ran", "kept: `a.py`"]);
    run.pass(&no_jq(), 1);
    handoff(&run, &fatal("x"));
    let facts = AttemptFacts { tool_execution_started: None, ..AttemptFacts::default() };
    run.commit(failed(AttemptCause::Disconnected, "", facts));
    let text = soft(&run, &Termination::Limit(Limit::Attempts), "provider");
    assert!(text.contains("the connection was lost") && !text.contains("Nothing ran"), "{text}");
}

const AS_BEFORE: &str = "are unchanged: start the run again once the provider answers.";
const NOTHING_RAN: &str = "Nothing ran in that attempt.";

/// The notice of a run with this offer that ended because of this attempt.
#[track_caller]
fn provider(offer: &Arc<Offer>, cause: AttemptCause, facts: AttemptFacts) -> String {
    let mut run = Loop::with_offer(Handoff::default(), offer.clone());
    run.commit(failed(cause, "", facts));
    soft(&run, &Termination::Limit(Limit::Attempts), "provider")
}

#[test]
fn h1_what_began_in_the_attempt_is_to_be_looked_for() {
    let text = |facts| provider(&offer(), AttemptCause::Disconnected, facts);
    let begun = |tool: &str| format!("`{tool}` may have taken effect: check before you start again.");
    for (facts, words) in [
        (ran(&["read", "send_mail", "send_mail"]), begun("send_mail")),
        (ran(&["append", "no_such_tool"]), begun("append` and `no_such_tool")),
        (
            AttemptFacts { started: vec![], ..ran(&[]) },
            "A tool may have taken effect: check before you start again.".into(),
        ),
        (unknown(), "A tool may have taken effect: check before you start again.".into()),
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
        says_all(&text, &["`bank_pay` may have taken effect: check before you start again."]);
        assert!(!text.contains(NOTHING_RAN), "{text}");
    }
    let both = provider(&bank, AttemptCause::TimedOut, ran(&["bank.pay", "read"]));
    says_all(&both, &[" `bank_pay` may have taken effect"]);
    let search = provider(&Arc::new(with_search()), AttemptCause::TimedOut, nothing());
    says_all(&search, &[AS_BEFORE]);
    assert!(!search.contains(NOTHING_RAN), "{search}");
    // If no request was sent, nothing ran.
    says_all(&provider(&bank, AttemptCause::Connect, nothing()), &[NOTHING_RAN, AS_BEFORE]);
    says_all(&provider(&bank, AttemptCause::Connect, unknown()), &[NOTHING_RAN, AS_BEFORE]);
}

#[test]
fn h1_what_a_guard_said_about_the_attempt_is_not_said_again() {
    let mut run =
        Loop::new(Stack::new(vec![Box::new(EmptyCompletion::default()), Box::new(Handoff::default())]));
    run.pass(&no_jq(), 2);
    for attempt in [1, 2] {
        let failure = AttemptFailure::empty(attempt);
        let response = AttemptResponse::Resent { after: 500 };
        run.commit(Entry::Failed(FailedAttempt { failure, response }));
    }
    let failure = AttemptFailure::empty(3);
    let Ok(Some(Recovery::Stop(note))) = run.guard.recover(&failure) else {
        panic!("the attempts are spent")
    };
    run.commit(Entry::Failed(FailedAttempt { failure, response: AttemptResponse::Ended }));
    assert_eq!(conclude(&run, &Termination::StoppedByGuard), None);
    run.commit(Entry::Intervention(Intervention { kind: InterventionKind::Stop, note, seen: true }));
    assert_eq!(conclude(&run, &Termination::StoppedByGuard), None);
    assert_eq!(conclude(&run, &fatal("the answer was empty")), None);
}
