//! Transitions that are never taken, and states that only they lead to.

use std::sync::Arc;

use balk_contract::{ChoiceKind, Protocol};

use super::effort::Effort;
use crate::format::convert::actors;
use crate::format::report::Report;
use crate::format::wire::{ActorTable, ScenarioFile};
use crate::scenario::{Bound, Scenario, Stage, State, StateId, Transition, Trigger};

/// Why a transition is never taken.
enum Dead {
    /// The one with this index is always taken first.
    Behind(usize),
    /// What it waits for cannot happen.
    Never(&'static str),
}

/// Warns of transitions that are never taken, and of states that nothing else leads to.
pub(super) fn transitions(
    file: &ScenarioFile,
    scenarios: &[Arc<Scenario>],
    effort: &mut Effort,
    report: &mut Report<'_>,
) {
    for ((_, table), scenario) in actors(file).into_iter().zip(scenarios) {
        of_actor(table.get_ref(), scenario, effort, report);
    }
}

fn of_actor(table: &ActorTable, scenario: &Scenario, effort: &mut Effort, report: &mut Report<'_>) {
    let states = &scenario.actor.states;
    let mut live: Vec<Vec<StateId>> = vec![Vec::new(); states.len()];
    for (id, (state, wire)) in states.iter().zip(table.state.get_ref()).enumerate() {
        for (at, (next, table)) in state.next.iter().zip(&wire.next).enumerate() {
            match dead(scenario, (id, state), at, effort) {
                None => live[id].push(next.to),
                Some(Dead::Behind(first)) => {
                    report
                        .warning(table.when.span(), NEVER_TAKEN, "an earlier one always comes first")
                        .related(wire.next[first].when.span(), "this one is taken before it")
                        .help("put it first, or give the earlier one `visits`, `chance` or `contains`");
                }
                Some(Dead::Never(why)) => {
                    report
                        .warning(table.when.span(), NEVER_TAKEN, why)
                        .help("wait for something else, or remove it");
                }
            }
        }
    }
    let mut reached = vec![false; states.len()];
    let mut open = vec![scenario.actor.start];
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut reached[id], true) {
            open.extend(&live[id]);
        }
    }
    for (state, _) in table.state.get_ref().iter().zip(reached).filter(|(_, reached)| !reached) {
        let message = format!("the state `{}` is never reached", state.name.get_ref());
        report
            .warning(state.name.span(), message, "only transitions that are never taken lead here")
            .help("lead to it with a transition that can be taken, or remove it");
    }
}

const NEVER_TAKEN: &str = "this transition is never taken";

/// Why the transition at this place of the state is never taken, if it is not.
fn dead(scenario: &Scenario, (id, state): (StateId, &State), at: usize, effort: &mut Effort) -> Option<Dead> {
    let it = &state.next[at];
    if it.chance.iter().all(|chance| chance.num == 0) {
        return Some(Dead::Never("its chance is 0"));
    }
    let cost = state.breaks.len() + scenario.user.answers.len() + scenario.user.rules.len();
    if !effort.spend(cost) {
        return None;
    }
    if let Some(why) = impossible(scenario, state, it.when) {
        return Some(Dead::Never(why));
    }
    let behind = state.next[..at].iter().position(|earlier| {
        effort.spend(it.ways.len() * earlier.ways.len() + earlier.chance.len())
            && comes_first(scenario, id, state, earlier, it)
    });
    behind.map(Dead::Behind)
}

/// Whether the earlier transition is taken wherever the later one could be.
fn comes_first(
    scenario: &Scenario,
    id: StateId,
    state: &State,
    earlier: &Transition,
    later: &Transition,
) -> bool {
    let is_certain = earlier.contains.is_none() && earlier.chance.iter().all(|it| it.num == it.den);
    let (_, most) = range(scenario, earlier.visits);
    let (least, _) = range(scenario, later.visits);
    let is_in_time = earlier.visits == later.visits || most <= least;
    let covers = match (earlier.when, later.when) {
        // An answer about a broken attempt is heard before there is a completion.
        (Trigger::Always, Trigger::Answered | Trigger::Switched) => {
            state.breaks.is_empty() && earlier.to != id
        }
        // After a detour, an actor that stayed hears these alone.
        (Trigger::Always, Trigger::Corrected | Trigger::Varied | Trigger::UserSpoke | Trigger::Notified) => {
            earlier.to != id
        }
        // Each leads on by ways of its own.
        (Trigger::Corrected, Trigger::Corrected) => {
            earlier.to == later.to && later.ways.iter().all(|way| earlier.ways.contains(way))
        }
        (Trigger::Always, _) => true,
        (earlier, later) => earlier == later,
    };
    is_certain && is_in_time && covers
}

/// The least and the greatest value of a bound.
fn range(scenario: &Scenario, bound: Bound) -> (u32, u32) {
    match bound {
        Bound::Fixed(number) => (number, number),
        // A bound counts from 1.
        Bound::Drawn(at) => (scenario.numbers[at].from.max(1), scenario.numbers[at].to.max(1)),
    }
}

/// Why something cannot happen in this state.
fn impossible(scenario: &Scenario, state: &State, when: Trigger) -> Option<&'static str> {
    let user = &scenario.user;
    let answers = |kinds: &[ChoiceKind]| user.answers.iter().any(|it| kinds.contains(&it.choice));
    let is_silent = state.calls.is_empty() && state.says.is_none();
    let why = match when {
        Trigger::Always | Trigger::Corrected | Trigger::Varied | Trigger::Changed => return None,
        // A guard can make a call of a printed one.
        Trigger::Succeeded | Trigger::Failed | Trigger::Refused => (is_silent, "the state calls nothing"),
        Trigger::Lost => (
            !state.breaks.iter().any(|it| it.at == Stage::Running),
            "no attempt of this state breaks off while a call runs",
        ),
        Trigger::UserSpoke => {
            let replies = !user.replies.is_empty() || user.rules.iter().any(|it| it.says.is_some());
            let speaks = !user.interrupts.is_empty() || replies && scenario.protocol == Protocol::Text;
            (!speaks, "the user says nothing after the task")
        }
        Trigger::Notified => (scenario.environment.notifications.is_empty(), "there are no notifications"),
        Trigger::Answered => {
            (!answers(&[ChoiceKind::Instruct, ChoiceKind::Constrain]), "no answer of the user instructs")
        }
        Trigger::Switched => {
            (!answers(&[ChoiceKind::SwitchModel]), "no answer of the user switches the model")
        }
    };
    why.0.then_some(why.1)
}
