//! **openrouter**: the doom loop rule of OpenRouter's agent SDK, as documented at 5a7ed03e5a (2026-08-06;
//! `docs/peers.md#openrouter`). The product has it off unless somebody turns it on; these are its thresholds then.
//!
//! | the same call in rounds of its tool in a row | the product | here |
//! |---|---|---|
//! | 2 | an event for the program around it | nothing: neither model nor user sees it |
//! | 3 to 5 | does not run it, and says why | refused |
//! | 6 | ends the run | the run ends |
//!
//! A round is the set of calls of one tool in one completion, in any order: equal calls in it count once and
//! share their fate. Another tool in between resets nothing, another call of the same tool does. What did not
//! run counts as well, and so do arguments that cannot be read. A new message of the user clears nothing but
//! an end that was ordered. Results are not looked at, so polling is refused at the third look.
//!
//! *Where our key differs*: the product compares JSON by RFC 8785, where numbers go through a double:
//! integers of 17 digits and more may be one there and are two here.
//!
//! *Left out*: keys that a tool declares by itself (`loopKey`), the rungs that are off by default (a hint, a
//! stronger model for one turn), and the rules about text, of which the documentation does not say what
//! follows.

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
    /// The last round of each tool: each call in it, with the rounds in a row that had it.
    rounds: BTreeMap<Arc<str>, BTreeMap<CallKey, u32>>,
}

const NAME: &str = "openrouter";
const VERSION: u64 = 1;
const BLOCK: u32 = 3;
const STOP: u32 = 6;
/// Tools that are remembered, and calls of each in one round; what is more is not counted.
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

    /// In how many rounds of its tool in a row this call was, up to the last one.
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
