//! How long a turn takes through a bare proxy and through one of Balk, where neither is busy.

use std::io;
use std::thread;

use balk_benches::load::{Talk, quantile};
use balk_benches::served::{Failure, Served};

use crate::load::{grown, talks};
use crate::provider::{run, tools};
use crate::size::{CONVERSATIONS, PACED, TURNS};

/// How long each turn took through two servers, in nanoseconds.
#[derive(Default)]
struct Latencies {
    bare: Vec<u64>,
    balk: Vec<u64>,
}

/// Plays these conversations, one request at a time, each turn through both servers.
fn pace(bare: &mut [Talk], balk: &mut [Talk]) -> io::Result<Latencies> {
    let mut all = Latencies::default();
    for turn in 0..TURNS {
        for (at, (bare, balk)) in bare.iter_mut().zip(balk.iter_mut()).enumerate() {
            // Which of them is first makes a difference, so each is as often.
            let (passed, guarded) = if (turn + at).is_multiple_of(2) {
                let passed = bare.timed()?;
                (passed, balk.timed()?)
            } else {
                let guarded = balk.timed()?;
                (bare.timed()?, guarded)
            };
            all.bare.push(passed);
            all.balk.push(guarded);
            for talk in [bare, balk] {
                talk.goes_on(run).ok_or(io::ErrorKind::InvalidData)?;
            }
        }
    }
    Ok(all)
}

#[expect(clippy::print_stdout, reason = "this is what an example is for")]
pub(crate) fn show_latency(bare: &mut Served, balk: &mut Served) -> Result<(), Failure> {
    let tools = tools();
    let before = (bare.said("")?, balk.said("")?);
    let (mut passing, mut guarding) =
        (talks(bare.address, "paced", &tools)?, talks(balk.address, "paced", &tools)?);
    let each = CONVERSATIONS.div_ceil(PACED);
    let (mut passed, mut guarded, mut added) = (Vec::new(), Vec::new(), Vec::new());
    let threads = thread::scope(|scope| {
        let pairs = passing.chunks_mut(each).zip(guarding.chunks_mut(each));
        let clients: Vec<_> = pairs.map(|(bare, balk)| scope.spawn(move || pace(bare, balk))).collect();
        clients.into_iter().map(|it| it.join().expect("a client does not panic")).collect::<Vec<_>>()
    });
    // The connections are still open.
    let grown = (grown(&before.0, &bare.said("")?), grown(&before.1, &balk.said("")?));
    for latencies in threads {
        let Latencies { bare, balk } = latencies?;
        added.extend(bare.iter().zip(&balk).map(|(bare, balk)| balk.saturating_sub(*bare)));
        passed.extend(bare);
        guarded.extend(balk);
    }
    for all in [&mut passed, &mut guarded, &mut added] {
        all.sort_unstable();
    }
    println!("{CONVERSATIONS} open conversations of {TURNS} turns, {PACED} requests at a time");
    for (name, share) in [("p50", 500), ("p99", 990)] {
        let us = |all: &[u64]| quantile(all, share) / 1_000;
        let (bare, balk) = (us(&passed), us(&guarded));
        let more = balk.saturating_sub(bare);
        let own = us(&added);
        println!("  {name}      bare {bare:5} us, balk {balk:5} us: {more} us more ({own} us, turn by turn)");
    }
    println!("  memory   {:6} bytes a conversation; {} in the bare proxy", grown.1, grown.0);
    Ok(())
}
