//! A set of seeds, as ranges.

use balk_contract::record::DRAWS;
use serde::{Deserialize, Serialize};

/// A set of seeds. Its text has the ranges in order: `0-99,200,300-399`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Seeds {
    /// Ranges in order, both ends included, with a gap between any two.
    ranges: Vec<[u64; 2]>,
}

/// A seed that two sets share, which should not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedsTwice {
    /// The first such seed.
    pub seed: u64,
}

impl Seeds {
    /// All seeds from one to another, both included.
    ///
    /// # Panics
    /// If the first is greater than the last.
    #[must_use]
    pub fn range(from: u64, to: u64) -> Self {
        assert!(from <= to, "seeds from {from} to {to}");
        Self { ranges: vec![[from, to]] }
    }

    /// The number of seeds.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.ranges.iter().map(|[from, to]| to - from + 1).sum()
    }

    /// Whether a seed is in the set.
    #[must_use]
    pub fn has(&self, seed: u64) -> bool {
        self.ranges.iter().any(|[from, to]| (*from..=*to).contains(&seed))
    }

    /// The ranges, both ends included, in order.
    #[must_use]
    pub fn ranges(&self) -> &[[u64; 2]] {
        &self.ranges
    }

    /// The number of seeds with each draw.
    #[must_use]
    pub fn by_draw(&self) -> [u64; DRAWS] {
        let all = DRAWS as u64;
        let mut counts = [0; DRAWS];
        for [from, to] in &self.ranges {
            for (draw, count) in (0..).zip(&mut counts) {
                // The seeds with this draw below a number.
                let below = |number: u64| number / all + u64::from(number % all > draw);
                *count += below(to + 1) - below(*from);
            }
        }
        counts
    }

    /// Whether all seeds are from `from` to `to`, both included.
    #[must_use]
    pub fn is_within(&self, from: u64, to: u64) -> bool {
        self.ranges.iter().all(|[first, last]| from <= *first && *last <= to)
    }

    /// The seeds from one to another that are not in the set, in order.
    pub fn missing(&self, from: u64, to: u64) -> impl Iterator<Item = u64> {
        let mut ranges = self.ranges.iter().peekable();
        (from..=to).filter(move |seed| {
            while ranges.next_if(|[_, end]| end < seed).is_some() {}
            ranges.peek().is_none_or(|[start, _]| seed < start)
        })
    }

    /// The union of two sets.
    ///
    /// # Errors
    /// The sets share a seed.
    pub fn union(&self, other: &Self) -> Result<Self, SeedsTwice> {
        let mut all: Vec<[u64; 2]> = self.ranges.iter().chain(&other.ranges).copied().collect();
        all.sort_unstable();
        let mut ranges: Vec<[u64; 2]> = Vec::with_capacity(all.len());
        for [from, to] in all {
            match ranges.last_mut() {
                Some([_, last]) if *last >= from => return Err(SeedsTwice { seed: from }),
                Some([_, last]) if *last + 1 == from => *last = to,
                _ => ranges.push([from, to]),
            }
        }
        Ok(Self { ranges })
    }
}

/// The set of these seeds, which must be in order and distinct.
impl FromIterator<u64> for Seeds {
    fn from_iter<T: IntoIterator<Item = u64>>(seeds: T) -> Self {
        let mut ranges: Vec<[u64; 2]> = Vec::new();
        for seed in seeds {
            match ranges.last_mut() {
                Some([_, last]) if *last + 1 == seed => *last = seed,
                _ => ranges.push([seed, seed]),
            }
        }
        Self { ranges }
    }
}

impl From<Seeds> for String {
    fn from(seeds: Seeds) -> Self {
        let range =
            |[from, to]: &[u64; 2]| if from == to { from.to_string() } else { format!("{from}-{to}") };
        seeds.ranges.iter().map(range).collect::<Vec<_>>().join(",")
    }
}

impl TryFrom<String> for Seeds {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let bad = || format!("expected ranges of seeds in order, such as 0-99,200, found `{text}`");
        let mut ranges: Vec<[u64; 2]> = Vec::new();
        for part in text.split(',').filter(|_| !text.is_empty()) {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            let range = [from, to].map(|it| it.parse::<u64>().ok().filter(|it| *it < u64::MAX));
            let [Some(from), Some(to)] = range else { return Err(bad()) };
            if from > to || ranges.last().is_some_and(|[_, last]| last + 1 >= from) {
                return Err(bad());
            }
            ranges.push([from, to]);
        }
        Ok(Self { ranges })
    }
}

#[cfg(test)]
mod tests {
    use balk_contract::record::draw_of;
    use proptest::prelude::*;

    use super::*;

    fn seeds(text: &str) -> Result<Seeds, String> {
        Seeds::try_from(text.to_owned())
    }

    #[test]
    fn ranges_that_touch_become_one_and_those_that_overlap_are_refused() {
        let joined =
            Seeds::range(0, 9).union(&Seeds::range(20, 29)).and_then(|it| it.union(&Seeds::range(10, 19)));
        assert_eq!(joined.map(String::from), Ok("0-29".into()));
        assert_eq!(Seeds::range(0, 9).union(&Seeds::range(5, 12)), Err(SeedsTwice { seed: 5 }));
        assert_eq!(Seeds::range(5, 12).union(&Seeds::range(9, 9)), Err(SeedsTwice { seed: 9 }));
    }

    #[test]
    fn seeds_are_counted_by_their_remainder() {
        for text in ["0-31", "5-5", "30-33,64-200", "", "7-1000"] {
            let seeds = seeds(text).expect("a set");
            let mut expected = [0; DRAWS];
            for [from, to] in seeds.ranges() {
                (*from..=*to).for_each(|seed| expected[draw_of(seed)] += 1);
            }
            assert_eq!(seeds.by_draw(), expected, "{text}");
        }
    }

    #[test]
    fn a_set_is_within_what_has_all_of_it() {
        let set = seeds("3-5,9").expect("a set");
        assert!(set.is_within(3, 9) && !set.is_within(4, 9) && !set.is_within(3, 8));
        assert!(Seeds::default().is_within(7, 7));
    }

    #[test]
    fn text_that_is_no_set_is_refused() {
        for bad in ["5-2", "0-9,5", "0-9,10", "a", "1-", "-", "0,", "18446744073709551615", "3,1"] {
            assert!(seeds(bad).is_err(), "{bad}");
        }
        assert_eq!(seeds(""), Ok(Seeds::default()));
        assert_eq!(seeds("0-3,7"), Ok([0, 1, 2, 3, 7].into_iter().collect()));
    }

    proptest! {
        #[test]
        fn a_set_and_what_is_missing_are_everything(chosen in proptest::collection::btree_set(0_u64..60, 0..40)) {
            let set: Seeds = chosen.iter().copied().collect();
            let missing: Seeds = set.missing(0, 59).collect();
            prop_assert!(missing.missing(0, 59).eq(chosen.iter().copied()));
            prop_assert_eq!(set.count() + missing.count(), 60);
            prop_assert_eq!(set.union(&missing), Ok(Seeds::range(0, 59)));
            prop_assert_eq!(seeds(&String::from(set.clone())), Ok(set));
        }
    }
}
