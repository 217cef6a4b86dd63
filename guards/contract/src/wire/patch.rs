//! Changes to JSON text that leave all else in it byte for byte.

use std::ops::Range;

use serde_json::value::RawValue;

use super::opened::{Members, span};
use super::reading;

/// A value within JSON text.
#[derive(Clone, Copy)]
pub(super) struct Json<'a>(&'a RawValue);

impl<'a> Json<'a> {
    /// The value that a text is, if it is JSON.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok().map(Self)
    }

    /// The value as it is written.
    pub(super) fn text(self) -> &'a str {
        self.0.get()
    }

    /// A member of an object.
    pub(super) fn member(self, name: &str) -> Option<Self> {
        self.members().into_iter().find(|(key, _)| key == name).map(|(_, value)| Self(value))
    }

    /// The member of an object that has one of these names.
    pub(super) fn either(self, names: [&str; 2]) -> Option<Self> {
        names.into_iter().find_map(|it| self.member(it))
    }

    /// How many members an object has.
    pub(super) fn count(self) -> usize {
        self.members().len()
    }

    fn members(self) -> Vec<(String, &'a RawValue)> {
        reading::parse::<Members<'a>>(self.0.get()).map_or_else(|_| Vec::new(), |it| it.0)
    }

    /// The elements of a list.
    pub(super) fn elements(self) -> Vec<Self> {
        let values: Vec<&'a RawValue> = serde_json::from_str(self.0.get()).unwrap_or_default();
        values.into_iter().map(Self).collect()
    }

    pub(super) fn is_list(self) -> bool {
        self.0.get().starts_with('[')
    }

    pub(super) fn is_null(self) -> bool {
        self.0.get() == "null"
    }

    pub(super) fn is_true(self) -> bool {
        self.0.get() == "true"
    }

    /// The text of a string.
    pub(super) fn string(self) -> Option<String> {
        serde_json::from_str(self.0.get()).ok()
    }

    pub(super) fn number(self) -> Option<u64> {
        serde_json::from_str(self.0.get()).ok()
    }
}

/// JSON text with changes, of which none is within another one.
pub(super) struct Patch<'a> {
    text: &'a str,
    changes: Vec<(Range<usize>, String)>,
}

impl<'a> Patch<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, changes: Vec::new() }
    }

    /// Puts another value in place of this one.
    pub(super) fn put(&mut self, old: Json<'a>, new: &str) {
        self.changes.push((span(self.text, old.0), new.to_owned()));
    }

    /// Gives the object a member, in place of the one that it has.
    pub(super) fn set(&mut self, object: Json<'a>, name: &str, value: &str) {
        let members = object.members();
        if let Some((_, old)) = members.iter().find(|(key, _)| key == name) {
            return self.put(Json(old), value);
        }
        let (at, comma) = match members.last() {
            Some((_, last)) => (span(self.text, last).end, ","),
            None => (span(self.text, object.0).start + 1, ""),
        };
        self.changes.push((at..at, format!("{comma}\"{name}\":{value}")));
    }

    /// Takes elements out of a list, and puts `new` before the element with this index.
    pub(super) fn list(
        &mut self,
        list: Json<'a>,
        is_gone: impl Fn(usize) -> bool,
        new: Option<(usize, &str)>,
    ) {
        let spans: Vec<Range<usize>> = list.elements().iter().map(|it| span(self.text, it.0)).collect();
        let mut last: Option<usize> = None;
        for (at, element) in spans.iter().enumerate() {
            if !is_gone(at) {
                last = Some(element.end);
                continue;
            }
            let gone = match (last, spans.get(at + 1)) {
                (Some(_), _) => spans[at - 1].end..element.end,
                (None, Some(next)) => element.start..next.start,
                (None, None) => element.clone(),
            };
            self.changes.push((gone, String::new()));
        }
        let Some((before, new)) = new else { return };
        let next = (before..spans.len()).find(|at| !is_gone(*at)).map(|at| spans[at].start);
        let (at, text) = match (next, last) {
            (Some(start), _) => (start, format!("{new},")),
            (None, Some(end)) => (end, format!(",{new}")),
            (None, None) => (span(self.text, list.0).end - 1, new.to_owned()),
        };
        self.changes.push((at..at, text));
    }

    /// The text with its changes.
    pub(super) fn end(mut self) -> String {
        self.changes.sort_by_key(|(range, _)| (range.start, range.end));
        let mut text = String::new();
        let mut at = 0;
        for (range, new) in &self.changes {
            text.push_str(&self.text[at..range.start]);
            text.push_str(new);
            at = range.end;
        }
        text + &self.text[at..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, gone: &[usize], new: Option<(usize, &str)>, expected: &str) {
        let mut patch = Patch::new(text);
        let list = Json::parse(text).and_then(|it| it.member("l")).expect("a list");
        patch.list(list, |at| gone.contains(&at), new);
        assert_eq!(patch.end(), expected);
    }

    #[test]
    fn elements_go_and_come_and_all_else_stays() {
        let text = r#"{ "a":1.0, "l" : [ 1 , 2,[3] ], "a":2 }"#;
        check(text, &[], None, text);
        check(text, &[0], None, r#"{ "a":1.0, "l" : [ 2,[3] ], "a":2 }"#);
        check(text, &[1], None, r#"{ "a":1.0, "l" : [ 1,[3] ], "a":2 }"#);
        check(text, &[0, 2], Some((0, "7")), r#"{ "a":1.0, "l" : [ 7,2 ], "a":2 }"#);
        check(text, &[1, 2], Some((2, "7")), r#"{ "a":1.0, "l" : [ 1,7 ], "a":2 }"#);
        check(text, &[0, 1, 2], Some((3, "7")), r#"{ "a":1.0, "l" : [  7], "a":2 }"#);
        check(r#"{"l":[]}"#, &[], Some((0, "7")), r#"{"l":[7]}"#);
    }

    #[test]
    fn a_member_is_set_or_added() {
        let set = |text: &str| {
            let mut patch = Patch::new(text);
            patch.set(Json::parse(text).expect("an object"), "m", "7");
            patch.end()
        };
        assert_eq!(set(r#"{"n":{"m":1}, "\u006d" : 2 }"#), r#"{"n":{"m":1}, "\u006d" : 7 }"#);
        assert_eq!(set(r#"{"n":1 }"#), r#"{"n":1,"m":7 }"#);
        assert_eq!(set("{ }"), r#"{"m":7 }"#);
    }
}
