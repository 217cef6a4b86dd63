//! The program from the outside: exit code, standard output, standard error.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use balk_reports::records::{TrialRecord, transcript};
use tempfile::TempDir;

/// The result of a run of the program.
struct Ran {
    code: i32,
    out: String,
    err: String,
}

/// Runs `balk` in this directory.
fn run_in(directory: &Path, arguments: &[&str], threads: &str) -> Ran {
    run_with(directory, arguments, &[("RAYON_NUM_THREADS", threads)])
}

/// Runs `balk` with these environment variables.
fn run_with(directory: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_balk"))
        .current_dir(directory)
        .envs(variables.iter().copied())
        .args(arguments)
        .output()
        .expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
    Ran {
        code: output.status.code().expect("the program is not killed"),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

/// An empty directory to work in.
fn empty() -> TempDir {
    tempfile::tempdir().expect("a directory can be made")
}

fn run(arguments: &[&str]) -> Ran {
    run_in(empty().path(), arguments, "2")
}

/// Runs `balk` twice, and returns all of its output.
fn shown(arguments: &[&str]) -> String {
    let (first, second) = (whole(&run(arguments)), whole(&run(arguments)));
    assert_eq!(first, second, "the same command gives the same bytes");
    first
}

fn whole(ran: &Ran) -> String {
    format!("exit code: {}\n--- stdout\n{}--- stderr\n{}", ran.code, ran.out, ran.err)
}

#[test]
fn list() {
    insta::assert_snapshot!("list", shown(&["list"]));
    insta::assert_snapshot!("list_guards", shown(&["list", "--guards"]));
}

#[test]
fn help() {
    insta::assert_snapshot!("help", shown(&["--help"]));
    for command in ["scenario", "label", "bench", "live", "shrink", "hunt", "compare", "completions", "man"] {
        insta::assert_snapshot!(format!("help_{command}"), shown(&[command, "--help"]));
    }
}

#[test]
fn scenario_as_text_says_how_to_run_it_again() {
    let text = shown(&["scenario", "repeating", "--seed", "54", "--set", "limits.turns=5"]);
    insta::assert_snapshot!("scenario_text", text);
    let again = text.lines().find_map(|line| line.strip_prefix("run again: balk ")).expect("it says how");
    assert_eq!(shown(&again.split(' ').collect::<Vec<_>>()), text);
}

/// Of two values for one key, or of seeds that count for nothing, a reader could not say what was measured.
#[test]
fn what_contradicts_itself_is_refused() {
    let work = empty();
    std::fs::create_dir(work.path().join("other")).expect("a folder");
    let twice = ["--set", "limits.turns=5", "--set", "limits.turns=6"];
    let sweep = ["--set", "limits.turns=5", "--sweep", "limits.turns=5..6:1"];
    let of_twice = "--set: expected each value once, found `limits.turns` twice";
    for (arguments, more, code, expected) in [
        (&["scenario", "repeating"][..], &twice[..], 2, of_twice),
        (&["bench", "--suite", "repeating"], &twice, 2, of_twice),
        (&["shrink", "repeating", "--seed", "1", "--shows", "not-told"], &twice, 2, of_twice),
        (&["bench", "--suite", "repeating"], &sweep, 2, "--sweep: expected a value that no --set has"),
        (
            &["bench", "--guard", "no-tools"],
            &["--guard", "no-tools{}"],
            2,
            "`no-tools{}`, which is `no-tools`",
        ),
        (&["verify", "other"], &["--seeds", "9-9"], 2, "--seeds: expected a scenario to verify"),
        (&["verify", "other"], &[], 3, "other/bench.jsonl: expected the record of a bench, found "),
    ] {
        let ran = run_in(work.path(), &[arguments, more].concat(), "1");
        assert!(ran.code == code && ran.err.contains(expected), "{arguments:?}: {} {}", ran.code, ran.err);
    }
}

#[test]
fn scenario_as_json_reads_back() {
    for seed in 0..5 {
        let ran = run(&["scenario", "abandonment", "--seed", &seed.to_string(), "--format", "json"]);
        assert_eq!((ran.code, &*ran.err, ran.out.lines().count()), (0, "", 1));
        let record: TrialRecord = serde_json::from_str(&ran.out).expect("it is a record");
        assert_eq!(record.seed, seed.to_string());
        assert_eq!(record.skeleton, "abandonment", "a written scenario is one skeleton");
        assert_eq!(serde_json::to_string(&record).expect("plain data") + "\n", ran.out);
        assert_eq!(transcript(&record.entries).expect("it reads back").len(), record.entries.len());
    }
}

#[test]
fn scenario_with_many_seeds_counts_the_same_on_any_number_of_threads() {
    let arguments = [
        &["scenario", "abandonment", "--seeds", "0-19"][..],
        &["--guard", "none", "--guard", "default", "--guard", "oracle"],
    ]
    .concat();
    insta::assert_snapshot!("scenario_seeds", shown(&arguments));
    for format in ["text", "json"] {
        let arguments = [&arguments[..], &["--format", format]].concat();
        let on = |threads| whole(&run_in(empty().path(), &arguments, threads));
        assert_eq!(on("1"), on("2"));
    }
    insta::assert_snapshot!("scenario_seeds_json", shown(&[&arguments[..], &["--format", "json"]].concat()));
}

#[test]
fn guards_are_set_in_braces() {
    const SPEC: &str = "no-tools{limit=5},duplicate=notice";
    let text = shown(&["scenario", "text-only", "--seeds", "0-19", "--guard", SPEC]);
    insta::assert_snapshot!("guard_braces", text);
    // A higher limit delays the question.
    assert_ne!(text, text_only("no-tools,duplicate=notice"));
    assert_eq!(text_only("no-tools{limit=3}"), text_only("no-tools"));
}

/// The row of counts, without the command and the name of the guard.
fn text_only(guard: &str) -> String {
    let ran = run(&["scenario", "text-only", "--seeds", "0-19", "--guard", guard]);
    let row = ran.out.lines().find_map(|line| line.strip_prefix(guard)).expect("the guard has a row");
    row.trim().to_owned()
}

#[test]
fn guards_are_set_in_a_file_and_in_the_environment() {
    let directory = empty();
    let write = |name: &str, text: &str| {
        fs::write(directory.path().join(name), text).expect("it can be written");
    };
    write("good.toml", "[no-tools]\nlimit = 5\n\n[duplicate]\npolicy = \"notice\"\n");
    write("key.toml", "[no-tools]\nlimits = 5\n");
    write("value.toml", "[duplicate]\npolicy = \"shout\"\n");
    write("guard.toml", "[no-tool]\nlimit = 5\n");
    write("toml.toml", "[no-tools\nlimit = 5\n");
    const ARGUMENTS: [&str; 7] =
        ["scenario", "text-only", "--seeds", "0-19", "--guard", "no-tools,duplicate", "--config"];
    let with = |file: &str, variables: &[(&str, &str)]| {
        run_with(directory.path(), &[&ARGUMENTS[..], &[file]].concat(), variables)
    };
    let ran = |file: &str| with(file, &[]);
    insta::assert_snapshot!("config_good", whole(&ran("good.toml")));
    for name in ["key", "value", "guard", "toml", "missing"] {
        insta::assert_snapshot!(format!("config_{name}"), whole(&ran(&format!("{name}.toml"))));
    }
    // The same settings in braces, in a file, and in the environment, which overrides another file.
    let row = |ran: &Ran| {
        let row = ran.out.lines().find(|line| line.starts_with("no-tools"));
        row.expect("the guard has a row").split_once(' ').expect("and counts").1.trim().to_owned()
    };
    let file = row(&ran("good.toml"));
    assert_eq!(file, text_only("no-tools{limit=5},duplicate=notice"));
    write("other.toml", "[no-tools]\nlimit = 2\n\n[duplicate]\npolicy = \"notice\"\n");
    let environment = with("other.toml", &[("MISTAKE_LIMIT", "5")]);
    assert_eq!(file, row(&environment));
    for (name, value) in [("MISTAKE_LIMIT", "x"), ("MISTAKE_LIMIT", "0"), ("NO_TOOLS_GUARD_ENABLED", "maybe")]
    {
        let ran = with("good.toml", &[(name, value)]);
        insta::assert_snapshot!(format!("environment_{}_{value}", name.to_lowercase()), whole(&ran));
    }
}

#[test]
fn a_reserved_world_is_another_one() {
    let drawn = |more: &[&str]| {
        let ran = run(&[&["scenario", "repeating", "--format", "json"], more].concat());
        serde_json::from_str::<TrialRecord>(&ran.out).expect("it is a record").world
    };
    assert_ne!(drawn(&[]), drawn(&["--reserve"]));
}

/// What an author runs first must show what the titles say.
#[test]
fn the_starting_pair_does_what_it_says() {
    let directory = empty();
    run_in(directory.path(), &["init", "late-files"], "2");
    let counts = |file: &str| {
        let stacks = ["--seeds", "0-99", "--guard", "none", "--guard", "default", "--format", "json"];
        let Ran { out, .. } = run_in(directory.path(), &[&["scenario", file][..], &stacks].concat(), "2");
        let lines = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
        let measured = lines.filter(|line| line["response"] == "scenario");
        let counts = measured.map(|line| {
            ["onsets", "recovered", "false_interventions", "done"].map(|key| line["counts"][key].as_u64())
        });
        counts.map(|counts| counts.map(|count| count.expect("a count"))).collect::<Vec<_>>()
    };
    let [[stuck, unprompted, ..], [stuck_too, recovered, disturbed, _]] = counts("late-files.toml")[..]
    else {
        panic!("two stacks");
    };
    assert!(stuck >= 90 && stuck_too >= 90, "nine in ten get stuck: {stuck}, {stuck_too}");
    assert!(
        unprompted < 20 && recovered >= 50,
        "{unprompted} recover without a guard, {recovered} with guards"
    );
    assert_eq!(disturbed, 0, "healthy turns are left alone");
    let healthy = counts("late-files.toml#late-files-control");
    assert_eq!(healthy, [[0, 0, 0, 100]; 2], "the healthy actor works, undisturbed");
}

#[test]
fn init_writes_a_good_file_and_overwrites_nothing() {
    let directory = empty();
    let run = |arguments: &[&str]| whole(&run_in(directory.path(), arguments, "2"));
    insta::assert_snapshot!("init", run(&["init", "slow-build"]));
    insta::assert_snapshot!("init_check", run(&["check", "slow-build.toml"]));
    let before = fs::read(directory.path().join("slow-build.toml")).expect("it was written");
    insta::assert_snapshot!("init_again", run(&["init", "slow-build"]));
    assert_eq!(fs::read(directory.path().join("slow-build.toml")).expect("it is there"), before);
    insta::assert_snapshot!("init_bad_name", run(&["init", "Slow Build"]));
    insta::assert_snapshot!("init_no_folder", run(&["init", "other", "--dir", "nowhere"]));
    let made = run(&["scenario", "slow-build.toml#slow-build-control", "--format", "json"]);
    assert!(made.starts_with("exit code: 0"), "{made}");
}

#[test]
fn migrate_joins_twins_and_rewrites_the_rest() {
    let directory = empty();
    let run = |arguments: &[&str]| whole(&run_in(directory.path(), arguments, "2"));
    let path = |name: &str| directory.path().join(name);
    let old = |name: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/tests/old");
        fs::read_to_string(format!("{folder}/{name}")).expect("it is there")
    };
    let (stubborn, healthy) = (old("slow-page.toml"), old("slow-page-control.toml"));
    fs::write(path("a.toml"), &stubborn).expect("it can be written");
    fs::write(path("b.toml"), healthy.replace("turns = 30", "turns = 20")).expect("it can be written");
    insta::assert_snapshot!("migrate_check", run(&["check", "a.toml"]));
    insta::assert_snapshot!("migrate_conflict", run(&["migrate", "a.toml", "b.toml"]));
    assert_eq!(fs::read_to_string(path("a.toml")).expect("it is there"), stubborn, "nothing is written");
    fs::write(path("b.toml"), &healthy).expect("it can be written");
    insta::assert_snapshot!("migrate", run(&["migrate", "a.toml", "b.toml"]));
    assert!(!path("b.toml").exists());
    insta::assert_snapshot!("migrate_again", run(&["migrate", "a.toml"]));
    fs::write(path("b.toml"), &healthy).expect("it can be written");
    fs::write(path("c.toml"), &stubborn).expect("it can be written");
    insta::assert_snapshot!("migrate_alone", run(&["migrate", "b.toml"]) + &run(&["migrate", "c.toml"]));
    let with_mode = stubborn.replace("\nprofile = ", "\nmode = \"flat\"\nprofile = ");
    fs::write(path("d.toml"), with_mode).expect("it can be written");
    insta::assert_snapshot!("migrate_mode", run(&["migrate", "d.toml"]));
    let checked = run(&["check", "a.toml", "b.toml"]);
    assert!(checked.starts_with("exit code: 0"), "{checked}");
}

#[test]
fn migrate_takes_a_file_that_is_named_twice_once() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/tests/old");
    for named in [&["s.toml", "./s.toml", "h.toml"][..], &["s.toml", "h.toml", "./h.toml", "h.toml"]] {
        let directory = empty();
        let path = |name: &str| directory.path().join(name);
        fs::copy(format!("{folder}/slow-page.toml"), path("s.toml")).expect("it is there");
        fs::copy(format!("{folder}/slow-page-control.toml"), path("h.toml")).expect("it is there");
        let said = whole(&run_in(directory.path(), &[&["migrate"], named].concat(), "2"));
        assert!(said.starts_with("exit code: 0"), "{said}");
        assert!(!path("h.toml").exists(), "it is in the other one");
        let checked = whole(&run_in(directory.path(), &["check", "s.toml"], "2"));
        assert!(checked.starts_with("exit code: 0"), "{checked}");
    }
}

#[test]
fn check_names_the_place() {
    let directory = empty();
    let run = |arguments: &[&str]| whole(&run_in(directory.path(), arguments, "2"));
    run(&["init", "good"]);
    let good = fs::read_to_string(directory.path().join("good.toml")).expect("it was written");
    let bad = good.replace("to = \"done\"", "to = \"dnoe\"").replace("protocol = ", "protocoll = ");
    fs::write(directory.path().join("bad.toml"), bad).expect("it can be written");
    insta::assert_snapshot!("check_bad", run(&["check", "good.toml", "bad.toml"]));
    insta::assert_snapshot!("scenario_bad", run(&["scenario", "bad.toml"]));
}

#[cfg(unix)]
#[test]
fn a_program_whose_name_is_no_word_has_no_completions() {
    let directory = empty();
    let program = directory.path().join("balk (1)");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_balk"), &program).expect("a link");
    let output =
        std::process::Command::new(&program).args(["completions", "bash"]).output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{said}");
    assert!(said.contains("expected a program whose name is a word of the shell"), "{said}");
}

#[test]
fn verify() {
    let some = ["verify", "text-only", "one-hiccup", "drawn", "--seeds", "1-1"];
    insta::assert_snapshot!("verify", shown(&some));
    insta::assert_snapshot!("verify_nothing", shown(&["verify", "text-onyl"]));
}

#[test]
fn more_threads_than_any_machine_has_are_refused_before_they_start() {
    let folder = empty();
    let Ran { code, err, .. } = run_with(folder.path(), &["list"], &[("RAYON_NUM_THREADS", "100000")]);
    let expected = "error: RAYON_NUM_THREADS: expected at most 1024 threads, found 100000\n";
    assert_eq!((code, &*err), (2, expected));
    let Ran { code, err, .. } = run(&["replay", "-", "--jobs", "100000"]);
    assert_eq!((code, &*err), (2, "error: --jobs: expected at most 1024 threads, found 100000\n"));
}

#[test]
fn command_lines_that_make_no_sense() {
    for (name, arguments) in [
        ("scenario_near", &["scenario", "abandonmet"][..]),
        ("scenario_far", &["scenario", "no-such-thing-at-all"]),
        ("scenario_nothing", &["scenario"]),
        ("guard", &["scenario", "repeating", "--guard", "duplicat"]),
        ("guard_far", &["scenario", "repeating", "--guard", "quite-something-else"]),
        ("guard_empty", &["scenario", "repeating", "--guard", ""]),
        ("guard_setting", &["scenario", "repeating", "--guard", "no-tools{limits=5}"]),
        ("guard_setting_type", &["scenario", "repeating", "--guard", "no-tools{limit=many}"]),
        ("guard_setting_open", &["scenario", "repeating", "--guard", "no-tools{limit=5"]),
        ("guards_one_seed", &["scenario", "repeating", "--guard", "none", "--guard", "default"]),
        ("seeds_backwards", &["scenario", "repeating", "--seeds", "5-1"]),
        ("seeds_word", &["scenario", "repeating", "--seeds", "many"]),
        ("seeds_and_seed", &["scenario", "repeating", "--seeds", "0-1", "--seed", "3"]),
        ("seed_negative", &["scenario", "repeating", "--seed=-1"]),
        ("set_no_value", &["scenario", "repeating", "--set", "limits.turns"]),
        ("set_unknown", &["scenario", "repeating", "--set", "limits.turn=5"]),
        ("set_last_part", &["scenario", "repeating", "--set", "stubbornness=1"]),
        ("set_type", &["scenario", "repeating", "--set", "limits.turns=many"]),
        ("file_missing", &["scenario", "nowhere.toml"]),
        ("check_missing", &["check", "nowhere.toml"]),
        ("check_nothing", &["check"]),
        ("command", &["scenarios"]),
    ] {
        insta::assert_snapshot!(format!("usage_{name}"), shown(arguments));
    }
}

#[test]
fn a_log_that_cannot_be_made_is_no_fault_of_the_port() {
    let folder = empty();
    fs::write(folder.path().join("file"), "").expect("it is written");
    for command in [&["proxy", "--upstream", "http://127.0.0.1:9"][..], &["serve", "repeating"]] {
        let arguments = [command, &["--log", "file/log"]].concat();
        let said = whole(&run_in(folder.path(), &arguments, "1"));
        assert!(
            said.contains("error: --log: expected a folder that can be made, found `file/log`"),
            "{said}"
        );
    }
}

#[test]
fn what_is_no_scenario_file_is_said_to_be_none() {
    let directory = empty();
    let run = |arguments: &[&str]| whole(&run_in(directory.path(), arguments, "2"));
    fs::create_dir(directory.path().join("folder.toml")).expect("it can be made");
    fs::write(directory.path().join("binary.toml"), [0, 159, 146, 150, 255]).expect("it can be written");
    fs::write(directory.path().join("empty.toml"), "").expect("it can be written");
    let file = fs::File::create(directory.path().join("rubbish.toml")).expect("it can be made");
    (&file).write_all("{\"schema\": 1}\u{0}\n".as_bytes()).expect("it can be written");
    for name in ["folder", "binary", "empty", "rubbish"] {
        insta::assert_snapshot!(format!("file_{name}"), run(&["scenario", &format!("{name}.toml")]));
    }
}

#[test]
fn records_replay_as_recorded() {
    let directory = empty();
    let run = |arguments: &[&str]| whole(&run_in(directory.path(), arguments, "2"));
    let record = |scenario: &str, seed: &str, guard: &str| {
        let arguments = ["scenario", scenario, "--seed", seed, "--guard", guard, "--format", "json"];
        run_in(directory.path(), &arguments, "2").out
    };
    let mut records = String::new();
    for guard in
        ["none", "default", "abandonment=hard", "abandonment=auto-retry", "duplicate=strict", "oracle"]
    {
        for scenario in ["abandonment", "repeating", "test-edit-test"] {
            records += &record(scenario, "38", guard);
        }
    }
    let write = |name: &str, text: &str| {
        fs::write(directory.path().join(name), text).expect("it can be written");
    };
    write("all.jsonl", &records);
    insta::assert_snapshot!("replay_all", run(&["replay", "all.jsonl"]));

    let one = record("repeating", "38", "default");
    write("one.jsonl", &one);
    insta::assert_snapshot!("replay_same_guard", run(&["replay", "one.jsonl", "--guard", "default"]));
    insta::assert_snapshot!(
        "replay_other_guard",
        run(&["replay", "one.jsonl", "--guard", "duplicate=notice"])
    );
    insta::assert_snapshot!(
        "replay_no_guard",
        run(&["replay", "one.jsonl", "--guard", "none", "--format", "json"])
    );

    // A record with a decision that its guards do not make.
    write("altered.jsonl", &one.replace("Do not send this call again", "Never send this call again"));
    insta::assert_snapshot!("replay_altered", run(&["replay", "altered.jsonl"]));
    insta::assert_snapshot!("replay_altered_json", run(&["replay", "altered.jsonl", "--format", "json"]));

    // Broken records, a good one and a foreign transcript.
    let foreign = "{\"messages\": [{\"role\": \"user\", \"content\": \"\\\"schema\\\" \\\"entries\\\"\"}]}\n";
    let broken = [
        one.replacen("\"schema\":2", "\"schema\":1", 1),
        one.replacen("\"entry\":\"user\"", "\"entry\":\"usher\"", 1),
        one.replacen("\"call\":\"call_", "\"call\":\"coll_", 1),
        one.replacen("\"kind\":\"block\"", "\"kind\":\"blot\"", 1),
        one.replacen("\"truth\":\"productive\"", "\"truth\":\"asleep\"", 1),
        one.replacen("\"guard\":\"default\"", "\"guard\":\"defualt\"", 1),
        one.replacen("\"balk\"", "\"bulk\"", 1),
        one.replacen("\"turns\":[{", "\"turns\":[{\"entry\":1,\"truth\":\"productive\"},{", 1),
        one[..one.len() / 2].to_owned() + "\n",
    ]
    .concat();
    write("mixed.jsonl", &[&broken, foreign, &one].concat());
    insta::assert_snapshot!("replay_mixed", run(&["replay", "mixed.jsonl"]));
    insta::assert_snapshot!("replay_mixed_json", run(&["replay", "mixed.jsonl", "--format", "json"]));
}
