//! What tools do to the world, in the words of each agent; and actors that go step by step.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use balk_contract::reading::Reading;
use balk_contract::{Message, Part, Status};
use balk_scenarios::format::parse;
use balk_scenarios::{
    Act, Actor, Environment, Executed, Scenario, Truth, User, World, WorldOptions, toolsets,
};

const EDITS: &str = include_str!("../worlds/edits.toml");
const PAGES: &str = include_str!("../worlds/pages.toml");
const HELPERS: &str = include_str!("../worlds/helpers.toml");

fn scenario(name: &str, text: &str) -> Arc<Scenario> {
    let all = parse(name, text, toolsets::catalogue()).unwrap_or_else(|wrong| panic!("{wrong}"));
    all.into_iter().next().expect("it has an actor")
}

/// Every answer of the run of one seed, without a guard, and whether the goal holds at its end.
fn play(world: &Arc<World>) -> (Vec<Executed>, bool) {
    play_and_see(world, &mut |_| {})
}

fn play_and_see(world: &Arc<World>, see: &mut dyn FnMut(&Act)) -> (Vec<Executed>, bool) {
    let (mut actor, mut environment) = (Actor::new(world), Environment::new(world));
    let mut messages = vec![Message::User(User::new(world).opening())];
    let mut answers = Vec::new();
    loop {
        actor.catch_up(&messages);
        let act = actor.act(1);
        see(&act);
        let completion = Arc::new(act.completion(world.offer()));
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
fn by_agent(scenario: &Arc<Scenario>) -> BTreeMap<String, Vec<Executed>> {
    let mut all = BTreeMap::new();
    for seed in 0..100 {
        let world = World::draw(scenario, seed, WorldOptions::default());
        let agent = world.drawn().into_iter().find(|(name, _)| name == "toolset").expect("a set is drawn").1;
        let (answers, goal) = play(&world);
        assert!(goal, "{agent}: {answers:#?}");
        for it in &answers {
            assert_eq!(Reading::of(&it.text).failed, it.status == Status::Error, "{agent}: {it:?}");
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

#[test]
fn an_actor_goes_step_by_step_and_does_a_step_again_that_failed() {
    let scenario = scenario("pages.toml", PAGES);
    let mut intros = BTreeSet::new();
    for seed in 0..60 {
        let world = World::draw(&scenario, seed, WorldOptions::default());
        let drawn: BTreeMap<_, _> = world.drawn().into_iter().collect();
        let number = |name: &str| drawn[name].parse::<u32>().expect("a drawn number");
        let (pages, hiccups) = (number("pages"), number("hiccups"));
        let (mut said, mut truth, mut thought) = (Vec::new(), Vec::new(), BTreeSet::new());
        let (answers, goal) = play_and_see(&world, &mut |act| {
            for part in act.parts.iter().filter(|_| !act.calls.is_empty()) {
                match part {
                    Part::Text(text) => said.push(text.to_string()),
                    Part::Thinking { text, .. } => drop(thought.insert(text.to_string())),
                }
            }
            truth.push(act.truth);
        });
        // The second page is asked for until it comes. It leaves where a round is over and it has made 6 visits.
        let round = (1..=pages).flat_map(|page| vec![page; if page == 2 { 1 + hiccups as usize } else { 1 }]);
        let mut expected: Vec<u32> = round.collect();
        let first_round = expected.len();
        while expected.len() < 6 {
            expected.extend(1..=pages);
        }
        let expected: Vec<String> = expected.iter().map(|page| format!("page {page} of {pages}")).collect();
        assert_eq!(said, expected, "seed {seed}");
        let is_new = |at: usize| if at < first_round { Truth::Productive } else { Truth::Waiting };
        let told: Vec<Truth> = (0..said.len()).map(is_new).chain([Truth::Finished]).collect();
        assert_eq!(truth, told, "seed {seed}");
        let failed: Vec<&str> =
            answers.iter().filter(|it| it.status == Status::Error).map(|it| it.text.as_str()).collect();
        assert_eq!(failed, ["error: busy, request 1", "error: busy, request 2"][..hiccups as usize]);
        assert!(goal, "seed {seed}");
        assert_eq!(thought.len(), 1, "one variant is pinned");
        intros.extend(thought);
        let user = User::new(&world).opening();
        let read = world.offer().tools().iter().find(|it| user.contains(&format!("with {} (", it.name)));
        assert!(read.is_some_and(|it| it.description.contains("ead")), "{user}");
    }
    assert_eq!(intros.len(), 6, "the seed draws which");
}

const WAITING: &str = r#"
[goal]
all = [{ no_file = "x" }]

[user]
opening = "task"

[response]
profile = "strong"
stubbornness = "0/1"

[healthy]
title = "Waits"
why = "Shows what tools answer."
source = "Made up for tests"
start = "wait"

[[healthy.state]]
name = "wait"
truth = [{ is = "waiting" }]
calls = [{ tool = "wait", arguments = { seconds = "90" } }, { tool = "wait", arguments = { seconds = "a while" } }]

[[healthy.state.next]]
when = "always"
to = "done"

[[healthy.state]]
name = "done"
truth = [{ is = "finished" }]
says = "task"
"#;

#[test]
fn a_long_argument_does_not_take_the_end_of_an_answer() {
    let long = format!("content = \"{}\"", "é".repeat(1 << 19));
    let text = include_str!("../good.toml").replace("content = \"#\"", &long).replace(
        "error: {argument:path} is locked",
        "{argument:content}{argument:content} error: {clock}, no room for {argument:path}, disk full",
    );
    let both = parse("good.toml", &text, toolsets::catalogue()).unwrap_or_else(|wrong| panic!("{wrong}"));
    let world = World::draw(&both[1], 1, WorldOptions::default());
    let mut actor = Actor::new(&world);
    actor.catch_up(&[Message::User(User::new(&world).opening())]);
    let completion = actor.act(1).completion(world.offer());
    let answer = Environment::new(&world).call(&completion.calls[0]).text;
    let (said, end) = answer.split_at(answer.find(" error").expect("the end is there"));
    assert_eq!(said, "é".repeat(1 << 19) + "…");
    assert!(end.ends_with(", disk full"), "{end}");
    assert!(Reading::of(&answer).failed, "it reads as a success");
}
