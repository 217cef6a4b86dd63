//! Stacks of the standard registry.

use balk::guards::{Config, Recipe, Registry};

/// The recipe of this spec, without settings from a file.
pub(crate) fn recipe(spec: &str) -> Recipe {
    Recipe::new(&Registry::standard(), spec, &Config::default()).expect("the guard is known")
}
