//! A response as the pieces of a stream.

use super::part::Piece;
use super::response::Response;
use crate::wire::answering::Answering;
use crate::wire::event::{Event, pieces};

impl Response {
    /// Its pieces, each of them a response; the last one has the tokens and why the model stopped.
    pub(in crate::wire) fn events(&self, answering: &Answering) -> Vec<Event> {
        let mut parts: Vec<Piece> = self.pieces().iter().flat_map(|part| part.cut(answering)).collect();
        let last = parts.pop().into_iter().collect();
        let mut events: Vec<Event> =
            parts.into_iter().map(|part| Event::of(None, &self.piece(vec![part], false))).collect();
        events.push(Event::of(None, &self.piece(last, true)));
        events
    }
}

impl Piece {
    /// The same in several parts, if it is a long text; its signature comes with the last one.
    fn cut(&self, answering: &Answering) -> Vec<Self> {
        let texts = pieces(self.text.as_deref().unwrap_or_default(), answering.piece);
        let Some((last, begin)) = texts.split_last() else { return vec![self.clone()] };
        let said = |text: &str, signature| Self::said(&text.into(), self.thought, signature);
        let last = said(last, self.thought_signature.clone());
        begin.iter().map(|text| said(text, None)).chain([last]).collect()
    }
}
