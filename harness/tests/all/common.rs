//! Shared by the tests that run many trials: the number of seeds, and the scenarios by name.

pub(crate) mod counting;
pub(crate) mod instead;
pub(crate) mod naive;
pub(crate) mod outline;
pub(crate) mod program;
pub(crate) mod recipe;
pub(crate) mod runs;
pub(crate) mod same;
pub(crate) mod server;
#[cfg(target_os = "linux")]
pub(crate) mod terminal;
pub(crate) mod wild;

use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use balk_guards::wire::Dialect;
use balk_scenarios::{Scenario, catalogue, format, toolsets};

/// The seeds: 0 to 99, or as many as `BALK_SEEDS` says.
pub(crate) fn seeds() -> RangeInclusive<u64> {
    #[expect(clippy::disallowed_methods, reason = "a longer run of the same tests; no trial depends on it")]
    let asked = std::env::var("BALK_SEEDS");
    let count: u64 = asked.map_or(100, |text| text.parse().expect("BALK_SEEDS is a number of seeds"));
    0..=count - 1
}

/// The first of the seeds, one in `n`: for laws whose trials are dear.
pub(crate) fn one_in(n: u64) -> RangeInclusive<u64> {
    0..=(seeds().end() + 1) / n - 1
}

/// A scenario of the catalogue, with these settings.
pub(crate) fn scenario(name: &str, sets: &[(&str, &str)]) -> Arc<Scenario> {
    let sets: Vec<_> = sets.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let listed = catalogue::find(name).expect("the catalogue has it");
    listed.read(&sets).expect("the catalogue is good, and so are the settings")
}

/// The path of a request of this dialect, below the base of a server.
pub(crate) fn path_of(dialect: Dialect, stream: bool) -> &'static str {
    match (dialect, stream) {
        (Dialect::OpenAi, _) => "v1/chat/completions",
        (Dialect::Responses, _) => "v1/responses",
        (Dialect::Anthropic, _) => "v1/messages",
        (Dialect::Gemini, false) => "v1beta/models/balk-actor:generateContent",
        (Dialect::Gemini, true) => "v1beta/models/balk-actor:streamGenerateContent?alt=sse",
    }
}

/// A scenario with all that can come between turns.
pub(crate) fn between() -> Arc<Scenario> {
    let text = include_str!("../../../scenarios/tests/worlds/between.toml");
    let all = format::parse("between.toml", text, toolsets::catalogue());
    all.unwrap_or_else(|wrong| panic!("{wrong}")).remove(0)
}

/// Every file below a folder, with its bytes.
pub(crate) fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push((path.clone(), fs::read(&path).expect("a file")));
        }
    }
    found.sort();
    found
}
