//! What brings a real model back, message by message.
//!
//! The baseline of a unit is played again, from the record. Where the model balked in it ([`Point::balked`]), the run
//! is forked before that completion, once for each message: without a guard, with `Proceed.` as the user's word, and
//! with each stack, which reviews the completion as in any run. The next completion is sampled a number of times each.
//! Where a stack's message brings no call, the same message comes once more.
//!
//! Places are those of the baseline, so each message is the stack's first one there, and all messages meet the same
//! model in the same place. A sample is kept like any completion; the first one is the completion that the trial itself
//! has there, so where a trial was played already, it costs nothing.
//!
//! A real model balks in few ways, so most messages never come to it. [`Messages`] has places for all of them: where a
//! stack speaks to a scripted model.

mod fit;
mod point;
mod sample;
mod scripted;
mod tried;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use balk_reports::records::{Bench, REACTIONS_SCHEMA, ReactionCounts, ReactionRow, Reactions};
use balk_scenarios::{Truth, World};
use rayon::ThreadPool;

use super::model::{Model, Stop};
use super::run::world;
use super::units;
use crate::bench::Matrix;
use crate::error::Error;
use crate::guards::Recipe;

use point::{Hands, Point};

use tried::{Message, Tried};

pub use fit::fit;
pub use scripted::Messages;

/// At most so many places of a trial are used, its first ones: a long loop would outweigh all other trials, and its
/// places hardly differ. Of a message to scripted models, at most so many places of all trials are used.
const MOST_PLACES: u32 = 4;

/// The counts of one unit: by message, whether it came again, whose rule it was, and how the model balked.
type Counted = BTreeMap<(usize, bool, Option<String>, Truth), ReactionCounts>;

/// The counts of all units.
#[derive(Default)]
struct Counts {
    trials: u64,
    rows: BTreeMap<(usize, bool, usize, Option<String>, Truth), ReactionCounts>,
}

impl Counts {
    /// A unit of this world was measured.
    fn add(&mut self, world: usize, counted: Counted) {
        self.trials += 1;
        for ((message, again, rule, truth), counts) in counted {
            let row = self.rows.entry((message, again, world, rule, truth)).or_default();
            *row = row.plus(&counts);
        }
    }

    /// The record of them.
    fn reactions(self, matrix: &Matrix, model: &Model<'_>, samples: u32, scripted: bool) -> Reactions {
        let (plan, messages) = (matrix.plan(), messages(&matrix.stacks));
        let row = |((message, again, world, rule, balked), counts): ((usize, _, usize, _, _), _)| {
            let (message, world) = (messages[message].name().to_owned(), plan.scenarios[world].label());
            ReactionRow { message, again, rule, world, balked, counts }
        };
        Reactions {
            schema: REACTIONS_SCHEMA,
            balk: plan.balk.clone(),
            model: model.asking.model.to_string(),
            samples,
            scripted,
            most_places: MOST_PLACES,
            trials: self.trials,
            rows: self.rows.into_iter().map(row).collect(),
        }
    }
}

/// Samples how the model takes messages, in every unit of a record, on these threads.
///
/// `follow` learns of each unit and whether it was measured; `Break` ends it. A unit that was not measured is not in
/// the counts.
///
/// # Errors
/// A completion cannot be kept.
pub fn react(
    pool: &ThreadPool,
    matrix: &Matrix,
    model: &Model<'_>,
    bench: &Bench,
    samples: u32,
    mut follow: impl FnMut(&str, Result<(), &Stop>) -> ControlFlow<()>,
) -> Result<Reactions, Error> {
    let messages = messages(&matrix.stacks);
    let mut counts = Counts::default();
    let [from, to] = bench.plan.seeds;
    for seed in from..=to {
        let played = (0..bench.done.len()).filter(|&place| bench.done[place].has(seed)).collect();
        let of = |place| {
            let drawn = matrix.scenario(place, seed);
            unit(&world(matrix, &drawn, seed), &messages, model, samples)
        };
        let take = |place: usize, counted: Result<Counted, Stop>| {
            let name = format!("{}, seed {seed}", bench.plan.scenarios[place].label());
            taken(counted, &name, &mut follow, |counted| counts.add(place, counted))
        };
        if units::each(pool, played, of, take)?.is_break() {
            break;
        }
    }
    Ok(counts.reactions(matrix, model, samples, false))
}

/// What comes of a unit: it is added, or `follow` learns why not.
fn taken(
    counted: Result<Counted, Stop>,
    name: &str,
    follow: &mut impl FnMut(&str, Result<(), &Stop>) -> ControlFlow<()>,
    add: impl FnOnce(Counted),
) -> Result<ControlFlow<()>, Error> {
    match counted {
        Ok(counted) => {
            add(counted);
            Ok(follow(name, Ok(())))
        }
        Err(Stop::Unkept(error)) => Err(error),
        Err(stop) => Ok(follow(name, Err(&stop))),
    }
}

/// The messages that are tried. `Proceed.` comes early: all others are compared to it.
fn messages(stacks: &[Recipe]) -> Vec<Message<'_>> {
    let (none, others) = stacks.split_first().expect("the baseline is always there");
    let stacks = others.iter().map(Message::Stack);
    [Message::None(none), Message::Proceed].into_iter().chain(stacks).collect()
}

/// The reactions in the baseline of one unit.
fn unit(
    world: &Arc<World>,
    messages: &[Message<'_>],
    model: &Model<'_>,
    samples: u32,
) -> Result<Counted, Stop> {
    let mut hands = Hands::of(world, Box::new(()));
    let mut point = Point::start(world, model, &mut hands);
    let mut counted = Counted::new();
    let mut places = 0;
    while point.is_due() && places < MOST_PLACES {
        let Some(completion) = point.sample(model, 0)? else { break };
        if let Some(truth) = point.balked(&completion) {
            places += 1;
            let tried: Vec<Tried> = messages
                .iter()
                .map(|message| tried::tried(&point, &completion, message, model, samples, true))
                .collect::<Result<_, Stop>>()?;
            let proceed = &tried[PROCEED].first;
            for (message, tried) in tried.iter().enumerate() {
                let mut add = |again, counts: ReactionCounts| {
                    let row = counted.entry((message, again, tried.rule.clone(), truth)).or_default();
                    *row = row.plus(&counts);
                };
                add(false, tried.counts(proceed));
                if !tried.again.is_empty() {
                    add(true, tried.counts_again());
                }
            }
        }
        point.take(completion);
    }
    Ok(counted)
}

/// The place of `Proceed.` among the messages.
const PROCEED: usize = 1;
