//! What all requests of a proxy share.

use std::collections::VecDeque;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, PoisonError};

use balk_guards::wire::Dialect;

use super::counts::Counts;
use super::log::Log;
use super::offers::Offers;
use super::places::Places;
use super::spans::Spans;
use super::turn::Bounds;
use super::upstream::Upstream;
use crate::error::shown;
use crate::listen::Limits;

/// What all requests share.
pub(super) struct Shared {
    pub(super) upstream: Upstream,
    /// The places of all conversations; none if there are no guards.
    pub(super) places: Option<Places>,
    /// The only dialect whose requests are guarded; else all are.
    pub(super) api: Option<Dialect>,
    /// Whether guards only watch.
    pub(super) dry_run: bool,
    /// The tools of all agents.
    pub(super) offers: Offers,
    pub(super) bounds: Bounds,
    pub(super) limits: Limits,
    pub(super) log: Option<Log>,
    pub(super) counts: Arc<Counts>,
    /// Where spans go; none without a collector.
    pub(super) spans: Option<Spans>,
    /// How many bytes the bodies have whose requests are not answered yet, and their answers while they come.
    pub(super) bodies: Arc<AtomicUsize>,
    /// Guards that broke, and how.
    pub(super) faults: Mutex<Vec<String>>,
    /// Why the first request could not be read that could not.
    pub(super) unread: Mutex<Option<String>>,
    /// What users were told last.
    pub(super) told: Mutex<VecDeque<Arc<str>>>,
}

/// The most texts to users that are kept.
const TOLD: usize = 64;

/// The most faults that wait to be read.
const FAULTS: usize = 100;

impl Shared {
    /// A guard broke.
    pub(super) fn say(&self, fault: &str) {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        if faults.len() < FAULTS {
            faults.push(shown(fault).into_owned());
        }
    }

    /// A request passed unguarded, because it cannot be read.
    pub(super) fn notes_unread(&self, dialect: Dialect, why: &str) {
        let mut unread = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
        unread.get_or_insert_with(|| format!("a request of {dialect:?} cannot be read: {}", shown(why)));
    }

    /// Why the first request could not be read that could not.
    pub(super) fn unread(&self) -> Option<String> {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Users were told this.
    pub(super) fn tells(&self, texts: impl IntoIterator<Item = Arc<str>>) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.extend(texts);
        while told.len() > TOLD {
            told.pop_front();
        }
    }

    /// What users were told last, in order.
    pub(super) fn told(&self) -> Vec<Arc<str>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The guards that broke since the last call, and how.
    pub(super) fn faults(&self) -> Vec<String> {
        std::mem::take(&mut *self.faults.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
