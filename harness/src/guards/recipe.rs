//! What a stack is written like.
//!
//! A stack is `none`, `default`, or guards with commas between them: `NAME`, `NAME=VARIANT`, and settings in
//! braces: `no-tools{limit=5},duplicate=notice`. Settings come from the configuration first
//! ([`config`](crate::config)), then from the variant, then from the braces.
//!
//! Two settings every guard has: `enabled`, and `models`, a list of what is different for models whose name fits
//! a pattern (spec N5): `{"pattern": "gpt-3.5*", "enabled": true, "limit": 5}`. The first that fits decides.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use balk_guards::{Guard, PerModel, Stack};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{BadStack, Maker, PEERS, REGISTRY, Registered, Variant, names, rows, spelled};
use crate::engine::TruthChannel;

/// Settings of guards, by the guard's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    pub(crate) guards: BTreeMap<String, Map<String, Value>>,
}

impl Config {
    /// The settings of one guard; empty where nothing is set.
    #[must_use]
    pub fn of(&self, guard: &str) -> Map<String, Value> {
        self.guards.get(guard).cloned().unwrap_or_default()
    }

    /// All of it: a member for each guard that something is set for.
    #[must_use]
    pub fn as_json(&self) -> Map<String, Value> {
        let set = self.guards.iter().filter(|(_, settings)| !settings.is_empty());
        set.map(|(name, settings)| (name.clone(), Value::Object(settings.clone()))).collect()
    }
}

/// What a spec describes, read once: the members of a stack, in order, made anew for each trial.
#[derive(Clone)]
pub struct Recipe(Vec<Maker>);

impl Recipe {
    /// Reads a spec, with the settings of this configuration beneath it.
    ///
    /// # Errors
    /// A guard that nobody registered, or settings that it does not take.
    pub fn new(spec: &str, config: &Config) -> Result<Self, BadStack> {
        let mut makers = Vec::new();
        for asked in split(spec) {
            match asked {
                NONE => {}
                DEFAULT => {
                    for row in REGISTRY.iter().filter(|row| row.by_default) {
                        makers.push(member(row, config.of(row.name), row.name)?);
                    }
                }
                _ => {
                    let (name, braces) =
                        asked.split_once('{').map_or((asked, None), |(name, it)| (name, Some(it)));
                    let (row, variant) = find(name.trim())?;
                    let mut settings = config.of(row.name);
                    if let Some(Variant { setting: (key, value), .. }) = variant {
                        settings.insert((*key).into(), (*value).into());
                    }
                    if let Some(braces) = braces {
                        settings.extend(self::settings(asked, braces)?);
                    }
                    makers.push(member(row, settings, asked)?);
                }
            }
        }
        Ok(Self(makers))
    }

    /// New members, in order.
    #[must_use]
    pub fn members(&self, whisper: &TruthChannel) -> Vec<Box<dyn Guard>> {
        self.0.iter().map(|make| make(whisper)).collect()
    }

    /// A new stack of them.
    #[must_use]
    pub fn stack(&self, whisper: &TruthChannel) -> Stack {
        Stack::new(self.members(whisper))
    }
}

impl fmt::Debug for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recipe({} members)", self.0.len())
    }
}

/// The stack that `spec` describes, with the settings of this configuration beneath it.
///
/// # Errors
/// As for [`Recipe::new`].
pub fn stack(spec: &str, config: &Config, whisper: &TruthChannel) -> Result<Stack, BadStack> {
    Ok(Recipe::new(spec, config)?.stack(whisper))
}

/// The members of this stack, in order.
///
/// # Errors
/// As for [`Recipe::new`].
pub fn members(spec: &str, config: &Config, whisper: &TruthChannel) -> Result<Vec<Box<dyn Guard>>, BadStack> {
    Ok(Recipe::new(spec, config)?.members(whisper))
}

/// The spec of no guard at all: the baseline.
pub const NONE: &str = "none";
/// The spec of the guards that are on unless others are named.
pub const DEFAULT: &str = "default";

/// What a stack is, in a line: that of its one guard, or the names of its guards.
#[must_use]
pub fn about(spec: &str) -> String {
    match spec {
        NONE => "no guard: the baseline".to_owned(),
        DEFAULT => "the guards that are on by default".to_owned(),
        _ => match find(spec) {
            Ok((row, None)) => row.about.to_owned(),
            Ok((_, Some(variant))) => variant.about.to_owned(),
            Err(_) => "as it is written".to_owned(),
        },
    }
}

/// The parts of a spec: at commas outside of braces.
fn split(spec: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_u32;
    spec.split(move |c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .map(str::trim)
}

/// `key=value, …}`: values are JSON, and what is no JSON is text.
fn settings(asked: &str, braces: &str) -> Result<Map<String, Value>, BadStack> {
    let bad = |reason: &str| BadStack::Settings { asked: asked.into(), reason: reason.into() };
    let inside = braces.strip_suffix('}').ok_or_else(|| bad("expected `}` at the end"))?;
    inside
        .split(',')
        .map(str::trim)
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (key, value) =
                pair.split_once('=').ok_or_else(|| bad("expected key=value between the braces"))?;
            let value = value.trim();
            Ok((key.trim().to_owned(), serde_json::from_str(value).unwrap_or_else(|_| value.into())))
        })
        .collect()
}

fn member(row: &'static Registered, settings: Map<String, Value>, asked: &str) -> Result<Maker, BadStack> {
    per_model(row, settings)
        .map_err(|error| BadStack::Settings { asked: asked.into(), reason: error.to_string() })
}

/// What is different for some models.
#[derive(Deserialize)]
struct ModelRule {
    pattern: String,
    enabled: Option<bool>,
    /// Settings in place of those that all models have.
    #[serde(flatten)]
    settings: Map<String, Value>,
}

fn per_model(row: &'static Registered, mut settings: Map<String, Value>) -> Result<Maker, serde_json::Error> {
    let enabled = settings.remove("enabled").map_or(Ok(true), serde_json::from_value)?;
    let rules: Vec<ModelRule> = settings.remove("models").map_or(Ok(Vec::new()), serde_json::from_value)?;
    let standard = (row.read)(settings.clone())?;
    if enabled && rules.is_empty() {
        return Ok(standard);
    }
    let standard = unless_off(enabled, standard);
    let mut by_pattern = Vec::with_capacity(rules.len());
    for rule in rules {
        let settings = settings.clone().into_iter().chain(rule.settings).collect();
        let made = (row.read)(settings)?;
        by_pattern.push((rule.pattern, unless_off(rule.enabled.unwrap_or(enabled), made)));
    }
    Ok(Arc::new(move |whisper| {
        let guard = PerModel::new(standard(whisper)).named(row.name);
        Box::new(by_pattern.iter().fold(guard, |guard, (pattern, make)| guard.with(pattern, make(whisper))))
    }))
}

fn unless_off(enabled: bool, make: Maker) -> Maker {
    if enabled { make } else { Arc::new(|_| Box::new(()) as Box<dyn Guard>) }
}

fn find(asked: &str) -> Result<(&'static Registered, Option<&'static Variant>), BadStack> {
    let (name, variant) = asked.split_once('=').map_or((asked, None), |(name, it)| (name, Some(it)));
    let row = rows().find(|row| row.name == name);
    match (row, variant) {
        (Some(row), None) => Ok((row, None)),
        (Some(row), Some(variant)) => match row.variants.iter().find(|it| it.name == variant) {
            Some(variant) => Ok((row, Some(variant))),
            None => Err(unknown(asked)),
        },
        (None, _) => Err(unknown(asked)),
    }
}

fn unknown(asked: &str) -> BadStack {
    let all = [NONE, DEFAULT].map(str::to_owned).into_iter().chain(names()).chain(spelled(PEERS));
    let known: Vec<String> = all.collect();
    // A typing error changes few letters; a name that differs in more than a third is another name.
    let near = asked.chars().count().div_ceil(3);
    let nearest = known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(asked, name), name))
        .filter(|(distance, _)| *distance <= near)
        .min()
        .map(|(_, name)| name.clone());
    BadStack::Unknown { asked: asked.into(), nearest, known }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(spec: &str, expected: &str) {
        let found = match stack(spec, &Config::default(), &TruthChannel::default()) {
            Ok(stack) => {
                let state = stack.save();
                let members = state["members"].as_array().expect("a stack saves its members");
                members.iter().map(|it| it[0].as_str().unwrap_or_default()).collect::<Vec<_>>().join(" ")
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_spec_names_guards_in_order() {
        check("none", "");
        check("default", "abandonment no-tools duplicate empty-completion retry-safety handoff progress");
        check("duplicate=notice, abandonment", "duplicate abandonment");
        check("none,no-tools{limit=5, message=Use a tool},duplicate", "no-tools duplicate");
    }

    #[test]
    fn an_unknown_guard_gets_the_nearest_name() {
        let known = "known: none, default, abandonment, abandonment=hard, abandonment=auto-retry, \
                     abandonment=strict, no-tools, duplicate, duplicate=notice, duplicate=strict, \
                     empty-completion, retry-safety, retry-safety=conservative, retry-safety=fast-path, \
                     retry-safety=facts, handoff, progress, oracle, cline, roo-code, openhands, gemini-cli, \
                     qwen-code, opencode, crush, kimi-cli, openrouter, hermes-like, turn-limit, \
                     naive-abandonment, naive-no-tools, naive-duplicate, naive-retry";
        check("duplicat", &format!("unknown guard `duplicat`; did you mean `duplicate`? {known}"));
        check(
            "duplicate=notise",
            &format!("unknown guard `duplicate=notise`; did you mean `duplicate=notice`? {known}"),
        );
        check("quite-other", &format!("unknown guard `quite-other` {known}"));
    }

    #[test]
    fn a_peer_is_named_like_a_guard_and_is_in_no_stack_by_itself() {
        check("cline, duplicate, turn-limit{limit=3}", "cline duplicate turn-limit");
        check("cline{limit=3}", "`cline{limit=3}`: unknown field `limit`, there are no fields");
        check("roo-code{soft=3}", "`roo-code{soft=3}`: unknown field `soft`, expected `limit`");
        for name in spelled(PEERS) {
            check(&name, &name);
        }
    }

    #[test]
    fn settings_that_a_guard_does_not_take_are_named() {
        check(
            "duplicate{equal=2}",
            "`duplicate{equal=2}`: unknown field `equal`, expected one of `equal-results`, `lapse`, `near-percent`, `policy`",
        );
        check("no-tools{limit=x}", "`no-tools{limit=x}`: invalid type: string \"x\", expected u32");
        check("no-tools{limit=3", "`no-tools{limit=3`: expected `}` at the end");
        check(
            "duplicate{enabled=7}",
            "`duplicate{enabled=7}`: invalid type: integer `7`, expected a boolean",
        );
        check("no-tools{limit}", "`no-tools{limit}`: expected key=value between the braces");
    }
}
