//! Messages that a real model gets in a scripted one's place.
//!
//! The actor of each scenario plays under each stack, as in a bench. Where the stack speaks while the actor is stuck,
//! the real model is asked what comes next: after the message, after `Proceed.`, and after neither. So each message of
//! a stack is tried where it belongs, also those to which no real model that is at hand has brought it yet.
//!
//! A run ends where its connection breaks, where the provider runs calls itself, and where the actor acts by words:
//! none of that can be played from a transcript alone.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use balk_guards::{Completion, Entry, Intervention, InterventionKind};
use balk_reports::records::Reactions;
use balk_scenarios::{Actor, Truth, World};
use rayon::ThreadPool;
use rayon::prelude::*;

use super::point::{Hands, Point};
use super::tried::{self, Message};
use super::{Counted, Counts, MOST_PLACES, messages, taken};
use crate::bench::Matrix;
use crate::error::Error;
use crate::live::model::{Model, Stop};
use crate::live::run::world;
use crate::live::units;

/// The runs of scripted models in which a stack speaks, and where.
#[derive(Clone, Debug)]
pub struct Messages {
    runs: Vec<Run>,
}

/// One run, with its places.
#[derive(Clone, Debug)]
struct Run {
    seed: u64,
    world: usize,
    stack: usize,
    /// The messages, by the number of the answer that they follow.
    places: BTreeMap<usize, String>,
}

/// Where a stack speaks.
#[derive(Clone, Debug)]
struct Spoken {
    /// `guard/rule`, with the level above the first.
    message: String,
    /// The number of the answer before it.
    answer: usize,
    /// Bytes of the view that was answered, about.
    bytes: u64,
}

/// The places of one message of one stack, by world: bytes, seed, and number of the answer.
type Places = BTreeMap<usize, Vec<(u64, u64, usize)>>;

impl Messages {
    /// The places of a plan. Of each message, the first ones of four worlds, and more of them if it has
    /// fewer worlds; those with short views come first, because they cost less.
    pub fn find(pool: &ThreadPool, matrix: &Matrix, model: &Model<'_>) -> Self {
        let (plan, stacks) = (matrix.plan(), &messages(&matrix.stacks)[STACKS..]);
        let [from, to] = plan.seeds;
        let worlds = (from..=to).flat_map(|seed| (0..plan.scenarios.len()).map(move |world| (seed, world)));
        let units: Vec<(u64, usize)> = worlds.collect();
        let of = |&(seed, world): &(u64, usize)| -> Vec<Vec<Spoken>> {
            let world = self::world(matrix, &matrix.scenario(world, seed), seed);
            let nothing = |_, _: &Point<'_>, _: &Completion, _| Ok(());
            let spoken = |stack| play(&world, stack, model, nothing).expect("nothing is asked");
            stacks.iter().map(spoken).collect()
        };
        let found: Vec<Vec<Vec<Spoken>>> = pool.install(|| units.par_iter().map(of).collect());
        let mut places: BTreeMap<(usize, String), Places> = BTreeMap::new();
        for ((seed, world), found) in units.into_iter().zip(found) {
            for (stack, Spoken { message, answer, bytes }) in
                (0..).zip(found).flat_map(|(stack, found)| found.into_iter().map(move |it| (stack, it)))
            {
                let worlds = places.entry((stack, message)).or_default();
                worlds.entry(world).or_default().push((bytes, seed, answer));
            }
        }
        let mut runs: BTreeMap<(u64, usize, usize), BTreeMap<usize, String>> = BTreeMap::new();
        for ((stack, message), places) in places {
            for (seed, world, answer) in chosen(places) {
                runs.entry((seed, world, stack)).or_default().insert(answer, message.clone());
            }
        }
        let run = |((seed, world, stack), places)| Run { seed, world, stack, places };
        Self { runs: runs.into_iter().map(run).collect() }
    }

    /// The number of runs.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.runs.len() as u64
    }

    /// Samples how the model takes them, on these threads. `follow` learns of each run and whether it was measured, as
    /// in [`react`](super::react).
    ///
    /// # Errors
    /// A completion cannot be kept.
    pub fn ask(
        &self,
        pool: &ThreadPool,
        matrix: &Matrix,
        model: &Model<'_>,
        samples: u32,
        mut follow: impl FnMut(&str, Result<(), &Stop>) -> ControlFlow<()>,
    ) -> Result<Reactions, Error> {
        let mut counts = Counts::default();
        let all = messages(&matrix.stacks);
        let of = |at: usize| self.runs[at].ask(matrix, &all, model, samples);
        let take = |at: usize, counted: Result<Counted, Stop>| {
            let Run { seed, world, stack, .. } = self.runs[at];
            let (label, stack) = (matrix.plan().scenarios[world].label(), all[STACKS + stack].name());
            let name = format!("{label}, seed {seed}, under {stack}");
            taken(counted, &name, &mut follow, |counted| counts.add(world, counted))
        };
        let _all_or_not = units::each(pool, (0..self.runs.len()).collect(), of, take)?;
        Ok(counts.reactions(matrix, model, samples, true))
    }
}

impl Run {
    /// What the model does in the places of this run.
    fn ask(
        &self,
        matrix: &Matrix,
        all: &[Message<'_>],
        model: &Model<'_>,
        samples: u32,
    ) -> Result<Counted, Stop> {
        let world = world(matrix, &matrix.scenario(self.world, self.seed), self.seed);
        let stack = STACKS + self.stack;
        let mut counted = Counted::new();
        play(&world, &all[stack], model, |answer, point, completion, truth| {
            let Some(rule) = self.places.get(&answer) else { return Ok(()) };
            let tried =
                |message: usize| tried::tried(point, completion, &all[message], model, samples, false);
            let proceed = tried(super::PROCEED)?;
            for message in [0, super::PROCEED, stack] {
                let counts = match message {
                    super::PROCEED => proceed.counts(&proceed.first),
                    _ => tried(message)?.counts(&proceed.first),
                };
                let row = counted.entry((message, false, Some(rule.clone()), truth)).or_default();
                *row = row.plus(&counts);
            }
            Ok(())
        })?;
        Ok(counted)
    }
}

/// The place of the first stack among the messages.
const STACKS: usize = super::PROCEED + 1;

/// Plays the world's actor under a stack. `before` gets each answer that shows it stuck, with its number, before it is
/// taken. Returns where the stack spoke after one.
fn play(
    world: &Arc<World>,
    stack: &Message<'_>,
    model: &Model<'_>,
    mut before: impl FnMut(usize, &Point<'_>, &Completion, Truth) -> Result<(), Stop>,
) -> Result<Vec<Spoken>, Stop> {
    let mut hands = Hands::of(world, stack.guard());
    let mut point = Point::start(world, model, &mut hands);
    let mut actor = Actor::new(world);
    let mut found = Vec::new();
    let mut answer = 0;
    while let Some(asked) = point.due() {
        actor.catch_up(point.view().messages());
        let act = actor.act(asked);
        if act.broken.is_some() || !act.ran_by_provider.is_empty() || !act.spoken.is_empty() {
            break;
        }
        let completion = act.completion(world.offer());
        let (entries, bytes) = (point.transcript().len(), point.view_bytes());
        if act.truth.is_stuck() {
            before(answer, &point, &completion, act.truth)?;
        }
        point.take(completion);
        let message = point.transcript()[entries..].iter().find_map(message);
        if let Some(message) = message.filter(|_| act.truth.is_stuck() && point.is_due()) {
            found.push(Spoken { message, answer, bytes });
        }
        answer += 1;
    }
    Ok(found)
}

/// Which message this is, if it is one to the model, or a question whose answer is.
fn message(entry: &Entry) -> Option<String> {
    let Entry::Intervention(Intervention { kind, note, .. }) = entry else { return None };
    match kind {
        InterventionKind::Feedback
        | InterventionKind::Note
        | InterventionKind::Block
        | InterventionKind::Question(_) => Some(match note.level {
            0 | 1 => format!("{}/{}", note.guard, note.rule),
            level => format!("{}/{}, level {level}", note.guard, note.rule),
        }),
        InterventionKind::Repair(_) | InterventionKind::Stop | InterventionKind::Notice => None,
    }
}

/// The places to ask in, as seed, world and number of the answer. The second place of a world comes after the first
/// ones of all others.
fn chosen(places: Places) -> impl Iterator<Item = (u64, usize, usize)> {
    let ranked = |(world, mut places): (usize, Vec<(u64, u64, usize)>)| {
        places.sort_unstable();
        (0..).zip(places).map(move |(nth, (bytes, seed, answer))| (nth, bytes, seed, world, answer))
    };
    let mut all: Vec<(u32, u64, u64, usize, usize)> = places.into_iter().flat_map(ranked).collect();
    all.sort_unstable();
    let most = usize::try_from(MOST_PLACES).expect("a small number");
    all.into_iter().take(most).map(|(_, _, seed, world, answer)| (seed, world, answer))
}
