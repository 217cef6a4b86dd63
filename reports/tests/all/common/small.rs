//! A bench small enough to count by hand: three scenarios, three stacks, 64 seeds.
//!
//! | | none | default | peer |
//! |---|---|---|---|
//! | `repeating (n=1, m=2)`, stubborn | recovers in seeds 0–3 | in 0–39, after help | in 0–11 |
//! | `gap`, unreachable | tells nobody | tells in all | tells in 0–31 |
//! | `polling`, control | done | done, steps in once in seeds 0–7 | done in 2–63 |
//!
//! With drawn numbers `default` recovers in four seeds more of the draws that have `cause` high, and `peer`
//! in none.

use std::collections::BTreeMap;

use balk_reports::records::{
    BENCH_SCHEMA, Bench, Cell, Cost, Drawn, Grade, Instructions, Kind, Outcome, Plan, PlannedParameter,
    PlannedScenario, PlannedStack, Pools, Seeds, Suite, Timed, Work,
};

pub(crate) const SEEDS: u64 = 64;

/// What was measured of cost: one row of each kind.
pub(crate) fn cost() -> Cost {
    let timed = Timed {
        guard: "default".into(),
        what: Work::Written,
        bytes: 400,
        turns: 9,
        p50_ns: 300,
        p99_ns: 1_000,
        anchor_p50_ns: 40,
    };
    let instructions =
        Instructions { guard: "default".into(), what: Work::Read, bytes: 400, instructions: 900 };
    Cost { timed: vec![timed], instructions: vec![instructions] }
}

fn plan() -> Plan {
    let stack = |guard: &str| {
        let about = format!("what {guard} does");
        PlannedStack { guard: guard.into(), about, files: BTreeMap::new() }
    };
    let scenario = |name: &str, kind: Kind, unreachable: Option<&str>| PlannedScenario {
        name: name.into(),
        set: Vec::new(),
        suite: Suite::Written,
        kind,
        protocol: "tool".into(),
        title: format!("Is <{name}>"),
        unreachable: unreachable.map(str::to_owned),
        text: "0".into(),
    };
    let mut scenarios = vec![
        scenario("repeating", Kind::Stubborn, None),
        scenario("gap", Kind::Stubborn, Some("handoff/gap")),
        scenario("polling", Kind::Control, None),
    ];
    scenarios[0].set = [("n", "1"), ("m", "2")]
        .map(|(name, value)| Drawn { name: name.into(), value: value.into() })
        .to_vec();
    Plan {
        schema: BENCH_SCHEMA,
        balk: "0".into(),
        build: None,
        suite: "all".into(),
        sweep: None,
        live: None,
        reactions: None,
        seeds: [0, SEEDS - 1],
        pools: Pools::Open,
        set: Vec::new(),
        transcripts: None,
        config: serde_json::Map::new(),
        stacks: vec![stack("none"), stack("default"), stack("peer")],
        parameters: vec![PlannedParameter {
            name: "cause".into(),
            range: [230, 460],
            high: (0..32).filter(|draw| draw % 2 == 1).collect(),
        }],
        scenarios,
    }
}

/// Ten turns, four of them healthy, stuck from turn 3 on.
fn stuck(goal: bool, helped: bool) -> Grade {
    Grade {
        goal,
        onset: Some(3),
        first_help: helped.then_some(4),
        last_stuck: Some(if goal { 5 } else { 8 }),
        turns: 10,
        stuck_turns: 6,
        healthy_turns: 4,
        interventions: u32::from(helped),
        tokens_in: if helped { 50 } else { 100 },
        ..Grade::default()
    }
}

/// Five healthy turns.
fn healthy(goal: bool, false_interventions: u32) -> Grade {
    Grade {
        goal,
        turns: 5,
        healthy_turns: 5,
        interventions: false_interventions,
        false_interventions,
        tokens_in: 10,
        ..Grade::default()
    }
}

/// What came of a trial, and of the same with drawn numbers.
fn grades(scenario: usize, stack: usize, seed: u64) -> [Grade; 2] {
    let same = |grade: Grade| [grade.clone(), grade];
    match (scenario, stack) {
        (0, 0) => same(stuck(seed < 4, false)),
        // Seeds 40 to 47 are draws 8 to 15, half of which are odd.
        (0, 1) => [stuck(seed < 40, true), stuck(seed < 40 || (seed < 48 && seed % 2 == 1), true)],
        (0, _) => same(stuck(seed < 12, true)),
        (1, 0) => same(stuck(false, false)),
        (1, 1) => same(Grade { told: true, ..stuck(false, true) }),
        (1, _) => same(Grade { told: seed < 32, ..stuck(false, true) }),
        (_, 0) => same(healthy(true, 0)),
        (_, 1) => same(healthy(true, u32::from(seed < 8))),
        (_, _) => same(healthy(seed >= 2, 0)),
    }
}

/// The bench with its first so many seeds done.
pub(crate) fn bench(seeds: u64) -> Bench {
    let mut bench = Bench::new(plan());
    for scenario in 0..3 {
        let mut cells = vec![Cell::default(); 3];
        for seed in 0..seeds {
            let usual = grades(scenario, 0, seed)[0].clone();
            for (stack, cell) in cells.iter_mut().enumerate() {
                let [grade, drawn] = grades(scenario, stack, seed);
                cell.take(&Outcome {
                    seed,
                    skeleton: None,
                    language: if seed < 32 { "en" } else { "de" },
                    grade: &grade,
                    baseline: &usual,
                    flat: &usual,
                    drawn: &drawn,
                });
                for nth in 0..grade.interventions {
                    cell.fired("guard", "rule", nth < grade.false_interventions);
                }
            }
        }
        bench.add(scenario, &Seeds::range(0, seeds - 1), &cells).expect("every seed once");
    }
    bench
}
