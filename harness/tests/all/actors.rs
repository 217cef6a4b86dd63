//! The requirements of spec S1 to S6 on actors and scenarios, in whole runs over the catalogue; S2 is in the
//! measures.

mod refused;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::common::runs::{Run, criterion, recipe, recovered, runs_with, under};
use crate::common::{one_in, scenario};
use balk::engine::TurnFacts;
use balk_guards::{ChoiceKind, Entry, Origin, Termination};
use balk_scenarios::catalogue::CATALOGUE;
use balk_scenarios::scenario::TruthSpan;
use balk_scenarios::{
    Environment, Kind, ResponseMode, Scenario, Stuck, Truth, World, WorldOptions, format, toolsets,
};

fn all() -> impl Iterator<Item = Arc<Scenario>> {
    CATALOGUE.iter().map(|it| scenario(it.name, &[]))
}

/// The ways in which the runs of all stubborn scenarios get stuck, including failed attempts.
fn kinds_of_stuck() -> BTreeMap<Stuck, BTreeSet<String>> {
    let mut kinds: BTreeMap<Stuck, BTreeSet<String>> = BTreeMap::new();
    for scenario in all().filter(|it| it.kind == Kind::Stubborn) {
        for run in under(&scenario, 0..=19, "none") {
            let attempts = run.trial.failed.iter().map(|it| it.truth);
            for truth in run.trial.turns.iter().map(|it| it.truth).chain(attempts) {
                if let Truth::Stuck(how) = truth {
                    kinds.entry(how).or_default().insert(scenario.name.to_string());
                }
            }
        }
    }
    kinds
}

/// An actor with empty completions is required as soon as the catalogue has a state that can be empty.
#[test]
fn s1_actors_that_only_talk_that_repeat_that_abandon_and_that_answer_nothing() {
    let kinds = kinds_of_stuck();
    let comes_empty = all().any(|it| it.actor.states.iter().any(|state| !state.empty.is_empty()));
    let empty = comes_empty.then_some(Stuck::Empty);
    for how in [Stuck::TextOnly, Stuck::IdenticalCall, Stuck::Fence].into_iter().chain(empty) {
        assert!(kinds.contains_key(&how), "no run is stuck like {how:?}: {kinds:?}");
    }
}

/// Replays the calls that ran, in a world without a model: the goal must follow from them.
#[test]
fn s3_done_is_what_the_world_says() {
    let mut unearned = 0;
    // The calls that the provider runs itself are in no transcript.
    for scenario in all().filter(|it| it.provider.is_empty()) {
        for run in under(&scenario, 0..=19, "default") {
            let world = World::draw(&scenario, run.seed, WorldOptions::default());
            let mut environment = Environment::new(&world);
            for entry in &run.trial.entries {
                if let Entry::Tried(it) | Entry::Result(it) = entry
                    && it.origin != Origin::Synthetic
                {
                    environment.call(&it.call);
                }
                if let Entry::Answer(answer) = entry {
                    let spec = scenario.user.answers.iter().find(|it| it.choice == answer.choice);
                    environment.set(spec.map_or(&[], |it| &it.sets));
                }
            }
            assert_eq!(run.trial.goal, environment.goal(), "{} seed {}", scenario.name, run.seed);
            let finished = run.trial.entries.last() == Some(&Entry::End(Termination::Finished));
            unearned += u32::from(finished && !run.trial.goal);
        }
    }
    assert!(unearned > 0, "in some run the model says that it is done, and the goal does not hold");
}

fn facts(run: &Run) -> (usize, usize) {
    let count = |wanted: fn(&&Entry) -> bool| run.trial.entries.iter().filter(wanted).count();
    (count(|it| matches!(it, Entry::Completion(_))), count(|it| matches!(it, Entry::Failed(_))))
}

#[test]
fn s4_every_turn_and_every_failed_attempt_has_its_truth() {
    for scenario in all() {
        for run in under(&scenario, 0..=19, "default") {
            let recorded = (run.trial.turns.len(), run.trial.failed.len());
            assert_eq!(facts(&run), recorded, "{} seed {}", scenario.name, run.seed);
            for turn in &run.trial.turns {
                assert!(matches!(run.trial.entries[turn.entry], Entry::Completion(_)));
            }
            for attempt in &run.trial.failed {
                assert!(matches!(run.trial.entries[attempt.entry], Entry::Failed(_)));
            }
        }
    }
}

/// The same scenarios with every truth changed: not one byte of a transcript differs.
#[test]
fn s4_the_truth_is_in_no_view() {
    for scenario in all() {
        let mut lies = scenario.clone();
        for state in &mut Arc::make_mut(&mut lies).actor.states {
            state.truth = vec![TruthSpan { until: u32::MAX, is: Truth::Waiting }];
        }
        let (told, lied) = (under(&scenario, 0..=19, "default"), under(&lies, 0..=19, "default"));
        for (told, lied) in told.iter().zip(&lied) {
            assert_eq!(told.trial.entries, lied.trial.entries, "{} seed {}", scenario.name, told.seed);
            // A broken attempt is still faulted: that is no lie about the model.
            let lies = |turn: &TurnFacts| matches!(turn.truth, Truth::Waiting | Truth::Faulted);
            assert!(lied.trial.turns.iter().all(lies));
        }
    }
}

/// Whether a guard sent a message to the model.
fn is_corrected(run: &Run) -> bool {
    run.trial.entries.iter().any(|entry| matches!(entry, Entry::Intervention(it) if it.message().is_some()))
}

/// How many runs end well on the model's part: it reaches the goal or, if the goal is unreachable, says so.
fn well(name: &str, runs: &[Run]) -> usize {
    if scenario(name, &[]).unreachable.is_none() {
        return recovered(runs);
    }
    runs.iter().filter(|run| run.trial.turns.iter().any(|turn| turn.tells_user)).count()
}

/// How many runs end well with these settings, and how many differ from the runs without them.
fn with(name: &str, sets: &[(&str, &str)]) -> (usize, usize) {
    let [as_it_is, set] = [&[][..], sets].map(|sets| under(&scenario(name, sets), one_in(2), "default"));
    (well(name, &set), differing(&as_it_is, &set))
}

/// How many runs differ from their counterparts.
fn differing(runs: &[Run], others: &[Run]) -> usize {
    runs.iter().zip(others).filter(|(a, b)| a.trial.entries != b.trial.entries).count()
}

fn in_mode(
    scenario: &Arc<Scenario>,
    response: ResponseMode,
    seeds: RangeInclusive<u64>,
    guard: &str,
) -> Vec<Run> {
    let options = WorldOptions { response, ..WorldOptions::default() };
    runs_with(scenario, options, seeds, &|channel| Box::new(recipe(guard).stack(channel)))
}

#[test]
fn s5_what_is_assumed_about_reactions_changes_outcomes() {
    let mut flat = 0;
    for listed in CATALOGUE.iter().filter(|it| it.kind == Kind::Stubborn) {
        let name = listed.name;
        let response = scenario(name, &[]).response;
        let as_it_is = under(&scenario(name, &[]), one_in(2), "default");
        let in_flat = in_mode(&scenario(name, &[]), ResponseMode::Flat, one_in(2), "default");
        let differ = differing(&as_it_is, &in_flat);
        flat += differ;
        // A model that ignores messages does so in every mode; a resent request carries no message.
        let deaf = response.stubbornness.num == response.stubbornness.den;
        if deaf {
            assert_eq!(differ, 0, "{name}");
        }
        let corrected = as_it_is.iter().filter(|run| is_corrected(run)).count();
        // What ran in a broken attempt is not run again, whether or not the model listens, and an unreachable goal
        // stays out of reach.
        let breaks = scenario(name, &[]).actor.states.iter().any(|state| !state.breaks.is_empty());
        let reachable = scenario(name, &[]).unreachable.is_none();
        if deaf || breaks || !reachable || 10 * corrected < as_it_is.len() {
            continue;
        }
        // If the user switches the model, one that ignores messages may do better than one that half listens.
        let (deaf, _) = with(name, &[("response.stubbornness", "1/1")]);
        // Where the user is always told in the end, all end well.
        if deaf < as_it_is.len() {
            assert_ne!(deaf, well(name, &as_it_is), "{name}: as many end well when nothing moves them");
        }
        let (_, differ) = with(name, &[("response.profile", "strong")]);
        assert!(differ > 0, "{name} is the same with a strong model");
    }
    assert!(flat > 0, "flat mode is never another one");
}

#[test]
fn s6_seeds_draw_other_worlds_in_five_languages_with_other_tools() {
    for scenario in all() {
        let worlds: Vec<Arc<World>> =
            criterion().map(|seed| World::draw(&scenario, seed, WorldOptions::default())).collect();
        let mut drawn: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (name, value) in worlds.iter().flat_map(|it| it.drawn()) {
            drawn.entry(name).or_default().insert(value);
        }
        let languages: BTreeSet<String> = ["de", "en", "es", "ja", "zh"].map(str::to_owned).into();
        assert!(drawn["language"].is_superset(&languages), "{}: {:?}", scenario.name, drawn["language"]);
        assert!(drawn["toolset"].len() >= 3, "{}: {:?}", scenario.name, drawn["toolset"]);
        let offers: BTreeSet<String> = worlds.iter().map(|it| format!("{:?}", it.offer().tools())).collect();
        assert!(offers.len() > drawn["toolset"].len(), "{}: order or distractors vary", scenario.name);
        let whole: BTreeSet<String> = worlds.iter().map(|it| format!("{:?}", it.drawn())).collect();
        assert!(whole.len() >= 100, "{}: {} different worlds", scenario.name, whole.len());
    }
}

/// So a bench runs such a trial once for all three response models.
#[test]
fn whoever_is_left_alone_does_the_same_under_every_response_model() {
    let (mut alone, mut corrected, mut moved) = (0, 0, 0);
    for listed in CATALOGUE {
        let scenario = scenario(listed.name, &[]);
        for guard in ["none", "default", "naive-retry"] {
            let [own, flat, drawn] = [ResponseMode::Features, ResponseMode::Flat, ResponseMode::Drawn]
                .map(|mode| in_mode(&scenario, mode, one_in(20), guard));
            for ((run, flat), drawn) in own.iter().zip(flat).zip(drawn) {
                let is_alone = !run.trial.entries.iter().any(|it| matches!(it, Entry::Intervention(_)));
                let is_same = run.trial == flat.trial && run.trial == drawn.trial;
                assert!(is_same || !is_alone, "{}, seed {}, {guard}", scenario.name, run.seed);
                alone += u32::from(is_alone);
                corrected += u32::from(!is_alone);
                moved += u32::from(!is_same);
            }
        }
    }
    assert!(alone > 0 && moved > 0 && moved < corrected, "{alone} {corrected} {moved}");
}

/// A person may say the same in a reply and in the answer to a guard's question.
#[test]
fn an_instruction_in_the_words_of_a_reply_is_one() {
    let text = include_str!("../../../scenarios/catalog/text-only.toml");
    let reply = "stays_for = 0\n\n[[user.reply]]\nwhen = [{ said = \"never said\" }]\nsays = \"do_it\"\n";
    let read = |text: &str| {
        let text = text.replace("obeys = \"1/2\"", "obeys = \"1/1\"");
        let all = format::parse("text-only.toml", &text, toolsets::catalogue());
        all.unwrap_or_else(|wrong| panic!("{wrong}")).remove(0)
    };
    let (alone, with_reply) = (read(text), read(&text.replace("stays_for = 0\n", reply)));
    let mut instructed = 0;
    for (one, other) in under(&alone, 0..=99, "default").iter().zip(under(&with_reply, 0..=99, "default")) {
        assert_eq!(one.trial.entries[1..], other.trial.entries[1..], "seed {}", one.seed);
        let is_answer = |it: &Entry| matches!(it, Entry::Answer(it) if it.choice == ChoiceKind::Instruct);
        instructed += u32::from(one.trial.entries.iter().any(is_answer));
    }
    assert!(instructed > 0, "no run asks the user");
}
