//! Puts messages into the list of a request; what no message comes next to stays byte for byte.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use super::opened::Opened;
use super::place::Place;
use super::reading::Unreadable;
use crate::view::Message;

pub(super) use form::{Form, New, Sharing, Side};
use writer::Writer;

mod form;
mod writer;

/// Where a message is in the list.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    /// Its elements; several, if a turn of the model is.
    pub(super) elements: Range<usize>,
    /// Which part of its element it is, if each part is a message.
    part: Option<usize>,
}

impl Spot {
    /// One element.
    pub(super) const fn whole(at: usize) -> Self {
        Self::several(at..at + 1)
    }

    /// Neighbouring elements.
    pub(super) const fn several(elements: Range<usize>) -> Self {
        Self { elements, part: None }
    }

    /// A part of an element.
    pub(super) const fn part(at: usize, part: usize) -> Self {
        Self { elements: at..at + 1, part: Some(part) }
    }
}

/// A request's own messages.
pub(super) struct Own<'a> {
    /// The request, open at its list of messages.
    pub(super) list: Opened<'a>,
    /// Who speaks in each element.
    pub(super) sides: Vec<Side>,
    pub(super) placed: &'a [(Spot, Message)],
}

/// The request without the messages in `gone`, and with new messages. Each of those comes with the number of the
/// request's own messages before it, in order.
pub(super) fn splice(
    own: &Own<'_>,
    form: &Form,
    gone: &BTreeSet<usize>,
    news: Vec<(usize, New)>,
) -> Result<String, Unreadable> {
    let mut splice =
        Splice { own, form, gone, news: news.into_iter().peekable(), writer: Writer::new(&own.list, form) };
    splice.run()?;
    Ok(splice.writer.end())
}

struct Splice<'s> {
    own: &'s Own<'s>,
    form: &'s Form,
    gone: &'s BTreeSet<usize>,
    news: Peekable<IntoIter<(usize, New)>>,
    writer: Writer<'s>,
}

impl<'s> Splice<'s> {
    fn run(&mut self) -> Result<(), Unreadable> {
        let (mut element, mut message) = (0, 0);
        while element < self.own.list.elements.len() {
            let begins =
                |at: usize| self.own.placed.get(at).is_some_and(|(spot, _)| spot.elements.start == element);
            let first = message;
            while begins(message) {
                message += 1;
            }
            let messages = first..message;
            let spot = self.own.placed.get(first).map(|(spot, _)| spot).filter(|_| !messages.is_empty());
            element = match spot {
                None => self.silent(element, message)?,
                Some(Spot { elements, part: None }) => self.whole(elements.clone(), messages)?,
                Some(Spot { elements: _, part: Some(part) }) => self.parts(element, *part, messages)?,
            };
        }
        self.put(usize::MAX, false);
        Ok(())
    }

    /// An element in which no message begins; `next` is the next message.
    fn silent(&mut self, element: usize, next: usize) -> Result<usize, Unreadable> {
        if self.touches(next, next == 0) {
            let opened = self.open(element)?;
            self.writer.every(element, &opened, self.own.sides[element]);
        } else {
            self.writer.whole(element);
        }
        Ok(element + 1)
    }

    /// The elements of one message.
    fn whole(&mut self, elements: Range<usize>, messages: Range<usize>) -> Result<usize, Unreadable> {
        self.put_first(messages.start, false);
        let is_gone = self.gone.contains(&messages.start);
        for element in elements.clone() {
            let side = self.own.sides[element];
            if is_gone && side != Side::Apart {
                self.writer.skip();
            } else if elements.len() == 1 && self.touches(messages.end, true) {
                let opened = self.open(element)?;
                self.writer.every(element, &opened, side);
            } else {
                self.writer.whole(element);
            }
        }
        self.put(messages.end, false);
        Ok(elements.end)
    }

    /// An element whose parts are messages, from the part `first` on.
    fn parts(&mut self, element: usize, first: usize, messages: Range<usize>) -> Result<usize, Unreadable> {
        if first == 0 {
            self.put_first(messages.start, false);
        }
        if self.next_is_before(messages.end - 1) || self.touches(messages.end, true) {
            let opened = self.open(element)?;
            let side = self.own.sides[element];
            for part in 0..opened.elements.len() {
                let message = (part >= first).then(|| messages.start + (part - first));
                let message = message.filter(|it| messages.contains(it));
                if part == first {
                    self.put_first(messages.start, part > 0);
                }
                let is_result = message.is_some_and(|it| is_result(&self.own.placed[it].1));
                self.writer.old(element, &opened, part, side, is_result);
                if let Some(message) = message {
                    self.put(message + 1, part + 1 < opened.elements.len());
                }
            }
        } else {
            self.writer.whole(element);
        }
        self.put(messages.end, false);
        Ok(element + 1)
    }

    /// Puts what comes before the first message, which is `message` if that is 0.
    fn put_first(&mut self, message: usize, within: bool) {
        if message == 0 {
            self.put(0, within);
        }
    }

    /// Puts the new messages that have at most `count` of the request's own before them. `within` says that they come
    /// between parts of one element.
    fn put(&mut self, count: usize, within: bool) {
        while let Some((_, new)) = self.news.next_if(|(at, _)| *at <= count) {
            self.writer.message(&new, within);
        }
    }

    fn next_is_before(&mut self, count: usize) -> bool {
        self.news.peek().is_some_and(|(at, _)| *at <= count)
    }

    /// Whether an element may share what is put before it or, if `looks_ahead`, between it and the message `next`.
    fn touches(&mut self, next: usize, looks_ahead: bool) -> bool {
        let follows = looks_ahead && (self.next_is_before(next) || self.gone.contains(&next));
        self.form.sharing.is_some() && (self.writer.is_changed() || follows)
    }

    fn open(&self, element: usize) -> Result<Opened<'s>, Unreadable> {
        let place = Place::new(self.form.list).nth(element);
        let own: &'s Own<'s> = self.own;
        Opened::of(&own.list.elements[element], place, self.form.parts, self.form.of_text)
    }
}

fn is_result(message: &Message) -> bool {
    match message {
        Message::Result { .. } => true,
        Message::User(_) | Message::Assistant(_) => false,
    }
}
