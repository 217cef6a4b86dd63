//! `--set-from`: measured reactions in place of those that the scenarios ask for.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::common::program::{balk, ran};
use crate::common::recipe::recipe;
use balk::simulate::Simulation;
use balk_scenarios::reactions::{Measured, parse};
use balk_scenarios::response::{PARAMETERS, Span};
use balk_scenarios::scenario::Profile;
use balk_scenarios::{Reactions, ResponseMode, Scenario, WorldOptions, catalogue};
use serde_json::Value;
use tempfile::TempDir;

const MODES: [ResponseMode; 4] =
    [ResponseMode::Features, ResponseMode::Flat, ResponseMode::Drawn, ResponseMode::Certain];

/// A folder with files of reactions: of a model that a complaint never moves, and of one that it always moves.
fn files() -> TempDir {
    let work = tempfile::tempdir().expect("a folder");
    for (name, chance) in [("never", 0), ("always", 1_000)] {
        let row = format!("[{chance}, {chance}, {chance}, {chance}]");
        let chances = ["cause", "form", "example", "options", "shows", "withholds", "novel"]
            .map(|it| format!("{it} = {{ low = {chance}, value = {chance}, high = {chance} }}\n"));
        let text = format!(
            "format = 1\nname = \"{name} moved\"\nmeasured = \"on paper\"\nprofile = \"gpt-4o-like\"\n\n\
             [parameters]\nbase = {{ low = {row}, value = {row}, high = {row} }}\n{}",
            chances.concat()
        );
        fs::write(work.path().join(format!("{name}.toml")), text).expect("a file");
    }
    work
}

/// The recovered runs of 60 seeds, by what the messages say and in flat mode.
fn recovered(work: &Path, target: &str, more: &[&str]) -> [u64; 2] {
    let arguments = [&["scenario", target, "--seeds", "0-59", "--format", "json"], more].concat();
    let (code, out, err) = ran(&mut balk(work, &arguments));
    assert_eq!(code, 0, "{err}");
    let counts: Vec<Value> = out.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect();
    [0, 1].map(|at: usize| counts[at]["counts"]["recovered"].as_u64().expect("a count"))
}

#[test]
fn a_model_that_is_moved_more_easily_recovers_more_in_written_and_in_drawn_worlds() {
    let work = files();
    for (guard, target) in [("naive-no-tools", "text-only"), ("naive-duplicate", "drawn/rereads")] {
        let of = |more: &[&str]| recovered(work.path(), target, &[&["--guard", guard], more].concat());
        let [own, never, always] =
            [&[][..], &["--set-from", "never.toml"], &["--set-from", "always.toml"]].map(of);
        for mode in 0..2 {
            assert!(never[mode] < own[mode] && own[mode] < always[mode], "{never:?} {own:?} {always:?}");
        }
    }
}

fn scenario(name: &str) -> Arc<Scenario> {
    catalogue::find(name).expect("a scenario").read(&[]).expect("a good file")
}

/// The transcripts of a few seeds in one mode.
fn transcripts(
    scenario: &Arc<Scenario>,
    response: ResponseMode,
    reactions: Option<Reactions>,
) -> Vec<String> {
    let recipe = recipe("default");
    let options = WorldOptions { response, reactions, ..WorldOptions::default() };
    let simulation = Simulation::new(scenario, &recipe, options);
    (0..32).map(|seed| format!("{:?}", simulation.trial(&simulation.world(seed)).entries)).collect()
}

#[test]
fn a_file_without_numbers_is_its_profile_in_every_mode_and_draws_no_model() {
    let scenario = scenario("text-only");
    let mut weak = scenario.clone();
    Arc::make_mut(&mut weak).response.profile = Profile::Weak;
    let measured = Measured::new("a weak one", "on paper", Profile::Weak).reactions();
    let mut differs = 0;
    for mode in MODES {
        let replaced = transcripts(&scenario, mode, Some(measured));
        assert_eq!(replaced, transcripts(&weak, mode, None), "{mode:?}");
        differs += u32::from(replaced != transcripts(&scenario, mode, None));
    }
    assert!(differs >= 3, "the population is like one weak model in {} modes", 4 - differs);
}

#[test]
fn drawn_numbers_lie_in_the_ranges_of_the_file() {
    let mut exact = Measured::new("an exact one", "on paper", Profile::Gpt35);
    let only = |it: u32| Span::new(it, it, it);
    exact.base = Some([650, 250, 110, 30].map(only));
    // The base chance alone decides: it is left whole, and nothing else moves the model.
    for parameter in &PARAMETERS[1..] {
        let is_share = ["empty", "names", "first"].contains(&parameter.name);
        exact.set(parameter.name, only(if is_share { 1_000 } else { 0 }));
    }
    let mut wide = exact.clone();
    wide.base = Some([650, 250, 110, 30].map(|it| Span::new(0, it, 1_000)));
    let scenario = scenario("text-only");
    let [own, same, other] =
        [(ResponseMode::Features, &exact), (ResponseMode::Drawn, &exact), (ResponseMode::Drawn, &wide)]
            .map(|(mode, measured)| transcripts(&scenario, mode, Some(measured.reactions())));
    assert_eq!(own, same);
    assert_ne!(own, other);
}

#[test]
fn the_stubbornness_of_a_scenario_stays() {
    let work = files();
    let of =
        |more: &[&str]| recovered(work.path(), "text-only", &[&["--guard", "naive-no-tools"], more].concat());
    let deaf = of(&["--set", "response.stubbornness=1/1", "--set-from", "always.toml"]);
    assert_eq!(deaf, of(&["--set", "response.stubbornness=1/1"]));
    let moved = of(&["--set-from", "always.toml"]);
    assert!(deaf[0] < moved[0] && deaf[1] < moved[1], "{deaf:?} {moved:?}");
}

#[test]
fn every_command_that_plays_actors_reads_the_file_and_says_what_is_wrong_with_it() {
    let work = files();
    let text = fs::read_to_string(work.path().join("never.toml")).expect("a file");
    fs::write(work.path().join("bad.toml"), text.replace("cause", "casue")).expect("a file");
    let commands: [&[&str]; 6] = [
        &["scenario", "text-only"],
        &["bench", "--suite", "text-only"],
        &["verify"],
        &["shrink", "text-only", "--shows", "not-told"],
        &["hunt"],
        &["audit"],
    ];
    for command in commands {
        let says = |file: &str, says: &str| {
            let (code, _, err) = ran(&mut balk(work.path(), &[command, &["--set-from", file]].concat()));
            assert!(code == 3 && err.contains(says), "{command:?}: {code} {err}");
        };
        says("nowhere.toml", "nowhere.toml: cannot read: ");
        says("bad.toml", "error: unknown key `casue`");
        says("bad.toml", "bad.toml:8:1");
        says("bad.toml", "did you mean `cause`?");
    }
}

#[test]
fn a_trial_says_that_reactions_came_from_a_file_and_how_to_run_it_again() {
    let work = files();
    let trial = |more: &[&str]| {
        let (code, out, err) = ran(&mut balk(work.path(), &[&["scenario", "text-only"], more].concat()));
        assert_eq!(code, 0, "{err}");
        out
    };
    assert!(trial(&["--set-from", "never.toml"]).contains(" --set-from never.toml\n"));
    let world = |more: &[&str]| {
        let record: Value =
            serde_json::from_str(&trial(&[&["--format", "json"], more].concat())).expect("JSON");
        record["world"].as_array().expect("a list").clone()
    };
    let mut with = world(&["--set-from", "never.toml"]);
    assert_eq!(with.pop(), Some(serde_json::json!({"name": "reactions", "value": "from a file"})));
    assert_eq!(with, world(&[]));
}

fn bench(work: &Path, out: &str, more: &[&str]) -> (i32, String, String) {
    let command = [
        "bench",
        "--suite",
        "text-only,drawn/same-call",
        "--guard",
        "default",
        "--seeds",
        "0-3",
        "--out",
        out,
    ];
    ran(&mut balk(work, &[&command, more].concat()))
}

#[test]
fn the_plan_of_a_bench_has_the_reactions_and_refuses_others() {
    let work = files();
    let record = |out: &str, more: &[&str]| {
        let (code, _, err) = bench(work.path(), out, more);
        assert_eq!(code, 0, "{err}");
        fs::read_to_string(work.path().join(out).join("bench.jsonl")).expect("a record")
    };
    assert!(!record("own", &[]).contains("reactions"));
    let never = record("never", &["--set-from", "never.toml"]);
    let plan: Value = serde_json::from_str(never.lines().next().expect("a line")).expect("JSON");
    let reactions = &plan["plan"]["reactions"];
    assert_eq!(reactions["file"], "never.toml");
    assert_eq!(reactions["name"], "never moved");
    assert_eq!(reactions["profile"], "gpt-4o-like");
    assert_eq!(reactions["parameters"]["base"]["high"], serde_json::json!([0, 0, 0, 0]));
    assert_eq!(reactions["parameters"]["cause"], serde_json::json!({"low": 0, "value": 0, "high": 0}));

    let refused = |arguments: &[&str], says: &str| {
        let (code, _, err) = ran(&mut balk(work.path(), arguments));
        assert!(code == 3 && err.contains(says), "{code} {err}");
    };
    refused(
        &["merge", "own", "never", "--out", "sum"],
        "never/bench.jsonl: expected the plan of own/bench.jsonl",
    );
    let text = fs::read_to_string(work.path().join("never.toml")).expect("a file");
    fs::write(work.path().join("never.toml"), text.replacen("high = 0 }", "high = 9 }", 1)).expect("a file");
    let (code, _, err) = bench(work.path(), "never", &["--set-from", "never.toml", "--resume"]);
    assert!(code == 3 && err.contains("with reactions.parameters.cause.high 9, found 0"), "{code} {err}");
    assert!(err.contains("--set-from never.toml"), "{err}");

    let (_, report, _) = ran(&mut balk(work.path(), &["report", "never"]));
    assert!(report.contains("- **Every model takes corrections as in a file**: `never moved`"), "{report}");
    assert!(
        report.contains("corrections as `never moved`, from the file `never.toml` (on paper)"),
        "{report}"
    );
    let (_, compared, _) = ran(balk(work.path(), &["compare", "own", "never"]).env_remove("GITHUB_ACTIONS"));
    assert!(compared.contains("reactions: of the scenarios in A"), "{compared}");
}

/// The example of the guide is a good file, and has a measured number of each form.
#[test]
fn the_example_in_the_guide_can_be_read() {
    let guide = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reactions-file.md"));
    let guide = guide.expect("the guide");
    let example = guide.split("```toml\n").nth(1).and_then(|it| it.split("```").next()).expect("an example");
    let read = parse("reactions-file.md", example).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert!(
        read.base.is_some() && read.flat.is_some() && read.demand.is_some() && read.span("easy").is_some()
    );
}
