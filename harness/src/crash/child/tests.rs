//! Real programs, which end, do not end, and leave others behind.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;

use super::*;

struct Run {
    folder: TempDir,
    bounds: Bounds,
    mark: String,
}

impl Run {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mark = format!("HOME={}", folder.path().display());
        let bounds =
            Bounds { time: Duration::from_secs(30), grace: Duration::from_millis(500), ..Bounds::default() };
        Self { folder, bounds, mark }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn script(&self, script: &str, stop: &AtomicBool) -> Ran {
        self.watched(script, Watched { stop: &|| stop.load(Ordering::Relaxed), signs: &|| 0 })
    }

    fn watched(&self, script: &str, watched: Watched<'_>) -> Ran {
        let mut command = Command::new("sh");
        command.args(["-c", script]).env("HOME", self.folder.path()).current_dir(self.folder.path());
        let belonging = Belonging::Marked(self.mark.clone());
        super::run(command, belonging, self.bounds, watched).expect("it runs")
    }

    /// Whether the process whose number is in this file is running.
    fn lives(&self, name: &str) -> bool {
        let id = fs::read_to_string(self.file(name)).expect("the number of a process");
        let stat = fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    }
}

#[test]
fn a_program_that_ends_has_its_own_status_and_both_outputs() {
    let run = Run::new();
    let ran = run.script("echo one; echo two >&2; exit 3", &AtomicBool::new(false));
    assert_eq!((ran.ended, ran.status.code()), (Ended::Itself, Some(3)));
    assert_eq!((&*ran.stdout.bytes, &*ran.stderr.bytes), (&b"one\n"[..], &b"two\n"[..]));
    assert!(ran.left_over.is_empty() && ran.nanoseconds > 0);
    let ran = run.script("read line && echo \"$line\"", &AtomicBool::new(false));
    assert_eq!(ran.status.code(), Some(1), "it has no input");
}

#[test]
fn a_program_that_goes_on_is_asked_to_end_and_then_killed() {
    let mut run = Run::new();
    // A shell that starts a program has its trap twice until the other one is that program, so it is not asked before.
    let is_ready = || run.file("ready").exists();
    let script = "trap 'echo bye; exit 7' TERM; sh -c ': > ready; exec sleep 1000' & wait";
    let asked = run.watched(script, Watched { stop: &is_ready, signs: &|| 0 });
    assert_eq!((asked.ended, asked.status.code()), (Ended::Stopped, Some(7)));
    assert_eq!(&*asked.stdout.bytes, b"bye\n");
    run.bounds.time = Duration::from_millis(300);
    let deaf = run.script("trap '' TERM; while :; do sleep 0.05; done", &AtomicBool::new(false));
    assert_eq!((deaf.ended, deaf.status.code()), (Ended::OutOfTime, None));
}

/// A slow machine changes nothing: each sign gives the program its whole time again.
#[test]
fn a_program_that_gives_signs_is_not_ended_by_time() {
    let mut run = Run::new();
    run.bounds.time = Duration::from_millis(500);
    let seen = || {
        let folder = fs::read_dir(run.folder.path()).expect("a folder").flatten();
        folder.filter(|it| it.file_name().to_string_lossy().starts_with("sign")).count() as u64
    };
    let watched = Watched { stop: &|| false, signs: &seen };
    let ran = run.watched("for it in 1 2 3 4 5; do sleep 0.25; : > sign-$it; done", watched);
    assert_eq!((ran.ended, ran.status.code()), (Ended::Itself, Some(0)));
    let ran = run.watched("sleep 30", watched);
    assert_eq!(ran.ended, Ended::OutOfTime);
}

#[test]
fn a_signal_from_outside_ends_it() {
    let run = Run::new();
    let stop = Arc::new(AtomicBool::new(false));
    let setter = Arc::clone(&stop);
    let thread = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        setter.store(true, Ordering::Relaxed);
    });
    let ran = run.script("sleep 60", &stop);
    thread.join().expect("it ends");
    assert_eq!(ran.ended, Ended::Stopped);
    assert!(ran.nanoseconds < 20_000_000_000);
}

#[test]
fn what_a_program_leaves_behind_is_counted_and_ended() {
    let run = Run::new();
    let script = "setsid sleep 100 & echo $! > own; sleep 0.1
        setsid sh -c 'sleep 200 & echo $! > left; exit 0' >/dev/null 2>&1 </dev/null; exit 0";
    let ran = run.script(script, &AtomicBool::new(false));
    assert_eq!((ran.ended, ran.status.code()), (Ended::Itself, Some(0)));
    // On some systems `sleep` is one program of many in a file.
    assert_eq!(ran.left_over.values().sum::<u32>(), 2, "{:?}", ran.left_over);
    assert!(!run.lives("own") && !run.lives("left"));
}

/// It has a session of its own, ignores the polite signal, and its parent is gone.
#[test]
fn a_process_that_left_the_program_does_not_outlive_it() {
    let mut run = Run::new();
    run.bounds.time = Duration::from_millis(500);
    let script =
        "setsid sh -c 'trap \"\" TERM; (trap \"\" TERM; echo $$ > shell; while :; do sleep 0.1; done) &' &
        sleep 60";
    let ran = run.script(script, &AtomicBool::new(false));
    assert_eq!(ran.ended, Ended::OutOfTime);
    assert!(!run.lives("shell"));
    let tree = Tree::new(u32::MAX, Belonging::Marked(run.mark.clone()));
    assert_eq!(tree.members(), []);
}

/// The program has ended by itself, so it has a status and its words; the one that it left is found by what it holds.
#[test]
fn a_process_that_holds_an_output_is_counted_and_ended() {
    let run = Run::new();
    let script = "echo one; (setsid env -i sleep 100 & echo $! > own); exit 3";
    let ran = run.script(script, &AtomicBool::new(false));
    assert_eq!((ran.ended, ran.status.code(), &*ran.stdout.bytes), (Ended::Itself, Some(3), &b"one\n"[..]));
    // On some systems `sleep` is one program of many in a file.
    assert_eq!(ran.left_over.values().sum::<u32>(), 1, "{:?}", ran.left_over);
    assert!(!run.lives("own"));
}

#[test]
fn a_long_output_blocks_nothing() {
    let mut run = Run::new();
    run.bounds.bytes = 1_000;
    let ran = run.script("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last", &AtomicBool::new(false));
    assert_eq!((ran.ended, ran.status.code()), (Ended::Itself, Some(0)));
    assert_eq!(ran.stdout.left_out, 3_000_006 - 1_000);
    let kept = String::from_utf8(ran.stdout.bytes).expect("it is text");
    assert!(kept.contains("[2999006 bytes left out]") && kept.ends_with("\nlast\n"), "{}", kept.len());
}

#[test]
fn a_program_that_is_too_large_is_ended() {
    let mut run = Run::new();
    (run.bounds.processes, run.bounds.memory_mib) = (20, 64);
    let many = run.script("while :; do sleep 100 & done", &AtomicBool::new(false));
    assert_eq!(many.ended, Ended::TooLarge);
    let grown = "x=$(head -c 200000000 /dev/zero | tr '\\0' x); sleep 100";
    assert_eq!(run.script(grown, &AtomicBool::new(false)).ended, Ended::TooLarge);
    let tree = Tree::new(u32::MAX, Belonging::Marked(run.mark.clone()));
    assert_eq!(tree.members(), []);
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let run = Run::new();
    let command = Command::new("/no/such/program");
    let belonging = Belonging::Marked(run.mark.clone());
    let watched = Watched { stop: &|| false, signs: &|| 0 };
    let ran = super::run(command, belonging, run.bounds, watched);
    assert_eq!(ran.expect_err("it cannot be started").kind(), io::ErrorKind::NotFound);
}

/// In the namespaces of a run this program is the parent of everything that lost its own.
#[test]
fn descendants_of_this_program_belong_and_nothing_else_does() {
    let mut child = Command::new("sh").args(["-c", "sleep 50 & wait"]).spawn().expect("it runs");
    thread::sleep(Duration::from_millis(100));
    let members = Tree::new(u32::MAX, Belonging::Descendants).members();
    let ids: Vec<u32> = members.iter().map(|it| it.id).collect();
    assert!(ids.contains(&child.id()) && members.len() >= 2, "{members:?}");
    assert!(!ids.contains(&std::process::id()) && !ids.contains(&1));
    for id in ids {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        assert!(!stat.contains(") S 0 "), "process {id} has no parent");
    }
    let marked = Tree::new(child.id(), Belonging::Marked("HOME=/no/such".to_owned()));
    assert_eq!(marked.members().len(), 2, "the shell and what it has started");
    marked.kill();
    child.wait().expect("it has ended");
    assert_eq!(marked.members(), []);
}
