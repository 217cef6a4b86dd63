//! The syntax of a stack.
//!
//! A stack is `none`, `default`, or guards separated by commas: `NAME`, `NAME=VARIANT`, and settings in braces:
//! `no-tools{limit=5},duplicate=notice`. The braces override the variant, which overrides the configuration
//! ([`config`](crate::config)).
//!
//! `exec:COMMAND` is a guard in another process ([`exec`](crate::exec)). Commas inside of quotes belong to the command,
//! and so do braces.
//!
//! Every other guard has two more settings: `enabled`, and `models`, a list of settings for models whose name matches a
//! pattern (spec N5): `{"pattern": "gpt-3.5*", "enabled": true, "limit": 5}`. The first match decides.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use balk_guards::{Budget, Guard, Stack, Window};
use balk_reports::records::is_under_test;
use balk_reports::report::document::figure;
use serde_json::{Map, Value};

use super::bad::BadStack;
use super::config::Config;
use super::registered::{Factory, Reach, Registered, Role};
use super::registry::{DEFAULT, EXEC, NONE, Registry};
use super::sources;
use crate::engine::TruthChannel;
use crate::exec::{ExecGuard, Pool, Settings};

/// A spec that was read; it makes a stack for each trial.
#[derive(Clone)]
pub struct Recipe {
    spec: Arc<str>,
    about: Arc<str>,
    members: Vec<Member>,
    budget: Budget,
    reach: Reach,
    /// The commands in it, as words.
    commands: Vec<Vec<String>>,
}

#[derive(Clone)]
struct Member {
    name: Arc<str>,
    make: Factory,
    /// All settings, or the words of a command: how it was written does not matter.
    meaning: Value,
}

impl Recipe {
    /// Reads a spec, and starts the commands in it. Its settings override those of this configuration.
    ///
    /// # Errors
    /// A guard that is not registered, settings that it does not accept, the same guard twice, a command that cannot be
    /// started or is no guard.
    pub fn new(registry: &Registry, spec: &str, config: &Config) -> Result<Self, BadStack> {
        let mut recipe = Self { spec: spec.into(), about: about(registry, spec), ..Self::none() };
        for asked in split(spec) {
            match asked {
                NONE => {}
                DEFAULT => {
                    for guard in registry.default_guards() {
                        recipe.add(guard, config.of(guard.name()), guard.name())?;
                    }
                }
                _ => match command(asked) {
                    Some(command) => recipe.add_command(command, asked, config)?,
                    None => {
                        let (guard, settings) = self::asked(registry, asked, config)?;
                        recipe.add(guard, settings, asked)?;
                    }
                },
            }
        }
        Ok(recipe)
    }

    /// Refuses a spec of a file that would run a command: only a command line may do that.
    ///
    /// # Errors
    /// There is a command in it.
    pub fn without_command(spec: &str) -> Result<(), BadStack> {
        match split(spec).find(|it| command(it).is_some()) {
            None => Ok(()),
            Some(asked) => Err(BadStack::FromFile { asked: asked.to_owned() }),
        }
    }

    /// Reads several specs.
    ///
    /// # Errors
    /// As for [`Recipe::new`], and two specs of the same stack.
    pub fn all(registry: &Registry, specs: &[String], config: &Config) -> Result<Vec<Self>, BadStack> {
        let mut recipes: Vec<Self> = Vec::new();
        for spec in specs {
            let recipe = Self::new(registry, spec, config)?;
            if let Some(same) = recipes.iter().find(|it| it.is_same(&recipe)) {
                return Err(BadStack::Same { asked: spec.clone(), earlier: same.spec.to_string() });
            }
            recipes.push(recipe);
        }
        Ok(recipes)
    }

    /// Whether its guards have the same settings in the same order.
    fn is_same(&self, other: &Self) -> bool {
        let members =
            |it: &Self| it.members.iter().map(|it| (it.name.clone(), it.meaning.clone())).collect::<Vec<_>>();
        members(self) == members(other)
    }

    /// No guard at all: the baseline.
    #[must_use]
    pub fn none() -> Self {
        let about = "no guard: the baseline".into();
        Self {
            spec: NONE.into(),
            about,
            members: Vec::new(),
            budget: Budget::default(),
            reach: Reach::Model,
            commands: Vec::new(),
        }
    }

    /// What a stack is in a comparison: a yardstick if it is not under test, a peer if every guard in it has the rules
    /// of another agent.
    #[must_use]
    pub fn role(registry: &Registry, spec: &str) -> figure::Role {
        let name = |asked: &str| asked.split(['=', '{']).next().unwrap_or_default().trim().to_owned();
        let is_peer = |asked| registry.guard(&name(asked)).is_some_and(|it| it.role() == Role::Peer);
        match (is_under_test(spec), split(spec).all(is_peer)) {
            (false, _) => figure::Role::Yardstick,
            (true, true) => figure::Role::Peer,
            (true, false) => figure::Role::Ours,
        }
    }

    /// The spec.
    #[must_use]
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// One line about the stack: that of its only guard, or a general one.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.about
    }

    /// A new stack.
    #[must_use]
    pub fn stack(&self, channel: &TruthChannel) -> Stack {
        let members = self.members.iter().map(|it| (it.make)(channel)).collect();
        Stack::with_budget(members, self.budget)
    }

    /// How much its corrections can do.
    pub(crate) fn reach(&self) -> Reach {
        self.reach
    }

    /// Whether guards in other processes are in it.
    pub(crate) fn runs_commands(&self) -> bool {
        !self.commands.is_empty()
    }

    /// The digests of the files that the answers of the commands in it follow from, by the words that name them
    /// ([`sources`]). What these read is not known.
    pub(crate) fn files(&self) -> BTreeMap<String, String> {
        self.commands.iter().flat_map(|words| sources::digests(words)).collect()
    }

    /// The names of the members, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|it| &*it.name)
    }

    /// The same stack with another budget.
    pub(crate) fn with_budget(&self, budget: Budget) -> Self {
        Self { budget, ..self.clone() }
    }

    /// The same stack, with the member of this name wrapped.
    pub(crate) fn around<G: Guard + 'static>(
        &self,
        name: &str,
        wrap: impl Fn(Box<dyn Guard>) -> G + Send + Sync + 'static,
    ) -> Self {
        let mut recipe = self.clone();
        if let Some(member) = recipe.members.iter_mut().find(|it| &*it.name == name) {
            let make = Arc::clone(&member.make);
            member.make = Arc::new(move |channel| Box::new(wrap(make(channel))));
        }
        recipe
    }

    fn add(&mut self, guard: &Registered, settings: Map<String, Value>, asked: &str) -> Result<(), BadStack> {
        self.is_new(guard.name())?;
        let meaning = guard.defaults.clone().into_iter().chain(settings.clone()).collect();
        let make = guard
            .factory(settings)
            .map_err(|error| BadStack::Settings { asked: asked.into(), reason: error.to_string() })?;
        self.members.push(Member { name: guard.name.clone(), make, meaning: Value::Object(meaning) });
        match guard.reach {
            Reach::Model => {}
            Reach::Everything => {
                self.reach = guard.reach;
                self.budget = UNLIMITED;
            }
        }
        Ok(())
    }

    fn add_command(&mut self, command: &str, asked: &str, config: &Config) -> Result<(), BadStack> {
        let bad = |reason: String| BadStack::Command { asked: asked.to_owned(), reason };
        let settings = Settings::read(config.of(EXEC)).map_err(|error| bad(error.to_string()))?;
        let pool = Arc::new(Pool::start(command, settings).map_err(bad)?);
        let name: Arc<str> = pool.introduction().guard.as_str().into();
        self.is_new(&name)?;
        self.commands.push(pool.words().to_vec());
        let meaning = pool.words().into();
        let make: Factory = Arc::new(move |_| Box::new(ExecGuard::new(&pool)));
        self.members.push(Member { name, make, meaning });
        Ok(())
    }

    fn is_new(&self, guard: &str) -> Result<(), BadStack> {
        if self.names().all(|name| name != guard) {
            return Ok(());
        }
        Err(BadStack::Twice { asked: guard.to_owned(), stack: self.spec.to_string() })
    }
}

impl fmt::Debug for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recipe({})", self.spec)
    }
}

/// More corrections and questions than any run has turns.
const UNLIMITED: Budget = Budget {
    corrections: u32::MAX,
    window: Window { turns: 1, corrections: usize::MAX },
    questions: u32::MAX,
};

/// One line about a stack.
fn about(registry: &Registry, spec: &str) -> Arc<str> {
    match spec {
        NONE => "no guard: the baseline".into(),
        DEFAULT => "the guards that are on by default".into(),
        _ => match registry.find(spec) {
            Ok((guard, None)) => guard.about().into(),
            Ok((_, Some(variant))) => variant.about.as_str().into(),
            Err(_) => "as it is written".into(),
        },
    }
}

/// The guard that a part of a spec names, and its settings: those of the configuration, overridden by the variant,
/// overridden by the braces.
fn asked<'r>(
    registry: &'r Registry,
    asked: &str,
    config: &Config,
) -> Result<(&'r Registered, Map<String, Value>), BadStack> {
    let (name, braces) = asked.split_once('{').map_or((asked, None), |(name, it)| (name, Some(it)));
    let (guard, variant) = registry.find(name.trim())?;
    let mut settings = config.of(guard.name());
    if let Some(variant) = variant {
        settings.insert(variant.key.clone(), variant.value.clone());
    }
    if let Some(braces) = braces {
        settings.extend(self::settings(asked, braces)?);
    }
    Ok((guard, settings))
}

/// The parts of a spec, split at commas outside of braces or, in a command, outside of quotes.
fn split(spec: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(spec);
    std::iter::from_fn(move || {
        let now = rest?.trim_start();
        let end = if command(now).is_some() { end_of_command(now) } else { end_of_guard(now) };
        rest = now.get(end + 1..);
        Some(now[..end].trim_end())
    })
}

/// The command, if this part of a spec is one.
fn command(part: &str) -> Option<&str> {
    part.strip_prefix(EXEC)?.strip_prefix(':')
}

fn end_of_guard(spec: &str) -> usize {
    let mut depth = 0_u32;
    let is_end = |c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    spec.find(is_end).unwrap_or(spec.len())
}

/// Quotes and backslashes are those of a shell.
fn end_of_command(spec: &str) -> usize {
    let (mut quote, mut is_escaped) = (None, false);
    let is_end = |c| {
        match (quote, c) {
            _ if is_escaped => {
                is_escaped = false;
                return false;
            }
            (None | Some('"'), '\\') => is_escaped = true,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
        c == ',' && quote.is_none()
    };
    spec.find(is_end).unwrap_or(spec.len())
}

/// Parses `key=value, …}`: a value that is not JSON is text.
fn settings(asked: &str, braces: &str) -> Result<Map<String, Value>, BadStack> {
    let bad = |reason: &str| BadStack::Settings { asked: asked.into(), reason: reason.into() };
    let inside = braces.strip_suffix('}').ok_or_else(|| bad("expected `}` at the end"))?;
    let mut settings = Map::new();
    for pair in inside.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (key, value) =
            pair.split_once('=').ok_or_else(|| bad("expected key=value between the braces"))?;
        let (key, value) = (key.trim(), value.trim());
        let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
        if settings.insert(key.to_owned(), value).is_some() {
            return Err(bad(&format!("expected each setting once, found `{key}` twice")));
        }
    }
    Ok(settings)
}

#[cfg(test)]
mod tests;
