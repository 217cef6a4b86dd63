//! Finds a period at the end of a growing text: a stretch that comes again and again, back to back.
//!
//! A seeker keeps one place of the text, its *anchor*, and looks for the bytes there in what follows. Where they come
//! again, the distance is a candidate, and from there on each byte is compared with the one a period before. If they
//! differ, the seeker begins anew around the difference, where the text is least like itself. If the anchor does not
//! come again within the seeker's reach, the seeker takes a newer one. So each byte is searched or compared once, and a
//! period of at most the reach is found before the text has gone on for the reach and one period.

use super::recent::Recent;
use crate::search::find;
use crate::similarity::{common_prefix, common_suffix};

/// Bytes of an anchor: long enough to be rare, short enough for one vector.
const ANCHOR: usize = 32;
/// Bytes before an anchor that are looked at, to find where a run begins. Fewer than are kept, so what is found does
/// not depend on how much is kept.
const BACK: usize = 8 * 1_024;

/// Looks for one period at a time.
#[derive(Clone, Debug)]
pub(super) struct Seeker {
    /// The longest period, in bytes.
    reach: usize,
    /// Where the anchor begins.
    anchor: usize,
    /// Where the search goes on.
    next: usize,
    run: Option<Run>,
}

/// A stretch in which each byte is the one a period before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// In bytes.
    pub(super) period: usize,
    /// Where the second copy begins.
    pub(super) from: usize,
    /// Where the text was compared last.
    pub(super) to: usize,
}

impl Run {
    /// Its bytes, with those of the first copy.
    pub(super) fn bytes(self) -> usize {
        self.to - self.from + self.period
    }
}

impl Seeker {
    pub(super) fn new(reach: usize) -> Self {
        Self { reach, anchor: 0, next: 1, run: None }
    }

    pub(super) fn begin_anew(&mut self) {
        *self = Self::new(self.reach);
    }

    /// The run that the text ends with, if it ends with one.
    pub(super) fn run(&self) -> Option<Run> {
        self.run
    }

    /// Reads the text up to `end`.
    pub(super) fn read(&mut self, text: &Recent, end: usize) {
        loop {
            if let Some(run) = &mut self.run {
                let (after, before) =
                    (text.span(run.to, end), text.span(run.to - run.period, end - run.period));
                run.to += common_prefix(after, before);
                if run.to == end {
                    return;
                }
                self.anchor = run.to.saturating_sub(ANCHOR / 2);
                self.next = self.anchor + 1;
                self.run = None;
            }
            if !self.find(text, end) {
                if end >= self.anchor + self.reach {
                    self.anchor = end.saturating_sub(ANCHOR);
                    self.next = self.anchor + 1;
                }
                return;
            }
        }
    }

    /// Looks for the anchor; true if it came again.
    fn find(&mut self, text: &Recent, end: usize) -> bool {
        let (from, to) = (self.next, self.anchor + ANCHOR);
        if to >= end || from + ANCHOR > end {
            return false;
        }
        let found = find(text.span(from, end), text.span(self.anchor, to));
        self.next = match found {
            Some(at) => from + at,
            None => end + 1 - ANCHOR,
        };
        let Some(at) = found.map(|at| from + at) else { return false };
        let period = at - self.anchor;
        // What lies before the anchor belongs to the run as far as it fits.
        let oldest = self.anchor.saturating_sub(BACK).max(text.oldest());
        let (after, before) = (text.span(oldest + period, at), text.span(oldest, self.anchor));
        let from = at - common_suffix(after, before);
        self.run = Some(Run { period, from, to: at + ANCHOR });
        true
    }
}

/// The shortest period of a stretch that repeats as a whole: a part of it, as often as it fits.
pub(super) fn shortest(unit: &[u8]) -> usize {
    let divides =
        |part: &usize| unit.len().is_multiple_of(*part) && unit[*part..] == unit[..unit.len() - part];
    (1..=unit.len() / 2).find(divides).unwrap_or(unit.len())
}
