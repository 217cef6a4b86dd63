//! The same actor in process, without an agent: how far a run took the same way, and what comes of it with a stack of
//! guards.

use std::sync::Arc;

use balk_guards::{Entry, Termination};
use balk_reports::records::crash::{InProcess, Word};
use balk_scenarios::{Pools, World, WorldOptions, Worlds};

use crate::engine::{self, Trial, TruthChannel};
use crate::grade;
use crate::guards::Recipe;
use crate::serve::Step;

/// What the model did: its texts, and its calls by tool and arguments.
type Act = (Vec<Arc<str>>, Vec<(Arc<str>, Arc<str>)>);

/// A trial of this world without a guard.
pub(super) fn trial(world: &Arc<World>) -> Trial {
    engine::run(world, &mut (), &TruthChannel::default())
}

/// What comes of a scenario in process with this stack.
#[must_use]
pub fn in_process(worlds: &Worlds, seed: u64, recipe: &Recipe) -> InProcess {
    let world = World::draw(&worlds.scenario(seed, Pools::Open), seed, WorldOptions::default());
    let channel = TruthChannel::default();
    let trial = engine::run(&world, &mut recipe.stack(&channel), &channel);
    let grade = grade::grade(&trial);
    let is_bounded = matches!(trial.entries.last(), Some(Entry::End(Termination::Limit(_))));
    InProcess {
        scenario: worlds.name().into_owned(),
        seed: seed.to_string(),
        stack: recipe.spec().to_owned(),
        word: match () {
            () if grade.goal => Word::Reached,
            () if grade.told => Word::Told,
            () if is_bounded => Word::RanOn,
            () => Word::Silent,
        },
        turns: grade.turns,
        interventions: grade.interventions,
    }
}

/// How many acts of a run are those of a trial of its world without a guard, one after the other, and how many there
/// are to compare: up to the agent's first word of its own, or the end of either. Answers that broke off or were empty
/// are left out, because no transcript of a trial has them.
pub(super) fn same_acts(steps: &[Step], trial: &Trial) -> [usize; 2] {
    let expected: Vec<Act> = trial.entries.iter().filter_map(in_trial).collect();
    let until = steps.iter().position(|it| matches!(it, Step::Intervention { .. })).unwrap_or(steps.len());
    let mut found: Vec<Act> = Vec::new();
    for step in &steps[..until] {
        // An act that was asked for again counts once.
        if matches!(step, Step::Act { attempt: 2.., .. }) && found.last() == in_run(step).as_ref() {
            continue;
        }
        found.extend(in_run(step));
    }
    let pairs = || expected.iter().zip(&found);
    [pairs().take_while(|(expected, found)| expected == found).count(), pairs().count()]
}

fn in_trial(entry: &Entry) -> Option<Act> {
    let Entry::Completion(it) = entry else { return None };
    let calls = it.calls.iter().map(|call| (call.tool.clone(), call.arguments.clone()));
    let act: Act = (it.texts().cloned().collect(), calls.collect());
    (act != Act::default()).then_some(act)
}

fn in_run(step: &Step) -> Option<Act> {
    let Step::Act { texts, calls, broke: None, .. } = step else { return None };
    let act: Act = (texts.clone(), calls.iter().map(|it| (it.tool.clone(), it.arguments.clone())).collect());
    (act != Act::default()).then_some(act)
}

#[cfg(test)]
mod tests {
    use balk_scenarios::{Truth, catalogue};

    use super::*;
    use crate::serve::Called;

    /// A trial has completions of nothing but thinking, and a run has acts without a word and a call.
    #[test]
    fn an_act_that_only_thinks_is_no_difference() {
        let worlds: Worlds =
            catalogue::find("thinking-only").and_then(|it| it.read(&[]).ok()).expect("it is there").into();
        let world = World::draw(&worlds.scenario(8, Pools::Open), 8, WorldOptions::default());
        let trial = trial(&world);
        let step = |entry: &Entry| {
            let Entry::Completion(it) = entry else { return None };
            let called = |tool: &Arc<str>, arguments: &Arc<str>| Called {
                tool: tool.clone(),
                arguments: arguments.clone(),
            };
            Some(Step::Act {
                state: String::new(),
                visit: 1,
                attempt: 1,
                truth: Truth::Productive,
                texts: it.texts().cloned().collect(),
                calls: it.calls.iter().map(|call| called(&call.tool, &call.arguments)).collect(),
                broke: None,
            })
        };
        let steps: Vec<Step> = trial.entries.iter().filter_map(step).collect();
        let acts = steps.iter().filter_map(in_run).count();
        assert!(acts < steps.len(), "some only think");
        assert_eq!(same_acts(&steps, &trial), [acts, acts]);
    }
}
