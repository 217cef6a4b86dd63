//! A scenario file: what is read can be checked and written, and what was written reads as the same.
#![no_main]

use balk_scenarios::{format, toolsets};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let toolsets = toolsets::catalogue();
    let read = format::parse("file.toml", text, toolsets);
    assert_eq!(format::check("file.toml", text, toolsets).is_ok(), read.is_ok());
    let Ok(scenarios) = read else { return };
    let written = format::write(&scenarios);
    let again = format::parse("written.toml", &written, toolsets).expect("what was written can be read");
    assert_eq!(format::write(&again), written);
});
