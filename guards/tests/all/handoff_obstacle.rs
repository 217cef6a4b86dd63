//! The handoff guard against spec H6: what is an obstacle, and what is one no longer.

use crate::common::handoffs::{STUCK, after, fatal, handoff, no_jq, read, says_all, soft, write};
use crate::common::{Loop, calls, says};
use balk_guards::{EmptyCompletion, GapKind, Handoff, HandoffSettings, Limit, Stack, Termination};

// spec H6

#[test]
fn h6_read_only_loops_are_no_progress() {
    let same: Vec<_> = (0..3).map(|_| read("a.py")).collect();
    let cycle: Vec<_> = ["a.py", "b.py", "a.py", "b.py"].map(read).into();
    for (turns, again) in [(same, "`read` a.py"), (cycle, "`read` a.py and `read` b.py")] {
        for end in [STUCK, Termination::Limit(Limit::Turns)] {
            let (note, gap) = handoff(&after(&turns), &end);
            assert_eq!((gap.kind, &*gap.missing), (GapKind::NoProgress, ""));
            says_all(&note.text, &["read the same things repeatedly", again, "2 reads brought nothing new"]);
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
    says_all(&note.text, &["read the same things repeatedly", "`read` a.py"]);
    turns.extend(["e.py", "f.py"].map(read));
    soft(&after(&turns), &Termination::Limit(Limit::Turns), "partial-work");
}

#[test]
fn h6_how_many_reads_make_a_loop_is_a_setting() {
    let looping = |repeated_reads, reads| {
        let mut run = Loop::new(Handoff::new(HandoffSettings { repeated_reads }));
        run.pass(&read("a"), reads);
        let (note, _) = handoff(&run, &STUCK);
        note.text.contains("repeatedly")
    };
    assert!(looping(0, 2) && looping(1, 2) && looping(5, 6));
    assert!(!looping(0, 1) && !looping(5, 5));
}

#[test]
fn h6_a_failure_without_a_status_is_an_obstacle_as_well() {
    let denied = calls("bash", r#"{"command":"cat /etc/shadow"}"#)
        .answers_something("cat: /etc/shadow: Permission denied");
    let (note, gap) = handoff(&after(&[denied]), &STUCK);
    assert_eq!(gap.kind, GapKind::MissingCapability);
    says_all(&note.text, &["Permission denied"]);
}

#[test]
fn h6_a_stale_error_is_not_reported() {
    let run = after(&[no_jq(), calls("bash", r#"{"command":"python count.py"}"#)]);
    let (note, gap) = handoff(&run, &STUCK);
    assert_eq!((gap.kind, &gap.tried[0].last_error), (GapKind::NoProgress, &None));
    assert!(!note.text.contains("jq"), "{}", note.text);
    // The same if the status of the later call is unknown.
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
        says_all(&text, &["did not say whether everything"]);
        assert!(!text.contains("failed") && !text.contains("a.json"), "{text}");
    }
    // A failure since then is the obstacle, even if the status of a later call is unknown.
    for later in [says("Hm."), calls("pytest", "{}").fails("2 failed"), write().answers_something("?")] {
        let run = after(&[write(), calls("bash", "{}"), absent(), later]);
        let text = soft(&run, &Termination::Limit(Limit::Turns), "partial-work");
        says_all(&text, &["The last call of `read` failed", "a.json"]);
    }
    let red = calls("pytest", "{}").fails("2 failed");
    let run = after(&[write(), no_jq(), read("a"), red]);
    says_all(&soft(&run, &STUCK, "partial-work"), &["The last call of `pytest` failed"]);
}

#[test]
fn h6_a_gap_is_rather_what_failed_since_the_last_change() {
    let red = || calls("pytest", "{}").fails("2 failed");
    let (_, gap) = handoff(&after(&[no_jq(), write(), red()]), &fatal("gone"));
    assert_eq!((gap.kind, &*gap.missing), (GapKind::NoProgress, "pytest"));
    // A run that only looked around leaves nothing behind.
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
    says_all(&note.text, &["repeatedly"]);
}

#[test]
fn h6_a_broken_call_that_the_loop_refused_is_malformed_and_was_never_run() {
    let mut run =
        Loop::new(Stack::new(vec![Box::new(EmptyCompletion::default()), Box::new(Handoff::default())]));
    let cut = calls("write_file", r#"{"path":"a.py","content":"pri"#);
    run.check(&cut.finishes(balk_guards::FinishReason::Length), "block truncated-call 1");
    let (note, gap) = handoff(&run, &STUCK);
    assert_eq!((gap.kind, gap.tried[0].calls), (GapKind::MalformedCall, 0));
    says_all(&note.text, &["(requested, never run)"]);
}
