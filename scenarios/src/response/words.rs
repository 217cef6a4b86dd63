//! The words by which a message is read (`words/advice.toml`), in one automaton: every message is read once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::scenario::Way;

const FILE: &str = include_str!("../../words/advice.toml");

/// What a phrase means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// It offers a way out.
    Offers(Way),
    /// It offers this one if the message offers no other.
    Perhaps(Way),
    /// It takes back what follows it closely.
    Not,
    /// It takes back what it follows closely.
    NotBefore,
    /// It names what must not be sent again.
    Same,
    /// It says that something went wrong.
    Complains,
    /// It states the wanted form.
    Form,
    /// It shows the wanted form.
    Example,
    /// It says that a tool is not on offer now.
    Withholds,
}

/// A phrase in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) sense: Sense,
    pub(super) start: usize,
    pub(super) end: usize,
}

struct Words {
    automaton: AhoCorasick,
    senses: Vec<Sense>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let tables: BTreeMap<String, BTreeMap<String, Vec<String>>> =
        toml::from_str(FILE).unwrap_or_else(|wrong| panic!("the built-in words are bad: {wrong}"));
    let phrases: Vec<(Sense, &String)> = tables
        .iter()
        .flat_map(|(name, languages)| {
            let sense = sense(name);
            languages.values().flatten().map(move |phrase| (sense, phrase))
        })
        .collect();
    Words {
        automaton: AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .build(phrases.iter().map(|(_, phrase)| phrase))
            .expect("the phrases are few and short"),
        senses: phrases.iter().map(|(sense, _)| *sense).collect(),
    }
});

fn sense(name: &str) -> Sense {
    let way = |name: &str| Way::ALL.into_iter().find(|way| way.name() == name);
    match name {
        "perhaps-again" => Sense::Perhaps(Way::Again),
        "not" => Sense::Not,
        "not-before" => Sense::NotBefore,
        "same" => Sense::Same,
        "complains" => Sense::Complains,
        "form" => Sense::Form,
        "example" => Sense::Example,
        "withholds" => Sense::Withholds,
        _ => {
            Sense::Offers(way(name).unwrap_or_else(|| panic!("`{name}` in the built-in words means nothing")))
        }
    }
}

/// Every phrase in a text, in the order of their ends. They may overlap.
pub(super) fn found(text: &str) -> impl Iterator<Item = Found> + '_ {
    let words = &*WORDS;
    words.automaton.find_overlapping_iter(text).filter(|it| begins_a_word(text, it.start())).map(|it| Found {
        sense: words.senses[it.pattern()],
        start: it.start(),
        end: it.end(),
    })
}

/// Whether a word begins here, or a character that is not of ASCII letters.
fn begins_a_word(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    at == 0 || !bytes[at].is_ascii_alphabetic() || !is_word(bytes[at - 1])
}
