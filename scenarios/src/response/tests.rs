//! The model against the recordings, and its laws.

use super::population::{Model, POPULATION, pinned};
use super::*;
use crate::scenario::Profile;

mod experiments;

/// Draws of one experiment.
const TRIALS: u32 = 8_000;

/// How a model takes one message, so often.
fn reactions(model: Model, mode: ResponseMode, advice: &Advice, in_a_row: u32) -> Vec<Reaction> {
    let parameters = Parameters::of(&model.into());
    let model =
        ResponseModel { mode, stubbornness: Ratio { num: 0, den: 1 }, parameters, is_measured: false };
    let draws = Draws::new(3, "x");
    (0..TRIALS)
        .map(|visit| {
            let correction = Correction { advice, in_a_row, state: "s", visit, detours: 0 };
            model.react(&correction, &draws)
        })
        .collect()
}

fn is_moved(reaction: &Reaction) -> bool {
    match reaction {
        Reaction::Takes { .. } | Reaction::Finds => true,
        Reaction::Varied | Reaction::Ignored => false,
    }
}

const ALL: Features = Features {
    complains: true,
    cause: true,
    form: true,
    example: true,
    options: true,
    shows: true,
    forbids: true,
    withholds: true,
    novel: true,
};

/// A message with these features that offers these ways.
fn message(features: Features, ways: &[Way]) -> Advice {
    Advice { features, ways: ways.iter().map(|way| Offered { way: *way, tool: None }).collect() }
}

#[test]
fn in_flat_mode_the_empty_notice_and_the_best_message_tie_exactly() {
    for in_a_row in 1..6 {
        let flat = |advice| reactions(pinned(Profile::Gpt35), ResponseMode::Flat, &advice, in_a_row);
        assert_eq!(flat(Advice::default()), flat(message(ALL, &Way::ALL)));
    }
}

#[test]
fn an_actor_moved_by_some_features_is_moved_by_more_of_them() {
    let by = |features| {
        let advice = message(features, &[Way::Call]);
        let taken = reactions(pinned(Profile::Gpt35), ResponseMode::Features, &advice, 2);
        taken.iter().map(is_moved).collect::<Vec<bool>>()
    };
    let [less, more] = [Features { complains: true, ..Features::default() }, ALL].map(by);
    assert!(less.iter().zip(&more).all(|(less, more)| more >= less));
    assert!(less != more);
}

#[test]
fn a_moved_actor_takes_an_offered_way_and_the_first_most_often() {
    let advice = message(ALL, &[Way::Wait, Way::Ask, Way::Inspect]);
    let taken = reactions(pinned(Profile::Strong), ResponseMode::Features, &advice, 1);
    let count = |wanted: Way| {
        taken
            .iter()
            .filter(|it| matches!(it, Reaction::Takes { offered, .. } if offered.way == wanted))
            .count()
    };
    assert!(taken.iter().all(|it| *it != Reaction::Finds));
    assert!(count(Way::Wait) > count(Way::Ask) + count(Way::Inspect));
    assert!(count(Way::Ask) > 1_000 && count(Way::Inspect) > 1_000);
}

#[test]
fn in_certain_mode_an_empty_notice_moves_like_the_best_message() {
    for advice in [Advice::default(), message(ALL, &Way::ALL)] {
        let taken = reactions(pinned(Profile::Gpt35), ResponseMode::Certain, &advice, 4);
        assert!(taken.iter().all(|it| *it == Reaction::Finds));
    }
}

#[test]
fn the_wholly_stubborn_never_move() {
    let parameters = Parameters::of(&pinned(Profile::Strong).into());
    let deaf = Ratio { num: 1, den: 1 };
    let advice = message(ALL, &Way::ALL);
    for mode in [ResponseMode::Features, ResponseMode::Flat, ResponseMode::Certain] {
        let model = ResponseModel { mode, stubbornness: deaf, parameters, is_measured: false };
        assert!((0..100).all(|visit| {
            let correction = Correction { advice: &advice, in_a_row: 1, state: "s", visit, detours: 0 };
            model.react(&correction, &Draws::new(3, "x")) == Reaction::Ignored
        }));
    }
}

#[test]
fn every_model_of_the_population_is_drawn() {
    let mut seen = [false; POPULATION.len()];
    for seed in 0..200 {
        let drawn = population::model(Profile::Population, &Draws::new(seed, "x"));
        for (at, model) in POPULATION.iter().enumerate() {
            seen[at] |= *model == drawn;
        }
    }
    assert_eq!(seen, [true; POPULATION.len()]);
}
