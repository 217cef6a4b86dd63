//! Simulated runs as recordings with judged points.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use balk_scenarios::drawn::Slip;
use balk_scenarios::{Stuck, Truth, World, WorldOptions, Worlds};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::depths::Depths;
use super::written::{Reply, written};
use crate::engine::{Trial, TruthChannel, run};
use crate::replay::labels::{Label, Point, Weight};

/// Simulated runs, ready to be replayed.
#[derive(Clone, Debug, Default)]
pub struct Simulated {
    /// Runs with a stuck stretch, one a line.
    pub stuck: Vec<u8>,
    /// One judged point for each of them.
    pub points: Vec<Point>,
    /// The skeleton of each of them, by id: the unit of intervals.
    pub skeletons: BTreeMap<Arc<str>, Arc<str>>,
    /// Runs without one, one a line.
    pub healthy: Vec<u8>,
}

/// What simulated runs take over from the recordings.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// How far behind their onset the points lie.
    pub depths: &'a Depths,
    /// Results without a status, and all results.
    pub unflagged: [u64; 2],
}

impl Simulated {
    /// Plays these seeds without a guard.
    #[must_use]
    pub fn play(worlds: &Worlds, seeds: RangeInclusive<u64>, seen: Seen<'_>) -> Self {
        let mut runs = Self::default();
        let options = WorldOptions::default();
        for seed in seeds {
            let scenario = worlds.scenario(seed, options.pools);
            runs.add(&World::draw(&scenario, seed, options), seen);
        }
        runs
    }

    fn add(&mut self, world: &Arc<World>, seen: Seen<'_>) {
        let trial: Trial = run(world, &mut (), &TruthChannel::default());
        let id: Arc<str> = format!("{}#{}", world.scenario().name, world.seed()).into();
        let key = xxh3_64_with_seed(id.as_bytes(), 0);
        let [without, all] = seen.unflagged;
        let flagged = all == 0 || key % all >= without;
        let run = written(&id, &trial, flagged);
        let weight = weight(world.skeleton());
        let (line, lines) = match point(&id, &run.replies, seen.depths, key, weight) {
            Some((point, length)) => {
                self.skeletons.insert(id, world.skeleton().into());
                self.points.push(point);
                (run.line(length), &mut self.stuck)
            }
            None if run.replies.iter().any(|it| it.truth.is_stuck()) => return,
            None => (run.line(None), &mut self.healthy),
        };
        lines.extend_from_slice(line.as_bytes());
        lines.push(b'\n');
    }
}

/// The judged point of a run, and how many messages of the assistant it has in all: in its first stuck stretch, as far
/// behind the onset as a recorded point of its kind is, or at the end of the stretch; and as far before the end.
fn point(
    id: &Arc<str>,
    replies: &[Reply],
    depths: &Depths,
    key: u64,
    weight: Weight,
) -> Option<(Point, Option<usize>)> {
    let first = replies.iter().position(|it| it.truth.is_stuck())?;
    let stretch = replies[first..].iter().take_while(|it| it.truth.is_stuck()).count();
    let kind_at = |at: usize| match replies[at].truth {
        Truth::Stuck(how) => recorded_kind(how),
        Truth::Productive | Truth::Waiting | Truth::Finished | Truth::Faulted => None,
    };
    let last = first + stretch - 1;
    let kind = kind_at(last)?;
    let onset = onset(replies, first, last);
    let place = depths.drawn(kind, key >> 8);
    let at = last.min(onset + place.map_or(0, |it| it.behind)).max(first);
    let length = place.map(|it| at + 1 + it.left);
    let point = Point {
        trajectory: id.clone(),
        message: replies[at].message,
        label: Label::Stuck,
        kind: kind.into(),
        onset: Some(replies[onset].message),
        confidence: 3,
        control: false,
        weight,
        reason: "by construction".into(),
        place: None,
    };
    Some((point, length))
}

/// Slips are drawn by recordings and by reports. Beside recordings each counts as often as it is seen in them.
fn weight(skeleton: &str) -> Weight {
    let part = |slip: &Slip| 1_000 * u64::from(slip.recorded) / u64::from(slip.weight);
    Weight(Slip::of(skeleton).map_or(1_000, part))
}

/// Where a stuck stretch begins to readers: with the first message of what repeats, not with its first repetition.
fn onset(replies: &[Reply], first: usize, last: usize) -> usize {
    let repeats = |it: &&Reply| {
        !it.calls.is_empty() && replies[first..=last].iter().any(|other| other.calls == it.calls)
    };
    first - replies[..first].iter().rev().take_while(repeats).count()
}

/// The readers' word for a way to be stuck (`docs/labels.md`); none for what no recording was judged for.
const fn recorded_kind(how: Stuck) -> Option<&'static str> {
    match how {
        Stuck::IdenticalCall => Some("identical-call"),
        Stuck::SameFailure => Some("same-failure"),
        Stuck::Cycle => Some("cycle"),
        // To readers, a step that succeeds and changes nothing, done again, is a near-duplicate.
        Stuck::NearDuplicate | Stuck::NoOp => Some("near-duplicate"),
        Stuck::Wandering => Some("read-only-wandering"),
        Stuck::Fence => Some("fence"),
        Stuck::TextOnly => Some("text-only"),
        Stuck::RepeatedText => Some("repeated-text"),
        Stuck::Empty => Some("empty"),
        Stuck::ThinkingOnly | Stuck::Truncated => None,
    }
}
