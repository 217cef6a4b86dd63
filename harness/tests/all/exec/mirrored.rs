//! A guard in another process gives the same transcript as the same guard in the program.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use balk::engine::{self, Trial, TruthChannel};
use balk::exec::{ExecGuard, Pool};
use balk_guards::{
    Answer, AttemptFailure, AttemptResponse, Completion, Conclusion, Decision, Entry, Guard, Recovery,
    Settlement, Stack, Termination, ToolResult,
};
use balk_scenarios::{Scenario, World, WorldOptions, catalogue};
use proptest::prelude::*;
use rayon::prelude::*;

use super::{mirror, patient, quoted};

/// The guards that the example has.
const GUARDS: [&str; 10] = [
    "pass",
    "abandonment",
    "duplicate",
    "empty-completion",
    "handoff",
    "no-tools",
    "progress",
    "repair",
    "repetition",
    "retry-safety",
];

fn own(name: &str) -> Box<dyn Guard> {
    match name {
        "pass" => Box::new(()),
        name => balk_guards::shipped(name, serde_json::Map::new())
            .expect("it is shipped")
            .expect("it has defaults"),
    }
}

/// The children of each guard. They end with this program.
static POOLS: LazyLock<BTreeMap<&str, Arc<Pool>>> = LazyLock::new(|| {
    let pool = |name| {
        let command = format!("{} {name}", quoted(&mirror().display().to_string()));
        let pool = Pool::start(&command, patient());
        Arc::new(pool.unwrap_or_else(|why| panic!("{why}; cargo build --examples")))
    };
    GUARDS.into_iter().map(|name| (name, pool(name))).collect()
});

static SCENARIOS: LazyLock<Vec<Arc<Scenario>>> =
    LazyLock::new(|| catalogue::listed().map(|it| it.read(&[]).expect("the catalogue is good")).collect());

fn trial(
    scenario: &Arc<Scenario>,
    seed: u64,
    guards: &[&str],
    made: &dyn Fn(&str) -> Box<dyn Guard>,
) -> Trial {
    let world = World::draw(scenario, seed, WorldOptions::default());
    let mut stack = Stack::new(guards.iter().map(|name| made(name)).collect());
    engine::run(&world, &mut stack, &TruthChannel::default())
}

fn elsewhere(name: &str) -> Box<dyn Guard> {
    Box::new(ExecGuard::new(&POOLS[name]))
}

/// The kinds of what a guard did.
fn done(trial: &Trial) -> impl Iterator<Item = &'static str> {
    trial.entries.iter().filter_map(|entry| match entry {
        Entry::Intervention(it) => Some(it.kind.name()),
        Entry::Failed(it) => match it.response {
            AttemptResponse::Resent { .. } => Some("resend"),
            AttemptResponse::Asked | AttemptResponse::Ended => None,
        },
        Entry::Conclusion(_) => Some("conclusion"),
        Entry::Start(_)
        | Entry::User(_)
        | Entry::Completion(_)
        | Entry::Tried(_)
        | Entry::Result(_)
        | Entry::Answer(_)
        | Entry::Compaction(_)
        | Entry::End(_) => None,
    })
}

/// Together they say everything that a guard can say, but for running a call again.
#[test]
fn every_guard_does_the_same_in_every_scenario() {
    let cases: Vec<_> = SCENARIOS.iter().flat_map(|it| GUARDS.map(|guard| (it, guard))).collect();
    let kinds = cases.into_par_iter().map(|(scenario, guard)| {
        let here = trial(scenario, 0, &[guard], &own);
        let there = trial(scenario, 0, &[guard], &elsewhere);
        assert_eq!(there, here, "{guard} in {}", scenario.name);
        done(&there).collect::<BTreeSet<_>>()
    });
    let kinds = kinds.reduce(BTreeSet::new, |a, b| a.union(&b).copied().collect());
    let expected =
        ["block", "conclusion", "feedback", "note", "notice", "question", "repair", "resend", "stop"];
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), expected);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.min(64),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_stack_with_guards_elsewhere_gives_the_same_trial(
        scenario in 0..SCENARIOS.len(),
        seed in any::<u64>(),
        guards in prop::sample::subsequence(GUARDS.to_vec(), 1..=3).prop_shuffle(),
        at in 0..8_usize,
    ) {
        let scenario = &SCENARIOS[scenario];
        let here = trial(scenario, seed, &guards, &own);
        // Some here, some there.
        let mixed = |name: &str| {
            let nth = guards.iter().position(|it| *it == name).expect("it is one of them");
            if at >> nth & 1 == 1 { own(name) } else { elsewhere(name) }
        };
        prop_assert_eq!(&trial(scenario, seed, &guards, &mixed), &here);
    }

    #[test]
    fn a_guard_elsewhere_that_restarts_after_every_entry_gives_the_same_trial(
        scenario in 0..SCENARIOS.len(),
        seed in any::<u64>(),
        guard in prop::sample::select(GUARDS.to_vec()),
    ) {
        let scenario = &SCENARIOS[scenario];
        let restarted = |name: &str| {
            let guard = Stack::new(vec![elsewhere(name)]);
            Box::new(Restarted { name: name.to_owned(), guard }) as Box<dyn Guard>
        };
        let world = World::draw(scenario, seed, WorldOptions::default());
        let there = engine::run(&world, &mut restarted(guard), &TruthChannel::default());
        prop_assert_eq!(there, trial(scenario, seed, &[guard], &own));
    }
}

/// A guard in another process, in an agent that restarts after every entry.
struct Restarted {
    name: String,
    guard: Stack,
}

impl Guard for Restarted {
    fn name(&self) -> &str {
        &self.name
    }

    fn observe(&mut self, entry: &Entry) {
        self.guard.observe(entry);
        let saved = self.guard.save().to_string();
        self.guard = Stack::new(vec![elsewhere(&self.name)]);
        self.guard.load(serde_json::from_str(&saved).expect("JSON")).expect("it takes up its own state");
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        self.guard.review(completion)
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        self.guard.settle(completion, results)
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        self.guard.recover(failure)
    }

    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        self.guard.conclude(end)
    }
}

/// More runs at the same time than children are kept, as in a proxy: each run sees its own entries alone.
#[test]
fn children_change_between_many_open_runs() {
    let runs: Vec<Trial> = (0..24).map(|nth| trial(&SCENARIOS[nth], 3, &["duplicate"], &own)).collect();
    let mut pairs: Vec<_> = runs.iter().map(|_| (own("duplicate"), elsewhere("duplicate"))).collect();
    let mut blocked = 0;
    for at in 0..runs.iter().map(|it| it.entries.len()).max().expect("there are some") {
        for (run, (here, there)) in runs.iter().zip(&mut pairs) {
            let Some(entry) = run.entries.get(at) else { continue };
            here.observe(entry);
            there.observe(entry);
            if let Entry::Completion(completion) = entry {
                let said = there.review(completion);
                blocked += u32::from(said.as_ref().is_ok_and(|it| !it.is_pass()));
                assert_eq!(said, here.review(completion), "entry {at}");
            }
        }
    }
    assert!(blocked > 0, "it has something to say");
}
