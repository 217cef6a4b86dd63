//! Compares firings with judged points: how many stuck points were found, and how many legit ones were disturbed.
//!
//! A judged point is *hit* if a guard fired in the same transcript at the point, or at most [`WINDOW`] messages of the
//! assistant before it: a judge says whether stepping in at that message is right, not later. A firing that comes only
//! after the point, at most [`WINDOW`] messages, is counted apart: the point was *followed*. With the points' weights,
//!
//! - *pool recall* is the share of the stuck points that were hit,
//! - *precision* is the share of the stuck points among the stuck and legit points that were hit.
//!
//! `unsure` points count for neither. Where a guard would have ended the run before a point, it fires there no more, so
//! the point counts as missed; such points are counted too. A few points represent hundreds, so both are also given
//! with weights capped at [`CAP`]. The pool has only the points that some rule saw when they were drawn, so recall is
//! relative to it. Stretches of firings that are near no judged point do not count until they are judged.
//!
//! A point of a transcript that was not replayed is counted separately and is in no share.

pub mod json;
pub mod text;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::fold::{Event, What};
use super::labels::{Label, Point, Weight};
use super::run::Replayed;
use balk_reports::statistics::{Cluster, ClusteredShare};

/// The largest distance, in assistant messages, at which a firing is near a judged point.
pub const WINDOW: usize = 3;

/// The cap of weights.
pub const CAP: Weight = Weight(20_000);

/// The judged points, and their fates so far.
#[derive(Clone, Debug)]
pub struct Judged {
    points: Vec<Judgement>,
    by_trajectory: BTreeMap<Arc<str>, Vec<usize>>,
    /// Stretches of firings that are near no judged point.
    stretches_not_judged: u64,
    /// Transcripts with the id of an earlier one. Only the earlier one is judged.
    same_ids: u64,
}

/// One judged point, and its fate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The point.
    pub point: Point,
    /// Its fate.
    pub fate: Fate,
}

/// Whether a judged point was replayed, and what hit it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Its transcript was not in the input.
    NoTranscript,
    /// Its message is not one of the assistant.
    NoReply,
    /// It was replayed.
    Replayed {
        /// The firings near it: first those before or at it, then those after it, each the nearest first.
        near: Vec<Near>,
        /// Whether a guard would have ended the run before it.
        after_end: bool,
    },
}

/// A firing near a judged point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The distance in assistant messages; negative if the firing is before the point.
    pub after: isize,
    /// The firing.
    pub fired: FiredAt,
}

/// A firing of a guard, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiredAt {
    /// The index among the assistant's messages, from 0.
    pub reply: usize,
    /// The turn, from 1.
    pub turn: u64,
    /// Index in `messages` of the assistant message that it is about.
    pub message: usize,
    /// The guard.
    pub guard: Box<str>,
    /// Its rule.
    pub rule: Box<str>,
    /// The first of a stretch of any guards.
    pub opens_stretch: bool,
}

/// What became of a judged point that was replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// A guard fired before or at it.
    Hit,
    /// A guard fired only after it.
    Followed,
    /// No guard fired near it.
    Missed,
}

/// The number and weight of points, of those that were hit, and of those that were only followed by a firing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number of points.
    pub points: u64,
    /// The number of points that were hit.
    pub hit: u64,
    /// The number of points with a firing only after them.
    pub followed: u64,
    /// The weight of the points.
    pub weight: Weight,
    /// The weight of the points that were hit.
    pub weight_hit: Weight,
    /// The weight of the points with a firing only after them.
    pub weight_followed: Weight,
}

/// Recall and precision with these weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// The share of hit points among the stuck points.
    pub recall: ClusteredShare,
    /// The share of stuck points among the stuck and legit points that were hit.
    pub precision: ClusteredShare,
}

impl Judged {
    /// These points, before any transcript.
    #[must_use]
    pub fn new(points: Vec<Point>) -> Self {
        let mut by_trajectory: BTreeMap<Arc<str>, Vec<usize>> = BTreeMap::new();
        for (at, point) in points.iter().enumerate() {
            by_trajectory.entry(point.trajectory.clone()).or_default().push(at);
        }
        let points = points.into_iter().map(|point| Judgement { point, fate: Fate::NoTranscript }).collect();
        Self { points, by_trajectory, stretches_not_judged: 0, same_ids: 0 }
    }

    /// Judges one transcript. Returns the first firing of each stretch that is near no judged point.
    pub fn add(&mut self, replayed: &Replayed) -> Vec<FiredAt> {
        let reply = |message: usize| replayed.replies.binary_search(&message).ok();
        let firings: Vec<FiredAt> =
            replayed.folded.events.iter().filter_map(|event| fired(event, reply(event.message)?)).collect();
        let own = self.by_trajectory.get(&replayed.id).map_or(&[][..], Vec::as_slice);
        self.same_ids += u64::from(own.iter().any(|at| self.points[*at].fate != Fate::NoTranscript));
        let mut judged = Vec::new();
        for at in own {
            let Judgement { point, fate } = &mut self.points[*at];
            let place = reply(point.message);
            judged.extend(place);
            if *fate == Fate::NoTranscript {
                *fate = place.map_or(Fate::NoReply, |place| Fate::Replayed {
                    near: near(place, &firings),
                    after_end: replayed.folded.end.is_some_and(|end| end.message < point.message),
                });
            }
        }
        judged.sort_unstable();
        let is_judged = |it: &FiredAt| {
            let first = judged.partition_point(|place| place + WINDOW < it.reply);
            judged.get(first).is_some_and(|place| *place <= it.reply + WINDOW)
        };
        let stretches = firings.chunk_by(|_, next| !next.opens_stretch);
        let open: Vec<FiredAt> =
            stretches.filter(|it| !it.iter().any(is_judged)).map(|it| it[0].clone()).collect();
        self.stretches_not_judged += open.len() as u64;
        open
    }

    /// Every point with its fate, in the order of the file.
    #[must_use]
    pub fn points(&self) -> &[Judgement] {
        &self.points
    }

    /// Whether no point is of a transcript that was replayed.
    #[must_use]
    pub fn is_of_others(&self) -> bool {
        self.points.iter().all(|it| it.fate == Fate::NoTranscript)
    }

    /// The points of this kind that were replayed, and how many of them were hit.
    #[must_use]
    pub fn tally(&self, of: impl Fn(&Point) -> bool) -> Tally {
        let mut tally = Tally::default();
        for (point, reach) in self.replayed().filter(|(point, _)| of(point)) {
            tally.points += 1;
            tally.weight.0 += point.weight.0;
            match reach {
                Reach::Hit => {
                    tally.hit += 1;
                    tally.weight_hit.0 += point.weight.0;
                }
                Reach::Followed => {
                    tally.followed += 1;
                    tally.weight_followed.0 += point.weight.0;
                }
                Reach::Missed => {}
            }
        }
        tally
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

    /// Recall and precision, no weight above `cap`.
    #[must_use]
    pub fn rates(&self, cap: Option<Weight>) -> Rates {
        let weight = |point: &Point| cap.map_or(point.weight, |cap| point.weight.min(cap)).0;
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
        [Fate::NoTranscript, Fate::NoReply]
            .map(|why| self.points.iter().filter(|it| it.fate == why).count() as u64)
    }

    /// Points that were not hit because a guard would have ended the run before.
    #[must_use]
    pub fn missed_after_end(&self) -> u64 {
        let is_missed = |it: &&Judgement| {
            matches!(it.fate, Fate::Replayed { after_end: true, .. }) && it.reach() == Some(Reach::Missed)
        };
        self.points.iter().filter(is_missed).count() as u64
    }

    fn replayed(&self) -> impl Iterator<Item = (&Point, Reach)> {
        self.points.iter().filter_map(|it| Some((&it.point, it.reach()?)))
    }

    /// Among the points with an `outcome`, the share for which it is true.
    fn share(
        &self,
        weight: impl Fn(&Point) -> u64,
        outcome: impl Fn(&Point, bool) -> Option<bool>,
    ) -> ClusteredShare {
        let mut clusters: BTreeMap<&str, Cluster> = BTreeMap::new();
        for (point, reach) in self.replayed() {
            if let Some(yes) = outcome(point, reach == Reach::Hit) {
                let cluster = clusters.entry(&point.trajectory).or_default();
                cluster.of += weight(point);
                cluster.count += if yes { weight(point) } else { 0 };
            }
        }
        ClusteredShare::new(&clusters.into_values().collect::<Vec<_>>())
    }
}

impl Judgement {
    /// What became of it; none if it was not replayed.
    #[must_use]
    pub fn reach(&self) -> Option<Reach> {
        match &self.fate {
            Fate::NoTranscript | Fate::NoReply => None,
            // The firings before or at the point come first.
            Fate::Replayed { near, .. } => Some(match near.first() {
                Some(first) if first.after <= 0 => Reach::Hit,
                Some(_) => Reach::Followed,
                None => Reach::Missed,
            }),
        }
    }

    /// Whether a firing hit it; none if it was not replayed.
    #[must_use]
    pub fn hit(&self) -> Option<bool> {
        self.reach().map(|it| it == Reach::Hit)
    }
}

/// A firing from an event; `reply` is the index among the assistant's messages.
fn fired(event: &Event, reply: usize) -> Option<FiredAt> {
    match &event.what {
        What::Fired(firing) => Some(FiredAt {
            reply,
            turn: event.turn,
            message: event.message,
            guard: (*firing.note.guard).into(),
            rule: (*firing.note.rule).into(),
            opens_stretch: firing.opens_stretch,
        }),
        What::Rerun { .. } | What::Resend { .. } => None,
    }
}

/// The firings near a point: first those before or at it, then those after it, each the nearest first. `firings` are in
/// the order of the replies.
fn near(place: usize, firings: &[FiredAt]) -> Vec<Near> {
    let first = firings.partition_point(|fired| fired.reply + WINDOW < place);
    let near = firings[first..].iter().take_while(|fired| fired.reply <= place + WINDOW);
    let near = near.filter_map(|fired| {
        let after = fired.reply.checked_signed_diff(place)?;
        Some(Near { after, fired: fired.clone() })
    });
    let mut all: Vec<Near> = near.collect();
    all.sort_by_key(|it| (it.after > 0, it.after.unsigned_abs()));
    all
}

#[cfg(test)]
mod tests;
