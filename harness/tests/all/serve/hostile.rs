//! Clients that misbehave: each gets an error in the form of its provider, or a closed connection, and
//! the server goes on.

use std::io::Write as _;
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::Duration;

use balk::serve::{Limits, Serve, Server};
use balk_guards::wire::Dialect;
use serde_json::{Value, json};

use super::client::{
    End, Got, PATIENCE, TOOLS, address, exchange, get, opening, path, plain, receive, request_bytes, send,
    serving, start, told,
};

fn server() -> Server {
    start(serving(vec![plain("")]))
}

/// The server still answers.
#[track_caller]
fn goes_on(server: &Server) {
    let body = opening(Dialect::OpenAi, false, TOOLS).to_string();
    send(server, "POST", &format!("/c/last{}", path(Dialect::OpenAi, false)), &[], body.as_bytes()).fine();
}

#[track_caller]
fn is_refused(got: &Got, dialect: Dialect, status: u16) -> String {
    assert_eq!((got.status, got.end), (status, End::Whole), "{dialect:?}: {got:?}");
    got.error(dialect)
}

#[test]
fn an_agent_has_no_say_in_the_play_of_a_server_for_it_alone() {
    let server = start(Serve { only: Some("run".into()), ..serving(vec![plain("")]) });
    let body = opening(Dialect::OpenAi, false, TOOLS).to_string();
    send(&server, "POST", path(Dialect::OpenAi, false), &[], body.as_bytes()).fine();
    let steps = server.told(Some("run")).expect("it has begun").steps.len();
    for (method, what) in [("POST", "reset"), ("POST", "said"), ("GET", "transcript"), ("GET", "")] {
        for before in ["", "/c/run", "/c/other"] {
            let got = send(&server, method, &format!("{before}/_balk/{what}"), &[], b"x");
            assert_eq!(got.status, 403, "{method} {what}: {got:?}");
        }
    }
    assert_eq!(server.told(Some("run")).expect("it is not reset").steps.len(), steps);
}

#[test]
fn a_body_that_is_too_long_is_refused_in_every_shape() {
    let limits = Limits { body: 10_000, ..Limits::default() };
    let server = start(Serve { limits, ..serving(vec![plain("")]) });
    for dialect in Dialect::ALL {
        let status = if dialect == Dialect::Gemini { 400 } else { 413 };
        for length in [10_001, 79_000, 200_000] {
            let got = send(&server, "POST", path(dialect, false), &[], &vec![b' '; length]);
            let message = is_refused(&got, dialect, status);
            assert!(message.contains("at most 10000 bytes"), "{message}");
        }
        // At the limit it is read.
        let got = send(&server, "POST", path(dialect, false), &[], &vec![b' '; 10_000]);
        is_refused(&got, dialect, 400);
    }
    goes_on(&server);
}

/// Sends a hundred times a million blanks, in chunks or with the length, as a client that never looks up.
fn long(server: &Server, megabytes: usize, in_chunks: bool) -> Got {
    let mut stream = TcpStream::connect(address(server)).expect("a connection");
    let million = vec![b' '; 1 << 20];
    let length = megabytes << 20;
    let head =
        if in_chunks { "transfer-encoding: chunked".to_owned() } else { format!("content-length: {length}") };
    write!(
        stream,
        "POST {} HTTP/1.1\r\nhost: h\r\nconnection: close\r\n{head}\r\n\r\n",
        path(Dialect::OpenAi, false)
    )
    .expect("a head is sent");
    for _ in 0..megabytes {
        let sent = if in_chunks {
            write!(stream, "100000\r\n")
                .and_then(|()| stream.write_all(&million))
                .and_then(|()| write!(stream, "\r\n"))
        } else {
            stream.write_all(&million)
        };
        if sent.is_err() {
            break;
        }
    }
    if in_chunks {
        let _ = write!(stream, "0\r\n\r\n");
    }
    receive(&mut stream, PATIENCE)
}

#[test]
fn bodies_of_many_megabytes_are_refused_and_not_kept() {
    let server = server();
    for (megabytes, in_chunks) in [(33, false), (33, true), (100, false), (100, true)] {
        let got = long(&server, megabytes, in_chunks);
        is_refused(&got, Dialect::OpenAi, 413);
    }
    // A length that is only said is not waited for longer than anything else, and not believed.
    let head = b"POST /v1/messages HTTP/1.1\r\nhost: h\r\ncontent-length: 99999999999999\r\n\r\n{}";
    let mut stream = TcpStream::connect(address(&server)).expect("a connection");
    stream.write_all(head).expect("a head is sent");
    stream.shutdown(Shutdown::Write).expect("it can be shut");
    let got = receive(&mut stream, PATIENCE);
    assert!(got.status == 0 || (400..500).contains(&got.status), "{got:?}");
    goes_on(&server);
}

#[test]
fn a_slow_sender_is_not_waited_for() {
    let limits = Limits { read: Duration::from_millis(200), ..Limits::default() };
    let server = start(Serve { limits, ..serving(vec![plain("")]) });
    for dialect in Dialect::ALL {
        let mut stream = TcpStream::connect(address(&server)).expect("a connection");
        let head =
            format!("POST {} HTTP/1.1\r\nhost: h\r\ncontent-length: 1000\r\n\r\n{{", path(dialect, false));
        stream.write_all(head.as_bytes()).expect("a head is sent");
        let mut slow = stream.try_clone().expect("a connection");
        let sender = thread::spawn(move || {
            // A byte now and then is as slow as none.
            while slow.write_all(b" ").is_ok() {
                thread::sleep(Duration::from_millis(20));
            }
        });
        let got = receive(&mut stream, PATIENCE);
        assert_eq!(got.status, 408, "{got:?}");
        assert!(got.error(dialect).contains("longer than 200 ms"), "{got:?}");
        drop(stream);
        sender.join().expect("it ends");
    }
    goes_on(&server);
}

/// Bodies that are on their way count together. What the clients that hang up had sent is free again.
#[test]
fn bodies_on_their_way_have_a_bound_together() {
    let limits = Limits { bodies: 1 << 16, ..Limits::default() };
    let server = start(Serve { limits, ..serving(vec![plain("")]) });
    let ask = || {
        let body = opening(Dialect::OpenAi, false, TOOLS).to_string();
        exchange(
            &server,
            &request_bytes("POST", path(Dialect::OpenAi, false), &[], body.as_bytes()),
            PATIENCE,
        )
    };
    let head =
        format!("POST {} HTTP/1.1\r\nhost: h\r\ncontent-length: 99999\r\n\r\n", path(Dialect::OpenAi, false));
    // One that comes while a whole request is read is refused itself, so it may take more than one.
    let (slow, got) = (0..10)
        .find_map(|_| {
            let mut slow = TcpStream::connect(address(&server)).expect("a connection");
            slow.write_all(&[head.as_bytes(), &[b' '; 1 << 16]].concat()).expect("it is sent");
            Some((slow, until(&ask, 503)?))
        })
        .expect("one has all the room");
    assert!(got.error(Dialect::OpenAi).contains("more than 65536 bytes"), "{got:?}");
    drop(slow);
    until(&ask, 200).expect("there is room again");
}

/// The first of a thousand answers with this status: what another connection did takes effect in its own time.
fn until(ask: &impl Fn() -> Got, status: u16) -> Option<Got> {
    (0..1000).map(|_| ask()).find(|got| {
        thread::sleep(Duration::from_millis(5));
        got.status == status
    })
}

#[test]
fn a_head_that_does_not_end_is_not_waited_for() {
    let limits = Limits { head: Duration::from_millis(200), ..Limits::default() };
    let server = start(Serve { limits, ..serving(vec![plain("")]) });
    let mut stream = TcpStream::connect(address(&server)).expect("a connection");
    let mut slow = stream.try_clone().expect("a connection");
    let sender = thread::spawn(move || {
        while slow.write_all(b"P").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
    });
    let got = receive(&mut stream, PATIENCE);
    assert!(got.end == End::Closed || got.end == End::Reset, "{got:?}");
    drop(stream);
    sender.join().expect("it ends");
    goes_on(&server);
}

#[test]
fn what_is_no_request_is_refused_with_its_place() {
    let server = server();
    let deep = |open: &str, close: &str| open.repeat(100_000) + &close.repeat(100_000);
    for dialect in Dialect::ALL {
        let whole = opening(dialect, false, TOOLS).to_string();
        let texts: Vec<Vec<u8>> = vec![
            b"".to_vec(),
            b"null".to_vec(),
            b"[]".to_vec(),
            b"\"text\"".to_vec(),
            b"{}".to_vec(),
            b"\xff\xfe{}".to_vec(),
            [whole.as_bytes(), b"\xc3"].concat(),
            whole.as_bytes()[..whole.len() / 2].to_vec(),
            [whole.as_bytes(), b" {}"].concat(),
            deep("[", "]").into_bytes(),
            deep("{\"a\":", "}").into_bytes(),
            whole.replace("\"user\"", "\"narrator\"").into_bytes(),
            whole.replace("Write notes.txt.", "\\ud800").into_bytes(),
            [b"\0\x01\x02".as_slice(), &[0; 5_000]].concat(),
        ];
        for text in texts {
            let got = send(&server, "POST", path(dialect, false), &[], &text);
            let said = String::from_utf8_lossy(&text[..text.len().min(60)]).into_owned();
            assert_eq!(got.status, 400, "{dialect:?} {said}: {got:?}");
            assert!(!got.error(dialect).is_empty(), "{dialect:?} {said}");
            assert!(got.body.len() < 2_000, "{dialect:?} {said}: {}", got.body.len());
        }
    }
    assert_eq!(get(&server, "/_balk").json()["conversations"], json!([]));
    goes_on(&server);
}

/// Puts a value everywhere in the tools and messages of a request where an agent could.
fn with(dialect: Dialect, schema: &str, arguments: &str) -> String {
    let mut request = opening(dialect, false, TOOLS);
    let call = match dialect {
        Dialect::OpenAi => json!([
            { "role": "assistant", "tool_calls": [
                { "id": "a", "type": "function", "function": { "name": "bash", "arguments": "ARGUMENTS" } },
            ] },
            { "role": "tool", "tool_call_id": "a", "content": "ok" },
        ]),
        Dialect::Responses => json!([
            { "type": "function_call", "call_id": "a", "name": "bash", "arguments": "ARGUMENTS" },
            { "type": "function_call_output", "call_id": "a", "output": "ok" },
        ]),
        Dialect::Anthropic => json!([
            { "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "bash", "input": "INPUT" }] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": "ok" }] },
        ]),
        Dialect::Gemini => json!([
            { "role": "model", "parts": [{ "functionCall": { "name": "bash", "args": "INPUT" } }] },
            { "role": "user", "parts": [{ "functionResponse": { "name": "bash", "response": { "output": "ok" } } }] },
        ]),
    };
    let name = match dialect {
        Dialect::OpenAi | Dialect::Anthropic => "messages",
        Dialect::Responses => "input",
        Dialect::Gemini => "contents",
    };
    let Value::Array(call) = call else { return String::new() };
    request[name].as_array_mut().expect("a list").extend(call);
    let string = r#"{"type":"string"}"#;
    let quoted = serde_json::to_string(arguments).expect("a text");
    let text = request.to_string().replace(string, schema);
    text.replace("\"ARGUMENTS\"", &quoted).replace("\"INPUT\"", arguments)
}

#[test]
fn what_is_deep_in_a_schema_or_in_arguments_ends_nothing() {
    let server = server();
    let deep = |depth: usize| r#"{"properties":{"a":"#.repeat(depth) + "1" + &"}}".repeat(depth);
    for dialect in Dialect::ALL {
        for depth in [1, 60, 100_000] {
            for (schema, arguments) in [(deep(depth), "{}".to_owned()), ("{}".to_owned(), deep(depth))] {
                let body = with(dialect, &schema, &arguments);
                let path = format!("/c/{dialect:?}-{depth}-{}{}", schema.len(), path(dialect, false));
                let got = send(&server, "POST", &path, &[], body.as_bytes());
                assert!([200, 400].contains(&got.status), "{dialect:?} {depth}: {got:?}");
                if got.status == 400 {
                    got.error(dialect);
                }
            }
        }
    }
    goes_on(&server);
}

#[test]
fn ten_thousand_tools_and_results_are_read_in_time() {
    let server = server();
    let names: Vec<String> = (0..10_000).map(|at| format!("tool_{at}")).collect();
    for dialect in Dialect::ALL {
        let mut tools: Vec<(&str, &[&str])> = names.iter().map(|it| (&**it, &["path"][..])).collect();
        let path = format!("/c/{dialect:?}{}", path(dialect, false));
        let refused =
            send(&server, "POST", &path, &[], opening(dialect, false, &tools).to_string().as_bytes());
        is_refused(&refused, dialect, 400);
        assert!(refused.body.len() < 1_000_000, "{}", refused.body.len());
        tools.extend(TOOLS);
        send(&server, "POST", &path, &[], opening(dialect, false, &tools).to_string().as_bytes()).fine();
    }
    // Results in the wrong order.
    let many = 20_000;
    let mut request = opening(Dialect::OpenAi, false, TOOLS);
    let messages = request["messages"].as_array_mut().expect("a list");
    let called = json!({ "name": "bash", "arguments": "{}" });
    let call = |at: usize| json!({ "id": format!("c{at}"), "type": "function", "function": called });
    messages.push(json!({ "role": "assistant", "tool_calls": (0..many).map(call).collect::<Vec<_>>() }));
    messages.extend(
        (0..many)
            .rev()
            .map(|at| json!({ "role": "tool", "tool_call_id": format!("c{at}"), "content": "ok" })),
    );
    send(&server, "POST", path(Dialect::OpenAi, false), &[], request.to_string().as_bytes()).fine();
}

#[test]
fn unknown_members_are_ignored() {
    let server = server();
    for dialect in Dialect::ALL {
        let mut request = opening(dialect, false, TOOLS);
        request["unheard_of"] = json!({ "deep": [1, null, { "a": "b" }] });
        request["temperature"] = json!("hot");
        let got = send(&server, "POST", path(dialect, false), &[], request.to_string().as_bytes());
        assert_eq!(got.status, 200, "{dialect:?}: {got:?}");
    }
}

#[test]
fn connections_that_are_no_http_are_closed() {
    let server = server();
    let head = format!("POST {} HTTP/1.1\r\nhost: h\r\n", path(Dialect::OpenAi, false));
    let bytes: Vec<Vec<u8>> = vec![
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".repeat(40),
        b"GARBAGE\r\n\r\n".to_vec(),
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        format!("{head}content-length: -1\r\n\r\n").into_bytes(),
        format!("{head}content-length: 1\r\ncontent-length: 2\r\n\r\n{{").into_bytes(),
        format!("{head}transfer-encoding: chunked\r\n\r\nZZZ\r\n").into_bytes(),
        format!("{head}{}\r\n", "a: b\r\n".repeat(10_000)).into_bytes(),
        format!("{head}a: {}\r\n\r\n", "b".repeat(1 << 20)).into_bytes(),
        format!("GET /{} HTTP/1.1\r\nhost: h\r\n\r\n", "a".repeat(1 << 20)).into_bytes(),
    ];
    for bytes in bytes {
        let got = exchange(&server, &bytes, PATIENCE);
        assert!(got.status == 0 || (400..500).contains(&got.status), "{got:?}");
        assert_ne!(got.end, End::Waits, "{got:?}");
    }
    goes_on(&server);
}

#[test]
fn what_follows_a_request_on_its_connection_does_not_harm_it() {
    let server = server();
    let body = opening(Dialect::OpenAi, false, TOOLS).to_string();
    let one = format!(
        "POST {} HTTP/1.1\r\nhost: h\r\ncontent-length: {}\r\n\r\n{body}",
        path(Dialect::OpenAi, false),
        body.len()
    );
    // Two in a row, and then garbage.
    let got = exchange(&server, format!("{one}{one}GARBAGE\r\n\r\n").as_bytes(), PATIENCE);
    assert_eq!(got.status, 200, "{got:?}");
    assert_eq!(told(&server, "default").verdict.requests, 2);
    // A client that has said all closes its side.
    let mut stream = TcpStream::connect(address(&server)).expect("a connection");
    stream
        .write_all(&request_bytes("POST", path(Dialect::OpenAi, false), &[], body.as_bytes()))
        .expect("it is sent");
    stream.shutdown(Shutdown::Write).expect("it can be shut");
    let got = receive(&mut stream, PATIENCE);
    assert!(got.status == 200 || got.status == 0, "{got:?}");
    // One that goes in the middle of its body.
    let mut stream = TcpStream::connect(address(&server)).expect("a connection");
    let half = &one.as_bytes()[..one.len() - 50];
    stream.write_all(half).expect("it is sent");
    drop(stream);
    goes_on(&server);
}

#[test]
fn names_of_conversations_may_be_anything() {
    let server = server();
    let body = opening(Dialect::OpenAi, false, TOOLS).to_string();
    for (sent, name) in [
        ("a%2Fb", "a/b"),
        ("%2E%2E", ".."),
        ("caf%C3%A9", "café"),
        ("%00%0D%0Ax", "\0\r\nx"),
        ("%FF", "\u{fffd}"),
        ("%zz", "%zz"),
        ("plain:9%3Asecond", "plain:9:second"),
    ] {
        send(&server, "POST", &format!("/c/{sent}/v1/chat/completions"), &[], body.as_bytes()).fine();
        assert_eq!(told(&server, name).verdict.requests, 1, "{sent}");
        assert_eq!(get(&server, &format!("/c/{sent}/_balk/state")).fine()["requests"], 1, "{sent}");
    }
}

#[test]
fn the_conversations_of_a_server_have_a_bound() {
    let limits = Limits { kept: 4 << 20, ..Limits::default() };
    let server = start(Serve { limits, ..serving(vec![plain("")]) });
    let body = opening(Dialect::Anthropic, false, TOOLS).to_string();
    let ask = |name: &str| {
        let path = format!("/c/{name}{}", path(Dialect::Anthropic, false));
        send(&server, "POST", &path, &[], body.as_bytes())
    };
    let refused = (0..10_000).map(|at| ask(&format!("c{at}"))).position(|got| {
        if got.status == 200 {
            return false;
        }
        let message = is_refused(&got, Dialect::Anthropic, 403);
        assert!(message.contains("4 MiB") && message.contains("reset"), "{message}");
        true
    });
    let refused = refused.expect("somebody is refused");
    assert!((150..400).contains(&refused), "{refused}");
    assert!(
        !server.bound().load(std::sync::atomic::Ordering::Relaxed),
        "no conversation had all its requests"
    );
    // Nor is more taken from those who play the agent's part.
    let names = get(&server, "/_balk").fine()["conversations"].as_array().map(Vec::len);
    assert_eq!(names, Some(refused), "one that is refused is not kept");
    while ask("c0").status == 200 {}
    for (name, what) in [("new", "begin"), ("c0", "begin"), ("c0", "said")] {
        let got = send(&server, "POST", &format!("/c/{name}/_balk/{what}"), &[], b"");
        assert!(got.status == 403 && got.body.contains("4 MiB"), "{name} {what}: {got:?}");
    }
    // Room comes back.
    for at in 0..50 {
        send(&server, "POST", &format!("/c/c{at}/_balk/reset"), &[], b"").fine();
    }
    ask("c0").fine();
}
