//! How much an answer says that is no failure by its status: whether it is more than the word of one call, and whether
//! it reports an error all the same.

use balk_contract::ToolResult;
use memchr::{memchr, memchr_iter};

/// A shorter answer of one line may be that of many calls.
const SHOWN_BYTES: usize = 64;
/// A shorter answer says too little to be the same.
const ANSWER_BYTES: usize = 16;

/// Whether an answer is more than the word of one call about one thing.
pub(super) fn is_long(answer: &[u8]) -> bool {
    answer.len() >= SHOWN_BYTES || memchr(b'\n', answer).is_some()
}

/// What an answer says that is no failure by its status or its beginning.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    /// No more than many calls get.
    Little,
    Something,
    /// It reports an error, so it is not the word that something was done.
    Error,
}

impl Says {
    pub(super) fn of(result: &ToolResult) -> Self {
        match says_something(result) {
            false => Self::Little,
            true if reports_an_error(result) => Self::Error,
            true => Self::Something,
        }
    }
}

/// Bytes of an answer in which it says so, and how: an error that a harness quotes has a colon behind its name.
const ERROR_BYTES: usize = 400;
const ERRORS: [&[u8]; 2] = [b"rror", b"xception"];

/// Whether an answer reports an error somewhere, in a form that programs use in any language. In JSON, the error says
/// something: it is a text or an object.
pub(super) fn reports_an_error(result: &ToolResult) -> bool {
    let answer = result.text.as_bytes();
    let start = &answer[..answer.len().min(ERROR_BYTES)];
    let names_one = |name: &[u8]| ERRORS.iter().any(|it| name.ends_with(it));
    let says_something = |value: &[u8]| match value.trim_ascii_start() {
        [b'"', first, ..] => *first != b'"',
        [b'{', first, ..] => *first == b'"',
        _ => false,
    };
    memchr_iter(b':', start).any(|at| {
        let (before, behind) = (&start[..at], &start[at + 1..]);
        match before.strip_suffix(b"\"") {
            Some(name) => names_one(name) && says_something(behind),
            None => names_one(before) && behind.starts_with(b" "),
        }
    })
}

/// Whether the answer is more than an acknowledgement ("ok", "[]"), which many calls get.
pub(super) fn says_something(result: &ToolResult) -> bool {
    result.text.trim_ascii().len() >= ANSWER_BYTES
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use balk_contract::{Offer, RawCall, Status, ToolCall};

    #[test]
    fn an_error_has_a_colon_behind_its_name_and_says_something() {
        let reports = |text: &str| {
            let raw = RawCall { id: "1".into(), tool: "x".into(), arguments: "{}".into() };
            let call = Arc::new(ToolCall::new(raw, &Offer::default()));
            reports_an_error(&ToolResult::executed(&call, Status::Ok, text))
        };
        for text in [
            "KeyError: 'a'",
            r#"{"status":"OK","replies":[{"error":{"code":400,"message":"Invalid data[0]"}}],"requestId":"1"}"#,
            r#"{"ok":true,"result":{"status":"rejected","error":"fileinto: mailbox does not exist"}}"#,
        ] {
            assert!(reports(text), "{text}");
        }
        for text in [
            r#"{"rows":[{"id":1,"error":null}]}"#,
            r#"{"rows":[{"id":1,"error": ""}],"lastError": {}}"#,
            r#"{"errors": [], "error": false}"#,
        ] {
            assert!(!reports(text), "{text}");
        }
    }
}
