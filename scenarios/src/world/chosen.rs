//! What a seed chooses from lists: an item of a pool, and the tools on offer.

use std::sync::Arc;

use balk_contract::Offer;
use balk_contract::record::Pools;

use crate::draws::Dice;
use crate::scenario::{Role, Scenario, Toolset, ToolsetTool};

/// Draws the place of one item from the asked pools, or from all items where the asked pools have none.
pub(super) fn open<T>(all: &[T], is_reserve: impl Fn(&T) -> bool, pools: Pools, dice: &mut Dice) -> usize {
    let open = || (0..all.len()).filter(|&at| is_reserve(&all[at]) == (pools == Pools::Reserve));
    match open().count() {
        0 => dice.index(all.len()),
        count => open().nth(dice.index(count)).expect("an index is below the count"),
    }
}

/// The offer of a world, and the legal name of each tool of the tool set that is on it.
pub(super) type OnOffer = (Arc<Offer>, Arc<[(Arc<str>, usize)]>);

/// The tools that the task needs and some distractors, in a drawn order.
pub(super) fn drawn_tools(scenario: &Scenario, toolset: &Toolset, dice: &mut Dice) -> OnOffer {
    let at_role = |role| (0..toolset.tools.len()).filter(move |&at| toolset.tools[at].role == role);
    let mut chosen: Vec<usize> = scenario.roles.iter().filter_map(|&role| at_role(role).next()).collect();
    let mut distractors: Vec<usize> = at_role(Role::Distractor).collect();
    shuffle(&mut distractors, dice);
    chosen.extend(distractors.into_iter().take(scenario.distractors));
    shuffle(&mut chosen, dice);
    let offer = Offer::new(chosen.iter().map(|&at| {
        let ToolsetTool { role, tool, .. } = &toolset.tools[at];
        if scenario.provider.contains(role) { tool.clone().provider_executed() } else { tool.clone() }
    }));
    let names = offer.tools().iter().map(|tool| tool.name.clone());
    let offered = names.zip(chosen).collect();
    (Arc::new(offer), offered)
}

/// All tools of an agent, in its order.
pub(super) fn given_tools(toolset: &Toolset) -> OnOffer {
    let same = |one: &ToolsetTool, other: &ToolsetTool| one.tool.original == other.tool.original;
    let offer = Offer::new(toolset.tools.chunk_by(same).map(|roles| roles[0].tool.clone()));
    let names = offer.tools().iter().map(|tool| &tool.name);
    let names =
        names.zip(toolset.tools.chunk_by(same)).flat_map(|(name, roles)| roles.iter().map(|_| name.clone()));
    let offered = names.zip(0..).collect();
    (Arc::new(offer), offered)
}

fn shuffle<T>(all: &mut [T], dice: &mut Dice) {
    for at in (1..all.len()).rev() {
        all.swap(at, dice.index(at + 1));
    }
}
