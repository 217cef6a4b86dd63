//! Where the actor goes from one completion to the next: the transitions of its state, and how it takes interventions.

use std::sync::Arc;

use super::Actor;
use super::detour::Detour;
use super::repaired::Repaired;
use crate::draws::Draw;
use crate::response::{self, Correction, Delivered, Reaction, ResponseMode};
use crate::scenario::{Called, Kind, Ratio, State, StateId, Transition, Trigger};

impl Actor {
    /// Goes to the next state, once for each completion.
    pub(super) fn advance(&mut self) {
        if std::mem::take(&mut self.answered) {
            self.leaves();
            // Nothing reads these again, and a host may keep the actor for long.
            let following = &mut self.following;
            (following.completion, following.last_answers, following.heard) = (None, Vec::new(), Vec::new());
            following.answers.shrink_to_fit();
        }
    }

    /// Leaves its state after a completion, or stays.
    fn leaves(&mut self) {
        let before = self.detour.take();
        match self.repaired().filter(|_| before.is_none()) {
            Some(Repaired::Was(state)) => {
                self.state = state;
                self.visits[state] += 1;
            }
            Some(Repaired::Goes(state)) => {
                self.reaction();
                (self.asked, self.detours, self.tries_again) = (0, 0, false);
                self.state = state;
                self.visits[state] += 1;
                return;
            }
            None => {}
        }
        if before.is_none() {
            self.step();
        }
        let reaction = self.reaction();
        let from = self.state;
        let visit = self.visits[from];
        let found = self.transition(before.as_deref(), reaction.as_ref());
        // A loop does not stand still: after a refusal the same call came next in 3 of 263 recorded cases.
        let tries_again = self.world.scenario().kind == Kind::Control
            && !self.tries_again
            && self.world.scenario().actor.states[from].provider.is_empty()
            && self.following.nothing_ran()
            && found.is_some_and(|(when, _)| when == Trigger::Always);
        let found = found.filter(|_| !tries_again);
        if found.is_none() && self.following.attempt_broke {
            self.detour = before;
            return;
        }
        let to = found.map_or(from, |(_, to)| to);
        self.asked = 0;
        let is_moved = reaction.as_ref().is_some_and(|it| *it != Reaction::Ignored);
        let (left, number) = before.as_ref().map_or((from, visit), |it| (it.left, it.visit));
        // After a detour the actor goes on where it was, and would repeat a call that may have run.
        self.detour = match reaction {
            Some(Reaction::Takes { offered, .. })
                if found.is_none_or(|(when, _)| when != Trigger::Corrected) && !self.following.lost =>
            {
                let said = self.last_correction.as_deref().unwrap_or_default().into();
                let completion = self.following.completion.clone();
                let (way, tool) = (offered.way, offered.tool);
                Some(Box::new(Detour { way, tool, left, visit: number, completion, said }))
            }
            Some(_) | None => None,
        };
        self.detours = if self.detour.is_some() { self.detours + 1 } else { 0 };
        if to != from && is_moved {
            (self.corrections, self.last_correction) = (0, None);
        }
        self.tries_again = tries_again || (self.tries_again && before.is_some() && found.is_none());
        self.state = to;
        // After a detour it goes on with the turn that it did not take yet, and after a refusal with the one that did
        // not happen.
        if !tries_again && (before.is_none() || found.is_some()) {
            self.visits[to] += 1;
        }
    }

    /// The transition that it takes after a turn, or after a detour from one.
    fn transition(&self, before: Option<&Detour>, reaction: Option<&Reaction>) -> Option<(Trigger, StateId)> {
        let spec = &self.world.scenario().actor.states[self.state];
        // What the state says of the turn of a detour is only what led away from it at once.
        let was_here = before.is_none_or(|it| it.left == self.state);
        let is_open = |it: &Transition| match it.when {
            Trigger::Corrected
            | Trigger::Varied
            | Trigger::UserSpoke
            | Trigger::Notified
            | Trigger::Answered
            | Trigger::Switched => was_here,
            Trigger::Always
            | Trigger::Succeeded
            | Trigger::Failed
            | Trigger::Refused
            | Trigger::Lost
            | Trigger::Changed => before.is_none(),
        };
        let visit = self.visits[self.state];
        let drawn = || {
            let mut next = spec.next.iter().enumerate();
            next.find(|(at, it)| {
                is_open(it) && self.holds(it, reaction) && self.hears(it) && self.drawn(spec, *at, it, visit)
            })
        };
        let is_certain = self.world.response().mode() == ResponseMode::Certain;
        let works = if is_certain && reaction == Some(&Reaction::Finds) { self.way_out(spec) } else { None }
            .map(|to| (Trigger::Corrected, to));
        works.or_else(|| drawn().map(|(_, it)| (it.when, it.to)))
    }

    /// Counts a step that went well, where a state has steps.
    fn step(&mut self) {
        let has_steps = self.world.scenario().actor.states[self.state].steps.is_some();
        if has_steps && self.following.went_well() {
            self.steps[self.state] += 1;
        }
    }

    /// Where a correction leads that works: not to giving up, if there is another way.
    fn way_out(&self, state: &State) -> Option<StateId> {
        let ways = || {
            let corrected = state.next.iter().filter(|it| it.when == Trigger::Corrected);
            corrected.filter(|it| self.visits[self.state] >= self.world.number(it.visits)).map(|it| it.to)
        };
        let gives_up = |at: &StateId| self.world.scenario().actor.states[*at].tells_user;
        ways().find(|at| !gives_up(at)).or_else(|| ways().next())
    }

    /// How the actor takes the interventions since the last completion. `None` where there were none.
    fn reaction(&mut self) -> Option<Reaction> {
        if !self.following.intervened {
            self.corrections = 0;
            self.last_correction = None;
            return None;
        }
        self.corrections += 1;
        let [last_error, last_success] = self.latest.read();
        let calls = self.following.completion.as_ref().map_or(&[][..], |it| &it.calls);
        let called: Vec<&str> = calls.iter().map(|it| &*it.tool).collect();
        let advice = response::read(&Delivered {
            text: &self.following.said,
            previous: self.last_correction.as_deref(),
            last_error,
            last_success,
            tools: self.world.offer().tools(),
            called: &called,
        });
        let scenario = self.world.scenario();
        let correction = Correction {
            advice: &advice,
            in_a_row: self.corrections,
            state: &scenario.actor.states[self.state].name,
            visit: self.visits[self.state],
            detours: self.detours,
        };
        let reaction = self.world.response().react(&correction, self.world.draws());
        self.last_correction = Some(std::mem::take(&mut self.following.said));
        Some(reaction)
    }

    /// Whether a correction that was taken so leads along this transition.
    fn leads(&self, transition: &Transition, reaction: Option<&Reaction>) -> bool {
        match reaction {
            Some(Reaction::Takes { offered, by_name }) => {
                let fits = |tool: &Arc<str>| {
                    let first = self.world.scenario().actor.states[transition.to].calls.first();
                    first.is_none_or(|call| match &call.called {
                        Called::Role(role) => self.world.role(*role).is_some_and(|(name, _)| name == tool),
                        Called::Name(name) => **name == **tool,
                    })
                };
                let named = offered.tool.as_ref().filter(|_| *by_name);
                transition.ways.contains(&offered.way) && named.is_none_or(fits)
            }
            Some(Reaction::Finds) => true,
            Some(Reaction::Varied | Reaction::Ignored) | None => false,
        }
    }

    fn holds(&self, transition: &Transition, reaction: Option<&Reaction>) -> bool {
        let when = transition.when;
        if self.following.attempt_broke && !matches!(when, Trigger::Answered | Trigger::Switched) {
            return false;
        }
        match when {
            Trigger::Always => true,
            Trigger::Succeeded => {
                let is_last = self.steps[self.state].is_multiple_of(self.world.steps(self.state));
                is_last && self.following.outcome().succeeded && self.following.went_well()
            }
            Trigger::Failed => self.following.outcome().failed,
            Trigger::Refused => self.following.refused,
            Trigger::Corrected => self.leads(transition, reaction),
            Trigger::Varied => reaction == Some(&Reaction::Varied),
            Trigger::UserSpoke => self.following.user_spoke,
            Trigger::Notified => self.following.notified,
            Trigger::Answered => self.following.answered,
            Trigger::Switched => self.following.switched,
            Trigger::Lost => self.following.lost,
            Trigger::Changed => self.following.answers != self.following.last_answers,
        }
    }

    /// Whether something that it read since the completion contains the text of the transition.
    fn hears(&self, transition: &Transition) -> bool {
        transition.contains.as_ref().is_none_or(|text| {
            let text = self.world.fixed(text);
            {
                let answers = self.following.answers.iter().map(|it| &it.text);
                answers.chain(&self.following.heard).any(|it| it.contains(&*text))
            }
        })
    }

    fn drawn(&self, state: &State, at: usize, transition: &Transition, visit: u32) -> bool {
        let bound = self.world.number(transition.visits);
        let Some(past) = visit.checked_sub(bound) else { return false };
        let Some(last) = transition.chance.len().checked_sub(1) else { return true };
        let chance = transition.chance[usize::try_from(past).map_or(last, |past| past.min(last))];
        if chance == (Ratio { num: 1, den: 1 }) {
            return true;
        }
        let draw = Draw::Transition { state: &state.name, transition: at, visit };
        self.world.draws().dice(draw).happens(chance)
    }
}
