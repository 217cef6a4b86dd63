//! Answers that guards cannot judge: they pass as they came, at once, and are counted.

use std::io::Read as _;
use std::time::Duration;

use balk::proxy::{Base, Proxy, Proxying};
use balk_guards::wire::{Asking, Dialect, Failure, FailureKind};
use balk_guards::{Sight, Stack};
use serde_json::json;

use super::client::Obeys;
use super::streamed::{ObeysCalls, view};
use crate::common::path_of;
use crate::common::server::{Script, Server};

const STREAM: &str = "content-type: text/event-stream";

/// What a proxy does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    Watch,
    Hold,
    Stream,
}

const ALL: [Does; 3] = [Does::Watch, Does::Hold, Does::Stream];

fn proxy(server: &Server, does: Does) -> Proxy {
    let guards = move || match does {
        Does::Watch | Does::Hold => Stack::new(vec![Box::new(Obeys::default())]),
        Does::Stream => Stack::new(vec![Box::new(ObeysCalls(Sight::Calls))]),
    };
    let (upstream, dry_run) = (Base::parse(&server.url()).expect("an address"), does == Does::Watch);
    Proxy::start(Proxying { guards: Some(Box::new(guards)), dry_run, ..Proxying::new(upstream) })
        .expect("a port")
}

fn ask(proxy: &Proxy, dialect: Dialect, stream: bool) -> (u16, Vec<u8>) {
    let request = dialect.request(&view(), &Asking { stream, ..Asking::of("m") });
    let http = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_global(Some(Duration::from_secs(20)))
        .build()
        .new_agent();
    let post = http.post(&format!("{}/{}", proxy.url(), path_of(dialect, stream)));
    let mut got = post.header("content-type", "application/json").send(request).expect("the proxy answers");
    let mut body = Vec::new();
    got.body_mut().as_reader().read_to_end(&mut body).expect("it is whole");
    (got.status().as_u16(), body)
}

/// An answer passes at once, and counts under this name.
#[track_caller]
fn check(dialect: Dialect, stream: bool, status: u16, headers: &str, body: &[u8], counts: &'static str) {
    let head = format!("HTTP/1.1 {status} Said\r\nconnection: close\r\n{headers}\r\n\r\n");
    let server = Server::of(vec![Script::raw([head.as_bytes(), body].concat())]);
    for does in ALL {
        let proxy = proxy(&server, does);
        let before = server.requests().len();
        assert_eq!(ask(&proxy, dialect, stream), (status, body.to_vec()), "{does:?}");
        assert_eq!(server.requests().len(), before + 1, "{does:?}");
        let counted = proxy.counted();
        assert_eq!((counted.passed, counted.interventions.len()), ([(counts, 1)].into(), 0), "{does:?}");
    }
}

#[test]
fn an_answer_that_is_not_finished_passes() {
    let json = "content-type: application/json";
    let searches = json!({ "type": "server_tool_use", "id": "s", "name": "web_search", "input": {} });
    for text in ["retry", ""] {
        let text = json!({ "type": "text", "text": text });
        let paused = json!({ "id": "msg_1", "content": [text, searches], "stop_reason": "pause_turn" });
        check(Dialect::Anthropic, false, 200, json, paused.to_string().as_bytes(), "unfinished-answer");
    }
    let events = [
        json!({ "type": "message_start", "message": { "id": "msg_1" } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": searches }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "pause_turn" } }),
        json!({ "type": "message_stop" }),
    ];
    let events: String = events.iter().map(|it| format!("data: {it}\n\n")).collect();
    check(Dialect::Anthropic, true, 200, STREAM, events.as_bytes(), "unfinished-answer");
    for status in ["queued", "in_progress"] {
        let begun = json!({ "id": "resp_1", "status": status, "output": [] }).to_string();
        check(Dialect::Responses, false, 200, json, begun.as_bytes(), "unfinished-answer");
    }
}

#[test]
fn an_answer_that_cannot_be_read_passes() {
    let event = |text: &str| {
        format!(
            "data: {{\"id\":\"a\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n"
        )
    };
    let (before, after) = (event("I look."), event("Done.") + "data: [DONE]\n\n");
    let with = |middle: &[u8]| [before.as_bytes(), middle, after.as_bytes()].concat();
    for middle in
        [&b"data: {\"choices\":[{\"delta\":{\"content\":\"caf\xe9\"}}]}\n\n"[..], b"data: <html>\n\n"]
    {
        check(Dialect::OpenAi, true, 200, STREAM, &with(middle), "unreadable-answer");
    }
    let unknown = b"data: {\"type\":\"content_block_delta\",\"index\":7,\"delta\":{\"text\":\"x\"}}\n\n";
    check(Dialect::Anthropic, true, 200, STREAM, unknown, "unreadable-answer");
    check(Dialect::OpenAi, true, 200, "x: y", &with(b""), "unreadable-answer");
    check(
        Dialect::OpenAi,
        false,
        200,
        "content-type: text/html",
        b"<html>Log in.</html>",
        "unreadable-answer",
    );
    check(Dialect::OpenAi, false, 307, "location: http://127.0.0.1:9/", b"", "unreadable-answer");
    check(Dialect::OpenAi, false, 204, "x: y", b"", "unreadable-answer");
}

#[test]
fn an_answer_may_have_many_headers() {
    let headers: String = (0..120).map(|it| format!("x-{it}: y\n")).collect();
    let body = super::client::says("done", &[]);
    let server = Server::of(vec![Script::with(200, &headers, &body)]);
    for does in ALL {
        let proxy = proxy(&server, does);
        assert_eq!(ask(&proxy, Dialect::OpenAi, false), (200, body.clone().into()), "{does:?}");
    }
    assert_eq!(server.requests().len(), ALL.len());
}

#[test]
fn an_error_within_a_stream_is_in_the_words_of_its_provider() {
    for dialect in Dialect::ALL {
        let overloaded = Failure::of(dialect, FailureKind::Overloaded, "Too much.").in_stream(dialect, 1);
        let (text, _) = super::streamed::stream(dialect, &super::streamed::said("I look.", &["ls"]));
        let stream = text + &overloaded.to_string();
        let server = Server::of(vec![Script::with(200, STREAM, &stream)]);
        // Of what is held, nothing was passed on, and so it is asked for again.
        for (does, asked) in [(Does::Watch, 1), (Does::Hold, 3), (Does::Stream, 1)] {
            let proxy = proxy(&server, does);
            let before = server.requests().len();
            let (status, body) = ask(&proxy, dialect, true);
            assert_eq!(
                (status, String::from_utf8_lossy(&body)),
                (200, (&*stream).into()),
                "{dialect:?} {does:?}"
            );
            assert_eq!((server.requests().len() - before, proxy.counted().failed), (asked, 1), "{does:?}");
        }
    }
}
