//! What the benchmarks share: turns of any size, a guard with a history behind it, and long trials.

use std::fmt::Write;
use std::sync::Arc;

use balk::config::Config;
use balk::engine::Whisper;
use balk::simulate::Simulation;
use balk::{grade, guards};
use balk_guards::{
    Completion, Effect, Entry, FinishReason, Guard, Offer, Part, Protocol, Purpose, RawCall, Speaker, Stack,
    Start, Status, Tool, ToolResult, Usage, UserMessage,
};
use balk_scenarios::{Pools, Scenario, catalogue};

pub mod pairs;

/// Bytes of call arguments, or of text: a command, a function, a whole file.
pub const SIZES: [usize; 3] = [100, 2 << 10, 50 << 10];

/// Turns that a guard has seen before it is measured.
pub const HISTORIES: [usize; 3] = [10, 1_000, 10_000];

/// A size as people write it.
#[must_use]
pub fn shown(bytes: usize) -> String {
    if bytes < 1 << 10 { format!("{bytes} B") } else { format!("{} KiB", bytes >> 10) }
}

/// Lines of a program, another one for each `nth`, and nearly `bytes` long.
#[must_use]
pub fn program(nth: usize, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 64);
    let mut line = 0;
    while text.len() < bytes {
        writeln!(text, "score_{line} = update_board(\"cell\", {nth}, {line})").expect("a string takes all");
        line += 1;
    }
    text.truncate(bytes);
    text
}

/// Arguments of a call that writes a program: JSON of about this many bytes, escapes and all.
#[must_use]
pub fn arguments(nth: usize, bytes: usize) -> String {
    let path = format!("src/file_{nth}.py");
    // Quotes and line ends make a ninth more of the text.
    let program = program(nth, bytes.saturating_sub(48) * 9 / 10);
    let content = program.replace('"', "\\\"").replace('\n', "\\n");
    format!("{{\"path\": \"{path}\", \"content\": \"{content}\"}}")
}

/// Tools as an agent offers them.
#[must_use]
pub fn offer() -> Arc<Offer> {
    Arc::new(Offer::new([
        Tool::new("read_file").effect(Effect::ReadOnly),
        Tool::new("write_file").effect(Effect::IdempotentWrite),
        Tool::new("run_command").purpose(Purpose::Shell),
        Tool::new("ask_user").effect(Effect::ReadOnly).purpose(Purpose::AskUser),
    ]))
}

/// What a provider sends for the turn: a line of text and a call.
#[must_use]
pub fn raw(nth: usize, bytes: usize) -> (Part, RawCall) {
    let call = RawCall {
        id: format!("call_{nth}").into(),
        tool: "write_file".into(),
        arguments: arguments(nth, bytes).into(),
    };
    (Part::Text("I'll write the file now.".into()), call)
}

/// A turn of healthy work, as guards see it: a file is written, or read.
#[derive(Debug)]
pub struct Turn {
    completion: Arc<Completion>,
    committed: Entry,
    answer: Arc<str>,
}

impl Turn {
    /// The `nth` turn, in which about this many bytes are written.
    #[must_use]
    pub fn writes(nth: usize, bytes: usize, offer: &Offer) -> Self {
        let (part, call) = raw(nth, bytes);
        Self::new(part, call, &format!("wrote {bytes} bytes to src/file_{nth}.py"), offer)
    }

    /// The `nth` turn, in which about this many bytes are read.
    #[must_use]
    pub fn reads(nth: usize, bytes: usize, offer: &Offer) -> Self {
        let call = RawCall {
            id: format!("call_{nth}").into(),
            tool: "read_file".into(),
            arguments: format!("{{\"path\": \"src/file_{nth}.py\"}}").into(),
        };
        Self::new(Part::Text("I'll read the file now.".into()), call, &program(nth, bytes), offer)
    }

    fn new(part: Part, call: RawCall, answer: &str, offer: &Offer) -> Self {
        let completion =
            Arc::new(Completion::new([part], [call], FinishReason::ToolCall, Usage::default(), offer));
        Self { committed: Entry::Completion(completion.clone()), completion, answer: answer.into() }
    }

    /// Takes the guard through the turn: every fold and every question. True where it has no objection. The
    /// result is a new one each time, of which nobody knows anything.
    pub fn play(&self, guard: &mut dyn Guard) -> bool {
        guard.observe(&self.committed);
        let passes = guard.review(&self.completion).is_ok_and(|decision| decision.is_pass());
        let result = ToolResult::executed(&self.completion.calls[0], Status::Ok, self.answer.clone());
        let settled = guard.settle(&self.completion, std::slice::from_ref(&result)).is_ok();
        guard.observe(&Entry::Result(result));
        passes && settled
    }
}

/// A stack, as it is written on the command line, that has just seen a run begin.
///
/// # Panics
/// A guard that nobody registered.
#[must_use]
pub fn stack(spec: &str, offer: &Arc<Offer>) -> Stack {
    let mut stack = guards::stack(spec, &Config::default(), &Whisper::default())
        .expect("benchmarks name registered guards");
    stack.observe(&Entry::Start(Start {
        model: "bench".into(),
        protocol: Protocol::Text,
        offer: offer.clone(),
    }));
    stack.observe(&Entry::User(UserMessage { from: Speaker::User, text: "Write the files.".into() }));
    stack
}

/// Turns that come round and round: more than a guard remembers at most, so that each is new to it.
#[must_use]
pub fn turns(turn: impl Fn(usize) -> Turn) -> Vec<Turn> {
    (0..128).map(turn).collect()
}

/// A scenario of the catalogue, with these values in place of its own.
///
/// # Panics
/// A name or a setting that the catalogue does not have.
#[must_use]
pub fn scenario(name: &str, sets: &[(&str, &str)]) -> Scenario {
    let sets: Vec<(String, String)> =
        sets.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    let listed = catalogue::find(name).expect("benchmarks name scenarios of the catalogue");
    listed.read(&sets).expect("benchmarks set what the scenario has")
}

/// A model that repeats itself until this many turns have passed.
#[must_use]
pub fn endless(turns: usize) -> Scenario {
    let turns = turns.to_string();
    scenario(
        "repeating",
        &[
            ("limits.turns", &turns),
            ("limits.calls", &turns),
            ("actor.parameters.leaves_second", "0/1"),
            ("actor.parameters.leaves_third", "0/1"),
            ("actor.parameters.leaves_later", "0/1"),
        ],
    )
}

/// The turns of one judged trial of each seed. Not inlined: instructions are counted by this name.
#[inline(never)]
#[must_use]
pub fn graded(simulation: &Simulation<'_>, seeds: std::ops::Range<u64>) -> u64 {
    seeds.map(|seed| u64::from(grade::grade(&simulation.trial(&simulation.world(seed))).turns)).sum()
}

/// A scenario with a stack as it is written on the command line.
///
/// # Panics
/// A guard that nobody registered.
#[must_use]
pub fn simulation<'a>(scenario: &'a Scenario, guard: &'a str) -> Simulation<'a> {
    Simulation::new(scenario, guard, &Config::default(), Pools::Open)
        .expect("benchmarks name registered guards")
}

#[cfg(test)]
mod tests {
    use balk_guards::similarity::{Nearness, Profile, Ratio};

    use super::*;

    #[test]
    fn arguments_are_json_of_about_their_size() {
        let offer = offer();
        for bytes in SIZES {
            let turn = Turn::writes(7, bytes, &offer);
            let call = &turn.completion.calls[0];
            assert_eq!(call.path().as_deref(), Some("src/file_7.py"));
            assert!(call.arguments.len().abs_diff(bytes) <= bytes / 8, "{bytes}: {}", call.arguments.len());
        }
    }

    #[test]
    fn pairs_are_on_the_side_of_the_threshold_that_they_name() {
        for alphabet in pairs::ALPHABETS {
            for relation in pairs::RELATIONS {
                let [left, right] = pairs::pair(relation, alphabet, 2 << 10).map(Profile::new);
                let near = ["one edit", "scattered edits", "just near"].contains(&relation);
                let expected = if near { Nearness::Near } else { Nearness::Apart };
                assert_eq!(left.nearness(&right, Ratio::default()), expected, "{alphabet}, {relation}");
            }
        }
    }

    #[test]
    fn a_benchmark_measures_turns_that_pass() {
        let offer = offer();
        let turns = turns(|nth| Turn::writes(nth, 100, &offer));
        let mut stack = stack("default", &offer);
        assert!((0..300).all(|nth| turns[nth % 128].play(&mut stack)));
    }

    #[test]
    fn the_endless_trial_ends_at_its_limit() {
        assert_eq!(graded(&simulation(&endless(200), "none"), 0..3), 3 * 200);
    }
}
