//! A live record small enough to count by hand: three worlds, four stacks, 16 seeds.
//!
//! | | none | default | mute | peer |
//! |---|---|---|---|---|
//! | `chart` | goal in seeds 0–7; else untold, at a bound from seed 10 on | goal in all, after two steps in doubt | as none | never, one step that disturbs; overflows in seeds 0–1 |
//! | `watch` | goal in all | goal in all, one step that disturbs in seeds 0–3 | as none | goal in all, one step that disturbs |
//! | `gap`, unreachable | untold, at a bound; two unknown commands | told in seeds 0–11, else at a bound; one step in doubt | as none | told, one step in doubt |
//!
//! Each trial has four completions of 100 tokens in and 10 out. In a trial with a step of its own, `default` shares one
//! with the baseline in `chart`, two in `watch` and three in `gap`, and `peer` one everywhere. Trials without a step
//! share all.

use std::collections::BTreeMap;

use balk_reports::records::{
    BENCH_SCHEMA, Bench, Cell, Drawn, Grade, Kind, Live, Outcome, Plan, PlannedLive, PlannedScenario,
    PlannedStack, Pools, Seeds, Suite,
};

pub(crate) const SEEDS: u64 = 16;

fn plan(worlds: usize) -> Plan {
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
        scenario("chart", Kind::Stubborn, None),
        scenario("watch", Kind::Control, None),
        scenario("gap", Kind::Stubborn, Some("handoff/gap")),
    ];
    scenarios.truncate(worlds);
    let drawn = |name: &str, value: &str| Drawn { name: name.into(), value: value.into() };
    Plan {
        schema: BENCH_SCHEMA,
        balk: "0".into(),
        build: None,
        suite: "live".into(),
        sweep: None,
        live: Some(PlannedLive {
            messages: false,
            api: "anthropic".into(),
            model: "small-coder".into(),
            system: "You are an agent.".into(),
            sampling: vec![drawn("max_tokens", "1024"), drawn("temperature", "0.7")],
        }),
        reactions: None,
        seeds: [0, SEEDS - 1],
        pools: Pools::Open,
        set: Vec::new(),
        transcripts: None,
        config: serde_json::Map::new(),
        stacks: ["none", "default", "mute", "peer"].map(stack).to_vec(),
        parameters: Vec::new(),
        scenarios,
    }
}

/// How a trial ends.
enum End {
    Goal,
    Told,
    Untold,
    AtABound,
}

/// How a trial ends, its interventions, how many of them disturb, and how many of four completions it shares.
fn facts(world: usize, stack: usize, seed: u64) -> (End, u32, u32, u64) {
    let shared = if stack == 0 { 0 } else { 4 };
    match (world, stack) {
        (0, 0 | 2) if seed < 8 => (End::Goal, 0, 0, shared),
        (0, 0 | 2) if seed < 10 => (End::Untold, 0, 0, shared),
        (1, 0 | 2) => (End::Goal, 0, 0, shared),
        (_, 0 | 2) => (End::AtABound, 0, 0, shared),
        (0, 1) => (End::Goal, 2, 0, 1),
        (1, 1) if seed < 4 => (End::Goal, 1, 1, 2),
        (1, 1) => (End::Goal, 0, 0, 4),
        (_, 1) if seed < 12 => (End::Told, 1, 0, 3),
        (_, 1) => (End::AtABound, 1, 0, 3),
        (0, _) => (End::Untold, 1, 1, 1),
        (1, _) => (End::Goal, 1, 1, 1),
        (_, _) => (End::Told, 1, 0, 1),
    }
}

/// Six turns; in `watch` all of them are healthy, else two.
fn grade(world: usize, stack: usize, seed: u64) -> Grade {
    let (end, interventions, false_interventions, _) = facts(world, stack, seed);
    let (onset, healthy_turns) = if world == 1 { (None, 6) } else { (Some(2), 2) };
    Grade {
        goal: matches!(end, End::Goal),
        told: matches!(end, End::Told),
        onset,
        first_help: onset.filter(|_| interventions > 0).map(|it| it + 1),
        last_stuck: onset.map(|it| it + 3),
        turns: 6,
        healthy_turns,
        stuck_turns: 6 - healthy_turns,
        interventions,
        false_interventions,
        tokens_in: 400,
        tokens_out: 40,
        ..Grade::default()
    }
}

fn live(world: usize, stack: usize, seed: u64) -> Live {
    let (end, _, _, shared) = facts(world, stack, seed);
    let fresh = 4 - shared;
    Live {
        bound: u64::from(matches!(end, End::AtABound)),
        overflowed: u64::from(world == 0 && stack == 3 && seed < 2),
        unknown_commands: if world == 2 && (stack == 0 || stack == 2) { 2 } else { 0 },
        fresh,
        fresh_in: 100 * fresh,
        fresh_out: 10 * fresh,
        shared,
        shared_in: 100 * shared,
        shared_out: 10 * shared,
    }
}

/// The record of the first so many worlds with its first so many seeds done.
pub(crate) fn bench(worlds: usize, seeds: u64) -> Bench {
    let mut bench = Bench::new(plan(worlds));
    for world in 0..worlds {
        let mut cells = vec![Cell::default(); 4];
        for seed in 0..seeds {
            let baseline = grade(world, 0, seed);
            for (stack, cell) in cells.iter_mut().enumerate() {
                let grade = grade(world, stack, seed);
                cell.live = cell.live.plus(&live(world, stack, seed));
                cell.take(&Outcome {
                    seed,
                    skeleton: None,
                    language: "en",
                    grade: &grade,
                    baseline: &baseline,
                    flat: &grade,
                    drawn: &grade,
                });
                for nth in 0..grade.interventions {
                    cell.fired("guard", "rule", nth < grade.false_interventions);
                }
            }
        }
        bench.add(world, &Seeds::range(0, seeds - 1), &cells).expect("every seed once");
    }
    bench
}
