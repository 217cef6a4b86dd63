//! What an audit plays: the scenarios of the catalogue, and each slip and each plan of the drawn worlds.

use std::collections::BTreeMap;
use std::sync::Arc;

use balk_scenarios::catalogue::{CATALOGUE, Listed};
use balk_scenarios::drawn::Target;
use balk_scenarios::{Pools, Scenario, Worlds};

use super::setup::{Sets, Setup};

/// A scenario or a kind of drawn worlds, unchanged and with the settings that some setups need.
pub(super) struct Cast {
    pub(super) name: Arc<str>,
    /// What all scenarios of its suite are called together.
    pub(super) suite: Arc<str>,
    worlds: Worlds,
    /// By the index of the setup; setups that need no settings are missing.
    pub(super) with_settings: BTreeMap<usize, Arc<Scenario>>,
    pub(super) setups: Vec<usize>,
}

/// How many there are.
pub(super) fn count() -> usize {
    CATALOGUE.len() + Target::cells(Pools::Open).len()
}

/// Everything that an audit plays.
pub(super) fn casts(setups: &[Setup]) -> Vec<Cast> {
    let [catalogue, drawn] = ["catalogue", "drawn worlds"].map(Arc::from);
    let written = CATALOGUE.iter().map(|listed| Cast::of_catalogue(listed, &catalogue, setups));
    let drawn = Target::cells(Pools::Open).into_iter().map(|target| Cast::of_drawn(target, &drawn, setups));
    written.chain(drawn).collect()
}

impl Cast {
    fn of_catalogue(listed: &Listed, suite: &Arc<str>, setups: &[Setup]) -> Self {
        let read = |sets: Sets| {
            let sets: Vec<_> =
                sets.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
            listed.read(&sets).expect("a test reads every file of the catalogue")
        };
        let meets = |at: &usize| setups[*at].meets(listed.name, listed.kind, false);
        let met: Vec<usize> = (0..setups.len()).filter(meets).collect();
        let other = met.iter().filter(|&&at| !setups[at].sets.is_empty());
        let with_settings = other.map(|&at| (at, read(setups[at].sets))).collect();
        Self {
            name: listed.name.into(),
            suite: Arc::clone(suite),
            worlds: read(&[]).into(),
            with_settings,
            setups: met,
        }
    }

    fn of_drawn(target: Target, suite: &Arc<str>, setups: &[Setup]) -> Self {
        let name = target.name();
        let kind = target.kind().expect("a slip balks and a plan does not");
        Self {
            setups: (0..setups.len()).filter(|&at| setups[at].meets(&name, kind, true)).collect(),
            name: name.into(),
            suite: Arc::clone(suite),
            worlds: target.into(),
            with_settings: BTreeMap::new(),
        }
    }

    pub(super) fn scenario(&self, seed: u64) -> Arc<Scenario> {
        self.worlds.scenario(seed, Pools::Open)
    }

    /// The scenario, if it is a written one.
    pub(super) fn written(&self) -> Option<&Scenario> {
        match &self.worlds {
            Worlds::Written(scenario) => Some(scenario),
            Worlds::Drawn(_) => None,
        }
    }
}
