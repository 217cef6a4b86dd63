//! The last failed attempt, and what may have taken effect in it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use balk_contract::{AttemptCause, AttemptFailure, Effect, Offer, Tool};

/// How many tools are kept; no recorded completion calls more that change things.
const EFFECTIVE: usize = 8;

/// An attempt that returned no completion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Broken {
    pub(super) cause: String,
    /// Whether it is known that nothing ran.
    pub(super) nothing_ran: bool,
    /// The first tools that may have taken effect.
    pub(super) effective: Vec<Arc<str>>,
    /// Whether another, unknown tool may have taken effect.
    pub(super) may_be_another: bool,
    /// Whether a guard ended the run because of it, and said so.
    pub(super) told: bool,
}

impl Broken {
    pub(super) fn new(cause: String, failure: &AttemptFailure, offer: &Offer) -> Self {
        let facts = &failure.facts;
        let acts = |tool: &Tool| tool.effect != Effect::ReadOnly;
        // If no request was sent, the provider ran nothing, and nothing began unseen.
        let was_sent = failure.cause != AttemptCause::Connect;
        let of_provider = || offer.tools().iter().filter(|tool| was_sent && tool.provider_executed);
        let began = facts.tool_execution_started.or((!was_sent).then_some(false));
        let started = facts.started.iter().map(|tool| offer.name_called(tool));
        let started = started.filter(|name| offer.get(name).is_none_or(acts));
        let mut effective = Vec::new();
        for name in started.chain(of_provider().filter(|tool| acts(tool)).map(|tool| tool.name.clone())) {
            if effective.len() < EFFECTIVE && !effective.contains(&name) {
                effective.push(name);
            }
        }
        let may_have_begun =
            began != Some(false) && facts.started.is_empty() && offer.tools().iter().any(acts);
        Self {
            cause,
            nothing_ran: began == Some(false) && facts.started.is_empty() && of_provider().next().is_none(),
            may_be_another: facts.unsafe_side_effect_started.unwrap_or(may_have_begun),
            effective,
            told: false,
        }
    }
}
