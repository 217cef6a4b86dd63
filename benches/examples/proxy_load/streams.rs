//! How soon a stream's first text comes through a proxy.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;

use balk::bench::Stopwatch;
use balk_benches::load::{head, quantile};
use balk_benches::served::Failure;
use serde_json::{Value, json};

use crate::provider::tools;
use crate::size::PACED;

/// Streams of each client through each proxy.
const STREAMS: usize = 50;

/// A connection to a proxy, and how long its streams took.
struct Line {
    connection: BufReader<TcpStream>,
    first_text: Vec<u64>,
}

/// Shows how soon text comes through each of these proxies, the first of which is what the others are compared with.
#[expect(clippy::print_stdout, reason = "this is what an example is for")]
pub(crate) fn show_streams(proxies: &[(&str, SocketAddr)]) -> Result<(), Failure> {
    let clients = thread::scope(|scope| {
        let clients: Vec<_> =
            (0..PACED).map(|client| scope.spawn(move || first_texts(client, proxies))).collect();
        clients.into_iter().map(|it| it.join().expect("a client does not panic")).collect::<Vec<_>>()
    });
    let clients = clients.into_iter().collect::<Result<Vec<_>, _>>()?;
    println!("{} streams, {PACED} at a time: from the request to the first text", PACED * STREAMS);
    let mut bare = None;
    for (at, (name, _)) in proxies.iter().enumerate() {
        let mut all: Vec<u64> = clients.iter().flat_map(|it| it[at].first_text.iter().copied()).collect();
        all.sort_unstable();
        let us = |share| quantile(&all, share) / 1_000;
        let (half, most) = (us(500), us(990));
        let more = i128::from(half) - i128::from(*bare.get_or_insert(half));
        println!("  {name:8} p50 {half:6} us, p99 {most:6} us; p50 {more:+} us beside the bare proxy");
    }
    Ok(())
}

/// Streams of one client, in turn through each proxy.
fn first_texts(client: usize, proxies: &[(&str, SocketAddr)]) -> io::Result<Vec<Line>> {
    let open = |(_, address): &(&str, SocketAddr)| {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Line { connection: BufReader::new(stream), first_text: Vec::new() })
    };
    let mut lines = proxies.iter().map(open).collect::<io::Result<Vec<_>>>()?;
    let tools = tools();
    for nth in 0..STREAMS {
        for line in &mut lines {
            let name = format!("stream-{client}-{nth}");
            line.first_text.push(first_text(&mut line.connection, &name, &tools)?);
        }
    }
    Ok(lines)
}

/// How long it takes from a request to the first byte of text of a stream, in nanoseconds. The stream is read whole.
fn first_text(connection: &mut BufReader<TcpStream>, name: &str, tools: &Value) -> io::Result<u64> {
    let messages = json!([{ "role": "user", "content": "Say something." }]);
    let body = json!({ "model": "m", "messages": messages, "stream": true, "tools": tools }).to_string();
    let path = format!("/c/{name}/v1/chat/completions");
    let request = format!("POST {path} HTTP/1.1\r\nhost: h\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let watch = Stopwatch::start();
    connection.get_mut().write_all(request.as_bytes())?;
    let length = head(connection)?;
    let (mut line, mut read, mut first) = (String::new(), 0, None);
    loop {
        line.clear();
        if connection.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        read += line.len();
        if first.is_none() && line.contains("\"content\":\"") {
            first = Some(watch.nanoseconds());
        }
        // A body whose length is not known comes in chunks, and ends with one of no bytes and an empty line.
        if length.is_none() && line == "0\r\n" {
            connection.read_line(&mut line)?;
            break;
        }
        if length.is_some_and(|it| read >= it) {
            break;
        }
    }
    first.ok_or_else(|| io::ErrorKind::InvalidData.into())
}
