//! The tools that agents offer, read once: an agent sends the same ones with each request.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};

use balk_guards::wire::{Dialect, Outline, Tools, Unreadable};
use balk_guards::{Effect, Offer};
use xxhash_rust::xxh3::xxh3_128;

use super::size;
use crate::import::ToolTable;
use crate::listen::Held;

/// The tools of all agents, with what their calls can change.
pub(super) struct Offers {
    table: ToolTable,
    known: Mutex<Known>,
    /// About how many bytes are kept, and the most that may be.
    kept: Arc<AtomicUsize>,
    most: usize,
}

#[derive(Default)]
struct Known {
    offers: BTreeMap<(Dialect, u128), Arc<Offered>>,
    /// About how many bytes they take.
    bytes: usize,
}

/// The tools of an agent.
pub(super) struct Offered {
    pub(super) tools: Tools,
    /// Whether one of them is run by the agent.
    pub(super) has_own: bool,
    /// Those whose names and schemas alone say that they write.
    pub(super) guessed: Vec<String>,
    /// What they take, for as long as a run has them.
    _held: Held,
}

/// Which part of all that may be kept the known tools have: 16 MiB by default. With more, all are forgotten that no run
/// has. The texts of one agent's tools have up to 100 kB.
const PART: usize = 64;

impl Offers {
    /// Where this table says what a tool's calls can change, it is believed. What is kept is counted in `kept`, and may
    /// be `most` bytes, with all else that is.
    pub(super) fn new(table: ToolTable, kept: Arc<AtomicUsize>, most: usize) -> Self {
        Self { table, known: Mutex::default(), kept, most }
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
        let tools = request.tools()?;
        let bytes = size::of_tools(&tools.offer, text);
        let held = Held::new(&self.kept, self.most);
        held.takes(bytes);
        let offered = Arc::new(self.declared(tools, held));
        let mut known = known();
        known.bytes += bytes;
        if known.bytes > self.most / PART {
            *known = Known { bytes, ..Known::default() };
        }
        known.offers.insert(key, offered.clone());
        Ok(offered)
    }

    fn declared(&self, Tools { offer, names }: Tools, held: Held) -> Offered {
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
        Offered { tools, has_own, guessed, _held: held }
    }
}
