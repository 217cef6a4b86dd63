//! What a client sees of an answer that breaks off, in every dialect, whole and streamed.

use std::io::Write as _;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use balk_guards::wire::{Dialect, Form, Reply, retry_after};
use balk_guards::{AttemptFacts, Offer};

use super::client::{
    End, Got, PATIENCE, TOOLS, address, exchange, opening, path, plain, receive, request_bytes, serving,
    start,
};

/// How long more of an answer is waited for that stalls, once the server has the request.
const STALLED: Duration = Duration::from_millis(300);

/// The answer to a first request, if it breaks off like this.
fn broken(dialect: Dialect, stream: bool, cause: &str, at: &str) -> Got {
    let look =
        format!("[[healthy.state.break]]\nuntil = 1\n{cause}\nat = \"{at}\"\nsays = \"unavailable\"\n");
    let server = start(serving(vec![plain(&look)]));
    let body = opening(dialect, stream, TOOLS).to_string();
    let bytes = request_bytes("POST", path(dialect, stream), &[], body.as_bytes());
    let got = if cause.contains("timed-out") {
        let mut stream = TcpStream::connect(address(&server)).expect("a connection");
        stream.write_all(&bytes).expect("it is sent");
        while server.told(None).is_none_or(|it| it.steps.is_empty()) {
            thread::sleep(Duration::from_millis(1));
        }
        receive(&mut stream, STALLED)
    } else {
        exchange(&server, &bytes, PATIENCE)
    };
    // The next attempt is whole.
    let again = exchange(&server, &bytes, PATIENCE);
    assert_eq!((again.status, again.end), (200, End::Whole), "{again:?}");
    let form = if stream { Form::Stream } else { Form::Whole };
    let reply = Reply { status: 200, retry_after: None, form, body: again.body.into() };
    let completion = dialect.answer(&reply, &Offer::default()).expect("an answer");
    assert_eq!(completion.calls.len(), 1);
    assert!(completion.usage.input_tokens > 0 && completion.usage.output_tokens > 0, "{dialect:?} {stream}");
    got
}

fn each(check: impl Fn(Dialect, bool)) {
    for dialect in Dialect::ALL {
        [false, true].into_iter().for_each(|stream| check(dialect, stream));
    }
}

#[test]
fn a_status_comes_with_the_time_to_wait() {
    each(|dialect, stream| {
        let got = broken(dialect, stream, "status = 429\nretry_after = \"pause\"", "nothing");
        assert_eq!((got.status, got.end), (429, End::Whole), "{got:?}");
        assert_eq!(got.error(dialect), "The server has a bad moment.");
        match dialect {
            Dialect::Gemini => {
                assert_eq!(got.json()["error"]["details"][0]["retryDelay"], "3.000s", "{got:?}");
            }
            Dialect::OpenAi | Dialect::Responses | Dialect::Anthropic => {
                let seen = retry_after(got.header("retry-after-ms"), got.header("retry-after"));
                assert_eq!(seen, Some(3_000), "{got:?}");
            }
        }
    });
}

#[test]
fn a_connection_that_breaks_first_brings_no_byte() {
    each(|dialect, stream| {
        for cause in ["connect", "disconnected"] {
            let got = broken(dialect, stream, &format!("cause = \"{cause}\""), "nothing");
            assert_eq!(
                (got.status, &*got.body, got.end),
                (0, "", End::Reset),
                "{dialect:?} {stream} {cause}"
            );
        }
        let got = broken(dialect, stream, "cause = \"timed-out\"", "nothing");
        assert_eq!((got.status, &*got.body, got.end), (0, "", End::Waits), "{dialect:?} {stream}");
    });
}

#[test]
fn a_whole_answer_breaks_off_in_its_middle() {
    for dialect in Dialect::ALL {
        for at in ["progress", "output", "input", "call"] {
            for (cause, end) in [("disconnected", End::Reset), ("timed-out", End::Waits)] {
                let got = broken(dialect, false, &format!("cause = \"{cause}\""), at);
                assert_eq!((got.status, got.end), (200, end), "{dialect:?} {at}: {got:?}");
                let length: usize =
                    got.header("content-length").expect("a length").parse().expect("a number");
                assert!((1..length).contains(&got.body.len()), "{dialect:?} {at}: {got:?}");
            }
            let got = broken(dialect, false, "status = 503", at);
            assert_eq!((got.status, got.end), (503, End::Whole), "{dialect:?} {at}: {got:?}");
            got.error(dialect);
        }
    }
}

/// What a reader of a stream knows in the end.
fn facts(dialect: Dialect, got: &Got) -> AttemptFacts {
    let mut reader = dialect.stream();
    reader.feed(got.body.as_bytes());
    reader.finish(&Offer::default()).expect_err("it broke off").facts
}

#[test]
fn a_stream_breaks_off_where_the_script_says() {
    for dialect in Dialect::ALL {
        for at in ["progress", "output", "input", "call"] {
            for (cause, end) in [
                ("cause = \"disconnected\"", End::Reset),
                ("cause = \"timed-out\"", End::Waits),
                ("status = 503", End::Whole),
            ] {
                let got = broken(dialect, true, cause, at);
                // Gemini has no event that shows nothing.
                if dialect == Dialect::Gemini && at == "progress" && end == End::Reset {
                    assert_eq!((got.status, got.end), (0, end), "{got:?}");
                    continue;
                }
                assert_eq!((got.status, got.end), (200, end), "{dialect:?} {at} {cause}: {got:?}");
                assert_eq!(got.body.contains("The server has a bad moment."), end == End::Whole, "{got:?}");
                let facts = facts(dialect, &got);
                let shown = [facts.visible_output, facts.tool_input_started, facts.tool_call_materialized];
                // Gemini has no event for a part of a call, and the one with the whole call ends the answer.
                let begun = dialect != Dialect::Gemini && (at == "call" || at == "input");
                let expected = match at {
                    "progress" => [Some(false), Some(false), Some(false)],
                    "output" => [Some(true), Some(false), Some(false)],
                    "input" => [Some(true), Some(begun), Some(false)],
                    _ => [Some(true), Some(begun), shown[2]],
                };
                assert_eq!(shown, expected, "{dialect:?} {at} {cause}: {got:?}");
            }
        }
    }
}

#[test]
fn an_empty_answer_is_a_whole_one() {
    each(|dialect, stream| {
        let server = start(serving(vec![plain("empty = [\"1/1\", \"0/1\"]\n")]));
        let body = opening(dialect, stream, TOOLS).to_string();
        let bytes = request_bytes("POST", path(dialect, stream), &[], body.as_bytes());
        let got = exchange(&server, &bytes, PATIENCE);
        assert_eq!((got.status, got.end), (200, End::Whole), "{got:?}");
        let form = if stream { Form::Stream } else { Form::Whole };
        let reply = Reply { status: 200, retry_after: None, form, body: got.body.into() };
        let completion = dialect.answer(&reply, &Offer::default()).expect("an answer");
        assert!(completion.parts.is_empty() && completion.calls.is_empty(), "{completion:?}");
    });
}

#[test]
fn every_answer_has_an_id_and_the_limits() {
    each(|dialect, stream| {
        let server = start(serving(vec![plain("")]));
        let body = opening(dialect, stream, TOOLS).to_string();
        // A name that no header can have.
        let path = format!("/c/caf%C3%A9%0A{}", path(dialect, stream));
        let ask = || exchange(&server, &request_bytes("POST", &path, &[], body.as_bytes()), PATIENCE);
        let (one, two) = (ask(), ask());
        let kind = if stream { "text/event-stream; charset=utf-8" } else { "application/json" };
        assert_eq!(one.header("content-type"), Some(kind));
        let names = match dialect {
            Dialect::OpenAi | Dialect::Responses => ["x-request-id", "x-ratelimit-remaining-requests"],
            Dialect::Anthropic => ["request-id", "anthropic-ratelimit-requests-remaining"],
            Dialect::Gemini => return,
        };
        let ids = [&one, &two].map(|it| it.header(names[0]).expect("an id"));
        assert_ne!(ids[0], ids[1]);
        assert_eq!(one.header(names[1]), Some("999999"));
        assert!(one.body.contains(ids[0]), "{one:?}");
    });
}
