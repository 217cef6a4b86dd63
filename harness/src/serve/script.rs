//! What is played to whom.

use std::sync::{Arc, Mutex, PoisonError};

use balk_guards::Offer;
use balk_scenarios::agents::Profile;
use balk_scenarios::scenario::{Role, Toolset};
use balk_scenarios::toolsets::{Unbound, bind};
use balk_scenarios::{GivenTools, Pools, Scenario, World, WorldOptions, Worlds, nearest};
use serde_json::Value;

/// A scenario under a seed, for an agent.
#[derive(Clone, Debug)]
pub struct Script {
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// The seed that draws its world.
    pub seed: u64,
    /// What is known of the agent, if anything is.
    pub profile: Option<Arc<Profile>>,
    /// The tool sets that are bound already.
    toolsets: Arc<Toolsets>,
}

impl Script {
    /// The world of the script with the tools that its seed draws.
    pub(super) fn drawn(&self) -> Arc<World> {
        World::draw(&self.scenario, self.seed, WorldOptions::default())
    }

    /// The world of the script with the tools of this offer. An agent that offers the very tools that the seed draws
    /// gets the world that a trial has, and one that lacks only the tool that ends the task the same in words.
    pub(super) fn world(&self, offer: &Arc<Offer>) -> Result<Arc<World>, Unbound> {
        let Self { scenario, seed, profile, toolsets } = self;
        let drawn = self.drawn();
        if is_offered(&drawn, offer) {
            return Ok(drawn);
        }
        let in_words = drawn.ending_in_words();
        if is_offered(&in_words, offer) {
            return Ok(in_words);
        }
        let tools = toolsets.of(&scenario.roles, offer, || match profile {
            Some(profile) => profile.bind(&scenario.roles, offer.tools()),
            None => bind("agent", &scenario.roles, offer.tools(), &[]),
        })?;
        Ok(World::with_tools(scenario, *seed, WorldOptions::default(), &tools))
    }
}

fn is_offered(world: &World, offer: &Offer) -> bool {
    let drawn = world.offer().tools().iter().filter(|it| !it.provider_executed);
    let offered = offer.tools().iter();
    drawn.clone().count() == offered.len()
        && drawn.zip(offered).all(|(drawn, it)| {
            drawn.name == it.name && is_same(drawn.parameters.text(), it.parameters.text())
        })
}

/// Whether two schemas say the same: clients write JSON with other white space, and its members in another order.
fn is_same(one: &str, other: &str) -> bool {
    let read = |text| serde_json::from_str::<Value>(text).ok();
    one == other || read(one).is_some_and(|it| read(other) == Some(it))
}

/// The tool sets that the conversations of a server have bound: those of one agent share one.
#[derive(Debug, Default)]
pub(super) struct Toolsets(Mutex<Vec<Known>>);

/// A tool set, and what it was bound from.
#[derive(Debug)]
struct Known {
    roles: Vec<Role>,
    offer: Arc<Offer>,
    tools: GivenTools,
}

/// An agent has few offers. Of more than so many, the oldest is forgotten.
const MOST: usize = 16;

impl Toolsets {
    fn of(
        &self,
        roles: &[Role],
        offer: &Arc<Offer>,
        bind: impl FnOnce() -> Result<Arc<Toolset>, Unbound>,
    ) -> Result<GivenTools, Unbound> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(it) = known.iter().find(|it| it.roles == roles && it.offer == *offer) {
            return Ok(it.tools.clone());
        }
        let tools = GivenTools::from(bind()?);
        if known.len() == MOST {
            known.remove(0);
        }
        known.push(Known { roles: roles.to_vec(), offer: offer.clone(), tools: tools.clone() });
        Ok(tools)
    }
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
    pub(super) fn script(&self, conversation: &str, toolsets: &Arc<Toolsets>) -> Result<Script, NoScript> {
        let (name, rest) = conversation.split_once(':').unwrap_or((conversation, ""));
        let named = self.worlds.iter().find(|it| it.name() == name);
        let (worlds, seed) = match (named, &self.worlds[..]) {
            (Some(worlds), _) => (worlds, rest.split(':').next().and_then(|it| it.parse().ok())),
            (None, [only]) => (only, None),
            (None, _) => {
                let names: Vec<_> = self.worlds.iter().map(Worlds::name).collect();
                let meant = nearest(name, names.iter().map(AsRef::as_ref))
                    .map_or_else(String::new, |it| format!(" (did you mean `{it}`?)"));
                return Err(NoScript(format!(
                    "no scenario for `{conversation}`{meant}: expected /c/SCENARIO or /c/SCENARIO:SEED before the \
                     path, where the scenario is one of {}",
                    names.join(", ")
                )));
            }
        };
        let seed = seed.unwrap_or(self.seed);
        let scenario = worlds.scenario(seed, Pools::Open);
        Ok(Script { scenario, seed, profile: self.profile.clone(), toolsets: toolsets.clone() })
    }
}

#[cfg(test)]
mod tests {
    use balk_guards::Tool;

    use super::*;

    fn offer(name: &str) -> Arc<Offer> {
        Offer::new([Tool::new(name)]).into()
    }

    fn toolset(name: &str) -> Arc<Toolset> {
        Toolset { name: name.to_owned(), reserve: false, tools: Vec::new(), spoken: Vec::new() }.into()
    }

    #[test]
    fn schemas_are_the_same_if_they_say_the_same() {
        let schema = r#"{"type":"object","properties":{"a":{}}}"#;
        assert!(is_same(schema, "{ \"properties\": {\"a\": {}},\n\"type\": \"object\" }"));
        assert!(!is_same(schema, r#"{"type":"object","properties":{"b":{}}}"#));
        assert!(is_same("no schema", "no schema") && !is_same("no schema", "none"));
    }

    #[test]
    fn equal_offers_for_equal_roles_share_a_tool_set() {
        let known = Toolsets::default();
        let of = |roles: &[Role], name: &str, set: &str| {
            let found = known.of(roles, &offer(name), || Ok(toolset(set)));
            found.expect("it binds").name().to_owned()
        };
        assert_eq!(of(&[Role::Read], "read", "first"), "first");
        assert_eq!(of(&[Role::Read], "read", "second"), "first");
        assert_eq!(of(&[Role::Write], "read", "of other roles"), "of other roles");
        assert_eq!(of(&[Role::Read], "cat", "of another offer"), "of another offer");
    }

    #[test]
    fn the_oldest_of_many_tool_sets_is_bound_anew() {
        let known = Toolsets::default();
        for at in 0..=MOST {
            known.of(&[], &offer(&format!("tool{at}")), || Ok(toolset("once"))).expect("it binds");
        }
        let again = |at: usize| {
            let found = known.of(&[], &offer(&format!("tool{at}")), || Ok(toolset("again")));
            found.expect("it binds").name().to_owned()
        };
        assert_eq!((again(1), again(0)), ("once".to_owned(), "again".to_owned()));
    }
}
