//! `balk import` from the outside, and other commands on logs of other agents.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use crate::common::program::{balk, ran, whole};

fn tests() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"))
}

#[test]
fn summary() {
    insta::assert_snapshot!(
        "import_summary",
        whole(&mut balk(tests(), &["import", "logs", "--format", "summary"]))
    );
}

#[test]
fn help() {
    insta::assert_snapshot!("import_help", whole(&mut balk(tests(), &["import", "--help"])));
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_threads() {
    for format in ["neutral", "atif", "summary"] {
        let run =
            |jobs| ran(&mut balk(tests(), &["import", "logs", "bad", "--format", format, "--jobs", jobs]));
        assert_eq!(run("1"), run("2"), "{format}");
    }
}

/// What is imported is replayed like the file that it is from.
#[test]
fn a_log_and_what_is_imported_from_it_replay_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    for entry in fs::read_dir(tests().join("logs")).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        let path = path.to_str().expect("the path is a text");
        let events = |file: &str| {
            let arguments = ["replay", file, "--guard", "naive-duplicate,no-tools", "--format", "json"];
            let (_, out, _) = ran(&mut balk(folder.path(), &arguments));
            let events = out.lines().filter(|line| !line.contains("\"type\":\"bad-line\""));
            let mut shown = Vec::new();
            for line in events {
                let mut event: serde_json::Value = serde_json::from_str(line).expect("it is JSON");
                let members = event.as_object_mut().expect("an event is an object");
                for name in ["file", "line", "files", "formats", "bad_lines", "bad_lines_by_reason"] {
                    members.remove(name);
                }
                shown.push(event);
            }
            shown
        };
        let out = folder.path().join("imported.jsonl");
        let out = out.to_str().expect("the path is a text");
        let (code, _, _) = ran(&mut balk(folder.path(), &["import", path, "--out", out]));
        if code == 0 {
            assert_eq!(events(path), events(out), "{path}");
        }
        // Where nothing was found, there is none.
        let _ = fs::remove_file(out);
    }
}

#[test]
fn a_file_that_is_there_is_not_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("old"), "old").expect("a file");
    let logs = tests().join("logs");
    let logs = logs.to_str().expect("the path is a text");
    let (code, out, err) = ran(&mut balk(folder.path(), &["import", logs, "--out", "old"]));
    assert_eq!((code, &*out), (3, ""), "{err}");
    assert!(err.contains("old: the file already exists"), "{err}");
    assert_eq!(fs::read(folder.path().join("old")).expect("a file"), b"old");
}

/// A folder has other files, too: they are counted, and some are named.
#[test]
fn files_of_no_format_are_counted_and_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let below = folder.path().join("below");
    fs::create_dir(&below).expect("a folder");
    fs::copy(tests().join("logs/atif.json"), below.join("run.json")).expect("a file");
    for name in ["package.json", "below/notes.yaml", "a.log", "b.log", "c.log", "d.log", "skipped.txt"] {
        fs::write(folder.path().join(name), "{\"a\": 1}").expect("a file");
    }
    let (code, out, err) = ran(&mut balk(folder.path(), &["import", "."]));
    assert_eq!(code, 0, "{err}");
    assert_eq!(out.lines().count(), 1, "{out}");
    assert_eq!(
        err,
        "6 files are of no format that is known: ./a.log, ./b.log, ./below/notes.yaml, ./c.log, ./d.log, …\n"
    );
    fs::remove_dir_all(below).expect("a folder");
    let (code, _, err) = ran(&mut balk(folder.path(), &["import", "."]));
    assert_eq!(code, 3, "{err}");
    assert!(err.ends_with("error: expected recorded runs, found none\n"), "{err}");
}

/// A packed list that breaks off gives the runs before the place, and says where that is.
#[test]
fn a_packed_list_that_breaks_off_gives_what_came_before() {
    let run = |id: u32| {
        // Something that does not pack, so that the end of the file is the end of the list.
        let noise: String =
            (0..400).map(|at| char::from(b'a' + (id * 7919 + at * at * 31 % 977) as u8 % 26)).collect();
        format!(r#"{{"task_id": {id}, "reward": 0.0, "traj": [{{"role": "user", "content": "{noise}"}}]}}"#)
    };
    let list = format!("[{}]", (0..3_000).map(run).collect::<Vec<_>>().join(",\n"));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(list.as_bytes()).expect("memory takes it");
    let packed = gzip.finish().expect("memory takes it");
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("runs.json.gz"), &packed[..packed.len() / 2]).expect("a file");
    let (code, out, err) = ran(&mut balk(folder.path(), &["import", "."]));
    let runs = out.lines().count();
    assert!(code == 3 && (100..2_900).contains(&runs), "{code} {runs} {err}");
    assert!(
        err.contains("runs.json.gz: after line ") && err.contains("a file that can be read to its end"),
        "{err}"
    );
}
