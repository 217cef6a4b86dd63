//! Broken attempts, and offers for them.

use balk_guards::{AttemptCause, AttemptFacts, AttemptFailure, Effect, Offer, Tool};

/// The provider is down.
pub(crate) const DOWN: AttemptCause = status(503);

/// A refusal with this status.
pub(crate) const fn status(code: u16) -> AttemptCause {
    AttemptCause::Status { code, retry_after: None }
}

/// A refusal with this status and a time to wait, in ticks.
pub(crate) const fn promised(code: u16, ticks: u64) -> AttemptCause {
    AttemptCause::Status { code, retry_after: Some(ticks) }
}

/// Nothing began.
pub(crate) fn nothing() -> AttemptFacts {
    AttemptFacts::default()
}

/// Nothing is known.
pub(crate) fn unknown() -> AttemptFacts {
    AttemptFacts {
        provider_progress: None,
        visible_output: None,
        tool_input_started: None,
        tool_call_materialized: None,
        tool_execution_started: None,
        unsafe_side_effect_started: None,
        started: vec![],
    }
}

/// The user saw text.
pub(crate) fn shown() -> AttemptFacts {
    AttemptFacts { provider_progress: Some(true), visible_output: Some(true), ..nothing() }
}

/// A call arrived whole, and nothing ran.
pub(crate) fn called() -> AttemptFacts {
    AttemptFacts {
        provider_progress: Some(true),
        tool_input_started: Some(true),
        tool_call_materialized: Some(true),
        ..nothing()
    }
}

/// These tools began to run; the offer says what they can change.
pub(crate) fn ran(tools: &[&str]) -> AttemptFacts {
    AttemptFacts {
        tool_execution_started: Some(true),
        unsafe_side_effect_started: None,
        started: tools.iter().map(|&it| it.into()).collect(),
        ..called()
    }
}

/// Two tools, both declared.
pub(crate) fn declared() -> Offer {
    Offer::new([Tool::new("read").effect(Effect::ReadOnly), Tool::new("append").effect(Effect::Write)])
}

/// The offer has a search that the provider runs.
pub(crate) fn with_search() -> Offer {
    let search = Tool::new("web_search").effect(Effect::ReadOnly).provider_executed();
    Offer::new([Tool::new("read").effect(Effect::ReadOnly), search])
}

/// The first attempt of a turn, broken.
pub(crate) fn failure(cause: AttemptCause, facts: AttemptFacts) -> AttemptFailure {
    AttemptFailure { attempt: 1, cause, message: "".into(), facts }
}
