//! Damage to records and kept transcripts is found with its place, whichever command reads them; what is as it was
//! written is verified, and what an older version wrote is made new.

use std::fs;
use std::path::Path;

use balk::bench::Folder;
use balk_reports::records::Bench;
use balk_reports::records::seal::Sealing;
use serde_json::Value;
use serde_json::value::RawValue;
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::common::program::{balk, ran};

const BENCH: [&str; 9] = [
    "bench",
    "--suite",
    "paging,repeating",
    "--guard",
    "default",
    "--seeds",
    "60-67",
    "--keep-transcripts",
    "all",
];

pub(crate) fn empty() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// Runs the program, which does well.
#[track_caller]
pub(crate) fn does(work: &Path, arguments: &[&str]) -> String {
    let (code, out, err) = ran(&mut balk(work, arguments));
    assert_eq!(code, 0, "{arguments:?}: {out}{err}");
    out + &err
}

/// Runs the program, which exits with this code and says this.
#[track_caller]
pub(crate) fn refused(work: &Path, arguments: &[&str], code: i32, says: &str) {
    let (found, out, err) = ran(&mut balk(work, arguments));
    assert!(
        found == code && (out.contains(says) || err.contains(says)),
        "{arguments:?}: {found}\n{out}{err}"
    );
}

pub(crate) fn bench<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&BENCH[..], more].concat()
}

/// A folder with a record and transcripts.
pub(crate) fn made() -> TempDir {
    let work = empty();
    does(work.path(), &bench(&["--out", "a"]));
    work
}

fn draw(nth: u64, below: usize) -> usize {
    usize::try_from(xxh3_64_with_seed(&nth.to_le_bytes(), 23)).expect("64 bits") % below
}

/// Changes one bit, or one digit into another.
pub(crate) fn changes(bytes: &[u8]) -> impl Iterator<Item = (usize, Vec<u8>)> {
    let digits: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at].is_ascii_digit()).collect();
    let change = |at: usize, to: u8| {
        let mut changed = bytes.to_vec();
        changed[at] = to;
        (at, changed)
    };
    let flipped = (0..1_000).map(move |nth| {
        let at = draw(nth, bytes.len());
        change(at, bytes[at] ^ (1 << draw(nth + 10_000, 8)))
    });
    let written = (0..1_000).map(move |nth| {
        let at = digits[draw(nth + 20_000, digits.len())];
        let other = (bytes[at] - b'0' + 1 + u8::try_from(draw(nth + 30_000, 9)).expect("a digit")) % 10;
        change(at, b'0' + other)
    });
    flipped.chain(written)
}

#[test]
fn every_flipped_bit_and_every_changed_digit_of_a_record_is_found_in_its_line() {
    let work = made();
    let path = work.path().join("a/bench.jsonl");
    let record = fs::read(&path).expect("a record");
    for (at, changed) in changes(&record) {
        let line = 1 + record[..at].iter().filter(|byte| **byte == b'\n').count();
        let error = Bench::read(&*changed).expect_err("it was changed").to_string();
        assert!(error.starts_with(&format!("line {line}: ")), "byte {at}: {error}");
    }
}

#[test]
fn every_flipped_bit_of_kept_transcripts_is_found_in_its_file() {
    let work = made();
    let path = work.path().join("a/transcripts/repeating/64-127.jsonl.zst");
    let kept = fs::read(&path).expect("transcripts");
    let (folder, record) = Folder::open(&work.path().join("a")).expect("it is whole");
    assert_eq!(folder.check_transcripts(&record).expect("it is whole"), 16);
    for (_, changed) in changes(&kept) {
        fs::write(&path, changed).expect("a file");
        let error = folder.check_transcripts(&record).expect_err("it was changed").to_string();
        assert!(error.contains("repeating/64-127.jsonl.zst: byte "), "{error}");
    }
}

/// Every command that reads a record, or goes on with it, says where it is damaged.
#[test]
fn every_command_finds_damage() {
    let work = made();
    does(work.path(), &bench(&["--out", "b"]));
    let at = |name: &str| work.path().join(name);
    let (record, kept) = (at("a/bench.jsonl"), at("a/transcripts/paging/0-63.jsonl.zst"));
    let resume = bench(&["--out", "a", "--resume"]);
    let merge = ["merge", "a", "--out", "sum"];
    let verify = ["verify", "a"];
    let whole = fs::read_to_string(&record).expect("a record");
    let line_3 = whole.lines().nth(2).expect("a cell");
    let changed = whole.replace(line_3, &line_3.replacen("\"trials\":8", "\"trials\":9", 1));
    assert_ne!(changed, whole);
    fs::write(&record, changed).expect("a file");
    for command in
        [&resume[..], &merge, &["report", "a"], &["compare", "a", "b"], &["compare", "b", "a"], &verify]
    {
        refused(work.path(), command, 3, "a/bench.jsonl: line 3: expected the line that was written");
    }
    fs::write(&record, &whole).expect("a file");
    let packed = fs::read(&kept).expect("transcripts");
    // A bit of the seed in the head, which no unpacker looks at, and one of the packed records.
    for byte in [9, packed.len() / 2] {
        let mut changed = packed.clone();
        changed[byte] ^= 4;
        fs::write(&kept, changed).expect("a file");
        for command in [&resume[..], &merge, &verify, &["replay", "a/transcripts"]] {
            refused(work.path(), command, 3, "a/transcripts/paging/0-63.jsonl.zst: ");
        }
    }
    assert!(!at("sum").exists(), "nothing is merged");
}

/// The record with another text in some lines, sealed by somebody who means it.
pub(crate) fn resealed(record: &Path, change: impl Fn(&str) -> String) {
    let text = fs::read_to_string(record).expect("a record");
    let plain: Vec<Box<RawValue>> = text
        .lines()
        .map(|line| change(&format!("{}}}", line.rsplit_once(",\"s").expect("a checksum").0)))
        .map(|line| RawValue::from_string(line).expect("JSON"))
        .collect();
    let (last, lines) = plain.split_last().expect("a line");
    let mut out = Vec::new();
    let mut sealing = Sealing::new(&mut out);
    lines.iter().for_each(|line| sealing.line(line).expect("memory takes it"));
    sealing.last(last).expect("memory takes it");
    fs::write(record, out).expect("a file");
}

fn plan(record: &Path) -> Value {
    let text = fs::read_to_string(record).expect("a record");
    serde_json::from_str::<Value>(text.lines().next().expect("a line")).expect("JSON")["plan"].clone()
}

/// What seals a record is no secret, and a report says with which command it was made.
#[test]
fn a_report_of_a_forged_plan_begins_no_workflow_command() {
    let work = made();
    resealed(&work.path().join("a/bench.jsonl"), |line| {
        let mut line: Value = serde_json::from_str(line).expect("JSON");
        if let Some(suite) = line.pointer_mut("/plan/suite") {
            *suite = "a\n::error::b ##[group]".into();
        }
        line.to_string()
    });
    let report = does(work.path(), &["report", "a"]);
    assert!(report.contains("error::b"), "{report}");
    assert!(
        !report.lines().any(|it| it.trim_start().starts_with("::")) && !report.contains("##["),
        "{report}"
    );
}

#[test]
fn a_folder_is_verified_from_end_to_end() {
    let work = made();
    let record = work.path().join("a/bench.jsonl");
    let said = does(work.path(), &["verify", "a"]);
    assert_eq!(
        said,
        "a: as it was written: 16 seeds of 2 scenarios under 2 stacks; 16 kept seeds with transcripts\n\
         a: beside the record, without a checksum: meta.json\n\
         a: 16 seeds played again: 4 cells and 32 transcripts are the same\n"
    );
    let meta = work.path().join("a/meta.json");
    let measured = fs::read(&meta).expect("it is there");
    fs::write(&meta, &measured[1..]).expect("a file");
    refused(work.path(), &["verify", "a"], 3, "a/meta.json: expected ");
    fs::write(&meta, measured).expect("a file");
    let whole = fs::read(&record).expect("a record");
    // Somebody who counts a few calls more, and knows how to seal.
    resealed(&record, |line| {
        if line.contains("\"stack\":\"default\"") {
            line.replacen("\"calls\":", "\"calls\":1", 1)
        } else {
            line.to_owned()
        }
    });
    refused(
        work.path(),
        &["verify", "a"],
        7,
        "played again, this differs: the counts of paging under default",
    );
    fs::write(&record, &whole).expect("a file");
    let text = plan(&record)["scenarios"][1]["text"].as_str().expect("a digest").to_owned();
    resealed(&record, |line| line.replacen(&text, "0123", 1));
    refused(work.path(), &["verify", "a"], 3, "a/bench.jsonl: expected the plan that this build makes");
}

#[test]
fn a_scenario_with_many_seeds_and_no_transcripts_is_played_again() {
    let work = empty();
    let many = ["bench", "--suite", "paging", "--guard", "default", "--seeds", "0-299", "--out", "a"];
    does(work.path(), &many);
    let said = does(work.path(), &["verify", "a"]);
    assert!(said.ends_with("a: 300 seeds played again: 2 cells and 0 transcripts are the same\n"), "{said}");
    resealed(&work.path().join("a/bench.jsonl"), |line| {
        if line.contains("\"stack\":\"default\"") {
            line.replacen("\"calls\":", "\"calls\":1", 1)
        } else {
            line.to_owned()
        }
    });
    refused(work.path(), &["verify", "a"], 7, "this differs: the counts of paging under default");
}

#[test]
fn another_build_is_told_and_refused_unless_it_is_allowed() {
    let work = empty();
    for part in ["1/2", "2/2"] {
        does(work.path(), &bench(&["--shard", part, "--out", &part[..1]]));
    }
    does(work.path(), &["merge", "1", "2", "--out", "same"]);
    let record = work.path().join("1/bench.jsonl");
    let build = plan(&record)["build"].as_str().expect("a clone has one").to_owned();
    resealed(&record, |line| line.replacen(&build, "another", 1));
    let resume = bench(&["--shard", "1/2", "--out", "1", "--resume"]);
    let merge = ["merge", "1", "2", "--out", "sum"];
    for command in [&resume[..], &merge] {
        refused(work.path(), command, 3, "another build of Balk made it");
    }
    let said = does(work.path(), &["verify", "1"]);
    assert!(said.contains(&format!("another build of Balk: `another`; this one is `{build}`")), "{said}");
    does(work.path(), &[&merge[..], &["--any-build"]].concat());
    assert_eq!(plan(&work.path().join("sum/bench.jsonl")).get("build"), None);
    does(work.path(), &[&resume[..], &["--any-build"]].concat());
    resealed(&work.path().join("same/bench.jsonl"), |line| {
        line.replacen(&format!(",\"build\":\"{build}\""), "", 1)
    });
    let cells = |out: &str| fs::read_to_string(work.path().join(out).join("bench.jsonl")).expect("a record");
    assert_eq!(cells("sum"), cells("same"));
}

/// A record says what was played, not where it was: the same scenarios from other paths are the same plan.
#[test]
fn a_scenario_is_named_by_what_it_is() {
    let work = empty();
    let at = |name: &str| work.path().join(name);
    does(work.path(), &["init", "slow"]);
    fs::create_dir_all(at("home/me")).expect("a folder");
    fs::copy(at("slow.toml"), at("home/me/copy.toml")).expect("a copy");
    let suites = ["slow.toml,paging".to_owned(), format!("{},paging", at("home/me/copy.toml").display())];
    for (suite, part) in suites.iter().zip(["1/2", "2/2"]) {
        let command = [
            "bench",
            "--suite",
            suite,
            "--guard",
            "default",
            "--seeds",
            "0-1",
            "--shard",
            part,
            "--out",
            &part[..1],
        ];
        does(work.path(), &command);
    }
    does(work.path(), &["merge", "1", "2", "--out", "sum"]);
    let record = plan(&at("sum/bench.jsonl"));
    assert_eq!(record["suite"], "FILE#slow,FILE#slow-control,paging");
    let report = does(work.path(), &["report", "sum"]);
    for text in [record.to_string(), fs::read_to_string(at("2/meta.json")).expect("a file"), report] {
        assert!(!text.contains("home/me"), "{text}");
    }
}

/// A record of this program's own scenarios has no need of what is named for others, and a stack that it has not is
/// most likely mistyped.
#[test]
fn a_record_is_verified_with_what_is_named() {
    let work = empty();
    let at = |name: &str| work.path().join(name);
    does(work.path(), &["init", "slow"]);
    fs::write(at("mine.toml"), "[no-tools]\nlimit = 2\n").expect("a file");
    let of =
        |suite| ["bench", "--suite", suite, "--seeds", "0-1", "--guard", "no-tools", "--config", "mine.toml"];
    does(work.path(), &[&of("paging")[..], &["--out", "a"]].concat());
    does(work.path(), &[&of("slow.toml")[..], &["--out", "b"]].concat());
    let verify = ["verify", "a", "b", "--suite", "slow.toml"];
    refused(work.path(), &verify, 3, "name the settings that it was made with by --config");
    let said = does(work.path(), &[&verify[..], &["--config", "mine.toml"]].concat());
    assert_eq!(said.matches(" seeds played again: ").count(), 2, "{said}");
    refused(work.path(), &["verify", "a", "--config", "none.toml"], 3, "none.toml: ");
    let other = ["verify", "a", "--config", "mine.toml", "--guard", "no-tool"];
    refused(work.path(), &other, 2, "--guard: expected a stack of the records, found `no-tool`");
}

/// What a record does not say, or may not, is for the command line to name; then its trials are played again.
#[test]
fn a_record_of_files_and_commands_is_verified_where_they_are_named() {
    let work = empty();
    does(work.path(), &["init", "slow"]);
    let example = Path::new(env!("CARGO_BIN_EXE_balk")).with_file_name("examples").join("exec_guard");
    let guard = format!("exec:{} duplicate", example.display());
    let bench = ["bench", "--suite", "slow.toml", "--seeds", "0-3", "--sweep", "actor.stubbornness=0..1:1/2"];
    does(work.path(), &[&bench[..], &["--guard", &guard, "--out", "a"]].concat());
    let said = does(work.path(), &["verify", "a"]);
    assert!(
        said.contains("slow is in a file, and a record does not say where: name it with --suite"),
        "{said}"
    );
    let of_suite = ["verify", "a", "--suite", "slow.toml"];
    let said = does(work.path(), &of_suite);
    assert!(
        said.contains(" may not start the command of ") && said.contains(": name it with --guard"),
        "{said}"
    );
    let both = [&of_suite[..], &["--guard", &guard]].concat();
    let said = does(work.path(), &both);
    assert!(said.contains(" seeds played again: "), "{said}");
    let file = work.path().join("slow.toml");
    let text = fs::read_to_string(&file).expect("a file");
    fs::write(&file, format!("# Another file.\n{text}")).expect("a file");
    refused(work.path(), &both, 3, "a/bench.jsonl: expected the plan that this build makes");
    refused(work.path(), &both, 3, "name the files that it was made with by --suite");
    refused(
        work.path(),
        &["verify", "paging", "--suite", "slow.toml"],
        2,
        "expected a folder of `balk bench`",
    );
}

/// The completions of a real model: whichever command reads them.
#[test]
fn damage_of_completions_is_found_in_its_line() {
    let work = empty();
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("../reports/reference/live/smollm2");
    fs::create_dir(work.path().join("r")).expect("a folder");
    for name in ["bench.jsonl", "completions.jsonl.zst"] {
        fs::copy(reference.join(name), work.path().join("r").join(name)).expect("a copy");
    }
    let said = does(work.path(), &["verify", "r"]);
    assert!(
        said.starts_with("r: as they were written: ") && said.contains(" completions of the model\n"),
        "{said}"
    );
    let path = work.path().join("r/completions.jsonl.zst");
    let text = zstd::stream::decode_all(fs::File::open(&path).expect("a file")).expect("it is packed");
    let mut lines: Vec<&[u8]> = text.split_inclusive(|it| *it == b'\n').collect();
    let changed = String::from_utf8_lossy(lines[2]).replacen("\"turn\":", "\"turn\":1", 1);
    lines[2] = changed.as_bytes();
    let packed = zstd::stream::encode_all(&*lines.concat(), 1).expect("it packs");
    fs::write(&path, packed).expect("a file");
    for command in [&["verify", "r"][..], &["live", "--offline", "r"]] {
        refused(
            work.path(),
            command,
            3,
            "r/completions.jsonl.zst: line 3: expected the line that was written",
        );
    }
}

/// Neither a folder of no scenario nor a file of other seeds passes for what was kept.
#[test]
fn kept_transcripts_in_another_place_are_found() {
    let work = made();
    let at = |name: &str| work.path().join("a/transcripts").join(name);
    let resume = bench(&["--out", "a", "--resume"]);
    for (from, to, says) in [
        ("paging", "other", "a/transcripts/other: expected the transcripts of a scenario of the plan"),
        ("paging/0-63.jsonl.zst", "paging/128-191.jsonl.zst", "expected seed 60 in the file 0-63.jsonl.zst"),
    ] {
        fs::rename(at(from), at(to)).expect("it is there");
        for command in [&resume[..], &["merge", "a", "--out", "sum"], &["verify", "a"]] {
            refused(work.path(), command, 3, says);
        }
        fs::rename(at(to), at(from)).expect("it is there");
    }
    does(work.path(), &["verify", "a"]);
}

/// A report takes the place of no file of the record, whatever its name is.
#[test]
fn a_report_replaces_nothing_of_the_record() {
    let work = made();
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("../reports/reference/live/smollm2");
    for name in ["completions.jsonl.zst", "judge.jsonl", "reactions.toml"] {
        fs::copy(reference.join(name), work.path().join("a").join(name)).expect("a copy");
    }
    for name in [
        "bench.jsonl",
        "completions.jsonl.zst",
        "judge.jsonl",
        "reactions.toml",
        "transcripts/paging/0-63.jsonl.zst",
        "transcripts/paging/new.html",
    ] {
        let out = format!("a/{name}");
        let says =
            format!("{out}: expected a file to write, found a part of the record that the report shows");
        refused(work.path(), &["report", "a", "--format", "html", "--out", &out], 3, &says);
    }
    does(work.path(), &["report", "a", "--out", "a/report.md"]);
    does(work.path(), &["verify", "a"]);
}
