//! The log of a stack (spec N6): a firing is a warning; a question and the end are errors, with the options.

use std::cell::RefCell;
use std::sync::{Arc, Once};

use crate::common::{Loop, calls, offer, says, thinks};
use balk_guards::{
    Duplicate, Entry, Intervention, InterventionKind, NoTools, Note, Protocol, Stack, Start, Subject,
};
use log::{Level, LevelFilter, Log, Metadata, Record};

/// Keeps the log of each thread.
struct Kept;

thread_local! {
    static LINES: RefCell<Vec<(Level, String)>> = const { RefCell::new(Vec::new()) };
}

impl Log for Kept {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "balk"
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            LINES.with_borrow_mut(|lines| lines.push((record.level(), record.args().to_string())));
        }
    }

    fn flush(&self) {}
}

/// A run of a stack, with nothing logged yet.
fn logged(stack: Stack, protocol: Protocol) -> Loop {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        log::set_logger(&Kept).expect("the only logger of this binary");
        log::set_max_level(LevelFilter::Trace);
    });
    LINES.take();
    Loop::begun(stack, Start { model: "test".into(), protocol, offer: offer() })
}

/// The lines logged since the last check: each has its level and contains all these parts, and there are no others.
#[track_caller]
fn check(expected: &[(Level, &[&str])]) {
    let lines = LINES.take();
    assert_eq!(lines.len(), expected.len(), "{lines:#?}");
    for ((level, line), (wanted, parts)) in lines.iter().zip(expected) {
        assert_eq!(level, wanted, "{line}");
        for part in *parts {
            assert!(line.contains(part), "{part:?} is missing in: {line}");
        }
    }
}

#[test]
fn n6_a_firing_is_a_warning_and_the_limit_an_error_with_the_options() {
    let mut run = logged(Stack::new(vec![Box::new(NoTools::default())]), Protocol::Tool);
    run.turn(&calls("read", "{}"));
    check(&[]);
    run.turn(&says("I'll look."));
    check(&[(Level::Warn, &["no-tools: no-call (level 1)", "calls no tool"])]);
    run.turn(&thinks("hm"));
    check(&[(Level::Warn, &["no-tools: thinking-only (level 2)"])]);
    run.turn(&says("I'll look."));
    let options = "[adjust the instructions | switch to another model | continue anyway]";
    check(&[(Level::Error, &["no-tools: limit (level 3)", options, "stuck"])]);
    for _ in 0..6 {
        run.turn(&says("I'll look."));
    }
    LINES.take();
    for _ in 0..3 {
        run.turn(&says("I'll look."));
    }
    let lines = LINES.take();
    let (level, line) = lines.last().expect("the end is logged");
    assert_eq!(*level, Level::Error);
    assert!(line.contains("questions-spent") && line.contains("the run ends"), "{line}");
}

#[test]
fn n6_duplicates_are_logged_with_their_number() {
    let mut run = logged(Stack::new(vec![Box::new(Duplicate::default())]), Protocol::Text);
    let both = calls("read", "{}").fails("no").and_calls("write_file", r#"{"path":"a"}"#).fails("no");
    run.turn(&both);
    check(&[]);
    run.turn(&both);
    check(&[
        (Level::Warn, &["duplicate: same-call (level 1)", "`read`", "duplicate 1 in this run"]),
        (Level::Warn, &["duplicate: same-call (level 1)", "`write_file`", "duplicate 2 in this run"]),
    ]);
    run.turn(&both);
    check(&[
        (Level::Warn, &["same-call-after-feedback (level 2)", "duplicate 3 in this run"]),
        (Level::Warn, &["same-call-after-feedback (level 2)", "duplicate 4 in this run"]),
    ]);
    run.turn(&both);
    let options = "[say what it should do instead | switch to another model | let it continue | end the run]";
    check(&[(Level::Error, &["same-call-after-options (level 3)", options, "duplicate 5 in this run"])]);
}

#[test]
fn n6_what_nobody_saw_is_not_logged() {
    let mut run = logged(Stack::new(vec![Box::new(NoTools::default())]), Protocol::Tool);
    let note = Note {
        guard: "no-tools".into(),
        rule: "limit".into(),
        level: 3,
        subject: Subject::Run,
        text: Arc::from("stuck"),
    };
    for kind in [InterventionKind::Feedback, InterventionKind::Question(vec![]), InterventionKind::Stop] {
        run.commit(Entry::Intervention(Intervention { kind, note: note.clone(), seen: false }));
    }
    check(&[]);
}
