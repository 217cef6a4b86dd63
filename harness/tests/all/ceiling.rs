//! The ceiling is one: no stack that ships gets more stubborn runs done, but by chance.

use std::sync::Arc;

use balk::guards::Registry;
use balk::simulate::counts;
use balk_reports::statistics::mcnemar;
use balk_scenarios::catalogue;
use balk_scenarios::{Kind, Scenario, WorldOptions};

use crate::common::recipe::recipe;
use crate::common::{one_in, scenario};

fn done(scenario: &Arc<Scenario>, stack: &str) -> u64 {
    let recipe = recipe(stack);
    counts(&scenario.clone().into(), &recipe, WorldOptions::default(), one_in(10), &|| ()).done
}

#[test]
fn no_stack_beats_the_ceiling() {
    let stacks: Vec<String> =
        Registry::standard().benched().into_iter().filter(|stack| stack != "ceiling").collect();
    let (mut best, mut all) = (0, vec![0; stacks.len()]);
    for listed in catalogue::listed().filter(|it| it.kind == Kind::Stubborn) {
        let scenario = scenario(listed.name, &[]);
        if scenario.unreachable.is_some() {
            continue;
        }
        let ceiling = done(&scenario, "ceiling");
        best += ceiling;
        for (stack, all) in stacks.iter().zip(&mut all) {
            let done = done(&scenario, stack);
            *all += done;
            // If the surplus were all luck, so much of it would be rare.
            let p = mcnemar(done.saturating_sub(ceiling), 0);
            assert!(p > 0.05, "{}: `{stack}` {done}, the ceiling {ceiling}", listed.name);
        }
    }
    for (stack, all) in stacks.iter().zip(all) {
        assert!(all < best, "`{stack}` gets {all} done, the ceiling {best}");
    }
}
