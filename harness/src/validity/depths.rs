//! Where the recorded points lie: how far behind their onset, and how far before the end of the recording.

use std::collections::BTreeMap;
use std::sync::Arc;

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
pub struct Depths {
    known: BTreeMap<Box<str>, Vec<(Place, u64)>>,
    /// The stuck points of transcripts that were not replayed so far.
    waiting: BTreeMap<Arc<str>, Vec<Point>>,
}

impl Depths {
    /// The stuck ones of these points, before any transcript.
    #[must_use]
    pub fn new(points: &[Point]) -> Self {
        let mut waiting: BTreeMap<Arc<str>, Vec<Point>> = BTreeMap::new();
        for point in points.iter().filter(|it| it.label == Label::Stuck) {
            waiting.entry(point.trajectory.clone()).or_default().push(point.clone());
        }
        Self { known: BTreeMap::new(), waiting }
    }

    /// Adds the points of one replayed transcript. Of those with one id, the first is judged.
    pub fn add(&mut self, replayed: &Replayed) {
        let reply = |message: usize| replayed.replies.binary_search(&message).ok();
        for point in self.waiting.remove(&replayed.id).unwrap_or_default() {
            if let (Some(at), Some(onset)) = (reply(point.message), point.onset.and_then(reply)) {
                let place = Place { behind: at.saturating_sub(onset), left: replayed.replies.len() - 1 - at };
                let weight = point.weight.min(CAP).0;
                self.known.entry(point.kind).or_default().push((place, weight));
            }
        }
    }

    /// One of the places of this kind, each with a chance in proportion to its weight; none where none is known.
    #[must_use]
    pub fn drawn(&self, kind: &str, key: u64) -> Option<Place> {
        let known = self.known.get(kind)?;
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
    use crate::import::{Oddities, Outcome};
    use crate::replay::Folded;
    use crate::replay::labels::Weight;

    #[test]
    fn the_points_of_a_transcript_that_is_read_twice_count_once() {
        let point = |trajectory: &str, label| Point {
            trajectory: trajectory.into(),
            message: 5,
            label,
            kind: "cycle".into(),
            onset: Some(1),
            confidence: 3,
            control: false,
            weight: Weight(1_000),
            reason: "why".into(),
            place: None,
        };
        let read = |id: &str| Replayed {
            id: id.into(),
            model: "".into(),
            outcome: Outcome::Unknown,
            replies: vec![1, 3, 5, 7],
            oddities: Oddities::default(),
            times: Vec::new(),
            entries: Vec::new(),
            folded: Folded::default(),
            blind: false,
        };
        let points = [point("a", Label::Stuck), point("b", Label::Stuck), point("c", Label::Legit)];
        let mut depths = Depths::new(&points);
        for id in ["c", "a", "a", "d"] {
            depths.add(&read(id));
        }
        let place = Place { behind: 2, left: 1 };
        assert_eq!(depths.known, BTreeMap::from([("cycle".into(), vec![(place, 1_000)])]));
    }

    #[test]
    fn a_place_is_drawn_as_often_as_it_weighs() {
        let places = [Place { behind: 2, left: 1 }, Place { behind: 6, left: 0 }];
        let known = places.into_iter().zip([3, 1]).collect();
        let known = BTreeMap::from([("cycle".into(), known)]);
        let depths = Depths { known, ..Depths::default() };
        let drawn: Vec<usize> =
            (0..8).filter_map(|key| depths.drawn("cycle", key)).map(|it| it.behind).collect();
        assert_eq!(drawn, [2, 2, 2, 6, 2, 2, 2, 6]);
        assert_eq!(depths.drawn("fence", 0), None);
    }
}
