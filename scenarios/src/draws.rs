//! Keyed draws: everything that chance decides.
//!
//! A [`Draw`] is named by what it decides, and where a state is drawn for, by the visit of that state; never by
//! when it is made. So two runs of one seed share every draw that both make, whatever else happened in between,
//! and a new kind of draw changes no old one.
//!
//! The generator is ChaCha8. Its key comes from seed and world, its stream from the name of the draw, and the
//! position from the visit. Sampling is our own, because general libraries do not keep its values stable.

use xxhash_rust::xxh3::{xxh3_64_with_seed, xxh3_128_with_seed};

use crate::scenario::Ratio;

use chacha::WORDS;
use draw::Key;

pub(crate) use draw::{Draw, Occasion};

mod chacha;
mod draw;

/// The draws of one trial.
#[derive(Clone, Debug)]
pub(crate) struct Draws {
    key: chacha::Key,
}

/// The random words of one draw, in order. They are made in blocks, each when its first word is wanted.
#[derive(Clone, Debug)]
pub(crate) struct Dice {
    key: chacha::Key,
    stream: u64,
    /// The position of the next 64 bits in the stream, in units of 64 bits.
    at: u64,
    block: [u32; WORDS],
    /// The number of this block, once one is made.
    made: Option<u64>,
}

/// Units of 64 bits between two visits of one name.
const PER_VISIT: u64 = 1 << 11;
const PER_BLOCK: u64 = 8;

impl Draws {
    /// The draws of this seed of the world with this name.
    pub(crate) fn new(seed: u64, world: &str) -> Self {
        let mut key = [0; 32];
        key[..16].copy_from_slice(&xxh3_128_with_seed(world.as_bytes(), seed).to_le_bytes());
        key[16..24].copy_from_slice(&seed.to_le_bytes());
        Self { key: chacha::Key::new(key) }
    }

    /// The random words of one draw, always the same.
    pub(crate) fn dice(&self, draw: Draw<'_>) -> Dice {
        let Key { drawer, name, part, visit } = draw.key();
        let tag = ((drawer as u64) << 32) | u64::from(part);
        Dice {
            key: self.key,
            stream: xxh3_64_with_seed(name.as_bytes(), tag),
            at: u64::from(visit) * PER_VISIT,
            block: [0; WORDS],
            made: None,
        }
    }
}

impl Dice {
    /// The next 64 bits.
    pub(crate) fn word(&mut self) -> u64 {
        let number = self.at / PER_BLOCK;
        if self.made != Some(number) {
            self.block = self.key.block(self.stream, number);
            self.made = Some(number);
        }
        let low = 2 * (self.at % PER_BLOCK) as usize;
        self.at += 1;
        u64::from(self.block[low + 1]) << 32 | u64::from(self.block[low])
    }

    /// A number below `bound`, which must not be 0. Uniform up to one part in 2⁶⁴ / bound.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        if bound == 1 {
            // There is no choice, but the draw still uses its bits.
            self.at += 1;
            return 0;
        }
        let scaled = (u128::from(self.word()) * u128::from(bound)) >> 64;
        u32::try_from(scaled).expect("a product scaled by 2^64 is below the bound")
    }

    /// A number of this range, both ends included; `from` must not be above `to`. Uniform as
    /// [`below`](Self::below) is.
    pub(crate) fn within(&mut self, from: u64, to: u64) -> u64 {
        let scaled = (u128::from(self.word()) * (u128::from(to - from) + 1)) >> 64;
        from + u64::try_from(scaled).expect("a product scaled by 2^64 is at most the width")
    }

    /// True with this probability.
    pub(crate) fn happens(&mut self, chance: Ratio) -> bool {
        self.below(chance.den) < chance.num
    }

    /// An index below `len`, which must not be 0.
    pub(crate) fn index(&mut self, len: usize) -> usize {
        let bound = u32::try_from(len).expect("lists in scenarios are short");
        usize::try_from(self.below(bound)).expect("an index fits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_depends_on_its_name_alone() {
        let draws = Draws::new(7, "x");
        let draw = Draw::Transition { state: "write", transition: 0, visit: 3 };
        let mut a = draws.dice(draw);
        let first = a.word();
        let _ = draws.dice(Draw::Transition { state: "other", transition: 0, visit: 9 }).word();
        assert_eq!(draws.dice(draw).word(), first);
        for other in [
            draws.dice(Draw::Reaction { state: "write", visit: 3, detours: 0 }),
            draws.dice(Draw::Transition { state: "writf", transition: 0, visit: 3 }),
            draws.dice(Draw::Transition { state: "write", transition: 1, visit: 3 }),
            draws.dice(Draw::Transition { state: "write", transition: 0, visit: 4 }),
            Draws::new(8, "x").dice(draw),
            Draws::new(7, "y").dice(draw),
        ] {
            assert_ne!(other.clone().word(), first);
        }
    }

    /// The values themselves are part of the format of a record: they must not change.
    #[test]
    fn the_values_are_fixed() {
        let mut dice = Draws::new(0, "abandonment").dice(Draw::Language);
        let drawn: Vec<u32> = (0..8).map(|_| dice.below(1_000)).collect();
        assert_eq!(drawn, FIXED);
    }
    const FIXED: [u32; 8] = [610, 556, 336, 453, 230, 534, 527, 70];

    #[test]
    fn a_draw_without_a_choice_still_takes_its_word() {
        let mut dice = Draws::new(0, "abandonment").dice(Draw::Language);
        let drawn: Vec<u32> = (0..12).map(|nth| dice.below(if nth % 3 == 0 { 1 } else { 1_000 })).collect();
        assert_eq!(drawn[..8], [0, FIXED[1], FIXED[2], 0, FIXED[4], FIXED[5], 0, FIXED[7]]);
    }

    #[test]
    fn chances_come_out() {
        let draws = Draws::new(1, "x");
        let draw = |visit| Draw::Transition { state: "s", transition: 0, visit };
        let hits =
            (0..10_000).filter(|&visit| draws.dice(draw(visit)).happens(Ratio { num: 1, den: 4 })).count();
        assert!((2_300..2_700).contains(&hits), "{hits}");
    }
}
