//! Repairs in whole runs: a model whose call was made goes on, and nothing is made twice.

use std::sync::Arc;

use crate::common::runs::recipe;
use crate::common::scenario;
use balk::engine::{self, TruthChannel};
use balk::grade;
use balk_guards::{
    Answer, Completion, Decision, Effect, Entry, FinishReason, Guard, Intervention, InterventionKind, Note,
    Offer, RawCall, Repair, Subject, Tool, Verdict,
};
use balk_scenarios::drawn::Target;
use balk_scenarios::{Pools, Scenario, World, WorldOptions};

/// Runs of a drawn slip in which a call was repaired: how many, and how many of them have more than one stuck turn.
fn repaired(slip: &str, guard: &str) -> (usize, usize) {
    let target = Target::find(slip).expect("a slip");
    let stack = recipe(guard);
    let (mut all, mut stays) = (0, 0);
    for seed in 0..=39 {
        let scenario = target.scenario(seed, Pools::Open);
        let world = World::draw(&scenario, seed, WorldOptions::default());
        let channel = TruthChannel::default();
        let trial = engine::run(&world, &mut stack.stack(&channel), &channel);
        let is_repair = |entry: &Entry| {
            matches!(entry, Entry::Intervention(Intervention { kind: InterventionKind::Repair(_), .. }))
        };
        let grade = grade::grade(&trial);
        assert_eq!(grade.double_effects, 0, "{slip} seed {seed}");
        if trial.entries.iter().any(is_repair) {
            all += 1;
            stays += usize::from(grade.stuck_turns > 1);
        }
    }
    (all, stays)
}

#[test]
fn x1_x3_a_model_whose_call_was_made_goes_on() {
    for slip in ["drawn/prints-json", "drawn/nearly-json", "drawn/misspells-tool"] {
        let (all, stays) = repaired(slip, "repair");
        assert!(all >= 20, "{slip}: {all} of 40 runs were repaired");
        assert!(stays * 5 <= all, "{slip}: {stays} of {all} models sent the call again");
    }
}

/// The runs of a scenario: repairs, those whose calls ran without failing, and false interventions.
fn graded(scenario: &Arc<Scenario>, guard: impl Fn() -> Box<dyn Guard>) -> [u32; 3] {
    let (mut repairs, mut ran, mut wrong) = (0, 0, 0);
    for seed in 0..=79 {
        let world = World::draw(scenario, seed, WorldOptions::default());
        let trial = engine::run(&world, &mut *guard(), &TruthChannel::default());
        for (at, entry) in trial.entries.iter().enumerate() {
            let Entry::Intervention(Intervention { kind: InterventionKind::Repair(made), .. }) = entry else {
                continue;
            };
            repairs += 1;
            let result = trial.entries[at..].iter().find_map(|it| {
                let Entry::Result(result) = it else { return None };
                (result.call.id == made.calls[0].id).then_some(result)
            });
            ran += u32::from(result.is_some_and(|it| !it.is_failure()));
        }
        wrong += grade::grade(&trial).false_interventions;
    }
    [repairs, ran, wrong]
}

/// The first call in a broken form is no balk yet. To mend it changes nothing that the model meant.
#[test]
fn a_repair_of_a_call_that_the_model_sent_and_that_ran_is_not_false() {
    let stack = recipe("default");
    let guard = || Box::new(stack.stack(&TruthChannel::default())) as Box<dyn Guard>;
    let [repairs, ran, wrong] = graded(&scenario("malformed-arguments", &[]), guard);
    assert!(repairs >= 3 && ran == repairs, "{ran} of {repairs} repairs ran");
    assert_eq!(wrong, 0, "of {repairs} repairs");
}

/// Makes a call of the first tool that needs nothing but a path.
#[derive(Default)]
struct Looks {
    /// Of messages without a call; else of those with one.
    of_texts: bool,
    arguments: &'static str,
    offer: Offer,
}

impl Guard for Looks {
    fn name(&self) -> &'static str {
        "looks"
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Start(start) = entry {
            self.offer = (*start.offer).clone();
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let is_made = completion.calls.iter().any(|it| &*it.id == "made");
        if is_made || self.of_texts != completion.calls.is_empty() {
            return Ok(Decision::pass());
        }
        let looks = |it: &&Tool| it.effect == Effect::ReadOnly && it.parameters.required().len() == 1;
        let tool = self.offer.tools().iter().find(looks).expect("an agent can look").name.clone();
        let call = RawCall { id: "made".into(), tool, arguments: self.arguments.into() };
        let made = Completion::new([], [call], FinishReason::ToolCall, completion.usage, &self.offer);
        let note = Note {
            guard: "looks".into(),
            rule: "made".into(),
            level: 1,
            subject: Subject::Run,
            text: "Made.".into(),
        };
        Ok(Verdict::Repair(Repair { note, completion: Arc::new(made) }).into())
    }
}

#[test]
fn a_repair_is_false_if_the_model_sent_no_call_or_if_what_was_made_of_it_fails() {
    let looks = |of_texts, arguments| {
        let guard = move || Box::new(Looks { of_texts, arguments, ..Looks::default() }) as Box<dyn Guard>;
        graded(&scenario(if of_texts { "answers-in-text" } else { "corrects-its-call" }, &[]), guard)
    };
    let [repairs, ran, wrong] = looks(true, r#"{"path": "."}"#);
    assert!(ran >= 5, "{ran} of {repairs} repairs ran");
    assert_eq!(wrong, repairs);
    let [repairs, ran, wrong] = looks(false, "no JSON");
    assert_eq!((ran, wrong), (0, repairs));
}
