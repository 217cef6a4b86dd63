//! Clients of a load: conversations with a model over HTTP, many at once, each over a connection of its own.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Barrier;
use std::thread;

use balk::bench::Stopwatch;
use balk_guards::wire::Dialect;
use balk_guards::{Completion, Offer, ToolCall};
use serde_json::{Value, json};

/// Threads that play the clients, each many of them in turn.
const CLIENTS: usize = 8;

/// What a tool says to a call.
pub type Tools = fn(&ToolCall) -> String;

/// One conversation of a client, over a connection of its own.
#[derive(Debug)]
pub struct Talk {
    path: String,
    connection: BufReader<TcpStream>,
    tools: Value,
    messages: Vec<Value>,
    /// The body of the answer that came last.
    pub answer: Vec<u8>,
}

impl Talk {
    /// A conversation of this name, which begins with these words and offers these tools.
    ///
    /// # Errors
    /// There is no connection.
    pub fn new(address: SocketAddr, name: &str, opening: &str, tools: &Value) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            path: format!("/c/{name}/v1/chat/completions"),
            connection: BufReader::new(stream),
            tools: tools.clone(),
            messages: vec![json!({ "role": "user", "content": opening })],
            answer: Vec::new(),
        })
    }

    /// Sends the conversation so far, and says how many bytes its body has.
    ///
    /// # Errors
    /// The connection is lost.
    pub fn send(&mut self) -> io::Result<usize> {
        let (request, body) = self.request();
        self.connection.get_mut().write_all(&request)?;
        Ok(body)
    }

    fn request(&self) -> (Vec<u8>, usize) {
        let body = json!({ "model": "m", "messages": self.messages, "tools": self.tools }).to_string();
        let head =
            format!("POST {} HTTP/1.1\r\nhost: h\r\ncontent-length: {}\r\n\r\n", self.path, body.len());
        ([head.as_bytes(), body.as_bytes()].concat(), body.len())
    }

    /// Reads an answer whose length is known.
    ///
    /// # Errors
    /// The connection is lost.
    pub fn receive(&mut self) -> io::Result<()> {
        let length = head(&mut self.connection)?.unwrap_or(0);
        self.answer.resize(length, 0);
        self.connection.read_exact(&mut self.answer)
    }

    /// Sends the conversation so far and reads the answer. Returns how long the server took, in nanoseconds.
    ///
    /// # Errors
    /// The connection is lost.
    pub fn timed(&mut self) -> io::Result<u64> {
        let (request, _) = self.request();
        let watch = Stopwatch::start();
        self.connection.get_mut().write_all(&request)?;
        self.receive()?;
        Ok(watch.nanoseconds())
    }

    /// Answers what the model said, if this is an answer of a model.
    pub fn goes_on(&mut self, tools: Tools) -> Option<()> {
        let text = str::from_utf8(&self.answer).ok()?;
        let said: Completion = Dialect::OpenAi.completion(text, &Offer::default()).ok()?;
        let mut answer: Value = serde_json::from_str(text).ok()?;
        self.messages.push(answer["choices"][0]["message"].take());
        for call in &said.calls {
            let id = &*call.id;
            self.messages.push(json!({ "role": "tool", "tool_call_id": id, "content": tools(call) }));
        }
        if said.calls.is_empty() {
            self.messages.push(json!({ "role": "user", "content": "Go on." }));
        }
        Some(())
    }
}

/// Reads the head of an answer. Returns the length of its body, where it says so.
///
/// # Errors
/// The connection is lost.
pub fn head(connection: &mut BufReader<TcpStream>) -> io::Result<Option<usize>> {
    let mut length = None;
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        if connection.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok();
        }
    }
    Ok(length)
}

/// What came of playing many conversations.
#[derive(Clone, Copy, Debug)]
pub struct Played {
    /// Turns that were answered.
    pub turns: usize,
    /// Turns that were not.
    pub lost: usize,
    /// How long all of it took.
    pub nanoseconds: u64,
}

impl Played {
    /// Turns a second.
    #[must_use]
    pub fn a_second(&self) -> u64 {
        let turns = u64::try_from(self.turns).unwrap_or(u64::MAX);
        turns.saturating_mul(1_000_000_000) / self.nanoseconds.max(1)
    }
}

/// Plays so many turns of all conversations at once: every turn of a thread is sent to all its conversations before it
/// is answered.
///
/// # Panics
/// A thread panicked.
pub fn play(talks: &mut [Talk], turns: usize, tools: Tools) -> Played {
    let each = talks.len().div_ceil(CLIENTS).max(1);
    let barrier = Barrier::new(talks.len().div_ceil(each));
    let threads = thread::scope(|scope| {
        let clients: Vec<_> = talks
            .chunks_mut(each)
            .map(|talks| {
                let barrier = &barrier;
                scope.spawn(move || {
                    barrier.wait();
                    play_some(talks, turns, tools)
                })
            })
            .collect();
        clients.into_iter().map(|it| it.join().expect("a client does not panic")).collect::<Vec<_>>()
    });
    Played {
        turns: threads.iter().map(|it| it.turns).sum(),
        lost: threads.iter().map(|it| it.lost).sum(),
        nanoseconds: threads.iter().map(|it| it.nanoseconds).max().unwrap_or(0),
    }
}

fn play_some(talks: &mut [Talk], rounds: usize, tools: Tools) -> Played {
    let watch = Stopwatch::start();
    let (mut turns, mut lost) = (0, 0);
    for _ in 0..rounds {
        let sent: Vec<bool> = talks.iter_mut().map(|it| it.send().is_ok()).collect();
        for (talk, sent) in talks.iter_mut().zip(sent) {
            if sent && talk.receive().is_ok() && talk.goes_on(tools).is_some() {
                turns += 1;
            } else {
                lost += 1;
            }
        }
    }
    Played { turns, lost, nanoseconds: watch.nanoseconds() }
}

/// The value that this share of all, in thousandths, does not exceed.
#[must_use]
pub fn quantile(sorted: &[u64], share: usize) -> u64 {
    sorted.get((sorted.len() * share / 1000).min(sorted.len().saturating_sub(1))).copied().unwrap_or(0)
}
