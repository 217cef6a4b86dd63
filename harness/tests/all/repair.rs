//! Repairs in whole runs: a model whose call was made goes on, and nothing is made twice.

use crate::common::runs::recipe;
use balk::engine::{self, TruthChannel};
use balk::grade;
use balk_guards::{Entry, Intervention, InterventionKind};
use balk_scenarios::drawn::Target;
use balk_scenarios::{Pools, World, WorldOptions};

/// Runs of a drawn slip in which a call was repaired: how many, and how many of them have more than one stuck turn.
fn repaired(slip: &str, guard: &str) -> (usize, usize) {
    let target = Target::find(slip).expect("a slip");
    let stack = recipe(guard);
    let (mut all, mut stays) = (0, 0);
    for seed in 0..=39 {
        let scenario = target.scenario(seed, Pools::Open);
        let world = World::draw(&scenario, seed, WorldOptions::default());
        let channel = TruthChannel::default();
        let trial = engine::run(&world, &mut stack.stack(&channel), &channel);
        let is_repair = |entry: &Entry| {
            matches!(entry, Entry::Intervention(Intervention { kind: InterventionKind::Repair(_), .. }))
        };
        let grade = grade::grade(&trial);
        assert_eq!(grade.double_effects, 0, "{slip} seed {seed}");
        if trial.entries.iter().any(is_repair) {
            all += 1;
            stays += usize::from(grade.stuck_turns > 1);
        }
    }
    (all, stays)
}

#[test]
fn x1_x3_a_model_whose_call_was_made_goes_on() {
    for slip in ["drawn/prints-json", "drawn/nearly-json", "drawn/misspells-tool"] {
        let (all, stays) = repaired(slip, "repair");
        assert!(all >= 20, "{slip}: {all} of 40 runs were repaired");
        assert!(stays * 5 <= all, "{slip}: {stays} of {all} models sent the call again");
    }
}
