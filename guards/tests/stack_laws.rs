//! The laws of composition, over random members and random turns.

#[expect(dead_code, reason = "each test file needs a part of it")]
mod common;

use std::sync::Arc;

use balk_guards::{
    Abandonment, Answer, AttemptCause, AttemptFailure, Blocked, Completion, Decision, Duplicate, Entry,
    Guard, GuardFault, InterventionKind, Note, Origin, Question, Recovery, Settlement, Stack, Status,
    Subject, ToolCall, ToolResult, Verdict, Withheld,
};
use common::{Loop, Turn, calls, says};
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
            0 => Some(Recovery::Resend { after: 1 }),
            1 => Some(Recovery::Ask(question())),
            2 => Some(Recovery::Stop(note())),
            _ => None,
        })
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

/// With a notice and a withheld tool.
fn beside(verdict: Verdict) -> Decision {
    let withhold = vec![Withheld { tool: "bash".into(), note: note() }];
    Decision { verdict, notices: vec![note()], withhold }
}

fn failure() -> AttemptFailure {
    AttemptFailure { attempt: 1, cause: AttemptCause::Empty }
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
    ];
    proptest::collection::vec(turn, 0..24)
}

/// The kinds of all answers of a guard that has seen `entries`.
fn kinds(guard: &dyn Guard, completion: &Completion) -> (Option<u8>, bool, Option<Option<u8>>) {
    let results: Vec<_> = completion.calls.iter().map(executed).collect();
    (
        guard.review(completion).ok().map(|it| it.verdict.strength()),
        matches!(guard.settle(completion, &results), Ok(Settlement::Rerun { .. })),
        guard.recover(&failure()).ok().map(|it| it.map(|it| it.strength())),
    )
}

fn executed(call: &Arc<ToolCall>) -> ToolResult {
    let call = call.clone();
    ToolResult { call, origin: Origin::Executed, status: Status::Ok, tries: 1, text: "ok".into() }
}

fn members(seeds: &[u64]) -> Vec<Box<dyn Guard>> {
    let hashed = seeds.iter().map(|&seed| Box::new(Hashed { seed, seen: 0 }) as Box<dyn Guard>);
    let ours: [Box<dyn Guard>; 2] = [Box::new(Abandonment::default()), Box::new(Duplicate::default())];
    hashed.chain(ours).collect()
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
