//! A saved state: it is refused, or guards go on with it.
#![no_main]

use balk_guards::record::{EntryRecord, transcript};
use balk_guards::{Entry, Guard, SHIPPED, Termination, shipped};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str, &str)| {
    let (nth, state, records) = input;
    let name = SHIPPED[usize::from(nth) % SHIPPED.len()];
    let mut guard = shipped(name, serde_json::Map::new()).expect("it is shipped").expect("it has defaults");
    let Ok(state) = serde_json::from_str(state) else { return };
    if guard.load(state).is_err() {
        return;
    }
    let Ok(records) = serde_json::from_str::<Vec<EntryRecord>>(records) else { return };
    let Ok(entries) = transcript(&records) else { return };
    for entry in entries {
        guard.observe(&entry);
        if let Entry::Completion(completion) = &entry {
            guard.review(completion).expect("a guard of this program does not break");
        }
    }
    guard.conclude(&Termination::NoProgress).expect("a guard of this program does not break");
    let saved = guard.save();
    let mut again = shipped(name, serde_json::Map::new()).expect("it is shipped").expect("it has defaults");
    again.load(saved.clone()).expect("what was saved can be loaded");
    assert_eq!(again.save(), saved);
});
