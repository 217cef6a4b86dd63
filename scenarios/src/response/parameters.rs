//! The numbers of one trial's response model: as measured, or drawn from their ranges of uncertainty.
//!
//! All numbers are parts per thousand.
//!
//! **Draws.** There are [`DRAWS`] of them. A seed uses the draw of its remainder. Each parameter has a mask. The parity
//! of the draw's bits under that mask says whether the parameter lies in the lower or the upper half of its range, and
//! the place within the half is drawn. All masks are different and have an odd number of bits. So any two parameters
//! share their halves in exactly half of the draws, and no pair of parameters is confounded with a third (a two-level
//! fractional factorial of resolution IV; G. E. P. Box and J. S. Hunter, *The 2^(k−p) fractional factorial designs*,
//! Technometrics 3, 1961). The difference between the two halves of one parameter is its effect alone.
//!
//! [`DRAWS`]: balk_contract::record::DRAWS

use super::population::Row;
use super::reactions::{Reactions, Span};
use crate::draws::{Draw, Draws};

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

impl Parameters {
    /// The measured and assumed numbers of a model.
    pub(super) fn of(reactions: &Reactions) -> Self {
        Self::with(reactions, |span| span.value(), |span| span.value())
    }

    /// The numbers of this draw. `flat` stays as measured, because it belongs to another mode.
    pub(super) fn drawn(reactions: &Reactions, draw: usize) -> Self {
        let [first, traits @ ..] = PARAMETERS.map(|it| it.place(draw));
        let mut places = traits.into_iter();
        let trait_of = |span: Span| span.at(places.next().expect("a parameter for each trait"));
        Self::with(reactions, |span| span.at(first), trait_of)
    }

    /// Takes the traits in the order of [`PARAMETERS`].
    fn with(
        reactions: &Reactions,
        base: impl FnMut(Span) -> u32,
        mut number: impl FnMut(Span) -> u32,
    ) -> Self {
        let traits = &reactions.traits;
        let [cause, form, example, options] =
            [traits.cause, traits.form, traits.example, traits.options].map(&mut number);
        let [shows, withholds, novel, fade] =
            [traits.shows, traits.withholds, traits.novel, traits.fade].map(&mut number);
        let [obeys, empty, names, easy] =
            [traits.obeys, traits.empty, traits.names, traits.easy].map(&mut number);
        let [finds, named, first] = [traits.finds, traits.named, traits.first].map(&mut number);
        Self {
            base: reactions.base.map(base),
            flat: reactions.flat,
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
    use crate::scenario::Profile;

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
            let reactions = Reactions::from(model);
            let own = Parameters::of(&reactions);
            assert_eq!((own.base, own.flat), (model.base, model.flat));
            let ends = [0, 1_000].map(|place| {
                let at = |span: Span| span.at(place);
                Parameters::with(&reactions, at, at)
            });
            for draw in 0..DRAWS {
                let drawn = Parameters::drawn(&reactions, draw);
                let numbers = |it: &Parameters| {
                    let traits =
                        [it.form, it.novel, it.obeys, it.empty, it.easy, it.finds, it.named, it.first];
                    [&it.base[..], &traits].concat()
                };
                let [low, high] = ends.map(|it| numbers(&it));
                for (at, (own, drawn)) in numbers(&own).into_iter().zip(numbers(&drawn)).enumerate() {
                    assert!((low[at]..=high[at]).contains(&own), "{model:?} {at}");
                    assert!((low[at]..=high[at]).contains(&drawn), "{model:?} {at}");
                }
            }
        }
    }

    /// Each parameter is set to a value of its own; drawing gives each its own place.
    #[test]
    fn every_parameter_is_set_by_its_name_and_drawn_at_its_own_place() {
        let mut reactions = Reactions::of(Profile::Weak);
        for parameter in &PARAMETERS[1..] {
            reactions.set(parameter.name, Span::new(0, 7, 1_000));
        }
        for draw in 0..DRAWS {
            let it = Parameters::drawn(&reactions, draw);
            let traits = [
                it.cause,
                it.form,
                it.example,
                it.options,
                it.shows,
                it.withholds,
                it.novel,
                it.fade[1],
                it.obeys,
                it.empty,
                it.names,
                it.easy,
                it.finds,
                it.named,
                it.first,
            ];
            for (parameter, number) in PARAMETERS[1..].iter().zip(traits) {
                assert_eq!(number, parameter.place(draw), "{}", parameter.name);
            }
        }
    }

    #[test]
    fn a_name_sets_its_own_number_and_no_other() {
        let own = Parameters::of(&Reactions::of(Profile::Weak));
        let set = |name: &str| {
            let mut reactions = Reactions::of(Profile::Weak);
            reactions.set(name, Span::new(111, 111, 111));
            Parameters::of(&reactions)
        };
        assert_eq!(set("cause"), Parameters { cause: 111, ..own });
        assert_eq!(set("fade"), Parameters { fade: [1_000, 111, 200, 200], ..own });
        assert_eq!(set("obeys"), Parameters { obeys: 111, ..own });
        assert_eq!(set("first"), Parameters { first: 111, ..own });
    }
}
