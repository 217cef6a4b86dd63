//! The calls of an answer that wait for their results.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::completion::ToolCall;
use crate::entry::{Entry, ToolResult};

/// Calls of one answer that have no result yet. Results come in any order; of calls with the same id, a result answers
/// the first one.
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

    /// The call that a result with this id answers, which waits no more; `None` if no call of this id waits.
    pub fn answered(&mut self, id: &str) -> Option<Arc<ToolCall>> {
        self.place(id).and_then(|at| self.calls[at].take())
    }

    /// Where the call is that a result with this id answers.
    pub(crate) fn place(&mut self, id: &str) -> Option<usize> {
        self.places.get_mut(id)?.pop_front()
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

    #[test]
    fn a_result_answers_the_first_call_of_its_id_in_any_order() {
        let call = |(id, tool): (&str, &str)| {
            let raw = RawCall { id: id.into(), tool: tool.into(), arguments: "{}".into() };
            Arc::new(ToolCall::new(raw, &Offer::default()))
        };
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
