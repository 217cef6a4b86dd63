//! What a server says in place of an answer and around it, as each provider says it.

use balk_contract::AttemptCause;
use balk_contract::wire::{
    Dialect, Failure, FailureKind, Form, Headers, Limit, Remedy, Reply, models, retry_after, token_count,
};

use crate::common::offer;

#[track_caller]
fn says(dialect: Dialect, kind: FailureKind, status: u16, expected: &str) {
    let failure = Failure::of(dialect, kind, "Slow\ndown.");
    assert_eq!((failure.status, &*failure.body(dialect)), (status, expected));
}

#[test]
fn an_error_has_the_shape_of_its_provider() {
    for dialect in [Dialect::OpenAi, Dialect::Responses] {
        let code = r#""param":null,"code":"rate_limit_exceeded""#;
        let limit = format!(r#"{{"error":{{"message":"Slow\ndown.","type":"requests",{code}}}}}"#);
        says(dialect, FailureKind::RateLimit, 429, &limit);
        let failed = r#"{"error":{"message":"Slow\ndown.","type":"server_error","param":null,"code":null}}"#;
        says(dialect, FailureKind::Overloaded, 503, failed);
    }
    let busy =
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Slow\ndown."},"request_id":null}"#;
    says(Dialect::Anthropic, FailureKind::Overloaded, 529, busy);
    let limit = r#"{"error":{"code":429,"message":"Slow\ndown.","status":"RESOURCE_EXHAUSTED"}}"#;
    says(Dialect::Gemini, FailureKind::RateLimit, 429, limit);
    let later = Failure {
        retry_after: Some(1500),
        request_id: Some("req_1".into()),
        ..Failure::of(Dialect::Gemini, FailureKind::RateLimit, "x")
    };
    let details = r#""details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.500s"}]"#;
    assert!(later.body(Dialect::Gemini).contains(details), "{later:?}");
    assert!(later.body(Dialect::Anthropic).ends_with(r#""request_id":"req_1"}"#), "{later:?}");
}

/// What helps after an error of this kind, with a message that says as much as the provider's own.
fn helps(kind: FailureKind) -> (&'static str, Remedy) {
    match kind {
        FailureKind::Invalid
        | FailureKind::Key
        | FailureKind::Unpaid
        | FailureKind::Forbidden
        | FailureKind::Missing => ("No.", Remedy::Nothing),
        FailureKind::TooLarge => ("Too many bytes.", Remedy::Shorten),
        FailureKind::TooLong => {
            ("prompt is too long: it exceeds the maximum number of tokens allowed", Remedy::Shorten)
        }
        FailureKind::RateLimit | FailureKind::Failed | FailureKind::Timeout | FailureKind::Overloaded => {
            ("Later.", Remedy::Again)
        }
    }
}

#[test]
fn an_error_is_read_as_it_was_meant() {
    for dialect in Dialect::ALL {
        for kind in FailureKind::ALL {
            let (message, remedy) = helps(kind);
            // Gemini has no status for a request of too many bytes.
            if (dialect, kind) == (Dialect::Gemini, FailureKind::TooLarge) {
                continue;
            }
            let failure = Failure::of(dialect, kind, message);
            for (form, body) in [
                (Form::Whole, failure.body(dialect)),
                (Form::Stream, failure.in_stream(dialect, 0).to_string()),
            ] {
                let reply =
                    Reply { status: failure.status, retry_after: Some(7), form, body: body.as_str().into() };
                let refusal = dialect.answer(&reply, &offer()).unwrap_err();
                let cause = AttemptCause::Status { code: failure.status, retry_after: Some(7) };
                assert_eq!(
                    (refusal.cause, &*refusal.message, refusal.remedy),
                    (cause, message, remedy),
                    "{body}"
                );
            }
        }
    }
}

#[test]
fn an_error_within_a_stream_breaks_it() {
    for dialect in Dialect::ALL {
        for kind in [FailureKind::RateLimit, FailureKind::Failed, FailureKind::TooLong] {
            let failure = Failure::of(dialect, kind, "prompt is too long");
            let mut reader = dialect.stream();
            reader.feed(failure.in_stream(dialect, 3).to_string().as_bytes());
            let broken = reader.finish(&offer()).unwrap_err();
            let cause = AttemptCause::Status { code: failure.status, retry_after: None };
            assert_eq!(
                (broken.cause, &*broken.message),
                (cause, "prompt is too long"),
                "{dialect:?} {kind:?}"
            );
        }
    }
    let event = Failure::of(Dialect::Responses, FailureKind::Failed, "x").in_stream(Dialect::Responses, 3);
    let expected = r#"{"type":"error","code":"server_error","message":"x","param":null,"sequence_number":3}"#;
    assert_eq!((event.name, &*event.data), (Some("error"), expected));
}

#[test]
fn an_error_in_place_of_the_array_of_gemini_is_an_array() {
    let error = r#"[{"error":{"code":429,"message":"Slow down.","status":"RESOURCE_EXHAUSTED"}}]"#;
    for status in [200, 429] {
        let reply = Reply { status, retry_after: None, form: Form::Whole, body: error.into() };
        let refusal = Dialect::Gemini.answer(&reply, &offer()).unwrap_err();
        let cause = AttemptCause::Status { code: 429, retry_after: None };
        assert_eq!((refusal.cause, &*refusal.message), (cause, "Slow down."));
    }
}

#[test]
fn headers_have_the_names_of_their_provider() {
    let requests = Limit { limit: 50, remaining: 49, reset: 7 };
    let tokens = Limit { limit: 1000, remaining: 0, reset: 360 };
    let headers = Headers {
        request_id: "req_1".into(),
        now: 951_782_393,
        limits: Some([requests, tokens]),
        retry_after: Some(1500),
    };
    let lines =
        |dialect| headers.of(dialect).iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let openai: Vec<String> = lines(Dialect::OpenAi);
    assert_eq!(
        openai,
        [
            "x-request-id: req_1",
            "x-ratelimit-limit-requests: 50",
            "x-ratelimit-remaining-requests: 49",
            "x-ratelimit-reset-requests: 7s",
            "x-ratelimit-limit-tokens: 1000",
            "x-ratelimit-remaining-tokens: 0",
            "x-ratelimit-reset-tokens: 6m0s",
            "retry-after: 2",
            "retry-after-ms: 1500",
        ]
    );
    assert_eq!(lines(Dialect::Responses), openai);
    assert_eq!(
        lines(Dialect::Anthropic),
        [
            "request-id: req_1",
            "anthropic-ratelimit-requests-limit: 50",
            "anthropic-ratelimit-requests-remaining: 49",
            "anthropic-ratelimit-requests-reset: 2000-02-29T00:00:00Z",
            "anthropic-ratelimit-tokens-limit: 1000",
            "anthropic-ratelimit-tokens-remaining: 0",
            "anthropic-ratelimit-tokens-reset: 2000-02-29T00:05:53Z",
            "retry-after: 2",
        ]
    );
    assert_eq!(lines(Dialect::Gemini), [""; 0]);
    assert_eq!(retry_after(Some("1500"), Some("2")), Some(1500));
}

#[test]
fn models_and_token_counts() {
    let ids = ["a", "b"];
    let openai = r#"{"object":"list","data":[{"id":"a","object":"model","created":0,"owned_by":"balk"}]}"#;
    assert_eq!(models(Dialect::OpenAi, &ids[..1], 0), openai);
    assert_eq!(models(Dialect::Responses, &ids[..1], 0), openai);
    let model = |id: &str| {
        format!(r#"{{"type":"model","id":"{id}","display_name":"{id}","created_at":"1970-01-01T00:00:00Z"}}"#)
    };
    let page = r#""has_more":false,"first_id":"a","last_id":"b""#;
    assert_eq!(
        models(Dialect::Anthropic, &ids, 0),
        format!(r#"{{"data":[{},{}],{page}}}"#, model("a"), model("b"))
    );
    assert!(models(Dialect::Anthropic, &[], 0).ends_with(r#""first_id":null,"last_id":null}"#));
    let methods = r#""supportedGenerationMethods":["generateContent","countTokens"]"#;
    let gemini = format!(r#"{{"models":[{{"name":"models/a","displayName":"a",{methods}}}]}}"#);
    assert_eq!(models(Dialect::Gemini, &ids[..1], 0), gemini);
    assert_eq!(token_count(Dialect::OpenAi, 3), None);
    assert_eq!(
        token_count(Dialect::Responses, 3).as_deref(),
        Some(r#"{"object":"response.input_tokens","input_tokens":3}"#)
    );
    assert_eq!(token_count(Dialect::Anthropic, 3).as_deref(), Some(r#"{"input_tokens":3}"#));
    assert_eq!(token_count(Dialect::Gemini, 3).as_deref(), Some(r#"{"totalTokens":3}"#));
}

/// By the standard, the lines of data of an event are one, and CR ends a line.
#[test]
fn the_first_event_of_a_refusal_is_read_as_any_other() {
    for body in [
        "data: {\"error\":\ndata: {\"message\":\"Slow down.\"}}\n\n",
        "event: error\rdata: {\"error\":{\"message\":\"Slow down.\"}}\r\r",
        "data: {\"error\":{\"message\":\"Slow down.\"}}",
    ] {
        let reply = Reply { status: 429, retry_after: None, form: Form::Stream, body: body.into() };
        let refusal = Dialect::OpenAi.answer(&reply, &offer()).expect_err("an error");
        assert_eq!(&*refusal.message, "Slow down.", "{body}");
    }
}
