//! The record of a trial: what is read is a transcript that any stack can fold, and writes the same again.
#![no_main]

use balk::replay::fold;
use balk_guards::default_stack;
use balk_guards::record::{EntryRecord, transcript};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(records) = serde_json::from_str::<Vec<EntryRecord>>(text) else { return };
    let Ok(entries) = transcript(&records) else { return };
    let again: Vec<EntryRecord> = entries.iter().map(EntryRecord::from).collect();
    let entries_again = transcript(&again).expect("what was written can be read");
    assert_eq!(entries, entries_again);
    assert_eq!(fold(&entries, &mut default_stack()).fault, None);
});
