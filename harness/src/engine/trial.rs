//! One trial, and what came of it.

use balk_guards::{Entry, Guard, Transcript};
use balk_scenarios::{User, World};

use super::person::Person;
use super::running::{FailedFacts, Running, TurnFacts};
use super::truth_channel::TruthChannel;

/// Everything that happened in one trial, and what was really going on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The transcript, from start to end.
    pub entries: Transcript,
    /// One for each turn, in order.
    pub turns: Vec<TurnFacts>,
    /// One for each failed attempt, in order.
    pub failed: Vec<FailedFacts>,
    /// Whether the goal holds in the end.
    pub goal: bool,
    /// How often something was done again in the world that was to be done once.
    pub double_effects: u32,
    /// Ticks gone by.
    pub ticks: u64,
}

/// Runs one trial to its end. The oracle, where there is one, is told the truth by the channel.
pub fn run(world: &World<'_>, guard: &mut dyn Guard, channel: &TruthChannel) -> Trial {
    let mut scripted = User::new(world);
    run_with(world, guard, channel, &mut scripted, &mut |_| {})
}

/// The same, with somebody else to answer the guards' questions, and somebody who sees each entry once it is
/// committed.
pub fn run_with<'a>(
    world: &World<'a>,
    guard: &mut dyn Guard,
    channel: &TruthChannel,
    person: &mut dyn Person<'a>,
    see: &mut dyn FnMut(&Entry),
) -> Trial {
    let mut running = Running::new(world, guard, channel, person, see);
    running.play();
    let Running { run, environment, turns, mut failed, ticks, .. } = running;
    let entries = run.into_transcript();
    let places = entries.iter().enumerate().filter(|(_, entry)| matches!(entry, Entry::Failed(_)));
    // A guard that breaks when it is asked about an attempt leaves that attempt out of the transcript.
    let placed = failed.iter_mut().zip(places).map(|(facts, (entry, _))| facts.entry = entry).count();
    failed.truncate(placed);
    Trial {
        goal: environment.goal(),
        double_effects: environment.double_effects(),
        entries,
        turns,
        failed,
        ticks,
    }
}
