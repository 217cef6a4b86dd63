//! A guard's saved state, with the entries that come after it: it is refused, or the guard goes on with it.
#![no_main]

use balk_guards::record::{EntryRecord, transcript};
use balk_guards::{Entry, Guard, Termination, shipped};
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};

/// `[NAME, [[ENTRY, …], STATE]]`
type Saved = (String, (Vec<EntryRecord>, Value));

fuzz_target!(|text: &str| {
    let Ok((name, (records, state))) = serde_json::from_str::<Saved>(text) else { return };
    let fresh = || Some(shipped(&name, Map::new())?.expect("it has defaults"));
    let Some(mut guard) = fresh() else { return };
    if guard.load(state).is_err() {
        assert_eq!(
            guard.save(),
            fresh().expect("it is shipped").save(),
            "a state that is refused changes nothing"
        );
        return;
    }
    let Ok(entries) = transcript(&records) else { return };
    for entry in entries {
        guard.observe(&entry);
        if let Entry::Completion(completion) = &entry {
            guard.review(completion).expect("a guard of this program does not break");
        }
    }
    guard.conclude(&Termination::NoProgress).expect("a guard of this program does not break");
    let saved = guard.save();
    let mut again = fresh().expect("it is shipped");
    again.load(saved.clone()).expect("what was saved can be loaded");
    assert_eq!(again.save(), saved);
});
