//! `--phraser` (spec H5): a command's words for why a run cannot go on, and what happens if it has none.

#![cfg(unix)]

use std::fs;
use std::path::Path;

use crate::common::program::{balk, ran, wait_for};
use serde_json::Value;
use tempfile::TempDir;

fn empty() -> TempDir {
    tempfile::tempdir().expect("a directory can be made")
}

/// A run whose first call cannot succeed, without a person to answer.
fn run(folder: &Path, more: &[&str]) -> (i32, String, String) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios/no-such-input.toml");
    fs::copy(file, folder.join("it.toml")).expect("it is there");
    ran(&mut balk(folder, &[&["scenario", "it.toml"], more].concat()))
}

/// The output without the command that repeats it.
fn shown(out: &str) -> &str {
    out.split("\nrun again: ").next().expect("there is a first part")
}

#[test]
fn h5_a_command_phrases_what_people_read_and_nothing_else() {
    let folder = empty();
    const WORDS: &str = "I looked for the table, and it is not where you said.";
    let phraser = format!("cat > asked; echo '  {WORDS} '; echo 'and more'");
    let template = run(folder.path(), &[]);
    for more in [&[][..], &["--interactive"]] {
        let (code, out, err) = run(folder.path(), &[&["--phraser", &phraser], more].concat());
        let shown = shown(&out);
        assert!(shown.contains(&format!("│ {WORDS}\n")) && !shown.contains("and more"), "{out}{err}");
        assert!(!shown.contains("This is a gap in what the agent can reach"), "{out}");
        assert!(out.contains("--phraser 'cat > asked; echo"), "{out}");
        if more.is_empty() {
            assert_eq!((code, &*err), (template.0, ""));
        }
    }
    let asked = fs::read_to_string(folder.path().join("asked")).expect("it was asked");
    assert_eq!(asked.lines().count(), 1);
    let gap: Value = serde_json::from_str(&asked).expect("it is asked in JSON");
    assert_eq!((&gap["kind"], &gap["missing"]), (&"missing-input".into(), &"data/sales.csv".into()));

    // The record and the log have the guards' own words.
    let json = |more: &[&str]| {
        let (code, out, err) =
            run(folder.path(), &[&["--format", "json", "--events", "events"], more].concat());
        assert_eq!((code, &*err), (0, ""));
        let events = folder.path().join("events");
        let written = fs::read_to_string(&events).expect("it was written");
        fs::remove_file(events).expect("it is there");
        (out, written)
    };
    assert_eq!(json(&["--phraser", &phraser]), json(&[]));
}

#[test]
fn h5_where_the_command_fails_the_template_stands() {
    let folder = empty();
    let (_, template, _) = run(folder.path(), &[]);
    for (phraser, reason) in [
        ("echo Some words.; exit 3", "failed (exit status: 3)"),
        ("echo Some words.; kill -9 $$", "failed (signal: 9 (SIGKILL))"),
        ("exec no-such-command-anywhere 2>/dev/null", "failed (exit status: 127)"),
        ("true", "printed no readable text"),
        ("exec <&-; echo", "printed no readable text"),
        ("echo '{\"plan\": [\"look again\"]}'", "printed no readable text"),
        ("printf '\\377\\376\\n'", "printed bytes that are not UTF-8"),
        ("yes", "printed more than 64 KiB"),
    ] {
        let (code, out, err) = run(folder.path(), &["--phraser", phraser]);
        assert_eq!((code, shown(&out)), (0, shown(&template)), "{phraser}");
        assert_eq!(err, format!("note: the phraser {reason}, so Balk's own words are shown\n"), "{phraser}");
    }
    // A long line is truncated, as for any phraser.
    let (_, out, err) =
        run(folder.path(), &["--phraser", "i=0; while [ $i -lt 200 ]; do printf 'word '; i=$((i+1)); done"]);
    assert!(err.is_empty() && out.contains("word…\n"), "{out}{err}");
    let (code, out, err) = run(folder.path(), &["--phraser", "true", "--seeds", "0-1"]);
    assert!(code == 2 && out.is_empty() && err.contains("--phraser"), "{err}");
}

/// Neither a command that never ends nor its children outlive the limit.
#[cfg(target_os = "linux")]
#[test]
fn h5_a_command_that_hangs_is_killed_with_all_that_it_started() {
    let folder = empty();
    let (_, template, _) = run(folder.path(), &[]);
    let phraser =
        "trap '' TERM INT; sleep 600 & echo $! > left; echo $$ > itself; echo Some words.; sleep 600";
    let (code, out, err) = run(folder.path(), &["--phraser", phraser]);
    assert_eq!((code, shown(&out)), (0, shown(&template)));
    assert_eq!(err, "note: the phraser took more than 10 seconds, so Balk's own words are shown\n");
    for name in ["left", "itself"] {
        let id = fs::read_to_string(folder.path().join(name)).expect("it was started");
        // A killed process goes when the system gets round to it.
        wait_for(name, || !runs(id.trim()));
    }
}

/// A command has the bounds of other programs, and what it leaves behind ends with it.
#[cfg(target_os = "linux")]
#[test]
fn h5_a_command_has_bounds_and_leaves_nothing_behind() {
    let folder = empty();
    let phraser = "ulimit -d > bound; sleep 600 >/dev/null 2>&1 & echo $! > left;
        setsid sh -c 'echo $$ > apart; exec sleep 600' </dev/null >/dev/null 2>&1 &
        until [ -s apart ]; do sleep 0.1; done; echo Some words.";
    let (_, out, err) = run(folder.path(), &["--phraser", phraser]);
    assert!(err.is_empty() && out.contains("│ Some words.\n"), "{out}{err}");
    let written = |name: &str| fs::read_to_string(folder.path().join(name)).expect("it was written");
    assert_eq!(written("bound").trim(), (4096 * 1024).to_string(), "KiB");
    wait_for("the end of what it started", || !runs(written("left").trim()));
    wait_for("the end of what left its group", || !runs(written("apart").trim()));
}

/// Whether a process runs. Where no process collects orphans, a killed one is still listed, as a zombie.
#[cfg(target_os = "linux")]
fn runs(id: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    state.rsplit(") ").next().is_some_and(|it| !it.is_empty() && !it.starts_with(['Z', 'X']))
}
