//! A stream that is here as a whole, cut into its events.

use std::borrow::Cow;

use super::events::{Events, is_data};
use crate::wire::patch::Patch;

/// An event as it came.
pub(in crate::wire) struct Raw<'a> {
    /// All of it, with its empty line and the comments before it.
    pub(in crate::wire) text: &'a str,
    /// Its data; `None` behind the last event.
    pub(in crate::wire) data: Option<String>,
    /// Where in the stream it begins.
    pub(in crate::wire) start: usize,
}

/// The events of a stream, which together are all of it. Behind one that is too long to be read there is no other.
pub(in crate::wire) fn events(body: &str) -> impl Iterator<Item = Raw<'_>> {
    let mut events = Events::default();
    let (mut start, mut end) = (0, 0);
    std::iter::from_fn(move || {
        while let Some(line) = lines(&body[end..]).next() {
            end += line.len();
            let mut data = None;
            let taken = |it: &str| {
                data = Some(it.to_owned());
                Ok(())
            };
            if events.feed(line.as_bytes(), taken).is_err() {
                end = body.len();
            }
            if data.is_some() {
                let text = &body[std::mem::replace(&mut start, end)..end];
                return Some(Raw { text, data, start: end - text.len() });
            }
        }
        let start = std::mem::replace(&mut start, body.len());
        (start < body.len()).then(|| Raw { text: &body[start..], data: events.rest(), start })
    })
}

/// The data of the events of a stream that is here as a whole, by the standard: JSON texts or, at the end of OpenAI
/// chat, `[DONE]`. Where the end of the stream cuts off the last event, its data counts if it is whole.
pub fn event_data(body: &str) -> impl Iterator<Item = String> {
    events(body).filter_map(|it| it.data)
}

impl<'a> Raw<'a> {
    /// The data, if it is JSON.
    pub(in crate::wire) fn json(&self) -> Option<&str> {
        self.data.as_deref().filter(|it| it.trim_start().starts_with('{'))
    }

    /// The same with this patch of its data.
    pub(in crate::wire) fn patched(&self, data: &str, patch: Patch<'_>) -> Cow<'a, str> {
        let new = patch.end();
        if new == data { Cow::Borrowed(self.text) } else { Cow::Owned(self.with(&new)) }
    }

    /// The same with other data.
    fn with(&self, data: &str) -> String {
        let mut data = Some(data);
        let mut text = String::new();
        for line in lines(self.text) {
            let content = line.trim_end_matches(['\n', '\r']);
            if !is_data(content.as_bytes()) {
                text.push_str(line);
            } else if let Some(data) = data.take() {
                for value in data.split('\n') {
                    text.extend(["data: ", value, &line[content.len()..]]);
                }
            }
        }
        text
    }
}

/// Lines, each with what ends it.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest
            .find(['\n', '\r'])
            .map_or(rest.len(), |at| at + if rest[at..].starts_with("\r\n") { 2 } else { 1 });
        let (line, after) = rest.split_at(end);
        rest = after;
        Some(line).filter(|it| !it.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_cut_into_its_events_and_their_data_can_be_others() {
        let body = ": hi\n\nevent: x\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\nid: 7\rdata:{}\r\rdata: [DONE]";
        let raws: Vec<Raw<'_>> = events(body).collect();
        let data: Vec<Option<&str>> = raws.iter().map(|it| it.data.as_deref()).collect();
        assert_eq!(data, [Some("{\"a\":\n1}"), Some("{}"), Some("[DONE]")]);
        assert_eq!(raws.iter().map(|it| it.text).collect::<String>(), body);
        assert!(raws.iter().all(|it| body[it.start..].starts_with(it.text)));
        assert_eq!(raws[0].with("{\"b\":\n2}"), ": hi\n\nevent: x\r\ndata: {\"b\":\r\ndata: 2}\r\n\r\n");
        assert_eq!(raws[1].with("{}"), "id: 7\rdata: {}\r\r");
    }
}
