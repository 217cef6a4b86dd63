//! What is played to whom.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use balk_guards::{Offer, Tool};
use balk_scenarios::agents::Profile;
use balk_scenarios::scenario::{Role, Toolset};
use balk_scenarios::toolsets::{Unbound, bind};
use balk_scenarios::{GivenTools, Pools, Scenario, World, WorldOptions, Worlds, nearest};
use serde_json::Value;

use crate::listen::Held;

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
    pub(super) fn world(&self, offer: &Arc<Offer>) -> Result<(Arc<World>, Option<Arc<Bound>>), Unbound> {
        let Self { scenario, seed, profile, toolsets } = self;
        let drawn = self.drawn();
        if is_offered(&drawn, offer) {
            return Ok((drawn, None));
        }
        let in_words = drawn.ending_in_words();
        if is_offered(&in_words, offer) {
            return Ok((in_words, None));
        }
        let bound = toolsets.of(&scenario.roles, offer, || match profile {
            Some(profile) => profile.bind(&scenario.roles, offer.tools()),
            None => bind("agent", &scenario.roles, offer.tools(), &[]),
        })?;
        let world = World::with_tools(scenario, *seed, WorldOptions::default(), &bound.tools);
        Ok((world, Some(bound)))
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

/// The tool sets that the conversations of a server have bound: those of one agent share one, as long as one of them
/// has it.
#[derive(Debug)]
pub(super) struct Toolsets {
    known: Mutex<Vec<Weak<Bound>>>,
    /// How many bytes all that is kept takes, and how many it may take.
    kept: Arc<AtomicUsize>,
    max_kept: usize,
}

/// A tool set, what it was bound from, and the room that both take.
#[derive(Debug)]
pub(super) struct Bound {
    roles: Vec<Role>,
    offer: Arc<Offer>,
    tools: GivenTools,
    _held: Held,
}

/// An agent has few offers. Of more than so many, the oldest is shared no more.
const MOST: usize = 16;

/// About how many bytes a tool takes beside its texts, where it is read and where it is bound, and a name within its
/// schema beside its text.
const TOOL_BYTES: usize = 2_048;
const NAME_BYTES: usize = 96;

/// About how many bytes the tools of an agent take. Each name within a schema has a comma before or after it.
fn bytes(offer: &Offer) -> usize {
    let of = |tool: &Tool| {
        let schema = tool.parameters.text();
        let names = schema.bytes().filter(|it| *it == b',').count() + 1;
        tool.original.len() + tool.description.len() + schema.len() + names * NAME_BYTES + TOOL_BYTES
    };
    offer.tools().iter().map(of).sum()
}

impl Toolsets {
    /// None yet, among all that is kept, which may take so many bytes.
    pub(super) fn new(kept: &Arc<AtomicUsize>, max_kept: usize) -> Self {
        Self { known: Mutex::default(), kept: kept.clone(), max_kept }
    }

    fn of(
        &self,
        roles: &[Role],
        offer: &Arc<Offer>,
        bind: impl FnOnce() -> Result<Arc<Toolset>, Unbound>,
    ) -> Result<Arc<Bound>, Unbound> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut shared = known.iter().filter_map(Weak::upgrade);
        if let Some(bound) = shared.find(|it| it.roles == roles && it.offer == *offer) {
            return Ok(bound);
        }
        let tools = GivenTools::from(bind()?);
        let held = Held::new(&self.kept, self.max_kept);
        held.becomes(bytes(offer));
        let bound = Arc::new(Bound { roles: roles.to_vec(), offer: offer.clone(), tools, _held: held });
        known.retain(|it| it.strong_count() > 0);
        if known.len() == MOST {
            known.remove(0);
        }
        known.push(Arc::downgrade(&bound));
        Ok(bound)
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
    use super::*;

    fn offer(name: &str) -> Arc<Offer> {
        Offer::new([Tool::new(name)]).into()
    }

    fn toolset(name: &str) -> Arc<Toolset> {
        Toolset { name: name.to_owned(), reserve: false, tools: Vec::new(), spoken: Vec::new() }.into()
    }

    fn toolsets() -> Toolsets {
        Toolsets::new(&Arc::default(), usize::MAX)
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
        let known = toolsets();
        let mut all = Vec::new();
        let mut of = |roles: &[Role], name: &str, set: &str| {
            let found = known.of(roles, &offer(name), || Ok(toolset(set))).expect("it binds");
            all.push(found.clone());
            found.tools.name().to_owned()
        };
        assert_eq!(of(&[Role::Read], "read", "first"), "first");
        assert_eq!(of(&[Role::Read], "read", "second"), "first");
        assert_eq!(of(&[Role::Write], "read", "of other roles"), "of other roles");
        assert_eq!(of(&[Role::Read], "cat", "of another offer"), "of another offer");
    }

    #[test]
    fn the_oldest_of_many_tool_sets_is_bound_anew() {
        let known = toolsets();
        let of = |at: usize, name: &str| {
            let found = known.of(&[], &offer(&format!("tool{at}")), || Ok(toolset(name)));
            found.expect("it binds")
        };
        let all: Vec<_> = (0..=MOST).map(|at| of(at, "once")).collect();
        let again = |at: usize| of(at, "again").tools.name().to_owned();
        assert_eq!((again(1), again(0)), ("once".to_owned(), "again".to_owned()));
        drop(all);
        assert_eq!(again(1), "again", "no conversation has it");
    }

    #[test]
    fn a_tool_set_counts_once_and_as_long_as_a_conversation_has_it() {
        let known = toolsets();
        let kept = || known.kept.load(std::sync::atomic::Ordering::Relaxed);
        let of = |about: &str| {
            let offer = Arc::new(Offer::new([Tool::new("read").description(about)]));
            known.of(&[], &offer, || Ok(toolset("any"))).expect("it binds")
        };
        let one = of("short");
        let short = kept();
        let (same, other) = (of("short"), of(&"long".repeat(1_000)));
        assert_eq!(kept(), 2 * short + 4_000 - 5);
        drop((one, other));
        assert_eq!(kept(), short);
        drop(same);
        assert_eq!(kept(), 0);
    }
}
