//! What `balk crash` plays.

use balk_scenarios::format::Document;
use balk_scenarios::{Kind, Worlds, agents, toolsets};

use crate::cli::load::{Failure, Named};

/// Six ways to balk, and healthy work that looks like them.
const DEFAULT: [&str; 9] = [
    "abandonment",
    "repeating",
    "text-only",
    "transient-empty",
    "truncated",
    "near-duplicate-writer",
    "abandonment-control",
    "repeating-control",
    "fix-and-rewrite",
];

/// What is played where nothing is asked for.
pub(super) fn default(learn: bool) -> Vec<String> {
    let names = if learn { agents::HEALTHY.map(|(name, _)| name).to_vec() } else { DEFAULT.to_vec() };
    names.into_iter().map(str::to_owned).collect()
}

/// What a name or a file means. Healthy work to learn from is in no suite.
pub(super) fn worlds(target: &str) -> Result<Worlds, Failure> {
    match agents::HEALTHY.iter().find(|(name, _)| *name == target) {
        Some((name, text)) => {
            Ok(Document::new(name, text, Kind::Control, &[])?.scenario(toolsets::catalogue())?.into())
        }
        None => Named::one(target)?.read(&[]),
    }
}
