//! The results of a turn, as the guard was asked about them.

use std::collections::BTreeMap;

use balk_guards::ToolResult;

/// The results of a turn. Before it was run again, a call had its earlier result.
pub(super) struct Batch<'a> {
    /// The results at the end of the turn.
    last: &'a [&'a ToolResult],
    /// Where the results of a call are, by its id. Calls of one answer may have the same one.
    places: BTreeMap<&'a str, Vec<usize>>,
    /// The results as they are now.
    now: Vec<ToolResult>,
    /// For each of them, those that will take its place, the next one last.
    later: Vec<Vec<&'a ToolResult>>,
}

impl<'a> Batch<'a> {
    /// The results that the guard was asked about first. `tried` are the earlier ones, in the order in which others
    /// took their place.
    pub(super) fn new(tried: &[&'a ToolResult], last: &'a [&'a ToolResult]) -> Self {
        let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, it) in last.iter().enumerate() {
            places.entry(&it.call.id).or_default().push(at);
        }
        let later = last.iter().map(|it| vec![*it]).collect();
        let mut batch = Self { last, places, now: Vec::new(), later };
        for it in tried.iter().rev() {
            for at in batch.places_of(it) {
                batch.later[at].push(it);
            }
        }
        batch.now = batch.later.iter_mut().filter_map(Vec::pop).cloned().collect();
        batch
    }

    /// The results as they are now.
    pub(super) fn now(&self) -> &[ToolResult] {
        &self.now
    }

    /// The places that had this earlier result.
    pub(super) fn places_of(&self, tried: &ToolResult) -> Vec<usize> {
        let places = self.places.get(&*tried.call.id).map_or(&[][..], Vec::as_slice);
        places.iter().copied().filter(|at| is_earlier(tried, self.last[*at])).collect()
    }

    /// Puts what follows this earlier result into its place.
    pub(super) fn replace(&mut self, tried: &ToolResult) {
        for at in self.places_of(tried) {
            if let Some(next) = self.later[at].pop() {
                self.now[at] = next.clone();
            }
        }
    }
}

/// Whether a call had this result before its last one. Calls of one answer may have the same id, but not all were tried
/// so often.
fn is_earlier(tried: &ToolResult, last: &ToolResult) -> bool {
    tried.call == last.call && tried.tries < last.tries
}
