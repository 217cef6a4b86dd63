//! Where the recorded points lie: how far behind their onset, and how far before the end of the recording.

use std::collections::BTreeMap;

use super::CAP;
use crate::replay::Replayed;
use crate::replay::labels::{Label, Point};

/// Where a judged point lies, in messages of the assistant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// From the onset to the judged message.
    pub behind: usize,
    /// From the judged message to the last one.
    pub left: usize,
}

/// The places of the recorded points by kind, each with its weight.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Depths(BTreeMap<Box<str>, Vec<(Place, u64)>>);

impl Depths {
    /// Adds the stuck points of one replayed transcript.
    pub fn add(&mut self, points: &[Point], replayed: &Replayed) {
        let reply = |message: usize| replayed.replies.binary_search(&message).ok();
        let own = points.iter().filter(|it| it.label == Label::Stuck && it.trajectory == replayed.id);
        for point in own {
            if let (Some(at), Some(onset)) = (reply(point.message), point.onset.and_then(reply)) {
                let place = Place { behind: at.saturating_sub(onset), left: replayed.replies.len() - 1 - at };
                let weight = point.weight.min(CAP).0;
                self.0.entry(point.kind.clone()).or_default().push((place, weight));
            }
        }
    }

    /// One of the places of this kind, each with a chance in proportion to its weight; none where none is known.
    #[must_use]
    pub fn drawn(&self, kind: &str, key: u64) -> Option<Place> {
        let known = self.0.get(kind)?;
        let sum: u64 = known.iter().map(|(_, weight)| weight).sum();
        // The order of the points is that of the file, so the same key draws the same place.
        let mut at = key.checked_rem(sum)?;
        let (place, _) = known.iter().find(|(_, weight)| {
            let is_here = at < *weight;
            at = at.saturating_sub(*weight);
            is_here
        })?;
        Some(*place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_drawn_as_often_as_it_weighs() {
        let places = [Place { behind: 2, left: 1 }, Place { behind: 6, left: 0 }];
        let known = places.into_iter().zip([3, 1]).collect();
        let depths = Depths(BTreeMap::from([("cycle".into(), known)]));
        let drawn: Vec<usize> =
            (0..8).filter_map(|key| depths.drawn("cycle", key)).map(|it| it.behind).collect();
        assert_eq!(drawn, [2, 2, 2, 6, 2, 2, 2, 6]);
        assert_eq!(depths.drawn("fence", 0), None);
    }
}
