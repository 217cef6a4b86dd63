//! The ids of calls. A provider refuses a conversation in which two calls have the same one. A view gives a repeated id
//! a number, because foreign transcripts have such ids, so every view is legal all the same: only the transcript shows
//! what an actor sent.

use std::collections::BTreeSet;
use std::sync::Arc;

use balk::engine::{self, Trial, TruthChannel};
use balk_guards::{Completion, Entry, FinishReason};
use balk_scenarios::drawn::Target;
use balk_scenarios::{Pools, Scenario, World, WorldOptions, Worlds, catalogue};
use proptest::prelude::*;
use rayon::prelude::*;

use super::case::{case, completion, repaired};
use crate::common::between;
use crate::common::recipe::recipe;

/// The first id of a call that an earlier call of the run had.
fn repeated(trial: &Trial) -> Option<&Arc<str>> {
    let mut seen = BTreeSet::new();
    let calls = trial.entries.iter().filter_map(completion).flat_map(|it| &it.calls);
    calls.map(|call| &call.id).find(|id| !seen.insert(*id))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_call_has_the_id_of_another_whatever_guards_do(case in case()) {
        let trial = case.trial(&case.world());
        // A guard may leave text alone of a broken attempt. The request that is sent again then ends with it, no
        // provider takes that request, and the actor does not see that its next turn is another one. Nor does it if a
        // guard leaves nothing of an answer that a request shows: no request then has the earlier id either.
        let leaves_little = |it: &Arc<Completion>| {
            it.calls.is_empty() && (it.finish == FinishReason::Error || !it.has_text())
        };
        if trial.entries.iter().filter_map(repaired).any(leaves_little) {
            return Ok(());
        }
        prop_assert_eq!(repeated(&trial), None);
    }
}

/// Our guards, and peers that also refuse calls of healthy models or send them messages.
const STACKS: [&str; 4] = ["default", "naive-duplicate", "roo-code", "openrouter"];

fn check(scenario: &Arc<Scenario>, seed: u64) -> usize {
    let interventions = STACKS.iter().map(|spec| {
        let world = World::draw(scenario, seed, WorldOptions::default());
        let channel = TruthChannel::default();
        let trial = engine::run(&world, &mut recipe(spec).stack(&channel), &channel);
        assert_eq!(repeated(&trial), None, "{}, seed {seed}, {spec}", scenario.name);
        trial.entries.iter().filter(|it| matches!(it, Entry::Intervention(_))).count()
    });
    interventions.sum()
}

#[test]
fn no_call_has_the_id_of_another_in_written_scenarios() {
    let listed = catalogue::listed().map(|it| it.read(&[]).expect("the scenarios are good"));
    let all: Vec<Arc<Scenario>> = listed.chain([between()]).collect();
    let runs: Vec<(&Arc<Scenario>, u64)> =
        all.iter().flat_map(|scenario| (0..20).map(move |seed| (scenario, seed))).collect();
    let interventions: usize = runs.into_par_iter().map(|(scenario, seed)| check(scenario, seed)).sum();
    assert!(interventions > 1_000, "{interventions} interventions");
}

#[test]
fn no_call_has_the_id_of_another_in_drawn_worlds() {
    let worlds = Worlds::from(Target::Any);
    let run = |seed| check(&worlds.scenario(seed, Pools::default()), seed);
    let interventions: usize = (0..500).into_par_iter().map(run).sum();
    assert!(interventions > 1_000, "{interventions} interventions");
}
