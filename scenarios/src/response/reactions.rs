//! The numbers of one model with their ranges: those of a profile, or measured ones in their place.
//!
//! All numbers are parts per thousand. A range is the 95 % interval of the measured row where there is one, or the span
//! of the measured figures, or assumed; the comment on each number says which. `docs/reactions.md` has the counts.

use super::population::{Model, Row, pinned};
use crate::scenario::Profile;

/// How one model takes corrections: every number of the response model, in parts per thousand, with its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reactions {
    /// How likely a plain complaint moves it, at the first to the fourth and later correction in a row.
    pub(super) base: [Span; 4],
    /// The same for any message at all. Not drawn, because it belongs to another mode.
    pub(super) flat: Row,
    pub(super) traits: Traits,
}

/// A number with its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    low: u32,
    value: u32,
    high: u32,
}

impl Span {
    /// A number in its range.
    ///
    /// # Panics
    /// If it is not in its range.
    #[must_use]
    pub const fn new(low: u32, value: u32, high: u32) -> Self {
        assert!(low <= value && value <= high, "a number lies in its range");
        Self { low, value, high }
    }

    /// The least value.
    #[must_use]
    pub const fn low(self) -> u32 {
        self.low
    }

    /// The value.
    #[must_use]
    pub const fn value(self) -> u32 {
        self.value
    }

    /// The greatest value.
    #[must_use]
    pub const fn high(self) -> u32 {
        self.high
    }

    /// The number at a place within the range, in parts per thousand.
    pub(super) const fn at(self, place: u32) -> u32 {
        self.low + (self.high - self.low) * place / 1_000
    }
}

const fn span(low: u32, value: u32, high: u32) -> Span {
    Span::new(low, value, high)
}

impl Reactions {
    /// Those of a profile. For the population, those of gpt-3.5.
    pub(crate) fn of(profile: Profile) -> Self {
        pinned(profile).into()
    }

    /// Puts measured rows in the place of the profile's, for both modes.
    pub(crate) fn set_base(&mut self, base: [Span; 4]) {
        (self.base, self.flat) = (base, base.map(Span::value));
    }

    /// Puts a measured row in the place of the profile's in flat mode.
    pub(crate) fn set_flat(&mut self, flat: Row) {
        self.flat = flat;
    }

    /// Puts a measured number in the place of the profile's.
    ///
    /// # Panics
    /// If no parameter other than `base` has this name.
    pub(crate) fn set(&mut self, parameter: &str, span: Span) {
        let mut all = self.traits.by_name().into_iter();
        let (_, place) = all.find(|(name, _)| *name == parameter).expect("a parameter's name");
        *place = span;
    }

    /// Puts a measured share in the place of the profile's.
    pub(crate) fn set_demand(&mut self, demand: u32) {
        self.traits.demand = demand;
    }
}

impl From<Model> for Reactions {
    fn from(model: Model) -> Self {
        let [low, high] = model.bounds;
        let base = std::array::from_fn(|at| span(low[at], model.base[at], high[at]));
        Self { base, flat: model.flat, traits: *model.like.traits() }
    }
}

/// What sets one kind of model apart from another, beside how easily it is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Traits {
    pub(super) cause: Span,
    pub(super) form: Span,
    pub(super) example: Span,
    pub(super) options: Span,
    pub(super) shows: Span,
    pub(super) withholds: Span,
    pub(super) novel: Span,
    pub(super) fade: Span,
    pub(super) obeys: Span,
    pub(super) empty: Span,
    pub(super) names: Span,
    pub(super) easy: Span,
    pub(super) finds: Span,
    pub(super) named: Span,
    pub(super) first: Span,
    /// What is left of the base chance of a demand that gives no reason. Not drawn.
    pub(super) demand: u32,
}

impl Traits {
    /// The names of those that are drawn, in the order of the parameters.
    fn by_name(&mut self) -> [(&'static str, &mut Span); 15] {
        [
            ("cause", &mut self.cause),
            ("form", &mut self.form),
            ("example", &mut self.example),
            ("options", &mut self.options),
            ("shows", &mut self.shows),
            ("withholds", &mut self.withholds),
            ("novel", &mut self.novel),
            ("fade", &mut self.fade),
            ("obeys", &mut self.obeys),
            ("empty", &mut self.empty),
            ("names", &mut self.names),
            ("easy", &mut self.easy),
            ("finds", &mut self.finds),
            ("named", &mut self.named),
            ("first", &mut self.first),
        ]
    }
}

/// The traits that were measured on gpt-3.5 and gpt-4o, or assumed for all.
const COMMON: Traits = Traits {
    // Measured 10 to 14 points on 65 %, which is 286 to 400. The range is doubled: it is one experiment.
    cause: span(230, 310, 460),
    form: span(230, 310, 460),
    // Measured on one small model: 30 points (8 to 52) more than words.
    example: span(80, 330, 570),
    // Measured 3 points of advice on 76 %; the range is from nothing to twice that.
    options: span(0, 120, 240),
    // Assumed.
    shows: span(0, 100, 300),
    // Assumed.
    withholds: span(200, 500, 900),
    // Measured 59 against 10 % in one experiment; 17 of 242 in another.
    novel: span(200, 500, 600),
    // At the second correction, measured 13 of 25 and 18 of 36 points: about half.
    fade: span(300, 550, 800),
    // Measured 179 of 180, mostly at the first repeat; another wording 81 of 83, and from the third on 3 of 11.
    obeys: span(800, 950, 990),
    // Measured on one small model: 2 calls of 78 after a word out of place, 12 of 40 after a complaint; both intervals.
    empty: span(10, 90, 600),
    // Assumed: only a small model was asked.
    names: span(700, 1_000, 1_000),
    // Measured: gpt-3.5 stops at the first error in 72 of 385 cases where it may.
    easy: span(150, 190, 230),
    // Measured: 116 of 716 tries with other arguments succeed after three failures.
    finds: span(140, 160, 190),
    // Assumed, between what a small model does (12 of 12) and nothing.
    named: span(200, 500, 1_000),
    // Assumed.
    first: span(1_000, 3_000, 6_000),
    // Assumed: good models take a last step when a sentence asks for it, in 76 to 100 %.
    demand: 1_000,
};

const GPT_4O: Traits = Traits {
    // Measured: in dialogues gpt-4o turns to the user after an empty answer in 46 of 119 cases; gpt-4 stops at the
    // first error in 46 of 227.
    easy: span(150, 200, 390),
    // Measured: 32 of 100.
    finds: span(230, 320, 420),
    // Assumed.
    named: span(0, 200, 500),
    ..COMMON
};

const STRONG: Traits = Traits {
    // Measured: gemini-3-pro stops after the first error in 59 of 1,282 cases.
    easy: span(35, 46, 59),
    // Measured: 18 of 23.
    finds: span(560, 780, 930),
    // Assumed.
    named: span(0, 100, 300),
    ..COMMON
};

const WEAK: Traits = Traits {
    // Measured on one small model: all that the text of `no-tools` says adds 8 points (3 to 14).
    cause: span(0, 40, 150),
    form: span(0, 40, 150),
    options: span(0, 10, 60),
    shows: span(0, 0, 100),
    // Measured where no reply was ever right: 17 of 242.
    novel: span(40, 70, 110),
    // Assumed: starchat left a row of equal calls in 1 of 3,360 cases, but nothing forbade them.
    obeys: span(200, 500, 900),
    // Measured on one small model: 9 calls of 100 where tools are named, 32 (15 to 50) where none is.
    names: span(180, 280, 600),
    // Measured on one small model: 1 call of 40 after a bare demand, 12 of 40 after the same demand with a complaint.
    demand: 90,
    // Measured on one small model: 58 of 78 say that they are done where a message offers it.
    easy: span(630, 740, 840),
    // Measured: 72 of 3,630 tries of weak models in SQL, 17 of 152 in a shell.
    finds: span(0, 20, 90),
    // Measured on one small model: 12 of 12 calls were of the tool named first.
    named: span(740, 1_000, 1_000),
    ..COMMON
};

impl Profile {
    const fn traits(self) -> &'static Traits {
        match self {
            Self::Strong => &STRONG,
            Self::Gpt4o => &GPT_4O,
            Self::Gpt35 | Self::Population => &COMMON,
            Self::Weak => &WEAK,
        }
    }
}
