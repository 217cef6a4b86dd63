//! Which worlds of a suite a real model plays in.

use std::collections::BTreeSet;

use balk_scenarios::{Kind, Worlds};

use crate::bench::Asked;
use crate::error::Error;

/// Each world once. Both actors of a file have one world, and a slip of a drawn world is what an actor does; here
/// neither plays.
pub(super) fn once_each(mut worlds: Vec<Asked>) -> Result<Vec<Asked>, Error> {
    let mut seen = BTreeSet::new();
    worlds.retain(|it| match &it.worlds {
        Worlds::Written(_) => seen.insert(it.text.clone()),
        Worlds::Drawn(target) => target.kind() != Some(Kind::Stubborn),
    });
    if worlds.is_empty() {
        let error = Error::usage("--suite", "a world", "slips, which are for scripted actors");
        return Err(error.hint("name a plan, such as drawn/debug"));
    }
    Ok(worlds)
}

/// The scenarios whose scripted model balks.
pub(super) fn that_balk(mut worlds: Vec<Asked>) -> Result<Vec<Asked>, Error> {
    worlds.retain(|it| it.worlds.kind() == Some(Kind::Stubborn));
    if worlds.is_empty() {
        return Err(Error::usage("--suite", "a scenario whose scripted model balks", "none"));
    }
    Ok(worlds)
}
