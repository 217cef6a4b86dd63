//! Plays healthy turns after a history of others, to count their instructions: `turns STACK written|read|log|failed
//! BYTES HISTORY`. With `xxh3_64` in place of a stack, it hashes the bytes of the turns once. Prints the number of
//! turns that count.

use std::hint::black_box;

use balk::bench::turns::{ANCHOR, offer, turns};
use balk_benches::{hashed, played, stack};
use balk_reports::records::Work;

#[expect(clippy::print_stdout, reason = "the caller divides its count by it")]
fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [spec, what, bytes, history] = &arguments[..] else {
        return Err("usage: turns STACK written|read|log|failed BYTES HISTORY".into());
    };
    let number = |text: &str| text.parse().map_err(|error| format!("`{text}` is no number: {error}"));
    let (bytes, history): (usize, usize) = (number(bytes)?, number(history)?);
    let work = Work::ALL.into_iter().find(|work| work.name() == what);
    let offer = offer();
    let turns = turns(work.ok_or_else(|| format!("`{what}` is no work of a turn"))?, bytes, &offer);
    if spec == ANCHOR {
        black_box(hashed(black_box(&turns)));
    } else {
        let mut stack = stack(spec, &offer);
        for turn in turns.iter().cycle().take(history) {
            turn.play(&mut stack);
        }
        // Continues where the history ended, so that no turn repeats too early.
        let (before, after) = turns.split_at(history % turns.len());
        black_box(played(black_box(&mut stack), after) + played(black_box(&mut stack), before));
    }
    println!("{} turns", turns.len());
    Ok(())
}
