//! The offer in a saved state: the properties of each tool that guards use.
//!
//! This module needs the feature `serde`.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::offer::{Effect, Offer, Tool};

#[derive(Serialize, Deserialize)]
struct Offered {
    name: Arc<str>,
    original: Arc<str>,
    effect: Effect,
    provider_executed: bool,
}

/// Writes the properties that guards use: name, effect, and who runs the tool.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(offer: &Offer, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(offer.tools().iter().map(|tool| Offered {
        name: tool.name.clone(),
        original: tool.original.clone(),
        effect: tool.effect,
        provider_executed: tool.provider_executed,
    }))
}

/// Reads what [`serialize`] wrote.
///
/// # Errors
/// Those of the deserializer.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<Offer>, D::Error> {
    let offered: Vec<Offered> = Vec::deserialize(deserializer)?;
    Ok(Arc::new(Offer::new(offered.into_iter().map(|it| Tool {
        original: it.original,
        effect: it.effect,
        provider_executed: it.provider_executed,
        ..Tool::new(&it.name)
    }))))
}
