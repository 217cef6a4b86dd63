//! One guard that can be named on the command line: its name, its settings, and its factory.

use std::fmt;
use std::sync::Arc;

use balk_guards::rules::Rule;
use balk_guards::{Guard, PerModel};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::engine::TruthChannel;

/// One guard of a [`Registry`](crate::guards::Registry): its name, and how it is made from settings.
///
/// ```
/// use balk::guards::Registered;
/// use balk_guards::NoTools;
///
/// let guard = Registered::new("no-tools", "announces and does not act", NoTools::new)
///     .variant("patient", "asks the user later", "limit", 6);
/// assert_eq!(guard.spelled().collect::<Vec<_>>(), ["no-tools", "no-tools=patient"]);
/// ```
#[derive(Clone)]
pub struct Registered {
    pub(crate) name: Arc<str>,
    pub(crate) about: String,
    pub(crate) role: Role,
    pub(crate) variants: Vec<Variant>,
    pub(crate) rules: &'static [Rule],
    pub(crate) off: Vec<(String, Value)>,
    pub(crate) defaults: Map<String, Value>,
    pub(super) reach: Reach,
    read: Arc<Read>,
}

type Read = dyn Fn(Map<String, Value>) -> Result<Factory, serde_json::Error> + Send + Sync;

/// Makes a new guard for each trial. Only the oracle and the ceiling use the truth channel.
pub type Factory = Arc<dyn Fn(&TruthChannel) -> Box<dyn Guard> + Send + Sync>;

/// When a guard takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// As part of the stack `default`.
    Default,
    /// When it is named.
    Named,
    /// When it is named; our guards are compared with it, and `balk list` shows it among the peers.
    Peer,
}

/// How much the corrections of a guard can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The response model says whether a correction moves the actor, and the stack has a budget.
    Model,
    /// Every correction moves the actor, and the stack has no budget.
    Everything,
}

/// One setting with its own name: `GUARD=VARIANT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The variant's name.
    pub name: String,
    /// One line on the difference.
    pub about: String,
    /// The setting.
    pub key: String,
    /// Its value.
    pub value: Value,
}

/// The settings of a guard that has none.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoSettings {}

impl Registered {
    /// A guard with this name, one line on what it does, and a function that makes it from its settings.
    ///
    /// The name must be the guard's own ([`Guard::name`]). The settings are an object in JSON and TOML; they should
    /// refuse unknown fields, so that a mistyped one is an error. A guard without settings takes [`NoSettings`].
    ///
    /// # Panics
    /// If the default settings are not an object in JSON.
    #[must_use]
    pub fn new<S, G>(name: &str, about: &str, make: impl Fn(S) -> G + Send + Sync + Clone + 'static) -> Self
    where
        S: DeserializeOwned + Serialize + Default + Clone + Send + Sync + 'static,
        G: Guard + 'static,
    {
        Self::told(name, about, move |settings: S, _| make(settings))
    }

    /// A guard that is told the truth.
    pub(super) fn told<S, G>(
        name: &str,
        about: &str,
        make: impl Fn(S, &TruthChannel) -> G + Send + Sync + Clone + 'static,
    ) -> Self
    where
        S: DeserializeOwned + Serialize + Default + Clone + Send + Sync + 'static,
        G: Guard + 'static,
    {
        let read = move |settings: Map<String, Value>| {
            let settings: S = serde_json::from_value(Value::Object(settings))?;
            let make = make.clone();
            let factory: Factory = Arc::new(move |channel| Box::new(make(settings.clone(), channel)));
            Ok(factory)
        };
        Self {
            name: name.into(),
            about: about.to_owned(),
            role: Role::Named,
            variants: Vec::new(),
            rules: &[],
            off: Vec::new(),
            defaults: defaults::<S>(),
            reach: Reach::Model,
            read: Arc::new(read),
        }
    }

    /// The same guard, each of whose corrections moves the actor.
    pub(super) fn reaching_everything(mut self) -> Self {
        self.reach = Reach::Everything;
        self
    }

    /// The same guard with a variant: `NAME=VARIANT` sets `key` to `value`.
    #[must_use]
    pub fn variant(mut self, name: &str, about: &str, key: &str, value: impl Into<Value>) -> Self {
        let (name, about) = (name.to_owned(), about.to_owned());
        self.variants.push(Variant { name, about, key: key.to_owned(), value: value.into() });
        self
    }

    /// The same guard with its rules. `balk audit` looks for each of their rungs; it skips guards without rules.
    #[must_use]
    pub fn rules(mut self, rules: &'static [Rule]) -> Self {
        self.rules = rules;
        self
    }

    /// The same guard with a setting that turns one of its rules off; `balk audit` tries it.
    #[must_use]
    pub fn off(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.off.push((key.to_owned(), value.into()));
        self
    }

    /// The same guard as part of the stack `default`.
    #[must_use]
    pub fn by_default(mut self) -> Self {
        self.role = Role::Default;
        self
    }

    /// The same guard as a peer, to compare other guards with.
    #[must_use]
    pub fn peer(mut self) -> Self {
        self.role = Role::Peer;
        self
    }

    /// The guard's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One line on what it does.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.about
    }

    /// When it takes part.
    #[must_use]
    pub const fn role(&self) -> Role {
        self.role
    }

    /// Its variants.
    #[must_use]
    pub fn variants(&self) -> &[Variant] {
        &self.variants
    }

    /// The guard and each of its variants, as on the command line.
    pub fn spelled(&self) -> impl Iterator<Item = String> {
        let variants = self.variants.iter().map(|it| format!("{}={}", self.name, it.name));
        std::iter::once(self.name.to_string()).chain(variants)
    }

    /// The factory of the guard with these settings in place of its defaults. Every guard has two more settings:
    /// `enabled`, and `models`, a list of settings for models whose name matches a pattern.
    ///
    /// # Errors
    /// A setting that the guard does not accept.
    pub(crate) fn factory(&self, mut settings: Map<String, Value>) -> Result<Factory, serde_json::Error> {
        let enabled = settings.remove("enabled").map_or(Ok(true), serde_json::from_value)?;
        let rules: Vec<ModelRule> =
            settings.remove("models").map_or(Ok(Vec::new()), serde_json::from_value)?;
        let standard = (self.read)(settings.clone())?;
        if enabled && rules.is_empty() {
            return Ok(standard);
        }
        let standard = unless_off(enabled, standard);
        let mut by_pattern = Vec::with_capacity(rules.len());
        for rule in rules {
            let settings = settings.clone().into_iter().chain(rule.settings).collect();
            let made = (self.read)(settings)?;
            by_pattern.push((rule.pattern, unless_off(rule.enabled.unwrap_or(enabled), made)));
        }
        let name = Arc::clone(&self.name);
        Ok(Arc::new(move |channel| {
            let guard = PerModel::new(standard(channel)).named(&name);
            let of_model =
                |guard: PerModel, (pattern, make): &(String, Factory)| guard.with(pattern, make(channel));
            Box::new(by_pattern.iter().fold(guard, of_model))
        }))
    }
}

impl fmt::Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Registered({})", self.name)
    }
}

/// Different settings for some models.
#[derive(Deserialize)]
#[serde(try_from = "Map<String, Value>")]
struct ModelRule {
    pattern: String,
    enabled: Option<bool>,
    /// Settings that replace the general ones.
    settings: Map<String, Value>,
}

impl TryFrom<Map<String, Value>> for ModelRule {
    type Error = serde_json::Error;

    /// Removes the keys that are not settings of the guard; the guard reads the rest.
    fn try_from(mut settings: Map<String, Value>) -> Result<Self, Self::Error> {
        #[derive(Deserialize)]
        struct Head {
            pattern: String,
            enabled: Option<bool>,
        }
        let head = ["pattern", "enabled"].into_iter().filter_map(|name| settings.remove_entry(name));
        let Head { pattern, enabled } = Head::deserialize(Value::Object(head.collect()))?;
        Ok(Self { pattern, enabled, settings })
    }
}

fn unless_off(enabled: bool, make: Factory) -> Factory {
    if enabled { make } else { Arc::new(|_| Box::new(()) as Box<dyn Guard>) }
}

/// The default settings of a guard.
fn defaults<S: Default + Serialize>() -> Map<String, Value> {
    match serde_json::to_value(S::default()) {
        Ok(Value::Object(settings)) => settings,
        other => panic!("expected settings that are an object in JSON, found {other:?}"),
    }
}
