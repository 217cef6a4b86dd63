//! The scenarios that come with Balk, embedded in the binary.

use crate::format::{self, Diagnostics};
use crate::scenario::{Kind, Scenario};
use crate::toolsets;

/// A scenario of the catalogue, not yet parsed.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// Its name.
    pub name: &'static str,
    /// Whether its actor balks.
    pub kind: Kind,
    /// The path below `scenarios/`, for messages.
    pub file: &'static str,
    /// The file's text.
    pub text: &'static str,
}

macro_rules! listed {
    ($kind:ident, $folder:literal, $name:literal) => {
        Listed {
            name: $name,
            kind: Kind::$kind,
            file: concat!("catalog/", $folder, "/", $name, ".toml"),
            text: include_str!(concat!("../catalog/", $folder, "/", $name, ".toml")),
        }
    };
}

/// The catalogue: each stubborn scenario, followed by its twin unless an earlier scenario has the same twin. At the
/// end, controls for healthy work that no stubborn scenario imitates.
pub const CATALOGUE: &[Listed] = &[
    listed!(Stubborn, "stubborn", "abandonment"),
    listed!(Control, "control", "explains-code"),
    listed!(Stubborn, "stubborn", "repeating"),
    listed!(Control, "control", "test-edit-test"),
    listed!(Stubborn, "stubborn", "text-only"),
    listed!(Control, "control", "asks-a-question"),
    listed!(Stubborn, "stubborn", "text-only-chat"),
    listed!(Control, "control", "answers-in-text"),
    listed!(Stubborn, "stubborn", "repeating-success"),
    listed!(Control, "control", "polling-with-changing-output"),
    listed!(Stubborn, "stubborn", "near-duplicate-writer"),
    listed!(Control, "control", "fix-and-rewrite"),
    listed!(Stubborn, "stubborn", "over-compliant"),
    listed!(Control, "control", "parallel-fan-out"),
    listed!(Stubborn, "stubborn", "probe-listing"),
    listed!(Control, "control", "dialogue"),
    listed!(Stubborn, "stubborn", "transient-empty"),
    listed!(Control, "control", "short-answer"),
    listed!(Stubborn, "stubborn", "thinking-only"),
    listed!(Control, "control", "thinking-then-answer"),
    listed!(Stubborn, "stubborn", "truncated"),
    listed!(Control, "control", "batch-of-files"),
    listed!(Stubborn, "stubborn", "relapsing"),
    listed!(Control, "control", "reread-after-write"),
    listed!(Stubborn, "stubborn", "ignores-everything"),
    listed!(Control, "control", "waiting-with-unchanged-output"),
    listed!(Stubborn, "stubborn", "broken-before-progress"),
    listed!(Control, "control", "one-hiccup"),
    listed!(Stubborn, "stubborn", "broken-after-output"),
    listed!(Control, "control", "slow-stream"),
    listed!(Stubborn, "stubborn", "broken-while-writing"),
    listed!(Stubborn, "stubborn", "provider-executed"),
    listed!(Stubborn, "stubborn", "rate-limited"),
    listed!(Stubborn, "stubborn", "outage"),
    listed!(Stubborn, "stubborn", "capability-gap"),
    listed!(Control, "control", "unusual-tool"),
    listed!(Stubborn, "stubborn", "missing-path"),
    listed!(Control, "control", "path-found-elsewhere"),
    listed!(Stubborn, "stubborn", "malformed-arguments"),
    listed!(Control, "control", "corrects-its-call"),
    listed!(Stubborn, "stubborn", "stale-error"),
    listed!(Control, "control", "partial-work-then-limit"),
    listed!(Stubborn, "stubborn", "alternating"),
    listed!(Control, "control", "shared-board"),
    listed!(Stubborn, "stubborn", "long-cycle"),
    listed!(Control, "control", "slow-steady-progress"),
    listed!(Stubborn, "stubborn", "varied-args-same-error"),
    listed!(Control, "control", "diagnosing"),
    listed!(Stubborn, "stubborn", "successful-no-op"),
    listed!(Control, "control", "user-asks-again"),
    listed!(Stubborn, "stubborn", "volatile-output-loop"),
    listed!(Control, "control", "long-build"),
    listed!(Stubborn, "stubborn", "read-only-loop"),
    listed!(Control, "control", "debugger-stepping"),
    listed!(Stubborn, "stubborn", "page-by-page-again"),
    listed!(Control, "control", "paging"),
    listed!(Stubborn, "stubborn", "undo-redo"),
    listed!(Stubborn, "stubborn", "monologue"),
    listed!(Control, "control", "repetitive-table"),
    listed!(Stubborn, "stubborn", "refused-replies"),
    listed!(Control, "control", "batch-with-errors"),
    listed!(Stubborn, "stubborn", "unknown-tool"),
    listed!(Control, "control", "many-distinct-fetches"),
    listed!(Stubborn, "stubborn", "invalid-arguments"),
    listed!(Control, "control", "systematic-candidates"),
    listed!(Stubborn, "stubborn", "finish-storm"),
    listed!(Control, "control", "honest-empty-search"),
    listed!(Stubborn, "stubborn", "self-growing-command"),
    listed!(Control, "control", "membership-checks"),
    listed!(Control, "control", "retry-after-transport-failure"),
];

/// The scenario of this name, if the catalogue has it.
#[must_use]
pub fn find(name: &str) -> Option<&'static Listed> {
    CATALOGUE.iter().find(|it| it.name == name)
}

impl Listed {
    /// Parses it, with these settings in place of the file's values.
    ///
    /// # Errors
    /// The file does not have a setting, or has a value of another type. Without settings there are no errors: a
    /// test parses every file.
    pub fn read(&self, sets: &[(String, String)]) -> Result<Scenario, Diagnostics> {
        format::parse(self.file, self.text, toolsets::catalogue(), sets)
    }
}
