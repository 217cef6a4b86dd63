//! A response that arrives in pieces, each of them a response.

use super::response::Response;
use crate::attempt::AttemptFacts;
use crate::completion::Completion;
use crate::offer::Offer;
use crate::wire::reading::{self, Unreadable};
use crate::wire::refusal::Refusal;
use crate::wire::stream::delta::Delta;

/// The part of a response that has arrived.
#[derive(Clone, Debug, Default)]
pub(in crate::wire) struct Partial {
    response: Response,
    has_call: bool,
}

impl Partial {
    /// Reads one event.
    pub(in crate::wire) fn take(&mut self, data: &str, delta: &mut Delta) -> Result<(), Refusal> {
        let mut piece: Response = reading::parse(data)?;
        if let Some(error) = piece.error.take() {
            return Err(Refusal::of_error(&error));
        }
        piece.check()?;
        let before = self.response.pieces().len();
        self.response.add(piece);
        for added in &self.response.pieces()[before..] {
            self.has_call |= added.function_call.is_some();
            let text = added.text.as_deref().unwrap_or_default();
            if added.thought { delta.thinking.push_str(text) } else { delta.text.push_str(text) }
        }
        Ok(())
    }

    pub(in crate::wire) fn is_whole(&self) -> bool {
        self.response.is_whole()
    }

    pub(in crate::wire) fn has_call(&self) -> bool {
        self.has_call
    }

    /// A call arrives in one piece.
    pub(in crate::wire) fn facts(&self) -> AttemptFacts {
        AttemptFacts {
            tool_input_started: Some(self.has_call),
            tool_call_materialized: Some(self.has_call),
            ..AttemptFacts::default()
        }
    }

    pub(in crate::wire) fn whole(&self, offer: &Offer) -> Result<Completion, Unreadable> {
        self.response.clone().joined().read(offer)
    }

    pub(in crate::wire) fn partial(&self, offer: &Offer) -> Completion {
        let read = self.response.clone().joined().broken().read(offer);
        read.expect("every call has an object as arguments")
    }
}
