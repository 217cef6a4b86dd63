//! Plans of healthy work: each a scenario file with one healthy actor, and its variants by the numbers in it.

use std::sync::{Arc, LazyLock, OnceLock};

use balk_contract::Protocol;

use crate::format;
use crate::scenario::{Number, Phrase, Scenario, StateId, Transition};
use crate::toolsets;
use crate::world::{World, WorldOptions};

use super::walk::{Walk, walk};

/// A plan of healthy work.
#[derive(Debug)]
pub struct Plan {
    /// Its name, as in `drawn/NAME`.
    pub name: &'static str,
    /// Its path below `scenarios/`, for messages.
    pub file: &'static str,
    /// The text of its file.
    pub text: &'static str,
    /// Whether it is drawn only from reserved pools.
    pub reserve: bool,
    scenario: Scenario,
    /// Its phrases in each of its languages alone.
    spoken: Vec<Vec<Phrase>>,
    /// One for each combination of its numbers, made when it is first drawn.
    variants: Vec<OnceLock<Variant>>,
}

/// A plan with its numbers fixed.
#[derive(Debug)]
pub(super) struct Variant {
    /// What identifies it: the plan and its numbers.
    pub(super) id: String,
    pub(super) scenario: Scenario,
    pub(super) walk: Walk,
}

macro_rules! plans {
    ($($name:literal),+ $(,)?) => {
        &[$((
            $name,
            concat!("drawn/plans/", $name, ".toml"),
            include_str!(concat!("../../drawn/plans/", $name, ".toml")),
        )),+]
    };
}

/// The first of them in the order of their names; a new one goes to the end, so that no other changes its place.
const FILES: &[(&str, &str, &str)] = plans![
    "answer-questions",
    "debug",
    "deploy-in-stages",
    "draft-and-lint",
    "explore",
    "fan-out",
    "fix-until-green",
    "install-flaky",
    "migrate-items",
    "page-through",
    "poll-a-job",
    "query-data",
    "rename-symbol",
    "search-and-find-nothing",
    "set-up-service",
    "wait-for-a-person",
    "work-through-plan",
    "write-and-test",
];

/// Every third plan is reserve, by its place in the list.
pub(super) const fn is_reserve(place: usize) -> bool {
    place % 3 == 2
}

/// All plans.
#[must_use]
pub fn plans() -> &'static [Plan] {
    static PLANS: LazyLock<Vec<Plan>> = LazyLock::new(|| FILES.iter().enumerate().map(read).collect());
    &PLANS
}

fn read((place, &(name, file, text)): (usize, &(&'static str, &'static str, &'static str))) -> Plan {
    let mut scenarios = format::parse(file, text, toolsets::catalogue())
        .unwrap_or_else(|wrong| panic!("a built-in plan is bad:\n{wrong}"));
    let scenario = Arc::unwrap_or_clone(scenarios.pop().expect("a plan has one healthy actor"));
    let spoken = (0..scenario.languages.len()).map(|language| in_language(&scenario.phrases, language));
    let variants = scenario.numbers.iter().map(|it| count(it.to - it.from + 1)).product();
    Plan {
        name,
        file,
        text,
        reserve: is_reserve(place),
        spoken: spoken.collect(),
        variants: std::iter::repeat_with(OnceLock::new).take(variants).collect(),
        scenario,
    }
}

fn in_language(phrases: &[Phrase], language: usize) -> Vec<Phrase> {
    let alone = |it: &Phrase| Phrase { variants: vec![it.variants[language].clone()], ..it.clone() };
    phrases.iter().map(alone).collect()
}

impl Plan {
    /// What happens, in a line.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.scenario.title
    }

    /// The scenario of its file.
    #[cfg(test)]
    pub(super) fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// The number of its variants.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.variants.len()
    }

    /// How its task ends.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.scenario.protocol
    }

    pub(super) fn languages(&self) -> &[Arc<str>] {
        &self.scenario.languages
    }

    /// Its phrases in this language alone.
    pub(super) fn spoken(&self, language: usize) -> &[Phrase] {
        &self.spoken[language]
    }

    /// Its numbers, each from its least to its greatest value.
    pub(super) fn numbers(&self) -> &[Number] {
        &self.scenario.numbers
    }

    /// The plan with these values for its numbers.
    pub(super) fn variant(&self, values: &[u32]) -> &Variant {
        let place = self.numbers().iter().zip(values).fold(0, |place, (number, value)| {
            place * count(number.to - number.from + 1) + count(value - number.from)
        });
        self.variants[place].get_or_init(|| self.fixed(values))
    }

    fn fixed(&self, values: &[u32]) -> Variant {
        let mut scenario = self.scenario.clone();
        for (number, value) in scenario.numbers.iter_mut().zip(values) {
            (number.from, number.to) = (*value, *value);
        }
        let left_out: Vec<String> =
            scenario.numbers.iter().filter(|it| it.to == 0).map(|it| it.name.clone()).collect();
        for name in left_out {
            if let Some(state) = scenario.actor.states.iter().position(|it| it.name == name) {
                leave_out(&mut scenario, state);
            }
        }
        if let Some(replies) = scenario.numbers.iter().find(|it| it.name == REPLIES) {
            scenario.user.replies.truncate(count(replies.to));
        }
        let scenario = Arc::new(scenario);
        let walk = walk(&World::draw(&scenario, 0, WorldOptions::default()));
        let mut scenario = Arc::unwrap_or_clone(scenario);
        scenario.limits.turns = turns(walk.rounds.len());
        let values: Vec<String> = values.iter().map(u32::to_string).collect();
        Variant { id: format!("{}.{}", self.name, values.join("-")), scenario, walk }
    }
}

/// The number with this name says how many of the user's replies are given.
const REPLIES: &str = "replies";

/// The limit of turns of a plan that takes this many: detours and a slip must fit, too.
fn turns(rounds: usize) -> u32 {
    2 * u32::try_from(rounds).expect("plans are short") + 24
}

fn count(number: u32) -> usize {
    usize::try_from(number).expect("a small number")
}

/// Removes a state; what led to it leads to where it led.
fn leave_out(scenario: &mut Scenario, state: StateId) {
    let actor = &mut scenario.actor;
    let removed = actor.states.remove(state);
    let to = removed.next.last().map_or(state, |it| it.to);
    let moved = |id: StateId| if id > state { id - 1 } else { id };
    let renamed = |id: StateId| moved(if id == state { to } else { id });
    actor.start = renamed(actor.start);
    let all = actor.states.iter_mut().flat_map(|it: &mut _| it.next.iter_mut());
    all.for_each(|it: &mut Transition| it.to = renamed(it.to));
}
