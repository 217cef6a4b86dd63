//! **crush**: the loop detection of crush, read line by line at 37f36e9382 (2026-08-21;
//! `docs/peers.md#crush`).
//!
//! | seen | the product | here |
//! |---|---|---|
//! | more than five of the last ten steps have the same calls with the same results | ends the run, without a message to the model | the next completion is refused, the run ends |
//!
//! A step is a completion; one without a call is among the ten but equals none. Ten steps are required, so two
//! alternating calls, five times each, are never found, and neither is a loop whose results contain the time. Calls
//! and results of a step are compared in order, with the argument text as sent and the whole result. The steps are
//! those of one run of the agent, and begin with each user message.
//!
//! *Left out*: nothing.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{is_from_user, note};
use super::memory::{Fingerprint, Recent};
use balk_contract::{Answer, Completion, Decision, Entry, Guard, Subject, Verdict};

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Crush(State);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    /// What each step did; `None` if it called nothing.
    steps: Recent<Option<Fingerprint>, STEPS>,
    /// Whether the steps before the last completion form a loop.
    loops: bool,
}

const NAME: &str = "crush";
const VERSION: u64 = 1;
const STEPS: usize = 10;
const SAME: usize = 5;

impl State {
    fn loops(&self) -> bool {
        let count = |step: &Fingerprint| self.steps.iter().flatten().filter(|it| *it == step).count();
        self.steps.len() == STEPS && self.steps.iter().flatten().any(|step| count(step) > SAME)
    }
}

impl Guard for Crush {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Completion(_) = entry {
            self.0.loops = self.0.loops();
            self.0.steps.push(None);
        }
        if let Entry::Result(result) = entry
            && let Some(step) = self.0.steps.last_mut()
        {
            let before = step.map(String::from).unwrap_or_default();
            let call = &result.call;
            *step = Some(Fingerprint::of([&*before, &*call.tool, &*call.arguments, &*result.text]));
        }
        if is_from_user(entry) {
            self.0 = State::default();
        }
    }

    fn review(&self, _: &Completion) -> Answer<Decision> {
        if !self.0.loops {
            return Ok(Decision::pass());
        }
        let text = format!(
            "Stopped: more than {SAME} of the last {STEPS} steps made the same calls with the same results."
        );
        Ok(Verdict::Stop(note(NAME, "same-step", 1, Subject::Run, text)).into())
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.0)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.0 = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
