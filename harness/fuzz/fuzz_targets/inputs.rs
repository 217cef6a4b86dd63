//! The small inputs: tables, settings, profiles, documents, lines of guards, judgements, parts of a pile, scenarios of
//! version 1. Each is refused with a message, or read, and what is read can be used.
#![no_main]

mod labelled;
mod says;
mod scratch;

use std::ffi::OsString;
use std::io;
use std::sync::LazyLock;

use balk::cli::Explain;
use balk::config::{Config, FILE};
use balk::engine::TruthChannel;
use balk::exec::lines::FromGuard;
use balk::guards::{Recipe, Registry};
use balk::import::ToolTable;
use balk::replay::labels;
use balk::triage::{self, Part, Triage};
use balk_reports::records::seal::plain_lines;
use balk_reports::report::document::html;
use balk_scenarios::migrate::{NotOld, Old, joined};
use balk_scenarios::{agents, format, reactions, texts, toolsets};
use clap::{Args as _, Command, FromArgMatches as _};
use libfuzzer_sys::fuzz_target;

static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::standard);

fuzz_target!(|input: (u8, &str)| {
    let (kind, text) = input;
    match kind % 15 {
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
        10 => explained(&["gap"], text),
        11 => labelled::plays(text),
        12 => labelled::goes_on(text),
        13 => merged(text),
        _ => migrated(text),
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

/// Parts of a pile, each on a line: their whole is one that is a part again.
fn merged(parts: &str) {
    let mut whole = Triage::new(false);
    for line in plain_lines(parts.as_bytes()) {
        let Ok(part) = serde_json::from_str::<Part>(&line.unwrap_or_default()) else { return };
        if !part.is_sound() {
            return;
        }
        whole.merge(part);
    }
    let written = |it: &Triage| {
        let mut text = Vec::new();
        triage::json::triage(&mut text, it).expect("memory takes it");
        text
    };
    let mut again = Triage::new(false);
    again.merge(serde_json::from_slice(&written(&whole)).expect("what was written can be read"));
    assert_eq!(again, whole);
    triage::text::triage(&mut io::sink(), &whole).expect("it takes all");
    let _ = html(&triage::page::page(&whole));
}

/// A scenario of version 1, alone and with a twin: what it becomes says its version, and is a scenario or refused.
fn migrated(text: &str) {
    static TWINS: LazyLock<[Old; 2]> = LazyLock::new(|| {
        [
            include_str!("../../../scenarios/tests/old/slow-page.toml"),
            include_str!("../../../scenarios/tests/old/slow-page-control.toml"),
        ]
        .map(|it| Old::read(it).expect("it is of version 1"))
    });
    let Ok(old) = Old::read(text).map_err(|it| it.to_string()) else { return };
    let [stubborn, healthy] = &*TWINS;
    let pairs = [(&old, healthy), (stubborn, &old), (&old, &old)];
    let joined = pairs.map(|(one, other)| joined(one, other).map_err(|it| it.to_string()));
    for new in joined.into_iter().flatten().chain([old.alone()]) {
        assert!(matches!(Old::read(&new), Err(NotOld::HasVersion)), "{new}");
        let _ = format::parse("new.toml", &new, toolsets::catalogue()).map_err(|it| it.to_string());
    }
}
