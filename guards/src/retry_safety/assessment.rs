//! Whether a broken attempt may be made again: a pure function of what was on offer and what was seen.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::policy::RetrySafetyPolicy;
use balk_contract::{AttemptCause, AttemptFacts, Effect, Offer};

/// Whether a broken attempt may be made again, and why (spec R5). The guard decides how often and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assessment {
    /// What to do.
    pub recommendation: Recommendation,
    /// Why.
    pub reason: Reason,
    /// Unknown facts that would allow a better answer.
    pub missing_provenance: Vec<Provenance>,
    /// The tool that is the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Arc<str>>,
}

/// What to do about a broken attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recommendation {
    /// Make it again, without asking.
    RetryAutomatically,
    /// Something may happen twice: ask first.
    AskUserBeforeRetry,
    /// The same request would fail again.
    DoNotRetry,
}

/// Why an attempt may be made again, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The provider rejected the request itself (spec R6).
    RequestRejected,
    /// A tool began to run whose effect is not known to be read-only (spec R4).
    UnsafeExecutionStarted,
    /// The provider runs a tool itself, where it cannot be seen whether it ran (spec R2, R4).
    ProviderExecutedTool,
    /// The effect of a tool on offer was never declared; only the policies that look at the offer use this reason.
    SideEffectFactsIncomplete,
    /// It is not known how far the attempt got.
    AttemptFactsIncomplete,
    /// No connection was established, so no request was sent.
    RequestNeverSent,
    /// It broke before the first sign of progress (spec R3).
    EarlyTransportFailure,
    /// The user saw text, and no call began.
    VisibleOutputOnly,
    /// The provider was working, and no tool ran.
    NoToolExecuted,
    /// Everything that ran is read-only.
    OnlyHarmlessExecutions,
}

/// An unknown fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Provenance {
    /// What a tool on offer can change.
    #[serde(rename = "side_effect.boundary_unknown")]
    BoundaryUnknown,
    /// Whether the provider ran a tool of its own.
    #[serde(rename = "provider.tool_execution_unseen")]
    ProviderExecutionUnseen,
    /// Whether a tool began to run.
    #[serde(rename = "attempt.tool_execution_unknown")]
    ToolExecutionUnknown,
    /// Which tool began to run.
    #[serde(rename = "attempt.started_tool_unknown")]
    StartedToolUnknown,
}

impl Reason {
    /// The recommendation for this reason.
    #[must_use]
    pub const fn recommendation(self) -> Recommendation {
        match self {
            Self::RequestRejected => Recommendation::DoNotRetry,
            Self::UnsafeExecutionStarted
            | Self::ProviderExecutedTool
            | Self::SideEffectFactsIncomplete
            | Self::AttemptFactsIncomplete => Recommendation::AskUserBeforeRetry,
            Self::RequestNeverSent
            | Self::EarlyTransportFailure
            | Self::VisibleOutputOnly
            | Self::NoToolExecuted
            | Self::OnlyHarmlessExecutions => Recommendation::RetryAutomatically,
        }
    }
}

/// Says whether an attempt that broke for this cause, after getting this far, may be made again.
///
/// The first rule that applies decides; all policies share the rules, except the fifth:
///
/// 1. The provider rejected the request itself: never.
/// 2. A tool began to run that is not known to be read-only: ask. A tool that is not on offer is unknown; if several
///    share a name, each must be read-only.
/// 3. No connection was established: the request was never sent, so not even the provider can have begun anything.
/// 4. The provider runs a tool of the offer itself: ask, whatever was seen and whatever the tool can change.
/// 5. A tool on offer has no declared effect: *conservative* asks; *fast-path* does too, unless it is known that
///    nothing began.
/// 6. It is not known whether a tool began to run: ask, unless every tool on offer is read-only.
/// 7. Otherwise nothing can happen twice.
#[must_use]
pub fn assess(
    policy: RetrySafetyPolicy,
    cause: AttemptCause,
    facts: &AttemptFacts,
    offer: &Offer,
) -> Assessment {
    let facts = known(cause, facts);
    if is_rejection(cause) {
        return plain(Reason::RequestRejected);
    }
    if let Some(started) = unsafe_execution(&facts, offer) {
        return started;
    }
    if cause == AttemptCause::Connect && facts.is_nothing() {
        return plain(Reason::RequestNeverSent);
    }
    if let Some(tool) = offer.tools().iter().find(|tool| tool.provider_executed) {
        let missing = vec![Provenance::ProviderExecutionUnseen];
        return because(Reason::ProviderExecutedTool, missing, Some(&tool.name));
    }
    let unknown = may_have_executed(&facts, offer).then_some(Provenance::ToolExecutionUnknown);
    if minds_the_offer(policy, &facts)
        && let Some(tool) = offer.tools().iter().find(|tool| tool.effect == Effect::Unknown)
    {
        let missing = [Provenance::BoundaryUnknown].into_iter().chain(unknown).collect();
        return because(Reason::SideEffectFactsIncomplete, missing, Some(&tool.name));
    }
    match unknown {
        Some(unknown) => because(Reason::AttemptFactsIncomplete, vec![unknown], None),
        None => plain(harmless(&facts)),
    }
}

fn plain(reason: Reason) -> Assessment {
    because(reason, Vec::new(), None)
}

fn because(reason: Reason, missing_provenance: Vec<Provenance>, tool: Option<&Arc<str>>) -> Assessment {
    Assessment { recommendation: reason.recommendation(), reason, missing_provenance, tool: tool.cloned() }
}

/// A 4xx status means that the request is at fault, with three exceptions: 408 (timeout), 409 (conflict with another
/// request), 429 (too early).
fn is_rejection(cause: AttemptCause) -> bool {
    match cause {
        AttemptCause::Status { code: 408 | 409 | 429, .. } => false,
        AttemptCause::Status { code, .. } => (400..500).contains(&code),
        AttemptCause::Empty | AttemptCause::Connect | AttemptCause::TimedOut | AttemptCause::Disconnected => {
            false
        }
    }
}

/// The facts with their consequences: if a step was not taken, an unknown later step was not taken either. Without a
/// connection there is no first step. What was seen is kept, even if it contradicts this order.
pub(super) fn known(cause: AttemptCause, facts: &AttemptFacts) -> AttemptFacts {
    let after = |before: Option<bool>, step: Option<bool>| step.or(before.filter(|&taken| !taken));
    let connected = (cause == AttemptCause::Connect).then_some(false);
    let provider_progress = after(connected, facts.provider_progress);
    let tool_input_started = after(provider_progress, facts.tool_input_started);
    let tool_call_materialized = after(tool_input_started, facts.tool_call_materialized);
    let tool_execution_started = match facts.started.is_empty() {
        true => after(tool_call_materialized, facts.tool_execution_started),
        false => Some(true),
    };
    AttemptFacts {
        provider_progress,
        visible_output: after(provider_progress, facts.visible_output),
        tool_input_started,
        tool_call_materialized,
        tool_execution_started,
        unsafe_side_effect_started: after(tool_execution_started, facts.unsafe_side_effect_started),
        started: facts.started.clone(),
    }
}

/// The tools of an offer that are known to be read-only, by either kind of name. If several tools have a name, it is
/// not known which one is meant, so all of them have to be.
pub(super) struct ReadOnly<'o>(BTreeMap<&'o str, bool>);

impl<'o> ReadOnly<'o> {
    pub(super) fn of(offer: &'o Offer) -> Self {
        let mut all = BTreeMap::new();
        for tool in offer.tools() {
            for name in [&*tool.name, &*tool.original] {
                *all.entry(name).or_insert(true) &= tool.effect == Effect::ReadOnly;
            }
        }
        Self(all)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.get(name) == Some(&true)
    }
}

fn unsafe_execution(facts: &AttemptFacts, offer: &Offer) -> Option<Assessment> {
    let reason = Reason::UnsafeExecutionStarted;
    if !facts.started.is_empty() {
        let read_only = ReadOnly::of(offer);
        if let Some(tool) = facts.started.iter().find(|tool| !read_only.has(tool)) {
            return Some(because(reason, Vec::new(), Some(tool)));
        }
    }
    // A tool that ran without being named need not even be on offer.
    let unnamed = facts.tool_execution_started == Some(true) && facts.started.is_empty();
    let is_unsafe = facts.unsafe_side_effect_started.unwrap_or(unnamed);
    is_unsafe.then(|| because(reason, vec![Provenance::StartedToolUnknown], None))
}

/// Whether a tool may have run that is not known to be read-only. Those that are known to have run are read-only.
fn may_have_executed(facts: &AttemptFacts, offer: &Offer) -> bool {
    facts.tool_execution_started.is_none()
        && facts.unsafe_side_effect_started.is_none()
        && offer.tools().iter().any(|tool| tool.effect != Effect::ReadOnly)
}

fn minds_the_offer(policy: RetrySafetyPolicy, facts: &AttemptFacts) -> bool {
    match policy {
        RetrySafetyPolicy::Conservative => true,
        RetrySafetyPolicy::FastPath => !facts.is_nothing(),
        RetrySafetyPolicy::Facts => false,
    }
}

fn harmless(facts: &AttemptFacts) -> Reason {
    let called = facts.tool_input_started == Some(true) || facts.tool_call_materialized == Some(true);
    if facts.is_nothing() {
        Reason::EarlyTransportFailure
    } else if facts.tool_execution_started != Some(false) {
        Reason::OnlyHarmlessExecutions
    } else if facts.visible_output == Some(true) && !called {
        Reason::VisibleOutputOnly
    } else {
        Reason::NoToolExecuted
    }
}
