//! The requests of an agent, through a proxy with guards, to a server that plays a scenario: an agent that goes on,
//! goes back, forgets and garbles gets an answer that can be read, the same one each time, and no guard breaks.
#![no_main]

mod draws;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use balk::proxy::{Base, Bounds, Limits, Proxy, Proxying};
use balk::serve::{Scripts, Serve, Server};
use balk_guards::wire::{Asking, Dialect, Form, Reply};
use balk_guards::{
    Compaction, Run as Guarded, Speaker, Stack, Start, Status, Step, Termination, ToolResult, UserMessage,
    default_stack,
};
use balk_scenarios::{World, WorldOptions, catalogue};
use draws::Draws;
use libfuzzer_sys::fuzz_target;

const DIALECTS: [Dialect; 4] = [Dialect::OpenAi, Dialect::Responses, Dialect::Anthropic, Dialect::Gemini];
/// Scenarios in which nothing waits: calls, words, attempts that break, and a task that cannot be done.
const SCENARIOS: [&str; 5] = ["repeating", "text-only", "outage", "truncated", "abandonment"];
const SEED: u64 = 7;

type Run = Guarded<Stack>;

/// Everything that requests go through. The worlds have the tools that the agent offers.
struct Way {
    server: Server,
    proxy: Proxy,
    worlds: Vec<Arc<World>>,
}

static WAY: LazyLock<Way> = LazyLock::new(|| {
    let find = |name| catalogue::find(name).expect("it is there").read(&[]).expect("it is good");
    let scenarios = SCENARIOS.map(find);
    let worlds = scenarios.iter().map(|it| World::draw(it, SEED, WorldOptions::default())).collect();
    let scripts = Scripts { worlds: scenarios.map(Into::into).into(), seed: SEED, profile: None };
    let server = Server::start(Serve::new(scripts)).expect("a port is free");
    let upstream = Base::parse(&server.url()).expect("an address");
    let bounds = Bounds { tick: Duration::ZERO, ..Bounds::default() };
    let limits = Limits { kept: 16 << 20, ..Limits::default() };
    let proxying =
        Proxying { guards: Some(Box::new(default_stack)), bounds, limits, ..Proxying::new(upstream) };
    Way { proxy: Proxy::start(proxying).expect("a port is free"), server, worlds }
});

fuzz_target!(|bytes: &[u8]| {
    let said = played(bytes);
    assert_eq!(played(bytes), said, "the same requests have the same answers");
    assert_eq!(WAY.proxy.faults(), Vec::<String>::new());
});

/// All that an agent hears. What it does is drawn from these bytes.
fn played(bytes: &[u8]) -> Vec<String> {
    let mut draws = Draws(bytes);
    let dialect = DIALECTS[usize::from(draws.byte()) % DIALECTS.len()];
    let nth = usize::from(draws.byte()) % SCENARIOS.len();
    let (world, scenario) = (&WAY.worlds[nth], SCENARIOS[nth]);
    let line = Line::new(dialect, scenario);
    let start = Start { model: "m".into(), protocol: world.protocol(), offer: world.offer().clone() };
    let mut run = Run::new(Stack::new(Vec::new()), start, draws.text(), balk_guards::Limits::NONE);
    let mut heard = Vec::new();
    for _ in 0..12 {
        if draws.0.is_empty() {
            break;
        }
        match run.step() {
            Step::Model { .. } => heard.push(asks(&mut run, &line, &mut draws)),
            Step::Tools { calls, .. } => {
                let mut ran = |call| {
                    let status = [Status::Ok, Status::Error, Status::Unknown][usize::from(draws.byte() % 3)];
                    ToolResult::executed(call, status, draws.text())
                };
                run.executed(calls.iter().map(&mut ran).collect::<Vec<_>>());
            }
            Step::Reply => run.said(UserMessage { from: Speaker::User, text: draws.text().into() }),
            Step::User(_) | Step::Wait(_) => run.end(Termination::Finished),
            Step::Ended(_) => break,
        }
    }
    heard
}

/// One request of an agent, and what it does with the answer.
fn asks(run: &mut Run, line: &Line, draws: &mut Draws<'_>) -> String {
    let kind = draws.byte() % 8;
    let asking = Asking { stream: kind % 2 == 1, ..Asking::of("m") };
    let mut body = line.dialect.request(run.view(), &asking);
    match kind {
        // It goes back.
        4 => {
            let entries = run.transcript();
            let kept = 2 + usize::from(draws.byte()) % (entries.len() - 1);
            let entries = entries[..kept.min(entries.len())].to_vec();
            if let Ok(earlier) = Run::resume(Stack::new(Vec::new()), entries, balk_guards::Limits::NONE) {
                *run = earlier;
            }
            return String::new();
        }
        // It forgets what was before.
        5 => {
            run.compacted(Compaction { summary: draws.text().into() });
            return String::new();
        }
        // What it sends is garbled.
        6 => {
            let from = body.floor_char_boundary(usize::from(draws.byte()) << 8 | usize::from(draws.byte()));
            let to = body.ceil_char_boundary(from + usize::from(draws.byte() % 64));
            body.replace_range(from..to, &draws.text());
            return line.sends(&body, asking.stream).1;
        }
        // Somebody looks at the script.
        7 => {
            let what = ["state", "transcript", "verdict", "reply"][usize::from(draws.byte() % 4)];
            return line.looks("GET", what);
        }
        _ => {}
    }
    let (status, said) = line.sends(&body, asking.stream);
    let form = if asking.stream { Form::Stream } else { Form::Whole };
    let reply = Reply { status, retry_after: None, form, body: said.as_str().into() };
    match line.dialect.answer(&reply, run.view().offer()) {
        Ok(completion) => run.completed(completion),
        Err(refusal) => run.failed(refusal.cause, refusal.message, Default::default()),
    }
    said
}

/// The way of one conversation.
struct Line {
    dialect: Dialect,
    /// What the proxy calls it: it has had no other of this name.
    name: u64,
    /// What the server calls it, which says what is played.
    scenario: &'static str,
}

impl Line {
    fn new(dialect: Dialect, scenario: &'static str) -> Self {
        static NAMES: AtomicU64 = AtomicU64::new(0);
        let line = Self { dialect, name: NAMES.fetch_add(1, Ordering::Relaxed), scenario };
        // The server has nothing to reset before the first one.
        for what in ["begin", "reset"] {
            line.looks("POST", what);
        }
        line
    }

    /// Sends a request to the proxy. Returns the status and the body of the answer.
    fn sends(&self, body: &str, streams: bool) -> (u16, String) {
        let path = match (self.dialect, streams) {
            (Dialect::OpenAi, _) => "/v1/chat/completions",
            (Dialect::Responses, _) => "/v1/responses",
            (Dialect::Anthropic, _) => "/v1/messages",
            (Dialect::Gemini, false) => "/v1beta/models/m:generateContent",
            (Dialect::Gemini, true) => "/v1beta/models/m:streamGenerateContent?alt=sse",
        };
        let (status, body) =
            self.exchange(&WAY.proxy.url(), "POST", &format!("/c/{}{path}", self.name), body);
        assert!((200..600).contains(&status), "{status}: {body}");
        (status, body)
    }

    /// Asks the server about the script.
    fn looks(&self, method: &str, what: &str) -> String {
        self.exchange(&WAY.server.url(), method, &format!("/_balk/{what}"), "").1
    }

    fn exchange(&self, url: &str, method: &str, path: &str, body: &str) -> (u16, String) {
        let address = url.strip_prefix("http://").expect("an address");
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a time limit");
        let (scenario, length) = (self.scenario, body.len());
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: h\r\nconnection: close\r\nx-balk-conversation: {scenario}\r\n\
             content-length: {length}\r\n\r\n"
        );
        stream.write_all((head + body).as_bytes()).expect("it is taken");
        let mut came = Vec::new();
        // A scenario can say that the connection is cut.
        let ended = stream.read_to_end(&mut came);
        assert!(
            !ended.is_err_and(|it| it.kind() == std::io::ErrorKind::WouldBlock),
            "no answer to {path}: {body}"
        );
        answer(&String::from_utf8_lossy(&came))
    }
}

/// The status and the body of an answer, whose pieces have their lengths before them.
fn answer(came: &str) -> (u16, String) {
    let (head, rest) = came.split_once("\r\n\r\n").unwrap_or((came, ""));
    let status = head.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0);
    if !head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        return (status, rest.to_owned());
    }
    let (mut rest, mut body) = (rest, String::new());
    while let Some((length, more)) = rest.split_once("\r\n")
        && let Ok(length @ 1..) = usize::from_str_radix(length, 16)
        && let Some((piece, more)) = more.split_at_checked(length)
    {
        body += piece;
        rest = more.trim_start_matches("\r\n");
    }
    (status, body)
}
