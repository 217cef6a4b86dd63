//! One trial and its result.

use std::sync::Arc;

use balk_guards::{Entry, Guard, Transcript};
use balk_scenarios::{Environment, User, World};

use super::person::Person;
use super::running::{FailedFacts, Running, TurnFacts};
use super::truth_channel::TruthChannel;

/// Everything that happened in one trial, and the hidden truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The transcript, from start to end.
    pub entries: Transcript,
    /// One for each turn, in order.
    pub turns: Vec<TurnFacts>,
    /// One for each failed attempt, in order.
    pub failed: Vec<FailedFacts>,
    /// Whether the goal holds at the end.
    pub goal: bool,
    /// How often something that should happen once was done again.
    pub double_effects: u32,
    /// The simulated time of the trial, in ticks.
    pub ticks: u64,
}

/// Runs one trial to its end. The oracle, if there is one, gets the truth by the channel.
pub fn run(world: &Arc<World>, guard: &mut dyn Guard, channel: &TruthChannel) -> Trial {
    let mut scripted = User::new(world);
    run_with(world, guard, channel, &mut scripted, &mut |_| {})
}

/// Runs one trial. `person` answers the guards' questions, and `see` gets each entry once it is committed.
pub fn run_with(
    world: &Arc<World>,
    guard: &mut dyn Guard,
    channel: &TruthChannel,
    person: &mut dyn Person,
    see: &mut dyn FnMut(&Entry),
) -> Trial {
    let mut running = Running::new(world, guard, channel, person, see);
    running.play();
    let Running { host, turns, failed, .. } = running;
    let (entries, environment) = host.into_parts();
    Trial::of(entries, &environment, turns, failed)
}

impl Trial {
    /// What happened in a run that has ended, in this world as it is then.
    pub(crate) fn of(
        entries: Transcript,
        environment: &Environment,
        turns: Vec<TurnFacts>,
        mut failed: Vec<FailedFacts>,
    ) -> Self {
        let places = entries.iter().enumerate().filter(|(_, entry)| matches!(entry, Entry::Failed(_)));
        // If a guard breaks when it is asked about an attempt, that attempt is not in the transcript.
        let placed = failed.iter_mut().zip(places).map(|(facts, (entry, _))| facts.entry = entry).count();
        failed.truncate(placed);
        Self {
            goal: environment.goal(),
            double_effects: environment.double_effects(),
            entries,
            turns,
            failed,
            ticks: environment.now(),
        }
    }
}
