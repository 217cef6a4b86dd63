//! The rules of composition: how a stack combines the answers of its members.

use std::sync::Arc;

use crate::common::{Loop, calls, outline};
use balk_guards::{
    Abandonment, Answer, AttemptFailure, Blocked, Budget, Choice, ChoiceKind, Completion, Conclusion,
    Decision, Duplicate, Entry, Gap, GapKind, Guard, GuardFault, Intervention, InterventionKind, Note,
    Question, Recovery, Repair, Settlement, Stack, Subject, Termination, ToolResult, Verdict, Wait,
};
use serde_json::json;

/// A guard that always gives the same answer.
#[derive(Clone, Debug)]
struct Fixed {
    name: &'static str,
    decision: Answer<Decision>,
    settlement: Answer<Settlement>,
    recovery: Answer<Option<Recovery>>,
    conclusion: Answer<Option<Conclusion>>,
}

impl Fixed {
    fn new(name: &'static str) -> Self {
        Self {
            name,
            decision: Ok(Decision::pass()),
            settlement: Ok(Settlement::Accept(vec![])),
            recovery: Ok(None),
            conclusion: Ok(None),
        }
    }

    fn decides(self, decision: impl Into<Decision>) -> Self {
        Self { decision: Ok(decision.into()), ..self }
    }

    fn settles(self, settlement: Settlement) -> Self {
        Self { settlement: Ok(settlement), ..self }
    }

    fn recovers(self, recovery: Recovery) -> Self {
        Self { recovery: Ok(Some(recovery)), ..self }
    }

    fn concludes(self, gap: Option<Gap>) -> Self {
        let note = note(self.name, "end");
        Self { conclusion: Ok(Some(Conclusion { end: Termination::NoProgress, note, gap })), ..self }
    }

    fn breaks(self) -> Self {
        let fault = GuardFault { guard: self.name.into(), reason: "broken pipe".into() };
        Self {
            name: self.name,
            decision: Err(fault.clone()),
            settlement: Err(fault.clone()),
            recovery: Err(fault.clone()),
            conclusion: Err(fault),
        }
    }
}

impl Guard for Fixed {
    fn name(&self) -> &str {
        self.name
    }

    fn observe(&mut self, _: &Entry) {}

    fn review(&self, _: &Completion) -> Answer<Decision> {
        self.decision.clone()
    }

    fn settle(&self, _: &Completion, _: &[ToolResult]) -> Answer<Settlement> {
        self.settlement.clone()
    }

    fn recover(&self, _: &AttemptFailure) -> Answer<Option<Recovery>> {
        self.recovery.clone()
    }

    fn conclude(&self, _: &Termination) -> Answer<Option<Conclusion>> {
        self.conclusion.clone()
    }
}

fn note(guard: &'static str, text: &str) -> Note {
    Note { guard: guard.into(), rule: "r".into(), level: 1, subject: Subject::Run, text: text.into() }
}

fn block(guard: &'static str, calls: &[usize]) -> Verdict {
    Verdict::Block(calls.iter().map(|&call| Blocked { call, note: note(guard, "block") }).collect())
}

fn retry(guard: &'static str) -> Verdict {
    Verdict::Retry(note(guard, "retry"))
}

fn ask(guard: &'static str) -> Verdict {
    Verdict::Ask(question(guard))
}

fn question(guard: &'static str) -> Question {
    let options = vec![Choice { kind: ChoiceKind::Continue, label: "go on".into() }];
    Question { note: note(guard, "ask"), options }
}

fn stop(guard: &'static str) -> Verdict {
    Verdict::Stop(note(guard, "stop"))
}

fn repair(guard: &'static str) -> Verdict {
    Verdict::Repair(Repair { note: note(guard, "repair"), completion: Arc::default() })
}

/// A notice beside the verdict.
fn beside(guard: &'static str, verdict: Verdict) -> Decision {
    Decision { verdict, notices: vec![note(guard, "notice")] }
}

fn stack(members: Vec<Fixed>) -> Stack {
    Stack::new(members.into_iter().map(|it| Box::new(it) as Box<dyn Guard>).collect())
}

fn failure() -> AttemptFailure {
    AttemptFailure::empty(1)
}

fn committed(kind: InterventionKind) -> Entry {
    Entry::Intervention(Intervention { kind, note: note("a", "x"), seen: true })
}

/// What the stack decides.
#[track_caller]
fn check(members: Vec<Fixed>, expected: impl Into<Decision>) {
    assert_eq!(stack(members).review(&Completion::default()), Ok(expected.into()));
}

#[test]
fn the_strongest_verdict_stands_wherever_its_guard_is() {
    let verdicts = || [Verdict::Pass, block("b", &[0]), retry("c"), ask("d"), stop("e"), repair("f")];
    for (weak, weaker) in verdicts().into_iter().enumerate() {
        for stronger in verdicts().into_iter().skip(weak) {
            let (a, b) = (Fixed::new("a").decides(weaker.clone()), Fixed::new("b").decides(stronger.clone()));
            check(vec![a.clone(), b.clone()], stronger.clone());
            check(vec![b, a], stronger);
        }
    }
}

#[test]
fn ties_go_to_the_first_installed() {
    for verdict in [retry, ask, stop, repair] {
        let member = |name| Fixed::new(name).decides(verdict(name));
        check(vec![member("a"), member("b"), member("c")], verdict("a"));
        check(vec![member("b"), member("a")], verdict("b"));
    }
}

#[test]
fn blocks_are_united_and_the_first_speaks_for_each_call() {
    let a = Fixed::new("a").decides(block("a", &[2, 3]));
    let b = Fixed::new("b").decides(block("b", &[0, 2]));
    let united = |first: &'static str| {
        Verdict::Block(vec![
            Blocked { call: 0, note: note("b", "block") },
            Blocked { call: 2, note: note(first, "block") },
            Blocked { call: 3, note: note("a", "block") },
        ])
    };
    check(vec![a.clone(), b.clone()], united("a"));
    check(vec![b, a], united("b"));
}

#[test]
fn what_stands_beside_a_verdict_is_united() {
    let a = Fixed::new("a").decides(beside("a", Verdict::Pass));
    let b = Fixed::new("b").decides(beside("b", Verdict::Pass));
    let both = |first: &'static str, second: &'static str| Decision {
        verdict: Verdict::Pass,
        notices: vec![note(first, "notice"), note(second, "notice")],
    };
    check(vec![a.clone(), b.clone()], both("a", "b"));
    check(vec![b, a], both("b", "a"));
    let a = Fixed::new("a").decides(beside("a", block("a", &[0])));
    let b = Fixed::new("b").decides(beside("b", block("b", &[1])));
    let Ok(decision) = stack(vec![a, b]).review(&Completion::default()) else { panic!() };
    assert_eq!(outline(&decision), "block r 1, block r 1, notice r 1, notice r 1");
}

#[test]
fn a_member_that_passes_keeps_its_notice_beside_the_verdict_of_another() {
    let a = Fixed::new("a").decides(retry("a"));
    let b = Fixed::new("b").decides(beside("b", Verdict::Pass));
    check(vec![a, b], beside("b", retry("a")));
}

#[test]
fn a_member_that_lost_commits_nothing() {
    for (lost, won) in [
        (block("a", &[0]), retry("b")),
        (retry("a"), ask("b")),
        (block("a", &[0]), stop("b")),
        (stop("a"), repair("b")),
    ] {
        let a = Fixed::new("a").decides(beside("a", lost));
        let b = Fixed::new("b").decides(won.clone());
        check(vec![a.clone(), b.clone()], won.clone());
        check(vec![b, a], won);
    }
}

#[test]
fn a_member_that_lost_a_tie_commits_nothing_either() {
    for verdict in [retry, ask, stop, repair] {
        let a = Fixed::new("a").decides(beside("a", verdict("a")));
        let b = Fixed::new("b").decides(beside("b", verdict("b")));
        check(vec![a.clone(), b.clone()], beside("a", verdict("a")));
        check(vec![b, a], beside("b", verdict("b")));
    }
}

#[test]
fn without_members_nothing_is_objected() {
    check(vec![], Verdict::Pass);
    assert_eq!(stack(vec![]).recover(&failure()), Ok(None));
}

// Budget

fn spent(members: Vec<Fixed>, corrections: usize, questions: usize) -> Stack {
    let mut stack = stack(members);
    for _ in 0..corrections {
        stack.observe(&committed(InterventionKind::Feedback));
        // So far apart that only the budget of the run counts.
        for _ in 0..Budget::default().window.turns {
            stack.observe(&Entry::Completion(Arc::default()));
        }
    }
    for _ in 0..questions {
        stack.observe(&committed(InterventionKind::Question(vec![])));
    }
    stack
}

fn verdict(stack: &Stack) -> Verdict {
    stack.review(&Completion::default()).expect("no member breaks").verdict
}

#[test]
fn spent_corrections_make_a_question_of_a_retry_and_then_the_end() {
    let members = || vec![Fixed::new("a").decides(retry("a"))];
    assert_eq!(verdict(&spent(members(), 11, 0)), retry("a"));
    let Verdict::Ask(question) = verdict(&spent(members(), 12, 2)) else { panic!() };
    assert!(question.note.text.contains("12 corrections") && question.note.text.contains("retry"));
    let kinds: Vec<_> = question.options.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [ChoiceKind::Instruct, ChoiceKind::SwitchModel, ChoiceKind::Stop]);
    let Verdict::Ask(next) = verdict(&spent(members(), 12, 1)) else { panic!() };
    assert_ne!(next.note.text, question.note.text, "spec M1: no two texts in a row are equal");
    let Verdict::Stop(end) = verdict(&spent(members(), 12, 3)) else { panic!() };
    assert!(end.text.contains("retry") && end.text != question.note.text);
}

#[test]
fn spent_questions_end_the_run() {
    let members = || vec![Fixed::new("a").decides(ask("a"))];
    assert_eq!(verdict(&spent(members(), 0, 2)), ask("a"));
    assert_eq!(verdict(&spent(members(), 0, 3)), Verdict::Stop(note("a", "ask")));
}

#[test]
fn blocks_stops_and_repairs_are_never_dropped() {
    for kept in [Verdict::Pass, block("a", &[0]), stop("a"), repair("a")] {
        assert_eq!(verdict(&spent(vec![Fixed::new("a").decides(kept.clone())], 99, 99)), kept);
    }
}

#[test]
fn notes_are_dropped_when_the_corrections_are_spent() {
    let notes = || vec![note("a", "one"), note("a", "two")];
    let members = || {
        let settlement = || Settlement::Accept(notes());
        vec![Fixed::new("a").settles(settlement()), Fixed::new("b").settles(settlement())]
    };
    for (corrections, left) in [(0, 4), (9, 3), (11, 1), (12, 0), (99, 0)] {
        let Ok(Settlement::Accept(kept)) =
            spent(members(), corrections, 0).settle(&Completion::default(), &[])
        else {
            panic!()
        };
        let all: Vec<_> = notes().into_iter().chain(notes()).take(left).collect();
        assert_eq!(kept, all);
    }
}

#[test]
fn only_what_the_model_is_told_is_a_correction() {
    let mut stack = stack(vec![Fixed::new("a").decides(retry("a"))]);
    for kind in [
        InterventionKind::Notice,
        InterventionKind::Block,
        InterventionKind::Repair(Arc::default()),
        InterventionKind::Stop,
    ] {
        for _ in 0..20 {
            stack.observe(&committed(kind.clone()));
        }
    }
    assert_eq!(verdict(&stack), retry("a"));
    for _ in 0..12 {
        stack.observe(&committed(InterventionKind::Note));
    }
    assert_eq!(verdict(&stack).strength(), 3);
}

#[test]
fn the_budget_is_a_setting() {
    let budget = Budget { corrections: 0, questions: 1, ..Budget::default() };
    let member = Box::new(Fixed::new("a").decides(retry("a")));
    let mut stack = Stack::with_budget(vec![member], budget);
    assert_eq!(verdict(&stack).strength(), 3);
    stack.observe(&committed(InterventionKind::Question(vec![])));
    assert_eq!(verdict(&stack).strength(), 4);
}

// The other questions

#[test]
fn a_rerun_is_stronger_than_notes_and_the_first_one_stands() {
    let notes = Fixed::new("a").settles(Settlement::Accept(vec![note("a", "x")]));
    let rerun = |call| Fixed::new("b").settles(Settlement::Rerun { call, after: 1 });
    for members in [vec![notes.clone(), rerun(0), rerun(1)], vec![rerun(0), notes, rerun(1)]] {
        let settlement = stack(members).settle(&Completion::default(), &[]);
        assert_eq!(settlement, Ok(Settlement::Rerun { call: 0, after: 1 }));
    }
}

#[test]
fn the_strongest_recovery_stands_and_ties_go_to_the_first() {
    let resend = |after| Recovery::resend(Wait::exactly(after));
    let (asked, stopped) = (Recovery::Ask(question("a")), Recovery::Stop(note("a", "stop")));
    let none = || Fixed::new("none");
    let with = |recovery: &Recovery| Fixed::new("some").recovers(recovery.clone());
    for (members, expected) in [
        (vec![none(), none()], None),
        (vec![none(), with(&resend(1)), with(&resend(2))], Some(resend(1))),
        (vec![with(&resend(1)), with(&asked), none()], Some(asked.clone())),
        (vec![with(&stopped), with(&asked), with(&resend(1))], Some(stopped.clone())),
    ] {
        assert_eq!(stack(members.clone()).recover(&failure()), Ok(expected.clone()));
    }
    let over = spent(vec![with(&asked)], 0, 3).recover(&failure());
    assert_eq!(over, Ok(Some(Recovery::Stop(note("a", "ask")))));
}

fn gap() -> Gap {
    Gap {
        kind: GapKind::NoProgress,
        missing: "".into(),
        tried: vec![],
        explanation: "x".into(),
        could_do: vec![],
        resume: "x".into(),
        constraint: Some(note("b", "only what there is")),
    }
}

#[test]
fn h1_a_gap_counts_for_more_than_a_soft_end_and_ties_go_to_the_first() {
    let who = |members| {
        let it: Option<Conclusion> = stack(members).conclude(&Termination::NoProgress).expect("no fault");
        it.map(|it| it.note.guard.into_owned())
    };
    let (none, soft) = (|| Fixed::new("none"), |name| Fixed::new(name).concludes(None));
    let hard = |name| Fixed::new(name).concludes(Some(gap()));
    assert_eq!(who(vec![none(), none()]), None);
    assert_eq!(who(vec![none(), soft("a"), soft("b")]), Some("a".into()));
    assert_eq!(who(vec![soft("a"), hard("b"), hard("c"), none()]), Some("b".into()));
    assert_eq!(who(vec![hard("b"), soft("a")]), Some("b".into()));
}

#[test]
fn h3_spent_questions_take_the_retry_from_a_gap_and_nothing_else() {
    let retry = |questions| {
        let stack = spent(vec![Fixed::new("b").concludes(Some(gap()))], 0, questions);
        stack.conclude(&Termination::NoProgress).expect("no fault").and_then(|it| it.gap).expect("a gap")
    };
    assert_eq!(retry(2), gap());
    assert_eq!(retry(3), Gap { constraint: None, ..gap() });
}

#[test]
fn a_fault_wins_over_everything_and_is_handed_on() {
    let broken = Fixed::new("b").breaks();
    let fault = GuardFault { guard: "b".into(), reason: "broken pipe".into() };
    let stops = Fixed::new("a").decides(stop("a")).recovers(Recovery::Stop(note("a", "stop")));
    for members in [vec![stops.clone(), broken.clone()], vec![broken, stops]] {
        let stack = stack(members);
        assert_eq!(stack.review(&Completion::default()), Err(fault.clone()));
        assert_eq!(stack.settle(&Completion::default(), &[]), Err(fault.clone()));
        assert_eq!(stack.recover(&failure()), Err(fault.clone()));
        assert_eq!(stack.conclude(&Termination::NoProgress), Err(fault.clone()));
    }
    assert_eq!(fault.to_string(), "guard b: broken pipe");
}

#[test]
fn a_state_of_other_members_is_refused() {
    let pair = |a, b| Stack::new(vec![a, b]);
    let (abandonment, duplicate) = (
        || Box::new(Abandonment::default()) as Box<dyn Guard>,
        || Box::new(Duplicate::default()) as Box<dyn Guard>,
    );
    let saved = pair(abandonment(), duplicate()).save();
    assert!(pair(abandonment(), duplicate()).load(saved.clone()).is_ok());
    assert!(pair(duplicate(), abandonment()).load(saved.clone()).is_err());
    assert!(Stack::new(vec![abandonment()]).load(saved).is_err());
}

#[test]
fn a_member_that_refuses_its_state_leaves_the_others_as_they_were() {
    let fresh = || Stack::new(vec![Box::new(Abandonment::default()), Box::new(Duplicate::default())]);
    let mut run = Loop::new(fresh());
    run.check(&calls("write_file", "{}").fails("no"), "pass");
    let mut bad = run.guard.save();
    bad["members"][1][1]["version"] = json!(99);
    let mut other = fresh();
    let before = other.save();
    assert!(other.load(bad).is_err());
    assert_eq!(other.save(), before);
}
