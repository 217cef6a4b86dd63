//! A small server on loopback that sends what a test tells it to, and keeps what it was sent.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// `POST /v1/chat/completions HTTP/1.1`.
    pub(crate) line: String,
    /// The names in small letters.
    pub(crate) headers: Vec<(String, String)>,
    /// What is not UTF-8 in it is replaced.
    pub(crate) body: String,
    pub(crate) bytes: Vec<u8>,
}

/// What the server does with one request: it sends bytes, then it does something else.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    bytes: Vec<u8>,
    then: Then,
}

#[derive(Clone, Debug)]
enum Then {
    Close,
    /// Sends these bytes until the client goes away, with a pause before each.
    Repeat(Vec<u8>, Duration),
    /// Sends nothing, and does not close.
    Hang,
    /// Sends these bytes once it is told to.
    Wait(Arc<Mutex<Receiver<()>>>, Vec<u8>),
}

/// The server. It ends when it is dropped.
pub(crate) struct Server {
    address: String,
    requests: Arc<Mutex<Vec<Request>>>,
    stop: Arc<AtomicBool>,
    accepting: Option<JoinHandle<()>>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it == name).map(|(_, value)| &**value)
    }
}

impl Script {
    /// These bytes, then the end of the connection.
    pub(crate) fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), then: Then::Close }
    }

    /// A response with these headers, a line each, and a body that ends with the connection.
    pub(crate) fn with(status: u16, headers: &str, body: &str) -> Self {
        let headers = headers.lines().map(|it| format!("{}\r\n", it.trim())).collect::<String>();
        Self::raw(format!("HTTP/1.1 {status} Said\r\nconnection: close\r\n{headers}\r\n{body}"))
    }

    /// A response of JSON with its length.
    pub(crate) fn json(status: u16, body: &str) -> Self {
        let headers = format!("content-type: application/json\ncontent-length: {}", body.len());
        Self::with(status, &headers, body)
    }

    /// A response of server-sent events.
    pub(crate) fn events(events: &[&str]) -> Self {
        let body: String = events.iter().map(|it| format!("data: {it}\n\n")).collect();
        Self::with(200, "content-type: text/event-stream", &body)
    }

    /// Then these bytes for ever.
    pub(crate) fn for_ever(self, bytes: &str, pause: Duration) -> Self {
        Self { then: Then::Repeat(bytes.into(), pause), ..self }
    }

    /// Then these bytes, once something comes.
    pub(crate) fn then(self, comes: Receiver<()>, bytes: String) -> Self {
        Self { then: Then::Wait(Arc::new(Mutex::new(comes)), bytes.into()), ..self }
    }

    /// Then nothing, for ever.
    pub(crate) fn hang(self) -> Self {
        Self { then: Then::Hang, ..self }
    }
}

impl Server {
    /// A server that sends the next script for each request, and the last one for all that follow.
    pub(crate) fn of(scripts: Vec<Script>) -> Self {
        Self::new(move |at, _| scripts[at.min(scripts.len() - 1)].clone())
    }

    /// A server that asks `answer` what to do; it gets how many requests came before, and the request.
    pub(crate) fn new(answer: impl Fn(usize, &Request) -> Script + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("it is bound").to_string();
        let (requests, stop) = (Arc::<Mutex<Vec<_>>>::default(), Arc::<AtomicBool>::default());
        let (heard, stopped, answer) = (requests.clone(), stop.clone(), Arc::new(answer));
        let accepting = thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(SeqCst) {
                    break;
                }
                let (heard, stopped, answer) = (heard.clone(), stopped.clone(), answer.clone());
                // A client that goes away is part of the play, so errors of the connection are nothing to report.
                let _connection = thread::spawn(move || {
                    let mut stream = stream.ok()?;
                    let request = read(&stream)?;
                    let at = {
                        let mut heard = heard.lock().expect("no test panicked");
                        heard.push(request.clone());
                        heard.len() - 1
                    };
                    play(&mut stream, &answer(at, &request), &stopped)
                });
            }
        });
        Self { address, requests, stop, accepting: Some(accepting) }
    }

    /// The base address of its endpoint.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// What it was sent so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no test panicked").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, SeqCst);
        // The listener waits for a connection before it looks.
        drop(TcpStream::connect(&self.address));
        if let Some(accepting) = self.accepting.take() {
            accepting.join().expect("the server did not panic");
        }
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut next = || {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        Some(line.trim_end().to_owned())
    };
    let line = next().filter(|it| !it.is_empty())?;
    let mut headers = Vec::new();
    while let Some((name, value)) = next()?.split_once(':') {
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut request = Request { line, headers, body: String::new(), bytes: Vec::new() };
    let length: u64 = request.header("content-length").map_or(0, |it| it.parse().expect("a length"));
    reader.take(length).read_to_end(&mut request.bytes).ok()?;
    request.body = String::from_utf8_lossy(&request.bytes).into_owned();
    Some(request)
}

fn play(stream: &mut TcpStream, script: &Script, stop: &AtomicBool) -> Option<()> {
    stream.write_all(&script.bytes).ok()?;
    let (bytes, pause) = match &script.then {
        Then::Close => return Some(()),
        Then::Hang => (&[][..], Duration::from_millis(20)),
        Then::Wait(comes, bytes) => {
            comes.lock().expect("no test panicked").recv().ok()?;
            return stream.write_all(bytes).ok();
        }
        Then::Repeat(bytes, pause) => (&**bytes, *pause),
    };
    while !stop.load(SeqCst) {
        thread::sleep(pause);
        stream.write_all(bytes).ok()?;
    }
    Some(())
}
