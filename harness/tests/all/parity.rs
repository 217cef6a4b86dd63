//! The same actor behind serialised JSON. Every turn of a trial is repeated through a request and a response of each
//! dialect, with an actor that is rebuilt from the request. The transcripts in process and over the wire are the
//! same.

use std::sync::Arc;

use crate::common::recipe::recipe;
use crate::common::{between, scenario, seeds};
use balk::engine::{self, Trial, TruthChannel};
use balk::guards::Recipe;
use balk_guards::wire::{Answering, Asking, Dialect, Seen};
use balk_guards::{Completion, Entry, FinishReason, View};
use balk_peers::NaiveRetry;
use balk_scenarios::{Actor, Scenario, World, WorldOptions};
use rayon::prelude::*;

/// A server's response to this view, and whether it would break off: the server knows the world and the number of
/// equal requests.
fn served(world: &Arc<World>, dialect: Dialect, view: &View, attempt: u32) -> (Completion, bool) {
    let request = dialect.request(view, &Asking::of("balk-actor"));
    let seen = dialect.seen(&request, world.offer()).expect("what was written can be read");
    assert_eq!(seen, Seen::of(view), "{dialect:?} carries the view");
    let mut actor = Actor::new(world);
    actor.catch_up(&seen.messages);
    let act = actor.act(attempt);
    let response = dialect.response(&act.completion(world.offer()), &Answering::of("response", "balk-actor"));
    let completion = dialect.completion(&response, world.offer()).expect("what was written can be read");
    (completion, act.broken.is_some())
}

/// Walks through a trial; returns how many completions were compared.
fn check(world: &Arc<World>, trial: &Trial, what: &str) -> usize {
    let mut view = View::default();
    let mut attempt = 1;
    let mut compared = 0;
    // The calls that a broken attempt left are committed before the attempt, which had one request.
    let mut left = false;
    for (at, entry) in trial.entries.iter().enumerate() {
        let (completion, failed) = (completion(entry), matches!(entry, Entry::Failed(_)));
        let of_left = failed && std::mem::take(&mut left);
        left |= completion.is_some_and(|it| it.finish == FinishReason::Error);
        for dialect in Dialect::ALL.into_iter().filter(|_| !of_left) {
            if let Some(completion) = completion {
                let (mut found, breaks) = served(world, dialect, &view, attempt);
                if breaks {
                    found.finish = FinishReason::Error;
                }
                assert_eq!(found, **completion, "{what}, entry {at}, {dialect:?}");
                compared += 1;
            } else if failed {
                let (found, breaks) = served(world, dialect, &view, attempt);
                assert!(found.is_empty() || breaks, "{what}, entry {at}, {dialect:?}: {found:?}");
                compared += 1;
            }
        }
        // An attempt is one more request with the same view. Every addition to the view resets the count, so the
        // failure of an attempt that left something does not count.
        let before = view.messages().len();
        view.push(entry);
        attempt = if view.messages().len() > before || matches!(entry, Entry::Compaction(_)) {
            1
        } else {
            attempt + u32::from(failed && !of_left)
        };
    }
    compared
}

fn completion(entry: &Entry) -> Option<&Arc<Completion>> {
    if let Entry::Completion(it) = entry { Some(it) } else { None }
}

fn some_seeds() -> std::ops::RangeInclusive<u64> {
    let last = *seeds().end();
    0..=if last < 100 { last / 99 } else { last / 4 }
}

fn check_all(scenario: &Arc<Scenario>) {
    let stacks = ["none", "default", "oracle"].map(recipe);
    let jobs: Vec<(&Recipe, u64)> =
        stacks.iter().flat_map(|stack| some_seeds().map(move |seed| (stack, seed))).collect();
    let compared: usize = jobs
        .into_par_iter()
        .map(|(stack, seed)| {
            let world = World::draw(scenario, seed, WorldOptions::default());
            let channel = TruthChannel::default();
            let trial = engine::run(&world, &mut stack.stack(&channel), &channel);
            check(&world, &trial, &format!("{} seed {seed} guard {}", scenario.name, stack.spec()))
        })
        .sum();
    assert!(compared > 30 * some_seeds().count(), "{}: only {compared} completions", scenario.name);
}

/// Every scenario: two seeds in a normal run, a quarter of all in a long one.
#[test]
fn the_catalogue_does_the_same_over_every_wire() {
    for listed in balk_scenarios::catalogue::listed() {
        check_all(&scenario(listed.name, &[]));
    }
}

#[test]
fn what_comes_between_turns_does_the_same_over_every_wire() {
    check_all(&between());
}

/// The calls that a broken attempt left are in the view before its failure, so the next request is the first with its
/// view.
#[test]
fn calls_that_break_off_twice_do_the_same_over_every_wire() {
    let scenario = scenario("broken-while-writing", &[]);
    let mut breaks_twice = 0;
    for seed in 0..100 {
        let world = World::draw(&scenario, seed, WorldOptions::default());
        let trial = engine::run(&world, &mut NaiveRetry, &TruthChannel::default());
        let left = trial.entries.iter().filter_map(completion).filter(|it| it.finish == FinishReason::Error);
        breaks_twice += u32::from(left.count() > 1);
        check(&world, &trial, &format!("seed {seed}, always sent again"));
    }
    assert!(breaks_twice > 0, "no seed breaks off while a call runs, and again when it is sent again");
}
