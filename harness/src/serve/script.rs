//! What is played to whom.

use std::sync::Arc;

use balk_guards::Offer;
use balk_scenarios::agents::Profile;
use balk_scenarios::toolsets::{Unbound, bind};
use balk_scenarios::{Scenario, World, WorldOptions};

/// A scenario under a seed, for an agent.
#[derive(Clone, Debug)]
pub struct Script {
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// The seed that draws its world.
    pub seed: u64,
    /// What is known of the agent, if anything is.
    pub profile: Option<Arc<Profile>>,
}

impl Script {
    /// The world of the script with the tools of this offer. An agent that offers the very tools that the seed draws
    /// gets the world that a trial has.
    pub(super) fn world(&self, offer: &Offer) -> Result<Arc<World>, Unbound> {
        let Self { scenario, seed, profile } = self;
        let drawn = World::draw(scenario, *seed, WorldOptions::default());
        if is_offered(&drawn, offer) {
            return Ok(drawn);
        }
        let toolset = match profile {
            Some(profile) => profile.bind(&scenario.roles, offer.tools())?,
            None => bind("agent", &scenario.roles, offer.tools(), &[])?,
        };
        Ok(World::with_tools(scenario, *seed, WorldOptions::default(), &toolset))
    }
}

fn is_offered(world: &World, offer: &Offer) -> bool {
    let drawn = world.offer().tools().iter().filter(|it| !it.provider_executed);
    let offered = offer.tools().iter();
    drawn.clone().count() == offered.len()
        && drawn.zip(offered).all(|(drawn, it)| drawn.name == it.name && drawn.parameters == it.parameters)
}
