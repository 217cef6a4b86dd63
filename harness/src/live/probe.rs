//! Whether a server gives the same answer to the same request.

use std::sync::Arc;

use balk_contract::wire::Refusal;
use balk_guards::{Completion, Entry, Offer, Usage, View};
use balk_reports::records::Repeats;
use balk_scenarios::{User, World};

use super::model::{Answer, Model, Stop};
use super::store::Place;
use crate::engine::Host;

impl Model<'_> {
    /// Asks for the first completion of a world twice, for one of another world, and for the first again. Only the very
    /// first is kept: a run begins with it. None if the endpoint gave one of them no answer.
    ///
    /// # Errors
    /// The endpoint refused the very first request.
    pub fn probe(&self, world: &Arc<World>, other: &Arc<World>) -> Result<Option<Repeats>, Refusal> {
        let first = match self.first(world, Self::complete) {
            Ok(first) => first,
            Err(Stop::Refused(refusal)) => return Err(refusal),
            Err(_) => return Ok(None),
        };
        let again = || self.first(world, Self::complete_anew).ok();
        let (at_once, _, later) = (again(), self.first(other, Self::complete_anew), again());
        let repeats = |(at_once, later)| Repeats { at_once: at_once == first, after_another: later == first };
        Ok(at_once.zip(later).map(repeats))
    }

    /// The first completion in a world.
    fn first(
        &self,
        world: &Arc<World>,
        ask: fn(&Self, &View, &Place, &Offer) -> Result<Answer, Stop>,
    ) -> Result<Completion, Stop> {
        let mut user = User::new(world);
        let mut ignore = |_: &Entry| {};
        let mut guard = ();
        let mut host = Host::new(world, &self.asking.model, &mut guard, &mut user, &mut ignore);
        host.next();
        let place = Place {
            scenario: world.scenario().name.clone(),
            seed: world.seed(),
            turn: 1,
            attempt: 0,
            sample: 0,
        };
        let mut completion = ask(self, host.view(), &place, world.offer())?.completion;
        // Counts depend on what the server has cached.
        completion.usage = Usage::default();
        Ok(completion)
    }
}
