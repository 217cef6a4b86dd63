//! Runs trials and says nothing: `trials SCENARIO GUARD SEEDS`, for `.ci/instructions` to count under.

use std::hint::black_box;

use balk_benches::{scenario, trials};

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, guard, seeds] = &arguments[..] else { return Err("usage: SCENARIO GUARD SEEDS".into()) };
    let seeds = seeds.parse().map_err(|error| format!("`{seeds}` is no number of seeds: {error}"))?;
    black_box(trials(&scenario(name, &[]), guard, 0..seeds));
    Ok(())
}
