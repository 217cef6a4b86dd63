//! The small files: tables of tools, labels, toolsets, an incident. Each is refused with a message, or read.
#![no_main]

use balk::import::ToolTable;
use balk::replay::labels;
use balk_reports::records::{Incident, Kept};
use balk_scenarios::toolsets;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &str)| {
    let (kind, text) = input;
    match kind % 4 {
        0 => drop(ToolTable::parse(text).map_err(|it| it.to_string())),
        1 => drop(labels::parse(text)),
        2 => drop(toolsets::parse("toolset.toml", text).map_err(|it| it.to_string())),
        _ => {
            let Ok(incident) = serde_json::from_str::<Kept<Incident>>(text) else { return };
            let _ = (incident.understood().offer(), incident.unused());
            let _ = incident.understood().failure().map_err(|it| it.to_string());
        }
    }
});
