//! Texts of a scenario: linked values, and what is said.

use std::sync::Arc;

use crate::template::Template;

/// A pool of linked values: one item is drawn, all its fields go together.
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
    /// Used only where reserved pools are asked for.
    pub reserve: bool,
    /// One value a field, in the pool's order.
    pub values: Vec<Arc<str>>,
}

/// Something that is said; one variant is drawn at every use.
#[derive(Clone, Debug)]
pub struct Phrase {
    /// Its name.
    pub name: String,
    /// The variants for each of [`Scenario::languages`](super::Scenario::languages), in that order.
    pub variants: Vec<Vec<Template>>,
}

/// Index into [`Scenario::phrases`](super::Scenario::phrases).
pub type PhraseId = usize;
