//! The calls that the actors of a file make, and whether a rule can be about them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::effort::Effort;
use crate::draws::{Draw, Occasion};
use crate::scenario::template::{Template, Varies};
use crate::scenario::{Called, Condition, Role, Rule, Scenario, Sent};
use crate::world::{Filling, Nth, World, WorldOptions};
use balk_contract::record::Pools;

/// The calls of a file, and worlds in which they are made.
pub(super) struct Asked<'s> {
    pub(super) scenario: &'s Scenario,
    pub(super) worlds: Vec<Arc<World>>,
    calls: BTreeMap<Role, Vec<Sends<'s>>>,
}

/// The arguments of a call. `None` is a call whose arguments are not known.
pub(super) type Sends<'s> = Option<&'s [Template]>;

impl<'s> Asked<'s> {
    pub(super) fn of(scenario: &'s Arc<Scenario>, scenarios: &'s [Arc<Scenario>]) -> Self {
        let rules = scenario.environment.rules.iter().map(|rule| rule.role);
        let calls = rules.chain([Role::Read]).collect::<BTreeSet<Role>>();
        let calls = calls.into_iter().map(|role| (role, calls_of(scenarios, role))).collect();
        Self { scenario, worlds: worlds(scenario), calls }
    }

    /// The calls of a role that rules are about, or of reading, in each state of each actor.
    pub(super) fn calls(&self, role: Role) -> &[Sends<'s>] {
        self.calls.get(&role).map_or(&[], |it| it)
    }
}

/// Worlds of a file, which all of its scenarios share: of open pools, and of reserved ones.
fn worlds(scenario: &Arc<Scenario>) -> Vec<Arc<World>> {
    let of = |pools| WorldOptions { pools, ..WorldOptions::default() };
    let draw = |(seed, pools)| World::draw(scenario, seed, of(pools));
    let open = (0..OPEN).map(|seed| (seed, Pools::Open));
    open.chain((0..RESERVED).map(|seed| (seed, Pools::Reserve))).map(draw).collect()
}

/// Enough to draw each language, and most items of a pool.
const OPEN: u64 = 32;
const RESERVED: u64 = 8;

fn calls_of(scenarios: &[Arc<Scenario>], role: Role) -> Vec<Sends<'_>> {
    let states = scenarios.iter().flat_map(|it| it.actor.states.iter().map(move |state| (it, state)));
    let calls =
        states.flat_map(|(it, state)| state.calls.iter().chain(&state.provider).map(move |call| (it, call)));
    calls
        .filter(|(scenario, call)| match &call.called {
            Called::Role(called) => *called == role,
            Called::Name(name) => {
                let mut tools = scenario.toolsets.iter().flat_map(|it| &it.tools);
                tools.any(|it| it.role == role && *it.tool.name == **name)
            }
        })
        .map(|(_, call)| match &call.sent {
            Sent::Arguments(arguments) => Some(&arguments[..]),
            Sent::Raw(_) => None,
        })
        .collect()
}

/// Whether the arguments of a call can be those that a rule is about, in this world. `true` where there is no effort
/// left to find out.
pub(super) fn fits(world: &World, rule: &Rule, arguments: Sends<'_>, effort: &mut Effort) -> bool {
    let Some(arguments) = arguments else { return true };
    effort.spend(rule.when.len());
    rule.when.iter().all(|condition| match condition {
        Condition::ArgumentContains(name, text) => {
            let at = rule.role.arguments().iter().position(|it| it == name);
            let argument = at.and_then(|at| arguments.get(at));
            argument.is_some_and(|it| may_contain(world, it, &world.fixed(text), effort))
        }
        Condition::Fact(_)
        | Condition::FactFor(..)
        | Condition::NoFact(_)
        | Condition::File(_)
        | Condition::NoFile(_)
        | Condition::FileContains(..)
        | Condition::Plan(_)
        | Condition::Record(_)
        | Condition::Once(_) => true,
    })
}

/// Whether an argument can have this text in it, at one of the first visits.
fn may_contain(world: &World, argument: &Template, text: &str, effort: &mut Effort) -> bool {
    let mut is_in = |argument: &str| !effort.spend(argument.len() + text.len()) || argument.contains(text);
    match argument.varies() {
        Varies::Never => is_in(&world.fixed(argument)),
        Varies::ByVisit => (1..=VISITS).any(|visit| is_in(&written(world, argument, visit))),
        Varies::ByChance => true,
    }
}

/// More visits than most states have.
const VISITS: u32 = 24;

/// Arguments as they are sent at the first visit, by their names.
pub(super) fn sent(
    world: &World,
    role: Role,
    arguments: &[Template],
    effort: &mut Effort,
) -> Vec<(&'static str, String)> {
    let values = arguments.iter().map(|it| written(world, it, 1));
    let sent: Vec<(&str, String)> = role.arguments().iter().copied().zip(values).collect();
    effort.spend(sent.iter().map(|(_, it)| it.len()).sum());
    sent
}

/// A text as it is at this visit, or step.
fn written(world: &World, template: &Template, visit: u32) -> String {
    let draw = Draw::Phrase { phrase: "", occasion: Occasion::Listing, visit: 0 };
    let mut text = String::new();
    let filling =
        Filling { dice: &mut world.draws().dice(draw), arguments: &[], nth: Nth { visit, step: visit } };
    world.render(template, filling, &mut text);
    text
}
