//! Converts phrases: languages, variants, and the placeholders that are allowed at each use.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::bounds;
use super::names::{NamedPhrase, Names, Placeholder, PlaceholderKind, check_name};
use super::placeholders::template;
use super::report::{Report, Reported, did_you_mean, listed};
use super::roles::role_name;
use super::used::Saying;
use super::wire::{PhraseValue, Text, Variants};
use crate::scenario::template::Template;
use crate::scenario::{Phrase, PhraseId, Role};

/// The language of a phrase that is the same in all of them.
pub(super) const ANY: &str = "any";

/// The phrases in the order of their names, and the languages that all of them have. Adds the names to `names`. A file
/// whose phrases are all `any` has that one language.
pub(super) fn phrases(
    table: &BTreeMap<Text, Variants>,
    names: &mut Names,
    report: &mut Report<'_>,
) -> (Vec<Phrase>, Vec<Arc<str>>) {
    let mut languages: BTreeMap<&str, &Text> = BTreeMap::new();
    let spoken: Vec<Spoken<'_>> =
        table.iter().map(|(name, variants)| spoken(name, variants, report)).collect();
    for (key, ..) in spoken.iter().flat_map(|it| &it.texts).filter(|(key, ..)| is_language(key.get_ref())) {
        languages.entry(key.get_ref()).or_insert(key);
    }
    let mut phrases = Vec::with_capacity(table.len());
    for it in &spoken {
        let name = it.name;
        check_name("phrase", name, report);
        check_languages(it, &languages, report);
        let (phrase, named) = phrase(it, &languages, names, report);
        names.phrases.push(named);
        phrases.push(phrase);
    }
    let all: BTreeSet<&str> = languages.into_keys().collect();
    let all = if all.is_empty() { BTreeSet::from([ANY]) } else { all };
    (phrases, all.into_iter().map(Arc::from).collect())
}

/// A phrase as the file has it.
struct Spoken<'t> {
    name: &'t Text,
    pinned: bool,
    /// The texts of each language, with their place.
    texts: Vec<(&'t Text, Range<usize>, &'t [Text])>,
}

/// The texts and the marks of a phrase.
fn spoken<'t>(name: &'t Text, variants: &'t Variants, report: &mut Report<'_>) -> Spoken<'t> {
    let mut spoken = Spoken { name, pinned: false, texts: Vec::with_capacity(variants.len()) };
    for (key, value) in variants {
        match value.get_ref() {
            PhraseValue::Texts(texts) => spoken.texts.push((key, value.span(), texts)),
            PhraseValue::Mark(mark) if key.get_ref() == "pinned" => spoken.pinned = *mark,
            PhraseValue::Mark(mark) => {
                let name = key.get_ref();
                report
                    .error(
                        value.span(),
                        format!("wrong type of `{name}`"),
                        format!("expected a list of strings, got boolean `{mark}`"),
                    )
                    .help_if(|| did_you_mean(name, &["pinned"]));
            }
        }
    }
    spoken
}

/// Whether a key has the form of a language's code.
fn is_language(key: &str) -> bool {
    key.len() == 2 && key.chars().all(|c| c.is_ascii_lowercase())
}

fn check_languages(spoken: &Spoken<'_>, languages: &BTreeMap<&str, &Text>, report: &mut Report<'_>) {
    let Spoken { name, texts: variants, .. } = spoken;
    let shown = name.get_ref();
    if variants.is_empty() {
        report
            .error(name.span(), format!("the phrase `{shown}` is empty"), "expected a language, or `any`")
            .help("for example: en = [\"Done.\"]");
        return;
    }
    for (key, span, texts) in variants {
        let language = key.get_ref();
        if language != ANY && !is_language(language) {
            report.error(
                key.span(),
                format!("`{language}` is not a language"),
                "expected two lower-case letters as in ISO 639, or `any`",
            );
        }
        if texts.is_empty() {
            report.error(
                span.clone(),
                format!("the phrase `{shown}` has no text in `{language}`"),
                "expected at least one variant",
            );
        }
    }
    let keys = || variants.iter().map(|(key, ..)| *key);
    if let Some(any) = keys().find(|key| key.get_ref() == ANY) {
        if let Some(other) = keys().find(|key| key.get_ref() != ANY) {
            report
                .error(
                    any.span(),
                    format!("the phrase `{shown}` has both `any` and `{}`", other.get_ref()),
                    "`any` already applies to every language",
                )
                .related(other.span(), "so this would never be used")
                .help("keep `any` alone, or write the phrase in each language");
        }
        return;
    }
    // A missing language may be there under a misspelt name, which is reported already.
    if !keys().all(|key| is_language(key.get_ref())) {
        return;
    }
    let lacking: Vec<(&str, &Text)> = languages
        .iter()
        .filter(|(language, _)| !keys().any(|key| key.get_ref() == **language))
        .map(|(language, at)| (*language, *at))
        .collect();
    if let Some((_, elsewhere)) = lacking.first() {
        let missing: Vec<&str> = lacking.iter().map(|(language, _)| *language).collect();
        let missing = listed(&missing, "and");
        report
            .error(
                name.span(),
                format!("the phrase `{shown}` lacks {missing}"),
                format!("no text in {missing}"),
            )
            .related(elsewhere.span(), "another phrase has it")
            .help("write it in that language too, or as `any` if it is the same in all");
    }
}

fn phrase(
    it: &Spoken<'_>,
    languages: &BTreeMap<&str, &Text>,
    names: &Names,
    report: &mut Report<'_>,
) -> (Phrase, NamedPhrase) {
    let name = it.name.get_ref().clone();
    let mut named = NamedPhrase { name: name.clone(), placeholders: Vec::new(), longest: 0 };
    let mut spoken: BTreeMap<&str, Vec<Template>> = BTreeMap::new();
    for (key, _, texts) in &it.texts {
        for text in *texts {
            let (template, found) = template(text, names, report);
            named.longest = named.longest.max(names.lengths.of(&template));
            spoken.entry(key.get_ref()).or_default().push(template);
            named.placeholders.extend(found);
        }
    }
    let any = spoken.get(ANY);
    let of = |language: &str| any.or_else(|| spoken.get(language)).cloned().unwrap_or_default();
    let variants = if languages.is_empty() {
        vec![of(ANY)]
    } else if any.is_none_or(|all| bounds::has_room(all, languages.len(), it.name, report)) {
        languages.keys().map(|it| of(it)).collect()
    } else {
        Vec::new()
    };
    (Phrase { name, pinned: it.pinned, variants }, named)
}

/// The phrase of this name. Its placeholders must have a meaning for the speaker.
pub(super) fn said(wanted: &Text, by: Saying, names: &Names, report: &mut Report<'_>) -> PhraseId {
    let known = names.phrases.iter().map(|phrase| phrase.name.as_str());
    let found = names.phrase(wanted.get_ref());
    let Some(index) = report.found_at("phrase", wanted, found, known) else { return 0 };
    report.used.phrases.insert(index);
    if matches!(by, Saying::User) {
        bounds::hear(index, wanted, names, report);
    }
    // What a speaker may not say is wrong once, however often they say it.
    if !report.used.said.insert((index, by)) {
        return index;
    }
    for placeholder in &names.phrases[index].placeholders {
        check_placeholder(placeholder, wanted, by, report);
    }
    index
}

/// A text that a rule writes for a call of this role.
pub(super) fn of_rule(text: &Text, role: Role, names: &Names, report: &mut Report<'_>) -> Template {
    let (template, placeholders) = template(text, names, report);
    for placeholder in &placeholders {
        check_placeholder(placeholder, text, Saying::Tool(role), report);
        if placeholder.kind == PlaceholderKind::Seconds {
            report.error(
                placeholder.span.clone(),
                "a file has no clock",
                "`{seconds:…}` is known only where a tool answers",
            );
        }
    }
    template
}

/// Reports a step in a state that has none.
pub(super) fn no_steps<'r>(placeholder: &Placeholder, report: &'r mut Report<'_>) -> Reported<'r> {
    report
        .error(placeholder.span.clone(), "this state has no steps", "`{step}` is the step that a state does")
        .help("write `steps = 3`, or the name of one of `[numbers]`, into the state")
}

fn check_placeholder(placeholder: &Placeholder, wanted: &Text, by: Saying, report: &mut Report<'_>) {
    let speaker = match by {
        Saying::Tool(_) | Saying::AnyTool => "a tool",
        Saying::User => "the user",
        Saying::Loop => "the loop",
        Saying::Actor { .. } => "the actor",
    };
    let here = format!("{speaker} says it here");
    match (placeholder.kind, by) {
        (PlaceholderKind::Argument, Saying::Tool(role)) => {
            if !role.has_argument(&placeholder.name) {
                let (name, role_name) = (&placeholder.name, role_name(role));
                report
                    .error(
                        placeholder.span.clone(),
                        format!("`{role_name}` has no argument `{name}`"),
                        format!("expected {}", listed(role.arguments(), "or")),
                    )
                    .related(wanted.span(), here);
            }
        }
        (PlaceholderKind::Argument, Saying::AnyTool | Saying::User | Saying::Loop | Saying::Actor { .. }) => {
            report
                .error(
                    placeholder.span.clone(),
                    format!("{speaker} does not answer a call"),
                    "an argument is known only where a tool answers",
                )
                .related(wanted.span(), here)
                .help("use `{argument:…}` only in phrases of `[[environment.rule]]`");
        }
        (
            PlaceholderKind::Visit | PlaceholderKind::OwnStep,
            Saying::Tool(_) | Saying::AnyTool | Saying::User | Saying::Loop,
        ) => {
            report
                .error(
                    placeholder.span.clone(),
                    format!("{speaker} has no states to visit"),
                    "`{visit}` and `{step:…}` count the visits of an actor's state",
                )
                .related(wanted.span(), here);
        }
        (PlaceholderKind::OwnStep, Saying::Actor { steps: false }) => {
            no_steps(placeholder, report).related(wanted.span(), here);
        }
        (
            kind @ (PlaceholderKind::Applied | PlaceholderKind::Seconds),
            Saying::User | Saying::Loop | Saying::Actor { .. },
        ) => {
            let (lacks, why) = if kind == PlaceholderKind::Applied {
                ("follows no rule", "`{nth}` counts the calls to which a rule applied")
            } else {
                ("has no clock", "`{seconds:…}` is known only where a tool answers")
            };
            report
                .error(placeholder.span.clone(), format!("{speaker} {lacks}"), why)
                .related(wanted.span(), here)
                .help("use it only in `[[environment.rule]]`");
        }
        (PlaceholderKind::Visit | PlaceholderKind::OwnStep, Saying::Actor { .. })
        | (PlaceholderKind::Seconds, Saying::Tool(_) | Saying::AnyTool)
        | (PlaceholderKind::Applied, Saying::Tool(_) | Saying::AnyTool)
        | (
            PlaceholderKind::Drawn | PlaceholderKind::Code | PlaceholderKind::Clock | PlaceholderKind::Hex,
            _,
        ) => {}
    }
}
