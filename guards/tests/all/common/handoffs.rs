//! Runs that end, and the conclusions of the handoff guard.

use std::sync::Arc;

use balk_guards::{
    ChoiceKind, Conclusion, Entry, Gap, Handoff, Intervention, InterventionKind, Note, Termination,
    UserAnswer,
};

use super::{Loop, Turn, calls};

pub(crate) const STUCK: Termination = Termination::NoProgress;

pub(crate) fn run() -> Loop {
    Loop::new(Handoff::default())
}

pub(crate) fn after(turns: &[Turn]) -> Loop {
    let mut run = run();
    turns.iter().for_each(|turn| run.pass(turn, 1));
    run
}

pub(crate) fn fatal(message: &str) -> Termination {
    Termination::FatalExecution(message.into())
}

pub(crate) fn conclude(run: &Loop, end: &Termination) -> Option<Conclusion> {
    run.guard.conclude(end).expect("never breaks")
}

#[track_caller]
pub(crate) fn handoff(run: &Loop, end: &Termination) -> (Note, Gap) {
    let Conclusion { note, gap, .. } = conclude(run, end).expect("a conclusion");
    let gap = gap.expect("a gap");
    assert_eq!((&*note.guard, &*note.rule), ("handoff", gap.kind.name()));
    (note, gap)
}

#[track_caller]
pub(crate) fn soft(run: &Loop, end: &Termination, rule: &str) -> String {
    let it = conclude(run, end).expect("a conclusion");
    assert_eq!((it.gap.clone(), &*it.note.guard, &*it.note.rule), (None, "handoff", rule));
    assert_eq!((it.question(), it.notice()), (None, it.note.clone()));
    it.note.text.to_string()
}

#[track_caller]
pub(crate) fn says_all(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in: {text}");
    }
}

pub(crate) fn kinds(it: &Conclusion) -> Vec<ChoiceKind> {
    it.question().expect("a question").options.iter().map(|it| it.kind).collect()
}

pub(crate) fn no_jq() -> Turn {
    calls("bash", r#"{"command":"jq . a.json"}"#).fails("bash: jq: command not found")
}

pub(crate) fn write() -> Turn {
    calls("write_file", r#"{"path":"a.py"}"#)
}

pub(crate) fn read(path: &str) -> Turn {
    calls("read", &format!(r#"{{"path":"{path}"}}"#)).answers(path)
}

/// Commits a conclusion whose question is answered with "try again", as the loop does.
pub(crate) fn constrain(run: &mut Loop, end: &Termination) -> Conclusion {
    let it = conclude(run, end).expect("a conclusion");
    run.commit(Entry::Conclusion(Arc::new(it.clone())));
    run.commit(Entry::Intervention(it.question().expect("a question").intervention(true)));
    run.commit(Entry::Answer(UserAnswer { choice: ChoiceKind::Constrain, text: "Try again.".into() }));
    let note = it.gap.clone().and_then(|gap| gap.constraint).expect("a retry is offered");
    run.commit(Entry::Intervention(Intervention { kind: InterventionKind::Note, note, seen: true }));
    it
}
