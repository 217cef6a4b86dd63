//! **turn-limit**: only a bound on turns, as in smolagents at e3a5b8994b (`max_steps`, 20;
//! `docs/peers.md#turn-limit`).
//!
//! The completion after the last allowed one is refused, and the run ends. Each user message resets the count,
//! because it begins a run of the product. Nothing else is checked, so a loop costs the whole bound, and long work is
//! cut off.
//!
//! *Left out*: the answer that the product asks for at the bound. Others have 10 (openai-agents), 25 (crewAI), 50
//! (letta), 500 (OpenHands).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{is_from_user, note};
use balk_contract::{Answer, Completion, Decision, Entry, Guard, Subject, Verdict};

/// Settings of the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TurnLimitSettings {
    /// Turns allowed for one user message.
    pub limit: u32,
}

impl Default for TurnLimitSettings {
    fn default() -> Self {
        Self { limit: 20 }
    }
}

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct TurnLimit {
    settings: TurnLimitSettings,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    turns: u32,
}

const NAME: &str = "turn-limit";
const VERSION: u64 = 1;

impl TurnLimit {
    /// A guard with these settings.
    #[must_use]
    pub fn new(settings: TurnLimitSettings) -> Self {
        Self { settings, state: State::default() }
    }
}

impl Guard for TurnLimit {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Completion(_) = entry {
            self.state.turns = self.state.turns.saturating_add(1);
        }
        if is_from_user(entry) {
            self.state = State::default();
        }
    }

    fn review(&self, _: &Completion) -> Answer<Decision> {
        let limit = self.settings.limit;
        if self.state.turns <= limit {
            return Ok(Decision::pass());
        }
        let text = format!("Stopped: the limit of {limit} turns is reached.");
        Ok(Verdict::Stop(note(NAME, "turns", 1, Subject::Run, text)).into())
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.state)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.state = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
