//! **openrouter**: the doom loop rule of OpenRouter's agent SDK, as documented at 5a7ed03e5a (2026-08-06;
//! `docs/peers.md#openrouter`). It is off by default; these are its thresholds when it is on.
//!
//! | the same call in rounds of its tool in a row | the product | here |
//! |---|---|---|
//! | 2 | an event for the surrounding program | nothing: neither the model nor the user sees it |
//! | 3 to 5 | does not run it, and says why | refused |
//! | 6 | ends the run | the run ends |
//!
//! A round is the set of calls of one tool in one completion, in any order: equal calls in it count once and get the
//! same answer. Another tool in between resets nothing; another call of the same tool does. Calls that did not run
//! count too, and so do unreadable arguments. A new user message clears only a pending end. Results are ignored, so
//! polling is refused at the third look.
//!
//! *Different from our key*: the product compares JSON by RFC 8785, which converts numbers to doubles: integers of 17
//! digits and more may be equal there and differ here.
//!
//! *Left out*: keys that a tool declares itself (`loopKey`), the rungs that are off by default (a hint, a stronger
//! model for one turn), and the rules about text, whose consequence the documentation does not state.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::note;
use balk_contract::key::CallKey;
use balk_contract::{Answer, Blocked, Completion, Decision, Entry, Guard, Subject, ToolCall, Verdict};

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct OpenRouter(State);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    /// The last round of each tool: each of its calls, with the number of rounds in a row that contained it.
    rounds: BTreeMap<Arc<str>, BTreeMap<CallKey, u32>>,
}

const NAME: &str = "openrouter";
const VERSION: u64 = 1;
const BLOCK: u32 = 3;
const STOP: u32 = 6;
/// How many tools are remembered, and how many calls of each in one round; more are not counted.
const TOOLS: usize = 128;
const CALLS: usize = 64;

impl State {
    fn round(&mut self, completion: &Completion) {
        let mut now: BTreeMap<Arc<str>, BTreeMap<CallKey, u32>> = BTreeMap::new();
        for call in &completion.calls {
            let of_this = now.entry(call.tool.clone()).or_default();
            if of_this.len() < CALLS {
                of_this.insert(call.key, self.count(call).saturating_add(1));
            }
        }
        for (tool, round) in now {
            if self.rounds.len() < TOOLS || self.rounds.contains_key(&tool) {
                self.rounds.insert(tool, round);
            }
        }
    }

    /// In how many rounds of its tool in a row this call occurred, up to the last one.
    fn count(&self, call: &ToolCall) -> u32 {
        self.rounds.get(&call.tool).and_then(|round| round.get(&call.key)).copied().unwrap_or(0)
    }
}

impl Guard for OpenRouter {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Completion(completion) = entry {
            self.0.round(completion);
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
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
                let text = format!(
                    "`{}` was called {count} times with the same arguments. It was not run. Try something \
                     else, or say what is in the way.",
                    call.tool
                );
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
