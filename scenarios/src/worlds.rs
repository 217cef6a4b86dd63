//! What seeds are played on: one written scenario, or drawn worlds.

use std::borrow::Cow;
use std::sync::Arc;

use balk_contract::Protocol;
use balk_contract::record::{Kind, Pools};

use crate::drawn::Target;
use crate::scenario::Scenario;

/// What seeds are played on.
#[derive(Clone, Debug)]
pub enum Worlds {
    /// A written scenario, the same for every seed.
    Written(Arc<Scenario>),
    /// Drawn worlds: each seed composes its own scenario.
    Drawn(Target),
}

impl Worlds {
    /// The scenario of a seed.
    #[must_use]
    pub fn scenario(&self, seed: u64, pools: Pools) -> Arc<Scenario> {
        match self {
            Self::Written(scenario) => scenario.clone(),
            Self::Drawn(target) => target.scenario(seed, pools),
        }
    }

    /// The name of the scenario, or of the drawn worlds.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            Self::Written(scenario) => Cow::Borrowed(&scenario.name),
            Self::Drawn(target) => Cow::Owned(target.name()),
        }
    }

    /// What happens, in a line.
    #[must_use]
    pub fn title(&self) -> &str {
        match self {
            Self::Written(scenario) => &scenario.title,
            Self::Drawn(target) => target.title(),
        }
    }

    /// Whether the actor balks. Worlds with and without a slip have both kinds.
    #[must_use]
    pub fn kind(&self) -> Option<Kind> {
        match self {
            Self::Written(scenario) => Some(scenario.kind),
            Self::Drawn(target) => target.kind(),
        }
    }

    /// How a task ends; none where that depends on the seed.
    #[must_use]
    pub fn protocol(&self) -> Option<Protocol> {
        match self {
            Self::Written(scenario) => Some(scenario.protocol),
            Self::Drawn(target) => target.protocol(),
        }
    }

    /// If the goal cannot be reached, the rule under which a guard has to tell the user.
    #[must_use]
    pub fn unreachable(&self) -> Option<&str> {
        match self {
            Self::Written(scenario) => scenario.unreachable.as_deref(),
            Self::Drawn(_) => None,
        }
    }

    /// Whether attempts may break off.
    #[must_use]
    pub fn breaks_off(&self) -> bool {
        match self {
            Self::Written(scenario) => scenario.actor.states.iter().any(|state| !state.breaks.is_empty()),
            Self::Drawn(_) => false,
        }
    }
}

impl From<Arc<Scenario>> for Worlds {
    fn from(scenario: Arc<Scenario>) -> Self {
        Self::Written(scenario)
    }
}

impl From<Target> for Worlds {
    fn from(target: Target) -> Self {
        Self::Drawn(target)
    }
}
