//! A turn costs the same however long the run is: the view only grows at its end, and the actor reads each message
//! once.

use crate::common::recipe::recipe;
use balk::simulate::Simulation;
use balk_guards::{Entry, Message, View};
use balk_scenarios::{Actor, WorldOptions, catalogue};

#[test]
fn the_view_only_grows_and_the_actor_reads_each_message_once() {
    let stacks = ["none", "default", "oracle"].map(recipe);
    for listed in catalogue::listed() {
        let scenario = listed.read(&[]).expect("the catalogue is good");
        if scenario.compaction.is_some() {
            // A summary takes the place of what was sent before.
            continue;
        }
        for stack in &stacks {
            let simulation = Simulation::new(&scenario, stack, WorldOptions::default());
            for seed in 0..20 {
                check(&simulation, seed);
            }
        }
    }
}

/// Plays the model's part twice: once with the view, once with everything that was already read erased.
#[track_caller]
fn check(simulation: &Simulation<'_>, seed: u64) {
    let world = simulation.world(seed);
    let mut remembers = Actor::new(&world);
    let mut is_shown = Actor::new(&world);
    let mut view = View::default();
    let mut read: Vec<Message> = Vec::new();
    let mut attempt = 1;
    for entry in simulation.trial(&world).entries {
        if matches!(entry, Entry::Completion(_)) {
            let messages = view.messages();
            assert!(messages.starts_with(&read), "seed {seed}: what was sent before is not sent as it was");
            let mut news = messages.to_vec();
            news[..read.len()].fill(Message::User("wiped out".into()));
            remembers.catch_up(&news);
            is_shown.catch_up(messages);
            assert_eq!(remembers.act(attempt), is_shown.act(attempt), "seed {seed}");
            read = messages.to_vec();
            attempt = 1;
        }
        attempt += u32::from(matches!(entry, Entry::Failed(_)));
        view.push(&entry);
    }
}
