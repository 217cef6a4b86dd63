//! The same element of a page, again and again, though the page names it anew each time: `[ref=e12]`, then `[ref=e57]`.
//!
//! A token that an answer shows and the next call passes back in full is a reference. What it names is the place at
//! which it stands. So two calls do the same where they are equal but for a reference to the same place, and the page
//! has not changed since, but for what its references are: those with the same words before them (`id="`, `ref=`).
//! What a call says of the element beside the reference, in words of its line, is no difference. A click that answers
//! with a mere "ok" leaves the page as it was seen, until the next look.
//!
//! Another place is another element, and any other change of the page begins the count anew, so a list that is worked
//! through and a form that is filled are silent. The same reference once more is for the rules about equal calls.

use std::sync::Arc;

use memchr::{memchr, memchr_iter, memmem};
use serde::{Deserialize, Serialize, Serializer};

use super::look::Look;
use super::says::is_long;
use balk_contract::key::CallKey;
use balk_contract::{ResultKey, ToolCall, ToolResult, identity};

/// Bytes of a page that are kept and compared, and of the arguments that may have a reference: who points says little.
const PAGE_BYTES: usize = 16_384;
const ARGUMENT_BYTES: usize = 512;
/// Bytes of a reference, and of the line around it that says what it names.
const REFERENCE_BYTES: std::ops::RangeInclusive<usize> = 2..=40;
const LINE_BYTES: usize = 200;
/// Elements that are remembered while the page stays the same; the one that was used longest ago is forgotten first.
const ELEMENTS: usize = 8;
/// What replaces a reference in a page or a call before they are compared.
const MASK: char = '\u{fffd}';

/// The last page, and the elements that were used since it looks so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Pointed {
    #[serde(serialize_with = "save_page")]
    page: Option<Arc<str>>,
    /// What comes before the references, and the page without them.
    lead: String,
    looks: ResultKey,
    elements: Vec<Element>,
}

/// An element, with what is done with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Element {
    deed: CallKey,
    /// The last call that did it.
    last: CallKey,
    /// How often it was done by another reference, the first time included, and when last.
    seen: u32,
    turn: u64,
}

/// What a call points at.
struct Pointing<'t> {
    lead: &'t str,
    looks: ResultKey,
    deed: CallKey,
}

impl Pointed {
    /// Folds one result that ran in this turn.
    pub(super) fn result(&mut self, result: &ToolResult, look: &Look, turn: u64) {
        if look.waits {
            self.elements.clear();
        }
        self.points(&result.call, turn);
        // A page may say that something is missing. An error has no references.
        let is_error = || look.failed && memmem::find(result.text.as_bytes(), self.lead.as_bytes()).is_none();
        if !is_page(result) || is_error() {
            return;
        }
        if !self.elements.is_empty() {
            let looks = looks(&result.text, &self.lead);
            if looks != self.looks {
                self.elements.clear();
            }
            self.looks = looks;
        }
        self.page = Some(result.text.text().clone());
    }

    fn points(&mut self, call: &ToolCall, turn: u64) {
        let page = self.page.clone();
        let Some(found) = page.as_deref().and_then(|page| Pointing::of(call, page)) else { return };
        if found.lead != self.lead || self.elements.is_empty() {
            self.elements.clear();
            (self.lead, self.looks) = (found.lead.to_owned(), found.looks);
        }
        let before = self.elements.iter().position(|it| it.deed == found.deed);
        let before = before.map(|at| self.elements.remove(at));
        let counts = |it: &Element| it.last != call.key;
        let seen = before.map_or(1, |it| it.seen.saturating_add(u32::from(counts(&it))));
        if self.elements.len() == ELEMENTS {
            self.elements.remove(0);
        }
        self.elements.push(Element { deed: found.deed, last: call.key, seen, turn });
    }

    /// The user spoke: there is a new reason to do it.
    pub(super) fn user_spoke(&mut self) {
        self.elements.clear();
    }

    /// What this call does once more by another reference, how often it was done, and when last.
    pub(super) fn again(&self, call: &ToolCall) -> Option<(CallKey, u32, u64)> {
        let page = self.page.as_deref().filter(|_| !self.elements.is_empty())?;
        let found = Pointing::of(call, page).filter(|it| it.lead == self.lead)?;
        let element = self.elements.iter().find(|it| it.deed == found.deed && it.last != call.key)?;
        Some((element.deed, element.seen, element.turn))
    }

    /// Whether the page looks the same in this answer, as far as it shows it.
    pub(super) fn is_same_in(&self, result: &ToolResult, failed: bool) -> bool {
        !is_page(result) || failed || looks(&result.text, &self.lead) == self.looks
    }
}

/// Whether an answer may show a page.
fn is_page(result: &ToolResult) -> bool {
    is_long(result.text.trim_ascii().as_bytes())
}

fn beginning(page: &str) -> &str {
    &page[..page.floor_char_boundary(PAGE_BYTES)]
}

fn save_page<S: Serializer>(page: &Option<Arc<str>>, serializer: S) -> Result<S::Ok, S::Error> {
    page.as_deref().map(beginning).serialize(serializer)
}

/// A page as it is compared: without its references.
fn looks(page: &str, lead: &str) -> ResultKey {
    identity(&masked(beginning(page), lead))
}

/// The text with a mask for each reference behind these words.
fn masked(page: &str, lead: &str) -> String {
    let mut masked = String::with_capacity(page.len());
    let mut from = 0;
    let is_named = has_name(lead);
    for at in memmem::find_iter(page.as_bytes(), lead) {
        let start = at + lead.len();
        let end = start + page.as_bytes()[start..].iter().take_while(|byte| is_part(**byte)).count();
        let word = &page[start..end];
        // Without a name before them, numbers may be counts.
        if start >= from && is_drawn(word) && (is_named || !is_number(word)) {
            masked.push_str(&page[from..start]);
            masked.push(MASK);
            from = end;
        }
    }
    masked.push_str(&page[from..]);
    masked
}

impl<'t> Pointing<'t> {
    /// What this call points at on this page, if it passes back a reference from it.
    fn of(call: &ToolCall, page: &'t str) -> Option<Self> {
        let arguments = &*call.arguments;
        if arguments.len() > ARGUMENT_BYTES {
            return None;
        }
        let page = beginning(page);
        let mut values = parts(arguments).filter(|it| it.is_value && is_reference(it.text));
        let (token, at) = values.find_map(|it| Some((it.text, place(page, it.text)?)))?;
        let lead = lead(page, at).filter(|it| has_name(it) || !is_number(token))?;
        let around = line(page, at);
        let mut deed = format!("{} ", masked(&page[..at], lead).len());
        for part in parts(arguments) {
            match part.is_value {
                true if part.text == token => deed.push(MASK),
                true if part.is_string && says_what_it_is(part.text, around) => {}
                true | false => deed.push_str(part.text),
            }
        }
        Some(Self { lead, looks: looks(page, lead), deed: CallKey::of(&call.tool, &deed) })
    }
}

/// A part of the text of arguments: a value or what is around it.
struct Part<'t> {
    text: &'t str,
    is_value: bool,
    is_string: bool,
}

/// The parts of arguments, as far as quotes tell them: names and values of several words are whole.
fn parts(arguments: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = arguments;
    std::iter::from_fn(move || {
        let first = *rest.as_bytes().first()?;
        let bytes = rest.as_bytes();
        let is_string = first == b'"';
        let end = match first {
            b'"' => {
                let is_end =
                    |at: &usize| bytes[1..*at].iter().rev().take_while(|it| **it == b'\\').count() % 2 == 0;
                memchr_iter(b'"', bytes).skip(1).find(is_end).map_or(bytes.len(), |at| at + 1)
            }
            _ if first.is_ascii_digit() => bytes.iter().take_while(|byte| is_part(**byte)).count(),
            _ => {
                let is_end = |byte: &u8| *byte == b'"' || byte.is_ascii_digit();
                bytes.iter().position(is_end).unwrap_or(bytes.len())
            }
        };
        let (part, behind) = rest.split_at(end);
        rest = behind;
        let is_name = is_string && behind.trim_ascii_start().starts_with(':');
        let text = part.strip_prefix('"').and_then(|it| it.strip_suffix('"')).unwrap_or(part);
        Some(Part { text, is_value: !is_name && (is_string || first.is_ascii_digit()), is_string })
    })
}

/// Whether a byte may be in a reference.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Whether a value has the form of a reference: one word, with a digit in it.
fn is_reference(value: &str) -> bool {
    REFERENCE_BYTES.contains(&value.len())
        && value.bytes().all(is_part)
        && value.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a word may be drawn: it has a digit, or ends in hexadecimal letters alone.
fn is_drawn(word: &str) -> bool {
    const LETTERS: usize = 4;
    let end = word.rsplit(['_', '-']).next().unwrap_or(word);
    let is_hexadecimal = || end.len() >= LETTERS && end.bytes().all(|byte| byte.is_ascii_hexdigit());
    word.bytes().any(|byte| byte.is_ascii_digit()) || is_hexadecimal()
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Where this word first stands on a page.
fn place(page: &str, word: &str) -> Option<usize> {
    let joins =
        |at: Option<usize>| at.and_then(|at| page.as_bytes().get(at)).is_some_and(|byte| is_part(*byte));
    let is_whole = |at: &usize| !joins(at.checked_sub(1)) && !joins(Some(at + word.len()));
    memmem::find_iter(page.as_bytes(), word).find(is_whole)
}

/// What comes before a reference: the marks, and the name before them if they say that it has this value. `None` if
/// there are no marks.
fn lead(page: &str, at: usize) -> Option<&str> {
    let before = &page.as_bytes()[..at];
    let is_mark = |byte: &&u8| b"\"'=:[(<@# ".contains(byte);
    let marks = before.iter().rev().take(4).take_while(is_mark).count();
    let is_blank = before[at - marks..].iter().all(|byte| *byte == b' ');
    let start = at - marks;
    let is_named = before[start..].iter().any(|byte| matches!(byte, b'=' | b':'));
    let name =
        if is_named { before[..start].iter().rev().take_while(|byte| is_part(**byte)).count() } else { 0 };
    (!is_blank).then(|| &page[start - name..at])
}

/// Whether these words before a reference have a name in them.
fn has_name(lead: &str) -> bool {
    lead.bytes().any(is_part)
}

/// The line around this place.
fn line(page: &str, at: usize) -> &str {
    let start = page.ceil_char_boundary(at.saturating_sub(LINE_BYTES));
    let end = page.floor_char_boundary(at.saturating_add(LINE_BYTES).min(page.len()));
    let start = page[start..at].rfind('\n').map_or(start, |found| start + found + 1);
    let end = memchr(b'\n', &page.as_bytes()[at..end]).map_or(end, |found| at + found);
    &page[start..end]
}

/// Whether a text shares a word with the line of an element.
fn says_what_it_is(text: &str, line: &str) -> bool {
    const LETTERS: usize = 3;
    /// Scripts that are written without blanks begin here.
    const DENSE: char = '\u{2e80}';
    let is_shared = |word: &str| memmem::find(line.as_bytes(), word.as_bytes()).is_some();
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).any(|word| {
        let mut ends = word.char_indices().skip(1).filter(|(_, c)| *c >= DENSE);
        let is_dense = word.starts_with(|c| c >= DENSE);
        let pair = |(at, c): (usize, char)| {
            let before = word[..at].chars().next_back().map_or(0, char::len_utf8);
            is_shared(&word[at - before..at + c.len_utf8()])
        };
        is_dense && (is_shared(word) || ends.any(pair)) || word.len() >= LETTERS && is_shared(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use balk_contract::{Offer, RawCall, ToolCall};

    fn deed(page: &str, arguments: &str) -> Option<CallKey> {
        let raw = RawCall { id: "1".into(), tool: "click".into(), arguments: arguments.into() };
        Pointing::of(&ToolCall::new(raw, &Offer::default()), page).map(|it| it.deed)
    }

    #[track_caller]
    fn check(one: (&str, &str), other: (&str, &str), is_same: bool) {
        let [first, second] =
            [one, other].map(|(page, arguments)| deed(page, arguments).expect("a reference"));
        assert_eq!(first == second, is_same, "{one:?} {other:?}");
    }

    #[test]
    fn a_place_is_an_element_whatever_its_reference_is() {
        let page = |one: &str, other: &str| {
            format!("- button \"Save\" [ref={one}]\n- button \"Cancel\" [ref={other}]")
        };
        let (first, second) = (&*page("e4", "e5"), &*page("e71", "e80"));
        check((first, r#"{"ref":"e4"}"#), (second, r#"{"ref":"e71"}"#), true);
        check((first, r#"{"ref":"e4"}"#), (second, r#"{"ref":"e80"}"#), false);
        check(
            (first, r#"{"ref":"e4","is":"Save"}"#),
            (second, r#"{"is":"the Save button","ref":"e71"}"#),
            false,
        );
        check(
            (first, r#"{"is":"Save","ref":"e4"}"#),
            (second, r#"{"is":"the Save button","ref":"e71"}"#),
            true,
        );
        check((first, r#"{"text":"one","ref":"e4"}"#), (second, r#"{"text":"two","ref":"e71"}"#), false);
        let page =
            |one: &str| format!(r#"[{{"node": {one}, "label": "保存"}}, {{"node": 7, "label": "戻る"}}]"#);
        let (first, second) = (&*page("412"), &*page("9"));
        check(
            (first, r#"{"node":412,"label":"保存ボタン"}"#),
            (&*page("931"), r#"{"node":931,"label":"保存"}"#),
            true,
        );
        assert_eq!(deed(second, r#"{"node":"e9"}"#), None);
        assert_eq!(deed("12 files", r#"{"limit":12}"#), None);
    }

    #[test]
    fn a_page_looks_the_same_but_for_its_references() {
        let page = |one: &str, other: &str, text: &str| {
            looks(&format!("<a id=\"lnk_{one}\">May</a><p id=\"{other}\">{text}</p>"), "id=\"")
        };
        assert_eq!(page("e56bb7", "a79b3", "x"), page("cafebe", "afd0c", "x"));
        assert_ne!(page("e56bb7", "a79b3", "x"), page("e56bb7", "a79b3", "y"));
        assert_ne!(page("e56bb7", "a79b3", "1 of 3"), page("e56bb7", "a79b3", "2 of 3"));
    }
}
