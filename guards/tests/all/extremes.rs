//! A loaded state may have any numbers: each counter may be at its maximum, and what is folded then must not overflow.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use balk_guards::{AttemptFailure, Entry, Guard};

use crate::common::events::{Event, events};
use crate::laws::{all, ends};

/// The greatest values of the types that counters have, and those below, in the order in which they are tried.
const EXTREMES: [[u64; 6]; 2] = [
    [u64::MAX, i64::MAX as u64, u32::MAX as u64, u16::MAX as u64, u8::MAX as u64, 0],
    [u64::MAX - 1, i64::MAX as u64 - 1, u32::MAX as u64 - 1, u16::MAX as u64 - 1, u8::MAX as u64 - 1, 0],
];

/// What becomes of one number of a state.
#[derive(Clone, Copy, Debug)]
enum Change {
    Keep,
    /// The first of these with which the state is read.
    Extreme(usize),
}

/// All numbers of a state, in order.
fn numbers<'v>(value: &'v mut Value, all: &mut Vec<&'v mut Value>) {
    match value {
        Value::Number(_) => all.push(value),
        Value::Array(items) => items.iter_mut().for_each(|it| numbers(it, all)),
        Value::Object(members) => {
            members.iter_mut().filter(|(name, _)| *name != "version").for_each(|(_, it)| numbers(it, all));
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

fn set(state: &Value, at: usize, number: u64) -> Value {
    let mut state = state.clone();
    let mut all = Vec::new();
    numbers(&mut state, &mut all);
    *all[at] = number.into();
    state
}

/// A state that the guard reads, with extreme numbers.
fn changed(make: fn() -> Box<dyn Guard>, mut state: Value, changes: &[Change]) -> Value {
    let mut count = state.clone();
    let mut all = Vec::new();
    numbers(&mut count, &mut all);
    for (at, change) in (0..all.len()).zip(changes.iter().cycle()) {
        let Change::Extreme(kind) = *change else { continue };
        let mut tried = EXTREMES[kind].iter().map(|&number| set(&state, at, number));
        if let Some(read) = tried.find(|it| make().load(it.clone()).is_ok()) {
            state = read;
        }
    }
    state
}

/// Folds everything, with the interventions of the guard itself, and asks everything.
fn fold_and_ask(guard: &mut dyn Guard, events: &[Event]) {
    for event in events {
        match event {
            Event::Other(entry) => guard.observe(entry),
            Event::Turn { completion, results, own } => {
                guard.observe(&Entry::Completion(completion.clone()));
                let decision = guard.review(completion).expect("never breaks");
                let settled = guard.settle(completion, results);
                settled.expect("never breaks");
                for result in results {
                    guard.observe(&Entry::Result(result.clone()));
                }
                for it in own.map(|seen| decision.interventions(seen)).unwrap_or_default() {
                    guard.observe(&Entry::Intervention(it));
                }
            }
        }
        guard.must_see();
        guard.recover(&AttemptFailure::empty(1)).expect("never breaks");
        if let Event::Other(Entry::Failed(failed)) = event {
            guard.recover(&failed.failure).expect("never breaks");
        }
        for end in ends() {
            guard.conclude(&end).expect("never breaks");
        }
        guard.save();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_state_with_any_numbers_is_refused_or_goes_on(
        before in events(),
        changes in vec(prop_oneof![1 => Just(Change::Keep), 3 => (0_usize..2).prop_map(Change::Extreme)], 1..40),
        after in events(),
    ) {
        for make in all() {
            let mut guard = make();
            fold_and_ask(&mut *guard, &before);
            let state = changed(make, guard.save(), &changes);
            guard.load(state).expect("it was read before");
            fold_and_ask(&mut *guard, &after);
        }
    }
}
