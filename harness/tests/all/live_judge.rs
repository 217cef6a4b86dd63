//! A live run draws interventions to judge, and the report counts the judgements.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::program::{balk, ran};
use crate::common::server::{Request, Script, Server};

/// A model that announces and never calls.
fn announces(_: usize, _: &Request) -> Script {
    let message = json!({"content": "I will write the file now."});
    Script::json(200, &json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string())
}

/// Plays so many trials of a world into the folder `r`.
fn live(folder: &Path, server: &Server, trials: &str, more: &[&str]) {
    let url = server.url();
    let line = ["live", "--endpoint", &url, "--model", "m", "--suite", "abandonment", "--trials", trials];
    let (code, _, err) = ran(&mut balk(folder, &[&line[..], &["--out", "r"], more].concat()));
    assert_eq!(code, 0, "{err}");
}

/// The rows of the table, each with its cells.
fn rows(folder: &Path) -> Vec<Vec<String>> {
    let table = fs::read_to_string(folder.join("r/judge.tsv")).expect("a table");
    table.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// Puts labels into the first rows.
fn judge(folder: &Path, labels: &[&str]) {
    let path = folder.join("r/judge.tsv");
    let table = fs::read_to_string(&path).expect("a table");
    let mut labels = labels.iter();
    let row = |line: &str| match line.contains("\tunsure\t").then(|| labels.next()).flatten() {
        Some(label) => line.replace("\tunsure\t", &format!("\t{label}\t")),
        None => line.to_owned(),
    };
    let judged: Vec<String> = table.lines().map(row).collect();
    fs::write(path, judged.join("\n") + "\n").expect("it can be written");
}

fn report(folder: &Path) -> Value {
    let (code, out, err) = ran(&mut balk(folder, &["report", "r", "--format", "json"]));
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).expect("JSON")
}

#[test]
fn what_a_reader_says_of_the_sample_is_in_the_report() {
    let (folder, server) = (tempfile::tempdir().expect("a folder"), Server::new(announces));
    let folder = folder.path();
    live(folder, &server, "2", &[]);
    let (_, out, _) = ran(&mut balk(folder, &["report", "r"]));
    assert!(out.contains("waits to be judged in `judge.tsv`"), "{out}");
    let row = rows(folder).swap_remove(0);
    let (turn, shown) = row[8].split_once(": no-tools ").expect("turn, guard and rule");
    assert!(
        turn.starts_with("turn ") && shown.contains("; balk live --offline DIR --show abandonment:"),
        "{shown}"
    );

    judge(folder, &["legit", "stuck", "stuck"]);
    let found = &report(folder)["live"]["judged"];
    let of = |kind: &str, what: &str| found[kind][what].as_u64().expect("a count");
    let sample = rows(folder);
    let drawn = |kind: &str| sample.iter().filter(|it| it[3] == kind).count() as u64;
    for (name, kind) in [("disturbing", "disturbing"), ("in_doubt", "in-doubt")] {
        // Of several in one turn, one is drawn.
        assert_eq!(of(name, "drawn"), drawn(kind), "{found}");
        assert!(of(name, "interventions") >= drawn(kind), "{found}");
    }
    assert_eq!(["drawn", "judged", "found_false"].map(|it| of("all", it)), [sample.len() as u64, 3, 1]);
    assert!(
        found["all"]["share"]["share"].as_f64().is_some_and(|it| (it - 1.0 / 3.0).abs() < 0.001),
        "{found}"
    );

    // The table is what `balk replay` reads.
    let line = ["replay", "r/judge.jsonl", "--labels", "r/judge.tsv", "--guard", "default"];
    let (code, out, err) = ran(&mut balk(folder, &line));
    assert!(code == 0 && out.contains("judged points"), "{code} {out} {err}");
}

#[test]
fn a_longer_run_draws_again_until_somebody_has_judged() {
    let (folder, server) = (tempfile::tempdir().expect("a folder"), Server::new(announces));
    let folder = folder.path();
    live(folder, &server, "1", &[]);
    let first = rows(folder).len();
    live(folder, &server, "2", &["--resume"]);
    let second = rows(folder);
    assert!(second.len() > first, "{second:?}");

    judge(folder, &["stuck"]);
    let judged = rows(folder);
    live(folder, &server, "3", &["--resume"]);
    assert_eq!(rows(folder), judged);

    // One that cannot be read stays, and ends no run.
    fs::remove_file(folder.join("r/judge.tsv")).expect("a table");
    fs::create_dir(folder.join("r/judge.tsv")).expect("a folder");
    live(folder, &server, "4", &["--resume"]);
    let meta = fs::read_to_string(folder.join("r/meta.json")).expect("the runs are described");
    let meta: Value = serde_json::from_str(&meta).expect("JSON");
    assert_eq!(meta["live"][3]["stopped"], "", "{meta}");
}

#[test]
fn a_kind_that_no_sample_has_is_an_error() {
    let (folder, server) = (tempfile::tempdir().expect("a folder"), Server::new(announces));
    let folder = folder.path();
    live(folder, &server, "1", &[]);
    let path = folder.join("r/judge.tsv");
    let table = fs::read_to_string(&path).expect("a table").replace("\tin-doubt\t", "\tdoubtful\t");
    fs::write(&path, table).expect("it can be written");
    let (code, _, err) = ran(&mut balk(folder, &["report", "r"]));
    assert!(
        code != 0 && err.contains("judge.tsv") && err.contains("found `doubtful` for message"),
        "{code} {err}"
    );
}
