//! What `balk proxy` costs, beside a bare proxy on the same HTTP libraries: `proxy_load`.
//!
//! The provider, the bare proxy and each proxy of Balk have a process of their own, and the clients another. The
//! provider's answers are those of a healthy run: each turn writes or reads another file, so no guard has a reason to
//! speak; if one does, or a turn is lost, the run fails. Three things are measured:
//!
//! - Latency: a thousand conversations of twenty turns are open through each proxy, and few clients send one request
//!   at a time, each through both proxies. Memory is what a proxy's process takes more after these conversations than
//!   before them, their connections included; the bare proxy shows what these take.
//! - Load: another thousand conversations, all at once, first through the bare proxy, then through Balk's, in several
//!   rounds. Clients, provider and proxy share the machine, so the turns a second are those of all together; the time
//!   of processors is the proxy's own. Memory has room for a thousand requests on their way, too.
//! - Streams: the time from a request to the first byte of text, where the provider pauses before each event. Guards
//!   that may object hold a stream until it is whole, so it is as late as its end.
//!
//! The clients have two thousand connections open, and so has a proxy: `ulimit -n` has to allow them.

use std::collections::BTreeMap;

use balk::proxy::{Base, Proxy, Proxying};
use balk_benches::recipe;
use balk_benches::served::{Failure, Said, Served, serve};
use serde::{Deserialize, Serialize};

mod bare;
mod latency;
mod listen;
mod load;
mod provider;
mod size;
mod streams;

/// Makes a proxy before this provider.
type Made = fn(Base) -> Proxying;

/// The proxies of Balk that are measured, by name.
const PROXIES: [(&str, Made); 4] =
    [("default", guarded), ("none", Proxying::new), ("dry-run", watched), ("texts-pass", passing)];

fn guarded(upstream: Base) -> Proxying {
    with("default", upstream)
}

/// Guards that object to calls alone, so texts are passed on while they come.
fn passing(upstream: Base) -> Proxying {
    with("duplicate,retry-safety", upstream)
}

fn with(set: &str, upstream: Base) -> Proxying {
    let recipe = recipe(set);
    let guards = move || recipe.stack(&Default::default());
    Proxying { guards: Some(Box::new(guards)), ..Proxying::new(upstream) }
}

fn watched(upstream: Base) -> Proxying {
    Proxying { dry_run: true, ..guarded(upstream) }
}

/// What a proxy of Balk has done.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Done {
    turns: u64,
    changed: u64,
    faults: u64,
    interventions: BTreeMap<String, u64>,
}

/// Serves as one of the proxies of Balk.
fn serve_proxy(name: &str, upstream: &str) -> Result<(), Failure> {
    let (_, proxying) = PROXIES.iter().find(|it| it.0 == name).ok_or("no such proxy")?;
    let proxy = Proxy::start(proxying(Base::parse(&format!("http://{upstream}"))?))?;
    let address = proxy.url().trim_start_matches("http://").parse()?;
    serve(address, |_| {
        let counted = proxy.counted();
        let (turns, changed, faults) = (counted.turns, counted.changed, counted.faults);
        Done { turns, changed, faults, interventions: counted.interventions }
    })
}

#[expect(clippy::print_stdout, reason = "this is what an example is for")]
fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => {}
        [PROVIDER] => return provider::serve_provider(),
        [BARE, upstream] => return bare::serve_bare(upstream),
        [BALK, name, upstream] => return serve_proxy(name, upstream),
        _ => return Err("usage: proxy_load".into()),
    }
    let provider = Served::start(&[PROVIDER])?;
    let upstream = provider.address.to_string();
    let mut bare = Served::start(&[BARE, &upstream])?;
    let mut balk = Served::start(&[BALK, "default", &upstream])?;
    latency::show_latency(&mut bare, &mut balk)?;
    load::show_load(&mut bare, &mut balk)?;
    let Said { told, .. } = balk.said::<Done>("")?;
    println!(
        "  {} turns, of which {} were changed; interventions: {:?}",
        told.turns, told.changed, told.interventions
    );
    if told.changed + told.faults > 0 || !told.interventions.is_empty() {
        return Err("expected guards that have nothing to say".into());
    }
    let others = PROXIES
        .iter()
        .map(|(name, _)| Ok((*name, Served::start(&[BALK, name, &upstream])?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    let others = others.iter().map(|(name, it)| (*name, it.address));
    let streaming: Vec<_> = std::iter::once(("bare", bare.address)).chain(others).collect();
    streams::show_streams(&streaming)
}

/// The first argument of the program when it is one of its own servers.
const PROVIDER: &str = "--provider";
const BARE: &str = "--bare";
const BALK: &str = "--balk";
