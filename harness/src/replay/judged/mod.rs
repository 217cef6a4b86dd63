//! Firings held against judged points: how much of what is stuck was found, and how much was disturbed.
//!
//! A judged point is *hit* where a guard fired in the same transcript at most [`NEAR`] messages of the assistant
//! before or after it. With the points' weights,
//!
//! - *recall of the pool* is the share of the stuck points that were hit,
//! - *precision* is the share of the stuck points among the stuck and legit points that were hit.
//!
//! `unsure` points count for neither. A few points stand for hundreds, so both are also given with every
//! weight cut to [`CUT`]. The pool knows only what some rule saw when the points were drawn: recall is relative
//! to it, and stretches of firings near no judged point count for nothing until somebody judges them.
//!
//! A point of a transcript that was not replayed is counted apart and stands in no share.

pub mod json;
pub mod text;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::fold::{Event, What};
use super::labels::{Label, Point, Weight};
use super::run::Replayed;
use crate::stats::{Cluster, ClusteredShare};

/// A firing so many messages of the assistant away from a judged point still hits it.
pub const NEAR: usize = 3;

/// What weights are cut to.
pub const CUT: Weight = Weight(20_000);

/// The judged points, and what became of them so far.
#[derive(Clone, Debug)]
pub struct Judged {
    points: Vec<Judgement>,
    by_trajectory: BTreeMap<Arc<str>, Vec<usize>>,
    /// Stretches of firings near no judged point.
    stretches_not_judged: u64,
    /// Transcripts whose id an earlier one has. The earlier one is judged.
    same_ids: u64,
}

/// One judged point, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The point.
    pub point: Point,
    /// What became of it.
    pub found: Found,
}

/// What became of a judged point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Its transcript was not in the input.
    NoTranscript,
    /// Its transcript has no message of the assistant there.
    NoReply,
    /// The firings that hit it, the nearest first.
    Firings(Vec<Near>),
}

/// A firing, and how far it is from a judged point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// Messages of the assistant between the two; negative where the firing comes before the point.
    pub after: isize,
    /// Who fired where.
    pub shot: Shot,
}

/// Who fired where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shot {
    /// The turn, from 1.
    pub turn: u64,
    /// Index in `messages` of the assistant's message it is about.
    pub message: usize,
    /// The guard.
    pub guard: Box<str>,
    /// Its rule.
    pub rule: Box<str>,
}

/// How many points, and how many of them were hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// Points.
    pub points: u64,
    /// Of these, hit.
    pub hit: u64,
    /// The weight of the points.
    pub weight: Weight,
    /// The weight of those that were hit.
    pub weight_hit: Weight,
}

/// Recall and precision with these weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Of the stuck points, those that were hit.
    pub recall: ClusteredShare,
    /// Of the stuck and legit points that were hit, those that are stuck.
    pub precision: ClusteredShare,
}

impl Judged {
    /// These points, of which nothing is known yet.
    #[must_use]
    pub fn new(points: Vec<Point>) -> Self {
        let mut by_trajectory: BTreeMap<Arc<str>, Vec<usize>> = BTreeMap::new();
        for (at, point) in points.iter().enumerate() {
            by_trajectory.entry(point.trajectory.clone()).or_default().push(at);
        }
        let points =
            points.into_iter().map(|point| Judgement { point, found: Found::NoTranscript }).collect();
        Self { points, by_trajectory, stretches_not_judged: 0, same_ids: 0 }
    }

    /// Judges one transcript. What is given back is the first firing of each stretch near no judged point.
    pub fn add(&mut self, replayed: &Replayed) -> Vec<Shot> {
        let shots: Vec<(bool, Shot)> = replayed.folded.events.iter().filter_map(shot).collect();
        let reply = |message: usize| replayed.replies.binary_search(&message).ok();
        let mine = self.by_trajectory.get(&replayed.id).map_or(&[][..], Vec::as_slice);
        let places: Vec<usize> = mine.iter().filter_map(|at| reply(self.points[*at].point.message)).collect();
        self.same_ids += u64::from(mine.iter().any(|at| self.points[*at].found != Found::NoTranscript));
        for at in mine {
            let Judgement { point, found } = &mut self.points[*at];
            if *found == Found::NoTranscript {
                *found = match reply(point.message) {
                    None => Found::NoReply,
                    Some(place) => Found::Firings(near(place, &shots, &reply)),
                };
            }
        }
        let mut stretches: Vec<(Shot, bool)> = Vec::new();
        for (opens, shot) in shots {
            let judged =
                places.iter().any(|place| reply(shot.message).is_some_and(|it| it.abs_diff(*place) <= NEAR));
            match stretches.last_mut() {
                Some((_, known)) if !opens => *known |= judged,
                Some(_) | None => stretches.push((shot, judged)),
            }
        }
        let open: Vec<Shot> = stretches.into_iter().filter(|(_, known)| !known).map(|(it, _)| it).collect();
        self.stretches_not_judged += open.len() as u64;
        open
    }

    /// Every point with what became of it, in the order of the file.
    #[must_use]
    pub fn points(&self) -> &[Judgement] {
        &self.points
    }

    /// The points of this kind that were replayed, and how many of them were hit.
    #[must_use]
    pub fn hits(&self, of: impl Fn(&Point) -> bool) -> Hits {
        let mut hits = Hits::default();
        for (point, hit) in self.replayed().filter(|(point, _)| of(point)) {
            hits.points += 1;
            hits.weight.0 += point.weight.0;
            if hit {
                hits.hit += 1;
                hits.weight_hit.0 += point.weight.0;
            }
        }
        hits
    }

    /// The kinds of the points with this label that were replayed.
    #[must_use]
    pub fn kinds(&self, label: Label) -> Vec<&str> {
        let mut kinds: Vec<&str> = self
            .replayed()
            .filter(|(point, _)| point.label == label)
            .map(|(point, _)| &*point.kind)
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// Recall and precision, no weight above `cut`.
    #[must_use]
    pub fn rates(&self, cut: Option<Weight>) -> Rates {
        let weight = |point: &Point| cut.map_or(point.weight, |cut| point.weight.min(cut)).0;
        Rates {
            recall: self.share(weight, |point, hit| match point.label {
                Label::Stuck => Some(hit),
                Label::Legit | Label::Unsure => None,
            }),
            precision: self.share(weight, |point, hit| match point.label {
                Label::Stuck if hit => Some(true),
                Label::Legit if hit => Some(false),
                Label::Stuck | Label::Legit | Label::Unsure => None,
            }),
        }
    }

    /// Points whose transcript was not in the input, and points at no message of the assistant.
    #[must_use]
    pub fn not_replayed(&self) -> [u64; 2] {
        [Found::NoTranscript, Found::NoReply]
            .map(|why| self.points.iter().filter(|it| it.found == why).count() as u64)
    }

    fn replayed(&self) -> impl Iterator<Item = (&Point, bool)> {
        self.points.iter().filter_map(|it| Some((&it.point, it.hit()?)))
    }

    /// The share of the points that `outcome` says yes to among those that it says anything about.
    fn share(
        &self,
        weight: impl Fn(&Point) -> u64,
        outcome: impl Fn(&Point, bool) -> Option<bool>,
    ) -> ClusteredShare {
        let mut clusters: BTreeMap<&str, Cluster> = BTreeMap::new();
        for (point, hit) in self.replayed() {
            if let Some(yes) = outcome(point, hit) {
                let cluster = clusters.entry(&point.trajectory).or_default();
                cluster.of += weight(point);
                cluster.count += if yes { weight(point) } else { 0 };
            }
        }
        ClusteredShare::new(&clusters.into_values().collect::<Vec<_>>())
    }
}

impl Judgement {
    /// Whether a firing hit it; nothing where it was not replayed.
    #[must_use]
    pub fn hit(&self) -> Option<bool> {
        match &self.found {
            Found::NoTranscript | Found::NoReply => None,
            Found::Firings(firings) => Some(!firings.is_empty()),
        }
    }
}

/// A firing, and whether it opens a stretch.
fn shot(event: &Event) -> Option<(bool, Shot)> {
    match &event.what {
        What::Fired(firing) => Some((
            firing.opens_stretch,
            Shot {
                turn: event.turn,
                message: event.message,
                guard: (*firing.note.guard).into(),
                rule: (*firing.note.rule).into(),
            },
        )),
        What::Rerun { .. } | What::Resend { .. } => None,
    }
}

/// The firings near a point, the nearest first, of two as near the earlier.
fn near(place: usize, shots: &[(bool, Shot)], reply: &dyn Fn(usize) -> Option<usize>) -> Vec<Near> {
    let mut near: Vec<Near> = shots
        .iter()
        .filter_map(|(_, shot)| {
            let after = reply(shot.message)?.checked_signed_diff(place)?;
            (after.unsigned_abs() <= NEAR).then(|| Near { after, shot: shot.clone() })
        })
        .collect();
    near.sort_by_key(|it| it.after.unsigned_abs());
    near
}

#[cfg(test)]
mod tests;
