//! `balk hunt`: it finds known weaknesses without being told, and what it writes can be played.

use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::common::program::{balk, ran};
use crate::common::recipe::recipe;
use balk::grade;
use balk::hunt::{Hunt, Hunted, Prey, hunt, keep};
use balk::shrink::Shows;
use balk::simulate::Simulation;
use balk_scenarios::drawn::{Target, plans, slips};
use balk_scenarios::{Kind, Pools, Scenario, WorldOptions, Worlds, format, toolsets};

fn hunted(guard: &str, prey: &[Prey], pools: Pools, trials: u64) -> Hunted {
    let (worlds, stack) = (&Worlds::from(Target::Any), &recipe(guard));
    hunt(&Hunt { worlds, stack, prey, pools, reactions: None, seed: 1024, trials }, |_| {
        ControlFlow::Continue(())
    })
}

fn fields(hunted: &Hunted, prey: Prey) -> BTreeSet<String> {
    hunted.finds.iter().filter(|it| it.prey == prey).map(|it| it.field.to_string()).collect()
}

#[test]
fn it_finds_the_flaky_network_and_the_same_assertion_without_being_told() {
    let hunted = hunted("naive-duplicate", &Prey::ALL, Pools::Open, 640);
    for prey in [Prey::Lost, Prey::False] {
        let fields = fields(&hunted, prey);
        assert!(fields.contains("install-flaky"), "{prey:?}: {fields:?}");
    }
    let missed = fields(&self::hunted("cline", &[Prey::Missed], Pools::Open, 640), Prey::Missed);
    assert!(missed.iter().any(|it| it.ends_with("+same-assertion")), "{missed:?}");
}

#[test]
fn no_skeleton_is_played_twice_and_reserved_parts_are_left_alone() {
    for (pools, reserve) in [(Pools::Open, false), (Pools::Reserve, true)] {
        let hunted = hunted("naive-duplicate", &[Prey::False, Prey::Missed], pools, 192);
        assert_eq!(hunted.trials, 192);
        let finds: BTreeSet<_> = hunted.finds.iter().map(|it| (it.prey, &it.skeleton)).collect();
        assert!(!finds.is_empty() && finds.len() == hunted.finds.len());
        for field in hunted.fields.keys().map(ToString::to_string) {
            let (plan, slip) = field.split_once('+').map_or((&*field, None), |(plan, it)| (plan, Some(it)));
            let plan = plans().iter().find(|it| it.name == plan).expect("a plan");
            let slip = slip.map(|name| slips().iter().find(|it| it.name == name).expect("a slip"));
            assert!(plan.reserve == reserve && slip.is_none_or(|it| it.reserve == reserve), "{field}");
        }
    }
}

#[test]
fn a_hunt_can_be_broken_off() {
    let (worlds, stack) = (&Worlds::from(Target::Any), &recipe("default"));
    let asked = Hunt {
        worlds,
        stack,
        prey: &Prey::ALL,
        pools: Pools::Open,
        reactions: None,
        seed: 0,
        trials: 10_000,
    };
    let hunted = hunt(&asked, |_| ControlFlow::Break(()));
    assert!((1..1_000).contains(&hunted.trials), "{}", hunted.trials);
}

fn read(text: &str) -> Arc<Scenario> {
    let all = format::parse("find.toml", text, toolsets::catalogue());
    all.unwrap_or_else(|wrong| panic!("{text}\n{wrong}")).swap_remove(0)
}

fn shows(scenario: &Arc<Scenario>, seed: u64, guard: &str, what: &Shows) -> bool {
    let recipe = recipe(guard);
    let simulation = Simulation::new(scenario, &recipe, WorldOptions::default());
    what.is_in(&simulation.trial(&simulation.world(seed)))
}

/// Also from reserved worlds: no pools need to be named.
#[test]
fn what_is_kept_shows_the_same_and_nothing_is_kept_twice() {
    let contrasts = ["none", "oracle"].map(recipe);
    for (guard, prey, pools) in
        [("cline", Prey::False, Pools::Open), ("default", Prey::Missed, Pools::Reserve)]
    {
        let (worlds, stack) = (&Worlds::from(Target::Any), &recipe(guard));
        let asked = Hunt { worlds, stack, prey: &[prey], pools, reactions: None, seed: 7, trials: 128 };
        let kept = keep(
            &asked,
            &hunt(&asked, |_| ControlFlow::Continue(())),
            &contrasts,
            2,
            &AtomicBool::new(false),
        );
        assert!(!kept.is_empty(), "{guard}");
        for it in &kept {
            let scenario = read(&it.shrunk.text);
            assert_eq!(*scenario.name, *it.name);
            assert!(shows(&scenario, it.shrunk.seed, guard, &prey.shows()), "{}", it.name);
        }
        let texts: BTreeSet<&str> = kept.iter().map(|it| &*it.shrunk.text).collect();
        assert_eq!(texts.len(), kept.len());
    }
}

#[test]
fn a_hunt_that_is_stopped_shrinks_nothing() {
    let contrasts = ["none", "oracle"].map(recipe);
    let (worlds, stack) = (&Worlds::from(Target::Any), &recipe("cline"));
    let (prey, pools) = (&[Prey::False], Pools::Open);
    let asked = Hunt { worlds, stack, prey, pools, reactions: None, seed: 7, trials: 128 };
    let hunted = hunt(&asked, |_| ControlFlow::Continue(()));
    let kept = keep(&asked, &hunted, &contrasts, 10, &AtomicBool::new(true));
    assert!(!kept.is_empty() && kept.iter().all(|it| it.shrunk.tries == 0 && !it.shrunk.is_smallest));
}

/// All files of a folder, by name.
fn files(folder: &Path) -> Vec<(String, String)> {
    let read = fs::read_dir(folder).expect("a folder").map(|it| it.expect("a file").path());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    let mut all: Vec<_> =
        read.map(|it| (name(&it), fs::read_to_string(&it).expect("it can be read"))).collect();
    all.sort();
    all
}

#[test]
fn a_folder_of_finds_can_be_played_and_does_not_depend_on_threads() {
    let work = tempfile::tempdir().expect("a folder");
    let run = |out: &str, threads: &str| {
        let asked =
            ["hunt", "--guard", "naive-duplicate", "--for", "false", "--trials", "64", "--finds", "2"];
        let mut command = balk(work.path(), &[&asked[..], &["--out", out]].concat());
        let (code, out, err) = ran(command.env("RAYON_NUM_THREADS", threads));
        assert_eq!(code, 0, "{err}");
        assert!(err.lines().any(|it| it.starts_with("64 skeletons played, ")), "{err}");
        assert!(err.starts_with("false: "), "{err}");
        out
    };
    // The commands name the folder.
    assert_eq!(run("one", "1"), run("four", "4").replace(" four/", " one/"));
    let found = files(&work.path().join("one"));
    assert_eq!(found, files(&work.path().join("four")));
    let names: Vec<&str> = found.iter().map(|(name, _)| &**name).collect();
    assert!(names.contains(&"README.md") && names.contains(&"finds.jsonl") && names.len() >= 4, "{names:?}");

    let (_, readme) = found.iter().find(|(name, _)| name == "README.md").expect("it was written");
    let commands: Vec<&str> = readme.lines().filter_map(|it| it.strip_prefix("play again: `balk ")).collect();
    assert_eq!(commands.len() * 2 + 2, names.len(), "{readme}");
    for command in commands {
        let words: Vec<&str> = command.trim_end_matches('`').split(' ').collect();
        let asked = [&words[..], &["--format", "json"]].concat();
        let (code, record, err) = ran(&mut balk(&work.path().join("one"), &asked));
        assert_eq!(code, 0, "{err}");
        let record: serde_json::Value = serde_json::from_str(&record).expect("a record");
        assert_ne!(record["grade"]["false_interventions"], 0);
        let (code, _, err) = ran(&mut balk(&work.path().join("one"), &["check", words[1]]));
        assert_eq!(code, 0, "{err}");
    }
}

#[test]
fn nothing_found_is_said_and_what_makes_no_sense_is_refused() {
    let work = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| ran(&mut balk(work.path(), &[&["hunt"], arguments].concat()));
    // Without a guard there is no intervention.
    let (code, out, err) = run(&["--guard", "none", "--for", "false", "--trials", "20", "--out", "nothing"]);
    assert!(code == 0 && out.contains("Nothing was found."), "{out}{err}");
    let names: Vec<String> = files(&work.path().join("nothing")).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["README.md", "finds.jsonl"]);

    let refused = |arguments: &[&str], code: i32, says: &str| {
        let (found, out, err) = run(arguments);
        assert!(found == code && out.is_empty() && err.contains(says), "{arguments:?}: {found}\n{err}");
    };
    refused(&["--guard", "defualt"], 2, "expected a known guard, found `defualt`");
    refused(&["--for", "losing"], 2, "invalid value 'losing'");
    refused(&["--trials", "0"], 2, "invalid value '0'");
    refused(&["--out", "nothing"], 3, "expected an empty or new folder, found other files");
    // Nothing can be made there, not even by root; it is said before anything is played.
    #[cfg(target_os = "linux")]
    {
        let (code, out, err) = run(&["--out", "/proc/finds"]);
        assert!(code == 3 && out.is_empty(), "{err}");
        assert!(
            err.starts_with("error: /proc/finds: expected a folder that can be written to, found"),
            "{err}"
        );
    }
    assert_eq!(files(&work.path().join("nothing")).len(), 2);
}

/// How `default` does on what was found under it once: a regression suite. A changed line is a change of behaviour.
#[test]
fn finds_of_the_past_have_their_verdicts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/finds");
    let mut verdicts = String::new();
    for (name, text) in files(&folder).iter().filter(|(name, _)| name.ends_with(".toml")) {
        let (scenario, recipe) = (read(text), recipe("default"));
        assert_eq!(format!("{}.toml", scenario.name), *name);
        let simulation = Simulation::new(&scenario, &recipe, WorldOptions::default());
        let (mut missed, mut recovered, mut lost, mut disturbed) = (0, 0, 0, 0);
        for seed in 0..100 {
            let trial = simulation.trial(&simulation.world(seed));
            let grade = grade::grade(&trial);
            missed += u32::from(Shows::Missed.is_in(&trial));
            recovered += u32::from(grade.recovered());
            lost += u32::from(Shows::Lost.is_in(&trial));
            disturbed += u32::from(grade.false_interventions > 0);
        }
        let verdict = match scenario.kind {
            Kind::Stubborn => format!("missed {missed}, recovered {recovered}, disturbed {disturbed}"),
            Kind::Control => format!("lost {lost}, disturbed {disturbed}"),
        };
        verdicts.push_str(&format!("{}: {verdict}\n", scenario.name));
    }
    insta::assert_snapshot!(verdicts);
}
