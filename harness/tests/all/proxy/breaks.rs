//! Providers that close their connection behind what they sent: all of it reaches the agent. Lengths and protocols that
//! are not so, and bodies that are no text.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use balk::proxy::{Base, Proxy, Proxying};
use balk_guards::wire::{Answering, Asking, Dialect};
use balk_guards::{Sight, Stack};

use super::client::post;
use super::streamed::{ObeysCalls, said, view};
use crate::common::path_of;
use crate::common::server::{Script, Server};

/// What a proxy does with answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    Pass,
    Watch,
    Guard,
}

fn proxy(server: &Server, does: Does) -> Proxy {
    let guards = || Stack::new(vec![Box::new(ObeysCalls(Sight::Nothing))]);
    let proxying = Proxying::new(Base::parse(&server.url()).expect("an address"));
    let proxying = match does {
        Does::Pass => proxying,
        Does::Watch => Proxying { guards: Some(Box::new(guards)), dry_run: true, ..proxying },
        Does::Guard => Proxying { guards: Some(Box::new(guards)), ..proxying },
    };
    Proxy::start(proxying).expect("a port is free")
}

/// Events in chunks, without the one that ends a body.
fn chunks<'e>(events: impl Iterator<Item = &'e String>) -> Script {
    let head = "HTTP/1.1 200 Said\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunks: String = events.map(|it| format!("{:x}\r\n{it}\r\n", it.len())).collect();
    Script::raw(format!("{head}{chunks}"))
}

/// What a client gets, and whether the body has an end.
fn ask(proxy: &Proxy, dialect: Dialect) -> (String, bool) {
    let request = dialect.request(&view(), &Asking { stream: true, ..Asking::of("m") });
    let url = format!("{}/{}", proxy.url(), path_of(dialect, true));
    let http =
        ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(20))).build().new_agent();
    let sent = http.post(&url).header("content-type", "application/json").send(request);
    let mut bytes = Vec::new();
    let ends = sent.expect("the proxy answers").body_mut().as_reader().read_to_end(&mut bytes).is_ok();
    (String::from_utf8(bytes).expect("it is text"), ends)
}

fn events(dialect: Dialect) -> Vec<String> {
    let events = dialect.events(&said("I look.", &[]), &Answering::of("a", "m"));
    events.iter().map(ToString::to_string).collect()
}

#[test]
fn an_answer_is_whole_though_its_provider_closes_right_behind_it() {
    for dialect in [Dialect::OpenAi, Dialect::Anthropic, Dialect::Responses] {
        let events = events(dialect);
        let server = Server::of(vec![chunks(events.iter())]);
        // What nobody reads breaks off as it came.
        for (does, ends) in [(Does::Pass, false), (Does::Watch, true), (Does::Guard, true)] {
            let proxy = proxy(&server, does);
            for _ in 0..5 {
                assert_eq!(ask(&proxy, dialect), (events.concat(), ends), "{dialect:?} {does:?}");
            }
        }
    }
}

#[test]
fn what_came_before_a_break_reaches_the_agent() {
    for dialect in Dialect::ALL {
        let events = events(dialect);
        let text = events.iter().position(|it| it.contains("I look.")).expect("it is there");
        let mut begun = events[..=text].to_vec();
        if dialect == Dialect::Gemini {
            // All of its answer is in one event.
            begun[0] = begun[0].replace("STOP", "").replace("\"finishReason\":\"\",", "");
        }
        let server = Server::of(vec![chunks(begun.iter())]);
        for does in [Does::Pass, Does::Watch, Does::Guard] {
            let proxy = proxy(&server, does);
            assert_eq!(ask(&proxy, dialect), (begun.concat(), false), "{dialect:?} {does:?}");
        }
    }
}

#[test]
fn what_came_before_a_break_reaches_an_agent_that_reads_slowly() {
    // More than the buffers of all connections take.
    let events = vec![format!("data: {}\n\n", "x".repeat(64 << 10)); 400];
    let length: usize = events.iter().map(String::len).sum();
    let server = Server::of(vec![chunks(events.iter())]);
    let proxy = proxy(&server, Does::Pass);
    let address = proxy.url().trim_start_matches("http://").to_owned();
    let mut client = TcpStream::connect(&address).expect("it listens");
    client.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
    client
        .write_all(b"POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\ncontent-length: 2\r\n\r\n{}")
        .expect("it is sent");
    let (mut came, mut piece) = (0, vec![0; 256 << 10]);
    loop {
        // The proxy has written all that it can.
        thread::sleep(Duration::from_millis(2));
        match client.read(&mut piece) {
            Ok(0) | Err(_) => break,
            Ok(more) => came += piece[..more].iter().filter(|it| **it == b'x').count(),
        }
    }
    assert!(came >= length - 400 * "data: \n\n".len(), "{came} of {length}");
}

#[test]
fn a_length_beside_a_transfer_encoding_does_not_count() {
    let answer = Dialect::OpenAi.response(&said("I look.", &[]), &Answering::of("a", "m"));
    for length in [3, answer.len() + 7] {
        let head =
            format!("HTTP/1.1 200 Said\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n");
        let body = format!("transfer-encoding: chunked\r\n\r\n{:x}\r\n{answer}\r\n0\r\n\r\n", answer.len());
        let server = Server::of(vec![Script::raw(head + &body)]);
        for does in [Does::Pass, Does::Watch, Does::Guard] {
            let proxy = proxy(&server, does);
            assert_eq!(ask(&proxy, Dialect::OpenAi), (answer.clone(), true), "{does:?} {length}");
        }
    }
}

#[test]
fn a_protocol_that_nobody_asked_for_is_an_error() {
    let switches = "HTTP/1.1 101 Said\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\nbytes of it";
    let server = Server::of(vec![Script::raw(switches)]);
    let request = Dialect::OpenAi.request(&view(), &Asking { stream: false, ..Asking::of("m") });
    for does in [Does::Pass, Does::Watch, Does::Guard] {
        let proxy = proxy(&server, does);
        let got = post(&format!("{}/v1/chat/completions", proxy.url()), &request);
        assert!(got.status == 502 && got.body.contains("another protocol"), "{does:?} {got:?}");
    }
}

#[test]
fn a_body_that_is_no_text_passes() {
    let server = Server::of(vec![Script::json(200, "{}")]);
    let proxy = proxy(&server, Does::Guard);
    let body = b"{\"model\":\"m\xff\"}";
    let url = format!("{}/v1/chat/completions", proxy.url());
    let got = ureq::post(&url).header("content-type", "application/json").send(&body[..]);
    assert_eq!(got.expect("it passes").status().as_u16(), 200);
    assert_eq!(server.requests()[0].bytes, body);
    assert_eq!(proxy.counted().passed, [("unreadable", 1)].into());
    let why = "a request of OpenAi cannot be read: byte 11 of the body is not UTF-8";
    assert_eq!(proxy.unread().as_deref(), Some(why));
}
