//! Plays healthy turns and says nothing: `turns STACK written|read BYTES TURNS`, for instructions to be counted under.

use std::hint::black_box;

use balk_benches::{Turn, offer, stack, turns};

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [spec, what, bytes, count] = &arguments[..] else {
        return Err("usage: STACK written|read BYTES TURNS".into());
    };
    let number = |text: &str| text.parse().map_err(|error| format!("`{text}` is no number: {error}"));
    let (bytes, count): (usize, usize) = (number(bytes)?, number(count)?);
    let offer = offer();
    let turns = match what.as_str() {
        "written" => turns(|nth| Turn::writes(nth, bytes, &offer)),
        "read" => turns(|nth| Turn::reads(nth, bytes, &offer)),
        other => return Err(format!("`{other}` is neither written nor read")),
    };
    let mut stack = stack(spec, &offer);
    for turn in turns.iter().cycle().take(count) {
        black_box(turn.play(black_box(&mut stack)));
    }
    Ok(())
}
