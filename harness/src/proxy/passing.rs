//! What an agent gets of a streamed answer while the rest comes: what no guard can object to any more.

use axum::body::Bytes;
use axum::http::header::CONTENT_LENGTH;
use axum::http::response::Parts;
use balk_guards::Sight;
use balk_guards::wire::StreamReader;
use tokio::sync::mpsc::Sender;

/// Something on its way to an agent.
#[derive(Debug)]
pub(super) enum Passed {
    /// The head of an answer.
    Head(Box<Parts>),
    /// Whole events.
    Events(Bytes),
}

/// Passes events on while they come. Of several attempts, only one is passed on.
#[derive(Debug)]
pub(super) struct Passing {
    /// None where all is held.
    to: Option<Sender<Passed>>,
    sight: Sight,
    /// What the agent has got.
    pub(super) sent: Vec<u8>,
    attempt: Attempt,
}

/// How far an answer is read.
#[derive(Debug, Default)]
struct Attempt {
    /// The bytes of the events that were read.
    read: usize,
    /// The bytes that were searched for the end of an event.
    searched: usize,
    /// The bytes that were passed on.
    passed: usize,
    /// Whether something came that a user sees. Until then a broken answer can be asked for again.
    shows: bool,
    /// Whether the rest is held back.
    holds: bool,
}

impl Passing {
    pub(super) fn new(to: Option<Sender<Passed>>) -> Self {
        Self { to, sight: Sight::Whole, sent: Vec::new(), attempt: Attempt::default() }
    }

    /// An answer begins, of which the guards must see so much. If some of another one was passed on, all of this one
    /// is held.
    pub(super) fn begins(&mut self, sight: Sight) {
        self.sight = sight;
        let holds = self.to.is_none() || sight == Sight::Whole || !self.sent.is_empty();
        self.attempt = Attempt { holds, ..Attempt::default() };
    }

    /// How many bytes of this answer were passed on.
    pub(super) fn passed(&self) -> usize {
        self.attempt.passed
    }

    /// Reads what has come of an answer, and passes on what it may. An agent that has gone away gets nothing.
    pub(super) async fn takes(&mut self, head: &Parts, came: &[u8], stream: &mut StreamReader) {
        while !self.attempt.holds
            && let Some(end) = event_end(came, &mut self.attempt.searched)
        {
            let delta = stream.feed(&came[self.attempt.read..end]);
            self.attempt.read = end;
            let calls = stream.has_call();
            self.attempt.shows |= calls || !delta.is_empty();
            // The end comes once the turn is kept: a client that has it may go away. And an error of the provider,
            // after which it can be asked again, is an end as well.
            self.attempt.holds = (calls && self.sight == Sight::Calls) || stream.is_over();
            if self.attempt.shows && !self.attempt.holds {
                self.passes(head, &came[self.attempt.passed..end]).await;
                self.attempt.passed = end;
            }
        }
        if self.attempt.holds {
            self.ends(came, stream);
        }
        // No guard will object to what cannot be read, and it is not asked for again.
        if stream.is_unreadable() && self.to.is_some() && self.sent.len() == self.attempt.passed {
            self.passes(head, &came[self.attempt.passed..]).await;
            self.attempt.passed = came.len();
        }
    }

    /// Reads what is left.
    pub(super) fn ends(&mut self, came: &[u8], stream: &mut StreamReader) {
        stream.feed(&came[self.attempt.read..]);
        self.attempt.read = came.len();
    }

    async fn passes(&mut self, head: &Parts, events: &[u8]) {
        let Some(to) = &self.to else { return };
        if self.sent.is_empty() {
            let mut head = head.clone();
            head.headers.remove(CONTENT_LENGTH);
            let _ = to.send(Passed::Head(head.into())).await;
        }
        let _ = to.send(Passed::Events(Bytes::copy_from_slice(events))).await;
        self.sent.extend_from_slice(events);
    }
}

/// Where the first event ends that is not before `searched`: after an empty line. A stream whose lines end with CR
/// alone has none.
fn event_end(came: &[u8], searched: &mut usize) -> Option<usize> {
    while let Some(at) = came[*searched..].iter().position(|it| *it == b'\n') {
        let line = *searched + at + 1;
        let end = match &came[line..] {
            [b'\n', ..] => line + 1,
            [b'\r', b'\n', ..] => line + 2,
            // The next line may be empty, or not.
            [] | [b'\r'] => return None,
            _ => {
                *searched = line;
                continue;
            }
        };
        *searched = end;
        return Some(end);
    }
    *searched = came.len();
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_end_with_an_empty_line_wherever_the_bytes_are_cut() {
        let stream = b": hi\n\ndata: a\r\ndata: b\r\n\r\nevent: x\ndata: c\n\ndata: d\n";
        let ends = [6, 26, 44];
        for size in 1..stream.len() {
            let (mut searched, mut found) = (0, Vec::new());
            for cut in (size..stream.len() + size).step_by(size) {
                while let Some(end) = event_end(&stream[..cut.min(stream.len())], &mut searched) {
                    found.push(end);
                }
            }
            assert_eq!(found, ends, "in pieces of {size}");
        }
    }
}
