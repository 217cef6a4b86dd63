//! The requests to the model: they are legal, and the view that is updated equals the view that is rebuilt.

use std::sync::Arc;

use balk::engine::{self, Trial, TruthChannel};
use balk_guards::wire::{Asking, Dialect};
use balk_guards::{Entry, FinishReason, View};
use balk_peers::NaiveRetry;
use balk_scenarios::{Actor, World, WorldOptions, catalogue};
use proptest::prelude::*;

use super::case::{case, completion};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_view_is_legal_and_what_is_kept_up_is_what_is_built_anew(case in case()) {
        let world = case.world();
        let trial = case.trial(&world);
        views(&world, &trial)?;
    }
}

/// The calls that a broken attempt left are in the view before its failure, so the next request is the first with its
/// view.
#[test]
fn a_request_after_calls_of_a_broken_attempt_is_the_first_with_its_view() -> Result<(), TestCaseError> {
    let listed = catalogue::find("broken-while-writing").expect("the catalogue has it");
    let scenario = listed.read(&[]).expect("the catalogue is good");
    let mut breaks_twice = 0;
    for seed in 0..100 {
        let world = World::draw(&scenario, seed, WorldOptions::default());
        let trial = engine::run(&world, &mut NaiveRetry, &TruthChannel::default());
        let left = trial.entries.iter().filter_map(completion).filter(|it| it.finish == FinishReason::Error);
        breaks_twice += u32::from(left.count() > 1);
        views(&world, &trial)?;
    }
    assert!(breaks_twice > 0, "no seed breaks off while a call runs, and again when it is sent again");
    Ok(())
}

/// An actor that has read this view.
fn reader(world: &Arc<World>, view: &View) -> Actor {
    let mut actor = Actor::new(world);
    actor.catch_up(view.messages());
    actor
}

/// Every request of this trial is legal, and the updated actor and view equal the rebuilt ones.
fn views(world: &Arc<World>, trial: &Trial) -> Result<(), TestCaseError> {
    let mut view = View::default();
    let mut attempt = 1;
    let mut kept = Actor::new(world);
    let mut turn = 0;
    // The calls that a broken attempt left are committed before the attempt, which had one request.
    let mut left = false;
    for (at, entry) in trial.entries.iter().enumerate() {
        let of_left = matches!(entry, Entry::Failed(_)) && std::mem::take(&mut left);
        if matches!(entry, Entry::Completion(_) | Entry::Failed(_)) && !of_left {
            for dialect in Dialect::ALL {
                let request = dialect.request(&view, &Asking::of("m"));
                let legal = dialect.legal(&request).expect("a request can be read");
                prop_assert_eq!(legal, Ok(()), "entry {}", at);
                let seen = dialect.seen(&request, world.offer()).expect("so can this");
                let offered =
                    world.offer().tools().iter().filter(|it| !it.provider_executed).map(|it| &it.name);
                prop_assert_eq!(seen.tools, offered.cloned().collect::<Vec<_>>(), "entry {}", at);
            }
            let act = reader(world, &view).act(attempt);
            kept.catch_up(view.messages());
            prop_assert_eq!(&kept.act(attempt), &act, "entry {}", at);
            let mut acted = act.completion(world.offer());
            match completion(entry) {
                Some(committed) => {
                    if committed.finish == FinishReason::Error {
                        prop_assert!(act.broken.is_some(), "entry {}", at);
                        acted.finish = FinishReason::Error;
                        left = true;
                    }
                    prop_assert_eq!(&acted, &**committed, "entry {}", at);
                    prop_assert_eq!(trial.turns[turn].truth, act.truth);
                    prop_assert_eq!(trial.turns[turn].entry, at);
                    turn += 1;
                }
                None => {
                    let early = matches!(entry, Entry::Failed(it) if &*it.failure.message == "too early");
                    prop_assert!(acted.is_empty() || act.broken.is_some() || early, "entry {}", at);
                }
            }
        }
        if let Entry::Compaction(compaction) = entry {
            let rebuilt = reader(world, &view).summarise();
            kept.catch_up(view.messages());
            prop_assert_eq!(&*compaction.summary, rebuilt.as_str(), "entry {}", at);
            prop_assert_eq!(kept.summarise(), rebuilt, "entry {}", at);
        }
        let before = view.messages().len();
        view.push(entry);
        // The actor counts requests with exactly the same view; the calls that an attempt left changed it before the
        // failure.
        let failed = matches!(entry, Entry::Failed(_)) && !of_left;
        attempt = if view.messages().len() > before || matches!(entry, Entry::Compaction(_)) {
            1
        } else {
            attempt + u32::from(failed)
        };
        prop_assert_eq!(&view, &View::of(&trial.entries[..=at]), "entry {}", at);
    }
    prop_assert_eq!(turn, trial.turns.len());
    Ok(())
}
