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

/// Names of members, without case and "_", that say whether a list goes on: in the APIs of Slack, Stripe, GitHub, AWS
/// and Google.
const MORE: [&[u8]; 7] =
    [b"more", b"hasmore", b"hasnextpage", b"nextcursor", b"nextpagetoken", b"nexttoken", b"istruncated"];

/// Whether an answer in JSON says that there is more of it elsewhere: `"has_more": true`, `"next_cursor": "dXNlcj"`.
pub(super) fn says_more(result: &ToolResult) -> bool {
    let answer = result.text.as_bytes();
    let (start, end) = (&answer[..answer.len().min(ERROR_BYTES)], answer.len().saturating_sub(ERROR_BYTES));
    let says_so = |part: &[u8]| memchr_iter(b':', part).any(|at| is_more(&part[..at], &part[at + 1..]));
    says_so(start) || end > 0 && says_so(&answer[end..])
}

/// Whether a member, of which this is before and behind its colon, says that there is more.
fn is_more(before: &[u8], behind: &[u8]) -> bool {
    let Some(before) = before.trim_ascii_end().strip_suffix(b"\"") else { return false };
    let start = before.iter().rposition(|it| *it == b'"').map_or(0, |at| at + 1);
    let letters = || before[start..].iter().filter(|it| **it != b'_').map(u8::to_ascii_lowercase);
    let goes_on = match behind.trim_ascii_start() {
        [b'"', first, ..] => *first != b'"',
        value => value.starts_with(b"true"),
    };
    goes_on && MORE.iter().any(|name| letters().eq(name.iter().copied()))
}

/// Whether the answer is more than an acknowledgement ("ok", "[]"), which many calls get.
pub(super) fn says_something(result: &ToolResult) -> bool {
    result.text.trim_ascii().len() >= ANSWER_BYTES
}

/// Words with which a short answer says that nothing was found, first or last in it.
#[rustfmt::skip]
const NOTHING: [&str; 45] = [
    "0", "null", "nil", "none", "no", "kein", "keine", "keinen", "nichts", "aucun", "aucune", "rien", "ningún",
    "ninguna", "nada", "sin", "nenhum", "nenhuma", "sem", "nessun", "nessuna", "niente", "nulla", "geen", "niets",
    "brak", "žádný", "žádné", "inga", "inget", "ingen", "intet", "nincs", "niciun", "нет", "ничего", "немає", "нічого",
    "yok", "tidak", "tiada", "không", "لا", "नहीं", "없음",
];
/// The same in scripts without blanks.
const NOTHING_INSIDE: [&str; 8] = ["没有", "未找到", "无结果", "沒有", "なし", "ません", "없습니다", "ไม่พบ"];

/// Whether a short text says that nothing was found: an empty list, a count of zero, no value, or in words.
pub(super) fn is_nothing(text: &str) -> bool {
    const EMPTY: [&str; 4] = ["[]", "{}", "()", "\"\""];
    let has = |all: &[&str]| all.iter().any(|it| text.contains(it));
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty());
    let ends = [words.next(), words.next_back()];
    let is_it = |word: &str, it: &str| word.chars().flat_map(char::to_lowercase).eq(it.chars());
    let says_none = |word: &str| NOTHING.iter().any(|it| is_it(word, it));
    // "(no output)" is what a harness says of a command that may have done something.
    let is_remark = ends[1].is_some_and(|word| word == "output");
    has(&EMPTY) || has(&NOTHING_INSIDE) || !is_remark && ends.into_iter().flatten().any(says_none)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use balk_contract::{Offer, RawCall, Status, ToolCall};

    fn answer(text: &str) -> ToolResult {
        let raw = RawCall { id: "1".into(), tool: "x".into(), arguments: "{}".into() };
        ToolResult::executed(&Arc::new(ToolCall::new(raw, &Offer::default())), Status::Ok, text)
    }

    #[test]
    fn an_error_has_a_colon_behind_its_name_and_says_something() {
        let reports = |text: &str| reports_an_error(&answer(text));
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

    #[test]
    fn a_list_says_that_it_goes_on() {
        let says = |text: &str| says_more(&answer(text));
        for text in [
            r#"{"rows":[],"cursor":"1fa7","more":true}"#,
            r#"{"data": [], "has_more" : true}"#,
            r#"{"pageInfo":{"hasNextPage": true}}"#,
            r#"{"nextPageToken": "CAE"}"#,
        ] {
            assert!(says(text), "{text}");
        }
        for text in [
            r#"{"rows":[],"more":false}"#,
            r#"{"next_cursor": ""}"#,
            r#"{"next_cursor": null}"#,
            "there is more: true",
            r#"{"evermore": true}"#,
        ] {
            assert!(!says(text), "{text}");
        }
    }

    #[test]
    fn an_empty_list_a_count_of_zero_no_value_and_a_no_are_nothing() {
        for text in [
            "[]",
            r#"{"rows": []}"#,
            "(0 rows)",
            "0 results",
            "(nil)",
            "null",
            "None",
            "no page",
            "nessuna voce",
            "sonuç yok",
            "нет страниц",
            "没有结果",
            "なし",
            "결과 없음",
        ] {
            assert!(is_nothing(text), "{text}");
        }
        for text in [
            "ok",
            "",
            "done",
            "7 rows",
            "[x]",
            "1",
            ".",
            "nothing to do",
            "noted",
            "sent",
            "已发送",
            "(no output)",
        ] {
            assert!(!is_nothing(text), "{text}");
        }
    }
}
