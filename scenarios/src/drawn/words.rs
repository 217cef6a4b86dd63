//! What slips say, in the languages of the plans: `drawn/words.toml`.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use crate::scenario::template::{Piece, Template};

pub(super) const FILE: &str = include_str!("../../drawn/words.toml");

/// Texts by name, then by language.
type Table = BTreeMap<String, BTreeMap<String, Vec<String>>>;

fn table() -> &'static Table {
    static TABLE: LazyLock<Table> =
        LazyLock::new(|| toml::from_str(FILE).expect("a test reads the words of slips"));
    &TABLE
}

/// The language of words that are the same in all.
const ANY: &str = "any";

/// The variants of this name in this language. `{target}` in them is what the plan does next.
pub(super) fn words(name: &str, language: &str, target: &Template) -> Vec<Template> {
    let texts = table().get(name).unwrap_or_else(|| panic!("no words are called `{name}`"));
    let texts = texts.get(language).or_else(|| texts.get(ANY));
    let texts = texts.unwrap_or_else(|| panic!("the words `{name}` lack {language}"));
    texts.iter().map(|text| template(text, target)).collect()
}

/// The text with its placeholders; a brace that begins none is a brace.
fn template(text: &str, target: &Template) -> Template {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut rest = text;
    let push = |text: &str, pieces: &mut Vec<Piece>| {
        if !text.is_empty() {
            pieces.push(Piece::Text(Arc::from(text)));
        }
    };
    while let Some((at, name, found)) = first_placeholder(rest) {
        push(&rest[..at], &mut pieces);
        match found {
            Some(piece) => pieces.push(piece.clone()),
            None => pieces.extend(target.pieces.iter().cloned()),
        }
        rest = &rest[at + name.len()..];
    }
    push(rest, &mut pieces);
    Template { pieces }
}

/// The placeholders of words; none is the target.
const PLACEHOLDERS: [(&str, Option<Piece>); 7] = [
    ("{target}", None),
    ("{code}", Some(Piece::Code)),
    ("{draft}", Some(Piece::Draft)),
    ("{clock}", Some(Piece::Clock)),
    ("{hex}", Some(Piece::Hex)),
    ("{visit}", Some(Piece::Visit)),
    ("{nth}", Some(Piece::Applied)),
];

fn first_placeholder(text: &str) -> Option<(usize, &'static str, &'static Option<Piece>)> {
    static ALL: &[(&str, Option<Piece>)] = &PLACEHOLDERS;
    ALL.iter().filter_map(|(name, piece)| Some((text.find(name)?, *name, piece))).min_by_key(|it| it.0)
}
