//! Writes the list of messages, element by element.

use super::form::{Form, New, Sharing, Side};
use crate::wire::opened::Opened;

/// Elements come in the order of the request, and new messages between them or between their parts.
pub(super) struct Writer<'s> {
    list: &'s Opened<'s>,
    form: &'s Form,
    text: String,
    is_empty: bool,
    /// The element that is not ended yet.
    open: Option<Element<'s>>,
    /// Whether something is new, or missing, since the last of the request's own parts.
    is_changed: bool,
}

/// An element that is being written.
struct Element<'s> {
    side: Side,
    /// What is before it, if it is not the first.
    gap: &'s str,
    /// What is around its parts.
    head: String,
    tail: String,
    parts: String,
    ends_with_result: bool,
    /// The element of the request that it has the last parts of, and whose further parts it gets.
    holds: Option<usize>,
    /// The part of that element that it ends with.
    last: Option<usize>,
    /// How many parts that element has.
    count: usize,
    /// Whether it has nothing but these, from the first one on.
    is_same: bool,
}

impl Element<'_> {
    fn new(side: Side, head: String, tail: String) -> Self {
        Self {
            side,
            gap: ",",
            head,
            tail,
            parts: String::new(),
            ends_with_result: false,
            holds: None,
            last: None,
            count: 0,
            is_same: false,
        }
    }

    fn push(&mut self, gap: &str, part: &str) {
        if !self.parts.is_empty() {
            self.parts.push_str(gap);
        }
        self.parts.push_str(part);
    }
}

impl<'s> Writer<'s> {
    pub(super) fn new(list: &'s Opened<'s>, form: &'s Form) -> Self {
        let text = list.head.clone().into_owned();
        Self { list, form, text, is_empty: true, open: None, is_changed: false }
    }

    /// An element as it is.
    pub(super) fn whole(&mut self, at: usize) {
        self.close();
        self.push(self.list.gap(at), &self.list.elements[at]);
        self.is_changed = false;
    }

    /// Leaves out an element.
    pub(super) fn skip(&mut self) {
        self.is_changed = true;
    }

    /// An element with all its parts, which may share what comes before and after it.
    pub(super) fn every(&mut self, at: usize, opened: &Opened<'s>, side: Side) {
        if opened.elements.is_empty() {
            self.enter(at, opened, side, false);
            self.is_changed = false;
        }
        for part in 0..opened.elements.len() {
            self.old(at, opened, part, side, false);
        }
    }

    /// A part of an element.
    pub(super) fn old(&mut self, at: usize, opened: &Opened<'s>, part: usize, side: Side, is_result: bool) {
        if self.open.as_ref().is_none_or(|it| it.holds != Some(at)) {
            self.enter(at, opened, side, is_result);
        }
        if let Some(open) = &mut self.open {
            let follows = part > 0 && open.last == Some(part - 1);
            open.push(opened.gap(part), &opened.elements[part]);
            open.last = Some(part);
            open.ends_with_result = is_result;
            open.is_same &= part == 0 || follows;
        }
        self.is_changed = false;
    }

    /// Makes the open element one that gets the parts of the element `at`. Elements that were neighbours stay apart.
    fn enter(&mut self, at: usize, opened: &Opened<'s>, side: Side, is_result: bool) {
        let is_changed = self.is_changed;
        let shares = |open: &Element<'_>| is_changed && open.holds.is_none_or(|it| it + 1 < at);
        if self.open.as_ref().is_some_and(|open| shares(open) && self.shares(open, side, is_result)) {
            let Some(open) = &mut self.open else { return };
            if open.holds.replace(at).is_none() {
                open.head = opened.head.clone().into_owned();
                open.tail = opened.tail.clone().into_owned();
            }
            (open.last, open.is_same) = (None, false);
            return;
        }
        self.close();
        let head = opened.head.clone().into_owned();
        let tail = opened.tail.clone().into_owned();
        self.open = Some(Element {
            holds: Some(at),
            count: opened.elements.len(),
            is_same: true,
            gap: self.list.gap(at),
            ..Element::new(side, head, tail)
        });
    }

    /// A new message. `within` says that it comes between parts of one element.
    pub(super) fn message(&mut self, new: &New, within: bool) {
        let Some(sharing) = &self.form.sharing else {
            self.close();
            for text in &new.texts {
                self.push(",", text);
            }
            self.is_changed = true;
            return;
        };
        if new.needs_opening && self.is_empty && self.open.is_none() {
            self.begin(Side::User, sharing);
            self.add(&sharing.opening, false);
        }
        let shares = self.open.as_ref().is_some_and(|open| {
            let is_inside = within && open.side == new.side && open.holds.is_some();
            is_inside || self.shares(open, new.side, new.is_result)
        });
        if !shares {
            self.begin(new.side, sharing);
        }
        for text in &new.texts {
            self.add(text, new.is_result);
        }
    }

    /// Begins a new element.
    fn begin(&mut self, side: Side, sharing: &Sharing) {
        self.close();
        let frame = (sharing.frame)(side);
        let (head, tail) = frame.split_once("[]").map_or((&*frame, ""), |ends| ends);
        self.open = Some(Element::new(side, format!("{head}["), format!("]{tail}")));
    }

    /// Adds a new part to the open element.
    fn add(&mut self, part: &str, is_result: bool) {
        if let Some(open) = &mut self.open {
            open.push(",", part);
            open.ends_with_result = is_result;
            (open.last, open.is_same) = (None, false);
        }
        self.is_changed = true;
    }

    fn shares(&self, open: &Element<'_>, side: Side, is_result: bool) -> bool {
        let both_results = open.ends_with_result && is_result;
        open.side == side && self.form.sharing.as_ref().is_some_and(|it| !it.only_results || both_results)
    }

    /// Ends the open element.
    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let is_all = open.is_same && open.last.map_or(0, |last| last + 1) == open.count;
        match open.holds.filter(|_| is_all) {
            Some(at) => self.push(open.gap, &self.list.elements[at]),
            None => self.push(open.gap, &[open.head, open.parts, open.tail].concat()),
        }
    }

    fn push(&mut self, gap: &str, element: &str) {
        if !self.is_empty {
            self.text.push_str(gap);
        }
        self.text.push_str(element);
        self.is_empty = false;
    }

    /// Whether something is new, or missing, since the last of the request's own parts.
    pub(super) const fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// The whole request.
    pub(super) fn end(mut self) -> String {
        self.close();
        self.text + &self.list.tail
    }
}
