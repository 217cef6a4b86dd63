//! An answer in JSON. Names of members say what their values are: a few speak of the call itself. All others are data,
//! in which a word of failure is about something else.

/// Members in JSON that speak of the call, and objects within objects that are looked into.
const TELLING: usize = 8;
const DEPTH: usize = 4;

/// The parts of a text that speak of the call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Telling {
    parts: [(usize, usize); TELLING],
    count: usize,
}

/// What the value of a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Member {
    /// Says whether it worked: `error`, `ok`, `failures`, an exit status.
    Outcome,
    /// Says it too, if it comes first: a record of something else has a status and a message, too.
    Words,
    Data,
}

fn member(name: &[u8]) -> Member {
    // `errorMessage` and `error_message` are one name.
    let mut plain = [0; 16];
    let mut length = 0;
    for byte in name.iter().filter(|byte| byte.is_ascii_alphabetic()) {
        let Some(place) = plain.get_mut(length) else { return Member::Data };
        *place = byte.to_ascii_lowercase();
        length += 1;
    }
    match &plain[..length] {
        b"error" | b"errors" | b"err" | b"exception" | b"fault" | b"failed" | b"failure" | b"failures"
        | b"iserror" | b"errormessage" | b"errormsg" | b"traceback" | b"ok" | b"success" | b"succeeded"
        | b"exitcode" | b"statuscode" => Member::Outcome,
        b"status" | b"code" | b"errorcode" | b"type" | b"outcome" | b"message" | b"msg" | b"detail"
        | b"details" | b"reason" | b"cause" | b"output" | b"stdout" | b"stderr" | b"result" | b"response"
        | b"observation" | b"content" | b"text" | b"meta" | b"metadata" => Member::Words,
        _ => Member::Data,
    }
}

impl Telling {
    /// Of a text, if it is JSON and no mark in brackets (`[ERROR]`, `[2026-…]`).
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let start = text.len() - text.trim_ascii_start().len();
        let next = text.get(start + 1..)?.trim_ascii_start().first()?;
        let is_json = match text[start] {
            b'{' => matches!(next, b'"' | b'\'' | b'}'),
            b'[' => matches!(next, b'{' | b'[' | b'"' | b']'),
            _ => false,
        };
        let mut telling = Self::default();
        is_json.then(|| {
            telling.value(text, start, DEPTH);
            let end = skipped(text, start);
            if !text[end..].trim_ascii_start().starts_with(b"{") {
                telling.push((end, usize::MAX));
            }
            telling
        })
    }

    /// Whether this byte belongs to a part that speaks of the call.
    pub(super) fn has(&self, at: usize) -> bool {
        self.parts[..self.count].iter().any(|&(start, end)| (start..end).contains(&at))
    }

    fn push(&mut self, part: (usize, usize)) {
        if let Some(place) = self.parts.get_mut(self.count) {
            *place = part;
            self.count += 1;
        }
    }

    /// The value here, which speaks of the call: text, an object, or the first element of a list.
    fn value(&mut self, text: &[u8], at: usize, depth: usize) {
        match text.get(at) {
            Some(b'{') if depth > 0 => self.members(text, at + 1, depth - 1),
            Some(b'[') if depth > 0 => {
                let first = blank(text, at + 1);
                // A list of texts is data.
                if matches!(text.get(first), Some(b'{')) {
                    self.value(text, first, depth - 1);
                }
            }
            Some(b'{' | b'[') | None => {}
            Some(_) => self.push((at, skipped(text, at))),
        }
    }

    /// The members of an object, from the first one on.
    fn members(&mut self, text: &[u8], from: usize, depth: usize) {
        let (mut at, mut is_first) = (blank(text, from), true);
        while let Some(b'"' | b'\'') = text.get(at) {
            let name_end = skipped(text, at);
            let colon = blank(text, name_end);
            if text.get(colon) != Some(&b':') {
                return;
            }
            let value = blank(text, colon + 1);
            let end = skipped(text, value);
            match member(&text[at..name_end]) {
                Member::Outcome => self.push((at, end)),
                Member::Words if text.get(value).is_some_and(u8::is_ascii_digit) => self.push((at, end)),
                Member::Words if is_first => self.value(text, value, depth),
                Member::Words => {}
                Member::Data => is_first = false,
            }
            at = blank(text, end);
            if text.get(at) == Some(&b',') {
                at = blank(text, at + 1);
            }
        }
    }
}

/// The next byte that is not blank.
fn blank(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    text.len() - rest.trim_ascii_start().len()
}

/// The end of the value that begins here, or of the text.
fn skipped(text: &[u8], start: usize) -> usize {
    let (mut depth, mut quote, mut at) = (0_usize, None, start);
    while let Some(&byte) = text.get(at) {
        match (quote, byte) {
            (Some(_), b'\\') => at += 1,
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'{' | b'[') => depth += 1,
            (None, b'}' | b']') if depth == 0 => return at,
            (None, b'}' | b']') => depth -= 1,
            (None, b',' | b':') if depth == 0 => return at,
            (None, _) => {}
        }
        at += 1;
        if depth == 0 && quote.is_none() && b"\"'}]".contains(&byte) {
            break;
        }
    }
    at.min(text.len())
}
