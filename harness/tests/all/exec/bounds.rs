//! What a guard in another process gets, and how much it may use.

use std::fs;

use balk::exec::Settings;
use balk_reports::records::quoted;

use super::faults::fault;
use super::{asked, patient, runs, says, sh};
use crate::common::program::{balk, ran, wait_for};

const REVIEW: &str = "expected an answer to `review`, found";

/// The names of a closed environment: a list, and what the configuration names. A shell adds its own.
#[test]
fn a_guard_gets_nothing_of_the_environment_but_what_is_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("balk.toml"), "[exec]\nenv = [\"GIVEN\", \"ABSENT\"]\n").expect("a file");
    let says = says(r#"{"review":{"verdict":"pass"}}"#);
    let spec = format!("exec:{}", sh(&format!("env > seen; {}", asked(&says))));
    let mut command = balk(folder.path(), &["scenario", "repeating", "--guard", &spec]);
    let path = std::env::var_os("PATH").expect("there is one");
    command.env_clear().env("PATH", path).env("HOME", folder.path()).env("TMPDIR", folder.path());
    command.envs([
        ("OPENAI_API_KEY", "secret"),
        ("GIVEN", "1"),
        ("LANG", "de_DE.UTF-8"),
        ("TZ", "Asia/Tokyo"),
    ]);
    let (code, out, err) = ran(&mut command);
    assert!(code < 2, "{out}{err}");
    let seen = fs::read_to_string(folder.path().join("seen")).expect("it was started");
    let mut seen: Vec<&str> = seen
        .lines()
        .filter(|it| !["PWD=", "OLDPWD=", "SHLVL=", "_="].iter().any(|own| it.starts_with(own)))
        .collect();
    seen.sort_unstable();
    let names: Vec<&str> = seen.iter().filter_map(|it| Some(it.split_once('=')?.0)).collect();
    assert_eq!(names, ["GIVEN", "HOME", "LANG", "PATH", "TMPDIR", "TZ"]);
    assert!(seen.contains(&"LANG=C.UTF-8") && seen.contains(&"TZ=UTC"), "{seen:?}");
}

/// Ten gigabytes without an end of a line, while Balk itself may have little memory.
#[test]
fn a_guard_that_floods_an_output_breaks_at_its_bound() {
    let flood = "head -c 10000000000 /dev/zero";
    let said = fault(&format!("{flood} >&2; sleep 1000"), patient());
    let expected =
        format!("{REVIEW} more than 64 MiB on standard error; the last lines of standard error:\n???");
    assert!(said.starts_with(&expected) && said.len() < 1_000, "{said}");
    for (to, bound) in [("1", "more than 4 MiB without an end"), ("2", "more than 64 MiB on standard error")]
    {
        let folder = tempfile::tempdir().expect("a folder");
        let spec = format!("exec:{}", sh(&asked(&format!("{flood} >&{to}"))));
        // A slow machine takes longer than five seconds.
        fs::write(folder.path().join("balk.toml"), "[exec]\nanswer-ms = 60000\n").expect("a file");
        let balk = quoted(env!("CARGO_BIN_EXE_balk"));
        let script = format!("ulimit -d 300000; exec {balk} scenario repeating --guard {}", quoted(&spec));
        let mut command = std::process::Command::new("sh");
        let (code, out, err) = ran(command.current_dir(folder.path()).args(["-c", &script]));
        assert_eq!(code, 6, "{out}{err}");
        assert!(out.contains(bound), "{out}{err}");
    }
}

#[test]
fn a_process_of_a_guard_has_no_more_memory_than_its_bound() {
    let settings = Settings { memory_mib: 64, ..patient() };
    let grows = "x=$(head -c 200000000 /dev/zero | tr '\\0' x); echo grown >&2; sleep 1000";
    let said = fault(grows, settings);
    assert!(
        said.starts_with(&format!("{REVIEW} the end of its output (")) && !said.contains("grown"),
        "{said}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn the_processes_of_a_guard_have_no_more_memory_together() {
    let settings = Settings { memory_mib: 64, ..patient() };
    // The last command takes the place of a shell, and its memory is gone.
    let grows = "x=$(head -c 24000000 /dev/zero | tr '\\0' x); sleep 1000; :";
    let said = fault(&format!("for it in 1 2 3 4; do ({grows}) & done; wait"), settings);
    assert!(said.starts_with(REVIEW) && said.contains(" MiB of memory, more than 64;"), "{said}");
}

/// What a process shares with no other and with no file is no less its memory.
#[cfg(target_os = "linux")]
#[test]
fn memory_to_share_counts() {
    if !runs("python3", "memory to share") {
        return;
    }
    let settings = Settings { memory_mib: 64, ..patient() };
    let shares = "import mmap, time; m = mmap.mmap(-1, 100 << 20); \
                  all(m.write(b'x' * 4096) for _ in range(25600)); time.sleep(1000)";
    let said = fault(&format!("python3 -c {}", quoted(shares)), settings);
    assert!(said.starts_with(REVIEW) && said.contains(" MiB of memory, more than 64;"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_guard_that_starts_processes_for_ever_breaks_at_its_bound_and_nothing_of_it_is_left() {
    let sleeps = format!("{}77", std::process::id());
    let said = fault(&format!("while :; do sleep {sleeps} & done"), Settings { processes: 20, ..patient() });
    assert!(said.starts_with(REVIEW) && said.contains(" processes, more than 20;"), "{said}");
    let line = format!("sleep\0{sleeps}\0");
    let is_left = || {
        let all = fs::read_dir("/proc").expect("it is there").flatten();
        all.filter_map(|it| fs::read(it.path().join("cmdline")).ok()).any(|it| it == line.as_bytes())
    };
    wait_for("the end of all", || !is_left());
}
