//! Numbers that say how a tool ended.

use super::words::{begins, ends};

/// A count. A greater one is worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Count {
    None,
    /// How many; more than fit are as many as fit.
    Some(u16),
}

/// Bytes from "exit" to its number: "exit code: 1", "exited with status 1", "<returncode>1".
const GAP: usize = 30;

/// The number at the start of a text: how many bytes it takes, and how much it is.
fn number(text: &[u8]) -> Option<(usize, Count)> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let add = |sum: u16, digit: &u8| sum.saturating_mul(10).saturating_add(u16::from(digit - b'0'));
    let sum = text[..digits].iter().fold(0, add);
    (digits > 0).then_some((digits, if sum == 0 { Count::None } else { Count::Some(sum) }))
}

/// A number, and the count of failures that it begins: "3 failed", "0 errors", "1 compile error".
pub(super) fn count_before(text: &[u8]) -> (usize, Option<Count>) {
    let Some((digits, count)) = number(text) else { return (1, None) };
    if text.get(digits) != Some(&b' ') {
        return (digits, None);
    }
    let rest = text[digits..].trim_ascii_start();
    if begins(rest, b"pass") {
        return (digits, Some(Count::None));
    }
    // One word may come between: "1 previous error", "0 chart(s) failed".
    let noun =
        rest.iter().take_while(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'(' | b')')).count();
    let next = rest.get(noun + 1..).filter(|_| rest[noun] == b' ');
    (digits, (is_failure(rest) || next.is_some_and(is_failure)).then_some(count))
}

/// Whether the text begins with what failures are counted in.
fn is_failure(text: &[u8]) -> bool {
    let words: &[&[u8]] = match text {
        [b'e' | b'E', ..] => &[b"errors", b"error", b"exit status"],
        [b'f' | b'F', ..] => &[b"failed", b"failing", b"failures", b"failure"],
        _ => return false,
    };
    words.iter().any(|word| {
        let behind = text.get(word.len()..).unwrap_or_default();
        begins(text, word) && (ends(text, word.len()) || behind.starts_with(b"(s)"))
    })
}

/// The count behind a word such as "Failures": `: 0`, `=1`, `": []`.
pub(super) fn count_after(text: &[u8]) -> Option<Count> {
    let marks = text.iter().take_while(|byte| matches!(byte, b'"' | b'\'' | b':' | b'=' | b' ')).count();
    if !text[..marks].iter().any(|byte| matches!(byte, b':' | b'=')) {
        return None;
    }
    let value = &text[marks..];
    // `"error": ""`.
    if [&b"\"\""[..], b"''"].iter().any(|quotes| text[..marks].ends_with(quotes)) {
        return Some(Count::None);
    }
    let nothing = [&b"[]"[..], b"null", b"none", b"(none)", b"false", b"{}"];
    if nothing.iter().any(|word| begins(value, word)) {
        return Some(Count::None);
    }
    let (digits, count) = number(value)?;
    value.get(digits).is_none_or(|next| !next.is_ascii_alphanumeric()).then_some(count)
}

/// Whether the value at the start of a text is false: `": false`.
pub(super) fn is_denied(text: &[u8]) -> bool {
    let value = text.trim_ascii_start().strip_prefix(b"\"").unwrap_or(text).trim_ascii_start();
    value.strip_prefix(b":").is_some_and(|value| begins(value.trim_ascii_start(), b"false"))
}

/// The status in a text that begins with "exit": "exit code 1", "exited with status 0", "exit_code": 2.
pub(super) fn exit_status(text: &[u8]) -> Option<Count> {
    let near = &text[..text.len().min(GAP)];
    let gap = near.iter().position(u8::is_ascii_digit)?;
    let is_worded = |word: &[u8]| near[..gap].windows(word.len()).any(|it| it.eq_ignore_ascii_case(word));
    let says = is_worded(b"code") || is_worded(b"status") || is_worded(b"with");
    let plain = near[..gap].iter().all(|byte| byte.is_ascii_alphabetic() || b" :=_-\"'`>".contains(byte));
    (says && plain).then(|| number(&near[gap..]).map(|(_, count)| count))?
}

/// A status of HTTP that is a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HttpFailure([u8; 3]);

impl HttpFailure {
    /// Time-outs, limits of rate and faults of the server may pass.
    pub(super) fn may_pass(self) -> bool {
        self.0[0] == b'5' || matches!(&self.0, b"408" | b"425" | b"429")
    }
}

/// Words before a status of HTTP without a phrase behind it: "returned error: 503", "HTTP/1.1 502", "status code 429".
const BEFORE_STATUS: [&[u8]; 9] = [
    b"error",
    b"http",
    b"http/1.0",
    b"http/1.1",
    b"http/2",
    b"status",
    b"status code",
    b"statuscode",
    b"status_code",
];

/// A status of HTTP that is a failure, which begins here: with its phrase behind it ("502 Bad Gateway"), or with a word
/// for it before.
pub(super) fn http_failure(line: &[u8], start: usize) -> Option<HttpFailure> {
    const PHRASES: [&[u8]; 12] = [
        b"bad ",
        b"unauthorized",
        b"forbidden",
        b"not found",
        b"method not",
        b"conflict",
        b"gone",
        b"too many",
        b"internal server",
        b"service unavailable",
        b"service temporarily",
        b"gateway time",
    ];
    let [first @ (b'4' | b'5'), second @ b'0'..=b'9', third @ b'0'..=b'9', rest @ ..] = &line[start..] else {
        return None;
    };
    if rest.first().is_some_and(|next| next.is_ascii_alphanumeric() || matches!(next, b'.' | b'%' | b'_')) {
        return None;
    }
    let behind = rest.strip_prefix(b":").unwrap_or(rest);
    let is_phrased =
        || behind.strip_prefix(b" ").is_some_and(|it| PHRASES.iter().any(|phrase| begins(it, phrase)));
    let before = || {
        let marks =
            line[..start].iter().rev().take_while(|byte| matches!(byte, b' ' | b':' | b'=' | b'"')).count();
        &line[..start - marks]
    };
    // A member of JSON: in a text, a code of three digits may be anything.
    let is_announced = || marks_status(before()) || before().ends_with(b"\"code");
    (is_phrased() || is_announced()).then_some(HttpFailure([*first, *second, *third]))
}

/// Whether a status of HTTP of a server that is busy begins here, in brackets of its own: "does not answer (503)". What
/// is counted may stand there, too, so by itself it is no failure.
pub(super) fn is_busy(line: &[u8], start: usize) -> bool {
    let is_status =
        |it: &[u8]| matches!(it, [b'4', b'2', b'9', b')', ..] | [b'5', b'0', b'2'..=b'4', b')', ..]);
    line[..start].ends_with(b"(") && is_status(&line[start..])
}

/// Whether a text ends with a word for a status of HTTP.
fn marks_status(text: &[u8]) -> bool {
    BEFORE_STATUS.iter().any(|word| {
        let start = text.len().checked_sub(word.len());
        start.is_some_and(|start| {
            text[start..].eq_ignore_ascii_case(word)
                && !start.checked_sub(1).is_some_and(|before| text[before].is_ascii_alphanumeric())
        })
    })
}
