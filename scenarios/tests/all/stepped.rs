//! An actor in the hands of a host that is not the engine: it reads message by message, is told what the world knows,
//! and finds the words that an agent puts into results.

use std::sync::Arc;

use balk_contract::{Message, Status, Tool};
use balk_scenarios::scenario::Role;
use balk_scenarios::{
    Actor, Environment, Executed, ResponseMode, Scenario, User, World, WorldOptions, catalogue, format,
    toolsets,
};

const ASKING: &str = include_str!("../worlds/asking.toml");

/// How a host tells its actor what came of a call.
#[derive(Clone, Copy)]
struct Telling {
    /// The text of a result, of what the world says.
    text: fn(&Executed) -> String,
    /// Whether the actor is handed what the world says, beside the text.
    is_known: bool,
}

const PLAIN: Telling = Telling { text: |executed| executed.text.clone(), is_known: false };

/// What the actor did: the name of its state and the number of the visit, until it ends or so many turns were taken.
fn walk(world: &Arc<World>, telling: Telling) -> Vec<(String, u32)> {
    let (mut actor, mut environment, mut user) =
        (Actor::new(world), Environment::new(world), User::new(world));
    let mut way = Vec::new();
    let mut attempt = 1;
    actor.read(&Message::User(user.opening()), None);
    while way.len() < 60 {
        let act = actor.act(attempt);
        way.push((actor.state().to_owned(), actor.visit()));
        let completion = Arc::new(act.completion(world.offer()));
        if completion.is_empty() || act.broken.is_some() {
            attempt += 1;
            continue;
        }
        attempt = 1;
        actor.read(&Message::Assistant(completion.clone()), None);
        for call in &completion.calls {
            let executed = environment.call(call);
            let text = (telling.text)(&executed).into();
            let result = Message::Result { id: call.id.clone(), text, is_error: false };
            actor.read(&result, Some(&executed).filter(|_| telling.is_known));
            if executed.finishes {
                return way;
            }
        }
        if let Some(spoken) = act.spoken.first() {
            let executed = environment.hear(spoken);
            if spoken.role == Role::Finish {
                return way;
            }
            let known = Some(&executed).filter(|_| telling.is_known);
            actor.read(&Message::User((telling.text)(&executed).into()), known);
        } else if completion.calls.is_empty() {
            let said: String = completion.texts().map(|text| &**text).collect();
            let Some(reply) = user.reply(&said, &mut environment) else { return way };
            actor.read(&Message::User(reply), None);
        }
    }
    way
}

/// An agent that shows results as it likes: never what the tool said, and with a status that is wrong.
const OPAQUE: Telling = Telling {
    text: |executed| match executed.status {
        Status::Error => "Chunk 7f3a\nProcess exited with code 0\nOutput:\n".to_owned(),
        Status::Ok | Status::Unknown => "Error: the output was cut off".to_owned(),
    },
    is_known: true,
};

#[test]
fn what_the_world_knows_counts_and_not_the_words_of_the_agent() {
    let mut moved = 0;
    for listed in catalogue::listed() {
        let scenario = listed.read(&[]).expect("the catalogue is good");
        for seed in 0..4 {
            let world = World::draw(&scenario, seed, WorldOptions::default());
            let expected = walk(&world, PLAIN);
            assert_eq!(walk(&world, OPAQUE), expected, "{} seed {seed}", scenario.name);
            moved += u32::from(walk(&world, Telling { is_known: false, ..OPAQUE }) != expected);
        }
    }
    assert!(moved > 50, "only {moved} actors go by the words where nothing is known");
}

fn scenario(name: &str) -> Arc<Scenario> {
    catalogue::find(name).expect("the catalogue has it").read(&[]).expect("the catalogue is good")
}

/// A correction that every model follows.
fn certain(name: &str, seed: u64) -> Arc<World> {
    let options = WorldOptions { response: ResponseMode::Certain, ..WorldOptions::default() };
    World::draw(&scenario(name), seed, options)
}

const REMINDER: &str = "<system-reminder>\nYou make the same call again and again, with the same answer. Stop \
                        repeating it, and write the file that the task asks for.\n</system-reminder>";

#[test]
fn a_reminder_inside_a_result_is_a_correction() {
    for is_known in [false, true] {
        let reminded = Telling { text: |executed| format!("{}\n\n{REMINDER}\n", executed.text), is_known };
        let quoted = Telling { text: |executed| format!("{REMINDER}\n{}\n", executed.text), is_known };
        for seed in 0..10 {
            let world = certain("repeating", seed);
            let stays = walk(&world, PLAIN);
            let moved = walk(&world, reminded);
            let stuck = |way: &[(String, u32)]| way.iter().map(|(_, visit)| *visit).max();
            assert!(stuck(&moved) < stuck(&stays), "seed {seed}: {moved:?}, {stays:?}");
            // What a tool answers can have the same words in it.
            if is_known {
                assert_eq!(walk(&world, quoted), stays, "seed {seed}");
            }
        }
    }
}

/// An agent with a shell and nothing else: its model asks in words, and gets the answer in the user's role.
#[test]
fn an_answer_to_words_is_what_the_world_says() {
    let shell = Tool::new("bash").parameters(
        r#"{"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}"#,
    );
    let all = format::parse("asking.toml", ASKING, toolsets::catalogue());
    let scenario = all.unwrap_or_else(|wrong| panic!("{wrong}")).remove(0);
    let set = toolsets::bind("shell", &scenario.roles, &[shell], &[]).expect("a shell is enough");
    assert_eq!(set.spoken, [Role::Ask, Role::Finish]);
    for seed in 0..10 {
        let drawn = World::draw(&scenario, seed, WorldOptions::default());
        let given = World::with_tools(&scenario, seed, WorldOptions::default(), &set.clone().into());
        let expected = walk(&drawn, PLAIN);
        let states: Vec<&str> = expected.iter().map(|(state, _)| state.as_str()).collect();
        assert_eq!(states, ["ask", "ask", "ask", "write", "finish"]);
        for telling in [PLAIN, OPAQUE] {
            assert_eq!(walk(&given, telling), expected, "seed {seed}");
        }
    }
}
