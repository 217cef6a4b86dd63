//! Under which guards and settings rungs are looked for.

use balk_scenarios::Kind;

use super::reach::Row;
use crate::guards::{BadStack, Config, Recipe, Registered, Registry};

/// Settings of a scenario, as `--set` takes them.
pub type Sets = &'static [(&'static str, &'static str)];

/// A stack, and which scenarios it meets.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    pub(super) stack: Recipe,
    pub(super) sets: Sets,
    of: Of,
}

#[derive(Clone, Copy, Debug)]
enum Of {
    Every,
    Stubborn,
    One(&'static str),
}

impl Setup {
    pub(super) fn meets(&self, name: &str, kind: Kind) -> bool {
        match self.of {
            Of::Every => true,
            Of::Stubborn => kind == Kind::Stubborn,
            Of::One(wanted) => wanted == name,
        }
    }
}

/// All of them: the audited guards as they stand, and before models that nothing moves, for these come to the top
/// of a ladder; each guard alone, and each variant; and what some rungs take beyond that.
///
/// # Errors
/// A guard that is not registered, or settings that it does not take.
pub(super) fn setups(registry: &Registry, audited: &str, config: &Config) -> Result<Vec<Setup>, BadStack> {
    let setup = |spec: &str, sets, of| Ok(Setup { stack: Recipe::new(registry, spec, config)?, sets, of });
    let alone = registry.audited().flat_map(Registered::spelled);
    let alone = alone.map(|spec| setup(&spec, &[], Of::Every));
    let beyond = BEYOND.iter().map(|&(spec, name, sets)| setup(spec, sets, Of::One(name)));
    let first = [setup(audited, &[], Of::Every), setup(audited, DEAF, Of::Stubborn)];
    first.into_iter().chain(alone).chain(beyond).collect()
}

/// Nothing that is said moves such a model.
const DEAF: Sets = &[("response.stubbornness", "1/1")];

/// Guards, a scenario and settings of it for rungs that nothing comes to as it stands, or few runs do.
const BEYOND: &[(&str, &str, Sets)] = &[
    ("no-tools{message=\"Use a tool.\"}", "text-only", &[]),
    ("no-tools{questions=1}", "text-only", DEAF),
    // Corrections without end: the stack's budget steps in.
    ("no-tools{limit=20}", "text-only", DEAF),
    ("empty-completion", "transient-empty", &[("actor.mute", "1/1")]),
    ("empty-completion", "truncated", &[("actor.tells", "1/1"), ("response.stubbornness", "1/1")]),
    // A provider that refuses for good, wants to be asked much later, or is silent after its first word.
    ("retry-safety", "outage", &[("actor.state.down.break.1.status", "400")]),
    ("retry-safety", "rate-limited", &[("numbers.pause.from", "90000"), ("numbers.pause.to", "99000")]),
    ("retry-safety", "slow-stream", &[("actor.stalls", "1/1"), ("actor.state.read_more.break.0.until", "9")]),
    ("retry-safety", "broken-after-output", &[("actor.again", "1/1")]),
    ("retry-safety{budget=0}", "one-hiccup", &[]),
    // Words and wishes vary, so few are refused three times in the same way.
    ("progress{refused-ends=2}", "finish-storm", DEAF),
    // Who does a thing again whatever is said about it.
    (
        "retry-safety",
        "broken-while-writing",
        &[
            ("actor.forgets", "1/1"),
            ("actor.state.again.next.0.to", "again"),
            ("actor.state.again.next.4.to", "again"),
            ("response.stubbornness", "1/1"),
        ],
    ),
    // A job of which is said that it goes on, and that never ends.
    (
        "progress",
        "ignores-everything",
        &[
            ("phrases.held.any", "[\"{job.what}: pending (as of {clock})\"]"),
            ("response.stubbornness", "1/1"),
        ],
    ),
    // What other guards, or other rules of this one, are quicker to see.
    ("progress", "finish-storm", DEAF),
    ("progress", "text-only", DEAF),
    ("progress{grown-calls=0}", "self-growing-command", DEAF),
];

/// Why no trial can come to this rung, and where it is tested instead.
#[must_use]
pub fn beyond_trials(row: &Row) -> Option<&'static str> {
    let is = |(guard, rule, _): &&(&str, &str, &str)| **guard == *row.guard && *rule == row.rule;
    OUTSIDE.iter().find(is).map(|(.., why)| *why)
}

const OUTSIDE: &[(&str, &str, &str)] = &[(
    "retry-safety",
    "attempt-facts-incomplete",
    "the engine knows all facts about an attempt; see guards/tests/all/retry_safety.rs",
)];
