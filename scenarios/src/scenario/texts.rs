//! Texts of a scenario: linked values, and what is said.

use std::sync::Arc;

use super::template::Template;

/// A pool of linked values: the seed draws one item with all its fields.
#[derive(Clone, Debug)]
pub struct Pool {
    /// The name before the dot in `{pool.field}`.
    pub name: String,
    /// The names of the fields, the same in every item.
    pub fields: Vec<String>,
    /// The items.
    pub items: Vec<PoolItem>,
}

/// One item of a pool.
#[derive(Clone, Debug)]
pub struct PoolItem {
    /// Whether it is drawn only from reserved pools.
    pub reserve: bool,
    /// One value for each field, in the pool's order.
    pub values: Vec<Arc<str>>,
}

/// Something that is said. Each use draws one variant, unless it is pinned.
#[derive(Clone, Debug)]
pub struct Phrase {
    /// Its name.
    pub name: String,
    /// Whether one variant is drawn for the whole world, and not at each use.
    pub pinned: bool,
    /// The variants for each of [`Scenario::languages`](super::Scenario::languages), in that order.
    pub variants: Vec<Vec<Template>>,
}

/// Index into [`Scenario::phrases`](super::Scenario::phrases).
pub type PhraseId = usize;
