//! The small inputs: tables, settings, profiles, documents, lines of guards. Each is refused with a message, or read,
//! and what is read can be used.
#![no_main]

mod says;
mod scratch;

use std::ffi::OsString;
use std::sync::LazyLock;

use balk::cli::Explain;
use balk::config::{Config, FILE};
use balk::engine::TruthChannel;
use balk::exec::lines::FromGuard;
use balk::guards::{Recipe, Registry};
use balk::import::ToolTable;
use balk::replay::labels;
use balk_scenarios::{agents, reactions, texts, toolsets};
use clap::{Args as _, Command, FromArgMatches as _};
use libfuzzer_sys::fuzz_target;

static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::standard);

fuzz_target!(|input: (u8, &str)| {
    let (kind, text) = input;
    match kind % 11 {
        0 => drop(ToolTable::parse(text).map_err(|it| it.to_string())),
        1 => {
            let Ok(points) = labels::parse(text) else { return };
            let written = labels::text(&points);
            assert_eq!(labels::parse(&written).expect("what was written can be read"), points);
        }
        2 => drop(toolsets::parse("toolset.toml", text).map_err(|it| it.to_string())),
        3 => drop(agents::parse("profile.toml", text).map_err(|it| it.to_string())),
        4 => {
            let Ok(measured) = reactions::parse("reactions.toml", text).map_err(|it| it.to_string()) else {
                return;
            };
            let again = reactions::parse("written.toml", &reactions::write(&measured));
            assert_eq!(again.expect("what was written can be read"), measured);
        }
        5 => drop(texts::parse("texts.toml", text).map_err(|it| it.to_string())),
        6 => {
            let file = scratch::holds("config", FILE, text).join(FILE);
            let Ok(config) = Config::load(&REGISTRY, Some(&file), |_| None).map_err(|it| it.to_string())
            else {
                return;
            };
            let recipe = Recipe::new(&REGISTRY, "default", &config).expect("its settings were accepted");
            drop(recipe.stack(&TruthChannel::default()));
        }
        7 => {
            let Ok(line) = serde_json::from_str::<FromGuard>(text) else { return };
            let again = serde_json::to_string(&line).expect("a line is plain data");
            assert_eq!(
                serde_json::from_str::<FromGuard>(&again).expect("what was written can be read"),
                line
            );
            says::plays(line);
        }
        8 => explained(&["retry"], text),
        9 => explained(&["retry", "--format", "json", "--policy", "conservative"], text),
        _ => explained(&["gap"], text),
    }
});

/// `balk explain` with this document. It prints, so standard output is best closed.
fn explained(options: &[&str], document: &str) {
    let file = scratch::holds("explain", "it.json", document).join("it.json");
    let words = ["explain"].iter().chain(options).map(OsString::from).chain([file.into()]);
    let explain = Explain::augment_args(Command::new("explain")).try_get_matches_from(words);
    let explain =
        Explain::from_arg_matches(&explain.expect("it is a command")).expect("it has its arguments");
    drop(explain.run().map_err(|it| it.to_string()));
}
