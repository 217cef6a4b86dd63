//! The end of a streamed answer whose beginning the agent has: what guards made of it goes on where that stopped.

use std::sync::Arc;

use balk_guards::wire::{Answering, Dialect, Event, event_data};
use balk_guards::{Completion, Offer, Part};
use serde::Deserialize;
use serde_json::Value;

use super::ids::Ids;

/// What the agent has of an answer.
pub(super) struct Begun {
    parts: Vec<Part>,
    /// The index of the next block of Anthropic or the next item of Responses.
    next: u64,
    /// The number of the next event of Responses.
    number: u64,
    /// The items of Responses.
    items: Vec<Value>,
    id: Arc<str>,
}

/// The members of events that say how far an answer is.
#[derive(Deserialize)]
struct Said {
    #[serde(rename = "type", default)]
    kind: String,
    index: Option<u64>,
    output_index: Option<u64>,
    sequence_number: Option<u64>,
    item: Option<Value>,
}

impl Begun {
    /// Reads these events.
    pub(super) fn of(dialect: Dialect, sent: &[u8]) -> Self {
        let mut stream = dialect.stream();
        stream.feed(sent);
        let parts = match stream.finish(&Offer::default()) {
            Ok(whole) => whole.parts,
            Err(broken) => broken.partial.parts,
        };
        // What is left has no reasoning of Responses.
        let is_left = |it: &Part| dialect != Dialect::Responses || matches!(it, Part::Text(_));
        let parts = parts.into_iter().filter(is_left).collect();
        let mut begun = Self { parts, next: 0, number: 0, items: Vec::new(), id: Ids::of(sent).id };
        let sent = String::from_utf8_lossy(sent);
        let events = event_data(&sent).filter_map(|it| serde_json::from_str::<Said>(&it).ok());
        for Said { kind, index, output_index, sequence_number, item } in events {
            let after = |at: Option<u64>| at.map_or(0, |it| it.saturating_add(1));
            begun.next = begun.next.max(after(output_index.or(index)));
            begun.number = begun.number.max(after(sequence_number));
            begun.items.extend(item.filter(|_| kind == "response.output_item.done"));
        }
        begun
    }

    /// The events that the agent gets of `whole` now. It sees them below what it has, if that is no part of `whole`.
    pub(super) fn rest(self, dialect: Dialect, whole: &Completion, answering: &Answering) -> Vec<Event> {
        let rest = Completion { parts: self.left(&whole.parts), ..whole.clone() };
        // Ids of items are made of the answer's, and are others than those that the agent has.
        let id: Arc<str> = format!("{}_{}", answering.id, self.next).into();
        let items = Answering { id, ..answering.clone() };
        let answering = if dialect == Dialect::Responses { &items } else { answering };
        let events = dialect.events(&rest, answering).into_iter();
        match dialect {
            // The first chunk has the role, which the agent has.
            Dialect::OpenAi => events.skip(1).collect(),
            Dialect::Gemini => events.collect(),
            // `message_start` and `ping`.
            Dialect::Anthropic => events.skip(2).map(|it| edited(it, |it| self.moves(it))).collect(),
            // `response.created` and `response.in_progress`.
            Dialect::Responses => {
                let mut number = self.number;
                let mut moves = |it: &mut Value| {
                    self.moves(it);
                    it["sequence_number"] = number.into();
                    // A provider can say any number, also the last one.
                    number = number.saturating_add(1);
                    if let Some(response) = it.get_mut("response") {
                        response["id"] = (*self.id).into();
                    }
                };
                events.skip(2).map(|it| edited(it, &mut moves)).collect()
            }
        }
    }

    /// The parts that the agent lacks.
    fn left(&self, whole: &[Part]) -> Vec<Part> {
        let same = whole.iter().zip(&self.parts).take_while(|(one, other)| one == other).count();
        let mut left = whole[same..].to_vec();
        match (&self.parts[same..], left.first_mut()) {
            ([], _) => left,
            ([Part::Text(had)], Some(Part::Text(text))) if text.starts_with(&**had) => {
                *text = text[had.len()..].into();
                left
            }
            _ => {
                let mut whole = whole.to_vec();
                let first =
                    whole.iter_mut().find_map(|it| if let Part::Text(it) = it { Some(it) } else { None });
                if let Some(text) = first {
                    *text = format!("\n\n{text}").into();
                }
                whole
            }
        }
    }

    /// An event of the rest is behind what the agent has.
    fn moves(&self, event: &mut Value) {
        for name in ["index", "output_index"] {
            if let Some(at) = event.get(name).and_then(Value::as_u64) {
                event[name] = at.saturating_add(self.next).into();
            }
        }
        if let Some(Value::Array(output)) = event.pointer_mut("/response/output") {
            output.splice(0..0, self.items.iter().cloned());
        }
    }
}

fn edited(event: Event, edit: impl FnOnce(&mut Value)) -> Event {
    let mut data: Value = serde_json::from_str(&event.data).expect("our own events are JSON");
    edit(&mut data);
    Event { data: data.to_string(), ..event }
}

#[cfg(test)]
mod tests {
    use balk_guards::{FinishReason, Usage};

    use super::*;

    #[test]
    fn what_an_agent_has_is_read_by_the_standard() {
        let sent = concat!(
            "data: {\"type\":\"content_block_start\",\r\ndata: \"index\":4,\r\n",
            "data: \"content_block\":{\"type\":\"text\",\"text\":\"I look.\"}}\r\n\r\n",
        );
        let begun = Begun::of(Dialect::Anthropic, sent.as_bytes());
        assert_eq!((begun.next, begun.parts), (5, vec![Part::Text("I look.".into())]));
    }

    #[test]
    fn the_last_number_of_all_is_followed_by_itself() {
        let sent = format!("data: {{\"type\":\"response.created\",\"sequence_number\":{}}}\n\n", u64::MAX);
        let texts = [Part::Text("I look.".into())];
        let whole = Completion::new(texts, [], FinishReason::Stop, Usage::default(), &Offer::default());
        let begun = Begun::of(Dialect::Responses, sent.as_bytes());
        let numbers: Vec<Value> = begun
            .rest(Dialect::Responses, &whole, &Answering::of("a", "m"))
            .into_iter()
            .map(|it| serde_json::from_str::<Value>(&it.data).expect("it is JSON")["sequence_number"].clone())
            .collect();
        assert!(numbers.len() > 1 && numbers.iter().all(|it| *it == u64::MAX), "{numbers:?}");
    }
}
