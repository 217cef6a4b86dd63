//! The tools that agents offer, read once: an agent sends the same ones with each request.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use balk_guards::wire::{Dialect, Outline, Tools, Unreadable};
use balk_guards::{Effect, Offer};
use xxhash_rust::xxh3::xxh3_128;

use crate::import::ToolTable;

/// The tools of all agents, with what their calls can change.
#[derive(Default)]
pub(super) struct Offers {
    table: ToolTable,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    offers: BTreeMap<(Dialect, u128), Arc<Offered>>,
    /// The length of their texts.
    bytes: usize,
}

/// The tools of an agent.
pub(super) struct Offered {
    pub(super) tools: Tools,
    /// Whether one of them is run by the agent.
    pub(super) has_own: bool,
    /// Those whose names and schemas alone say that they write.
    pub(super) guessed: Vec<String>,
}

/// The texts of tools that are known at most, in bytes. With more, all are forgotten. The tools of one agent have up to
/// 100 kB.
const MOST: usize = 16 << 20;

impl Offers {
    /// Where this table says what a tool's calls can change, it is believed.
    pub(super) fn new(table: ToolTable) -> Self {
        Self { table, known: Mutex::default() }
    }

    /// The tools of a request.
    ///
    /// # Errors
    /// It is no request of this dialect.
    pub(super) fn of(&self, dialect: Dialect, request: &Outline<'_>) -> Result<Arc<Offered>, Unreadable> {
        let text = request.tools_text();
        let key = (dialect, xxh3_128(text.as_bytes()));
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(it) = known().offers.get(&key) {
            return Ok(it.clone());
        }
        let offered = Arc::new(self.declared(request.tools()?));
        let mut known = known();
        known.bytes += text.len();
        if known.bytes > MOST {
            *known = Known { bytes: text.len(), ..Known::default() };
        }
        known.offers.insert(key, offered.clone());
        Ok(offered)
    }

    fn declared(&self, Tools { offer, names }: Tools) -> Offered {
        let mut guessed = Vec::new();
        let declared = offer.tools().iter().map(|tool| match self.table.get(&tool.original) {
            Some(it) => tool.clone().effect(it.effect).purpose(it.purpose),
            None if offer.seems_to_write(&tool.name) => {
                guessed.push(tool.original.to_string());
                tool.clone().effect(Effect::Write)
            }
            None => tool.clone(),
        });
        let tools = Tools { offer: Offer::new(declared).into(), names };
        let has_own = offer.tools().iter().any(|it| !it.provider_executed);
        Offered { tools, has_own, guessed }
    }
}
