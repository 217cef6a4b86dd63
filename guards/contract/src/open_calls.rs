//! The calls of an answer that wait for their results.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::completion::ToolCall;
use crate::entry::{Entry, ToolResult};

/// Calls of one answer that have no result yet. Results come in any order; of calls with the same id, a result answers
/// the first one. One with an id that no call has answers the first call without an id: clients may name such results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenCalls {
    calls: Vec<Option<Arc<ToolCall>>>,
    /// Where the calls of each id are.
    places: BTreeMap<Arc<str>, VecDeque<usize>>,
}

impl OpenCalls {
    /// None of these calls has a result.
    #[must_use]
    pub fn new(calls: &[Arc<ToolCall>]) -> Self {
        let mut places: BTreeMap<_, VecDeque<_>> = BTreeMap::new();
        for (at, call) in calls.iter().enumerate() {
            places.entry(call.id.clone()).or_default().push_back(at);
        }
        Self { calls: calls.iter().cloned().map(Some).collect(), places }
    }

    /// The call that a result with this id answers, which waits no more; `None` if no such call waits.
    pub fn answered(&mut self, id: &str) -> Option<Arc<ToolCall>> {
        self.answered_at(id).map(|(_, call)| call)
    }

    /// The same, with the place of the call in its answer.
    pub fn answered_at(&mut self, id: &str) -> Option<(usize, Arc<ToolCall>)> {
        let id = if self.places.contains_key(id) { id } else { "" };
        let at = self.places.get_mut(id)?.pop_front()?;
        Some((at, self.calls[at].take()?))
    }

    /// The calls that still wait, in their order, each with a result that says that it was lost. None waits afterwards.
    pub fn lost(&mut self) -> impl Iterator<Item = Entry> + use<> {
        let lost = std::mem::take(self).calls.into_iter().flatten();
        lost.map(|it| Entry::Result(ToolResult::lost(&it)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::completion::RawCall;
    use crate::offer::Offer;

    fn call((id, tool): (&str, &str)) -> Arc<ToolCall> {
        let raw = RawCall { id: id.into(), tool: tool.into(), arguments: "{}".into() };
        Arc::new(ToolCall::new(raw, &Offer::default()))
    }

    #[test]
    fn a_result_may_have_an_id_where_its_call_has_none() {
        let mut open = OpenCalls::new(&[("", "one"), ("a", "two"), ("", "three")].map(call));
        let found = ["x", "a", "a", "y", "z"].map(|id| open.answered_at(id).map(|(at, _)| at));
        assert_eq!(found, [Some(0), Some(1), None, Some(2), None]);
    }

    #[test]
    fn a_result_answers_the_first_call_of_its_id_in_any_order() {
        let calls = [("a", "one"), ("b", "two"), ("a", "three"), ("c", "four"), ("a", "five")].map(call);
        let mut open = OpenCalls::new(&calls);
        let mut answered = |id: &str| open.answered(id).map(|it| it.tool.to_string());
        let tools = ["b", "a", "b", "a", "x"].map(&mut answered);
        assert_eq!(
            tools,
            [Some("two"), Some("one"), None, Some("three"), None].map(|it| it.map(str::to_owned))
        );
        let lost = |open: &mut OpenCalls| -> Vec<Entry> { open.lost().collect() };
        let expected = [&calls[3], &calls[4]].map(|it| Entry::Result(ToolResult::lost(it)));
        assert_eq!(lost(&mut open), expected);
        assert_eq!((lost(&mut open), open.answered("a")), (Vec::new(), None));
    }
}
