//! Finds worth keeping: each shrunk to a small scenario, none of them twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use balk_scenarios::format;
use balk_scenarios::{Scenario, World, WorldOptions, toolsets};
use rayon::prelude::*;

use super::search::{Find, Hunt, Hunted};
use crate::guards::Recipe;
use crate::shrink::{self, Case, Shrunk};

/// A find as a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its name, and that of its scenario.
    pub name: String,
    /// What was found.
    pub find: Find,
    /// The smallest scenario that still shows it.
    pub shrunk: Shrunk,
}

/// Smaller trials that are run at most for each find.
const TRIES: u32 = 1_000;

/// The worst finds, at most so many, as small scenarios. A find that is then the same as an earlier one is dropped.
///
/// `contrasts` are the baseline and the oracle, as for [`Case::contrasts`]. Once `stop` is set, nothing shrinks any
/// further.
#[must_use]
pub fn keep(
    hunt: &Hunt<'_>,
    hunted: &Hunted,
    contrasts: &[Recipe],
    most: usize,
    stop: &AtomicBool,
) -> Vec<Kept> {
    let mut named: BTreeMap<String, usize> = BTreeMap::new();
    let worst: Vec<(String, &Find)> = hunted
        .worst(most)
        .into_iter()
        .map(|find| {
            let name = format!("{}-{}", find.prey.name(), find.field.part());
            let nth = named.entry(name.clone()).or_default();
            *nth += 1;
            (if *nth == 1 { name } else { format!("{name}-{nth}") }, find)
        })
        .collect();
    let kept: Vec<Kept> = worst
        .into_par_iter()
        .map(|(name, find)| {
            let shrunk = shrunk(hunt, find, &name, contrasts, stop);
            Kept { name, find: find.clone(), shrunk }
        })
        .collect();
    let mut seen = BTreeSet::new();
    kept.into_iter().filter(|it| seen.insert(essence(&it.shrunk.text))).collect()
}

fn shrunk(hunt: &Hunt<'_>, find: &Find, name: &str, contrasts: &[Recipe], stop: &AtomicBool) -> Shrunk {
    let drawn = hunt.worlds.scenario(find.seed, hunt.pools);
    let options = WorldOptions { pools: hunt.pools, ..WorldOptions::default() };
    let scenario = Arc::new(Scenario {
        name: name.into(),
        title: find.prey.title().into(),
        why: format!("Found under `{}`.", hunt.stack.spec()),
        source: format!("`balk hunt`: the drawn world {}, seed {}", find.skeleton, find.seed),
        ..World::draw(&drawn, find.seed, options).pinned()
    });
    let text = format::write(std::slice::from_ref(&scenario));
    let shows = find.prey.shows();
    let case = Case {
        text: &text,
        scenario: &read(&text),
        seed: find.seed,
        stack: hunt.stack,
        contrasts,
        options: WorldOptions { reactions: hunt.reactions, ..WorldOptions::default() },
        shows: &shows,
        tries: TRIES,
        stop,
    };
    shrink::shrink(&case, |_| ()).expect("a file plays as the world that it was written from")
}

fn read(text: &str) -> Arc<Scenario> {
    let scenarios = format::parse("find.toml", text, toolsets::catalogue());
    scenarios.expect("what is written can be read").swap_remove(0)
}

/// The text of a find without its name and its origin.
fn essence(text: &str) -> String {
    let nothing = String::new;
    let plain = Scenario {
        name: "find".into(),
        world: "find".into(),
        title: nothing(),
        why: nothing(),
        source: nothing(),
        ..Scenario::clone(&read(text))
    };
    format::write(&[Arc::new(plain)])
}
