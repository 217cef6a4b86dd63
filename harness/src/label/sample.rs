//! A stratified sample of places. It takes the places with the lowest hashes of seed, run and message.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use xxhash_rust::xxh3::{Xxh3, xxh3_128, xxh3_128_with_seed};

use super::stratum::{Stratum, places};
use crate::replay::labels::Weight;
use crate::replay::{Found, Replayed};

/// A place in a recorded run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The id of the run.
    pub run: Arc<str>,
    /// Index in its messages of the message of the assistant.
    pub message: usize,
    /// The number of its file among the inputs, from 0.
    pub file: usize,
    /// The line of the run in that file, from 1.
    pub line: u64,
    /// Its number among the runs that begin on that line, from 1: one line may have several.
    pub nth: u64,
    /// Whether no guard fires near it.
    pub control: bool,
    /// Its weight: the inverse of the chance with which it was drawn.
    pub weight: Weight,
}

/// The places to judge, in the order in which they are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The places.
    pub places: Vec<Place>,
}

impl Sample {
    /// A digest of all that makes it this sample.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut hash = Xxh3::new();
        for Place { run, message, control, weight, file: _, line: _, nth: _ } in &self.places {
            hash.update(format!("{run}\t{message}\t{control}\t{weight}\n").as_bytes());
        }
        format!("{:032x}", hash.digest128())
    }
}

/// Runs of which no place can be drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// They have no id, so a file of labels cannot name them.
    pub without_id: u64,
    /// They have the id of an earlier run.
    pub same_id: u64,
    /// They are records of trials, whose truth is known.
    pub own: u64,
    /// A guard broke in them.
    pub guard_faults: u64,
}

/// Draws a sample while runs are read. It holds at most as many places of a stratum as are to be drawn in all, and
/// sixteen bytes for each run.
#[derive(Clone, Debug)]
pub struct Draw {
    seed: u64,
    places: usize,
    strata: BTreeMap<Stratum, Lot>,
    runs: BTreeSet<u128>,
    left: Left,
}

/// A stratum so far.
#[derive(Clone, Debug, Default)]
struct Lot {
    /// All places that were seen.
    seen: u64,
    /// Those with the lowest hashes: the run, the message, and where the run begins.
    lowest: BTreeMap<(u128, Arc<str>, usize), Beginning>,
}

/// Where a run begins, as a [`Place`] has it.
#[derive(Clone, Copy, Debug)]
struct Beginning {
    file: usize,
    line: u64,
    nth: u64,
}

impl Draw {
    /// Draws so many places with this seed.
    #[must_use]
    pub fn new(seed: u64, places: usize) -> Self {
        Self { seed, places, strata: BTreeMap::new(), runs: BTreeSet::new(), left: Left::default() }
    }

    /// Adds a run from the file with this number: from this line, and with this number among the runs there.
    pub fn add(&mut self, file: usize, line: u64, nth: u64, found: &Found) {
        match found {
            Found::Own(_) => self.left.own += 1,
            Found::Foreign(run) if run.id.trim().is_empty() || run.id.contains(char::is_control) => {
                self.left.without_id += 1;
            }
            Found::Foreign(run) if run.folded.fault.is_some() => self.left.guard_faults += 1,
            Found::Foreign(run) if !self.runs.insert(xxh3_128(run.id.as_bytes())) => self.left.same_id += 1,
            Found::Foreign(run) => self.add_places(Beginning { file, line, nth }, run),
        }
    }

    fn add_places(&mut self, begun: Beginning, run: &Replayed) {
        for (stratum, message) in places(run) {
            let lot = self.strata.entry(stratum).or_default();
            lot.seen += 1;
            let hash = hash(self.seed, "draw", &run.id, message);
            lot.lowest.insert((hash, run.id.clone(), message), begun);
            if lot.lowest.len() > self.places {
                lot.lowest.pop_last();
            }
        }
    }

    /// The runs of which no place can be drawn.
    #[must_use]
    pub const fn left(&self) -> Left {
        self.left
    }

    /// The sample: half firings and half decoys, as far as there are enough of both, and of each half as many from one
    /// stratum as from another, as far as it has them.
    ///
    /// # Errors
    /// There are more strata than places to draw, so some would have no place: the number of places that is enough.
    pub fn sample(self) -> Result<Sample, usize> {
        let seen: Vec<(bool, usize)> =
            self.strata.iter().map(|(stratum, lot)| (stratum.is_decoy(), lot.count())).collect();
        let parts = parts(&seen, self.places);
        if parts.contains(&0) {
            let enough = |places: &usize| !self::parts(&seen, *places).contains(&0);
            return Err((self.places..).find(enough).expect("with all of them each stratum has a place"));
        }
        let seed = self.seed;
        let mut drawn = BTreeMap::new();
        for ((stratum, lot), part) in self.strata.into_iter().zip(parts) {
            let weight = lot.weight(part);
            for ((_, run, message), Beginning { file, line, nth }) in lot.lowest.into_iter().take(part) {
                // The order says nothing about the stratum.
                let key = (hash(seed, "order", &run, message), run.clone(), message);
                let control = stratum.is_decoy();
                drawn.insert(key, Place { run, message, file, line, nth, control, weight });
            }
        }
        Ok(Sample { places: drawn.into_values().collect() })
    }
}

impl Lot {
    fn count(&self) -> usize {
        usize::try_from(self.seen).unwrap_or(usize::MAX)
    }

    /// The weight of each if so many are drawn, to the nearest thousandth, and at most [`Weight::MAX`].
    fn weight(&self, drawn: usize) -> Weight {
        let drawn = drawn as u64;
        Weight(((self.seen * 1_000 + drawn / 2) / drawn).min(Weight::MAX.0))
    }
}

/// How many places to draw from each of these strata, given whether it has decoys and how many.
fn parts(strata: &[(bool, usize)], places: usize) -> Vec<usize> {
    let of = |decoy: bool| {
        strata.iter().filter(|it| it.0 == decoy).fold(0, |sum: usize, it| sum.saturating_add(it.1))
    };
    let [firings, decoys] = [false, true].map(of);
    let half_of_decoys = decoys.min(places / 2);
    let of_firings = firings.min(places - half_of_decoys);
    let mut left = [of_firings, decoys.min(places - of_firings)];
    let mut parts = vec![0; strata.len()];
    while left != [0, 0] {
        for (part, (decoy, seen)) in parts.iter_mut().zip(strata) {
            let left = &mut left[usize::from(*decoy)];
            if *left > 0 && *part < *seen {
                *part += 1;
                *left -= 1;
            }
        }
    }
    parts
}

/// The number that decides about a place, for this purpose.
fn hash(seed: u64, purpose: &str, run: &str, message: usize) -> u128 {
    xxh3_128_with_seed(format!("{purpose}\n{run}\n{message}").as_bytes(), seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_half_is_shared_evenly_and_what_one_lacks_goes_to_the_other() {
        let (firing, decoy) = (|seen: usize| (false, seen), |seen: usize| (true, seen));
        assert_eq!(parts(&[firing(100), firing(2), decoy(500), decoy(500)], 20), [8, 2, 5, 5]);
        assert_eq!(parts(&[firing(3), decoy(500)], 20), [3, 17]);
        assert_eq!(parts(&[firing(500), decoy(3)], 20), [17, 3]);
        assert_eq!(parts(&[firing(3), decoy(4)], 20), [3, 4]);
        assert_eq!(parts(&[firing(9), decoy(9)], 5), [3, 2]);
        assert_eq!(parts(&[], 5), [0; 0]);
    }

    #[test]
    fn a_weight_is_the_inverse_of_the_chance() {
        let lot = |seen| Lot { seen, ..Lot::default() };
        assert_eq!(
            [lot(7).weight(7), lot(10).weight(3), lot(20).weight(3)].map(|it| it.0),
            [1_000, 3_333, 6_667]
        );
    }
}
