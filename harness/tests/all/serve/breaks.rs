//! What a client sees of an answer that breaks off, in every dialect, whole and streamed.

use std::io::Write as _;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use balk::serve::Server;
use balk::simulate::Simulation;
use balk_guards::wire::{Dialect, Form, Reply, retry_after};
use balk_guards::{AttemptFacts, Completion, FinishReason, Offer};
use balk_reports::report::document::Screen;
use balk_reports::report::show;
use balk_scenarios::{WorldOptions, format, toolsets};
use serde_json::{Value, json};

use crate::common::recipe::recipe;

use super::client::{
    End, Got, PATIENCE, TOOLS, address, exchange, opening, path, plain, plain_text, receive, request_bytes,
    serving, start,
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
        patient(&server, &bytes)
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

/// What has come some time after the server has the request.
fn patient(server: &Server, bytes: &[u8]) -> Got {
    let mut stream = TcpStream::connect(address(server)).expect("a connection");
    stream.write_all(bytes).expect("it is sent");
    while server.told(None).is_none_or(|it| it.steps.is_empty()) {
        thread::sleep(Duration::from_millis(1));
    }
    receive(&mut stream, STALLED)
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

/// What a reader of the dialect makes of it.
fn read(dialect: Dialect, stream: bool, got: &Got) -> Result<Completion, String> {
    let form = if stream { Form::Stream } else { Form::Whole };
    let reply = Reply { status: got.status, retry_after: None, form, body: got.body.clone().into() };
    dialect.answer(&reply, &Offer::default()).map_err(|it| it.to_string())
}

const DISCONNECTED: &str = "cause = \"disconnected\"\n";

/// The connection ends as it should, so that only the answer tells that something is missing.
#[test]
fn an_answer_that_ends_in_good_order_lacks_what_a_reset_lacks() {
    each(|dialect, stream| {
        for at in ["progress", "output", "input", "call"] {
            let reset = broken(dialect, stream, DISCONNECTED, at);
            let got = broken(dialect, stream, &format!("{DISCONNECTED}wire = \"clean-end\""), at);
            assert_eq!((got.status, got.end), (200, End::Whole), "{dialect:?} {stream} {at}: {got:?}");
            assert_eq!(got.body, reset.body, "{dialect:?} {stream} {at}");
            read(dialect, stream, &got).expect_err("it has no end");
        }
    });
}

#[test]
fn the_example_of_the_guide_is_played() {
    let guide = include_str!("../../../../docs/serve.md");
    let (_, rest) = guide.split_once("```toml\n").expect("it has an example");
    let (example, _) = rest.split_once("```").expect("it ends");
    let cause = format!("{DISCONNECTED}wire = \"clean-end\"");
    let got = broken(Dialect::OpenAi, true, &cause, "output");
    assert_eq!(first(Dialect::OpenAi, true, &example.replace("stubborn", "healthy")).body, got.body);
}

#[test]
fn an_empty_body_comes_with_status_200() {
    each(|dialect, stream| {
        let got = broken(dialect, stream, &format!("{DISCONNECTED}wire = \"empty-body\""), "nothing");
        assert_eq!((got.status, &*got.body, got.end), (200, "", End::Whole), "{dialect:?} {stream}");
        read(dialect, stream, &got).expect_err("there is nothing");
    });
}

#[test]
fn a_malformed_event_is_the_last_one() {
    each(|dialect, stream| {
        let reset = broken(dialect, stream, DISCONNECTED, "output");
        let cause = format!("{DISCONNECTED}wire = \"malformed-event\"");
        let got = broken(dialect, stream, &cause, "output");
        assert_eq!((got.status, got.end), (200, End::Whole), "{dialect:?} {stream}: {got:?}");
        read(dialect, stream, &got).expect_err("it is no JSON");
        if stream {
            let event = got.body.strip_prefix(&*reset.body).expect("it has what a reset has");
            let (_, data) = event.split_once("data: ").expect("one event more");
            assert_eq!(data.find("\n\n"), Some(data.len() - 2), "{event}");
            serde_json::from_str::<Value>(data).expect_err("it is no JSON");
        }
    });
}

#[test]
fn a_page_of_a_proxy_has_its_own_content_type() {
    each(|dialect, stream| {
        for (cause, status) in [(DISCONNECTED, 200), ("status = 502\n", 502)] {
            let got = broken(dialect, stream, &format!("{cause}wire = \"html\""), "nothing");
            assert_eq!((got.status, got.end), (status, End::Whole), "{dialect:?} {stream}: {got:?}");
            assert_eq!(got.header("content-type"), Some("text/html"));
            assert!(got.body.starts_with("<html>"), "{got:?}");
        }
        let got =
            broken(dialect, stream, "status = 503\nretry_after = \"pause\"\nwire = \"html\"", "nothing");
        assert_eq!(got.header("retry-after"), Some("3"), "{got:?}");
    });
}

/// The first answer of the script, if its state has these keys.
fn first(dialect: Dialect, stream: bool, keys: &str) -> Got {
    let server = start(serving(vec![plain(keys)]));
    let body = opening(dialect, stream, TOOLS).to_string();
    exchange(&server, &request_bytes("POST", path(dialect, stream), &[], body.as_bytes()), PATIENCE)
}

#[test]
fn a_doubled_event_is_one_event_more() {
    for dialect in Dialect::ALL {
        let [once, twice] = ["", "doubled_event = true\n"].map(|keys| first(dialect, true, keys));
        let data = |got: &Got| -> Vec<String> {
            let lines = got.body.lines().filter(|it| it.starts_with("data: "));
            lines.map(str::to_owned).collect()
        };
        let (once, twice) = (data(&once), data(&twice));
        let same = once.iter().zip(&twice).take_while(|(one, two)| one == two).count();
        assert_eq!(twice[same..], once[same - 1..], "{dialect:?}");
        let [once, twice] = ["", "doubled_event = true\n"].map(|keys| first(dialect, false, keys).body);
        assert_eq!(once, twice, "only streams have events");
    }
}

/// Gemini's stream where the query does not say `alt=sse`.
#[test]
fn an_array_is_one_to_its_end() {
    let array = |keys: &str| {
        let server = start(serving(vec![plain(keys)]));
        let path = "/v1beta/models/balk-actor:streamGenerateContent";
        let body = opening(Dialect::Gemini, true, TOOLS).to_string();
        let got = exchange(&server, &request_bytes("POST", path, &[], body.as_bytes()), PATIENCE);
        assert_eq!((got.status, got.end), (200, End::Whole), "{got:?}");
        got.body
    };
    let breaks = |at: &str, wire: &str| {
        array(&format!("[[healthy.state.break]]\n{DISCONNECTED}at = \"{at}\"\nwire = \"{wire}\"\n"))
    };
    let count = |text: &str| serde_json::from_str::<Vec<Value>>(text).map(|it| it.len()).ok();
    let whole = count(&array("")).expect("an array");
    assert_eq!(count(&array("doubled_event = true\n")), Some(whole + 1));
    assert_eq!(count(&breaks("progress", "clean-end")), Some(0));
    assert_eq!(count(&breaks("output", "clean-end")), Some(whole - 1));
    assert_eq!(count(&breaks("output", "malformed-event")), None);
    assert_eq!(breaks("nothing", "empty-body"), "");
}

/// A wait that no test sees the end of: once the request is there, nothing comes for as long as is waited.
#[test]
fn the_first_byte_can_take_its_time() {
    each(|dialect, stream| {
        let server = start(serving(vec![plain("first_byte_ms = 3_600_000\n")]));
        let body = opening(dialect, stream, TOOLS).to_string();
        let bytes = request_bytes("POST", path(dialect, stream), &[], body.as_bytes());
        let got = patient(&server, &bytes);
        assert_eq!((got.status, &*got.body, got.end), (0, "", End::Waits), "{dialect:?} {stream}");
    });
    let got = first(Dialect::OpenAi, true, "first_byte_ms = 1\n");
    assert_eq!((got.status, got.end), (200, End::Whole), "{got:?}");
}

#[test]
fn only_a_whole_answer_takes_its_time() {
    let late = "first_byte_ms = 3_600_000\n[[healthy.state.break]]\nat = \"nothing\"\n";
    let status = first(Dialect::OpenAi, true, &format!("{late}status = 503\n"));
    assert_eq!((status.status, status.end), (503, End::Whole), "{status:?}");
    let reset = first(Dialect::OpenAi, true, &format!("{late}{DISCONNECTED}"));
    assert_eq!((reset.status, reset.end), (0, End::Reset), "{reset:?}");
}

/// An answer that ends inside a call, because it is too long.
#[test]
fn a_call_is_cut_by_the_length_of_the_answer() {
    const CUT: &str = r#"{"path": "READ"#;
    let cut = r#"calls = [{ tool = "read", raw = '{{"path": "READ' }]"#;
    let text = plain_text("finish = \"length\"\n")
        .replace(r#"calls = [{ tool = "read", arguments = { path = "README.md" } }]"#, cut);
    let read_in = format::parse("plain.toml", &text, toolsets::catalogue());
    let scenario = read_in.unwrap_or_else(|wrong| panic!("{wrong}")).remove(0);
    each(|dialect, stream| {
        let server = start(serving(vec![scenario.clone()]));
        let body = opening(dialect, stream, TOOLS).to_string();
        let bytes = request_bytes("POST", path(dialect, stream), &[], body.as_bytes());
        let got = exchange(&server, &bytes, PATIENCE);
        let text = json!(CUT).to_string();
        let object = json!({ "__raw_arguments": CUT }).to_string();
        let (limit, arguments) = match dialect {
            Dialect::OpenAi => (r#""finish_reason":"length""#, text),
            Dialect::Responses => (r#""reason":"max_output_tokens""#, text),
            Dialect::Anthropic if stream => (r#""stop_reason":"max_tokens""#, text),
            Dialect::Anthropic => (r#""stop_reason":"max_tokens""#, object),
            Dialect::Gemini => (r#""finishReason":"MAX_TOKENS""#, object),
        };
        assert!(got.body.contains(limit) && got.body.contains(&arguments), "{got:?}");
        // The response, and its last item, which a stream has twice.
        let incomplete = if dialect == Dialect::Responses { 2 + usize::from(stream) } else { 0 };
        assert_eq!(got.body.matches(r#""status":"incomplete""#).count(), incomplete, "{got:?}");
        let completion = read(dialect, stream, &got).expect("an answer");
        assert_eq!(completion.finish, FinishReason::Length, "{dialect:?} {stream}");
        assert_eq!(&*completion.calls[0].arguments, CUT, "{dialect:?} {stream}");
    });
}

#[test]
fn no_trial_depends_on_the_wire() {
    let page = |keys: &str, wire: &str| {
        let keys = format!("{keys}[[healthy.state.break]]\nuntil = 1\n{DISCONNECTED}at = \"output\"\n{wire}");
        let (scenario, recipe) = (plain(&keys), recipe("default"));
        let simulation = Simulation::new(&scenario, &recipe, WorldOptions::default());
        show(&simulation.record(7, &[]), Screen::default())
    };
    let usual = page("", "");
    assert!(usual.contains("connection"), "{usual}");
    assert_eq!(page("first_byte_ms = 60_000\ndoubled_event = true\n", "wire = \"clean-end\"\n"), usual);
}
