//! Which guards, with which settings.

use std::collections::BTreeMap;

use balk_guards::{Guard, SHIPPED, Stack, shipped};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Error;

/// Guards by name, checked once; makes a new stack for each run.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Named")]
pub struct Guards {
    names: Vec<String>,
    settings: BTreeMap<String, Map<String, Value>>,
}

/// Guards as a host names them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    /// `default`, `none`, or names with commas between them.
    #[serde(default = "default_guards")]
    guards: String,
    /// The settings of each guard that is to have others than its defaults.
    #[serde(default)]
    settings: BTreeMap<String, Map<String, Value>>,
}

fn default_guards() -> String {
    "default".to_owned()
}

impl Default for Guards {
    fn default() -> Self {
        Self { names: SHIPPED.map(str::to_owned).into(), settings: BTreeMap::new() }
    }
}

impl TryFrom<Named> for Guards {
    type Error = Error;

    fn try_from(named: Named) -> Result<Self, Error> {
        Self::new(&named.guards, named.settings)
    }
}

impl Guards {
    /// `spec` is `default`, `none`, or names of shipped guards with commas between them; `settings` has those of each
    /// guard that is to have others than its defaults.
    ///
    /// # Errors
    /// A guard that is not shipped, one that is named twice, settings of a guard that is not among them, or settings
    /// that it does not take.
    pub fn new(spec: &str, settings: BTreeMap<String, Map<String, Value>>) -> Result<Self, Error> {
        let names: Vec<String> = match spec.trim() {
            "default" => SHIPPED.map(str::to_owned).into(),
            "none" => Vec::new(),
            list => list.split(',').map(|it| it.trim().to_owned()).collect(),
        };
        for (at, name) in names.iter().enumerate() {
            if names[..at].contains(name) {
                return Err(Error::new(format!("expected each guard once, found `{name}` twice")));
            }
        }
        if let Some(name) = settings.keys().find(|name| !names.contains(name)) {
            let expected = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            let why =
                format!("settings: expected settings of the guards in use ({expected}), found `{name}`");
            return Err(Error::new(why));
        }
        let guards = Self { names, settings };
        guards.members()?;
        Ok(guards)
    }

    /// A stack of these guards that has seen nothing.
    ///
    /// # Panics
    /// Never: the settings were read before.
    #[must_use]
    pub fn stack(&self) -> Stack {
        Stack::new(self.members().expect("names and settings were checked when they came in"))
    }

    fn members(&self) -> Result<Vec<Box<dyn Guard>>, Error> {
        self.names.iter().map(|name| self.member(name)).collect()
    }

    fn member(&self, name: &str) -> Result<Box<dyn Guard>, Error> {
        let settings = self.settings.get(name).cloned().unwrap_or_default();
        match shipped(name, settings) {
            Some(Ok(guard)) => Ok(guard),
            Some(Err(why)) => Err(Error::new(format!("settings of `{name}`: {why}"))),
            None => {
                let known = SHIPPED.join(", ");
                let why = format!("expected `default`, `none` or names of {known}; found `{name}`");
                Err(Error::new(why))
            }
        }
    }
}
