//! Stacks of the standard registry.

use balk::guards::{Config, Recipe, Registry};

/// What this spec describes, with nothing set in a file.
pub(crate) fn recipe(spec: &str) -> Recipe {
    Recipe::new(&Registry::standard(), spec, &Config::default()).expect("the guard is known")
}
