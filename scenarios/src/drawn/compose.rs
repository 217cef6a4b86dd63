//! Composes a world: slip, plan, point, numbers and surfaces, all drawn by the seed.

use balk_contract::record::Pools;

use crate::scenario::{Kind, Role, Scenario};

use super::lot::Lot;
use super::place::Place;
use super::plan::{Plan, Variant, plans};
use super::slips::{Slip, slips};
use super::splice::Splice;
use super::surfaces::{Look, apply, are_played, looks};

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// Plans alone, or with a slip by its weight.
    Any,
    Slip(&'static Slip),
    Plan(&'static Plan),
}

/// The scenario of this name that a seed draws.
pub(super) fn compose(part: Part, name: String, seed: u64, pools: Pools) -> Scenario {
    let mut lot = Lot::new(seed, &name);
    let slip = draw_slip(part, pools, &mut lot);
    let look = looks(pools, &mut lot);
    let (mut scenario, skeleton) = match (slip, part) {
        (Some(slip), _) => slipping(slip, pools, &look, &mut lot),
        (None, Part::Plan(plan)) => healthy(plan, &look, &mut lot),
        (None, Part::Any | Part::Slip(_)) => {
            let plan = *lot.pick(&open(plans(), |it| it.reserve, pools));
            healthy(plan, &look, &mut lot)
        }
    };
    apply(&look, &mut scenario);
    scenario.world = name.replace('/', "-").into();
    scenario.name = name.into();
    scenario.skeleton = Some(skeleton.into());
    scenario
}

/// The surface that a seed draws where anything may be drawn.
#[cfg(test)]
pub(super) fn look_of(name: &str, seed: u64, pools: Pools) -> Look {
    let mut lot = Lot::new(seed, name);
    draw_slip(Part::Any, pools, &mut lot);
    looks(pools, &mut lot)
}

/// A slip at a place of a plan, with the surface of this seed.
#[cfg(test)]
pub(super) fn slipped(
    slip: &'static Slip,
    plan: &Plan,
    place: Place<'_>,
    seed: u64,
    pools: Pools,
) -> Scenario {
    let mut lot = Lot::new(seed, slip.name);
    let look = looks(pools, &mut lot);
    let dressed = dressed(plan, place.variant, slip.roles, &look);
    let (mut scenario, skeleton) = spliced(slip, place, dressed, &mut lot);
    apply(&look, &mut scenario);
    scenario.skeleton = Some(skeleton.into());
    scenario
}

fn draw_slip(part: Part, pools: Pools, lot: &mut Lot) -> Option<&'static Slip> {
    match part {
        Part::Any if lot.once_in(2) => None,
        Part::Any => Some(any_slip(pools, lot)),
        Part::Slip(slip) => Some(slip),
        Part::Plan(_) => None,
    }
}

/// The entries that may be drawn.
pub(super) fn open<T>(all: &'static [T], is_reserve: impl Fn(&T) -> bool, pools: Pools) -> Vec<&'static T> {
    all.iter().filter(|it| is_reserve(it) == (pools == Pools::Reserve)).collect()
}

fn any_slip(pools: Pools, lot: &mut Lot) -> &'static Slip {
    let open = open(slips(), |it| it.reserve, pools);
    let weights: Vec<u32> = open.iter().map(|it| it.weight).collect();
    open[lot.weighted(&weights)]
}

fn healthy(plan: &'static Plan, look: &Look, lot: &mut Lot) -> (Scenario, String) {
    let variant = numbered(plan, lot);
    (dressed(plan, variant, &[], look), variant.id.clone())
}

/// A plan with drawn numbers.
fn numbered(plan: &'static Plan, lot: &mut Lot) -> &'static Variant {
    let values: Vec<u32> = plan.numbers().iter().map(|it| lot.within(it.from, it.to)).collect();
    plan.variant(&values)
}

/// A plan in which the slip can happen, from a drawn place in the list, and the slip at a drawn point of it.
fn slipping(slip: &'static Slip, pools: Pools, look: &Look, lot: &mut Lot) -> (Scenario, String) {
    let plans = open(plans(), |it| it.reserve, pools);
    let first = lot.index(plans.len());
    for nth in 0..TRIES * plans.len() {
        let plan = plans[(first + nth) % plans.len()];
        let variant = numbered(plan, lot);
        let places = places(slip, variant);
        if !places.is_empty() {
            let place = *lot.pick(&places);
            return spliced(slip, place, dressed(plan, variant, slip.roles, look), lot);
        }
    }
    panic!("the slip `{}` fits no plan: a test checks that each does", slip.name)
}

/// Where in a plan the slip can happen.
pub(super) fn places<'p>(slip: &Slip, variant: &'p Variant) -> Vec<Place<'p>> {
    if !are_played([&variant.scenario.roles[..], slip.roles].concat()) {
        return Vec::new();
    }
    Place::all(variant).filter(|it| (slip.fits)(it)).collect()
}

/// How often each plan is tried with other numbers.
const TRIES: usize = 8;

/// The scenario with the slip in it, and its skeleton.
pub(super) fn spliced(
    slip: &Slip,
    place: Place<'_>,
    scenario: Scenario,
    lot: &mut Lot,
) -> (Scenario, String) {
    let mut splice = Splice::new(place, scenario, lot);
    let ring = (slip.splice)(&mut splice);
    let (mut scenario, numbers) = splice.close(ring);
    scenario.kind = Kind::Stubborn;
    scenario.title = slip.about.into();
    let numbers: Vec<String> = numbers.iter().map(|it| format!(".{it}")).collect();
    let skeleton = format!("{}+{}{}@{}", place.variant.id, slip.name, numbers.concat(), place.at);
    (scenario, skeleton)
}

/// The plan in one language, with the tools of one agent that has these roles, too.
fn dressed(plan: &Plan, variant: &Variant, roles: &[Role], look: &Look) -> Scenario {
    let mut scenario = variant.scenario.clone();
    for role in roles {
        if !scenario.roles.contains(role) {
            scenario.roles.push(*role);
        }
    }
    let languages = plan.languages();
    let language = look.language % languages.len();
    scenario.phrases = plan.spoken(language).to_vec();
    scenario.languages = vec![languages[language].clone()];
    scenario.toolsets = vec![look.toolset(&scenario.roles)];
    scenario
}
