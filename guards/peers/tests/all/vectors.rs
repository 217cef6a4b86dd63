//! What the products' own tests say, played by the rules here.

use std::path::PathBuf;

use balk_contract::Guard;
use balk_peers::{
    Cline, Crush, Forge, GeminiCli, HermesLike, HermesLikeSettings, KimiCli, OpenCode, OpenHands, OpenRouter,
    QwenCode, RooCode, TurnLimit,
};
use serde::de::DeserializeOwned;

use crate::host::play;
use crate::script::{File, Vector};

fn settings<T: DeserializeOwned>(table: &toml::Table) -> T {
    T::deserialize(table.clone()).expect("settings of the rule")
}

fn guard(peer: &str, table: &toml::Table) -> Box<dyn Guard> {
    match peer {
        "openhands" => Box::new(OpenHands::default()),
        "kimi-cli" => Box::new(KimiCli::default()),
        "hermes-like" => Box::new(HermesLike::new(settings::<HermesLikeSettings>(table))),
        "cline" => Box::new(Cline::default()),
        "forge" => Box::new(Forge::new(settings(table))),
        "gemini-cli" => Box::new(GeminiCli::default()),
        "qwen-code" => Box::new(QwenCode::default()),
        "opencode" => Box::new(OpenCode),
        "crush" => Box::new(Crush::default()),
        "openrouter" => Box::new(OpenRouter::default()),
        "turn-limit" => Box::new(TurnLimit::new(settings(table))),
        "roo-code" => Box::new(RooCode::new(settings(table))),
        other => panic!("no peer is named {other}"),
    }
}

/// Why the rule does not do what the vector says, if it does not.
fn difference(file: &File, vector: &Vector) -> Option<String> {
    let played = play(&|| guard(&file.peer, &vector.settings), &file.tools, &vector.events(&file.texts));
    if played.lines != vector.expect {
        return Some(format!("expected {:?}, found {:?}", vector.expect, played.lines));
    }
    let missing = vector.says.iter().find(|part| !played.last.contains(&***part))?;
    Some(format!("expected the words {missing:?}, found {:?}", played.last))
}

fn files() -> Vec<File> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let entries = folder.read_dir().expect("the folder of vectors");
    let mut paths: Vec<_> = entries.map(|it| it.expect("a file").path()).collect();
    paths.sort();
    paths.iter().map(|path| File::read(path)).collect()
}

#[test]
fn the_rules_do_what_the_products_own_tests_say() {
    let mut wrong = Vec::new();
    for file in files() {
        for vector in &file.vectors {
            let place = format!("{}: {}", file.peer, vector.test);
            match (difference(&file, vector), &vector.differs) {
                (None, None) | (Some(_), Some(_)) => {}
                (Some(found), None) => wrong.push(format!("{place}: {found}")),
                (None, Some(_)) => wrong.push(format!("{place}: expected a difference, found none")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The counts that `docs/peers.md` states.
#[test]
fn each_difference_and_each_test_left_out_has_a_reason() {
    let (mut played, mut differ, mut left_out) = (0, 0, 0);
    for file in files() {
        assert!(!file.source.is_empty(), "{}", file.peer);
        for vector in &file.vectors {
            played += 1;
            if let Some(reason) = &vector.differs {
                differ += 1;
                assert!(reason.len() > 20, "{}: {}: {reason}", file.peer, vector.test);
            }
        }
        for it in &file.left_out {
            left_out += it.tests.len();
            assert!(it.reason.len() > 20, "{}: {:?}: {}", file.peer, it.tests, it.reason);
        }
    }
    assert_eq!((played, differ, left_out), (367, 5, 119));
}
