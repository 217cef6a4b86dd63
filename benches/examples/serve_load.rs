//! How many turns a second `balk serve` answers, beside a server that only echoes: `serve_load [SCENARIO]`.
//!
//! Each server has a process of its own, and the clients another: a thousand conversations at once, each with twenty
//! turns over a connection that stays open. Both servers get the same requests and send answers of the same size. Then
//! one conversation has a thousand turns, whose requests grow. Memory is what the server's process takes more after the
//! conversations than before them, their connections included; the echo shows what these alone take. The handling of a
//! request is what the server itself does with it, without the network: it reads the request and finds the answer.

use std::error::Error;
use std::io;
use std::net::SocketAddr;

use axum::Router;
use axum::routing::post;
use balk::serve::{Limits, Scripts, Serve, Server};
use balk_benches::load::{Played, Talk, play, quantile};
use balk_benches::served::{Served, serve};
use balk_guards::ToolCall;
use balk_scenarios::{World, WorldOptions, Worlds, catalogue};
use serde_json::{Value, json};

const CONVERSATIONS: usize = 1_000;
const TURNS: usize = 20;
const LONG: usize = 1_000;

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

/// Plays all conversations, and says by how many bytes the server has grown for each, its connection included.
fn plays(server: &mut Served, scenario: &str, script: &Script) -> Result<(Played, u64), Box<dyn Error>> {
    let before = server.said::<Vec<u64>>(scenario)?.resident;
    let talk = |at: usize| {
        Talk::new(server.address, &format!("{scenario}:{at}"), &script.openings[at], &script.tools)
    };
    let mut talks = (0..CONVERSATIONS).map(talk).collect::<Result<Vec<_>, _>>()?;
    let played = play(&mut talks, TURNS, failed);
    let grown = server.said::<Vec<u64>>(scenario)?.resident.saturating_sub(before);
    Ok((played, grown / u64::try_from(CONVERSATIONS)?))
}

/// What every tool says.
fn failed(_: &ToolCall) -> String {
    "error: no such file".to_owned()
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

#[expect(clippy::print_stdout, reason = "this is what an example is for")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = match (arguments.next(), arguments.next()) {
        (Some(role), Some(name)) if role == SERVE => return serve_actors(&name),
        (Some(role), Some(answer)) if role == ECHO => {
            let (address, _runtime) = echo(answer)?;
            return serve(address, |_| Vec::<u64>::new());
        }
        (name, _) => name.unwrap_or_else(|| "repeating".to_owned()),
    };
    let script = Script::of(&worlds(&name)?);
    let mut server = Served::start(&[SERVE, &name])?;
    // The first conversation warms up what all share, and shows how large an answer is.
    let warm = format!("{name}:0:first");
    let mut first = Talk::new(server.address, &warm, &script.openings[0], &script.tools)?;
    first.send()?;
    first.receive()?;
    let mut echo = Served::start(&[ECHO, str::from_utf8(&first.answer)?])?;
    let (echoed, echo_grown) = plays(&mut echo, &name, &script)?;
    let (played, grown) = plays(&mut server, &name, &script)?;

    let mut handling = Vec::new();
    for at in 0..CONVERSATIONS {
        handling.extend(server.said::<Vec<u64>>(&format!("{name}:{at}"))?.told);
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
        talk.goes_on(failed).ok_or("no answer")?;
    }
    println!("one conversation of {LONG} turns");
    let handling = server.said::<Vec<u64>>(&long)?.told;
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
