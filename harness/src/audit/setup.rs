//! The guards and settings with which the audit looks for rungs.

use balk_guards::rules::Step;
use balk_scenarios::Kind;

use super::reach::Row;
use crate::guards::{BadStack, Config, Recipe, Registered, Registry};

/// Settings of a scenario, as `--set` takes them.
pub type Sets = &'static [(&'static str, &'static str)];

/// A stack, and the scenarios that it runs on.
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
    /// Whether the stack runs on this scenario. Worlds that are drawn take no settings.
    pub(super) fn meets(&self, name: &str, kind: Kind, is_drawn: bool) -> bool {
        match self.of {
            Of::Every => true,
            Of::Stubborn => kind == Kind::Stubborn && !is_drawn,
            Of::One(wanted) => wanted == name,
        }
    }
}

/// All setups: the audited guards unchanged, and with models that ignore every message, because these reach the top
/// of a ladder; each of them alone, and each variant; and what some of their rungs need in addition.
///
/// # Errors
/// A guard that is not registered, or settings that it does not accept.
pub(super) fn setups(registry: &Registry, audited: &str, config: &Config) -> Result<Vec<Setup>, BadStack> {
    let setup = |spec: &str, sets, of| Ok(Setup { stack: Recipe::new(registry, spec, config)?, sets, of });
    let stack = Recipe::new(registry, audited, config)?;
    let has = |name: &str| stack.names().any(|it| it == name);
    let alone = registry.audited().filter(|guard| has(guard.name())).flat_map(Registered::spelled);
    let alone = alone.map(|spec| setup(&spec, &[], Of::Every));
    let beyond = BEYOND.iter().filter(|(spec, ..)| has(spec.split('{').next().unwrap_or_default()));
    let beyond = beyond.map(|&(spec, name, sets)| setup(spec, sets, Of::One(name)));
    let first = [setup(audited, &[], Of::Every), setup(audited, DEAF, Of::Stubborn)];
    first.into_iter().chain(alone).chain(beyond).collect()
}

/// Settings for a model that ignores every message.
const DEAF: Sets = &[("response.stubbornness", "1/1")];

/// Guards, a scenario and its settings for rungs that few or no runs reach otherwise.
const BEYOND: &[(&str, &str, Sets)] = &[
    ("no-tools{message=\"Use a tool.\"}", "text-only", &[]),
    ("no-tools{questions=1}", "text-only", DEAF),
    // Corrections without a limit: the stack's budget intervenes.
    ("no-tools{limit=20}", "text-only", DEAF),
    ("empty-completion", "transient-empty", &[("actor.mute", "1/1")]),
    ("empty-completion", "truncated", &[("actor.tells", "1/1"), ("response.stubbornness", "1/1")]),
    // A provider that refuses permanently, asks for a long wait, or stops after its first word.
    ("retry-safety", "outage", &[("actor.state.down.break.1.status", "400")]),
    ("retry-safety", "rate-limited", &[("numbers.pause.from", "90000"), ("numbers.pause.to", "99000")]),
    (
        "retry-safety",
        "slow-stream",
        &[("actor.stalls", "1/1"), ("actor.state.read_more.break.0.until", "99")],
    ),
    ("retry-safety", "broken-after-output", &[("actor.again", "1/1")]),
    ("retry-safety{questions=0}", "broken-while-writing", &[]),
    // Words and requests vary, so few are refused three times in the same way.
    ("progress{refused-ends=2}", "finish-storm", DEAF),
    // A model that repeats an action whatever it is told.
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
    // A job that reports progress and never ends.
    (
        "progress",
        "ignores-everything",
        &[
            ("phrases.held.any", "[\"{job.what}: pending (as of {clock})\"]"),
            ("response.stubbornness", "1/1"),
        ],
    ),
    // Cases that other guards, or other rules of this one, notice sooner.
    ("progress", "finish-storm", DEAF),
    ("progress", "text-only", DEAF),
    ("progress{grown-calls=0}", "self-growing-command", DEAF),
    ("progress{grown-calls=2}", "self-growing-command", &[]),
    ("progress{same-texts=1}", "text-only", DEAF),
    // Drawn worlds take no settings, so fewer tries must do.
    ("progress{rewrites=1}", "drawn/plans-again", &[]),
    ("progress{persisting-failures=1}", "drawn/same-assertion", &[]),
];

/// Why no trial can reach this rung, and where it is tested instead.
#[must_use]
pub fn beyond_trials(row: &Row) -> Option<&'static str> {
    let is = |(guard, rule, step, _): &&(&str, &str, Option<Step>, &str)| {
        **guard == *row.guard && *rule == row.rule && step.is_none_or(|step| step == row.step)
    };
    OUTSIDE.iter().find(is).map(|(.., why)| *why)
}

/// Why these models never get so far.
const MOVED: &str = "drawn worlds take no settings, and their models are moved before; see \
                     guards/tests/all/progress_rules.rs";

/// A guard, a rule, and one step of it or all.
const OUTSIDE: &[(&str, &str, Option<Step>, &str)] = &[
    (
        "retry-safety",
        "attempt-facts-incomplete",
        None,
        "the engine knows all facts about an attempt; see guards/tests/all/retry_safety.rs",
    ),
    ("progress", "rewriting", Some(Step::Stop), MOVED),
    ("progress", "persisting-failure", Some(Step::Stop), MOVED),
];
