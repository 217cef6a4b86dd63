//! **openrouter**: the doom loop rule of OpenRouter's agent SDK, read line by line at 5a7ed03e5a (2026-08-06;
//! `docs/peers.md#openrouter`). It is off by default; these are its thresholds when it is on.
//!
//! | seen | the product | here |
//! |---|---|---|
//! | the same call in two rounds of its tool in a row, or a text repeated twice to five times | an event for the surrounding program | nothing: neither the model nor the user sees it |
//! | the call three to five times | does not run it, and says why | refused |
//! | six times | ends the run | the run ends |
//! | one block of at most 16 words ends a reply, six times in a row and 12 words in all | the same | the same |
//! | the same text in six replies | the same | the same |
//!
//! A round is the set of calls of one tool in one completion, in any order: equal calls in it count once and get the
//! same answer. Another tool in between resets nothing; another call of the same tool does. Calls that did not run
//! count too, and so do unreadable arguments. Replies without text do not count as texts, and white space does not
//! matter in them. A new user message clears only a pending end. Results are ignored, so polling is refused at the
//! third look.
//!
//! *Different from our key*: the product compares JSON by RFC 8785, which converts numbers to doubles: integers of 17
//! digits and more may be equal there and differ here. The fingerprints in its messages are its own; here they are
//! ours.
//!
//! *Left out*: keys that a tool declares itself (`loopKey`), the rungs that are off by default (a hint, a stronger
//! model for one turn), tools that the provider runs, and the result of a background task that begins the texts anew.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::note;
use super::memory::{Fingerprint, Streak};
use super::messages::fill;
use super::messages::openrouter::{SAME_CALL, SAME_MEMBER, SAME_SET};
use balk_contract::key::CallKey;
use balk_contract::{Answer, Blocked, Completion, Decision, Entry, Guard, Subject, ToolCall, Verdict};

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct OpenRouter(State);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    /// By the fingerprint of the tool's name, which may be of any length.
    rounds: BTreeMap<Fingerprint, Round>,
    texts: Streak<Fingerprint>,
    /// How often the last reply repeats itself at its end, or came in a row: the higher of the two.
    text: u32,
}

/// The last round of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Round {
    /// Each of its calls, with the number of rounds in a row that contained it.
    calls: BTreeMap<CallKey, u32>,
    /// How many rounds in a row had exactly these calls.
    same: u32,
}

const NAME: &str = "openrouter";
const VERSION: u64 = 3;
const BLOCK: u32 = 3;
const STOP: u32 = 6;
/// How many tools are remembered, and how many calls of each in one round; more are not counted.
const TOOLS: usize = 128;
const CALLS: usize = 64;
/// What counts as repetition at the end of a text: words of a block, repeats of it, words in all, and how many words
/// at the end are looked at.
const PERIOD: usize = 16;
const REPEATS: usize = 4;
const COVERED: usize = 12;
const WORDS: usize = 400;
/// Calls of a set that a message names.
const NAMED: usize = 3;

impl State {
    fn round(&mut self, completion: &Completion) {
        let mut now: BTreeMap<Fingerprint, BTreeMap<CallKey, u32>> = BTreeMap::new();
        for call in &completion.calls {
            let of_this = now.entry(tool(call)).or_default();
            if of_this.len() < CALLS {
                of_this.insert(call.key, self.count(call).saturating_add(1));
            }
        }
        for (tool, calls) in now {
            if self.rounds.len() < TOOLS || self.rounds.contains_key(&tool) {
                let before = self.rounds.get(&tool);
                let same = before.filter(|it| it.calls.keys().eq(calls.keys())).map_or(0, |it| it.same);
                self.rounds.insert(tool, Round { calls, same: same.saturating_add(1) });
            }
        }
    }

    /// In how many rounds of its tool in a row this call occurred, up to the last one.
    fn count(&self, call: &ToolCall) -> u32 {
        self.rounds.get(&tool(call)).and_then(|round| round.calls.get(&call.key)).copied().unwrap_or(0)
    }

    fn text(&mut self, completion: &Completion) {
        let mut words: Vec<&str> = completion.texts().flat_map(|text| text.split_whitespace()).collect();
        self.text = 0;
        if words.is_empty() {
            return;
        }
        let streak = self.texts.push(Fingerprint::of(words.iter().copied()));
        let words = words.split_off(words.len().saturating_sub(WORDS));
        self.text = streak.max(repeats(&words));
    }

    /// What the model is told about a call that came this often.
    fn told(&self, call: &ToolCall, count: u32) -> String {
        let Some(round) = self.rounds.get(&tool(call)) else { return String::new() };
        if count > round.same {
            return fill(SAME_MEMBER, &[("tool", &*call.tool)]);
        }
        let (tool, number) = (&*call.tool, &*round.same.to_string());
        let short = |key: &CallKey, chars: usize| key.to_string()[..chars].to_owned();
        let size = round.calls.len();
        if size == 1 {
            let fingerprint = short(&call.key, 16);
            return fill(SAME_CALL, &[("tool", tool), ("count", number), ("fingerprint", &fingerprint)]);
        }
        let mut identity: Vec<String> = round.calls.keys().take(NAMED).map(|key| short(key, 8)).collect();
        if size > NAMED {
            identity.push(format!("{} more", size - NAMED));
        }
        let holes = [
            ("tool", tool),
            ("count", number),
            ("calls", &*size.to_string()),
            ("identity", &*identity.join("+")),
        ];
        fill(SAME_SET, &holes)
    }
}

/// The tool of a call, in the state.
fn tool(call: &ToolCall) -> Fingerprint {
    Fingerprint::of([&*call.tool])
}

/// How often the block at the end comes in a row, if it is long enough: of the block that covers most.
fn repeats(words: &[&str]) -> u32 {
    let of = |period: usize| {
        let block = &words[words.len() - period..];
        (period, words.rchunks_exact(period).take_while(|it| *it == block).count())
    };
    let periods = (1..=PERIOD.min(words.len() / 2)).map(of);
    let long = periods.filter(|(period, times)| *times >= REPEATS && period * times >= COVERED);
    // Among blocks that cover as much, the shortest.
    let most = long.max_by_key(|(period, times)| (period * times, std::cmp::Reverse(*period)));
    most.map_or(0, |(_, times)| u32::try_from(times).unwrap_or(u32::MAX))
}

impl Guard for OpenRouter {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Completion(completion) = entry {
            self.0.round(completion);
            self.0.text(completion);
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        if self.0.text >= STOP {
            let text = format!("Stopped: the same text came {} times in a row.", self.0.text);
            return Ok(Verdict::Stop(note(NAME, "text", 2, Subject::Run, text)).into());
        }
        let mut blocked = Vec::new();
        for (at, call) in completion.calls.iter().enumerate() {
            let count = self.0.count(call);
            let told = |level, text| note(NAME, "doom-loop", level, Subject::Call(call.key), text);
            if count >= STOP {
                let text =
                    format!("Stopped: `{}` was called {count} times with the same arguments.", call.tool);
                return Ok(Verdict::Stop(told(2, text)).into());
            }
            if count >= BLOCK {
                let text = self.0.told(call, count);
                blocked.push(Blocked { call: at, note: told(1, text) });
            }
        }
        Ok(if blocked.is_empty() { Decision::pass() } else { Verdict::Block(blocked).into() })
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.0)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.0 = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
