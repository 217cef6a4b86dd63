//! The guards that can be named on the command line, in one table, and what a stack is written like.
//!
//! A stack is `none`, `default`, or guards with commas between them: `NAME`, `NAME=VARIANT`, and settings in
//! braces: `no-tools{limit=5},duplicate=notice`. Settings come from the configuration first
//! ([`config`](crate::config)), then from the variant, then from the braces.
//!
//! Two settings every guard has: `enabled`, and `models`, a list of what is different for models whose name fits
//! a pattern (spec N5): `{"pattern": "gpt-3.5*", "enabled": true, "limit": 5}`. The first that fits decides.

use std::collections::BTreeMap;
use std::fmt;

use balk_guards::rules::{self, Rule};
use balk_guards::{
    Abandonment, AbandonmentSettings, Duplicate, DuplicateSettings, EmptyCompletion, EmptyCompletionSettings,
    Guard, Handoff, HandoffSettings, NoTools, NoToolsSettings, PerModel, Progress, ProgressSettings,
    RetrySafety, RetrySafetySettings, Stack,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::engine::{Oracle, Whisper};
use crate::error::Error;

mod peers;

pub use peers::PEERS;

/// One guard.
#[derive(Clone, Copy, Debug)]
pub struct Registered {
    /// The guard's name.
    pub name: &'static str,
    /// One line on what it does.
    pub about: &'static str,
    /// True where it is part of the stack `default`.
    pub by_default: bool,
    /// Its variants.
    pub variants: &'static [Variant],
    /// What it can do; nothing where there is nothing to audit.
    pub rules: &'static [Rule],
    /// Settings under which a rule of it is off: key and value.
    pub off: &'static [(&'static str, &'static str)],
    /// Its settings where nothing is set.
    pub defaults: fn() -> Map<String, Value>,
    /// Makes a new one from settings; the whisper is for the oracle alone.
    pub make: fn(Map<String, Value>, &Whisper) -> Made,
}

/// A guard, or why its settings are none.
pub type Made = Result<Box<dyn Guard>, serde_json::Error>;

/// One setting under a name of its own.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// The variant's name.
    pub name: &'static str,
    /// One line on what is different.
    pub about: &'static str,
    /// The setting, and its value.
    pub setting: (&'static str, &'static str),
}

/// Every guard of ours that can be named, and the oracle. A new guard is one more row.
pub const REGISTRY: &[Registered] = &[
    Registered {
        name: "abandonment",
        about: "gives up on a failing tool and shows code instead: one correction, one follow-up",
        by_default: true,
        variants: &[
            Variant {
                name: "hard",
                about: "refuses every fence without a call up to a limit, then asks the user",
                setting: ("policy", "hard"),
            },
            Variant {
                name: "auto-retry",
                about: "runs the failing call again; tells the user, not the model",
                setting: ("policy", "auto-retry"),
            },
            Variant {
                name: "strict",
                about: "the field design: words of acknowledgement before anything else counts",
                setting: ("policy", "strict"),
            },
        ],
        rules: rules::ABANDONMENT,
        off: &[],
        defaults: settings_of::<AbandonmentSettings>,
        make: |settings, _| Ok(Box::new(Abandonment::new(read(settings)?))),
    },
    Registered {
        name: "no-tools",
        about: "announces and does not act: corrections up to a limit, then a question, then the end",
        by_default: true,
        variants: &[],
        rules: rules::NO_TOOLS,
        off: &[],
        defaults: settings_of::<NoToolsSettings>,
        make: |settings, _| Ok(Box::new(NoTools::new(read(settings)?))),
    },
    Registered {
        name: "duplicate",
        about: "the same call when nothing has changed: feedback, options, question, stop",
        by_default: true,
        variants: &[
            Variant {
                name: "notice",
                about: "the same ladder with the plain notice \"already called\"",
                setting: ("policy", "notice"),
            },
            Variant {
                name: "strict",
                about: "the field design: words that announce a change before anything else counts",
                setting: ("policy", "strict"),
            },
        ],
        rules: rules::DUPLICATE,
        off: &[("near-percent", "100")],
        defaults: settings_of::<DuplicateSettings>,
        make: |settings, _| Ok(Box::new(Duplicate::new(read(settings)?))),
    },
    Registered {
        name: "empty-completion",
        about: "nothing came, or was cut off: the request again, or a hint to make it smaller",
        by_default: true,
        variants: &[],
        rules: rules::EMPTY_COMPLETION,
        off: &[],
        defaults: settings_of::<EmptyCompletionSettings>,
        make: |settings, _| Ok(Box::new(EmptyCompletion::new(read(settings)?))),
    },
    Registered {
        name: "retry-safety",
        about: "an attempt broke: makes it again where nothing can be done twice, asks where something can",
        by_default: true,
        variants: &[
            Variant {
                name: "conservative",
                about: "asks whenever a tool on offer has no declared effect",
                setting: ("policy", "conservative"),
            },
            Variant {
                name: "fast-path",
                about: "the same, but for an attempt of which nothing came",
                setting: ("policy", "fast-path"),
            },
            Variant {
                name: "facts",
                about: "what was seen of the attempt decides, and never what was merely on offer",
                setting: ("policy", "facts"),
            },
        ],
        rules: rules::RETRY_SAFETY,
        off: &[],
        defaults: settings_of::<RetrySafetySettings>,
        make: |settings, _| Ok(Box::new(RetrySafety::new(read(settings)?))),
    },
    Registered {
        name: "handoff",
        about: "a run ends without its goal: what is missing, what was tried, what a person can do",
        by_default: true,
        variants: &[],
        rules: rules::HANDOFF,
        off: &[],
        defaults: settings_of::<HandoffSettings>,
        make: |settings, _| Ok(Box::new(Handoff::new(read(settings)?))),
    },
    Registered {
        name: "progress",
        about: "busy and getting nowhere: cycles, repeats between others, the same failure, wandering, waiting",
        by_default: true,
        variants: &[],
        rules: rules::PROGRESS,
        off: &[
            ("waits", "0"),
            ("laps", "0"),
            ("equal-failures", "0"),
            ("equal-answers", "0"),
            ("unfit-calls", "0"),
            ("refused-ends", "0"),
            ("grown-calls", "0"),
            ("returns", "0"),
            ("near-failures", "0"),
            ("refused-replies", "0"),
            ("same-texts", "0"),
            ("same-failures", "0"),
            ("wandering", "0"),
        ],
        defaults: settings_of::<ProgressSettings>,
        make: |settings, _| Ok(Box::new(Progress::new(read(settings)?))),
    },
    Registered {
        name: "oracle",
        about: "is told the truth and says everything that can help: what could be recovered at all",
        by_default: false,
        variants: &[],
        rules: &[],
        off: &[],
        defaults: Map::new,
        make: |settings, whisper| {
            read::<NoSettings>(settings)?;
            Ok(Box::new(Oracle::new(whisper.clone())))
        },
    },
];

/// All that can be named: our guards, then what they are compared with.
pub fn rows() -> impl Iterator<Item = &'static Registered> {
    REGISTRY.iter().chain(PEERS)
}

/// Settings of a guard that has none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoSettings {}

/// The settings of a guard of which none is set.
fn settings_of<T: Default + Serialize>() -> Map<String, Value> {
    match serde_json::to_value(T::default()) {
        Ok(Value::Object(settings)) => settings,
        other => unreachable!("settings are an object, found {other:?}"),
    }
}

fn read<T: DeserializeOwned>(settings: Map<String, Value>) -> Result<T, serde_json::Error> {
    serde_json::from_value(Value::Object(settings))
}

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
}

/// A stack that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadStack {
    /// A guard, or a variant of one, that is not in the table.
    Unknown {
        /// What was asked for.
        asked: String,
        /// The known name that is nearest, where one is near.
        nearest: Option<String>,
        /// All known names, as they are written.
        known: Vec<String>,
    },
    /// Settings that the guard does not take.
    Settings {
        /// The guard as it was asked for.
        asked: String,
        /// What it takes.
        reason: String,
    },
}

/// The stack that `spec` describes, with the settings of this configuration beneath it.
///
/// # Errors
/// A guard that nobody registered, or settings that it does not take.
pub fn stack(spec: &str, config: &Config, whisper: &Whisper) -> Result<Stack, BadStack> {
    Ok(Stack::new(members(spec, config, whisper)?))
}

/// The members of this stack, in order.
///
/// # Errors
/// As for [`stack`].
pub fn members(spec: &str, config: &Config, whisper: &Whisper) -> Result<Vec<Box<dyn Guard>>, BadStack> {
    let mut members = Vec::new();
    for asked in split(spec) {
        match asked {
            NONE => {}
            DEFAULT => {
                for row in REGISTRY.iter().filter(|row| row.by_default) {
                    members.push(make(row, config.of(row.name), row.name, whisper)?);
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
                members.push(make(row, settings, asked, whisper)?);
            }
        }
    }
    Ok(members)
}

const NONE: &str = "none";
/// The spec of the guards that are on unless others are named.
pub const DEFAULT: &str = "default";

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

fn make(
    row: &Registered,
    settings: Map<String, Value>,
    asked: &str,
    whisper: &Whisper,
) -> Result<Box<dyn Guard>, BadStack> {
    per_model(row, settings, whisper)
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

fn per_model(row: &Registered, mut settings: Map<String, Value>, whisper: &Whisper) -> Made {
    let enabled = settings.remove("enabled").map_or(Ok(true), serde_json::from_value)?;
    let rules: Vec<ModelRule> = settings.remove("models").map_or(Ok(Vec::new()), serde_json::from_value)?;
    let standard = (row.make)(settings.clone(), whisper)?;
    if enabled && rules.is_empty() {
        return Ok(standard);
    }
    let unless_off = |enabled: bool, guard: Box<dyn Guard>| if enabled { guard } else { Box::new(()) };
    let mut guard = PerModel::new(unless_off(enabled, standard)).named(row.name);
    for rule in rules {
        let settings = settings.clone().into_iter().chain(rule.settings).collect();
        let made = (row.make)(settings, whisper)?;
        guard = guard.with(&rule.pattern, unless_off(rule.enabled.unwrap_or(enabled), made));
    }
    Ok(Box::new(guard))
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

/// Every guard of ours and every variant, as they are written on the command line.
pub fn names() -> impl Iterator<Item = String> {
    spelled(REGISTRY)
}

/// These guards and their variants, as they are written on the command line.
pub fn spelled(rows: &'static [Registered]) -> impl Iterator<Item = String> {
    rows.iter().flat_map(|row| {
        let variants = row.variants.iter().map(|it| format!("{}={}", row.name, it.name));
        std::iter::once(row.name.to_owned()).chain(variants)
    })
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

impl fmt::Display for BadStack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { asked, nearest, known } => {
                write!(f, "unknown guard `{asked}`")?;
                if let Some(nearest) = nearest {
                    write!(f, "; did you mean `{nearest}`?")?;
                }
                write!(f, " known: {}", known.join(", "))
            }
            Self::Settings { asked, reason } => write!(f, "`{asked}`: {reason}"),
        }
    }
}

impl std::error::Error for BadStack {}

/// As a mistake on the command line.
impl From<BadStack> for Error {
    fn from(bad: BadStack) -> Self {
        match bad {
            BadStack::Unknown { asked, nearest, known } => {
                let known = known.join(", ");
                let hint = match nearest {
                    Some(nearest) => format!("did you mean `{nearest}`? known: {known}"),
                    None => format!("known: {known}"),
                };
                Self::usage("--guard", "a known guard", format!("`{asked}`")).hint(&hint)
            }
            BadStack::Settings { asked, reason } => {
                Self::usage("--guard", "settings that the guard takes", format!("`{asked}`")).hint(&reason)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(spec: &str, expected: &str) {
        let found = match stack(spec, &Config::default(), &Whisper::default()) {
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
