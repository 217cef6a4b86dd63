//! The catalogue as a whole: the list and the folder agree, twins differ in the behaviour alone, what tools and
//! people say reads as what it is, and a seed can draw everything there is to draw.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use balk_contract::reading::Reading;
use balk_contract::{Completion, Message, NOT_RUN, ToolCall};
use balk_scenarios::catalogue::{FIELD, Listed, listed};
use balk_scenarios::format::names;
use balk_scenarios::scenario::Profile;
use balk_scenarios::{
    Actor, Environment, Executed, Kind, Pools, Scenario, Truth, User, World, WorldOptions, toolsets,
};

fn all() -> Vec<Arc<Scenario>> {
    listed().map(|it| it.read(&[]).expect("every file of the catalogue is good")).collect()
}

#[test]
fn the_list_is_the_folder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut in_folder = BTreeSet::new();
    for folder in ["catalog", "field"] {
        for entry in fs::read_dir(root.join(folder)).expect("the folder is there") {
            let name = entry.expect("the folder can be read").file_name();
            in_folder.insert(format!("{folder}/{}", name.to_string_lossy()));
        }
    }
    in_folder.remove("catalog/toolsets.toml");
    let files: BTreeSet<String> = listed().map(|it| it.file.to_owned()).collect();
    assert_eq!(files, in_folder);
    for file in files {
        let text = fs::read_to_string(root.join(&file)).expect("the file is there");
        let of_file = |it: &&Listed| it.file == file;
        let found: Vec<_> = listed().filter(of_file).map(|it| (it.name.to_owned(), it.kind)).collect();
        assert_eq!(found, names(&text), "{file}: its scenarios are listed one after the other");
        for scenario in listed().filter(of_file) {
            assert_eq!(text, scenario.text);
            let read = scenario.read(&[]).expect("every file of the catalogue is good");
            assert_eq!((&*read.name, read.kind), (scenario.name, scenario.kind));
            let folder = if FIELD.iter().any(|it| it.name == scenario.name) { "field" } else { "catalog" };
            assert_eq!(file, format!("{folder}/{}.toml", read.world));
        }
    }
    let names: BTreeSet<&str> = listed().map(|it| it.name).collect();
    assert_eq!(names.len(), listed().count(), "each name once");
}

#[test]
fn both_actors_of_a_file_get_the_same_world() {
    let all = all();
    for stubborn in all.iter().filter(|it| it.kind == Kind::Stubborn) {
        let healthy = all.iter().find(|other| Some(&other.name) == stubborn.twin.as_ref());
        let healthy = healthy.expect("every stubborn scenario has a twin");
        for seed in 0..20 {
            let drawn = |it: &Arc<Scenario>| World::draw(it, seed, WorldOptions::default()).drawn();
            assert_eq!(drawn(stubborn), drawn(healthy), "{}, seed {seed}", stubborn.name);
        }
    }
}

/// The seed draws how easily the model is moved. A scenario that pins a model is about that kind of model.
#[test]
fn no_scenario_pins_a_model() {
    const ABOUT_ONE_KIND: [&str; 0] = [];
    let pinned: Vec<_> = all()
        .into_iter()
        .filter(|it| it.response.profile != Profile::Population)
        .map(|it| it.name.to_string())
        .collect();
    assert_eq!(pinned, ABOUT_ONE_KIND);
}

#[test]
fn no_control_can_get_stuck() {
    for scenario in all().iter().filter(|it| it.kind == Kind::Control) {
        let states = &scenario.actor.states;
        let mut reached = BTreeSet::from([scenario.actor.start]);
        let mut open = vec![scenario.actor.start];
        while let Some(state) = open.pop() {
            for next in &states[state].next {
                if reached.insert(next.to) {
                    open.push(next.to);
                }
            }
        }
        for state in reached {
            let stuck = states[state].truth.iter().any(|span| matches!(span.is, Truth::Stuck(_)));
            assert!(!stuck, "{}: `{}` can be reached and is stuck", scenario.name, states[state].name);
        }
    }
}

/// Plays a scenario without any guard, and hands every call with what it got to `look`.
fn play(world: &Arc<World>, look: &mut dyn FnMut(&ToolCall, &Executed)) {
    let (mut actor, mut environment, mut user) =
        (Actor::new(world), Environment::new(world), User::new(world));
    let mut messages = vec![Message::User(user.opening())];
    for _ in 0..world.scenario().limits.turns {
        actor.catch_up(&messages);
        let completion: Completion = actor.act(1).completion(world.offer());
        let completion = std::sync::Arc::new(completion);
        messages.push(Message::Assistant(completion.clone()));
        for call in &completion.calls {
            let executed = environment.call(call);
            look(call, &executed);
            messages.push(Message::Result {
                id: call.id.clone(),
                text: executed.text.as_str().into(),
                is_error: false,
            });
            if executed.finishes {
                return;
            }
        }
        if completion.calls.is_empty() {
            let said: String = completion.texts().map(|text| &**text).collect();
            match user.reply(&said, &mut environment) {
                Some(reply) => messages.push(Message::User(reply)),
                None => return,
            }
        }
    }
}

const SEEDS: u64 = 100;

#[test]
fn what_tools_answer_reads_as_what_it_is() {
    let (mut failed, mut worked) = (0, 0);
    for scenario in all() {
        for pools in [Pools::Open, Pools::Reserve] {
            for seed in 0..SEEDS {
                let world = World::draw(&scenario, seed, WorldOptions { pools, ..WorldOptions::default() });
                play(&world, &mut |call, it| {
                    let fails = it.status == balk_contract::Status::Error;
                    assert_eq!(
                        Reading::of(&it.text).failed,
                        fails,
                        "{} {}: {it:?}",
                        scenario.name,
                        call.tool
                    );
                    assert!(!it.text.starts_with(NOT_RUN), "only the loop says that: {it:?}");
                    assert!(!it.text.trim().is_empty(), "{}: {} answers nothing", scenario.name, call.tool);
                    if fails { failed += 1 } else { worked += 1 }
                });
            }
        }
    }
    assert!(failed > 1_000 && worked > 1_000, "{failed} failed, {worked} worked");
}

/// Rules that no run above reaches are held against it too.
#[test]
fn what_rules_say_reads_as_what_it_is() {
    for scenario in all() {
        for seed in 0..SEEDS {
            let world = World::draw(&scenario, seed, WorldOptions::default());
            for rule in &scenario.environment.rules {
                for text in rule.says.iter().flat_map(|&phrase| world.variants(phrase)) {
                    assert_eq!(Reading::of(&text).failed, rule.fails, "{}: {text}", scenario.name);
                    assert!(!text.starts_with(NOT_RUN), "{}: {text}", scenario.name);
                }
            }
        }
    }
}

/// A call of every tool with every argument that somebody may think of.
#[test]
fn what_tools_answer_to_nonsense_reads_as_what_it_is() {
    for scenario in all() {
        for seed in 0..20 {
            let world = World::draw(&scenario, seed, WorldOptions::default());
            let mut environment = Environment::new(&world);
            let names = world.offer().tools().iter().map(|it| it.name.clone()).chain(["no_such_tool".into()]);
            for name in names {
                for arguments in ["{}", "[]", "no json", r#"{"path": 3}"#, r#"{"path": "x", "command": "x"}"#]
                {
                    let raw = balk_contract::RawCall {
                        id: "1".into(),
                        tool: name.clone(),
                        arguments: arguments.into(),
                    };
                    let executed = environment.call(&ToolCall::new(raw, world.offer()));
                    let fails = executed.status == balk_contract::Status::Error;
                    assert_eq!(Reading::of(&executed.text).failed, fails, "{name} {arguments}: {executed:?}");
                }
            }
        }
    }
}

#[test]
fn the_person_is_never_taken_for_the_loop_or_for_another_message() {
    for scenario in all() {
        for seed in 0..SEEDS {
            let world = World::draw(&scenario, seed, WorldOptions::default());
            let user = &scenario.user;
            let said = [user.opening].into_iter().chain(user.replies.iter().copied());
            let (said, answers): (Vec<_>, Vec<_>) =
                (said.collect(), user.answers.iter().map(|it| it.says).collect());
            let texts = |phrases: &[usize]| -> BTreeSet<String> {
                phrases.iter().flat_map(|&phrase| world.variants(phrase)).collect()
            };
            let (said, answers) = (texts(&said), texts(&answers));
            for text in said.union(&answers) {
                assert_ne!(*text, **world.prompt());
                assert!(!text.trim().is_empty());
            }
            // The actor tells an answer from another message by the words alone.
            assert_eq!(said.intersection(&answers).next(), None, "{} seed {seed}", scenario.name);
        }
    }
}

/// More than nine tenths alike: the distance is less than a tenth of the longer text.
fn are_near(a: &str, b: &str) -> bool {
    let longer = a.chars().count().max(b.chars().count());
    10 * strsim::levenshtein(a, b) < longer
}

#[test]
fn writes_that_differ_are_far_apart_and_the_insisted_ones_are_equal() {
    let scenario = all().into_iter().find(|it| &*it.name == "abandonment").expect("it is in the catalogue");
    let mut insisted = 0;
    for seed in 0..SEEDS {
        let world = World::draw(&scenario, seed, WorldOptions::default());
        let mut writes: Vec<String> = Vec::new();
        play(&world, &mut |call, _| {
            let sent: BTreeMap<String, String> =
                serde_json::from_str(&call.arguments).expect("the actor sends strings");
            writes.extend(sent.into_values().filter(|value| value.lines().count() > 3));
        });
        let mut equal = 0;
        for (at, a) in writes.iter().enumerate() {
            for b in &writes[..at] {
                equal += usize::from(a == b);
                assert!(a == b || !are_near(a, b), "seed {seed}:\n{a}\n{b}");
            }
        }
        assert!(equal <= 1, "seed {seed}: one content is sent twice, and no other");
        insisted += u64::from(equal == 1);
    }
    assert!(10 * insisted >= 9 * SEEDS, "{insisted} of {SEEDS} send one content twice");
}

/// What the seeds drew, by name.
fn drawn(scenario: &Arc<Scenario>, pools: Pools) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for seed in 0..300 {
        for (name, value) in
            World::draw(scenario, seed, WorldOptions { pools, ..WorldOptions::default() }).drawn()
        {
            all.entry(name).or_default().insert(value);
        }
    }
    all
}

#[test]
fn seeds_draw_everything_there_is_and_nothing_that_is_kept_back() {
    for scenario in all() {
        for (pools, reserve) in [(Pools::Open, false), (Pools::Reserve, true)] {
            let mut expected: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            let languages = scenario.languages.iter().map(ToString::to_string).collect();
            expected.insert("language".into(), languages);
            // Where no agent in reserve has all tools of a scenario, the open ones are drawn.
            let has_sets = scenario.toolsets.iter().any(|it| it.reserve == reserve);
            let sets = scenario.toolsets.iter().filter(|it| !has_sets || it.reserve == reserve);
            expected.insert("toolset".into(), sets.map(|it| it.name.clone()).collect());
            for pool in &scenario.pools {
                let items: Vec<_> = pool.items.iter().filter(|it| it.reserve == reserve).collect();
                assert!(
                    !items.is_empty(),
                    "{}: the pool `{}` keeps something back",
                    scenario.name,
                    pool.name
                );
                for (at, field) in pool.fields.iter().enumerate() {
                    let values = items.iter().map(|it| it.values[at].to_string()).collect();
                    expected.insert(format!("{}.{field}", pool.name), values);
                }
            }
            for number in &scenario.numbers {
                let values = (number.from..=number.to).map(|it| it.to_string()).collect();
                expected.insert(number.name.clone(), values);
            }
            assert_eq!(drawn(&scenario, pools), expected, "{} {pools:?}", scenario.name);
        }
    }
}

/// Where one word stands for another thing in every tool set, an actor that knows one set by heart is lost.
#[test]
fn tool_sets_name_their_tools_differently() {
    let mut names: BTreeMap<String, u32> = BTreeMap::new();
    for set in toolsets::catalogue() {
        for tool in &set.tools {
            let mut key = String::new();
            write!(key, "{:?} {}", tool.role, tool.tool.name).expect("writing to a string never fails");
            *names.entry(key).or_default() += 1;
        }
    }
    let sets = u32::try_from(toolsets::catalogue().len()).expect("there are few sets");
    for (name, count) in names {
        assert!(count < sets, "`{name}` is in every set");
    }
}
