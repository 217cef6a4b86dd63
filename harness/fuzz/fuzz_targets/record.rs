//! The record of a trial: what is read is a transcript that any stack can fold, and writes the same again.
#![no_main]

use balk_guards::record::{EntryRecord, transcript};
use balk_guards::{Entry, Guard, default_stack};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(records) = serde_json::from_str::<Vec<EntryRecord>>(text) else { return };
    let Ok(entries) = transcript(&records) else { return };
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
});
