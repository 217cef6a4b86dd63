//! The laws of composition, over random members and random turns.

use std::sync::Arc;

use crate::common::{Loop, Turn, all_guards, calls, says};
use balk_guards::{
    Abandonment, Answer, AttemptCause, AttemptFacts, AttemptFailure, Blocked, Budget, Completion, Conclusion,
    Decision, Duplicate, Entry, FinishReason, Guard, GuardFault, InterventionKind, NoTools, Note, Origin,
    Progress, Protocol, Question, Recovery, Repair, RetrySafety, Settlement, Stack, Start, Status, Subject,
    Termination, ToolCall, ToolResult, Verdict, Wait, Window,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A guard whose answers are a pure function of what it observed.
#[derive(Clone, Debug)]
struct Hashed {
    seed: u64,
    seen: u64,
}

impl Hashed {
    fn draw(&self, purpose: u64, sides: u64) -> u64 {
        mix(self.seen ^ mix(self.seed ^ mix(purpose))) % sides
    }
}

/// The finaliser of MurmurHash3: every bit of the input moves every bit of the output.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    x = (x ^ (x >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ (x >> 33)
}

impl Guard for Hashed {
    fn name(&self) -> &'static str {
        "hashed"
    }

    fn observe(&mut self, entry: &Entry) {
        let length = u64::try_from(format!("{entry:?}").len()).expect("a small entry");
        self.seen = mix(self.seen.wrapping_add(length));
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let verdict = match self.draw(1, 9) {
            0 => Verdict::Retry(note()),
            1 => Verdict::Ask(question()),
            2 if self.draw(2, 4) == 0 => Verdict::Stop(note()),
            3 if self.draw(3, 4) == 0 => {
                return Err(GuardFault { guard: "hashed".into(), reason: "drawn".into() });
            }
            4 | 5 if !completion.calls.is_empty() => Verdict::Block(vec![Blocked { call: 0, note: note() }]),
            6 if self.draw(8, 4) == 0 => Verdict::Repair(Repair { note: note(), completion: Arc::default() }),
            _ => Verdict::Pass,
        };
        Ok(if self.draw(4, 3) == 0 { beside(verdict) } else { verdict.into() })
    }

    fn settle(&self, _: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        let first = results.first().filter(|it| it.tries < 3);
        Ok(match self.draw(5, 6) {
            0 if first.is_some() => Settlement::Rerun { call: 0, after: 1 },
            1 => Settlement::Accept(vec![note()]),
            _ => Settlement::Accept(vec![]),
        })
    }

    fn recover(&self, _: &AttemptFailure) -> Answer<Option<Recovery>> {
        Ok(match self.draw(6, 5) {
            0 => Some(Recovery::resend(Wait::exactly(1))),
            1 => Some(Recovery::Ask(question())),
            2 => Some(Recovery::Stop(note())),
            _ => None,
        })
    }

    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        let soft = || Conclusion { end: end.clone(), note: note(), gap: None };
        Ok((self.draw(7, 3) == 0).then(soft))
    }

    fn save(&self) -> Value {
        json!(self.seen)
    }
}

fn note() -> Note {
    Note {
        guard: "hashed".into(),
        rule: "drawn".into(),
        level: 1,
        subject: Subject::Run,
        text: "Do something else.".into(),
    }
}

fn question() -> Question {
    Question { note: note(), options: vec![] }
}

/// The verdict with a notice.
fn beside(verdict: Verdict) -> Decision {
    Decision { verdict, notices: vec![note()] }
}

/// Attempts that a guard of this crate would send again, ask about, or end the run for.
fn failures() -> [AttemptFailure; 5] {
    let empty = AttemptFailure::empty(1);
    let broke = |cause, facts| AttemptFailure { cause, facts, ..AttemptFailure::empty(1) };
    let started = AttemptFacts { started: vec!["deploy".into()], ..AttemptFacts::default() };
    let refused = AttemptCause::Status { code: 400, retry_after: None };
    [
        AttemptFailure::empty(9),
        broke(AttemptCause::Disconnected, AttemptFacts::default()),
        broke(AttemptCause::TimedOut, started),
        broke(refused, AttemptFacts::default()),
        empty,
    ]
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let turn = prop_oneof![
        1 => Just(says("Hm.")),
        1 => Just(says("```python\nx\n```")),
        1 => Just(calls("read", "{}")),
        1 => Just(calls("read", "{}").fails("no")),
        1 => Just(calls("write_file", r#"{"path":"a.py"}"#)),
        3 => Just(calls("write_file", r#"{"path":"a.py"}"#).fails("no")),
        3 => Just(calls("append", "{}").fails("no").and_calls("read", "{}")),
        1 => Just(calls("append", "{}").and_calls("read", "{}").finishes(FinishReason::Error)),
    ];
    proptest::collection::vec(turn, 0..24)
}

/// The kinds of all answers of a guard that has seen `entries`: verdict, rerun, recoveries, and whether a conclusion
/// has a gap.
type Kinds = (Option<u8>, bool, Vec<Option<u8>>, Option<Option<bool>>);

fn kinds(guard: &dyn Guard, completion: &Completion) -> Kinds {
    let results: Vec<_> = completion.calls.iter().map(executed).collect();
    (
        guard.review(completion).ok().map(|it| it.verdict.strength()),
        matches!(guard.settle(completion, &results), Ok(Settlement::Rerun { .. })),
        failures()
            .iter()
            .map(|it| guard.recover(it).expect("no guard here breaks").map(|it| it.strength()))
            .collect(),
        guard.conclude(&Termination::NoProgress).ok().map(|it| it.map(|it| it.gap.is_some())),
    )
}

fn executed(call: &Arc<ToolCall>) -> ToolResult {
    let call = call.clone();
    ToolResult { call, origin: Origin::Executed, status: Status::Ok, tries: 1, text: "ok".into() }
}

fn members(seeds: &[u64]) -> Vec<Box<dyn Guard>> {
    let hashed = seeds.iter().map(|&seed| Box::new(Hashed { seed, seen: 0 }) as Box<dyn Guard>);
    hashed.chain(all_guards()).collect()
}

/// A guard that intervenes in every turn, with the verdicts, notes and recoveries of `wants` in turn.
#[derive(Clone, Debug)]
struct Pushy {
    wants: Vec<Want>,
    turn: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    Retry,
    Ask,
    /// This many notes beside the results.
    Notes(usize),
}

impl Pushy {
    fn want(&self) -> Want {
        self.wants[self.turn % self.wants.len()]
    }
}

impl Guard for Pushy {
    fn name(&self) -> &'static str {
        "pushy"
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Completion(_) = entry {
            self.turn += 1;
        }
    }

    fn review(&self, _: &Completion) -> Answer<Decision> {
        Ok(match self.want() {
            Want::Retry => Verdict::Retry(note()).into(),
            Want::Ask => Verdict::Ask(question()).into(),
            Want::Notes(_) => Decision::pass(),
        })
    }

    fn settle(&self, _: &Completion, _: &[ToolResult]) -> Answer<Settlement> {
        let Want::Notes(notes) = self.want() else { return Ok(Settlement::Accept(vec![])) };
        Ok(Settlement::Accept(vec![note(); notes]))
    }
}

fn pushy() -> impl Strategy<Value = Pushy> {
    let want =
        prop_oneof![3 => Just(Want::Retry), 1 => Just(Want::Ask), 2 => (1..4_usize).prop_map(Want::Notes)];
    proptest::collection::vec(want, 1..5).prop_map(|wants| Pushy { wants, turn: 0 })
}

fn budget() -> impl Strategy<Value = Budget> {
    let drawn =
        (0..15_u32, 1..12_u64, 0..8_usize, 0..4_u32).prop_map(|(all, turns, corrections, questions)| {
            Budget { corrections: all, window: Window { turns, corrections }, questions }
        });
    prop_oneof![1 => Just(Budget::default()), 2 => drawn]
}

/// The corrections and the questions of each turn, and whether the run was ended.
struct Said {
    corrections: Vec<usize>,
    questions: u32,
    ended: bool,
}

/// Turns of a stack whose members intervene in every turn.
fn said_by(stack: Stack, turns: usize) -> Said {
    let mut run = Loop::new(stack);
    let mut said = Said { corrections: vec![], questions: 0, ended: false };
    for _ in 0..turns {
        let before = run.entries.len();
        run.turn(&calls("read", "{}"));
        let new = run.entries[before..].iter();
        let kinds: Vec<_> = new
            .filter_map(|it| if let Entry::Intervention(it) = it { Some(&it.kind) } else { None })
            .collect();
        let correction =
            |it: &&&InterventionKind| matches!(it, InterventionKind::Feedback | InterventionKind::Note);
        said.corrections.push(kinds.iter().filter(correction).count());
        said.questions += u32::from(kinds.iter().any(|it| matches!(it, InterventionKind::Question(_))));
        if kinds.contains(&&InterventionKind::Stop) {
            said.ended = true;
            break;
        }
    }
    said
}

fn check_budget(said: &Said, budget: Budget) -> Result<(), TestCaseError> {
    let all = u32::try_from(said.corrections.iter().sum::<usize>()).expect("few");
    prop_assert!(all <= budget.corrections, "{} corrections under {:?}", all, budget);
    let stretch = usize::try_from(budget.window.turns).expect("few turns");
    for turns in said.corrections.windows(stretch.min(said.corrections.len())) {
        prop_assert!(
            turns.iter().sum::<usize>() <= budget.window.corrections,
            "{:?} under {:?}",
            turns,
            budget
        );
    }
    prop_assert!(said.questions <= budget.questions, "{} questions under {:?}", said.questions, budget);
    Ok(())
}

/// The maximum length of every run below that ends: twelve turns for each correction, four for each want.
const TURNS: usize = 400;

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_members_together_can_nudge_or_ask_for_ever(
        members in proptest::collection::vec(pushy(), 1..4),
        budget in budget(),
        inner in proptest::option::of(budget()),
    ) {
        // A member that wants only notes is never refused a verdict; it only falls silent.
        let ends = members.iter().any(|it| it.wants.iter().any(|want| !matches!(want, Want::Notes(_))));
        let boxed = || members.iter().cloned().map(|it| Box::new(it) as Box<dyn Guard>).collect::<Vec<_>>();
        let stack = match inner {
            None => Stack::with_budget(boxed(), budget),
            Some(inner) => Stack::with_budget(vec![Box::new(Stack::with_budget(boxed(), inner))], budget),
        };
        let said = said_by(stack, TURNS);
        check_budget(&said, budget)?;
        if let Some(inner) = inner {
            // The outer stack asks questions of its own.
            check_budget(&said, Budget { questions: budget.questions, ..inner })?;
        }
        prop_assert_eq!(said.ended, ends);
    }

    #[test]
    fn the_guards_of_this_crate_end_a_model_that_ignores_them(turns in turns(), protocol in any::<bool>()) {
        let members = all_guards();
        let protocol = if protocol { Protocol::Tool } else { Protocol::Text };
        let start = Start { model: "test".into(), protocol, offer: crate::common::offer() };
        let mut run = Loop::begun(Stack::new(members), start);
        let mut said = Said { corrections: vec![], questions: 0, ended: false };
        for turn in turns.iter().cycle().take(20 * turns.len()) {
            let decision = run.turn(turn);
            said.corrections.push(usize::from(matches!(decision.verdict, Verdict::Retry(_))));
            said.questions += u32::from(matches!(decision.verdict, Verdict::Ask(_)));
            if matches!(decision.verdict, Verdict::Stop(_)) {
                break;
            }
        }
        if !said.corrections.is_empty() {
            check_budget(&said, Budget::default())?;
        }
    }
}

#[test]
fn a_model_that_only_talks_is_stopped_by_the_default_stack() {
    let start = Start { model: "test".into(), protocol: Protocol::Tool, offer: crate::common::offer() };
    let mut run = Loop::begun(Stack::new(vec![Box::new(NoTools::default())]), start);
    let verdicts: Vec<u8> = (0..10).map(|_| run.turn(&says("I'll look.")).verdict.strength()).collect();
    assert_eq!(verdicts, [2, 2, 3, 2, 2, 3, 2, 2, 3, 4], "the window is spent before the ladder is");
}

#[test]
fn a_provider_that_stays_down_ends_the_run_whoever_is_asked_meanwhile() {
    for failure in &failures()[1..4] {
        let mut run = Loop::new(Stack::new(members(&[])));
        let answers: Vec<u8> = (0..40)
            .map(|_| run.breaks(&Turn::default(), failure).expect("somebody has an opinion").strength())
            .take_while(|&strength| strength < 3)
            .collect();
        assert!(answers.len() <= 13, "{failure:?}: {answers:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn permuting_the_members_never_changes_the_kind(
        turns in turns(),
        seeds in proptest::collection::vec(any::<u64>(), 0..4),
        order in any::<u64>(),
    ) {
        let mut shuffled = members(&seeds);
        for at in (1..shuffled.len()).rev() {
            let with = usize::try_from(mix(order ^ at as u64)).expect("64 bits") % (at + 1);
            shuffled.swap(at, with);
        }
        let (mut one, mut other) = (Stack::new(members(&seeds)), Stack::new(shuffled));
        let mut run = Loop::new(());
        for turn in &turns {
            run.turn(turn);
        }
        for entry in &run.entries {
            one.observe(entry);
            other.observe(entry);
            if let Entry::Completion(completion) = entry {
                prop_assert_eq!(kinds(&one, completion), kinds(&other, completion));
            }
        }
    }

    #[test]
    fn a_stack_of_one_is_its_member_and_the_silent_guard_adds_nothing(turns in turns()) {
        let both = |silent: bool| -> Stack {
            let mut all: Vec<Box<dyn Guard>> = Vec::new();
            for member in members(&[]) {
                all.push(member);
                if silent {
                    all.push(Box::new(()));
                }
            }
            Stack::new(all)
        };
        let mut runs = [
            (Loop::new(Abandonment::default()), Loop::new(Stack::new(vec![Box::new(Abandonment::default())]))),
            (Loop::new(Duplicate::default()), Loop::new(Stack::new(vec![Box::new(Duplicate::default())]))),
            (Loop::new(Progress::default()), Loop::new(Stack::new(vec![Box::new(Progress::default())]))),
            (
                Loop::new(RetrySafety::default()),
                Loop::new(Stack::new(vec![Box::new(RetrySafety::default())])),
            ),
            (Loop::new(both(false)), Loop::new(both(true))),
        ];
        for turn in &turns {
            for (one, other) in &mut runs {
                // A stop ends a run.
                if !one.interventions().any(|it| it.kind == InterventionKind::Stop) {
                    prop_assert_eq!(one.turn(turn), other.turn(turn));
                }
            }
        }
        for (one, other) in &runs {
            prop_assert_eq!(&one.entries, &other.entries);
        }
    }
}

#[test]
fn everything_is_told_to_everyone() {
    let mut stack = Stack::new(vec![
        Box::new(Hashed { seed: 1, seen: 0 }),
        Box::new(Stack::new(vec![Box::new(Hashed { seed: 2, seen: 0 })])),
    ]);
    let fresh = stack.save();
    stack.observe(&Entry::Completion(Arc::default()));
    let saved = stack.save();
    assert_ne!(saved["members"][0], fresh["members"][0]);
    assert_eq!(saved["members"][0][1], saved["members"][1][1]["members"][0][1]);
}
