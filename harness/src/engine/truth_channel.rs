//! The truth channel: facts that the engine tells the oracle and the ceiling, and no other guard.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use balk_scenarios::Truth;

/// Whether the current turn is stuck, and whether the provider did something in it that the loop did not see.
#[derive(Clone, Debug, Default)]
pub struct TruthChannel(Arc<AtomicU8>);

impl TruthChannel {
    pub(crate) fn tell(&self, truth: Truth, unseen: bool) {
        let stuck = match truth {
            Truth::Stuck(_) => STUCK,
            Truth::Productive | Truth::Waiting | Truth::Finished | Truth::Faulted => 0,
        };
        self.0.store(stuck | if unseen { UNSEEN } else { 0 }, Ordering::Relaxed);
    }

    pub(super) fn says_stuck(&self) -> bool {
        self.says(STUCK)
    }

    pub(super) fn says_unseen(&self) -> bool {
        self.says(UNSEEN)
    }

    fn says(&self, what: u8) -> bool {
        self.0.load(Ordering::Relaxed) & what != 0
    }
}

const STUCK: u8 = 1;
const UNSEEN: u8 = 2;
