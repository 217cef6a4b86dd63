//! The names of one scenario: what a file may refer to, and where each was given.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;

use super::holes::{Hole, HoleKind};
use super::report::{Report, did_you_mean};
use super::wire::{LimitsTable, NumberTable, PoolItems, PoolValue, Text};
use crate::scenario::{Limits, Number, Pool, PoolItem, Ratio, Role};

/// Names that `{…}` understands in every scenario.
pub(super) const BUILT_IN: &[(&str, HoleKind)] = &[
    ("code", HoleKind::Code),
    ("draft", HoleKind::Drawn),
    ("clock", HoleKind::Clock),
    ("hex", HoleKind::Hex),
    ("visit", HoleKind::Visit),
];

/// The roles a task can ask for, by their names in a file.
pub(crate) const ROLES: &[(&str, Role)] = &[
    ("write", Role::Write),
    ("read", Role::Read),
    ("list", Role::List),
    ("shell", Role::Shell),
    ("ask", Role::Ask),
    ("remote", Role::Remote),
    ("finish", Role::Finish),
    ("distractor", Role::Distractor),
];

/// The name of a role in a file.
pub(crate) fn role_name(role: Role) -> &'static str {
    ROLES.iter().find(|(_, it)| *it == role).map_or("", |(name, _)| name)
}

/// What templates, states and rules of one scenario may refer to.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) pools: Vec<Pool>,
    pub(super) numbers: Vec<Number>,
    pub(super) parameters: Vec<(String, Ratio)>,
    pub(super) phrases: Vec<NamedPhrase>,
    pub(super) roles: Vec<Role>,
    pub(super) has_distractors: bool,
}

/// A phrase's name, with the holes of all its variants.
#[derive(Debug)]
pub(super) struct NamedPhrase {
    pub(super) name: String,
    pub(super) holes: Vec<Hole>,
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
        .help_if(suggestion);
}

/// Checks that a text that people read is not blank.
pub(super) fn check_filled(what: &str, text: &Text, report: &mut Report<'_>) -> String {
    if text.get_ref().trim().is_empty() {
        report.error(text.span(), format!("`{what}` is empty"), "expected a sentence");
    }
    text.get_ref().trim().to_owned()
}

/// The bounds of a trial, none of them 0.
pub(super) fn limits(table: &LimitsTable, report: &mut Report<'_>) -> Limits {
    let mut bound = |name: &str, value: &Spanned<u32>| {
        if *value.get_ref() == 0 {
            report.error(value.span(), format!("the limit of {name} is 0"), "expected at least 1");
        }
        *value.get_ref()
    };
    Limits {
        turns: bound("turns", &table.turns),
        attempts: bound("attempts", &table.attempts),
        calls: bound("calls", &table.calls),
        interventions: bound("interventions", &table.interventions),
        questions: bound("questions", &table.questions),
    }
}

/// The drawn numbers, in the order of their names.
pub(super) fn numbers(table: &BTreeMap<Text, NumberTable>, report: &mut Report<'_>) -> Vec<Number> {
    table
        .iter()
        .map(|(name, bounds)| {
            check_name("number", name, report);
            if BUILT_IN.iter().any(|(word, _)| word == name.get_ref()) {
                let text = name.get_ref();
                report
                    .error(name.span(), format!("a number cannot be called `{text}`"), "the name is taken")
                    .help(format!("`{{{text}}}` stands for something else in every scenario"));
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
                        .help_if(did_you_mean(name, &["reserve"]));
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
                let lacks = pool.fields.iter().find(|field| !fields.contains(field));
                let label = match (lacks, fields.iter().find(|field| !pool.fields.contains(field))) {
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

/// The actor's parameters, in the order of their names.
pub(super) fn parameters(table: &BTreeMap<Text, Text>, report: &mut Report<'_>) -> Vec<(String, Ratio)> {
    let mut all = Vec::with_capacity(table.len());
    for (name, value) in table {
        check_name("parameter", name, report);
        all.push((name.get_ref().clone(), ratio(value, report)));
    }
    all
}

/// A probability written as a ratio.
pub(super) fn ratio(text: &Text, report: &mut Report<'_>) -> Ratio {
    let wrong = match text.get_ref().split_once('/').map(|(num, den)| (digits(num), digits(den))) {
        Some((Some(_), Some(0))) => "the denominator is 0",
        Some((Some(num), Some(den))) if num > den => "more than 1/1",
        Some((Some(num), Some(den))) => return Ratio { num, den },
        Some(_) | None => "expected two whole numbers with `/` between them",
    };
    report
        .error(text.span(), format!("`{}` is not a probability", text.get_ref()), wrong)
        .help("a probability is a ratio from \"0/1\" to \"1/1\", for example \"2/3\"");
    Ratio { num: 0, den: 1 }
}

fn digits(text: &str) -> Option<u32> {
    text.chars().all(|c| c.is_ascii_digit()).then(|| text.parse().ok())?
}
