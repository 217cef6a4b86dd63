//! Where the status says that something failed, and where a text has one of its own.

use super::*;

/// A log that says what is tried again reads as a list of lines; where the status says that it failed, its words count.
#[test]
fn a_text_of_another_kind_may_be_a_failure_that_may_pass() {
    let log = "WARN  GET https://r.example/vite error (ECONNRESET). Will retry in 10 seconds. 2 retries left.\n \
               ERR_PNPM_META_FETCH_FAIL  GET https://r.example/vite: request failed, reason: read ECONNRESET";
    let reading = Reading::of(log);
    assert_eq!((reading.failed, reading.prospect), (false, Prospect::Passing));
    assert_eq!(Reading::of("a\nb\nc").prospect, Prospect::Unknown);
}

#[test]
fn a_code_in_json_is_a_status_of_http() {
    let answer = |code: u16| {
        format!(r#"{{"error":{{"code":{code},"message":"Quota exceeded for 'Read requests'"}}}}"#)
    };
    assert_eq!(Reading::of(&answer(429)).prospect, Prospect::Passing);
    assert_ne!(Reading::of(&answer(403)).prospect, Prospect::Passing);
    assert!(!Reading::of(r#"{"items":[{"code":429,"name":"bolt"}]}"#).failed);
    assert!(!Reading::of("Article code 429 is in stock.").failed);
}
