//! What tools do to the world, in the words of each agent.

use std::collections::BTreeMap;
use std::sync::Arc;

use balk_contract::{Message, Status};
use balk_scenarios::format::parse;
use balk_scenarios::{
    Actor, Environment, Executed, Scenario, User, World, WorldOptions, reads_as_failure, toolsets,
};

const EDITS: &str = include_str!("worlds/edits.toml");
const HELPERS: &str = include_str!("worlds/helpers.toml");

fn scenario(name: &str, text: &str) -> Scenario {
    parse(name, text, toolsets::catalogue(), &[]).unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// Every answer of the run of one seed, without a guard, and whether the goal holds at its end.
fn play(world: &World<'_>) -> (Vec<Executed>, bool) {
    let (mut actor, mut environment) = (Actor::new(world), Environment::new(world));
    let mut messages = vec![Message::User(User::new(world).opening())];
    let mut answers = Vec::new();
    loop {
        let completion = Arc::new(actor.act(&messages, 1).completion(world.offer()));
        if completion.calls.is_empty() {
            return (answers, environment.goal());
        }
        messages.push(Message::Assistant(completion.clone()));
        for call in &completion.calls {
            let executed = environment.call(call);
            let text = executed.text.as_str().into();
            messages.push(Message::Result { id: call.id.clone(), text, is_error: false });
            answers.push(executed);
        }
    }
}

/// What each agent's tools answer, by the agent.
fn by_agent(scenario: &Scenario) -> BTreeMap<String, Vec<Executed>> {
    let mut all = BTreeMap::new();
    for seed in 0..100 {
        let world = World::draw(scenario, seed, WorldOptions::default());
        let agent = world.drawn().into_iter().find(|(name, _)| name == "toolset").expect("a set is drawn").1;
        let (answers, goal) = play(&world);
        assert!(goal, "{agent}: {answers:#?}");
        for it in &answers {
            assert_eq!(reads_as_failure(&it.text), it.status == Status::Error, "{agent}: {it:?}");
        }
        all.insert(agent, answers);
    }
    all
}

fn shown(all: &BTreeMap<String, Vec<Executed>>) -> String {
    let mut shown = String::new();
    for (agent, answers) in all {
        shown += &format!("{agent}\n");
        for it in answers {
            let mark = if it.status == Status::Ok { '+' } else { '-' };
            shown += &format!("  {mark} {}\n", it.text.trim_end().replace('\n', "\n    "));
        }
    }
    shown
}

#[test]
fn every_agent_says_in_its_own_words_why_an_edit_was_not_made() {
    let all = by_agent(&scenario("edits.toml", EDITS));
    assert_eq!(all.len(), 7, "{:?}", all.keys());
    insta::assert_snapshot!(shown(&all));
}

#[test]
fn sub_agents_todo_lists_and_commands_change_the_world() {
    let all = by_agent(&scenario("helpers.toml", HELPERS));
    assert_eq!(all.len(), 5, "{:?}", all.keys());
    insta::assert_snapshot!(shown(&all));
}

#[test]
fn waiting_takes_as_long_as_it_says() {
    let text = HELPERS
        .replace(r#"roles = ["delegate", "plan", "read", "shell"]"#, r#"roles = ["wait"]"#)
        .split("[environment]")
        .next()
        .expect("the part before the environment")
        .to_owned()
        + WAITING;
    let scenario = scenario("waiting.toml", &text);
    for seed in 0..20 {
        let (answers, _) = play(&World::draw(&scenario, seed, WorldOptions::default()));
        let ticks: Vec<u64> = answers.iter().map(|it| it.ticks).collect();
        assert_eq!(ticks, [90_000, 0]);
        assert!(answers[1].text.ends_with("must be a number"), "{}", answers[1].text);
    }
}

const WAITING: &str = r#"
[goal]
all = [{ no_file = "x" }]

[user]
opening = "task"

[response]
profile = "strong"
stubbornness = "0/1"

[actor]
start = "wait"

[[actor.state]]
name = "wait"
truth = [{ is = "waiting" }]
calls = [{ tool = "wait", arguments = { seconds = "90" } }, { tool = "wait", arguments = { seconds = "a while" } }]

[[actor.state.next]]
when = "always"
to = "done"

[[actor.state]]
name = "done"
truth = [{ is = "finished" }]
says = "task"
"#;
