//! The catalogue's calls in a real folder: a small agent makes them with its own tools, and meets what the scenario
//! says.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;

use crate::common::recipe::recipe;
use crate::common::scenario;
use balk::crash::{Came, Place, Site, place};
use balk::engine::{self, TruthChannel};
use balk_guards::{Entry, Status, Tool, ToolCall};
use balk_scenarios::toolsets::bind;
use balk_scenarios::{Environment, World, WorldOptions, catalogue};
use serde_json::Value;

const AGENTS: [(&str, &str); 2] = [
    ("codex", include_str!("../../../scenarios/tests/agents/codex.json")),
    ("claude-code", include_str!("../../../scenarios/tests/agents/claude-code.json")),
];

/// The most turns of a scenario that are played: later ones are much like them.
const TURNS_MAX: usize = 8;

/// What the agent's tools do. `None` for a tool that has nothing to do with the folder.
fn does(place: &Place, call: &ToolCall) -> Option<(String, Status)> {
    let arguments: Value = serde_json::from_str(&call.arguments).ok()?;
    let text = |name: &str| arguments[name].as_str();
    let path = || Some(place.workspace.join(text("file_path")?));
    let done = match &*call.tool {
        "Write" => {
            let (path, content) = (path()?, text("content")?);
            fs::create_dir_all(path.parent()?)
                .and_then(|()| fs::write(path, content))
                .map(|()| "written".into())
        }
        "Edit" => {
            let (path, old, new) = (path()?, text("old_string")?, text("new_string")?);
            match fs::read_to_string(&path) {
                Ok(all) if all.matches(old).count() == 1 && old != new => {
                    fs::write(path, all.replacen(old, new, 1)).map(|()| "edited".into())
                }
                Ok(_) => return Some(("error: not found once".into(), Status::Error)),
                Err(error) => Err(error),
            }
        }
        "Read" => fs::read_to_string(path()?),
        "Bash" | "exec_command" => {
            let command = text("command").or(text("cmd"))?;
            let output = place.command("bash").args(["-lc", command]).output().expect("it runs");
            let status = if output.status.success() { Status::Ok } else { Status::Error };
            return Some((String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into(), status));
        }
        _ => return None,
    };
    Some(done.map_or_else(|error| (format!("error: {error}"), Status::Error), |it| (it, Status::Ok)))
}

#[derive(Debug, Default)]
struct Counts {
    calls: u32,
    known: u32,
    left_alone: BTreeMap<String, u32>,
    wrong: Vec<String>,
}

/// Plays the calls of a trial in a folder.
fn play(name: &str, (agent, list): (&str, &str), counts: &mut Counts) {
    let scenario = scenario(name, &[]);
    let tools: Vec<Value> = serde_json::from_str(list).expect("the list of tools is JSON");
    let tool = |it: &Value| {
        Tool::new(it["name"].as_str().expect("a name")).parameters(&it["parameters"].to_string())
    };
    let tools: Vec<Tool> = tools.iter().map(tool).collect();
    let Ok(set) = bind(agent, &scenario.roles, &tools, &[]) else { return };
    let world = World::with_tools(&scenario, 1, WorldOptions::default(), &set.clone().into());
    let channel = TruthChannel::default();
    let trial = engine::run(&world, &mut recipe("none").stack(&channel), &channel);
    let mut environment = Environment::new(&world);
    let folder = place::Folder::new().expect("a folder");
    let place = Place::new(folder.path(), environment.files(), &[]).expect("a place");
    let mut site = Site::new(&place, &environment);
    let completions = trial.entries.iter().filter_map(|entry| {
        if let Entry::Completion(it) = entry { Some(it).filter(|it| !it.calls.is_empty()) } else { None }
    });
    for completion in completions.take(TURNS_MAX) {
        let calls: Vec<ToolCall> = completion.calls.iter().map(|it| (**it).clone()).collect();
        let armed = site.arm(&environment, &calls).expect("it can be armed");
        let answers: Vec<_> = armed.answers().cloned().collect();
        let results: Vec<_> = calls.iter().map(|it| does(&place, it)).collect();
        let texts: Vec<_> =
            results.iter().map(|it| Some(it.as_ref().map_or("error: no such call", |it| &it.0))).collect();
        let outcome = site.came_of(armed, &texts).expect("the folder can be read");
        environment = outcome.environment;
        for (((call, came), answer), result) in calls.iter().zip(outcome.came).zip(answers).zip(results) {
            let Some((text, status)) = result else { continue };
            counts.calls += 1;
            let what = || format!("{name} {agent}: {} {}: {text:?}, {answer:?}", call.tool, call.arguments);
            match came {
                Came::AsSaid if status == answer.status || !call.tool.starts_with(['B', 'e', 'W']) => {
                    counts.known += 1
                }
                Came::NotKnown(why) => *counts.left_alone.entry(why.to_owned()).or_default() += 1,
                Came::AsSaid | Came::Otherwise(_) | Came::NotRun => {
                    counts.wrong.push(format!("{came:?} {}", what()))
                }
            }
        }
    }
}

#[test]
fn real_tools_meet_what_the_catalogue_says() {
    let mut counts = Counts::default();
    for (at, listed) in catalogue::listed().enumerate() {
        play(listed.name, AGENTS[at % AGENTS.len()], &mut counts);
    }
    assert!(counts.wrong.is_empty(), "{} are wrong:\n{}", counts.wrong.len(), counts.wrong.join("\n"));
    assert!(counts.calls > 400 && counts.known * 100 >= counts.calls * 95, "{counts:?}");
}
