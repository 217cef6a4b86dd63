//! A provider's own answer with some of its calls taken out or mended, or with text below its own. What `Completion`
//! does not hold (ids of items, signatures of calls, what tools of the provider did, counts of cached tokens) stays as
//! the provider sent it, because clients send it back and providers check it.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::names::Names;
use crate::completion::{Completion, FinishReason, Part, ToolCall, Usage};
use crate::offer::Offer;

/// What is changed in an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amendment {
    /// What becomes of each of its calls, in their order.
    pub calls: Vec<CallChange>,
    /// What is said below its own text, if anything.
    pub text: String,
    /// How many bytes of it, if it is a stream, its client has already. What is new comes behind them.
    pub sent: usize,
}

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallChange {
    /// It stays as it is.
    Stays,
    /// It is taken out.
    Goes,
    /// It is this one.
    Becomes(Arc<ToolCall>),
}

impl Amendment {
    /// The text, if there is one.
    pub(super) fn text(&self) -> Option<&str> {
        Some(&*self.text).filter(|it| !it.is_empty())
    }

    /// What becomes of parts of an answer, of which these are calls. `None` if they are not as many as change.
    pub(super) fn fates(
        &self,
        are_calls: impl IntoIterator<Item = bool>,
    ) -> Option<Vec<Option<&CallChange>>> {
        let mut changes = self.calls.iter();
        let fate = |is_call| if is_call { changes.next().map(Some) } else { Some(None) };
        let fates: Option<Vec<_>> = are_calls.into_iter().map(fate).collect();
        fates.filter(|_| changes.next().is_none())
    }

    /// Whether an answer that was `before` is `after` with this change. Blank texts are dropped and neighbouring texts
    /// are one in some streams, so white space does not count.
    pub(super) fn is_done(&self, before: &Completion, after: &Completion, names: &Names) -> bool {
        let counts = |it: &char| !it.is_whitespace();
        let said =
            |it: &'_ Completion| -> String { it.texts().flat_map(|it| it.chars()).filter(counts).collect() };
        let text: String = self.text.chars().filter(counts).collect();
        let fates = before.calls.iter().zip(&self.calls).filter_map(|(call, change)| match change {
            CallChange::Stays => Some((&*call.id, &*call.tool, &*call.arguments)),
            CallChange::Goes => None,
            CallChange::Becomes(new) => Some((&*new.id, name(new, names), &*new.arguments)),
        });
        let calls = after.calls.iter().map(|it| (&*it.id, &*it.tool, &*it.arguments));
        before.calls.len() == self.calls.len() && fates.eq(calls) && said(before) + &text == said(after)
    }

    /// A completion that has the text alone.
    pub(super) fn said(&self) -> Completion {
        let text = Part::Text(self.text.as_str().into());
        Completion::new([text], [], FinishReason::Stop, Usage::default(), &Offer::default())
    }
}

impl CallChange {
    pub(super) fn is_gone(&self) -> bool {
        matches!(self, Self::Goes)
    }

    /// What it becomes, if that is another call.
    pub(super) fn call(&self) -> Option<&ToolCall> {
        match self {
            Self::Stays | Self::Goes => None,
            Self::Becomes(call) => Some(call),
        }
    }
}

/// How a call's tool is called on the wire.
pub(super) fn name<'a>(call: &'a ToolCall, names: &'a Names) -> &'a str {
    names.called(&call.tool).map_or(&*call.tool, |it| &*it.name)
}

/// The parts of a stream, by their indices, and what becomes of those that are calls.
#[derive(Default)]
pub(super) struct Places<'c> {
    fates: BTreeMap<u64, Option<&'c CallChange>>,
    /// The indices of the calls that are taken out.
    gone: Vec<u64>,
}

impl<'c> Places<'c> {
    /// The places of parts, with whether each is a call.
    pub(super) fn of(parts: BTreeMap<u64, bool>, change: &'c Amendment) -> Option<Self> {
        let fates = change.fates(parts.values().copied())?;
        let fates: BTreeMap<_, _> = parts.into_keys().zip(fates).collect();
        let is_gone = |fate: &Option<&CallChange>| fate.is_some_and(CallChange::is_gone);
        let gone = fates.iter().filter(|(_, fate)| is_gone(fate)).map(|(at, _)| *at).collect();
        Some(Self { fates, gone })
    }

    pub(super) fn change(&self, at: u64) -> Option<&'c CallChange> {
        self.fates.get(&at).copied().flatten()
    }

    pub(super) fn is_gone(&self, at: u64) -> bool {
        self.gone.binary_search(&at).is_ok()
    }

    /// The place behind all of them.
    pub(super) fn end(&self) -> u64 {
        self.fates.last_key_value().map_or(0, |(at, _)| at.saturating_add(1))
    }

    /// Where a part is once those before it are gone.
    pub(super) fn moved(&self, at: u64) -> u64 {
        behind(&self.gone, at)
    }
}

/// An index without those that are gone before it, which are in order.
pub(super) fn behind(gone: &[u64], at: u64) -> u64 {
    let before = gone.partition_point(|it| *it < at);
    at.saturating_sub(u64::try_from(before).unwrap_or(u64::MAX))
}
