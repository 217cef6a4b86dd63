//! Worlds with the tools of an agent that is really there, in place of drawn ones: the actor takes the same way.

use std::sync::Arc;

use crate::common::recipe::recipe;
use crate::common::{between, scenario};
use balk::engine::{self, Trial, TruthChannel};
use balk_guards::{Entry, Tool};
use balk_scenarios::scenario::{Role, StateId};
use balk_scenarios::toolsets::{self, bind};
use balk_scenarios::{Truth, World, WorldOptions, catalogue, format};
use serde_json::Value;

const AGENTS: [(&str, &str); 8] = [
    ("codex", include_str!("../../../scenarios/tests/agents/codex.json")),
    ("claude-code", include_str!("../../../scenarios/tests/agents/claude-code.json")),
    ("opencode", include_str!("../../../scenarios/tests/agents/opencode.json")),
    ("gemini-cli", include_str!("../../../scenarios/tests/agents/gemini-cli.json")),
    ("qwen-code", include_str!("../../../scenarios/tests/agents/qwen-code.json")),
    ("mini-swe-agent", include_str!("../../../scenarios/tests/agents/mini-swe-agent.json")),
    ("langchain", include_str!("../../../scenarios/tests/agents/langchain.json")),
    ("openhands", include_str!("../../../scenarios/tests/agents/openhands.json")),
];

fn offered(list: &str) -> Vec<Tool> {
    let all: Vec<Value> = serde_json::from_str(list).expect("the list of tools is JSON");
    let tool = |it: &Value| {
        let name = it["name"].as_str().expect("a tool has a name");
        Tool::new(name).parameters(&it["parameters"].to_string())
    };
    all.iter().map(tool).collect()
}

fn play(world: &Arc<World>) -> Trial {
    let channel = TruthChannel::default();
    engine::run(world, &mut recipe("none").stack(&channel), &channel)
}

/// The states of a trial, with what was true of each.
fn way(trial: &Trial) -> Vec<(Option<StateId>, Truth)> {
    trial.turns.iter().map(|it| (it.state, it.truth)).collect()
}

#[test]
fn the_actor_takes_the_same_way_with_the_tools_of_any_agent() {
    let (mut played, mut unbound, mut ended) = (0, 0, 0);
    let listed = catalogue::listed().map(|it| scenario(it.name, &[]));
    for scenario in listed.into_iter().chain([between()]) {
        for (agent, list) in AGENTS {
            let Ok(set) = bind(agent, &scenario.roles, &offered(list), &[]) else {
                unbound += 1;
                continue;
            };
            for seed in 0..6 {
                let drawn = World::draw(&scenario, seed, WorldOptions::default());
                let given = World::with_tools(&scenario, seed, WorldOptions::default(), &set.clone().into());
                let (drawn, given) = (play(&drawn), play(&given));
                let what = format!("{} {agent} seed {seed}", scenario.name);
                let (given_way, drawn_way) = (way(&given), way(&drawn));
                // Where a message ends the task, one that only talks ends the run.
                if given_way.len() < drawn_way.len() {
                    assert!(set.spoken.contains(&Role::Finish), "{what}");
                    assert!(drawn_way.starts_with(&given_way), "{what}: {given_way:?}, {drawn_way:?}");
                    ended += 1;
                } else {
                    assert_eq!(given_way, drawn_way, "{what}");
                    assert_eq!(given.goal, drawn.goal, "{what}");
                }
                played += 1;
            }
        }
    }
    assert!(played > 4_000, "only {played} were played, and {unbound} could not be bound");
    assert!(ended < played / 10, "{ended} of {played} ended early");
}

/// A question in words is answered by the user, and a summary in words ends the run.
#[test]
fn what_no_tool_does_is_said_in_words() {
    let text = include_str!("../../../scenarios/tests/worlds/asking.toml");
    let all = format::parse("asking.toml", text, toolsets::catalogue());
    let scenario = all.unwrap_or_else(|wrong| panic!("{wrong}")).remove(0);
    let set = bind("mini-swe-agent", &scenario.roles, &offered(AGENTS[5].1), &[]).expect("it has a shell");
    let trial = play(&World::with_tools(&scenario, 0, WorldOptions::default(), &set.clone().into()));
    let said = trial.entries.iter().filter_map(|entry| match entry {
        Entry::User(it) => Some(format!("user: {}", it.text)),
        Entry::Completion(it) if it.calls.is_empty() => {
            Some(format!("model: {}", it.texts().map(|text| &**text).collect::<String>()))
        }
        Entry::Completion(it) => Some(format!("call: {}", it.calls[0].arguments)),
        Entry::End(it) => Some(format!("end: {it:?}")),
        Entry::Start(_)
        | Entry::Failed(_)
        | Entry::Tried(_)
        | Entry::Result(_)
        | Entry::Intervention(_)
        | Entry::Answer(_)
        | Entry::Compaction(_)
        | Entry::Conclusion(_) => None,
    });
    assert_eq!(
        said.collect::<Vec<_>>(),
        [
            "user: Write the colour of the house into colour.txt. Ask me which it is, and ask again until I know.",
            "model: Which colour, for the 1. time?",
            "user: error: the person is not there, ask again",
            "model: Which colour, for the 2. time?",
            "user: error: the person is not there, ask again",
            "model: Which colour, for the 3. time?",
            "user: It is blue.",
            r#"call: {"command": "printf %s 'blue\n' > colour.txt"}"#,
            "model: It is written down.",
            "end: Finished",
        ]
    );
    assert!(trial.goal);
}
