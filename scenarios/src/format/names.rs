//! The names that the texts, states and rules of one scenario may refer to.

use std::collections::BTreeMap;
use std::ops::Range;

use super::lengths::Lengths;
use super::report::{Report, did_you_mean};
use super::wire::{NumberTable, PoolItems, PoolValue, Text};
use crate::scenario::template::Piece;
use crate::scenario::{Number, Pool, PoolItem, Ratio, Role};

/// A `{…}`, kept until the use of its text is known.
#[derive(Clone, Debug)]
pub(super) struct Placeholder {
    pub(super) kind: PlaceholderKind,
    /// The name of the argument, if it is one.
    pub(super) name: String,
    pub(super) span: Range<usize>,
}

/// What decides where a `{…}` is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlaceholderKind {
    /// A field of a pool or a number: the same for the whole trial.
    Drawn,
    /// An argument of the call that is answered.
    Argument,
    /// Program text.
    Code,
    /// A time of day.
    Clock,
    /// Hexadecimal digits.
    Hex,
    /// How often the state was visited.
    Visit,
    /// The step that the state does.
    OwnStep,
    /// How often the rule applied.
    Applied,
    /// How long a fact has held.
    Seconds,
}

/// Names that `{…}` understands in every scenario, and their meanings.
pub(super) const BUILT_IN: &[(&str, PlaceholderKind, Piece)] = &[
    ("code", PlaceholderKind::Code, Piece::Code),
    // The one built-in text that the seed draws for the whole trial.
    ("draft", PlaceholderKind::Drawn, Piece::Draft),
    ("clock", PlaceholderKind::Clock, Piece::Clock),
    ("hex", PlaceholderKind::Hex, Piece::Hex),
    ("visit", PlaceholderKind::Visit, Piece::Visit),
    ("step", PlaceholderKind::OwnStep, Piece::OwnStep),
    ("nth", PlaceholderKind::Applied, Piece::Applied),
];

/// What templates, states and rules of one scenario may refer to. Pools, numbers, parameters and phrases are in the
/// order of their names.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) pools: Vec<Pool>,
    pub(super) numbers: Vec<Number>,
    pub(super) parameters: Vec<(String, Ratio)>,
    pub(super) phrases: Vec<NamedPhrase>,
    pub(super) roles: Vec<Role>,
    /// The name of the actor's table.
    pub(super) actor: &'static str,
    pub(super) has_distractors: bool,
    pub(super) lengths: Lengths,
}

impl Names {
    /// The place of a pool.
    pub(super) fn pool(&self, name: &str) -> Option<usize> {
        self.pools.binary_search_by(|it| it.name.as_str().cmp(name)).ok()
    }

    /// The place of a number.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.numbers.binary_search_by(|it| it.name.as_str().cmp(name)).ok()
    }

    /// The place of a parameter.
    pub(super) fn parameter(&self, name: &str) -> Option<usize> {
        self.parameters.binary_search_by(|(it, _)| it.as_str().cmp(name)).ok()
    }

    /// The place of a phrase.
    pub(super) fn phrase(&self, name: &str) -> Option<usize> {
        self.phrases.binary_search_by(|it| it.name.as_str().cmp(name)).ok()
    }
}

/// A phrase's name, with the placeholders of all its variants.
#[derive(Debug)]
pub(super) struct NamedPhrase {
    pub(super) name: String,
    pub(super) placeholders: Vec<Placeholder>,
    /// The most bytes of a variant.
    pub(super) longest: usize,
}

/// Checks that a name can be written in a template or after `--set`.
pub(super) fn check_name(what: &str, name: &Text, report: &mut Report<'_>) {
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    let text = name.get_ref();
    if !text.chars().all(legal) || !text.starts_with(|c: char| c.is_ascii_lowercase()) {
        report
            .error(name.span(), format!("`{text}` cannot be the name of a {what}"), "not a legal name")
            .help("a name has lower-case letters, digits, `_` and `-`, and starts with a letter");
    }
}

/// Checks the name of a scenario.
pub(super) fn check_kebab(name: &Text, report: &mut Report<'_>) {
    let text = name.get_ref();
    let legal =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    if text.split('-').all(legal) && !text.starts_with(|c: char| c.is_ascii_digit()) {
        return;
    }
    let words: Vec<String> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let suggestion = words.join("-");
    let suggestion = suggestion
        .starts_with(|c: char| c.is_ascii_lowercase())
        .then(|| format!("for example `{suggestion}`"));
    report
        .error(name.span(), format!("`{text}` is not kebab-case"), "expected lower-case words joined by `-`")
        .help_if(|| suggestion);
}

/// Checks that a text that people read is not blank.
pub(super) fn check_filled(what: &str, text: &Text, report: &mut Report<'_>) -> String {
    if text.get_ref().trim().is_empty() {
        report.error(text.span(), format!("`{what}` is empty"), "expected a sentence");
    }
    text.get_ref().trim().to_owned()
}

/// The drawn numbers, in the order of their names.
pub(super) fn numbers(table: &BTreeMap<Text, NumberTable>, report: &mut Report<'_>) -> Vec<Number> {
    table
        .iter()
        .map(|(name, bounds)| {
            check_name("number", name, report);
            if BUILT_IN.iter().any(|(word, ..)| word == name.get_ref()) {
                let text = name.get_ref();
                report
                    .error(name.span(), format!("a number cannot be called `{text}`"), "this name is taken")
                    .help(format!("`{{{text}}}` has a fixed meaning in every scenario"));
            }
            let (from, to) = (*bounds.from.get_ref(), *bounds.to.get_ref());
            if from > to {
                report
                    .error(
                        bounds.to.span(),
                        "the range of a number is empty",
                        format!("expected at least {from}"),
                    )
                    .related(bounds.from.span(), "the least value");
            }
            Number { name: name.get_ref().clone(), from, to }
        })
        .collect()
}

/// The pools, in the order of their names; so are their fields.
pub(super) fn pools(table: &BTreeMap<Text, PoolItems>, report: &mut Report<'_>) -> Vec<Pool> {
    table.iter().map(|(name, items)| pool(name, items, report)).collect()
}

fn pool(name: &Text, items: &PoolItems, report: &mut Report<'_>) -> Pool {
    check_name("pool", name, report);
    let shown = name.get_ref();
    let mut pool = Pool { name: shown.clone(), fields: Vec::new(), items: Vec::new() };
    let mut first: Option<Range<usize>> = None;
    for item in items.get_ref() {
        let mut reserve = false;
        let mut fields = Vec::new();
        let mut values = Vec::new();
        for (key, value) in item.get_ref() {
            match value {
                PoolValue::Text(text) => {
                    fields.push(key.get_ref().clone());
                    values.push(text.as_str().into());
                }
                PoolValue::Mark(mark) if key.get_ref() == "reserve" => reserve = *mark,
                PoolValue::Mark(mark) => {
                    let got = format!("expected a string, got boolean `{mark}`");
                    let name = key.get_ref();
                    report
                        .error(key.span(), format!("wrong type of the field `{name}`"), got)
                        .help_if(|| did_you_mean(name, &["reserve"]));
                }
            }
        }
        match &first {
            None => {
                for key in item.get_ref().keys() {
                    check_name("field", key, report);
                }
                pool.fields = fields;
                first = Some(item.span());
            }
            Some(span) if fields != pool.fields => {
                let lacks = pool.fields.iter().find(|field| fields.binary_search(field).is_err());
                let other = fields.iter().find(|field| pool.fields.binary_search(field).is_err());
                let label = match (lacks, other) {
                    (Some(field), None) => format!("this item lacks `{field}`"),
                    (None, Some(field)) => format!("this item has `{field}` besides"),
                    (Some(field), Some(other)) => format!("this item has `{other}`, not `{field}`"),
                    (None, None) => "this item differs".to_owned(),
                };
                let message = format!("the items of the pool `{shown}` have different fields");
                report.error(item.span(), message, label).related(span.clone(), "the first item");
            }
            Some(_) => {}
        }
        pool.items.push(PoolItem { reserve, values });
    }
    if pool.items.iter().all(|item| item.reserve) {
        let (message, help) = if pool.items.is_empty() {
            (format!("the pool `{shown}` is empty"), "a pool needs at least one item")
        } else {
            let message = format!("every item of the pool `{shown}` is reserved");
            (message, "at least one item must not be marked `reserve = true`")
        };
        report.error(name.span(), message, "nothing could be drawn").help(help);
    } else if pool.fields.is_empty() {
        report.error(name.span(), format!("the pool `{shown}` has no fields"), "expected at least one field");
    }
    pool
}
