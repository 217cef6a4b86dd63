//! The scenarios that come with Balk, embedded in the binary.

use balk_contract::record::Suite;

use crate::format::{Diagnostics, Document};
use crate::scenario::{Kind, Scenario};
use crate::toolsets;

/// A scenario that comes with Balk, not yet parsed.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// Its name.
    pub name: &'static str,
    /// Whether its actor balks.
    pub kind: Kind,
    /// The suite it belongs to.
    pub suite: Suite,
    /// The path below `scenarios/`, for messages.
    pub file: &'static str,
    /// The file's text.
    pub text: &'static str,
}

/// How one scenario of a file is listed.
macro_rules! listed {
    ($file:literal, $kind:ident, $name:literal) => {
        listed!(Written, "catalog/", $file, $kind, $name)
    };
    ($suite:ident, $folder:literal, $file:literal, $kind:ident, $name:literal) => {
        Listed {
            name: $name,
            kind: Kind::$kind,
            suite: Suite::$suite,
            file: concat!($folder, $file, ".toml"),
            text: include_str!(concat!("../", $folder, $file, ".toml")),
        }
    };
}

/// The two scenarios of a file of the field suite.
macro_rules! of_field {
    ($file:literal, $healthy:literal) => {
        [listed!(Field, "field/", $file, Stubborn, $file), listed!(Field, "field/", $file, Control, $healthy)]
    };
}

/// The catalogue, file by file: a stubborn scenario and its healthy twin in the same world. At the end, controls for
/// healthy work that no stubborn scenario imitates.
pub const CATALOGUE: &[Listed] = &[
    listed!("abandonment", Stubborn, "abandonment"),
    listed!("explains-code", Control, "explains-code"),
    listed!("repeating", Stubborn, "repeating"),
    listed!("test-edit-test", Control, "test-edit-test"),
    listed!("text-only", Stubborn, "text-only"),
    listed!("text-only", Control, "asks-a-question"),
    listed!("text-only-chat", Stubborn, "text-only-chat"),
    listed!("answers-in-text", Control, "answers-in-text"),
    listed!("repeating-success", Stubborn, "repeating-success"),
    listed!("repeating-success", Control, "polling-with-changing-output"),
    listed!("near-duplicate-writer", Stubborn, "near-duplicate-writer"),
    listed!("fix-and-rewrite", Control, "fix-and-rewrite"),
    listed!("over-compliant", Stubborn, "over-compliant"),
    listed!("over-compliant", Control, "parallel-fan-out"),
    listed!("probe-listing", Stubborn, "probe-listing"),
    listed!("dialogue", Control, "dialogue"),
    listed!("transient-empty", Stubborn, "transient-empty"),
    listed!("transient-empty", Control, "short-answer"),
    listed!("thinking-only", Stubborn, "thinking-only"),
    listed!("thinking-only", Control, "thinking-then-answer"),
    listed!("truncated", Stubborn, "truncated"),
    listed!("truncated", Control, "batch-of-files"),
    listed!("relapsing", Stubborn, "relapsing"),
    listed!("relapsing", Control, "reread-after-write"),
    listed!("ignores-everything", Stubborn, "ignores-everything"),
    listed!("ignores-everything", Control, "waiting-with-unchanged-output"),
    listed!("broken-before-progress", Stubborn, "broken-before-progress"),
    listed!("broken-before-progress", Control, "one-hiccup"),
    listed!("broken-after-output", Stubborn, "broken-after-output"),
    listed!("broken-after-output", Control, "slow-stream"),
    listed!("broken-while-writing", Stubborn, "broken-while-writing"),
    listed!("provider-executed", Stubborn, "provider-executed"),
    listed!("rate-limited", Stubborn, "rate-limited"),
    listed!("outage", Stubborn, "outage"),
    listed!("capability-gap", Stubborn, "capability-gap"),
    listed!("unusual-tool", Control, "unusual-tool"),
    listed!("missing-path", Stubborn, "missing-path"),
    listed!("path-found-elsewhere", Control, "path-found-elsewhere"),
    listed!("malformed-arguments", Stubborn, "malformed-arguments"),
    listed!("corrects-its-call", Control, "corrects-its-call"),
    listed!("stale-error", Stubborn, "stale-error"),
    listed!("partial-work-then-limit", Control, "partial-work-then-limit"),
    listed!("alternating", Stubborn, "alternating"),
    listed!("shared-board", Control, "shared-board"),
    listed!("long-cycle", Stubborn, "long-cycle"),
    listed!("slow-steady-progress", Control, "slow-steady-progress"),
    listed!("varied-args-same-error", Stubborn, "varied-args-same-error"),
    listed!("diagnosing", Control, "diagnosing"),
    listed!("successful-no-op", Stubborn, "successful-no-op"),
    listed!("user-asks-again", Control, "user-asks-again"),
    listed!("volatile-output-loop", Stubborn, "volatile-output-loop"),
    listed!("long-build", Control, "long-build"),
    listed!("read-only-loop", Stubborn, "read-only-loop"),
    listed!("debugger-stepping", Control, "debugger-stepping"),
    listed!("page-by-page-again", Stubborn, "page-by-page-again"),
    listed!("paging", Control, "paging"),
    listed!("undo-redo", Stubborn, "undo-redo"),
    listed!("monologue", Stubborn, "monologue"),
    listed!("repetitive-table", Control, "repetitive-table"),
    listed!("refused-replies", Stubborn, "refused-replies"),
    listed!("batch-with-errors", Control, "batch-with-errors"),
    listed!("unknown-tool", Stubborn, "unknown-tool"),
    listed!("many-distinct-fetches", Control, "many-distinct-fetches"),
    listed!("invalid-arguments", Stubborn, "invalid-arguments"),
    listed!("systematic-candidates", Control, "systematic-candidates"),
    listed!("finish-storm", Stubborn, "finish-storm"),
    listed!("honest-empty-search", Control, "honest-empty-search"),
    listed!("self-growing-command", Stubborn, "self-growing-command"),
    listed!("membership-checks", Control, "membership-checks"),
    listed!("retry-after-transport-failure", Control, "retry-after-transport-failure"),
];

/// The field suite: pairs that follow reports of people outside this project. No guard may be tuned on them.
pub const FIELD: &[Listed] = [
    of_field!("asks-again", "asks-again-control"),
    of_field!("call-as-text", "call-as-text-control"),
    of_field!("cut-write", "cut-write-control"),
    of_field!("dead-registry", "dead-registry-control"),
    of_field!("poll-dead-job", "poll-dead-job-control"),
    of_field!("replans", "replans-control"),
    of_field!("same-assertion", "same-assertion-control"),
    of_field!("todo-flip", "todo-flip-control"),
]
.as_flattened();

/// All scenarios that come with Balk: the catalogue, then the field suite.
pub fn listed() -> impl Iterator<Item = &'static Listed> {
    CATALOGUE.iter().chain(FIELD)
}

/// The scenario of this name, if it comes with Balk.
#[must_use]
pub fn find(name: &str) -> Option<&'static Listed> {
    listed().find(|it| it.name == name)
}

impl Listed {
    /// Parses it, with these settings in place of the file's values.
    ///
    /// # Errors
    /// The file does not have a setting, or has a value of another type. Without settings there are no errors: a
    /// test parses every file.
    pub fn read(&self, sets: &[(String, String)]) -> Result<Scenario, Diagnostics> {
        Document::new(self.file, self.text, self.kind, sets)?.scenario(toolsets::catalogue())
    }
}
