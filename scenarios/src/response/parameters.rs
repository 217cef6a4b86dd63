//! The numbers of the response model, their ranges of uncertainty, and draws from these ranges.
//!
//! All numbers are parts per thousand. A range is the 95 % interval of the measured row where there is one, or the span
//! of the measured figures, or assumed. The comment on each range says which.
//!
//! **Draws.** There are [`DRAWS`] of them. A seed uses the draw of its remainder. Each parameter has a mask. The parity
//! of the draw's bits under that mask says whether the parameter lies in the lower or the upper half of its range, and
//! the value within the half is drawn. All masks are different and have an odd number of bits. So any two parameters
//! share their halves in exactly half of the draws, and no pair of parameters is confounded with a third (a two-level
//! fractional factorial of resolution IV; G. E. P. Box and J. S. Hunter, *The 2^(k−p) fractional factorial designs*,
//! Technometrics 3, 1961). The difference between the two halves of one parameter is its effect alone.
//!
//! [`DRAWS`]: balk_contract::record::DRAWS

use crate::draws::{Draw, Draws};
use crate::scenario::Profile;

/// The numbers of one response model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    pub(super) base: [u32; 4],
    pub(super) flat: [u32; 4],
    pub(super) cause: u32,
    pub(super) form: u32,
    pub(super) options: u32,
    pub(super) shows: u32,
    pub(super) withholds: u32,
    pub(super) novel: u32,
    pub(super) fade: [u32; 4],
    pub(super) obeys: u32,
}

/// One uncertain number of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, as in the table of the [module above](super).
    pub name: &'static str,
    /// The ends of its range. For `base`: the position between the lower and the upper bounds of the measured rows.
    pub range: (u32, u32),
    /// The bits of a draw whose parity selects the half of the range.
    mask: usize,
}

/// Every uncertain number of the model.
pub const PARAMETERS: [Parameter; 9] = [
    // 0 is the lower bound of each row, 1,000 the upper one.
    Parameter { name: "base", range: (0, 1_000), mask: 0b00001 },
    // Measured 10 to 14 points on 65 %, which is 286 to 400. The range is doubled: it is one experiment.
    Parameter { name: "cause", range: (230, 460), mask: 0b00010 },
    Parameter { name: "form", range: (230, 460), mask: 0b00100 },
    // Assumed: from nothing to twice the three points that advice adds.
    Parameter { name: "options", range: (0, 240), mask: 0b01000 },
    // Assumed.
    Parameter { name: "shows", range: (0, 300), mask: 0b10000 },
    // Assumed.
    Parameter { name: "withholds", range: (200, 900), mask: 0b00111 },
    // Measured 59 against 10 % in one experiment; 17 of 242 in another.
    Parameter { name: "novel", range: (200, 600), mask: 0b01011 },
    // At the second correction, measured 13 of 25 and 18 of 36 points: about half.
    Parameter { name: "fade", range: (300, 800), mask: 0b01101 },
    // Measured 179 of 180, mostly at the first repeat; another wording 81 of 83, and from the third on 3 of 11
    // (docs/reactions.md#forbidding).
    Parameter { name: "obeys", range: (800, 990), mask: 0b10011 },
];

impl Parameter {
    /// Whether this draw has it in the upper half of its range.
    #[must_use]
    pub const fn is_high(&self, draw: usize) -> bool {
        (draw & self.mask).count_ones() % 2 == 1
    }

    fn value(&self, draw: usize) -> u32 {
        let (low, high) = self.range;
        let half = (high - low) / 2;
        let mut dice = Draws::new(draw as u64, "response parameters").dice(Draw::Parameter(self.name));
        low + u32::from(self.is_high(draw)) * (high - low - half) + dice.below(half + 1)
    }
}

impl Parameters {
    /// The measured and assumed numbers of a profile.
    #[must_use]
    pub const fn of(profile: Profile) -> Self {
        let (base, flat) = match profile {
            Profile::Strong => ([900, 590, 580, 260], [950, 590, 580, 260]),
            Profile::Gpt4o => ([760, 560, 690, 530], [880, 610, 690, 530]),
            Profile::Gpt35 => ([650, 250, 110, 30], [750, 360, 120, 60]),
        };
        Self {
            base,
            flat,
            cause: 310,
            form: 310,
            options: 120,
            shows: 100,
            withholds: 500,
            novel: 500,
            fade: [1_000, 550, 200, 200],
            obeys: 950,
        }
    }

    /// The numbers of this draw. `flat` stays as measured, because it belongs to another mode.
    #[must_use]
    pub fn drawn(profile: Profile, draw: usize) -> Self {
        let [base, cause, form, options, shows, withholds, novel, fade, obeys] =
            PARAMETERS.map(|it| it.value(draw));
        let measured = Self::of(profile);
        let [low, high] = base_rows(profile);
        Self {
            base: std::array::from_fn(|at| low[at] + (high[at] - low[at]) * base / 1_000),
            cause,
            form,
            options,
            shows,
            withholds,
            novel,
            fade: [1_000, fade, measured.fade[2], measured.fade[3]],
            obeys,
            ..measured
        }
    }
}

/// The bounds of the base rows: as far from them as the 95 % bounds are from the measured rows.
const fn base_rows(profile: Profile) -> [[u32; 4]; 2] {
    match profile {
        // .95 (.93–.97), .59 (.39–.76), .58 (.28–.85), .26 (.09–.51)
        Profile::Strong => [[880, 390, 280, 90], [920, 760, 850, 510]],
        // .88 (.85–.92), .61 (.48–.72), .69 (.48–.86), .53 (.27–.79)
        Profile::Gpt4o => [[730, 430, 480, 270], [800, 670, 860, 790]],
        // .75 (.65–.79), .36 (.28–.44), .12 (.06–.21), .06 (.03–.10)
        Profile::Gpt35 => [[550, 170, 50, 0], [690, 330, 200, 70]],
    }
}

#[cfg(test)]
mod tests {
    use balk_contract::record::DRAWS;

    use super::*;

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
    fn every_value_is_in_its_half_and_the_documented_one_in_its_range() {
        for parameter in PARAMETERS {
            let (low, high) = parameter.range;
            let values: Vec<u32> = (0..DRAWS).map(|draw| parameter.value(draw)).collect();
            for (draw, value) in (0..DRAWS).zip(&values) {
                let middle = (low + high) / 2;
                assert!(if parameter.is_high(draw) { *value >= middle } else { *value <= middle });
                assert!((low..=high).contains(value), "{} {value}", parameter.name);
            }
            assert!(values.iter().any(|value| value - low < (high - low) / 8), "{} is low", parameter.name);
            assert!(values.iter().any(|value| high - value < (high - low) / 8), "{} is high", parameter.name);
        }
    }

    #[test]
    fn measured_rows_lie_between_their_bounds() {
        for profile in [Profile::Strong, Profile::Gpt4o, Profile::Gpt35] {
            let ([low, high], measured) = (base_rows(profile), Parameters::of(profile));
            for at in 0..4 {
                assert!(low[at] <= measured.base[at] && measured.base[at] <= high[at], "{profile:?} {at}");
            }
        }
    }
}
