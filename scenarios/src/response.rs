//! How an actor takes a correction: one documented model, and one classifier that reads the messages.
//!
//! What a message says is inferred, never self-declared. [`read`] finds its features and the ways out that it offers in
//! the delivered text and what came before it, in the same way for our guards, for the rules of other agents and for
//! anything else.
//!
//! **Whether it moves.** A complaint moves the actor with a base chance, and with one more chance for each feature
//! that it carries (independent draws: noisy-or). Both fall with every further correction in a row. A message that says
//! nothing, or not what is wrong, has only a share of the base chance. Every chance is multiplied by one minus the
//! actor's stubbornness.
//!
//! **Where to.** An actor that is moved takes one of the ways out that the message offers, right or wrong; the first
//! weighs more. Where none is offered, it finds a right one by itself with a chance. Where a tool is named for the way
//! that it takes, it may call that tool, fitting or not. An actor that is not moved may still take an easy way out: to
//! say that the task is done, or cannot be done, if the message offers that. What it does with a way that leads nowhere
//! is a matter of the actor (`scenarios/src/actor/detour.rs`).
//!
//! Numbers are parts per thousand. They were measured over 24,746 recorded trajectories and on one small live model
//! (`docs/reactions.md`), or are assumed with a range. How easily a model is moved is drawn from a population
//! (`scenarios/src/response/population.rs`), unless a scenario pins a profile or a [file](crate::reactions) of measured
//! reactions replaces them. All ranges are in `scenarios/src/response/reactions.rs`:
//!
//! | parameter | strong, like gpt-4o, like gpt-3.5, weak | from |
//! |---|---|---|
//! | base | a row of the population, or of the profile | measured: plain complaint, 1st to 4th in a row |
//! | cause | 310, 310, 310, 40 | measured: 65 to 76 % on the first try (`docs/reactions.md#what-a-correction-says`) |
//! | form | 310, 310, 310, 40 | measured: the same row |
//! | example | 330 | measured on a small model (`docs/reactions.md#a-small-live-model`) |
//! | options | 120, 120, 120, 10 | measured: form with advice 79 %, form 76 %; they do not beat a clear cause |
//! | shows | 100, 100, 100, 0 | assumed, 0 to 300: repeating the previous answer |
//! | withholds | 500 | assumed, 200 to 900: not measured anywhere |
//! | novel | 500, 500, 500, 70 | measured: new wording 59 %, the same 10 % (`docs/reactions.md#new-wording`) |
//! | fade of cause to shows | 1000, 550, 200, 200 | measured: 10 to 14 points at first, then about half, then nothing |
//! | forbids, obeyed | 950, 950, 950, 500 | measured: the same call next in 1 of 180 (`docs/reactions.md#forbidding`) |
//! | empty | 90 | measured on a small model: the share of the base chance that a word out of place has |
//! | demand | 1000, 1000, 1000, 90 | measured on a small model: the same for a demand without a reason; else assumed |
//! | names | 1000, 1000, 1000, 280 | measured on a small model: the same where a call is asked for by tools' names |
//! | easy | 46, 200, 190, 740 | measured: how many stop where a stop is open (`docs/reactions.md#ways-out`) |
//! | finds | 780, 320, 160, 20 | measured: how many succeed with other arguments after three failures |
//! | named | 100, 200, 500, 1000 | measured for weak models: the tool named first is called, in 12 of 12; else assumed |
//! | first | 3000 | assumed, 1000 to 6000: the weight of the way named first, where each other has 1000 |
//!
//! The mode is chosen for a run ([`ResponseMode`]). In **flat** mode there is one draw for each delivered
//! intervention, whatever it says, and a moved actor takes a right way out: an empty notice and the best message tie
//! exactly. In **drawn** mode the numbers are taken from their ranges, another set for each of [`DRAWS`] remainders of
//! the seed.
//!
//! [`DRAWS`]: balk_contract::record::DRAWS

mod advice;
mod parameters;
mod population;
mod reactions;
mod words;

use balk_contract::record::draw_of;

use crate::draws::{Dice, Draw, Draws};
use crate::scenario::{Ratio, ResponseSpec, Way};

use parameters::Parameters;

pub use advice::{Advice, Delivered, Features, Offered, read};
pub use parameters::{PARAMETERS, Parameter};
pub use reactions::{Reactions, Span};

/// What counts in an intervention. It is chosen for a run, not in a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResponseMode {
    /// What the delivered text says.
    #[default]
    Features,
    /// That it was delivered.
    Flat,
    /// What the delivered text says, by numbers that the seed draws from their ranges.
    Drawn,
    /// That it was delivered, and then it works: it moves every actor that anything moves. For the stack `ceiling`.
    Certain,
}

/// How the actor took a correction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// It takes a way out that the message offers.
    Takes {
        offered: Offered,
        /// Whether it calls the tool that is named for the way, whatever would fit.
        by_name: bool,
    },
    /// It finds a right way out by itself.
    Finds,
    /// It does not, but it does not send the same call again.
    Varied,
    /// It goes on as before.
    Ignored,
}

/// A correction as an actor meets it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Correction<'a> {
    /// What it says.
    pub(crate) advice: &'a Advice,
    /// Its number in the row of corrections, from 1.
    pub(crate) in_a_row: u32,
    /// The state that the actor is in.
    pub(crate) state: &'a str,
    /// Its number of visits to the state.
    pub(crate) visit: u32,
    /// The detours that it has taken since.
    pub(crate) detours: u32,
}

/// How the actor of one trial takes corrections.
#[derive(Clone, Debug)]
pub(crate) struct ResponseModel {
    mode: ResponseMode,
    stubbornness: Ratio,
    parameters: Parameters,
    is_measured: bool,
}

impl ResponseModel {
    /// What the scenario says of the actor, in this mode and under this seed. Measured reactions replace its profile;
    /// its stubbornness stays.
    pub(crate) fn new(
        spec: ResponseSpec,
        mode: ResponseMode,
        measured: Option<Reactions>,
        seed: u64,
        draws: &Draws,
    ) -> Self {
        let reactions = measured.unwrap_or_else(|| population::model(spec.profile, draws).into());
        let parameters = match mode {
            ResponseMode::Features | ResponseMode::Flat | ResponseMode::Certain => Parameters::of(&reactions),
            ResponseMode::Drawn => Parameters::drawn(&reactions, draw_of(seed)),
        };
        Self { mode, stubbornness: spec.stubbornness, parameters, is_measured: measured.is_some() }
    }

    pub(crate) fn mode(&self) -> ResponseMode {
        self.mode
    }

    /// Whether measured reactions took the place of the scenario's profile.
    pub(crate) fn is_measured(&self) -> bool {
        self.is_measured
    }

    /// How the actor takes a correction, drawn by (state, visit).
    pub(crate) fn react(&self, correction: &Correction<'_>, draws: &Draws) -> Reaction {
        let is_deaf = self.stubbornness.num == self.stubbornness.den;
        if self.mode == ResponseMode::Certain && !is_deaf {
            return Reaction::Finds;
        }
        let &Correction { advice, in_a_row, state, visit, detours } = correction;
        let row = usize::try_from(in_a_row.clamp(1, 4) - 1).expect("at most three");
        let numbers = &self.parameters;
        let is_flat = self.mode == ResponseMode::Flat;
        let chances =
            if is_flat { [numbers.flat[row], 0, 0, 0, 0, 0, 0, 0] } else { self.chances(advice, row) };
        // Every chance has its own random word, so an actor moved by some features is also moved by more of them.
        let mut dice = draws.dice(Draw::Reaction { state, visit, detours });
        let mut hits = |chance| dice.happens(damped(chance, self.stubbornness));
        let is_moved = chances.map(&mut hits).contains(&true);
        let obeys = hits(numbers.obeys) && advice.features.forbids;
        let eases = hits(numbers.easy);
        if is_flat {
            return if is_moved { Reaction::Finds } else { Reaction::Ignored };
        }
        let by_name = dice.happens(thousandths(numbers.named));
        let finds = dice.happens(thousandths(numbers.finds));
        let easy = advice.ways.iter().find(|it| matches!(it.way, Way::Finish | Way::Tell));
        match (is_moved, easy) {
            (true, _) if !advice.ways.is_empty() => {
                Reaction::Takes { offered: self.drawn(&advice.ways, &mut dice).clone(), by_name }
            }
            (true, _) if finds => Reaction::Finds,
            (false, Some(offered)) if eases => Reaction::Takes { offered: offered.clone(), by_name },
            (true, _) => Reaction::Varied,
            (false, _) if obeys => Reaction::Varied,
            (false, _) => Reaction::Ignored,
        }
    }

    /// The chances to be moved, each by something that the message says.
    fn chances(&self, advice: &Advice, row: usize) -> [u32; 8] {
        let numbers = &self.parameters;
        let Features { complains: _, cause, form, example, options, shows, forbids: _, withholds, novel } =
            advice.features;
        let fade = |on: bool, chance: u32| if on { chance * numbers.fade[row] / 1_000 } else { 0 };
        let whole = |on: bool, chance: u32| if on { chance } else { 0 };
        let is_empty = advice.is_empty();
        let names = advice.ways.iter().any(|it| it.way == Way::Call && it.tool.is_some());
        let share = |on: bool, share: u32| if on { share } else { 1_000 };
        let base =
            numbers.base[row] * share(is_empty, numbers.empty) / 1_000 * share(names, numbers.names) / 1_000;
        [
            base * share(!is_empty && advice.is_bare(), numbers.demand) / 1_000,
            fade(cause, numbers.cause),
            fade(form, numbers.form),
            fade(example, numbers.example),
            fade(options, numbers.options),
            fade(shows, numbers.shows),
            whole(withholds, numbers.withholds),
            whole(novel && !is_empty, numbers.novel),
        ]
    }

    /// One of the offered ways.
    fn drawn<'w>(&self, ways: &'w [Offered], dice: &mut Dice) -> &'w Offered {
        let others = u32::try_from(ways.len() - 1).expect("there are ten ways");
        let drawn = dice.below(self.parameters.first + 1_000 * others);
        let at = drawn.checked_sub(self.parameters.first).map_or(0, |rest| 1 + rest / 1_000);
        &ways[usize::try_from(at).expect("there are ten ways")]
    }
}

const fn thousandths(chance: u32) -> Ratio {
    Ratio { num: chance, den: 1_000 }
}

/// A chance in parts per thousand, times one minus the stubbornness.
fn damped(chance: u32, stubbornness: Ratio) -> Ratio {
    Ratio { num: chance * (stubbornness.den - stubbornness.num), den: 1_000 * stubbornness.den }
}

#[cfg(test)]
mod tests;
