//! A guard of another author is measured, reported, audited and replayed like one of ours, from a crate outside of
//! this workspace.

#[expect(dead_code, reason = "its `main` is run by the crate that is built from it")]
#[path = "../../examples/own_guard.rs"]
mod own_guard;

use std::env::consts::EXE_EXTENSION;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, str};

use balk::guards::{Config, Recipe, Registry};
use balk::simulate::counts;
use balk_scenarios::{WorldOptions, catalogue};

/// The guard in this process: its default and its variant intervene, the patient one less often.
#[test]
fn a_registered_guard_is_built_from_a_spec() {
    let registry = Registry::standard().with(own_guard::guard());
    registry.check().expect("the example can be registered");
    let listed = catalogue::find("repeating").expect("the catalogue has it");
    let worlds = listed.read(&[]).expect("the catalogue is good").into();
    let [default, patient, none] = ["error-streak", "error-streak=patient", "none"].map(|spec| {
        let recipe = Recipe::new(&registry, spec, &Config::default()).expect("it is registered");
        counts(&worlds, &recipe, WorldOptions::default(), 0..=9, &|| ()).interventions
    });
    assert!(default > patient && patient > none, "{default}, {patient}, {none}");
    assert!(registry.benched().contains(&"error-streak".to_owned()));
}

/// The program of the example, which cargo builds with the tests.
#[test]
fn a_program_of_another_author_has_every_command_with_its_guard() {
    let program = Path::new(env!("CARGO_BIN_EXE_balk")).with_file_name("examples").join("own_guard");
    has_every_command(&program.with_extension(EXE_EXTENSION));
}

#[test]
#[ignore = "builds all crates again: the long checks run it"]
fn a_crate_outside_of_the_workspace_has_every_command_with_its_guard() {
    let folder = tempfile::tempdir().expect("a folder");
    has_every_command(&built(folder.path()));
}

fn has_every_command(program: &Path) {
    let folder = tempfile::tempdir().expect("a folder");
    let name = program.file_stem().and_then(OsStr::to_str).expect("it has a name");
    let run = |arguments: &[&str]| {
        let output = Command::new(program).current_dir(folder.path()).args(arguments).output();
        let output =
            output.unwrap_or_else(|why| panic!("{}: {why}; cargo build --examples", program.display()));
        let text = |bytes: &[u8]| str::from_utf8(bytes).expect("the program writes UTF-8").to_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let bench = ["bench", "--suite", "repeating", "--guard", "error-streak", "--seeds", "0-4"];
    let (code, out, err) = run(&[&bench[..], &["--keep-transcripts", "all", "--out", "run"]].concat());
    assert_eq!(code, Some(0), "{out}{err}");

    // Commands to run next start with the name of this program, and those of reports with `balk`.
    assert!(out.contains(&format!("next: {name} report run\n")), "{out}");
    let (code, out, err) = run(&["scenario", "repeating", "--guard", "error-streak"]);
    assert_eq!(code, Some(0), "{err}");
    let again = format!("run again: {name} scenario repeating --seed 1024 --guard error-streak\n");
    assert!(out.contains(&again), "{out}");

    let (code, report, err) = run(&["report", "run"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(report.contains("error-streak") && report.contains("balk bench --suite repeating"), "{report}");

    // Completions and manual pages use the name of the program, and completions know its guards.
    let (code, script, err) = run(&["completions", "bash"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(script.contains(&format!("complete -F _{name} ")) && script.contains(" error-streak\""));
    let (code, _, err) = run(&["man", "--out", "man"]);
    assert_eq!(code, Some(0), "{err}");
    for page in [format!("man/{name}.1"), format!("man/{name}-bench.1")] {
        let text = fs::read_to_string(folder.path().join(page)).expect("it was written");
        assert!(text.contains(name), "{text}");
    }

    // Only its own rungs are shown and count: few seeds leave rungs of other guards unreached.
    let (code, audit, err) = run(&["audit", "--guard", "error-streak", "--seeds", "0-0"]);
    assert_eq!(code, Some(0), "{audit}{err}");
    assert!(!audit.contains("no-tools") && audit.contains("dead rungs: 0"), "{audit}");
    let rung = audit.lines().find(|line| line.contains("errors-in-a-row")).expect("the rung has a row");
    assert!(rung.contains("feedback") && rung.contains(" seed 0 "), "{rung}");
    assert!(audit.contains("error-streak: patience, 0 to 1"), "{audit}");

    // Our records name the guard, which decides as it did; a foreign transcript shows where it would intervene.
    let (code, own, err) = run(&["replay", "run/transcripts/repeating/0-63.jsonl.zst"]);
    assert_eq!(code, Some(0), "{own}{err}");
    let foreign = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/good/demo.jsonl");
    let (code, foreign, err) = run(&["replay", foreign, "--guard", "error-streak"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(foreign.contains("error-streak") && foreign.contains("errors-in-a-row"), "{foreign}");
}

/// The example as the program of a crate in this folder. It shares this workspace's versions, compiler settings and
/// target folder, so that only our own crates are rebuilt.
fn built(folder: &Path) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace is above");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target folder is above");
    fs::write(folder.join("Cargo.toml"), manifest(root)).expect("it can be written");
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("it can be copied");
    let cargo = Command::new(env!("CARGO"))
        .args(["build", "--offline", "--quiet"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .expect("cargo starts");
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    target.join("debug/outsider")
}

fn manifest(root: &Path) -> String {
    let text = fs::read_to_string(root.join("Cargo.toml")).expect("the workspace has a manifest");
    let mut settings: toml::Table = text.parse().expect("a manifest is TOML");
    settings.retain(|section, _| section == "profile");
    // Optimising our crates takes longer than running the few trials without optimisation.
    let packages = settings["profile"]["dev"]["package"].as_table_mut().expect("packages have settings");
    packages.retain(|package, _| !package.starts_with("balk"));
    let quoted = |below: &str| toml::Value::from(root.join(below).display().to_string()).to_string();
    format!(
        r#"[package]
name = "outsider"
edition = "2024"

[[bin]]
name = "outsider"
path = {}

[dependencies]
balk = {{ path = {} }}
balk-guards = {{ path = {} }}
serde = {{ version = "1", features = ["derive"] }}

[workspace]

{settings}"#,
        quoted("harness/examples/own_guard.rs"),
        quoted("harness"),
        quoted("guards"),
    )
}
