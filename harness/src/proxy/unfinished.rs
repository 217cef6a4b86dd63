//! Answers that their provider is not done with.
//!
//! `pause_turn` of Anthropic: the provider runs tools of its own, and goes on once the client sends back what it said.
//! `queued` and `in_progress` of OpenAI Responses: a job in the background, which the client asks about later. Neither
//! says anything about the model, and to ask again would be another search or another job.

use balk_guards::wire::{Dialect, event_data};
use balk_guards::{Completion, FinishReason};
use serde::Deserialize;
use serde_json::Value;

/// The members of an answer, or of an event of its stream, that say how far it is.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Said {
    status: Value,
    stop_reason: Value,
    delta: Value,
}

/// Whether the provider is not done with this answer, which was read from this body.
pub(super) fn is_unfinished(dialect: Dialect, body: &[u8], completion: &Completion) -> bool {
    if completion.finish != FinishReason::NotGiven {
        return false;
    }
    match dialect {
        Dialect::OpenAi | Dialect::Gemini => false,
        Dialect::Anthropic => said(body)
            .iter()
            .any(|it| it.stop_reason == "pause_turn" || it.delta["stop_reason"] == "pause_turn"),
        // Its stream ends with the whole of an answer, or breaks off.
        Dialect::Responses => {
            said(body).iter().any(|it| ["queued", "in_progress"].iter().any(|status| it.status == *status))
        }
    }
}

/// The answer, or the events of its stream.
fn said(body: &[u8]) -> Vec<Said> {
    let text = String::from_utf8_lossy(body);
    match serde_json::from_str(&text) {
        Ok(whole) => vec![whole],
        Err(_) => event_data(&text).filter_map(|it| serde_json::from_str(&it).ok()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use balk_guards::{Offer, Usage};

    use super::*;

    #[test]
    fn events_are_read_by_the_standard() {
        let completion = Completion::new([], [], FinishReason::NotGiven, Usage::default(), &Offer::default());
        let ends = |reason: &str| {
            format!(
                "data: {{\"type\":\"message_delta\",\ndata: \"delta\":{{\"stop_reason\":\"{reason}\"}}}}\n\n"
            )
        };
        for (reason, expected) in [("pause_turn", true), ("other", false)] {
            let body = ends(reason);
            assert_eq!(is_unfinished(Dialect::Anthropic, body.as_bytes(), &completion), expected, "{reason}");
        }
    }
}
