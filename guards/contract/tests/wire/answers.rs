//! What a server sends back: completions, its own errors, and what is neither.

use balk_contract::wire::Dialect::{self, Anthropic, OpenAi, Responses};
use balk_contract::wire::{Form, Reply, retry_after};
use balk_contract::{AttemptCause, Completion};

use crate::common::{offer, sse};

fn answer(dialect: Dialect, status: u16, form: Form, body: &str) -> Result<Completion, String> {
    let reply = Reply { status, retry_after: None, form, body: body.into() };
    dialect.answer(&reply, &offer()).map_err(|it| format!("{:?}: {it}", it.remedy))
}

#[track_caller]
fn refused(dialect: Dialect, status: u16, body: &str, expected: &str) {
    assert_eq!(answer(dialect, status, Form::Whole, body), Err(expected.to_owned()));
}

const WHOLE: &str = r#"{"choices":[{"message":{"content":"Done."},"finish_reason":"stop"}],"error":null}"#;

#[test]
fn a_completion_is_read_whole_or_as_a_stream() {
    let stream = sse(&[r#"{"choices":[{"delta":{"content":"Done."},"finish_reason":"stop"}]}"#, "[DONE]"]);
    let whole = answer(OpenAi, 200, Form::Whole, WHOLE).unwrap();
    assert_eq!(whole.texts().map(|it| &**it).collect::<Vec<_>>(), ["Done."]);
    assert_eq!(answer(OpenAi, 200, Form::Stream, &stream), Ok(whole));
    let whole = r#"{"type":"message","content":[{"type":"text","text":"Done."}],"stop_reason":"end_turn"}"#;
    assert!(answer(Anthropic, 201, Form::Whole, whole).unwrap().has_text());
}

#[test]
fn an_error_has_the_status_of_the_response_and_the_words_of_the_provider() {
    let slow = r#"{"error":{"message":"Slow\n down.","type":"requests","code":"rate_limit_exceeded"}}"#;
    refused(OpenAi, 429, slow, "Again: the provider refused with status 429: Slow down.");
    let busy = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    refused(Anthropic, 529, busy, "Again: the provider refused with status 529: Overloaded");
    let key = r#"{"error":{"message":"Wrong key.","code":"invalid_api_key"}}"#;
    refused(OpenAi, 401, key, "Nothing: the provider refused with status 401: Wrong key.");
    let unpaid = r#"{"error":{"message":"Pay.","code":"insufficient_quota"}}"#;
    refused(OpenAi, 429, unpaid, "Nothing: the provider refused with status 429: Pay.");
    let missing = r#"{"object":"error","message":"No such model.","type":"NotFoundError","code":404}"#;
    refused(OpenAi, 404, missing, "Nothing: the provider refused with status 404: No such model.");
    let detail = r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#;
    let expected =
        "Nothing: the provider refused with status 422: [{\"loc\":[\"body\"],\"msg\":\"field required\"}]";
    refused(OpenAi, 422, detail, expected);
    refused(
        OpenAi,
        404,
        "404 page not found",
        "Nothing: the provider refused with status 404: 404 page not found",
    );
    let page = "<html>\r\n<head><title>502 Bad Gateway</title></head>";
    let expected =
        "Again: the provider refused with status 502: <html> <head><title>502 Bad Gateway</title></head>";
    refused(OpenAi, 502, page, expected);
    refused(OpenAi, 503, "", "Again: the provider refused with status 503");
    refused(OpenAi, 500, "\"\\u001b[31m\"", "Again: the provider refused with status 500: \"\\u001b[31m\"");
}

#[test]
fn an_error_in_a_response_of_success_has_the_status_that_it_stands_for() {
    let slow = r#"{"error":{"message":"Slow down.","code":"rate_limit_exceeded"}}"#;
    refused(OpenAi, 200, slow, "Again: the provider refused with status 429: Slow down.");
    let lost = r#"{"type":"error","error":{"type":"not_found_error","message":"model: x"}}"#;
    refused(Anthropic, 200, lost, "Nothing: the provider refused with status 404: model: x");
    refused(
        OpenAi,
        200,
        r#"{"error":"out of memory"}"#,
        "Again: the provider refused with status 500: out of memory",
    );
    refused(
        OpenAi,
        200,
        r#"{"object":"error","message":"Bad.","code":40303}"#,
        "Again: the provider refused with status 500: Bad.",
    );
    // A name of the other dialect is an error, too.
    refused(OpenAi, 200, r#"{"type":"error"}"#, "Again: the provider refused with status 500: error");
}

#[test]
fn an_error_in_a_stream_is_read_alike() {
    let event = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let stream = format!("event: error\ndata: {event}\n\n");
    for (status, code) in [(200, 529), (503, 503)] {
        let expected = format!("Again: the provider refused with status {code}: Overloaded");
        assert_eq!(answer(Anthropic, status, Form::Stream, &stream), Err(expected));
    }
    let expected = "Again: the connection was lost: the stream ended before the answer did";
    assert_eq!(answer(OpenAi, 200, Form::Stream, ""), Err(expected.to_owned()));
    assert_eq!(
        answer(OpenAi, 200, Form::Stream, "data: {\"choices\":[]}\n\ndata: {\"ch"),
        Err(expected.to_owned())
    );
    let expected = "Again: the provider refused with status 500: data";
    assert_eq!(answer(OpenAi, 500, Form::Stream, "data"), Err(expected.to_owned()));
}

#[test]
fn a_body_that_is_no_answer_says_what_it_is() {
    refused(OpenAi, 200, " \n", "Again: the connection was lost: expected an answer, found an empty body");
    refused(
        OpenAi,
        200,
        &WHOLE[..30],
        "Again: the connection was lost: the answer breaks off after 30 bytes",
    );
    let page = "<!doctype html><title>Log in</title><p>Welcome";
    let expected =
        "Nothing: the connection was lost: expected JSON, found `<!doctype html><title>Log in</title><p>W…`";
    refused(OpenAi, 200, page, expected);
    let expected = "Nothing: the connection was lost: the answer cannot be read: .: missing field `choices` at line 1 \
                    column 2";
    refused(OpenAi, 200, "{}", expected);
    let expected = "Nothing: the connection was lost: the answer cannot be read: choices: expected at least one \
                    choice, found none";
    refused(OpenAi, 200, r#"{"choices":[]}"#, expected);
    // Another API's answers have an id as well, and what watches a server has a status.
    let chat = r#"{"id":"chatcmpl-1","object":"chat.completion","choices":[]}"#;
    let message =
        r#"{"id":"msg_1","type":"message","role":"assistant","content":[],"stop_reason":"end_turn"}"#;
    for body in [chat, message, r#"{"status":"ok"}"#, r#"{"id":"r","output":null}"#] {
        let expected = "Nothing: the connection was lost: the answer cannot be read: output: expected items of a \
                        response, found none";
        refused(Responses, 200, body, expected);
    }
    for body in [r#"{"id":"r","output":[]}"#, r#"{"id":"r","status":"failed"}"#] {
        assert!(answer(Responses, 200, Form::Whole, body).unwrap().calls.is_empty(), "{body}");
    }
    refused(OpenAi, 302, "", "Nothing: the connection failed: expected an answer, found status 302");
    refused(OpenAi, 600, "{}", "Nothing: the connection failed: expected an answer, found status 600");
}

#[test]
fn an_answer_that_breaks_off_within_a_number_is_lost_like_any_other() {
    for number in ["-", "1.", "1e", "1E+", "-0.5e-"] {
        let body =
            format!(r#"{{"content":[{{"type":"tool_use","id":"t","name":"ls","input":{{"a": {number}"#);
        let bytes = body.len();
        let expected = format!("Again: the connection was lost: the answer breaks off after {bytes} bytes");
        refused(Anthropic, 200, &body, &expected);
        refused(Anthropic, 200, number, &expected.replace(&bytes.to_string(), &number.len().to_string()));
    }
    // What no digit can complete was never JSON.
    for wrong in ["1ee", "--", "<-", "{\"a\": 01e"] {
        refused(
            OpenAi,
            200,
            wrong,
            &format!("Nothing: the connection was lost: expected JSON, found `{wrong}`"),
        );
    }
}

#[test]
fn a_request_that_does_not_fit_is_known_by_its_name_or_its_words() {
    let named = |member: &str, name: &str| format!(r#"{{"error":{{"message":"No.","{member}":"{name}"}}}}"#);
    let said = |text: &str| format!(r#"{{"error":{{"message":"{text}","type":"server_error"}}}}"#);
    let bodies = [
        (400, named("code", "context_length_exceeded")),
        (400, named("type", "exceed_context_size_error")),
        (400, said("prompt is too long: 208310 tokens > 200000 maximum")),
        (400, said("input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000")),
        (400, said("Input is too long for requested model.")),
        (
            400,
            said("This model's maximum context length is 16384 tokens. However, you requested 122946 tokens"),
        ),
        (400, said("Your input exceeds the context window of this model.")),
        (400, said("request (4390 tokens) exceeds the available context size (4096 tokens)")),
        (500, said("Context size has been exceeded.")),
        (500, said("Requested tokens (2285) exceed context window of 2048")),
        (
            200,
            said("The number of tokens to keep from the initial prompt is greater than the context length."),
        ),
        (400, said("Please reduce the length of the messages or completion.")),
        (400, said("This model's maximum prompt length is 500000 but the request contains 907154 tokens.")),
        (413, "Payload Too Large".to_owned()),
        (400, "prompt is too long".to_owned()),
    ];
    for (status, body) in bodies {
        let refusal = answer(OpenAi, status, Form::Whole, &body).unwrap_err();
        assert!(refusal.starts_with("Shorten: the provider refused"), "{status} {body}: {refusal}");
    }
}

#[test]
fn what_can_help_follows_from_the_status() {
    let again: Vec<u16> = (400..600)
        .filter(|&status| answer(OpenAi, status, Form::Whole, "no").unwrap_err().starts_with("Again"))
        .collect();
    let expected: Vec<u16> = [408, 425, 429].into_iter().chain(500..600).collect();
    assert_eq!(again, expected);
}

#[test]
fn a_message_is_one_bounded_line() {
    let body = format!("{}\n\u{1b}[31m\u{0}{}", "é ".repeat(60), "long".repeat(1000));
    let reply = Reply { status: 400, retry_after: None, form: Form::Whole, body: body.into() };
    let message = OpenAi.answer(&reply, &offer()).unwrap_err().message;
    assert_eq!(message.chars().count(), 201);
    assert!(message.starts_with("é é ") && message.ends_with('…'), "{message}");
    assert!(!message.chars().any(char::is_control), "{message:?}");
}

#[test]
fn the_time_to_wait_is_part_of_the_refusal() {
    for (status, code) in [(429, 429), (200, 500)] {
        let body = r#"{"error":"later"}"#;
        let reply = Reply { status, retry_after: Some(1500), form: Form::Whole, body: body.into() };
        let cause = OpenAi.answer(&reply, &offer()).unwrap_err().cause;
        assert_eq!(cause, AttemptCause::Status { code, retry_after: Some(1500) });
    }
}

#[test]
fn the_time_to_wait_is_read_from_its_headers() {
    assert_eq!(retry_after(None, None), None);
    assert_eq!(retry_after(None, Some("20")), Some(20_000));
    assert_eq!(retry_after(None, Some(" 0.25 ")), Some(250));
    assert_eq!(retry_after(None, Some("1.0001")), Some(1000));
    assert_eq!(retry_after(Some("1500"), Some("2")), Some(1500));
    assert_eq!(retry_after(Some("0.2"), Some("2")), Some(1), "rounded up");
    assert_eq!(retry_after(Some("soon"), Some("2")), Some(2000));
    for unknown in
        ["Wed, 21 Oct 2026 07:28:00 GMT", "-1", "", ".", "1e3", "99999999999999999999", "9999999999999999999"]
    {
        assert_eq!(retry_after(None, Some(unknown)), None, "{unknown}");
    }
}
