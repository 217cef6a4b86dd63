//! Spec M1 and M2 over everything that the shipped guards say in whole runs: the catalogue, the field pairs and the
//! drawn worlds.

use std::collections::BTreeSet;

use crate::common::runs::recipe;
use crate::common::{one_in, scenario};
use balk::engine::{self, TruthChannel};
use balk_guards::{Entry, InterventionKind, Offer};
use balk_scenarios::catalogue::listed;
use balk_scenarios::drawn::Target;
use balk_scenarios::{Pools, World, WorldOptions, Worlds, toolsets};
use rayon::prelude::*;

/// What a guard said wrongly in one run.
fn wrong(entries: &[Entry], known: &BTreeSet<String>) -> Vec<String> {
    let (mut wrong, mut before) = (Vec::new(), None);
    let mut offer = &Offer::default();
    // Names that the model called, whether they are on offer or not.
    let mut called = known.clone();
    for entry in entries {
        match entry {
            Entry::Start(start) => offer = &start.offer,
            Entry::Completion(it) => called.extend(it.calls.iter().map(|call| call.tool.to_string())),
            Entry::Intervention(it) if it.seen => {
                let text = &*it.note.text;
                if before == Some(text) {
                    wrong.push(format!("M1, {} twice: {text}", it.note.rule));
                }
                before = Some(text);
                // What the user reads may name what is missing.
                let to_the_model = match it.kind {
                    InterventionKind::Feedback | InterventionKind::Note | InterventionKind::Block => true,
                    InterventionKind::Question(_)
                    | InterventionKind::Notice
                    | InterventionKind::Repair(_)
                    | InterventionKind::Stop => false,
                };
                let named = text.split('`').skip(1).step_by(2);
                let absent = named.filter(|name| called.contains(*name) && offer.get(name).is_none());
                let absent: Vec<_> = absent.filter(|_| to_the_model).collect();
                if !absent.is_empty() {
                    wrong.push(format!("M2, {}: {absent:?} in: {text}", it.note.rule));
                }
            }
            Entry::User(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Result(_)
            | Entry::Intervention(_)
            | Entry::Answer(_)
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }
    wrong
}

#[test]
fn m1_m2_no_message_comes_twice_in_a_row_and_none_names_a_tool_that_is_not_on_offer() {
    let sets = toolsets::catalogue().iter();
    let known = sets.flat_map(|set| set.tools.iter().map(|it| it.tool.name.to_string())).collect();
    let written = listed().map(|it| (it.name.to_owned(), Worlds::from(scenario(it.name, &[]))));
    let drawn = Target::cells(Pools::Open).into_iter().map(|it| (it.name(), Worlds::from(it)));
    let worlds: Vec<(String, Worlds)> = written.chain(drawn).collect();
    let default = recipe("default");
    let broken: BTreeSet<String> = worlds
        .par_iter()
        .flat_map_iter(|(name, worlds)| one_in(4).map(move |seed| (name, worlds, seed)))
        .flat_map_iter(|(name, worlds, seed)| {
            let scenario = worlds.scenario(seed, Pools::Open);
            let world = World::draw(&scenario, seed, WorldOptions::default());
            let channel = TruthChannel::default();
            let trial = engine::run(&world, &mut default.stack(&channel), &channel);
            wrong(&trial.entries, &known).into_iter().map(move |it| format!("{name} seed {seed}: {it}"))
        })
        .collect();
    let shown: Vec<&str> = broken.iter().take(20).map(String::as_str).collect();
    assert!(broken.is_empty(), "{} messages, among them:\n{}", broken.len(), shown.join("\n"));
}
