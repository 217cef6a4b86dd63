//! How well simulated detection predicts recorded detection.
//!
//! Simulated runs are written down like recordings (the same neutral form, no declared effects, a status where
//! recordings have one), one point of each stuck run is judged by its truth, and the same replay asks the same stacks
//! about both. So the two figures differ only in the runs:
//!
//! - *recorded detection* is the share of the weight of the stuck points that a stack hits (weights capped at
//!   [`CAP`]), by kind and over all kinds that the simulation has;
//! - *simulated detection* of a kind is the share of the simulated points that it hits. A simulated point lies as far
//!   behind its onset and as far before the end of the run as a recorded point of that kind does, drawn for each run by
//!   the weights of these points. Over all kinds, each kind counts as much as it weighs among the recorded points.
//!
//! Disturbance is stretches of firings per 1,000 turns: of healthy simulated runs, and of recorded runs that were
//! resolved.
//!
//! [`live`] is the other comparison: how often runs recover, simulated and with a real model.

#![expect(clippy::float_arithmetic, reason = "figures over runs; no trial depends on them")]

mod compared;
mod depths;
pub mod live;
mod runs;
pub mod text;
mod written;

use std::collections::BTreeMap;

use crate::replay::judged::Judged;
use crate::replay::labels::{Label, Point};
use crate::replay::{Event, Replayed, What};

pub use compared::{Comparison, Figures, StackFigures};
pub use depths::{Depths, Place};
pub use runs::{Seen, Simulated};
pub(crate) use written::written;

pub use crate::replay::judged::CAP;

/// The recorded kinds of stuck points, with their weights.
pub type Kinds = BTreeMap<Box<str>, u64>;

/// What one stack did on one side.
#[derive(Clone, Debug)]
pub struct Side {
    /// The judged points, and what hit them.
    pub judged: Judged,
    /// Stretches of firings in runs without trouble.
    pub stretches: u64,
    /// The turns of these runs.
    pub turns: u64,
}

impl Side {
    /// These points, before any transcript.
    #[must_use]
    pub fn new(points: Vec<Point>) -> Self {
        Self { judged: Judged::new(points), stretches: 0, turns: 0 }
    }

    /// Adds a transcript. `untroubled` is whether its firings count as disturbance.
    pub fn add(&mut self, replayed: &Replayed, untroubled: bool) {
        self.judged.add(replayed);
        if untroubled {
            let opens = |event: &&Event| matches!(&event.what, What::Fired(it) if it.opens_stretch);
            self.stretches += replayed.folded.events.iter().filter(opens).count() as u64;
            self.turns += replayed.folded.turns;
        }
    }
}

/// The part of the trajectories, or of the worlds, that is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Half {
    /// All of them.
    #[default]
    All,
    /// Those whose name hashes to an even number.
    Even,
    /// The others.
    Odd,
}

impl Half {
    /// Whether it has the trajectory or the world of this name.
    #[must_use]
    pub fn has(self, name: &str) -> bool {
        let is_even = xxhash_rust::xxh3::xxh3_64(name.as_bytes()).is_multiple_of(2);
        match self {
            Self::All => true,
            Self::Even => is_even,
            Self::Odd => !is_even,
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Even => "even",
            Self::Odd => "odd",
        }
    }

    /// What is not in it; all of it where there are no halves.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::All => Self::All,
            Self::Even => Self::Odd,
            Self::Odd => Self::Even,
        }
    }
}

/// The weights of the stuck points that were replayed, by kind, each point capped at [`CAP`].
fn kinds(judged: &Judged) -> Kinds {
    let mut kinds = Kinds::new();
    for it in judged.points().iter().filter(|it| it.point.label == Label::Stuck && it.hit().is_some()) {
        *kinds.entry(it.point.kind.clone()).or_default() += it.point.weight.min(CAP).0;
    }
    kinds
}
