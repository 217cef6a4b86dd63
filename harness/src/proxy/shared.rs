//! What all requests of a proxy share.

use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, PoisonError};

use balk_guards::wire::Dialect;

use super::counts::Counts;
use super::log::Log;
use super::places::Places;
use super::turn::Bounds;
use super::upstream::Upstream;
use crate::listen::Limits;
use crate::replay::ToolTable;

/// What all requests share.
pub(super) struct Shared {
    pub(super) upstream: Upstream,
    /// The places of all conversations; none if there are no guards.
    pub(super) places: Option<Places>,
    /// The only dialect whose requests are guarded; else all are.
    pub(super) api: Option<Dialect>,
    /// Whether guards only watch.
    pub(super) dry_run: bool,
    pub(super) tools: ToolTable,
    pub(super) bounds: Bounds,
    pub(super) limits: Limits,
    pub(super) log: Option<Log>,
    pub(super) counts: Counts,
    /// How many bytes the bodies have whose requests are not answered yet.
    pub(super) bodies: AtomicUsize,
    /// Guards that broke, and how.
    pub(super) faults: Mutex<Vec<String>>,
}

/// The most faults that wait to be read.
const FAULTS: usize = 100;

impl Shared {
    /// A guard broke.
    pub(super) fn say(&self, fault: &str) {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        if faults.len() < FAULTS {
            faults.push(fault.to_owned());
        }
    }

    /// The guards that broke since the last call, and how.
    pub(super) fn faults(&self) -> Vec<String> {
        std::mem::take(&mut *self.faults.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
