//! Commands that the program prints: typed as they are, they show what was said.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use balk_reports::records::quoted;

use crate::common::program::{balk, ran};

/// The result of a command after its first word, in a shell.
fn typed(work: &Path, arguments: &str) -> (i32, String, String) {
    let command = format!("{} {arguments}", quoted(env!("CARGO_BIN_EXE_balk")));
    let mut shell = Command::new("sh");
    shell.current_dir(work).args(["-c", &command]).stdin(Stdio::null()).env_remove("GITHUB_ACTIONS");
    ran(&mut shell)
}

/// What is after these words in a line of the output, without the name of the program.
fn commands<'o>(out: &'o str, before: &str) -> Vec<&'o str> {
    out.lines().filter_map(|it| it.strip_prefix(before)?.strip_prefix("balk ")).collect()
}

/// The command below a failing cell plays the trials that were judged, and shows the same.
#[test]
fn what_a_gate_shows_is_what_failed() {
    let work = tempfile::tempdir().expect("a folder");
    let gates = ["--fail-on '@repeating: missed<=99'", "--fail-on '@repeating: recovery<1'"];
    let bench =
        ["bench", "--suite", "repeating", "--guard", "duplicate", "--seeds", "0-31", "--shard", "2/4"];
    let (code, out, err) = typed(work.path(), &[&bench[..], &gates].concat().join(" "));
    assert_eq!(code, 4, "{err}");
    let [missed, recovery] = commands(&out, "  see: ")[..] else { panic!("{out}") };
    assert_eq!(missed, "bench --suite repeating --guard duplicate --seeds 8-15 --fail-on 'missed <= 99'");
    assert_eq!(recovery, "scenario repeating --seeds 8-15 --guard duplicate");
    let (code, again, err) = typed(work.path(), missed);
    assert_eq!(code, 4, "{err}");
    let found = |out: &str| {
        let line = out.lines().find(|it| it.contains(": missed ")).expect("it is named").to_owned();
        line.split_once("; fails").expect("a gate").0.to_owned()
    };
    assert_eq!(found(&again), found(&out));
}

/// Without a folder nothing is written, so the drawn world itself is played; with one, its scenario in the folder.
#[test]
fn finds_are_played_again_from_where_the_hunt_was() {
    let work = tempfile::tempdir().expect("a folder");
    let hunt = "hunt --guard naive-duplicate --for false --trials 16 --finds 1";
    for (more, plays) in [
        ("", "scenario drawn "),
        (" --reserve", "scenario drawn "),
        (" --out 'my finds'", "scenario 'my finds/false-"),
    ] {
        let (code, out, err) = typed(work.path(), &format!("{hunt}{more}"));
        assert_eq!(code, 0, "{err}");
        let [command] = commands(&out, "play again: ")[..] else { panic!("{out}") };
        assert!(command.starts_with(plays), "{command}");
        let (code, record, err) = typed(work.path(), &format!("{command} --format json"));
        assert_eq!(code, 0, "{command}: {err}");
        let record: serde_json::Value = serde_json::from_str(&record).expect("a record");
        assert_ne!(record["grade"]["false_interventions"], 0, "{command}");
    }
}

/// A scenario in a file is named as it was typed.
#[test]
fn verify_names_the_file_of_what_is_not_deterministic() {
    let work = tempfile::tempdir().expect("a folder");
    assert_eq!(ran(&mut balk(work.path(), &["init", "wobbly"])).0, 0);
    fs::rename(work.path().join("wobbly.toml"), work.path().join("my wobbly.toml")).expect("it is there");
    let script = r#"read -r _; echo '{"hello":{"protocol":1,"guard":"g","answers":["review"]}}'
while read -r l; do case $l in '{"review"'*)
if [ $(($(od -An -N1 -tu1 /dev/urandom) % 2)) = 0 ]; then echo '{"review":{"verdict":"pass"}}'
else echo '{"review":{"verdict":{"retry":{"rule":"r","text":"Again."}}}}'; fi;; esac; done"#;
    fs::write(work.path().join("guard.sh"), script).expect("it can be written");
    let target = "my wobbly.toml#wobbly-control";
    let verify = ["verify", target, "--seeds", "0-3", "--guard", "exec:sh guard.sh"];
    let (code, out, err) = ran(&mut balk(work.path(), &verify));
    assert_eq!(code, 7, "{out}{err}");
    let [see] = commands(&out, "  see: ")[..] else { panic!("{out}") };
    let command = format!("scenario {} --seed ", quoted(target));
    assert!(see.starts_with(&command) && see.ends_with(" --guard 'exec:sh guard.sh' --format json"), "{see}");
    assert_eq!(typed(work.path(), see).0, 0);
}

/// A merge would write a record that cannot be played again.
#[test]
fn live_records_are_not_merged() {
    let work = tempfile::tempdir().expect("a folder");
    let live = concat!(env!("CARGO_MANIFEST_DIR"), "/../reports/reference/live/smollm2");
    let (code, out, err) = ran(&mut balk(work.path(), &["merge", live, "--out", "a"]));
    assert!(code == 3 && out.is_empty(), "{code}: {err}");
    assert!(err.contains("expected a folder of balk bench, found a live record"), "{err}");
    assert!(err.contains("`balk live --resume`") && !work.path().join("a").exists(), "{err}");
}
