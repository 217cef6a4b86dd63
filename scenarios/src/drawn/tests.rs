//! What every drawn world keeps, by construction.

use std::collections::BTreeSet;
use std::sync::Arc;

use balk_contract::record::Pools;

use crate::format;
use crate::scenario::{Kind, Number, Scenario, Stuck, Truth};
use crate::toolsets;
use crate::world::{World, WorldOptions};

use super::compose::open;
use super::place::Place;
use super::plan::{Plan, plans};
use super::slips::slips;
use super::surfaces::SURFACES;
use super::target::Target;
use super::walk::{Round, Walk, walk};

const SEEDS: std::ops::Range<u64> = 0..1_000;

fn drawn(seed: u64, pools: Pools) -> Arc<Scenario> {
    Target::Any.scenario(seed, pools)
}

fn skeleton(scenario: &Scenario) -> String {
    scenario.skeleton.as_deref().expect("a drawn scenario has a skeleton").to_owned()
}

fn walked(scenario: &Scenario, seed: u64) -> Walk {
    walk(&World::draw(&Arc::new(scenario.clone()), seed, WorldOptions::default()))
}

/// The values with the first, the last and, in between, some combinations of a plan's numbers.
fn combinations(numbers: &[Number]) -> Vec<Vec<u32>> {
    let least = |it: &Number| it.from;
    let most = |it: &Number| it.to;
    let mut all = vec![numbers.iter().map(least).collect(), numbers.iter().map(most).collect()];
    for nth in 0..6_u32 {
        let value = |(at, it): (usize, &Number)| {
            let at = u32::try_from(at).expect("few numbers");
            it.from + (nth * (2 * at + 1) + at) % (it.to - it.from + 1)
        };
        all.push(numbers.iter().enumerate().map(value).collect());
    }
    all
}

#[test]
fn a_thousand_seeds_draw_many_skeletons_and_half_of_them_are_healthy() {
    let mut skeletons = [BTreeSet::new(), BTreeSet::new()];
    for seed in SEEDS {
        let scenario = drawn(seed, Pools::Open);
        skeletons[usize::from(scenario.kind == Kind::Control)].insert(skeleton(&scenario));
    }
    let [stuck, healthy] = skeletons.map(|it| it.len());
    assert!(stuck >= 350 && healthy >= 350, "{stuck} with a slip, {healthy} without");
}

#[test]
fn every_part_occurs_and_reserved_ones_only_where_they_are_asked_for() {
    for pools in [Pools::Open, Pools::Reserve] {
        let skeletons: Vec<String> = SEEDS.map(|seed| skeleton(&drawn(seed, pools))).collect();
        let has = |start: &str, name: &str, end: &[char]| {
            let part = format!("{start}{name}");
            skeletons
                .iter()
                .any(|it| it.match_indices(&part).any(|(at, _)| it[at + part.len()..].starts_with(end)))
        };
        for plan in plans() {
            let is_there = skeletons.iter().any(|it| it.starts_with(&format!("{}.", plan.name)));
            assert_eq!(is_there, plan.reserve == (pools == Pools::Reserve), "{}", plan.name);
        }
        for slip in slips() {
            let is_there = has("+", slip.name, &['.', '@']);
            assert_eq!(is_there, slip.reserve == (pools == Pools::Reserve), "{}", slip.name);
        }
        for surface in SURFACES {
            let is_on = |seed| super::compose::look_of(super::DRAWN, seed, pools).has(*surface);
            assert_eq!(
                SEEDS.into_iter().any(is_on),
                pools == Pools::Reserve || !surface.is_reserve(),
                "{surface:?}"
            );
        }
    }
}

#[test]
fn every_plan_reaches_its_goal_and_each_round_moves_the_world_or_brings_something_new() {
    for plan in plans() {
        for values in combinations(plan.numbers()) {
            let variant = plan.variant(&values);
            let Walk { rounds, goal } = &variant.walk;
            assert!(goal, "{}: the goal is not reached in {rounds:#?}", variant.id);
            let mut seen = BTreeSet::new();
            for (nth, round) in rounds.iter().enumerate() {
                assert!(round.truth.is_healthy(), "{} round {nth}: {round:?}", variant.id);
                let is_new = round.answers.iter().filter(|it| seen.insert((*it).clone())).count() > 0;
                let is_last = nth + 1 == rounds.len();
                assert!(
                    round.moved || is_new || is_last,
                    "{} round {nth} brings nothing: {round:?}",
                    variant.id
                );
            }
        }
    }
}

/// What a plan does depends on its numbers alone.
#[test]
fn no_surface_changes_the_course_of_a_plan() {
    let course = |walk: &Walk| -> Vec<(usize, u32, bool, Truth)> {
        let of = |it: &Round| (it.state, it.visit, it.failed, it.truth);
        walk.rounds.iter().map(of).collect()
    };
    for plan in plans() {
        let pools = if plan.reserve { Pools::Reserve } else { Pools::Open };
        for seed in 0..12 {
            let scenario = Target::Plan(plan).scenario(seed, pools);
            let values: Vec<u32> = scenario.numbers.iter().map(|it| it.from).collect();
            let found = walked(&scenario, seed);
            assert!(found.goal, "{} seed {seed}", plan.name);
            assert_eq!(course(&found), course(&plan.variant(&values).walk), "{} seed {seed}", plan.name);
        }
    }
}

/// What a file says is all that a drawn world depends on, and pinning it changes nothing.
#[test]
fn a_world_goes_the_same_way_when_it_is_read_from_a_file() {
    for pools in [Pools::Open, Pools::Reserve] {
        for seed in 0..60 {
            let mut drawn = drawn(seed, pools);
            Arc::make_mut(&mut drawn).name = "of-a-file".into();
            let options = WorldOptions { pools, ..WorldOptions::default() };
            let world = World::draw(&drawn, seed, options);
            let course = walk(&world);
            let pinned = Arc::new(world.pinned());
            for scenario in [&drawn, &pinned] {
                let text = format::write(std::slice::from_ref(scenario));
                let read = format::parse("of-a-file.toml", &text, toolsets::catalogue()).expect("it is good");
                assert_eq!(walk(&World::draw(&read[0], seed, options)), course, "seed {seed}\n{text}");
            }
            assert_eq!(walked(&pinned, seed), course, "seed {seed}: no pools need to be named");
        }
    }
}

/// A plan's actor leaves nothing to chance, and only states with one way out can be left out.
#[test]
fn plans_keep_their_rules() {
    let certain = |chance: &[crate::scenario::Ratio]| chance.iter().all(|it| it.num == it.den);
    for plan in plans() {
        let scenario = plan.scenario();
        let codes: Vec<&str> = scenario.languages.iter().map(|it| &**it).collect();
        assert_eq!(codes, ["de", "en", "es", "ja", "zh"], "{}", plan.name);
        for state in &scenario.actor.states {
            assert!(state.next.iter().all(|it| certain(&it.chance)), "{}: {}", plan.name, state.name);
            assert!(state.breaks.is_empty() && state.empty.is_empty(), "{}: {}", plan.name, state.name);
        }
        for number in scenario.numbers.iter().filter(|it| it.from == 0) {
            let state = scenario.actor.states.iter().find(|it| it.name == number.name);
            let state =
                state.unwrap_or_else(|| panic!("{}: `{}` may be 0 and is no state", plan.name, number.name));
            assert_eq!(state.next.len(), 1, "{}: {}", plan.name, state.name);
        }
        assert!(plan.count() >= 60, "{} has only {} variants", plan.name, plan.count());
    }
}

/// The rounds before the slip are those of the plan; from the slip on the actor is stuck, after laps that are fair.
#[test]
fn a_slip_begins_at_its_point_and_lasts() {
    each_slip(|name, place, scenario, seed| {
        let found = walked(scenario, seed);
        let (before, after) = found.rounds.split_at(place.at.min(found.rounds.len()));
        let expected = &place.variant.walk.rounds[..place.at];
        assert_eq!(before.len(), expected.len(), "{name}");
        for (one, other) in before.iter().zip(expected) {
            assert_eq!((one.state, one.visit, one.truth), (other.state, other.visit, other.truth), "{name}");
        }
        let fair = after.iter().take_while(|it| !it.truth.is_stuck()).count();
        assert!(fair < after.len() && fair <= 6, "{name}: stuck after {fair} of {} turns", after.len());
        assert!(after[fair].truth.is_stuck(), "{name}");
    });
}

/// After the laps that are fair, and one more, a slip answers what was answered, and it never reaches the goal.
#[test]
fn a_slip_brings_nothing_new() {
    each_slip(|name, place, scenario, seed| {
        let mut scenario = scenario.clone();
        let states = place.scenario().actor.states.len();
        // Nothing leads out.
        let is_out = |at: usize| scenario.actor.states[at].truth.iter().all(|it| !it.is.is_stuck());
        let out: BTreeSet<usize> = (0..scenario.actor.states.len()).filter(|&at| is_out(at)).collect();
        for state in &mut scenario.actor.states[states..] {
            state.next.retain(|it| !out.contains(&it.to));
        }
        let found = walked(&scenario, seed);
        let plain = |it: &Round| -> Vec<String> {
            it.answers.iter().map(|it| it.replace(|c: char| c.is_ascii_hexdigit(), "")).collect()
        };
        let after = &found.rounds[place.at..];
        let fair = after.iter().take_while(|it| !it.truth.is_stuck()).count();
        let lap = after.iter().map(|it| it.state).collect::<BTreeSet<_>>().len();
        let (first, later) = after.split_at((fair + 2 * lap).min(after.len()));
        let seen: BTreeSet<Vec<String>> = first.iter().map(plain).collect();
        let calls = |it: &&Round| !scenario.actor.states[it.state].calls.is_empty();
        for round in later.iter().filter(calls) {
            assert!(seen.contains(&plain(round)), "{name}: {round:?}");
        }
        assert!(after.iter().all(|it| !it.done_before) && !found.goal, "{name} reaches the goal");
    });
}

/// A model that is moved at once comes back to the plan and reaches the goal.
#[test]
fn a_moved_model_reaches_the_goal() {
    each_slip(|name, place, scenario, seed| {
        let mut moved = scenario.clone();
        for transition in moved.actor.states.iter_mut().flat_map(|it| &mut it.next) {
            if transition.when == crate::scenario::Trigger::Corrected {
                transition.when = crate::scenario::Trigger::Always;
            }
        }
        if place.is_silent() {
            moved.user.replies = vec![moved.user.answers[0].says; 3];
        }
        let found = walked(&moved, seed);
        // Where nothing comes at all, a run without guards ends.
        let is_mute = found.rounds.last().is_some_and(|it| it.truth == Truth::Stuck(Stuck::Empty));
        assert!(found.goal || is_mute, "{name}: {:#?}", found.rounds);
    });
}

/// Each slip in each plan of the same pools, at the first, the last and some point between.
fn each_slip(check: impl Fn(&str, &Place<'_>, &Scenario, u64)) {
    for slip in slips() {
        let pools = if slip.reserve { Pools::Reserve } else { Pools::Open };
        let mut fitting = 0;
        for plan in open(plans(), |it: &Plan| it.reserve, pools) {
            for (nth, values) in combinations(plan.numbers()).iter().enumerate() {
                let variant = plan.variant(values);
                let places = super::compose::places(slip, variant);
                let Some(place) = places.get(nth % places.len().max(1)) else { continue };
                fitting += 1;
                let seed = nth as u64;
                let scenario = super::compose::slipped(slip, plan, *place, seed, pools);
                check(&skeleton(&scenario), place, &scenario, seed);
            }
        }
        assert!(fitting >= 3, "`{}` fits almost nowhere: {fitting}", slip.name);
    }
}

#[test]
fn a_seed_draws_the_same_again_and_its_values_are_pinned() {
    let shown: Vec<String> = (0..24).map(|seed| skeleton(&drawn(seed, Pools::Open))).collect();
    let again: Vec<String> = (0..24).map(|seed| skeleton(&drawn(seed, Pools::Open))).collect();
    assert_eq!(shown, again);
    insta::assert_snapshot!(shown.join("\n"));
}

/// The table of weights in the document is that of the program.
#[test]
fn the_document_has_the_weights() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/drawn.md");
    let document = std::fs::read_to_string(file).expect("the document is there");
    for it in slips() {
        let reserve = if it.reserve { " reserve" } else { "" };
        let (name, kind) = (it.name, it.kind.name());
        let [whole, tenth] = [it.seen / 10, it.seen % 10];
        let row =
            format!("| `{name}` | {kind} | {whole}.{tenth} | {} | {} |{reserve} |", it.patterns, it.weight);
        assert!(document.contains(&row), "docs/drawn.md lacks the row {row}");
    }
}

#[test]
fn every_name_is_found_again() {
    for name in super::names() {
        assert_eq!(Target::find(&name).map(Target::name), Some(name));
    }
    assert!(Target::find("drawn/nothing").is_none() && Target::find("drawnish").is_none());
}
