//! Whether a server gives the same answer to the same request.

use balk_guards::{Completion, Entry, Offer, Usage, View};
use balk_reports::records::Repeats;
use balk_scenarios::{User, World};

use super::model::{Answer, Model, Stop};
use super::store::Place;
use crate::engine::Host;

impl Model<'_> {
    /// Asks for the first completion of a world twice, for one of another world, and for the first again. Only the very
    /// first is kept: a run begins with it. None if the endpoint gave no answer, or there is no endpoint.
    #[must_use]
    pub fn probe(&self, world: &World<'_>, other: &World<'_>) -> Option<Repeats> {
        self.endpoint?;
        let first = self.first(world, Self::complete)?;
        let at_once = self.first(world, Self::complete_anew)? == first;
        self.first(other, Self::complete_anew)?;
        Some(Repeats { at_once, after_another: self.first(world, Self::complete_anew)? == first })
    }

    /// The first completion in a world.
    fn first(
        &self,
        world: &World<'_>,
        ask: fn(&Self, &View, &Place, &Offer) -> Result<Answer, Stop>,
    ) -> Option<Completion> {
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
        let mut completion = ask(self, host.view(), &place, world.offer()).ok()?.completion;
        // Counts depend on what the server has cached.
        completion.usage = Usage::default();
        Some(completion)
    }
}
