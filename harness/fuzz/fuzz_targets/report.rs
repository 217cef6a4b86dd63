//! The record of a bench, of crash tests or of a live run, and the files beside it: they are refused with the line, or
//! every form of report can be made of them.
#![no_main]

mod beside;
mod scratch;

use std::fs;

use balk::crash::record::{self, RUNS};
use balk::live::Store;
use balk_reports::records::seal::Sealing;
use balk_reports::records::{Bench, Beside};
use balk_reports::report::compare::{Comparison, comparison_as_page};
use balk_reports::report::document::figure::Role;
use balk_reports::report::document::{html, markdown};
use balk_reports::report::page::{Beside as Page, bench_page};
use balk_reports::report::{Report, bench_report, crash, csv, junit};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

fuzz_target!(|input: (u8, &str)| {
    let (kind, text) = input;
    match kind % 14 {
        // As it is: mostly damaged.
        0 => drop(Bench::read(text.as_bytes()).map_err(|it| it.to_string())),
        // By somebody who knows how to seal.
        1 => shown(Bench::read(&*sealed(text)).map_err(|it| it.to_string())),
        2 => shown(Bench::read_old(text.as_bytes()).map_err(|it| it.to_string())),
        3 => crashed(text.as_bytes()),
        4 => crashed(&sealed(text)),
        5 => live(text.as_bytes()),
        6 => live(&grown(text)),
        7 => beside::holds("meta.json", text),
        8 => beside::holds("instructions.json", text),
        9 => beside::holds("reactions.json", text),
        10 => beside::holds("judge.tsv", text),
        11 => beside::spliced(text),
        12 => renewed(JOURNAL, text.as_bytes()),
        _ => {
            let lines: String = hashed(text).map(|line| format!("{line}\n")).collect();
            renewed(PACKED, &zstd::bulk::compress(lines.as_bytes(), 1).expect("memory takes it"));
        }
    }
});

const JOURNAL: &str = "completions.jsonl";
const PACKED: &str = "completions.jsonl.zst";

/// The record of crash tests, which an older version may have written.
fn crashed(text: &[u8]) {
    let folder = scratch::holds("crash", RUNS, text);
    let _ = record::renew(&folder).map_err(|it| it.to_string());
    let Ok(record) = record::read(&folder).map_err(|it| it.to_string()) else { return };
    let changes = crash::Changes::new(&record, &record);
    let _ = (markdown(&changes.document()), html(&changes.page()));
    let report = crash::Report::new(&[record]);
    let _ = (markdown(&crash::crash_report(&report)), crash::csv(&report), crash::junit(&report));
}

/// The completions of a live run, which may be killed at any moment.
fn live(journal: &[u8]) {
    let read = |bytes| Store::read(&scratch::holds("live", JOURNAL, bytes)).map_err(|it| it.to_string());
    let Ok(store) = read(journal) else { return };
    let left = read(&journal[..journal.len() / 2]).expect("what a killed run left can be read");
    assert!(left.count() <= store.count());
}

/// The completions of an older version, which get their checksums once.
fn renewed(file: &str, completions: &[u8]) {
    let folder = scratch::holds("old", file, completions);
    if let Ok(true) = Store::renew(&folder).map_err(|it| it.to_string()) {
        Store::read(&folder).expect("what was written can be read");
        assert_eq!(Store::renew(&folder), Ok(false));
    }
    for file in [JOURNAL, PACKED] {
        // Renewed completions are packed.
        let _ = fs::remove_file(folder.join(file));
    }
}

/// The lines, each with its checksum, as far as they are objects.
fn sealed(text: &str) -> Vec<u8> {
    let lines: Vec<Value> = text.lines().map_while(|line| serde_json::from_str(line).ok()).collect();
    let mut out = Vec::new();
    let mut sealing = Sealing::new(&mut out);
    if let Some((last, lines)) = lines.split_last()
        && lines.iter().all(|line| sealing.line(line).is_ok())
    {
        // What is no object is left out, so the record has no end.
        let _ = sealing.last(last);
    }
    out
}

/// The same of completions, a file that still grows.
fn grown(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut sealing = Sealing::new(&mut out);
    for line in hashed(text) {
        if sealing.line(&line).is_err() {
            break;
        }
    }
    out
}

/// The completions, each with the hash of its request, as far as they are objects.
fn hashed(text: &str) -> impl Iterator<Item = Value> {
    text.lines().map_while(|line| {
        let mut line: Value = serde_json::from_str(line).ok()?;
        if let Some(request) = line.get("request") {
            let hash = xxh3_128(request.to_string().as_bytes());
            line.as_object_mut()?.insert("request_hash".to_owned(), format!("{hash:032x}").into());
        }
        line.is_object().then_some(line)
    })
}

fn shown(read: Result<Bench, String>) {
    let Ok(bench) = read else { return };
    let mut written = Vec::new();
    bench.write(&mut written).expect("memory takes it");
    assert_eq!(Bench::read(&*written).expect("what was written can be read"), bench);
    let report = Report::new(&bench, &Beside::default());
    let page = Page { role: &|_| Role::Ours, trial: &|_, _, _| None };
    let _ = html(&bench_page(&bench, &report, page));
    let _ = (markdown(&bench_report(&report)), csv::render(&report));
    let _ = junit::render(&report, &junit::safety(&report));
    let _ = html(&comparison_as_page(&Comparison::new(&bench, &bench), ["a", "b"]));
}
