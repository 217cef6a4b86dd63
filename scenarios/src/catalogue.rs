//! The scenarios that come with Balk, embedded in the binary.

use std::sync::Arc;

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

/// The catalogue, file by file: a stubborn scenario and its healthy twin in the same world, or healthy work in a world
/// of its own.
pub const CATALOGUE: &[Listed] = &[
    listed!("abandonment", Stubborn, "abandonment"),
    listed!("abandonment", Control, "abandonment-control"),
    listed!("sentence-before-fences", Stubborn, "sentence-before-fences"),
    listed!("sentence-before-fences", Control, "sentence-before-fences-control"),
    listed!("same-write-on-proceed", Stubborn, "same-write-on-proceed"),
    listed!("same-write-on-proceed", Control, "same-write-on-proceed-control"),
    listed!("fence-after-two", Stubborn, "fence-after-two"),
    listed!("fence-after-two", Control, "fence-after-two-control"),
    listed!("explains-code", Control, "explains-code"),
    listed!("repeating", Stubborn, "repeating"),
    listed!("repeating", Control, "repeating-control"),
    listed!("test-edit-test", Control, "test-edit-test"),
    listed!("text-only", Stubborn, "text-only"),
    listed!("text-only", Control, "asks-a-question"),
    listed!("text-only-chat", Stubborn, "text-only-chat"),
    listed!("text-only-chat", Control, "text-only-chat-control"),
    listed!("answers-in-text", Control, "answers-in-text"),
    listed!("repeating-success", Stubborn, "repeating-success"),
    listed!("repeating-success", Control, "polling-with-changing-output"),
    listed!("near-duplicate-writer", Stubborn, "near-duplicate-writer"),
    listed!("near-duplicate-writer", Control, "near-duplicate-writer-control"),
    listed!("fix-and-rewrite", Control, "fix-and-rewrite"),
    listed!("over-compliant", Stubborn, "over-compliant"),
    listed!("over-compliant", Control, "parallel-fan-out"),
    listed!("probe-listing", Stubborn, "probe-listing"),
    listed!("probe-listing", Control, "probe-listing-control"),
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
    listed!("broken-while-writing", Control, "broken-while-writing-control"),
    listed!("provider-executed", Stubborn, "provider-executed"),
    listed!("provider-executed", Control, "provider-executed-control"),
    listed!("rate-limited", Stubborn, "rate-limited"),
    listed!("rate-limited", Control, "rate-limited-control"),
    listed!("outage", Stubborn, "outage"),
    listed!("outage", Control, "outage-control"),
    listed!("capability-gap", Stubborn, "capability-gap"),
    listed!("capability-gap", Control, "capability-gap-control"),
    listed!("unusual-tool", Control, "unusual-tool"),
    listed!("missing-path", Stubborn, "missing-path"),
    listed!("missing-path", Control, "missing-path-control"),
    listed!("malformed-arguments", Stubborn, "malformed-arguments"),
    listed!("malformed-arguments", Control, "corrects-its-call"),
    listed!("stale-error", Stubborn, "stale-error"),
    listed!("stale-error", Control, "stale-error-control"),
    listed!("partial-work-then-limit", Control, "partial-work-then-limit"),
    listed!("alternating", Stubborn, "alternating"),
    listed!("alternating", Control, "alternating-control"),
    listed!("shared-board", Control, "shared-board"),
    listed!("long-cycle", Stubborn, "long-cycle"),
    listed!("long-cycle", Control, "long-cycle-control"),
    listed!("slow-steady-progress", Control, "slow-steady-progress"),
    listed!("varied-args-same-error", Stubborn, "varied-args-same-error"),
    listed!("varied-args-same-error", Control, "varied-args-same-error-control"),
    listed!("diagnosing", Control, "diagnosing"),
    listed!("successful-no-op", Stubborn, "successful-no-op"),
    listed!("successful-no-op", Control, "successful-no-op-control"),
    listed!("user-asks-again", Control, "user-asks-again"),
    listed!("volatile-output-loop", Stubborn, "volatile-output-loop"),
    listed!("volatile-output-loop", Control, "volatile-output-loop-control"),
    listed!("long-build", Control, "long-build"),
    listed!("read-only-loop", Stubborn, "read-only-loop"),
    listed!("read-only-loop", Control, "path-found-elsewhere"),
    listed!("debugger-stepping", Control, "debugger-stepping"),
    listed!("page-by-page-again", Stubborn, "page-by-page-again"),
    listed!("page-by-page-again", Control, "page-by-page-again-control"),
    listed!("paging", Control, "paging"),
    listed!("empty-pages", Stubborn, "empty-pages"),
    listed!("empty-pages", Control, "empty-pages-control"),
    listed!("undo-redo", Stubborn, "undo-redo"),
    listed!("undo-redo", Control, "undo-redo-control"),
    listed!("monologue", Stubborn, "monologue"),
    listed!("monologue", Control, "monologue-control"),
    listed!("repetitive-table", Control, "repetitive-table"),
    listed!("chanting", Stubborn, "chanting"),
    listed!("chanting", Control, "chanting-control"),
    listed!("refused-replies", Stubborn, "refused-replies"),
    listed!("refused-replies", Control, "refused-replies-control"),
    listed!("batch-with-errors", Control, "batch-with-errors"),
    listed!("unknown-tool", Stubborn, "unknown-tool"),
    listed!("unknown-tool", Control, "many-distinct-fetches"),
    listed!("invalid-arguments", Stubborn, "invalid-arguments"),
    listed!("invalid-arguments", Control, "invalid-arguments-control"),
    listed!("systematic-candidates", Control, "systematic-candidates"),
    listed!("finish-storm", Stubborn, "finish-storm"),
    listed!("finish-storm", Control, "honest-empty-search"),
    listed!("self-growing-command", Stubborn, "self-growing-command"),
    listed!("self-growing-command", Control, "membership-checks"),
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
    pub fn read(&self, sets: &[(String, String)]) -> Result<Arc<Scenario>, Diagnostics> {
        Document::new(self.file, self.text, self.kind, sets)?.scenario(toolsets::catalogue())
    }
}
