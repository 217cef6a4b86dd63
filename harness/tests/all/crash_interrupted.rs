//! `balk crash` that is disturbed: nothing of the agent goes on, and what was played is kept.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use crate::common::program::{balk, ran, wait_for};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

/// Runs whose first one ends by itself. The second one asks its model twice, and then stays with a process beside it.
struct Runs {
    folder: tempfile::TempDir,
    /// What its processes sleep for: no others of this machine do.
    sleeps: String,
    running: Child,
}

impl Runs {
    fn start(name: u32, is_isolated: bool) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let sleeps = format!("{}{name}", std::process::id());
        let program =
            PathBuf::from(env!("CARGO_BIN_EXE_balk")).with_file_name("examples").join("small_agent");
        let (program, here) = (program.display(), folder.path().display());
        let asks = format!("{program} {{url}}/v1/chat/completions {{task}} --turns 2");
        let stays = format!("setsid sleep {sleeps} & : > {here}/stays; sleep {sleeps}");
        let command = format!("{asks}; if [ -e {here}/second ]; then {stays}; fi; : > {here}/second; exit 1");
        let temporary = folder.path().join("tmp");
        fs::create_dir(&temporary).expect("a folder");
        let scenarios = ["--scenario", "repeating", "--scenario", "repeating-success"];
        let more = ["crash", "--cmd", &command, "--out", "out", "--seconds", "900"];
        let mut started = balk(folder.path(), &[&more[..], &scenarios].concat());
        started.env("TMPDIR", temporary).stdout(Stdio::null()).stderr(Stdio::piped());
        if !is_isolated {
            // No `unshare` is found there.
            started.env("PATH", folder.path());
        }
        // As in a terminal, Ctrl-C reaches the whole group, and not the one of the tests.
        std::os::unix::process::CommandExt::process_group(&mut started, 0);
        let running = started.spawn().expect("the program starts");
        let mut runs = Self { folder, sleeps, running };
        wait_for("a run that stays", || runs.path("stays").exists() && runs.processes() == 2);
        assert_eq!(runs.running.try_wait().expect("it is known"), None);
        runs
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// How many of the agent's processes there are.
    fn processes(&self) -> usize {
        let line = format!("sleep\0{}\0", self.sleeps);
        let all = fs::read_dir("/proc").expect("it is there").flatten();
        all.filter_map(|it| fs::read(it.path().join("cmdline")).ok())
            .filter(|it| it == line.as_bytes())
            .count()
    }

    fn signal(&self, signal: Signal) {
        kill_process_group(Pid::from_child(&self.running), signal).expect("it is running");
    }

    /// Waits for the end: the exit code, and what was said.
    #[track_caller]
    fn ends(mut self) -> (Option<i32>, String, tempfile::TempDir) {
        wait_for("the end of the agent", || self.processes() == 0);
        wait_for("the end of its place", || !has_place(&self.path("tmp")));
        let status = self.running.wait().expect("it ends");
        let said = std::io::read_to_string(self.running.stderr.take().expect("a pipe")).expect("it is text");
        (status.code(), said, self.folder)
    }
}

/// Whether there is the place of a run.
fn has_place(temporary: &Path) -> bool {
    fs::read_dir(temporary).expect("a folder").flatten().any(|it| it.path().join("project").exists())
}

/// Checks that the record has the verdict of the first run of two.
#[track_caller]
fn has_the_first_run(folder: &Path) {
    let text = fs::read_to_string(folder.join("out/runs.json")).expect("it is there");
    let kept: Value = serde_json::from_str(&text).expect("it is JSON");
    let runs = kept["runs"].as_array().expect("a list");
    assert_eq!((runs.len(), &kept["planned"]), (1, &2.into()), "{kept:#}");
    assert_eq!((&runs[0]["scenario"], &runs[0]["verdict"]["word"]), (&"repeating".into(), &"told".into()));
}

#[test]
fn ctrl_c_or_a_signal_to_end_ends_the_agent_and_keeps_what_was_played() {
    for (name, is_isolated, signal) in
        [(1, true, Signal::INT), (2, false, Signal::TERM), (5, false, Signal::HUP)]
    {
        let runs = Runs::start(name, is_isolated);
        runs.signal(signal);
        let (code, said, folder) = runs.ends();
        assert_eq!(code, Some(130), "{said}");
        assert!(said.contains("interrupted: 1 of 2 runs have a verdict\n"), "{said}");
        has_the_first_run(folder.path());
        let read = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).ok();
        let second = |name: &str| read(&format!("agent/repeating-success-7/{name}"));
        assert!(second("transcript.jsonl").is_some_and(|it| it.lines().count() >= 3));
        assert_eq!(second("verdict.json"), None, "a run that was stopped has none");
        assert_eq!(fs::read_dir(folder.path().join("tmp")).expect("a folder").count(), 0);
    }
}

/// The program does not wait then, but its runs end all the same, and so they do if it is killed.
#[test]
fn nothing_of_the_agent_goes_on_if_the_program_is_ended_at_once() {
    let runs = Runs::start(3, true);
    runs.signal(Signal::INT);
    runs.signal(Signal::INT);
    let (code, said, _folder) = runs.ends();
    assert_eq!(code, Some(130), "{said}");

    let mut runs = Runs::start(4, false);
    runs.running.kill().expect("it is running");
    let (code, said, folder) = runs.ends();
    assert_eq!(code, None, "{said}");
    has_the_first_run(folder.path());
}

/// A folder is in the way of the record until the second run is played.
#[test]
fn a_record_that_cannot_be_written_once_ends_no_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("out/runs.json");
    let name = record.display();
    let command = format!(
        ": {{url}} {{task}}; if [ -d {name} ]; then rmdir {name}; else rm {name} && mkdir {name}; fi"
    );
    let more = ["crash", "--cmd", &command, "--jobs", "1", "--scenario", "repeating", "--seeds", "1-2"];
    let (code, _, err) = ran(&mut balk(folder.path(), &[&more[..], &["--out", "out"]].concat()));
    assert_eq!(code, 0, "{err}");
    let kept: Value = serde_json::from_str(&fs::read_to_string(record).expect("it is there")).expect("JSON");
    assert_eq!(kept["runs"].as_array().map(Vec::len), Some(2), "{kept:#}");
}
