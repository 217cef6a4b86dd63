//! Providers that stall, say another type than they send, and send events out of order; clients that go away.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use balk::proxy::{Base, Bounds, Limits, Proxy, Proxying};
use balk_guards::Sight;
use balk_guards::wire::{Answering, Asking, Dialect, Form, Reply};
use proptest::prelude::*;

use super::client::post;
use super::streamed::{ObeysCalls, answer, offer, said, view};
use crate::common::path_of;
use crate::common::server::{Script, Server};

/// A proxy that waits no longer than this for a provider, and asks it three times.
fn proxy(server: &Server, sight: Sight, timeout: Duration) -> Proxy {
    let guards = move || balk_guards::Stack::new(vec![Box::new(ObeysCalls(sight))]);
    let bounds = Bounds { tries: 3, ..Bounds::default() };
    let upstream = Base::parse(&server.url()).expect("an address");
    let proxying = Proxying { guards: Some(Box::new(guards)), bounds, timeout, ..Proxying::new(upstream) };
    Proxy::start(proxying).expect("a port is free")
}

/// The status and the body of an answer; the body ends with `None` if the connection was cut.
fn ask(proxy: &Proxy, dialect: Dialect, stream: bool) -> (u16, String, Option<()>) {
    let request = dialect.request(&view(), &Asking { stream, ..Asking::of("m") });
    let url = format!("{}/{}", proxy.url(), path_of(dialect, stream));
    let http = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(20)))
        .build()
        .new_agent();
    let sent = http.post(&url).header("content-type", "application/json").send(request);
    // A connection that was cut before its head was read.
    let Ok(mut response) = sent else { return (0, String::new(), None) };
    let status = response.status().as_u16();
    let mut bytes = Vec::new();
    let whole = response.body_mut().as_reader().read_to_end(&mut bytes).ok().map(|_| ());
    (status, String::from_utf8_lossy(&bytes).into_owned(), whole)
}

/// Whether this is an error in the shape of the dialect.
fn is_refusal(dialect: Dialect, status: u16, body: &str) -> bool {
    let reply = Reply { status, retry_after: None, form: Form::Whole, body: body.into() };
    status >= 400 && dialect.answer(&reply, &offer()).is_err() && body.contains("message")
}

const STREAM: &str = "content-type: text/event-stream";

#[test]
fn all_requests_and_the_answers_to_them_have_a_bound_together() {
    let with = |server: &Server, bodies: usize| {
        let guards = || balk_guards::Stack::new(vec![Box::new(ObeysCalls(Sight::Whole))]);
        let limits = Limits { bodies, ..Limits::default() };
        let bounds = Bounds { tries: 1, ..Bounds::default() };
        let upstream = Base::parse(&server.url()).expect("an address");
        let proxying = Proxying { guards: Some(Box::new(guards)), bounds, limits, ..Proxying::new(upstream) };
        Proxy::start(proxying).expect("a port is free")
    };
    // An answer that never ends is given up once there is no room, long before its own bound.
    let on_and_on = || Script::with(200, STREAM, "").for_ever(": on and on\n\n", Duration::ZERO);
    let server = Server::new(move |_, _| on_and_on());
    let (status, body, _) = ask(&with(&server, 1 << 20), Dialect::OpenAi, false);
    assert!(status == 502 && body.contains("no room for this answer"), "{status} {body}");

    // A request has its room until it is answered: there is some for one request and its answer.
    let (goes, comes) = channel();
    let answer = Dialect::OpenAi.response(&said("Done.", &[]), &Answering::of("a", "m"));
    let whole = Script::json(200, &answer);
    let late = Script::raw("").then(comes, format!("HTTP/1.1 200 Said\r\nconnection: close\r\n\r\n{answer}"));
    let server = Server::new(move |at, _| if at == 0 { late.clone() } else { whole.clone() });
    let length = Dialect::OpenAi.request(&view(), &Asking { stream: false, ..Asking::of("m") }).len();
    let proxy = with(&server, length + COPIES * answer.len());
    thread::scope(|scope| {
        let first = scope.spawn(|| ask(&proxy, Dialect::OpenAi, false).0);
        while server.requests().is_empty() {
            thread::yield_now();
        }
        let (status, body, _) = ask(&proxy, Dialect::OpenAi, false);
        assert!(status == 502 && body.contains("no room for this answer"), "{status} {body}");
        goes.send(()).expect("it waits");
        assert_eq!(first.join().expect("it ends"), 200);
    });
    // It is free again once the last byte was written.
    assert!((0..100).any(|_| ask(&proxy, Dialect::OpenAi, false).0 == 200), "the room is free again");
}

#[test]
fn why_a_body_cannot_be_read_has_a_bound() {
    let server = Server::of(vec![Script::json(200, "{}")]);
    let proxy = proxy(&server, Sight::Whole, Duration::from_secs(10));
    let role = "r".repeat(1 << 20);
    let tools = r#"[{"type":"function","function":{"name":"ls"}}]"#;
    let body = format!(r#"{{"model":"m","tools":{tools},"messages":[{{"role":"{role}","content":"x"}}]}}"#);
    post(&format!("{}/v1/chat/completions", proxy.url()), &body);
    let why = proxy.unread().expect("it cannot be read");
    assert!(why.contains("rrr") && why.len() < 10_000, "{}", why.len());
}

#[test]
fn an_answer_has_its_room_until_it_is_written() {
    // More than the buffers of a connection take.
    let answer = format!("{{\"x\":\"{}\"}}", "y".repeat(24 << 20));
    let length = answer.len();
    let server = Server::new(move |_, _| Script::json(200, &answer));
    let guards = || balk_guards::Stack::new(vec![Box::new(ObeysCalls(Sight::Whole))]);
    let limits = Limits { bodies: COPIES * (length + length / 2), ..Limits::default() };
    let upstream = Base::parse(&server.url()).expect("an address");
    let bounds = Bounds { tries: 1, ..Bounds::default() };
    let proxying = Proxying { guards: Some(Box::new(guards)), bounds, limits, ..Proxying::new(upstream) };
    let proxy = Proxy::start(proxying).expect("a port is free");
    let request = Dialect::OpenAi.request(&view(), &Asking { stream: false, ..Asking::of("m") });
    let head =
        format!("POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\ncontent-length: {}\r\n\r\n", request.len());
    let mut client = TcpStream::connect(proxy.url().trim_start_matches("http://")).expect("it listens");
    client.write_all(&[head.as_bytes(), request.as_bytes()].concat()).expect("it is sent");
    // It reads no more than this.
    client.read_exact(&mut [0; 12]).expect("the answer has begun");
    let (status, body, _) = ask(&proxy, Dialect::OpenAi, false);
    assert!(status == 502 && body.contains("no room for this answer"), "{status}");
    drop(client);
    assert!((0..100).any(|_| ask(&proxy, Dialect::OpenAi, false).0 == 200), "the room is free again");
}

#[test]
fn an_answer_that_breaks_off_behind_its_end_is_whole() {
    let completion = said("Done.", &[]);
    let answering = Answering::of("a", "m");
    // In a stream of Gemini, more may follow.
    for dialect in [Dialect::OpenAi, Dialect::Anthropic, Dialect::Responses] {
        let events: String =
            dialect.events(&completion, &answering).iter().map(ToString::to_string).collect();
        let headers = format!("{STREAM}\ncontent-length: {}", events.len() + 50);
        let server = Server::of(vec![Script::with(200, &headers, &events)]);
        let proxy = proxy(&server, Sight::Whole, Duration::from_secs(10));
        assert_eq!(ask(&proxy, dialect, true), (200, events, Some(())), "{dialect:?}");
    }
}

/// How often an answer counts.
const COPIES: usize = 4;

#[test]
fn a_provider_that_stalls_is_a_504_in_the_shape_of_its_dialect() {
    let events = "HTTP/1.1 200 Said\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n: hi\n\n";
    let check = |dialect: Dialect, stream| {
        for stalls in
            [Script::raw("").hang(), Script::raw("HTTP/1.1 200 Sa").hang(), Script::raw(events).hang()]
        {
            let server = Server::of(vec![stalls]);
            // Long enough for a busy machine to read the request.
            let proxy = proxy(&server, Sight::Whole, Duration::from_millis(500));
            let (status, body, whole) = ask(&proxy, dialect, stream);
            assert_eq!((status, whole), (504, Some(())), "{dialect:?} {body}");
            assert!(is_refusal(dialect, status, &body), "{body}");
            assert_eq!(server.requests().len(), 3);
        }
    };
    // They do little but wait.
    std::thread::scope(|scope| {
        for (dialect, stream) in Dialect::ALL.into_iter().flat_map(|it| [(it, false), (it, true)]) {
            scope.spawn(move || check(dialect, stream));
        }
    });
}

#[test]
fn what_is_of_another_type_than_was_asked_for_passes_or_is_an_error() {
    for dialect in Dialect::ALL {
        let completion = said("Done.", &[]);
        let whole = dialect.response(&completion, &Answering::of("a", "m"));
        let events: String =
            dialect.events(&completion, &Answering::of("a", "m")).iter().map(ToString::to_string).collect();
        // A provider may answer in another form than it was asked for: the client gets what came.
        for (stream, headers, body) in [
            (true, "content-type: application/json", &whole),
            (true, "", &whole),
            (false, STREAM, &events),
            (false, "content-type: text/plain", &whole),
        ] {
            let server = Server::of(vec![Script::with(200, headers, body)]);
            let proxy = proxy(&server, Sight::Whole, Duration::from_secs(10));
            assert_eq!(ask(&proxy, dialect, stream), (200, body.clone(), Some(())), "{dialect:?} {headers}");
        }
        // Nor is a coding read that was not asked for.
        for headers in [STREAM, "content-type: application/json"] {
            let coded =
                Script::with(200, &format!("{headers}\ncontent-encoding: x-mine"), "no text of a model");
            let server = Server::of(vec![coded]);
            let proxy = proxy(&server, Sight::Calls, Duration::from_secs(10));
            let passed = (200, "no text of a model".to_owned(), Some(()));
            assert_eq!(ask(&proxy, dialect, true), passed, "{dialect:?} {headers}");
            assert_eq!(server.requests().len(), 1);
        }
        // JSON under the name of a stream has no event, and so the stream ends before its answer.
        let server = Server::of(vec![Script::with(200, STREAM, &whole)]);
        let proxy = proxy(&server, Sight::Whole, Duration::from_secs(10));
        let (status, said, _) = ask(&proxy, dialect, true);
        assert!(is_refusal(dialect, status, &said), "{dialect:?} {status} {said}");
        assert_eq!(server.requests().len(), 3, "{dialect:?}");
    }
}

#[test]
fn a_client_that_goes_away_leaves_no_connection_to_its_provider() {
    for sight in [Sight::Nothing, Sight::Whole] {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("it is bound");
        let guards = move || balk_guards::Stack::new(vec![Box::new(ObeysCalls(sight))]);
        let upstream = Base::parse(&format!("http://{address}")).expect("an address");
        let proxying = Proxying { guards: Some(Box::new(guards)), ..Proxying::new(upstream) };
        let proxy = Proxy::start(proxying).expect("a port is free");
        let body = Dialect::OpenAi.request(&view(), &Asking { stream: true, ..Asking::of("m") });
        let length = body.len();
        let head =
            format!("POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\ncontent-length: {length}\r\n\r\n");
        let mut client = TcpStream::connect(proxy.url().trim_start_matches("http://")).expect("it listens");
        client.write_all(&[head.as_bytes(), body.as_bytes()].concat()).expect("it is sent");
        let (mut provider, _) = listener.accept().expect("the proxy asks");
        provider.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
        let events = "HTTP/1.1 200 Said\r\ncontent-type: text/event-stream\r\n\r\n";
        let text = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"I look.\"}}]}\n\n";
        provider.write_all(format!("{events}{text}").as_bytes()).expect("it is sent");
        drop(client);
        // The request, then the end of the connection, however it ends.
        let mut rest = Vec::new();
        if let Err(why) = provider.read_to_end(&mut rest) {
            assert_eq!(why.kind(), std::io::ErrorKind::ConnectionReset, "{sight:?}");
        }
    }
}

#[test]
fn a_provider_that_comes_back_is_reached() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
    let address = listener.local_addr().expect("it is bound");
    drop(listener);
    let upstream = Base::parse(&format!("http://{address}")).expect("an address");
    let proxy = Proxy::start(Proxying::new(upstream)).expect("a port is free");
    let models = || ureq::get(format!("{}/v1/models", proxy.url())).call().map(|it| it.status().as_u16());
    models().expect_err("it is not there");
    assert!(proxy.unreached().is_some());
    let listener = TcpListener::bind(address).expect("the port is still free");
    let answers = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("the proxy asks");
        let mut head = [0; 1024];
        let _ = stream.read(&mut head).expect("a request");
        stream.write_all(b"HTTP/1.1 200 Said\r\ncontent-length: 2\r\n\r\n{}").expect("it is sent");
    });
    assert_eq!(models().ok(), Some(200));
    answers.join().expect("it answered");
    assert_eq!(proxy.unreached(), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// The events of an answer in any order, lost or sent twice, as a whole or cut off within one.
    #[test]
    fn events_out_of_order_are_passed_on_or_are_an_error(
        at in 0..Dialect::ALL.len(),
        order in prop::collection::vec(0_usize..20, 0..24),
        cut in 0_usize..400,
        calls in 0_usize..3,
        sees_calls in any::<bool>(),
    ) {
        let dialect = Dialect::ALL[at];
        let sight = if sees_calls { Sight::Calls } else { Sight::Whole };
        let completion = said("I look.", &["ls", "block"][..calls.min(2)]);
        let events = dialect.events(&completion, &Answering::of("a", "m"));
        let mut body: String = order.iter().filter_map(|it| events.get(*it)).map(ToString::to_string).collect();
        if cut < 200 {
            body.truncate(body.len().saturating_sub(cut));
        }
        let server = Server::new(move |nth, _| match nth {
            0..3 => Script::with(200, STREAM, &body),
            _ => answer(dialect, &said("Done.", &[])),
        });
        let proxy = proxy(&server, sight, Duration::from_secs(10));
        let (status, said, whole) = ask(&proxy, dialect, true);
        if whole.is_some() {
            let is_said = status == 200 && !said.is_empty();
            prop_assert!(is_said || is_refusal(dialect, status, &said), "{status} {said}");
        }
        // Another request is none the worse for it.
        while server.requests().len() < 3 {
            ask(&proxy, dialect, true);
        }
        let (status, said, whole) = ask(&proxy, dialect, true);
        prop_assert_eq!((status, whole), (200, Some(())));
        prop_assert!(said.contains("Done."), "{}", said);
    }
}
