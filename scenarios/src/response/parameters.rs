//! The numbers of the response model, their ranges of uncertainty, and draws from these ranges.
//!
//! All numbers are parts per thousand. A range is the 95 % interval of the measured row where there is one, or the span
//! of the measured figures, or assumed; the comment on each number says which. `docs/reactions.md` has the counts.
//!
//! **Draws.** There are [`DRAWS`] of them. A seed uses the draw of its remainder. Each parameter has a mask. The parity
//! of the draw's bits under that mask says whether the parameter lies in the lower or the upper half of its range, and
//! the place within the half is drawn. All masks are different and have an odd number of bits. So any two parameters
//! share their halves in exactly half of the draws, and no pair of parameters is confounded with a third (a two-level
//! fractional factorial of resolution IV; G. E. P. Box and J. S. Hunter, *The 2^(k−p) fractional factorial designs*,
//! Technometrics 3, 1961). The difference between the two halves of one parameter is its effect alone.
//!
//! [`DRAWS`]: balk_contract::record::DRAWS

use super::population::{Model, Row};
use crate::draws::{Draw, Draws};
use crate::scenario::Profile;

/// The numbers of one response model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parameters {
    /// How likely a plain complaint moves, at the first to the fourth and later correction in a row.
    pub(super) base: Row,
    /// The same for any message at all.
    pub(super) flat: Row,
    pub(super) cause: u32,
    pub(super) form: u32,
    pub(super) example: u32,
    pub(super) options: u32,
    pub(super) shows: u32,
    pub(super) withholds: u32,
    pub(super) novel: u32,
    pub(super) fade: Row,
    pub(super) obeys: u32,
    pub(super) empty: u32,
    pub(super) names: u32,
    pub(super) easy: u32,
    pub(super) finds: u32,
    pub(super) named: u32,
    pub(super) first: u32,
    /// What is left of the base chance of a demand that gives no reason. Not drawn.
    pub(super) demand: u32,
}

/// One uncertain number of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, as in the table of the [module above](super).
    pub name: &'static str,
    /// The ends of the place within its range, which depends on the model that the actor is like.
    pub range: (u32, u32),
    /// The bits of a draw whose parity selects the half of the range.
    mask: usize,
}

/// Every uncertain number of the model.
pub const PARAMETERS: [Parameter; 16] = [
    parameter("base", 0b00001),
    parameter("cause", 0b00010),
    parameter("form", 0b00100),
    parameter("example", 0b01110),
    parameter("options", 0b01000),
    parameter("shows", 0b10000),
    parameter("withholds", 0b00111),
    parameter("novel", 0b01011),
    parameter("fade", 0b01101),
    parameter("obeys", 0b10011),
    parameter("empty", 0b10101),
    parameter("names", 0b10110),
    parameter("easy", 0b11001),
    parameter("finds", 0b11010),
    parameter("named", 0b11100),
    parameter("first", 0b11111),
];

/// Where a range begins and ends.
const PLACES: (u32, u32) = (0, 1_000);

const fn parameter(name: &'static str, mask: usize) -> Parameter {
    Parameter { name, range: PLACES, mask }
}

impl Parameter {
    /// Whether this draw has it in the upper half of its range.
    #[must_use]
    pub const fn is_high(&self, draw: usize) -> bool {
        (draw & self.mask).count_ones() % 2 == 1
    }

    /// Its place within its range, in parts per thousand.
    fn place(&self, draw: usize) -> u32 {
        let (low, high) = self.range;
        let half = (high - low) / 2;
        let mut dice = Draws::new(draw as u64, "response parameters").dice(Draw::Parameter(self.name));
        low + u32::from(self.is_high(draw)) * (high - low - half) + dice.below(half + 1)
    }
}

/// A number with its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    low: u32,
    value: u32,
    high: u32,
}

const fn span(low: u32, value: u32, high: u32) -> Span {
    Span { low, value, high }
}

impl Span {
    const fn at(self, place: u32) -> u32 {
        self.low + (self.high - self.low) * place / 1_000
    }
}

/// What sets one kind of model apart from another, beside how easily it is moved.
struct Traits {
    cause: Span,
    form: Span,
    example: Span,
    options: Span,
    shows: Span,
    withholds: Span,
    novel: Span,
    fade: Span,
    obeys: Span,
    empty: Span,
    names: Span,
    easy: Span,
    finds: Span,
    named: Span,
    first: Span,
    demand: u32,
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

impl Parameters {
    /// The measured and assumed numbers of a model.
    pub(super) fn of(model: Model) -> Self {
        Self::with(model, |span| span.value, model.base)
    }

    /// The numbers of this draw. `flat` stays as measured, because it belongs to another mode.
    pub(super) fn drawn(model: Model, draw: usize) -> Self {
        let [first, traits @ ..] = PARAMETERS.map(|it| it.place(draw));
        let [low, high] = model.bounds;
        let base = std::array::from_fn(|at| span(low[at], model.base[at], high[at]).at(first));
        let mut places = traits.into_iter();
        Self::with(model, |span| span.at(places.next().expect("a parameter for each trait")), base)
    }

    /// Takes the traits in the order of [`PARAMETERS`].
    fn with(model: Model, mut number: impl FnMut(Span) -> u32, base: Row) -> Self {
        let traits = model.like.traits();
        let [cause, form, example, options] =
            [traits.cause, traits.form, traits.example, traits.options].map(&mut number);
        let [shows, withholds, novel, fade] =
            [traits.shows, traits.withholds, traits.novel, traits.fade].map(&mut number);
        let [obeys, empty, names, easy] =
            [traits.obeys, traits.empty, traits.names, traits.easy].map(&mut number);
        let [finds, named, first] = [traits.finds, traits.named, traits.first].map(&mut number);
        Self {
            base,
            flat: model.flat,
            cause,
            form,
            example,
            options,
            shows,
            withholds,
            novel,
            fade: [1_000, fade, 200, 200],
            obeys,
            empty,
            names,
            easy,
            finds,
            named,
            first,
            demand: traits.demand,
        }
    }
}

#[cfg(test)]
mod tests {
    use balk_contract::record::DRAWS;

    use super::*;
    use crate::response::population::{POPULATION, pinned};

    #[test]
    fn halves_are_balanced_and_no_parameter_moves_with_another_or_with_a_pair() {
        let sign = |it: &Parameter, draw| if it.is_high(draw) { 1_i32 } else { -1 };
        for (at, one) in PARAMETERS.iter().enumerate() {
            assert_eq!((0..DRAWS).map(|draw| sign(one, draw)).sum::<i32>(), 0, "{}", one.name);
            for (other_at, other) in PARAMETERS.iter().enumerate().skip(at + 1) {
                let together: i32 = (0..DRAWS).map(|draw| sign(one, draw) * sign(other, draw)).sum();
                assert_eq!(together, 0, "{} and {}", one.name, other.name);
                for third in PARAMETERS.iter().skip(other_at + 1) {
                    let product = |draw| sign(one, draw) * sign(other, draw) * sign(third, draw);
                    assert_eq!((0..DRAWS).map(product).sum::<i32>(), 0);
                }
            }
        }
    }

    #[test]
    fn every_place_is_in_its_half() {
        for parameter in PARAMETERS {
            let places: Vec<u32> = (0..DRAWS).map(|draw| parameter.place(draw)).collect();
            for (draw, place) in (0..DRAWS).zip(&places) {
                assert!(if parameter.is_high(draw) { *place >= 500 } else { *place <= 500 });
                assert!(*place <= 1_000, "{} {place}", parameter.name);
            }
            assert!(places.iter().any(|place| *place < 125), "{} is low", parameter.name);
            assert!(places.iter().any(|place| *place > 875), "{} is high", parameter.name);
        }
    }

    #[test]
    fn every_number_lies_in_its_range_and_every_draw_keeps_it_there() {
        let models = [Profile::Strong, Profile::Gpt4o, Profile::Gpt35, Profile::Weak].map(pinned);
        for model in models.into_iter().chain(POPULATION) {
            let own = Parameters::of(model);
            let ends = [0, 1_000].map(|place| Parameters::with(model, |span| span.at(place), model.base));
            for draw in 0..DRAWS {
                let drawn = Parameters::drawn(model, draw);
                let numbers = |it: &Parameters| {
                    [it.form, it.novel, it.obeys, it.empty, it.easy, it.finds, it.named, it.first]
                };
                let [low, high] = ends.map(|it| numbers(&it));
                for (at, (own, drawn)) in numbers(&own).into_iter().zip(numbers(&drawn)).enumerate() {
                    assert!((low[at]..=high[at]).contains(&own), "{model:?} {at}");
                    assert!((low[at]..=high[at]).contains(&drawn), "{model:?} {at}");
                }
                for at in 0..4 {
                    let [low, high] = model.bounds;
                    assert!(low[at] <= model.base[at] && model.base[at] <= high[at], "{model:?} {at}");
                    assert!(low[at] <= drawn.base[at] && drawn.base[at] <= high[at], "{model:?} {at}");
                }
            }
        }
    }
}
