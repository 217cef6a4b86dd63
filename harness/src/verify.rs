//! Checks that trials are what they claim: the same bytes each time, and legal for every provider.

use std::ops::RangeInclusive;

use balk_guards::wire::{Asking, Dialect};
use balk_guards::{Entry, View};
use balk_scenarios::{Reactions, WorldOptions, Worlds};
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::config::Config;
use crate::guards::{BadStack, DEFAULT, NONE, Recipe, Registry};
use crate::simulate::Simulation;

/// The findings about one scenario.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The number of trials; each ran twice.
    pub trials: usize,
    /// The number of views; each was checked in every dialect.
    pub views: usize,
    /// The first entry that differs between two runs.
    pub difference: Option<Difference>,
    /// The first view that a provider would refuse.
    pub illegal: Option<String>,
}

/// The first difference between two runs of one trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The seed.
    pub seed: u64,
    /// The stack.
    pub guard: String,
    /// The first different line of the two records: 0 for the head, then the entries from 1.
    pub entry: usize,
    /// The line of the first run.
    pub first: String,
    /// The line of the second run.
    pub second: String,
    /// Whether guards in other processes are in the stack.
    pub runs_commands: bool,
}

/// The stacks that are verified: no guard, the default stack, and every guard that is not a peer.
///
/// # Errors
/// A guard that does not accept its own variant.
pub fn stacks(registry: &Registry) -> Result<Vec<Recipe>, BadStack> {
    let specs = [NONE, DEFAULT].map(str::to_owned).into_iter().chain(registry.names());
    // A variant may be what its guard does anyway, so some are the same stack.
    specs.map(|spec| Recipe::new(registry, &spec, &Config::default())).collect()
}

/// Runs these worlds with each of these stacks, forwards on this thread and backwards on those of the pool.
#[must_use]
pub fn worlds(
    worlds: &Worlds,
    stacks: &[Recipe],
    reactions: Option<Reactions>,
    seeds: RangeInclusive<u64>,
    pool: &ThreadPool,
) -> Found {
    let jobs: Vec<Job<'_>> =
        stacks.iter().flat_map(|stack| seeds.clone().map(move |seed| (stack, seed))).collect();
    let options = WorldOptions { reactions, ..WorldOptions::default() };
    let run = |&(stack, seed): &Job<'_>| {
        let scenario = worlds.scenario(seed, options.pools);
        lines(&Simulation::new(&scenario, stack, options), seed)
    };
    let first: Vec<Vec<String>> = jobs.iter().map(run).collect();
    let mut second: Vec<Vec<String>> = pool.install(|| jobs.par_iter().rev().map(run).collect());
    second.reverse();
    let mut found = Found { trials: jobs.len(), ..Found::default() };
    for ((job, first), second) in jobs.iter().zip(&first).zip(&second) {
        if found.difference.is_none() {
            found.difference = difference(job, first, second);
        }
    }
    let check = |&(stack, seed): &Job<'_>| {
        let scenario = worlds.scenario(seed, options.pools);
        legal(&Simulation::new(&scenario, stack, options), seed)
    };
    let checked: Vec<_> = pool.install(|| jobs.par_iter().map(check).collect());
    for ((stack, seed), (views, illegal)) in jobs.into_iter().zip(checked) {
        found.views += views;
        found.illegal =
            found.illegal.or(illegal.map(|it| format!("seed {seed}, guard {}: {it}", stack.spec())));
    }
    found
}

/// A stack and a seed.
type Job<'a> = (&'a Recipe, u64);

/// A record, split into lines that can be named: the head without entries, the entries, the end.
fn lines(simulation: &Simulation<'_>, seed: u64) -> Vec<String> {
    let mut record = simulation.record(seed, &[]);
    let entries = std::mem::take(&mut record.entries);
    let line = |it: Result<String, serde_json::Error>| it.expect("a record is plain data");
    let mut lines = vec![line(serde_json::to_string(&record))];
    lines.extend(entries.iter().map(|entry| line(serde_json::to_string(entry))));
    lines
}

fn difference(&(stack, seed): &Job<'_>, first: &[String], second: &[String]) -> Option<Difference> {
    let longest = first.len().max(second.len());
    // The head has the sums, so it is compared last: the first different entry says more.
    let entry = (1..longest).chain([0]).find(|&at| first.get(at) != second.get(at))?;
    let at = |lines: &[String]| lines.get(entry).cloned().unwrap_or_else(|| "(nothing)".into());
    Some(Difference {
        seed,
        guard: stack.spec().to_owned(),
        entry,
        first: at(first),
        second: at(second),
        runs_commands: stack.runs_commands(),
    })
}

/// Checks every view of a trial, as it was sent.
fn legal(simulation: &Simulation<'_>, seed: u64) -> (usize, Option<String>) {
    let trial = simulation.trial(&simulation.world(seed));
    let mut view = View::default();
    let mut views = 0;
    for (at, entry) in trial.entries.iter().enumerate() {
        if matches!(entry, Entry::Completion(_)) {
            views += 1;
            for dialect in Dialect::ALL {
                let request = dialect.request(&view, &Asking::of("model"));
                let problem = match dialect.legal(&request) {
                    Ok(Ok(())) => continue,
                    Ok(Err(illegal)) => illegal.to_string(),
                    Err(unreadable) => unreadable.to_string(),
                };
                return (views, Some(format!("the view before entry {at} is illegal: {problem}")));
            }
        }
        view.push(entry);
    }
    (views, None)
}
