//! What an actor did in a world under a stack, over many seeds.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use balk_guards::{Entry, InterventionKind};
use balk_reports::records::Counts;
use balk_reports::statistics::Cluster;
use balk_scenarios::{Stuck, Truth, WorldOptions, Worlds};
use rayon::prelude::*;

use crate::engine::Trial;
use crate::grade;
use crate::guards::Recipe;
use crate::simulate::Simulation;

/// What an actor did in a world under a stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acts {
    /// The counts of the runs.
    pub counts: Counts,
    /// The stack's messages to a model that balks, and those of them after which a new call came. A scripted actor
    /// counts once in a run, with the first message.
    pub reacted: Cluster,
}

impl Acts {
    /// A scripted actor over these seeds. Calls `done` after each.
    #[must_use]
    pub fn play(
        worlds: &Worlds,
        recipe: &Recipe,
        options: WorldOptions,
        seeds: RangeInclusive<u64>,
        done: &(impl Fn() + Sync),
    ) -> Self {
        let one = |seed| {
            let scenario = worlds.scenario(seed, options.pools);
            let simulation = Simulation::new(&scenario, recipe, options);
            let trial = simulation.trial(&simulation.world(seed));
            done();
            Self::of(&trial)
        };
        seeds.into_par_iter().map(one).reduce(Self::default, Self::plus)
    }

    fn of(trial: &Trial) -> Self {
        let mut acts = Self::default();
        acts.counts.add(&grade::grade(trial));
        if let Some(moved) = moved(trial) {
            acts.reacted = Cluster { count: moved.into(), of: 1 };
        }
        acts
    }

    fn plus(self, other: Self) -> Self {
        let (one, two) = (self.reacted, other.reacted);
        let reacted = Cluster { count: one.count + two.count, of: one.of + two.of };
        Self { counts: self.counts.plus(&other.counts), reacted }
    }
}

/// Whether the completion after the first message to an actor that balks has a call that was not sent before, as
/// samples of a real model are counted; none without such a message, or without a completion after it.
fn moved(trial: &Trial) -> Option<bool> {
    let mut turns = trial.turns.iter();
    let (mut is_balking, mut is_told) = (false, false);
    let mut sent = BTreeSet::new();
    for entry in &trial.entries {
        match entry {
            Entry::Completion(completion) => {
                if is_told {
                    return Some(completion.calls.iter().any(|it| !sent.contains(&it.key)));
                }
                is_balking = turns.next().is_some_and(|it| balks(it.truth));
                sent.extend(completion.calls.iter().map(|it| it.key));
            }
            Entry::Intervention(it) if is_balking && speaks(&it.kind) => is_told = true,
            Entry::Intervention(_)
            | Entry::Start(_)
            | Entry::User(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Result(_)
            | Entry::Answer(_)
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }
    None
}

/// Whether it balks in the sense of `balk live --react`: it calls nothing, or sends a call again. An actor that varies
/// its calls sends new ones whether it was moved or not.
fn balks(truth: Truth) -> bool {
    match truth {
        Truth::Stuck(
            Stuck::IdenticalCall
            | Stuck::Empty
            | Stuck::TextOnly
            | Stuck::RepeatedText
            | Stuck::Fence
            | Stuck::ThinkingOnly,
        ) => true,
        Truth::Stuck(
            Stuck::NearDuplicate
            | Stuck::SameFailure
            | Stuck::Cycle
            | Stuck::NoOp
            | Stuck::Wandering
            | Stuck::Truncated,
        )
        | Truth::Productive
        | Truth::Waiting
        | Truth::Finished
        | Truth::Faulted => false,
    }
}

/// Whether the actor hears of it.
fn speaks(kind: &InterventionKind) -> bool {
    match kind {
        InterventionKind::Feedback
        | InterventionKind::Note
        | InterventionKind::Block
        | InterventionKind::Question(_) => true,
        InterventionKind::Repair(_) | InterventionKind::Notice | InterventionKind::Stop => false,
    }
}
