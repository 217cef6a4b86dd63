//! Messages that come between turns: a person who speaks while calls run, and notifications of the environment.

use std::sync::Arc;

use balk_contract::{Speaker, UserMessage};

use crate::environment::Environment;
use crate::scenario::NewsSpec;
use crate::world::World;

/// What came between turns in one trial so far.
#[derive(Clone, Debug)]
pub struct News {
    world: Arc<World>,
    /// How often each notification came.
    notifications: Vec<u32>,
    /// How often each interrupt came.
    interrupts: Vec<u32>,
}

impl News {
    /// Nothing came yet.
    #[must_use]
    pub fn new(world: &Arc<World>) -> Self {
        let scenario = world.scenario();
        Self {
            world: world.clone(),
            notifications: vec![0; scenario.environment.notifications.len()],
            interrupts: vec![0; scenario.user.interrupts.len()],
        }
    }

    /// The next message that comes now, after so many turns. A person interrupts only while calls run.
    pub fn next(
        &mut self,
        turns: usize,
        calls_ran: bool,
        environment: &mut Environment,
    ) -> Option<UserMessage> {
        let world = &*self.world;
        let notifications = &world.scenario().environment.notifications;
        if let Some(at) = due(world, notifications, &mut self.notifications, turns, environment) {
            return Some(UserMessage { from: Speaker::Loop, text: world.user().notifications[at].clone() });
        }
        let interrupts =
            &world.scenario().user.interrupts[..if calls_ran { self.interrupts.len() } else { 0 }];
        let at = due(world, interrupts, &mut self.interrupts, turns, environment)?;
        Some(UserMessage { from: Speaker::User, text: Arc::clone(&world.user().interrupts[at]) })
    }
}

/// The first message that is due. It comes, with what it changes.
fn due(
    world: &World,
    all: &[NewsSpec],
    came: &mut [u32],
    turns: usize,
    environment: &mut Environment,
) -> Option<usize> {
    let turns = u32::try_from(turns).unwrap_or(u32::MAX);
    let (at, spec) = all.iter().enumerate().find(|(at, it)| {
        came[*at] < world.number(it.times) && turns >= world.number(it.turns) && environment.holds(&it.when)
    })?;
    came[at] += 1;
    environment.clear(&spec.clears);
    environment.set(&spec.sets);
    Some(at)
}
