//! How far behind their onset the recorded points lie.

use std::collections::BTreeMap;

use crate::replay::Replayed;
use crate::replay::labels::{Label, Point};

/// The distances from the onset to the judged message, in messages of the assistant, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Depths(BTreeMap<Box<str>, Vec<usize>>);

impl Depths {
    /// Adds the stuck points of one replayed transcript.
    pub fn add(&mut self, points: &[Point], replayed: &Replayed) {
        let reply = |message: usize| replayed.replies.binary_search(&message).ok();
        let own = points.iter().filter(|it| it.label == Label::Stuck && it.trajectory == replayed.id);
        for point in own {
            if let (Some(at), Some(onset)) = (reply(point.message), point.onset.and_then(reply)) {
                self.0.entry(point.kind.clone()).or_default().push(at.saturating_sub(onset));
            }
        }
    }

    /// One of the distances of this kind; 0 where none is known.
    #[must_use]
    pub fn drawn(&self, kind: &str, key: u64) -> usize {
        let Some(known) = self.0.get(kind) else { return 0 };
        // The order of the points is that of the file, so the same key draws the same distance.
        usize::try_from(key % known.len() as u64).map_or(0, |at| known[at])
    }
}
