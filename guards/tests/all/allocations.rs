//! The cost of a steady turn: no allocation, and a state that does not grow with the run.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use crate::common::{all_guards, calls, offer};
use balk_guards::{
    Abandonment, CallRepair, Completion, Decision, Duplicate, EmptyCompletion, Entry, Guard, Handoff,
    NoTools, Origin, Progress, Protocol, Repetition, RetrySafety, Settlement, Stack, Start, Status,
    ToolResult, View,
};

/// Counts the allocations of each thread, and its live bytes.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static LIVE_BYTES: Cell<i64> = const { Cell::new(0) };
}

fn count(allocations: u64, bytes: i64) {
    ALLOCATIONS.set(ALLOCATIONS.get() + allocations);
    LIVE_BYTES.set(LIVE_BYTES.get() + bytes);
}

fn signed(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

#[expect(unsafe_code, reason = "an allocator cannot be written without")]
// SAFETY: every call is passed to the system allocator unchanged; counting neither allocates nor panics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, signed(layout.size()));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(0, -signed(layout.size()));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, signed(size) - signed(layout.size()));
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of different turns: enough that a turn is forgotten before it returns.
const CYCLE: usize = 100;

struct SteadyTurn {
    committed: Entry,
    completion: Arc<Completion>,
    results: Vec<ToolResult>,
    entries: Vec<Entry>,
}

/// A read, a write, and a test that fails: healthy work, about which a guard has nothing to say.
fn steady_turn(n: usize) -> SteadyTurn {
    let turn = calls("read", &format!("{{\"path\":\"{n}\"}}"))
        .and_says("I read, write and test. `a` ``b``")
        .and_thinks("hm")
        .and_calls("write_file", &format!("{{\"path\":\"{n}.py\"}}"))
        .and_calls("pytest", "{}");
    let completion = Arc::new(turn.completion(&offer(), &mut 0));
    let texts = ["é".repeat(1_200 + n), "written".into(), format!("{n} failed")];
    let results: Vec<_> = completion
        .calls
        .iter()
        .zip(texts)
        .map(|(call, text)| ToolResult {
            call: call.clone(),
            origin: Origin::Executed,
            status: if &*call.tool == "pytest" { Status::Error } else { Status::Ok },
            tries: 1,
            text: text.into(),
        })
        .collect();
    let entries = results.iter().cloned().map(Entry::Result).collect();
    SteadyTurn { committed: Entry::Completion(completion.clone()), completion, results, entries }
}

fn play(guard: &mut dyn Guard, turns: &[SteadyTurn], times: usize) {
    for turn in turns.iter().cycle().take(times) {
        guard.observe(&turn.committed);
        assert_eq!(guard.review(&turn.completion), Ok(Decision::pass()));
        assert_eq!(guard.settle(&turn.completion, &turn.results), Ok(Settlement::Accept(Vec::new())));
        for entry in &turn.entries {
            guard.observe(entry);
        }
    }
}

/// After a warm-up nothing is allocated, live bytes stay the same, and the saved state differs only in its counters.
#[track_caller]
fn check(mut guard: impl Guard) {
    let turns: Vec<_> = (0..CYCLE).map(steady_turn).collect();
    guard.observe(&Entry::Start(Start { model: "test".into(), protocol: Protocol::Text, offer: offer() }));
    // Buffers are swapped between calls; after some rounds each has seen the longest text.
    play(&mut guard, &turns, 20 * CYCLE);
    let (allocations, bytes, saved) = (ALLOCATIONS.get(), LIVE_BYTES.get(), saved_size(&guard));
    let (allocations, bytes) = (ALLOCATIONS.get() - allocations, LIVE_BYTES.get() - bytes);
    assert!(allocations > 0 && bytes == 0, "saving allocates, and gives it all back");
    let (allocations, bytes) = (ALLOCATIONS.get(), LIVE_BYTES.get());
    play(&mut guard, &turns, 100 * CYCLE);
    assert_eq!(ALLOCATIONS.get() - allocations, 0, "allocations of 10,000 turns");
    assert_eq!(LIVE_BYTES.get() - bytes, 0, "bytes held");
    assert_eq!(saved_size(&guard), saved, "of the saved state");
}

/// The size of the saved state without its digits, because counters grow.
fn saved_size(guard: &impl Guard) -> usize {
    guard.save().to_string().bytes().filter(|byte| !byte.is_ascii_digit()).count()
}

#[test]
fn abandonment_allocates_nothing() {
    check(Abandonment::default());
}

#[test]
fn duplicate_allocates_nothing() {
    check(Duplicate::default());
}

#[test]
fn no_tools_allocates_nothing() {
    check(NoTools::default());
}

#[test]
fn empty_completion_allocates_nothing() {
    check(EmptyCompletion::default());
}

#[test]
fn retry_safety_allocates_nothing() {
    check(RetrySafety::default());
}

#[test]
fn handoff_allocates_nothing() {
    check(Handoff::default());
}

#[test]
fn progress_allocates_nothing() {
    check(Progress::default());
}

#[test]
fn repetition_allocates_nothing() {
    check(Repetition::default());
}

#[test]
fn repair_allocates_nothing() {
    check(CallRepair::default());
}

#[test]
fn the_stack_of_all_allocates_nothing() {
    check(Stack::new(all_guards()));
}

#[test]
fn a_failing_read_in_a_debt_allocates_nothing_either() {
    let turns: Vec<_> = (0..CYCLE)
        .map(|n| {
            let mut turn = steady_turn(n);
            turn.results.remove(1);
            turn.entries.remove(1);
            turn
        })
        .collect();
    let mut guard = Abandonment::default();
    let mut ids = 0;
    let failed = Arc::new(calls("write_file", "{}").completion(&offer(), &mut ids));
    for _ in 0..3 {
        guard.observe(&Entry::Result(ToolResult {
            call: failed.calls[0].clone(),
            origin: Origin::Executed,
            status: Status::Error,
            tries: 1,
            text: "no space".into(),
        }));
    }
    play(&mut guard, &turns, CYCLE);
    let allocations = ALLOCATIONS.get();
    play(&mut guard, &turns, CYCLE);
    assert_eq!(ALLOCATIONS.get() - allocations, 0);
}

#[test]
fn a_view_of_twice_as_many_turns_costs_twice_as_much_also_where_a_call_id_comes_in_every_turn() {
    let turn = steady_turn(0);
    let cost = |turns: usize| {
        let entries: Vec<Entry> = std::iter::once(&turn.committed)
            .chain(&turn.entries)
            .cycle()
            .take(turns * (1 + turn.entries.len()))
            .cloned()
            .collect();
        let before = ALLOCATIONS.get();
        let view = View::of(&entries);
        assert_eq!(view.messages().len(), entries.len());
        ALLOCATIONS.get() - before
    };
    let (once, twice) = (cost(500), cost(1_000));
    assert!(twice < once * 5 / 2, "{once} allocations for 500 turns, {twice} for 1,000");
}
