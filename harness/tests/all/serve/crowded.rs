//! Clients that hold connections, and heads that never end: what they cost has a bound, and others are answered.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use balk::serve::{Limits, Serve, Server};

use super::client::{End, PATIENCE, address, exchange, get, plain, receive, serving, start};

fn server(limits: Limits) -> Server {
    start(Serve { limits, ..serving(vec![plain("")]) })
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(address(server)).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a patience");
    stream
}

/// Asks over a connection that stays open.
#[track_caller]
fn ask(stream: &mut TcpStream) {
    stream.write_all(b"GET / HTTP/1.1\r\nhost: h\r\n\r\n").expect("it is sent");
    is_answered(stream);
}

/// The head of an answer without an error, and its body.
#[track_caller]
fn is_answered(stream: &mut TcpStream) {
    let mut lines = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    lines.read_line(&mut line).expect("an answer");
    assert_eq!(line, "HTTP/1.1 200 OK\r\n");
    while line != "\r\n" {
        line.clear();
        lines.read_line(&mut line).expect("a head");
        if let Some(it) = line.strip_prefix("content-length: ") {
            length = it.trim().parse().expect("a length");
        }
    }
    lines.read_exact(&mut vec![0; length]).expect("a body");
}

#[test]
fn a_head_has_a_bound() {
    let server = server(Limits::default());
    let head = |bytes: usize| {
        let header = format!("x: {}\r\n", "a".repeat(998));
        format!("GET / HTTP/1.1\r\nhost: h\r\nconnection: close\r\n{}\r\n", header.repeat(bytes / 1_000))
    };
    assert_eq!(exchange(&server, head(50_000).as_bytes(), PATIENCE).status, 200);
    // It is answered before its end has come.
    let long = head(80_000);
    let got = exchange(&server, &long.as_bytes()[..long.len() - 2], PATIENCE);
    assert_eq!(got.status, 431, "{got:?}");
}

#[test]
fn the_connection_that_has_waited_longest_makes_room_for_another_one() {
    let server = server(Limits { connections: 3, idle: Duration::ZERO, ..Limits::default() });
    let [mut first, mut second, mut third] = [(); 3].map(|()| connect(&server));
    // The first one has waited less long from then on, and nothing has come from the others.
    ask(&mut first);
    third.write_all(b"GET / HTTP/1.1\r\nhost: h\r\n").expect("it is sent");
    ask(&mut connect(&server));
    let got = receive(&mut second, PATIENCE);
    assert!(got.end == End::Closed || got.end == End::Reset, "{got:?}");
    // That one has gone, and the others are there.
    third.write_all(b"\r\n").expect("it is sent");
    is_answered(&mut third);
    ask(&mut first);
    // However many come and hold what they get, others are answered.
    let _held: Vec<TcpStream> = (0..20).map(|_| connect(&server)).collect();
    assert_eq!(get(&server, "/").status, 200);
}

#[test]
fn a_connection_has_time_for_its_request_before_it_makes_room() {
    let patient = server(Limits { connections: 1, idle: PATIENCE, ..Limits::default() });
    let mut crowd = [(); 20].map(|()| {
        let mut stream = connect(&patient);
        let head = "GET / HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n";
        stream.write_all(head.as_bytes()).expect("it is sent");
        stream
    });
    for stream in &mut crowd {
        is_answered(stream);
    }
    // One that goes on waiting makes room in the end.
    let server = server(Limits { connections: 1, idle: Duration::from_millis(50), ..Limits::default() });
    let _held = connect(&server);
    assert_eq!(get(&server, "/").status, 200);
}

#[test]
fn a_connection_with_a_request_on_its_way_makes_no_room() {
    let server = server(Limits { connections: 2, idle: Duration::ZERO, ..Limits::default() });
    let mut busy = [(); 2].map(|()| connect(&server));
    for stream in &mut busy {
        let head =
            "POST /_balk/begin HTTP/1.1\r\nhost: h\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n";
        stream.write_all(head.as_bytes()).expect("it is sent");
        let mut said = [0; 25];
        stream.read_exact(&mut said).expect("its head was read");
        assert_eq!(&said, b"HTTP/1.1 100 Continue\r\n\r\n");
    }
    thread::scope(|scope| {
        // It waits until one of them has its answer.
        let other = scope.spawn(|| get(&server, "/").status);
        busy[1].write_all(b"{}").expect("it is sent");
        is_answered(&mut busy[1]);
        assert_eq!(other.join().expect("it ends"), 200);
    });
    busy[0].write_all(b"{}").expect("it is sent");
    is_answered(&mut busy[0]);
}

#[test]
fn a_head_that_has_begun_is_waited_for_less_long_than_its_beginning() {
    let server = server(Limits { read: Duration::from_millis(200), ..Limits::default() });
    let mut idle = connect(&server);
    let mut begun = connect(&server);
    // The time of one head is not that of the next one.
    ask(&mut begun);
    begun.write_all(b"GET / HTTP").expect("it is sent");
    let got = receive(&mut begun, PATIENCE);
    assert!(got.end == End::Closed || got.end == End::Reset, "{got:?}");
    ask(&mut idle);
}
