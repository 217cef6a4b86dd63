//! Chances and counts: ratios, the parameters that name them, and numbers of visits.

use std::collections::BTreeMap;

use toml::Spanned;

use super::names::{Names, check_name};
use super::report::{Report, nearest_or_all};
use super::wire::{Text, Visits};
use crate::scenario::{Bound, Ratio};

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

/// A number from 1, or the name of a drawn one.
pub(super) fn drawn_or_fixed(value: &Spanned<Visits>, names: &Names, report: &mut Report<'_>) -> Bound {
    match value.get_ref() {
        Visits::Count(0) => {
            report
                .error(value.span(), "this is counted from 1", "expected at least 1")
                .help("leave the key out if any number will do");
            Bound::Fixed(1)
        }
        Visits::Count(count) => Bound::Fixed(*count),
        Visits::Name(name) => {
            let wanted = Spanned::new(value.span(), name.clone());
            let known = names.numbers.iter().map(|number| number.name.as_str());
            let at = report.found_at("number", &wanted, names.number(name), known);
            report.used.numbers.extend(at);
            at.map_or(Bound::Fixed(1), Bound::Drawn)
        }
    }
}

/// Ratios or names of parameters, at least one.
pub(super) fn chance(list: &Spanned<Vec<Text>>, names: &Names, report: &mut Report<'_>) -> Vec<Ratio> {
    if list.get_ref().is_empty() {
        report
            .error(list.span(), "`chance` is empty", "expected at least one ratio or parameter")
            .help("leave `chance` out if the transition is certain");
    }
    chances(list.get_ref(), names, report)
}

/// Ratios, or names of parameters.
pub(super) fn chances(list: &[Text], names: &Names, report: &mut Report<'_>) -> Vec<Ratio> {
    let mut ratios = Vec::with_capacity(list.len());
    for item in list {
        let word = item.get_ref();
        if let Some(at) = names.parameter(word) {
            report.used.parameters.insert((names.actor, at));
            ratios.push(names.parameters[at].1);
        } else if word.contains('/') {
            ratios.push(ratio(item, report));
        } else {
            report
                .error(item.span(), format!("unknown parameter `{word}`"), "neither a ratio nor a parameter")
                .help_with(|| {
                    let known: Vec<&str> = names.parameters.iter().map(|(name, _)| name.as_str()).collect();
                    nearest_or_all("parameter", word, &known)
                })
                .help(format!(
                    "parameters belong in `[{}.parameters]`; a ratio looks like \"1/50\"",
                    names.actor
                ));
        }
    }
    ratios
}
