//! `balk replay` from the outside: exit code, standard output, standard error.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use balk::engine::TruthChannel;
use balk::import::Setting;
use balk::replay::{Found, Item, Replay, Summary, json, text};
use balk_guards::{
    Answer, CallKey, Completion, Decision, Entry, Guard, Note, Stack, Subject, ToolResult, Verdict,
};
use balk_reports::report::document::{Screen, terminal};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Runs `balk replay` in this directory.
fn replay(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_balk"))
        .current_dir(directory)
        .arg("replay")
        .args(arguments)
        .output()
        .expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("the program writes UTF-8");
    format!(
        "exit code: {}\n--- stdout\n{}--- stderr\n{}",
        output.status.code().expect("the program is not killed"),
        text(&output.stdout),
        text(&output.stderr)
    )
}

#[test]
fn good_files() {
    let good = tests().join("good");
    insta::assert_snapshot!("good_text", replay(&good, &["demo.jsonl", "more.jsonl", "--guard", "none"]));
    insta::assert_snapshot!("good_json", replay(&good, &[".", "--guard", "none", "--format", "json"]));
}

/// `--runs` adds a line for each transcript before what guards do in it, and changes nothing else.
#[test]
fn a_line_for_each_run() {
    let arguments = ["good", "bad", "--format", "json", "--protocol", "tool"];
    let without = replay(&tests(), &arguments);
    let with = replay(&tests(), &[&arguments[..], &["--runs"]].concat());
    let (runs, rest): (Vec<&str>, Vec<&str>) =
        with.lines().partition(|it| it.starts_with("{\"type\":\"run\""));
    assert_eq!(rest, without.lines().collect::<Vec<_>>());
    let members = |line: &str| serde_json::from_str::<serde_json::Value>(line).ok();
    let summary = rest.iter().find(|it| it.starts_with("{\"type\":\"summary\"")).and_then(|it| members(it));
    let total = &summary.expect("sums are the last line")["total"];
    assert_eq!(total["transcripts"], runs.len());
    let sum = |of: &str| runs.iter().filter_map(|it| members(it)?[of].as_u64()).sum::<u64>();
    assert_eq!((total["turns"].as_u64(), total["calls"].as_u64()), (Some(sum("turns")), Some(sum("calls"))));
    let place = |line: &str| members(line).map(|it| (it["file"].clone(), it["line"].clone()));
    let mut of_run = None;
    for line in with.lines() {
        if line.starts_with("{\"type\":\"run\"") {
            of_run = place(line);
        } else if line.starts_with("{\"type\":\"firing\"") {
            assert_eq!(place(line), of_run, "{line}");
        }
    }
    assert!(with.contains("\"type\":\"firing\""), "{with}");
    assert!(replay(&tests(), &["good", "--runs"]).contains("exit code: 2"));
}

#[test]
fn standard_input() {
    let good = tests().join("good");
    let file = fs::File::open(good.join("demo.jsonl")).expect("it is there");
    let mut piped = Command::new(env!("CARGO_BIN_EXE_balk"));
    let arguments = ["-", "--guard", "none", "--format", "json"];
    let output = piped.arg("replay").args(arguments).stdin(file).output().expect("the program starts");
    let piped = String::from_utf8(output.stdout).expect("the program writes UTF-8");
    let named = replay(&good, &["demo.jsonl", "--guard", "none", "--format", "json"]);
    assert_eq!(
        named.replace("demo.jsonl", "standard input"),
        format!("exit code: 0\n--- stdout\n{piped}--- stderr\n")
    );
}

/// All recordings in a folder and below it are read. A link to a folder above it is no way around in circles.
#[test]
fn folders_are_searched_with_their_subfolders() {
    let folder = tempfile::tempdir().expect("a folder");
    let below = folder.path().join("b/c");
    fs::create_dir_all(&below).expect("folders");
    for name in ["a.jsonl", "b/c/d.jsonl", "b/e.jsonl", "b/notes.txt"] {
        fs::write(folder.path().join(name), "no transcript\n").expect("it can be written");
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path(), below.join("again")).expect("a link");
    let shown = replay(folder.path(), &["."]);
    let sources: Vec<&str> =
        shown.lines().filter_map(|line| line.split_once(":1: not-json")).map(|(source, _)| source).collect();
    assert_eq!(sources, ["./a.jsonl", "./b/c/d.jsonl", "./b/e.jsonl"], "{shown}");
}

/// Counts of many trials look like records, and have no transcript.
#[test]
fn counts_are_not_transcripts() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut program = Command::new(env!("CARGO_BIN_EXE_balk"));
    let counted = program.args(["scenario", "repeating", "--seeds", "0-1", "--format", "json"]).output();
    fs::write(folder.path().join("own.jsonl"), counted.expect("the program starts").stdout).expect("a file");
    insta::assert_snapshot!("counts", replay(folder.path(), &["own.jsonl"]));
}

#[test]
fn help() {
    insta::assert_snapshot!("help", replay(&tests(), &["--help"]));
}

#[test]
fn bad_files() {
    let bad = tests().join("bad");
    let mut names: Vec<String> = fs::read_dir(&bad)
        .expect("the folder is there")
        .map(|entry| entry.expect("the folder can be read").file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains(".jsonl"))
        .collect();
    names.sort();
    for name in names {
        insta::assert_snapshot!(format!("bad_{name}"), replay(&bad, &[&name, "--guard", "none"]));
    }
    // All at once: a bad file does not keep the others from being read.
    insta::assert_snapshot!("bad_all", replay(&bad, &[".", "--guard", "none", "--format", "json"]));
}

#[test]
fn command_lines_that_make_no_sense() {
    let good = tests().join("good");
    insta::with_settings!({filters => vec![("known: .*", "known: [all]")]}, {
        insta::assert_snapshot!("usage_guard", replay(&good, &["demo.jsonl", "--guard", "defualt"]));
    });
    insta::assert_snapshot!("usage_nothing", replay(&good, &[]));
    insta::assert_snapshot!(
        "usage_missing",
        replay(&good, &["nowhere.jsonl", "demo.jsonl", "--guard", "none"])
    );
    insta::assert_snapshot!(
        "usage_tools",
        replay(&good, &["demo.jsonl", "--tools", "../bad/not-json.jsonl"])
    );
    let empty = tempfile::tempdir().expect("a directory can be made");
    insta::assert_snapshot!("usage_empty_directory", replay(empty.path(), &["."]));
}

#[test]
fn a_line_of_100_mb_is_reported_and_the_next_is_read() {
    let directory = tempfile::tempdir().expect("a directory can be made");
    let mut file = fs::File::create(directory.path().join("long.jsonl")).expect("a file can be made");
    let good = "{\"id\": \"next\", \"messages\": [{\"role\": \"assistant\", \"content\": \"here\"}]}\n";
    let head = "{\"id\": \"";
    let long = io::repeat(b'x').take(100_000_000 - head.len() as u64);
    let mut all = head.as_bytes().chain(long).chain(&b"\n"[..]).chain(good.as_bytes());
    io::copy(&mut all, &mut file).expect("the file takes it");
    drop(file);
    insta::assert_snapshot!("long_line", replay(directory.path(), &["long.jsonl", "--guard", "none"]));
}

/// The guard fires at text without a call, so no threshold matters here.
const JUDGED: [&str; 6] = ["--labels", "labels/good.tsv", "--guard", "no-tools", "--protocol", "tool"];

#[test]
fn judged_points() {
    let run = |more: &[&str]| replay(&tests(), &[&["good"], &JUDGED[..], more].concat());
    insta::assert_snapshot!("judged_text", run(&[]));
    let json = run(&["--format", "json"]);
    // Other snapshots have the rest.
    let judged = |line: &&str| {
        ["exit", "{\"type\":\"judged", "{\"type\":\"stretch"].iter().any(|it| line.starts_with(it))
    };
    insta::assert_snapshot!("judged_json", json.lines().filter(judged).collect::<Vec<_>>().join("\n"));
    assert_eq!(json, run(&["--format", "json", "--jobs", "1"]));
    assert_eq!(json, run(&["--format", "json", "--jobs", "2"]));
}

#[test]
fn no_transcript_of_the_judged_points() {
    let judged =
        replay(&tests(), &["good/demo.jsonl", "--guard", "none", "--labels", "labels/elsewhere.tsv"]);
    assert!(judged.starts_with("exit code: 3\n"), "{judged}");
    let shares = judged.split_once("judged points").expect("judged points are shown whatever was replayed").1;
    insta::assert_snapshot!("judged_elsewhere", shares);
}

#[test]
fn labels_that_are_no_use() {
    for file in ["bad-weight.tsv", "nowhere.tsv"] {
        insta::assert_snapshot!(
            format!("labels_{file}"),
            replay(&tests(), &["good", "--guard", "none", "--labels", &format!("labels/{file}")])
        );
    }
}

#[test]
fn plain_and_gzip_are_the_same() {
    let plain = fs::read(tests().join("good/demo.jsonl")).expect("the file is there");
    let directory = tempfile::tempdir().expect("a directory can be made");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&plain).expect("memory takes it");
    let packed = encoder.finish().expect("memory takes it");
    let run = |bytes: &[u8]| {
        fs::write(directory.path().join("same-name"), bytes).expect("the file takes it");
        let labels = tests().join("labels/good.tsv").display().to_string();
        let json = ["--guard", "none", "--format", "json", "--labels", &labels];
        replay(directory.path(), &[&["same-name"], &json[..]].concat())
    };
    assert_eq!(run(&plain), run(&packed));
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_threads() {
    let run = |jobs| replay(&tests(), &["good", "bad", "--format", "json", "--jobs", jobs]);
    assert_eq!(run("1"), run("2"));
    assert_eq!(run("1"), run("0"));
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_balk"))
        .current_dir(tests().join("good"))
        .args(["replay", "demo.jsonl", "--guard", "none"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(program.stdout.take());
    let output = program.wait_with_output().expect("the program ends");
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

/// Intervenes if one call is made three times in a row.
#[derive(Default)]
struct ThreeInARow {
    last: Option<CallKey>,
    times: u32,
    said: u8,
}

impl Guard for ThreeInARow {
    fn name(&self) -> &'static str {
        "three-in-a-row"
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Completion(completion) = entry {
            for call in &completion.calls {
                self.times = if self.last == Some(call.key) { self.times + 1 } else { 1 };
                self.last = Some(call.key);
            }
        }
        self.said += u8::from(matches!(entry, Entry::Intervention(_)));
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let Some(call) = completion.calls.first().filter(|_| self.times >= 3) else {
            return Ok(Decision::pass());
        };
        Ok(Verdict::Retry(Note {
            guard: "three-in-a-row".into(),
            rule: "equal-calls".into(),
            level: self.said + 1,
            subject: Subject::Call(call.key),
            text: format!("the same call was made {} times.\nTry something else.", self.times).into(),
        })
        .into())
    }
}

/// Runs every failed call again.
struct Eager;

impl Guard for Eager {
    fn name(&self) -> &'static str {
        "eager"
    }

    fn observe(&mut self, _: &Entry) {}

    fn settle(&self, _: &Completion, results: &[ToolResult]) -> Answer<balk_guards::Settlement> {
        Ok(match &*results[0].text {
            "exit 1" => balk_guards::Settlement::Rerun { call: 0, after: 1_000 },
            _ => balk_guards::Settlement::Accept(Vec::new()),
        })
    }
}

#[test]
fn firings_are_written_as_text_and_as_json() {
    let make = |_: &str, _: &TruthChannel| {
        Ok(Stack::new(vec![Box::new(ThreeInARow::default()) as Box<dyn Guard>, Box::new(Eager)]))
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads can be started");
    let setting = Setting::default();
    let replay = Replay {
        from: None,
        setting: &setting,
        guard: Some("three-in-a-row,eager"),
        stack: &make,
        pool: &pool,
    };
    let (mut as_text, mut as_json, mut summary) = (Vec::new(), Vec::new(), Summary::default());
    for name in ["demo.jsonl", "more.jsonl"] {
        let file = fs::File::open(tests().join("good").join(name)).expect("the file is there");
        let mut take = |items: Vec<Item>| {
            for item in &items {
                summary.add(name, item);
                let Ok(Found::Foreign(found)) = &item.found else { panic!("the file is good, and not ours") };
                text::transcript(&mut as_text, name, item.line, found)?;
                json::item(&mut as_json, name, item, false)?;
            }
            Ok(())
        };
        replay.file(file, &mut take).expect("the file can be read");
    }
    let sums = terminal(&text::summary(&summary), Screen::default());
    write!(as_text, "{sums}").expect("memory takes it");
    json::summary(&mut as_json, &summary).expect("memory takes it");
    let plain = anstream::adapter::strip_bytes(&as_text).into_vec();
    insta::assert_snapshot!("firings_text", String::from_utf8(plain).expect("UTF-8 is written"));
    insta::assert_snapshot!("firings_json", String::from_utf8(as_json).expect("UTF-8 is written"));
}
