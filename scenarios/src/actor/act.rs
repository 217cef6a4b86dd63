//! What the model does in one attempt: a function of its state, the visit and keyed draws.

use std::sync::Arc;

use balk_contract::{AttemptCause, Completion, FinishReason, Part, RawCall, Usage};

use crate::arguments;
use crate::draws::{Draw, Occasion};
use crate::scenario::template::Template;
use crate::scenario::{
    CallSpec, Called, Kind, Sent, Stage, State, StateId, Stuck, TICKS_PER_SECOND, Truth, Wire,
};
use crate::spoken::Spoken;
use crate::world::{Filling, Nth, World};

/// What the model does in one attempt, and what really happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// The state that it is an act of.
    pub state: StateId,
    /// Its content.
    pub parts: Vec<Part>,
    /// Its calls.
    pub calls: Vec<RawCall>,
    /// What it does in words, because no tool on offer does it. Its content has the words.
    pub spoken: Vec<Spoken>,
    /// Why it ends.
    pub finish: FinishReason,
    /// The hidden truth.
    pub truth: Truth,
    /// Whether it honestly tells the user that the task is not done.
    pub tells_user: bool,
    /// What the provider ran by itself in the attempt.
    pub ran_by_provider: Vec<RawCall>,
    /// Where the attempt broke off. `None` where it did not.
    pub broken: Option<Broken>,
}

/// What comes of a call of a state.
enum Sends {
    Call(RawCall),
    Words(Spoken),
}

/// How an attempt broke off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Why.
    pub cause: AttemptCause,
    /// How far it got.
    pub at: Stage,
    /// What the provider said.
    pub message: Arc<str>,
    /// What a client of the provider's API sees of it.
    pub wire: Wire,
}

impl Act {
    /// The act as the loop receives it.
    #[must_use]
    pub fn completion(&self, offer: &balk_contract::Offer) -> Completion {
        let (parts, calls) = (self.parts.iter().cloned(), self.calls.iter().cloned());
        Completion::new(parts, calls, self.finish, Usage::default(), offer)
    }
}

/// A visit of the actor to a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visit<'w> {
    pub(super) world: &'w World,
    /// How many turns the actor took before.
    pub(super) turns: u32,
    pub(super) state: StateId,
    /// How often the state was visited, this time included.
    pub(super) number: u32,
    /// How many steps of the state went well before.
    pub(super) steps: u32,
    /// How often the user was asked about an attempt of this visit.
    pub(super) asked: u32,
}

impl Visit<'_> {
    /// What the actor does in this attempt of the visit.
    pub(super) fn act(&self, attempt: u32) -> Act {
        let state = &self.world.scenario().actor.states[self.state];
        if self.comes_back_empty(state, attempt) {
            return Act {
                state: self.state,
                parts: Vec::new(),
                calls: Vec::new(),
                spoken: Vec::new(),
                finish: FinishReason::Stop,
                truth: Truth::Stuck(Stuck::Empty),
                tells_user: false,
                ran_by_provider: Vec::new(),
                broken: None,
            };
        }
        let said = |phrase| -> Arc<str> {
            self.world.say(phrase, Occasion::State(self.state), self.nth(), &[]).into()
        };
        let thinking = state.thinks.map(|phrase| Part::Thinking { text: said(phrase), signature: None });
        let says: Option<Arc<str>> = state.says.map(said);
        let mut calls = Vec::with_capacity(state.calls.len());
        let mut spoken = Vec::new();
        for (at, call) in state.calls.iter().enumerate() {
            match self.call(state, call, at) {
                Sends::Call(call) => calls.push(call),
                Sends::Words(words) => spoken.push(words),
            }
        }
        // One message: answers of OpenAI's chat have one text.
        let words = spoken.iter().map(Spoken::words);
        let texts: Vec<&str> = says.as_deref().into_iter().chain(words).collect();
        let text = match (&says, &texts[..]) {
            (_, []) => None,
            (Some(says), [_]) => Some(Part::Text(says.clone())),
            (_, texts) => Some(Part::Text(texts.join("\n\n").into())),
        };
        // An answer of the user changes the request, but the next attempt still counts from the last one.
        let breaks = self.breaks_off(state, attempt + self.asked);
        let seen_by_provider = breaks.as_ref().is_none_or(|(_, ran)| *ran);
        let ran_by_provider = if seen_by_provider { &state.provider[..] } else { &[] };
        Act {
            state: self.state,
            parts: thinking.into_iter().chain(text).collect(),
            finish: state.finish.unwrap_or(if calls.is_empty() {
                FinishReason::Stop
            } else {
                FinishReason::ToolCall
            }),
            calls,
            spoken,
            truth: match (&breaks, self.world.scenario().kind) {
                // A healthy actor stays healthy through a hiccup.
                (Some(_), Kind::Stubborn) => Truth::Faulted,
                (Some(_), Kind::Control) | (None, _) => self.truth(state),
            },
            tells_user: state.tells_user,
            ran_by_provider: ran_by_provider
                .iter()
                .enumerate()
                .filter_map(|(at, call)| match self.call(state, call, PROVIDER_CALL + at) {
                    Sends::Call(call) => Some(call),
                    Sends::Words(_) => None,
                })
                .collect(),
            broken: breaks.map(|(broken, _)| broken),
        }
    }

    /// Where this attempt breaks off, and whether the provider had run its own calls by then.
    fn breaks_off(&self, state: &State, attempt: u32) -> Option<(Broken, bool)> {
        let (name, visit) = (&*state.name, self.number);
        let happens = |draw, chance| self.world.draws().dice(draw).happens(chance);
        let (place, it) = state.breaks.iter().enumerate().find(|&(place, it)| {
            it.until.is_none_or(|until| attempt <= self.world.number(until))
                && happens(Draw::Break { state: name, place, attempt, visit }, it.chance)
        })?;
        let mut cause = it.cause;
        if let AttemptCause::Status { retry_after, .. } = &mut cause {
            *retry_after =
                it.retry_after.map(|seconds| TICKS_PER_SECOND * u64::from(self.world.number(seconds)));
        }
        let occasion = Occasion::Break { place, attempt };
        let message = it
            .says
            .map_or_else(|| "".into(), |phrase| self.world.say(phrase, occasion, self.nth(), &[]).into());
        let ran = happens(Draw::RanBefore { state: name, place, attempt, visit }, it.ran);
        Some((Broken { cause, at: it.at, message, wire: it.wire }, ran))
    }

    /// Whether this attempt comes back empty: one draw for each attempt of a visit.
    fn comes_back_empty(&self, state: &State, attempt: u32) -> bool {
        let Some(last) = state.empty.len().checked_sub(1) else { return false };
        let chance = state.empty[usize::try_from(attempt - 1).map_or(last, |at| at.min(last))];
        let draw = Draw::Empty { state: &state.name, attempt, visit: self.number };
        self.world.draws().dice(draw).happens(chance)
    }

    /// The steps of the state. A state that has none does one over and over.
    fn of_steps(&self) -> u32 {
        self.world.steps(self.state)
    }

    fn nth(&self) -> Nth {
        Nth { visit: self.number, step: self.steps % self.of_steps() + 1 }
    }

    /// What is true of this visit: by its number, or by the round of all steps.
    fn truth(&self, state: &State) -> Truth {
        let number = if state.steps.is_some() { self.steps / self.of_steps() + 1 } else { self.number };
        truth(state, number)
    }

    fn call(&self, state: &State, spec: &CallSpec, at: usize) -> Sends {
        let visit = self.number;
        let mut dice = self.world.draws().dice(Draw::Call { state: &state.name, call: at, visit });
        let id = id(self.turns, at);
        // The values draw one after the other, in the order of the role, whatever the form.
        let mut render = |template: &Template| {
            let mut text = String::with_capacity(ARGUMENT_BYTES);
            self.world.render(
                template,
                Filling { dice: &mut dice, arguments: &[], nth: self.nth() },
                &mut text,
            );
            text
        };
        let call = |tool: &Arc<str>, arguments: &str| {
            Sends::Call(RawCall { id, tool: tool.clone(), arguments: arguments.into() })
        };
        match (&spec.called, &spec.sent) {
            (Called::Name(name), Sent::Arguments(_)) => call(&name.as_str().into(), ""),
            (Called::Name(name), Sent::Raw(text)) => call(&name.as_str().into(), &render(text)),
            (Called::Role(role), sent) => match (self.world.role(*role), sent) {
                (Some((name, _)), Sent::Raw(text)) => call(name, &render(text)),
                (Some((name, tool)), Sent::Arguments(values)) => {
                    let values: Vec<String> = values.iter().map(render).collect();
                    let values: Vec<&str> = values.iter().map(String::as_str).collect();
                    call(name, &arguments::written(&tool.form, &values))
                }
                (None, Sent::Raw(text)) => Sends::Words(Spoken { role: *role, values: vec![render(text)] }),
                (None, Sent::Arguments(values)) => {
                    Sends::Words(Spoken { role: *role, values: values.iter().map(render).collect() })
                }
            },
        }
    }
}

/// The provider's calls are numbered from here, above those that the loop runs.
const PROVIDER_CALL: usize = 1_000;

/// Nearly every id of a call is shorter.
const ID_BYTES: usize = 16;
/// Most arguments are shorter.
const ARGUMENT_BYTES: usize = 256;

/// The id of a call, by the turns before it and its place in its turn.
pub(super) fn id(turns: u32, at: usize) -> Arc<str> {
    let mut id = String::with_capacity(ID_BYTES);
    id.push_str("call");
    for number in [turns, u32::try_from(at).expect("a turn has few calls")] {
        id.push('_');
        decimal(&mut id, number);
    }
    id.into()
}

/// Writes a number. General formatting takes more instructions.
fn decimal(out: &mut String, number: u32) {
    if let rest @ 1.. = number / 10 {
        decimal(out, rest);
    }
    out.extend(char::from_digit(number % 10, 10));
}

pub(super) fn truth(state: &State, visit: u32) -> Truth {
    state
        .truth
        .iter()
        .find(|span| visit <= span.until)
        .or(state.truth.last())
        .map_or(Truth::Productive, |span| span.is)
}
