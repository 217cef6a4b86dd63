//! Finds the end of a JSON value without parsing it, as its bytes arrive.

use memchr::memchr2;

/// A scan of one value. It knows strings and brackets, and nothing else: a parser decides what is valid.
#[derive(Debug, Default)]
pub(super) struct Scan {
    depth: usize,
    in_string: bool,
    /// A value that is no string and no list or object: it ends where something else begins.
    in_word: bool,
}

/// Whether a byte outside of strings counts.
const COUNTS: [bool; 256] = {
    let mut counts = [false; 256];
    let bytes = *b"\"{[}]";
    let mut at = 0;
    while at < bytes.len() {
        counts[bytes[at] as usize] = true;
        at += 1;
    }
    counts
};

/// How far a scan came.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The value goes on after these bytes.
    More,
    /// The value ends before this byte.
    End(usize),
    /// There is a line feed within a string, at this byte: this is no JSON, and perhaps was a line.
    Torn(usize),
}

impl Scan {
    /// A scan of the rest of a list or an object, from between two of its parts to its end.
    pub(super) fn within() -> Self {
        Self { depth: 1, ..Self::default() }
    }

    /// Takes the next bytes of the value. The last one may be a backslash only if the bytes are the last: the caller
    /// gives a backslash and what it escapes at once.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Step {
        let mut at = 0;
        while at < bytes.len() {
            if self.in_string {
                match string_end(&bytes[at..]) {
                    Step::More => return Step::More,
                    Step::Torn(feed) => return Step::Torn(at + feed),
                    Step::End(end) => at += end,
                }
                self.in_string = false;
                if self.depth == 0 {
                    return Step::End(at);
                }
                continue;
            }
            let rest = &bytes[at..];
            if self.in_word {
                let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r');
                return rest.iter().position(ends).map_or(Step::More, |found| Step::End(at + found));
            }
            if self.depth > 0 {
                let Some(found) = rest.iter().position(|byte| COUNTS[usize::from(*byte)]) else {
                    return Step::More;
                };
                at += found;
            }
            let byte = bytes[at];
            at += 1;
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Step::End(at);
                    }
                }
                _ => self.in_word = true,
            }
        }
        Step::More
    }
}

/// The end of a string, from within it: behind its last quote.
pub(super) fn string_end(bytes: &[u8]) -> Step {
    let mut at = 0;
    while let Some(found) = quote_or_feed(bytes, at) {
        at = found + 1;
        // Texts have many escapes and few quotes, so escapes are looked at only before a quote.
        if !ends_in_escape(&bytes[..found]) {
            return if bytes[found] == b'\n' { Step::Torn(found) } else { Step::End(at) };
        }
    }
    Step::More
}

/// Whether the last byte is a backslash that escapes what follows.
fn ends_in_escape(bytes: &[u8]) -> bool {
    let mut is_escape = false;
    for _ in bytes.iter().rev().take_while(|byte| **byte == b'\\') {
        is_escape = !is_escape;
    }
    is_escape
}

/// Where the first quote or line feed is from this byte on. One is near most often, and `memchr2` takes its time to
/// begin: so it is asked only after a few words of eight bytes.
fn quote_or_feed(bytes: &[u8], start: usize) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xff;
    // The lowest bit that is left is that of the first byte which is zero (Mycroft's test).
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word;
    let mut at = start;
    while at < start + WORDS * size_of::<u64>()
        && let Some(word) = bytes[at..].first_chunk()
    {
        let word = u64::from_le_bytes(*word);
        let found = zeros(word ^ (ONES * u64::from(b'"'))) | zeros(word ^ (ONES * u64::from(b'\n')));
        let found = found & (ONES << 7);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += size_of::<u64>();
    }
    memchr2(b'"', b'\n', &bytes[at..]).map(|found| at + found)
}

/// How many words are looked at before `memchr2` is asked.
const WORDS: usize = 4;

/// Whether a text is one whole value, with nothing but white space around it.
pub(super) fn is_whole(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    match Scan::default().take(text) {
        Step::End(end) => end == text.len(),
        Step::More | Step::Torn(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_where_it_ends() {
        for (text, end) in
            [(r#"{"a": "}"} x"#, 10), (r#"["\"]", {}]]"#, 11), ("12, 3", 2), (r#""a\\" b"#, 5), ("null}", 4)]
        {
            assert_eq!(Scan::default().take(text.as_bytes()), Step::End(end), "{text}");
        }
        assert_eq!(Scan::default().take(b"{\"a\": [1, 2"), Step::More);
        assert_eq!(Scan::default().take(b"{\"a\": \"x\ny\"}"), Step::Torn(8));
        assert_eq!(Scan::default().take(b"\"x\\\\\ny\""), Step::Torn(4));
        assert_eq!(Scan::default().take(b"\"x\\\ny\" "), Step::End(6));
        assert!(is_whole(b" {\"a\": 1}\r"));
        assert!(!is_whole(b"{\"a\": 1} {}"));
        assert!(!is_whole(b"{\"a\": ["));
    }

    #[test]
    fn a_value_may_come_in_pieces() {
        let text = br#"{"a": ["x]", "\\"], "b": {"c": 1}}, "#;
        for at in 1..text.len() - 2 {
            if text[at - 1] == b'\\'
                && text[..at].iter().rev().take_while(|it| **it == b'\\').count() % 2 == 1
            {
                continue;
            }
            let mut scan = Scan::default();
            let step = match scan.take(&text[..at]) {
                Step::More => scan.take(&text[at..]),
                early @ (Step::End(_) | Step::Torn(_)) => panic!("{early:?} at {at}"),
            };
            assert_eq!(step, Step::End(text.len() - 2 - at), "cut at {at}");
        }
    }
}
