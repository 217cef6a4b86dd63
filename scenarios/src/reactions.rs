//! Files of measured reactions: how one model takes corrections, in place of the profile that a scenario asks for.
//!
//! A file names the model, says where it was measured, and has the numbers that were measured, each with its range, in
//! parts per thousand. It also names a profile, because no measurement has all numbers: those that are not in the file
//! are those of the profile. `docs/reactions-file.md` describes the keys.

mod read;
mod wire;
mod write;

use std::collections::BTreeMap;

use crate::format::behaviour::PROFILES;
use crate::response::{PARAMETERS, Reactions, Span};
use crate::scenario::Profile;

pub use read::parse;
pub use write::write;

/// Measured reactions of one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// The model.
    pub name: String,
    /// Where and how it was measured.
    pub measured: String,
    /// The numbers that were not measured are those of this profile.
    pub profile: Profile,
    /// How likely a plain complaint moves it, at the first to the fourth and later correction in a row.
    pub base: Option<[Span; 4]>,
    /// How likely any message moves it, in flat mode. Where it is not measured and `base` is, it is the value of that.
    pub flat: Option<[u32; 4]>,
    /// What is left of the base chance of a demand that gives no reason.
    pub demand: Option<u32>,
    /// The other parameters, by name.
    spans: BTreeMap<&'static str, Span>,
}

impl Measured {
    /// Nothing but the profile that a model is like.
    ///
    /// # Panics
    /// If the profile is the population, which is not one model.
    #[must_use]
    pub fn new(name: &str, measured: &str, profile: Profile) -> Self {
        assert!(profile != Profile::Population, "the population is not one model");
        Self {
            name: name.to_owned(),
            measured: measured.to_owned(),
            profile,
            base: None,
            flat: None,
            demand: None,
            spans: BTreeMap::new(),
        }
    }

    /// Adds a number, or replaces it.
    ///
    /// # Panics
    /// If no [parameter](PARAMETERS) other than `base` has this name, or if the range is not [allowed](most).
    pub fn set(&mut self, parameter: &str, span: Span) {
        let known = PARAMETERS[1..].iter().find(|it| it.name == parameter);
        let name = known.unwrap_or_else(|| panic!("no parameter is called `{parameter}`")).name;
        assert!(span.low() >= least(name) && span.high() <= most(name), "`{name}` has its bounds");
        self.spans.insert(name, span);
    }

    /// The measured number of a parameter other than `base`.
    #[must_use]
    pub fn span(&self, parameter: &str) -> Option<Span> {
        self.spans.get(parameter).copied()
    }

    /// All numbers: the measured ones, and those of the profile.
    #[must_use]
    pub fn reactions(&self) -> Reactions {
        let mut reactions = Reactions::of(self.profile);
        if let Some(base) = self.base {
            reactions.set_base(base);
        }
        if let Some(flat) = self.flat {
            reactions.set_flat(flat);
        }
        if let Some(demand) = self.demand {
            reactions.set_demand(demand);
        }
        for (name, span) in &self.spans {
            reactions.set(name, *span);
        }
        reactions
    }

    /// The name of the profile.
    #[must_use]
    pub fn profile_name(&self) -> &'static str {
        let (name, _) =
            PROFILES.iter().find(|(_, it)| *it == self.profile).expect("every profile has a name");
        name
    }
}

/// The greatest value of a parameter. All of them are chances or shares, but for a weight.
#[must_use]
pub fn most(parameter: &str) -> u32 {
    if parameter == WEIGHT { 100_000 } else { 1_000 }
}

/// The least value of a parameter. A way out without any weight could not be drawn where it is the only one.
fn least(parameter: &str) -> u32 {
    u32::from(parameter == WEIGHT)
}

/// The parameter that is the weight of one way out, where each other has 1,000.
const WEIGHT: &str = "first";
