//! The recipes of specs that come from command lines and from records, each read once.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use balk_guards::Stack;

use super::bad::BadStack;
use super::config::Config;
use super::recipe::Recipe;
use super::registry::Registry;
use crate::engine::TruthChannel;

/// Recipes by their specs. Many threads may request stacks.
#[derive(Debug)]
pub struct Recipes<'a> {
    registry: &'a Registry,
    config: &'a Config,
    read: Mutex<BTreeMap<String, Result<Recipe, BadStack>>>,
}

/// A file of records that name more stacks than this is made on purpose; the cache stops growing there.
const RECIPES_MAX: usize = 256;

impl<'a> Recipes<'a> {
    /// An empty cache for these guards with these settings.
    #[must_use]
    pub fn new(registry: &'a Registry, config: &'a Config) -> Self {
        Self { registry, config, read: Mutex::default() }
    }

    /// Reads a spec of a command line, which may have commands. From then on, records may name it too.
    ///
    /// # Errors
    /// As for [`Recipe::new`].
    pub fn allow(&self, spec: &str) -> Result<(), BadStack> {
        self.recipe(spec, |_| Ok(())).map(|_| ())
    }

    /// A new stack of this spec.
    ///
    /// # Errors
    /// As for [`Recipe::new`]; a command that was not [allowed](Self::allow).
    pub fn stack(&self, spec: &str, channel: &TruthChannel) -> Result<Stack, BadStack> {
        Ok(self.recipe(spec, Recipe::without_command)?.stack(channel))
    }

    fn recipe(
        &self,
        spec: &str,
        check: impl FnOnce(&str) -> Result<(), BadStack>,
    ) -> Result<Recipe, BadStack> {
        // A panic of another thread with the lock leaves no half-finished entry.
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(spec) {
            return known.clone();
        }
        check(spec)?;
        let recipe = Recipe::new(self.registry, spec, self.config);
        if read.len() < RECIPES_MAX {
            read.insert(spec.to_owned(), recipe.clone());
        }
        recipe
    }
}
