//! How many turns a second `balk serve` answers, beside a server that only echoes: `serve_load [SCENARIO]`.
//!
//! Each server has a process of its own, and the clients another: a thousand conversations at once, each with twenty
//! turns over a connection that stays open. Both servers get the same requests and send answers of the same size. Then
//! one conversation has a thousand turns, whose requests grow. Memory is what the server's process takes more after the
//! conversations than before them, their connections included; the echo shows what these alone take. The handling of a
//! request is what the server itself does with it, without the network: it reads the request and finds the answer.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Barrier;
use std::thread;

use axum::Router;
use axum::routing::post;
use balk::bench::Stopwatch;
use balk::serve::{Limits, Scripts, Serve, Server};
// The allocator of the program.
use balk_benches as _;
use balk_guards::wire::Dialect;
use balk_guards::{Completion, Offer};
use balk_scenarios::{World, WorldOptions, Worlds, catalogue};
use serde_json::{Value, json};

const CONVERSATIONS: usize = 1_000;
const TURNS: usize = 20;
const LONG: usize = 1_000;
/// Threads that play the clients, each many of them in turn.
const CLIENTS: usize = 8;

/// One conversation of a client, over a connection of its own.
struct Talk {
    path: String,
    connection: BufReader<TcpStream>,
    tools: Value,
    messages: Vec<Value>,
    answer: Vec<u8>,
}

impl Talk {
    fn new(address: SocketAddr, name: &str, opening: &str, tools: &Value) -> io::Result<Self> {
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

    fn send(&mut self) -> io::Result<usize> {
        let body = json!({ "model": "m", "messages": self.messages, "tools": self.tools }).to_string();
        let head =
            format!("POST {} HTTP/1.1\r\nhost: h\r\ncontent-length: {}\r\n\r\n", self.path, body.len());
        self.connection.get_mut().write_all(&[head.as_bytes(), body.as_bytes()].concat())?;
        Ok(body.len())
    }

    fn receive(&mut self) -> io::Result<()> {
        let mut length = 0;
        let mut line = String::new();
        loop {
            line.clear();
            if self.connection.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            if line == "\r\n" {
                break;
            }
        }
        self.answer.resize(length, 0);
        self.connection.read_exact(&mut self.answer)
    }

    /// Answers what the model said, if this is an answer of a model.
    fn goes_on(&mut self) -> Option<()> {
        let text = str::from_utf8(&self.answer).ok()?;
        let said: Completion = Dialect::OpenAi.completion(text, &Offer::default()).ok()?;
        let mut answer: Value = serde_json::from_str(text).ok()?;
        self.messages.push(answer["choices"][0]["message"].take());
        for call in &said.calls {
            let id = &*call.id;
            self.messages
                .push(json!({ "role": "tool", "tool_call_id": id, "content": "error: no such file" }));
        }
        if said.calls.is_empty() {
            self.messages.push(json!({ "role": "user", "content": "Go on." }));
        }
        Some(())
    }
}

/// What came of playing all conversations.
struct Played {
    turns: usize,
    lost: usize,
    nanoseconds: u64,
}

impl Played {
    fn a_second(&self) -> u64 {
        let turns = u64::try_from(self.turns).unwrap_or(u64::MAX);
        turns.saturating_mul(1_000_000_000) / self.nanoseconds.max(1)
    }
}

/// Plays all conversations at once: every turn of a thread is sent to all its conversations before it is answered.
fn play(address: SocketAddr, scenario: &str, script: &Script) -> Played {
    let barrier = Barrier::new(CLIENTS);
    let threads = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let barrier = &barrier;
                scope.spawn(move || {
                    let mut talks: Vec<Talk> = (client..CONVERSATIONS)
                        .step_by(CLIENTS)
                        .map(|at| {
                            let name = format!("{scenario}:{at}");
                            Talk::new(address, &name, &script.openings[at], &script.tools)
                        })
                        .collect::<Result<_, _>>()
                        .expect("a connection");
                    barrier.wait();
                    let watch = Stopwatch::start();
                    let (mut turns, mut lost) = (0, 0);
                    for _ in 0..TURNS {
                        let sent: Vec<bool> = talks.iter_mut().map(|it| it.send().is_ok()).collect();
                        for (talk, sent) in talks.iter_mut().zip(sent) {
                            if sent && talk.receive().is_ok() && talk.goes_on().is_some() {
                                turns += 1;
                            } else {
                                lost += 1;
                            }
                        }
                    }
                    Played { turns, lost, nanoseconds: watch.nanoseconds() }
                })
            })
            .collect();
        clients.into_iter().map(|it| it.join().expect("a client")).collect::<Vec<_>>()
    });
    Played {
        turns: threads.iter().map(|it| it.turns).sum(),
        lost: threads.iter().map(|it| it.lost).sum(),
        nanoseconds: threads.iter().map(|it| it.nanoseconds).max().unwrap_or(0),
    }
}

/// What the clients say: the tools of the agent, and the task of each conversation.
struct Script {
    tools: Value,
    openings: Vec<String>,
}

impl Script {
    fn of(worlds: &Worlds) -> Self {
        let string = |names: &[&str]| {
            let members: serde_json::Map<_, _> =
                names.iter().map(|it| ((*it).to_owned(), json!({ "type": "string" }))).collect();
            json!({ "type": "object", "properties": members, "required": names })
        };
        let tool = |name: &str, arguments: &[&str]| {
            let function = json!({ "name": name, "parameters": string(arguments) });
            json!({ "type": "function", "function": function })
        };
        let tools = json!([
            tool("bash", &["command"]),
            tool("read_file", &["path"]),
            tool("write_file", &["path", "content"]),
            tool("list_dir", &["path"]),
            tool("finish", &["summary"]),
        ]);
        let opening = |seed: usize| {
            let seed = u64::try_from(seed).unwrap_or(0);
            let scenario = worlds.scenario(seed, balk_scenarios::Pools::Open);
            World::draw(&scenario, seed, WorldOptions::default()).opening().to_string()
        };
        Self { tools, openings: (0..CONVERSATIONS).map(opening).collect() }
    }
}

/// A server that reads a request and sends an answer of the model, always the same.
fn echo(answer: String) -> io::Result<(SocketAddr, tokio::runtime::Runtime)> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let listener = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4()?;
        socket.bind(([127, 0, 0, 1], 0).into())?;
        socket.listen(4_096)
    })?;
    let address = listener.local_addr()?;
    let answers = post(move |_: axum::body::Bytes| {
        let answer = answer.clone();
        async move { answer }
    });
    let router =
        Router::new().fallback_service(answers.layer(axum::extract::DefaultBodyLimit::max(64 << 20)));
    runtime.spawn(async move { axum::serve(listener, router).await });
    Ok((address, runtime))
}

/// The memory of this process that is in use, in bytes; 0 where nothing tells.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"));
    line.and_then(|it| it.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// A server in a process of its own, so that its memory is not that of the clients.
struct Served {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    address: SocketAddr,
}

/// What a server says of a conversation: its own memory in bytes, and how long it handled each request, in nanoseconds.
type Said = (u64, Vec<u64>);

impl Served {
    fn start(role: &str, word: &str) -> Result<Self, Box<dyn Error>> {
        let mut process = Command::new(std::env::current_exe()?)
            .args([role, word])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = process.stdin.take().ok_or("no input")?;
        let mut output = BufReader::new(process.stdout.take().ok_or("no output")?);
        let mut address = String::new();
        output.read_line(&mut address)?;
        Ok(Self { process, input, output, address: address.trim().parse()? })
    }

    /// Plays all conversations, and says by how many bytes the server has grown for each.
    fn plays(&mut self, scenario: &str, script: &Script) -> Result<(Played, u64), Box<dyn Error>> {
        let before = self.said(scenario)?.0;
        let played = play(self.address, scenario, script);
        let grown = self.said(scenario)?.0.saturating_sub(before);
        Ok((played, grown / u64::try_from(CONVERSATIONS)?))
    }

    fn said(&mut self, name: &str) -> Result<Said, Box<dyn Error>> {
        writeln!(self.input, "{name}")?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It is about to end anyway.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Says where it serves, and then what it knows of each conversation that it is asked for.
#[expect(clippy::print_stdout, reason = "this is what an example is for")]
fn serve(address: SocketAddr, handling: impl Fn(&str) -> Vec<u64>) -> Result<(), Box<dyn Error>> {
    println!("{address}");
    for name in io::stdin().lines() {
        let said: Said = (resident(), handling(&name?));
        println!("{}", serde_json::to_string(&said)?);
    }
    Ok(())
}

fn worlds(name: &str) -> Result<Worlds, Box<dyn Error>> {
    Ok(catalogue::find(name).ok_or("no such scenario")?.read(&[]).map_err(|it| it.to_string())?.into())
}

fn serve_actors(name: &str) -> Result<(), Box<dyn Error>> {
    let limits = Limits { kept: usize::MAX, ..Limits::default() };
    let scripts = Scripts { worlds: vec![worlds(name)?], seed: 7, profile: None };
    let server = Server::start(Serve { limits, ..Serve::new(scripts) })?;
    let address = server.url().trim_start_matches("http://").parse()?;
    serve(address, |name| server.told(Some(name)).map(|it| it.handling).unwrap_or_default())
}

/// The value that this share of all, in thousandths, does not exceed.
fn quantile(sorted: &[u64], share: usize) -> u64 {
    sorted.get((sorted.len() * share / 1000).min(sorted.len().saturating_sub(1))).copied().unwrap_or(0)
}

#[expect(clippy::print_stdout, reason = "this is what an example is for")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = match (arguments.next(), arguments.next()) {
        (Some(role), Some(name)) if role == SERVE => return serve_actors(&name),
        (Some(role), Some(answer)) if role == ECHO => {
            let (address, _runtime) = echo(answer)?;
            return serve(address, |_| Vec::new());
        }
        (name, _) => name.unwrap_or_else(|| "repeating".to_owned()),
    };
    let script = Script::of(&worlds(&name)?);
    let mut server = Served::start(SERVE, &name)?;
    // The first conversation warms up what all share, and shows how large an answer is.
    let warm = format!("{name}:0:first");
    let mut first = Talk::new(server.address, &warm, &script.openings[0], &script.tools)?;
    first.send()?;
    first.receive()?;
    let mut echo = Served::start(ECHO, str::from_utf8(&first.answer)?)?;
    let (echoed, echo_grown) = echo.plays(&name, &script)?;
    let (played, grown) = server.plays(&name, &script)?;

    let mut handling = Vec::new();
    for at in 0..CONVERSATIONS {
        handling.extend(server.said(&format!("{name}:{at}"))?.1);
    }
    handling.sort_unstable();
    println!("{CONVERSATIONS} conversations of {TURNS} turns at once ({name})");
    println!("  echo      {:6} turns/s, {} lost", echoed.a_second(), echoed.lost);
    println!("  serve     {:6} turns/s, {} lost", played.a_second(), played.lost);
    println!("  ratio     {:6} %", played.a_second() * 100 / echoed.a_second().max(1));
    let (half, most) = (quantile(&handling, 500), quantile(&handling, 990));
    println!("  handling  p50 {half} ns, p99 {most} ns, max {} ns", quantile(&handling, 1000));
    println!("  memory    {grown} bytes a conversation, of which its connection takes {echo_grown}");

    let long = format!("{name}:0:long");
    let mut talk = Talk::new(server.address, &long, &script.openings[0], &script.tools)?;
    let mut sizes = Vec::with_capacity(LONG);
    for _ in 0..LONG {
        sizes.push(talk.send()?);
        talk.receive()?;
        talk.goes_on().ok_or("no answer")?;
    }
    println!("one conversation of {LONG} turns");
    let (_, handling) = server.said(&long)?;
    for turn in [100, LONG] {
        // The median of ten turns.
        let mut around: Vec<u64> = handling[turn - 10..turn].to_vec();
        around.sort_unstable();
        let (ns, bytes) = (around[5], u64::try_from(sizes[turn - 1])?);
        println!("  turn {turn:5} {ns:8} ns, {bytes:7} bytes of request, {} ps a byte", ns * 1000 / bytes);
    }
    Ok(())
}

/// The first argument of the program when it is one of its own servers.
const SERVE: &str = "--serve";
const ECHO: &str = "--echo";
