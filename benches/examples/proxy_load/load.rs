//! A thousand conversations at once, through a bare proxy and through one of Balk.

use std::io;
use std::net::SocketAddr;

use balk_benches::load::{Played, Talk, play};
use balk_benches::served::{Failure, Said, Served};
use serde_json::Value;

use crate::provider::{run, tools};
use crate::size::{CONVERSATIONS, TURNS};

/// How often the thousand conversations are played through each proxy.
const ROUNDS: usize = 3;

/// Opens conversations through a proxy.
pub(crate) fn talks(address: SocketAddr, names: &str, tools: &Value) -> io::Result<Vec<Talk>> {
    let opening = |at: usize| format!("Write the parts of crate {at}, and read each before you go on.");
    (0..CONVERSATIONS).map(|at| Talk::new(address, &format!("{names}-{at}"), &opening(at), tools)).collect()
}

/// By how much a server's process has grown for each conversation, in bytes.
pub(crate) fn grown(before: &Said<Value>, after: &Said<Value>) -> u64 {
    after.resident.saturating_sub(before.resident) / u64::try_from(CONVERSATIONS).unwrap_or(u64::MAX)
}

/// What all conversations took.
struct Load {
    played: Played,
    grown: u64,
    /// The time of processors that the server has used for each turn, in microseconds.
    processor_us: u64,
}

/// Plays all conversations at once through a proxy.
fn load(server: &mut Served, names: &str) -> Result<Load, Failure> {
    let before: Said<Value> = server.said(names)?;
    let mut talks = talks(server.address, names, &tools())?;
    let played = play(&mut talks, TURNS, run);
    let after: Said<Value> = server.said(names)?;
    let spent = (after.processor_ms - before.processor_ms) * 1_000;
    let processor_us = spent / u64::try_from(played.turns.max(1))?;
    Ok(Load { played, grown: grown(&before, &after), processor_us })
}

#[expect(clippy::print_stdout, reason = "this is what an example is for")]
pub(crate) fn show_load(bare: &mut Served, balk: &mut Served) -> Result<(), Failure> {
    println!("{CONVERSATIONS} conversations of {TURNS} turns at once, {ROUNDS} rounds");
    for round in 0..ROUNDS {
        let names = format!("load-{round}");
        let (passed, guarded) = (load(bare, &names)?, load(balk, &names)?);
        let show = |name: &str, it: &Load| {
            let (rate, lost, own) = (it.played.a_second(), it.played.lost, it.processor_us);
            println!(
                "  {name:8} {rate:6} turns/s, {lost} lost, {own:4} us of processors a turn in the proxy"
            );
        };
        show("bare", &passed);
        show("balk", &guarded);
        println!("  ratio    {:6} %", guarded.played.a_second() * 100 / passed.played.a_second().max(1));
        if round == 0 {
            let (all, connection) = (guarded.grown, passed.grown);
            println!("  memory   {all:6} bytes a conversation more; {connection} in the bare proxy");
        }
        if passed.played.lost + guarded.played.lost > 0 {
            return Err("turns were lost".into());
        }
    }
    Ok(())
}
