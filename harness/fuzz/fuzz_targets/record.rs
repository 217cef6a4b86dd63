//! The record of a trial, alone or among kept transcripts: what is read is a transcript that any stack can fold, and
//! writes the same again.
#![no_main]

use balk::bench::Transcripts;
use balk_guards::record::{EntryRecord, TrialRecord, transcript};
use balk_guards::{Entry, Guard, default_stack};
use balk_reports::report::document::html;
use balk_reports::report::trial_page;
use libfuzzer_sys::fuzz_target;
use xxhash_rust::xxh3::xxh3_64;

fuzz_target!(|input: (u8, &[u8])| {
    let (kind, bytes) = input;
    match kind % 6 {
        0 => folded(&serde_json::from_slice::<Vec<EntryRecord>>(bytes).unwrap_or_default()),
        // Mostly damaged.
        1 => unpacked(bytes),
        // By somebody who knows how to seal.
        2 => unpacked(&kept(bytes)),
        3 => unpacked(&kept(&packed(bytes))),
        // The same of version 1, which is made new.
        4 => renewed(bytes),
        _ => renewed(&old(&packed(bytes))),
    }
});

fn folded(records: &[EntryRecord]) {
    let Ok(entries) = transcript(records) else { return };
    let again: Vec<EntryRecord> = entries.iter().map(EntryRecord::from).collect();
    let entries_again = transcript(&again).expect("what was written can be read");
    assert_eq!(entries, entries_again);
    let mut stack = default_stack();
    for entry in &entries {
        stack.observe(entry);
        if let Entry::Completion(completion) = entry {
            stack.review(completion).expect("a guard of this program does not break");
        }
    }
}

/// Reads a file of kept transcripts.
fn unpacked(file: &[u8]) {
    let Ok(kept) = Transcripts::parse(file) else { return };
    for seed in kept.seeds() {
        for record in kept.of(seed).unwrap_or_default() {
            shown(&record);
        }
    }
}

fn shown(record: &TrialRecord) {
    let again = serde_json::to_string(record).expect("a record is plain data");
    assert_eq!(serde_json::from_str::<TrialRecord>(&again).expect("what was written can be read"), *record);
    let _ = html(&trial_page(record, Some(record), "about", "balk"));
    folded(&record.entries);
}

/// Reads a file of version 1, and writes it as one of today.
fn renewed(file: &[u8]) {
    let Ok(kept) = Transcripts::parse_old(file) else { return };
    let mut written = Vec::new();
    kept.write(&mut written).expect("memory takes it");
    assert_eq!(Transcripts::parse(&written), Ok(kept));
    unpacked(&written);
}

fn packed(text: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(text, 1).expect("memory takes it")
}

/// A file of version 1 with these packed records of seed 7.
fn old(packed: &[u8]) -> Vec<u8> {
    let numbers = [7, packed.len() as u64].map(u64::to_le_bytes);
    [&[0x50, 0x2a, 0x4d, 0x18, 16, 0, 0, 0], numbers.as_flattened(), packed].concat()
}

/// A file of kept transcripts with these packed records of seed 7: its frame, and the checksum of all frames.
fn kept(packed: &[u8]) -> Vec<u8> {
    let numbers = [7, packed.len() as u64].map(u64::to_le_bytes);
    let head = [&[0x50, 0x2a, 0x4d, 0x18, 24, 0, 0, 0], numbers.as_flattened()].concat();
    let sum = xxh3_64(&[&*head, packed].concat()).to_le_bytes();
    let seal = xxh3_64(&sum).to_le_bytes();
    [&*head, &sum, packed, &[0x51, 0x2a, 0x4d, 0x18, 8, 0, 0, 0], &seal].concat()
}
