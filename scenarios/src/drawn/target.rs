//! What `drawn`, `drawn/SLIP` and `drawn/PLAN` name.

use std::sync::Arc;

use balk_contract::Protocol;
use balk_contract::record::Pools;

use crate::scenario::{Kind, Scenario};

use super::compose::{Part, compose, open};
use super::plan::{Plan, plans};
use super::slips::{Slip, slips};

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// Everything: plans alone and, in half of the seeds, with a slip by its weight.
    Any,
    /// One slip, in any plan in which it can happen.
    Slip(&'static Slip),
    /// One plan, without a slip.
    Plan(&'static Plan),
}

/// The name of everything, and the start of each other name.
pub const DRAWN: &str = "drawn";

impl Target {
    /// What this name means, if anything.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        let Some(part) = name.strip_prefix(DRAWN)?.strip_prefix('/') else {
            return (name == DRAWN).then_some(Self::Any);
        };
        let slip = slips().iter().find(|it| it.name == part).map(Self::Slip);
        slip.or_else(|| plans().iter().find(|it| it.name == part).map(Self::Plan))
    }

    /// A cell for each slip and for each plan that may be drawn from these pools.
    #[must_use]
    pub fn cells(pools: Pools) -> Vec<Self> {
        let slips = open(slips(), |it| it.reserve, pools).into_iter().map(Self::Slip);
        slips.chain(open(plans(), |it| it.reserve, pools).into_iter().map(Self::Plan)).collect()
    }

    /// Its name on the command line and in a record.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Any => DRAWN.into(),
            Self::Slip(slip) => format!("{DRAWN}/{}", slip.name),
            Self::Plan(plan) => format!("{DRAWN}/{}", plan.name),
        }
    }

    /// Whether the actor balks. That of everything depends on the seed.
    #[must_use]
    pub const fn kind(self) -> Option<Kind> {
        match self {
            Self::Any => None,
            Self::Slip(_) => Some(Kind::Stubborn),
            Self::Plan(_) => Some(Kind::Control),
        }
    }

    /// How a task ends; that of a slip and of everything depends on the seed.
    #[must_use]
    pub fn protocol(self) -> Option<Protocol> {
        match self {
            Self::Any | Self::Slip(_) => None,
            Self::Plan(plan) => Some(plan.protocol()),
        }
    }

    /// What happens, in a line.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Any => "Plans of healthy work; in half of the seeds a slip takes over at some point",
            Self::Slip(slip) => slip.about,
            Self::Plan(plan) => plan.title(),
        }
    }

    /// The scenario of this seed.
    #[must_use]
    pub fn scenario(self, seed: u64, pools: Pools) -> Arc<Scenario> {
        let part = match self {
            Self::Any => Part::Any,
            Self::Slip(slip) => Part::Slip(slip),
            Self::Plan(plan) => Part::Plan(plan),
        };
        Arc::new(compose(part, self.name(), seed, pools))
    }
}
