//! The guards that can be named on the command line, in one table.

use std::sync::Arc;

use balk_guards::rules::{self, Rule};
use balk_guards::{
    Abandonment, AbandonmentSettings, Duplicate, DuplicateSettings, EmptyCompletion, EmptyCompletionSettings,
    Guard, Handoff, HandoffSettings, NoTools, NoToolsSettings, Progress, ProgressSettings, RetrySafety,
    RetrySafetySettings,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::engine::{Oracle, TruthChannel};

pub use bad::BadStack;
pub use peers::PEERS;
pub use recipe::{Config, DEFAULT, NONE, Recipe, about, members, stack};

mod bad;
mod peers;
mod recipe;

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
    /// Reads settings into what makes a guard.
    pub read: fn(Map<String, Value>) -> Result<Maker, serde_json::Error>,
}

/// Makes a new guard, as often as one is wanted; the whisper is for the oracle alone.
pub type Maker = Arc<dyn Fn(&TruthChannel) -> Box<dyn Guard> + Send + Sync>;

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
        read: |settings| maker(settings, Abandonment::new),
    },
    Registered {
        name: "no-tools",
        about: "announces and does not act: corrections up to a limit, then a question, then the end",
        by_default: true,
        variants: &[],
        rules: rules::NO_TOOLS,
        off: &[],
        defaults: settings_of::<NoToolsSettings>,
        read: |settings| maker(settings, NoTools::new),
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
        read: |settings| maker(settings, Duplicate::new),
    },
    Registered {
        name: "empty-completion",
        about: "nothing came, or was cut off: the request again, or a hint to make it smaller",
        by_default: true,
        variants: &[],
        rules: rules::EMPTY_COMPLETION,
        off: &[],
        defaults: settings_of::<EmptyCompletionSettings>,
        read: |settings| maker(settings, EmptyCompletion::new),
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
        read: |settings| maker(settings, RetrySafety::new),
    },
    Registered {
        name: "handoff",
        about: "a run ends without its goal: what is missing, what was tried, what a person can do",
        by_default: true,
        variants: &[],
        rules: rules::HANDOFF,
        off: &[],
        defaults: settings_of::<HandoffSettings>,
        read: |settings| maker(settings, Handoff::new),
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
        read: |settings| maker(settings, Progress::new),
    },
    Registered {
        name: "oracle",
        about: "is told the truth and says everything that can help: what could be recovered at all",
        by_default: false,
        variants: &[],
        rules: &[],
        off: &[],
        defaults: Map::new,
        read: |settings| {
            read::<NoSettings>(settings)?;
            Ok(Arc::new(|whisper| Box::new(Oracle::new(whisper.clone()))))
        },
    },
];

/// All that can be named: our guards, then what they are compared with.
pub fn rows() -> impl Iterator<Item = &'static Registered> {
    REGISTRY.iter().chain(PEERS)
}

/// The stacks that a bench measures where none is named: the default one, the oracle, and every peer.
#[must_use]
pub fn benched() -> Vec<String> {
    let others = rows().filter(|row| !row.by_default).map(|row| row.name);
    std::iter::once(DEFAULT).chain(others).map(str::to_owned).collect()
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

/// What makes guards with these settings.
fn maker<S, G>(settings: Map<String, Value>, new: fn(S) -> G) -> Result<Maker, serde_json::Error>
where
    S: DeserializeOwned + Clone + Send + Sync + 'static,
    G: Guard + 'static,
{
    let settings: S = read(settings)?;
    Ok(Arc::new(move |_| Box::new(new(settings.clone()))))
}

fn read<T: DeserializeOwned>(settings: Map<String, Value>) -> Result<T, serde_json::Error> {
    serde_json::from_value(Value::Object(settings))
}
