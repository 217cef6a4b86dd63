//! What is played to whom.

use std::sync::Arc;

use balk_guards::Offer;
use balk_scenarios::agents::Profile;
use balk_scenarios::toolsets::{Unbound, bind};
use balk_scenarios::{Pools, Scenario, World, WorldOptions, Worlds};

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

/// What a server plays: one scenario to all, or each by its name.
#[derive(Clone, Debug)]
pub struct Scripts {
    /// The worlds; at least one.
    pub worlds: Vec<Worlds>,
    /// The seed of conversations that do not name one.
    pub seed: u64,
    /// What is known of the agent, if anything is.
    pub profile: Option<Arc<Profile>>,
}

/// Why a conversation has no script.
pub(super) struct NoScript(pub(super) String);

impl Scripts {
    /// The script of a conversation, whose name may say which: `SCENARIO`, `SCENARIO:SEED`, and anything after it.
    pub(super) fn script(&self, conversation: &str) -> Result<Script, NoScript> {
        let (name, rest) = conversation.split_once(':').unwrap_or((conversation, ""));
        let named = self.worlds.iter().find(|it| it.name() == name);
        let (worlds, seed) = match (named, &self.worlds[..]) {
            (Some(worlds), _) => (worlds, rest.split(':').next().and_then(|it| it.parse().ok())),
            (None, [only]) => (only, None),
            (None, _) => {
                let names: Vec<_> = self.worlds.iter().map(Worlds::name).collect();
                return Err(NoScript(format!(
                    "no scenario for `{conversation}`: expected /c/SCENARIO or /c/SCENARIO:SEED before the path, \
                     where the scenario is one of {}",
                    names.join(", ")
                )));
            }
        };
        let seed = seed.unwrap_or(self.seed);
        let scenario = worlds.scenario(seed, Pools::Open);
        Ok(Script { scenario, seed, profile: self.profile.clone() })
    }
}
