//! The reports read naively, as guards: what a quick implementation would do, there to be shown wrong.
//!
//! Self-contained, so that other test crates can include this file.

use std::collections::{BTreeMap, BTreeSet};

use balk_guards::{
    Answer, Blocked, CallKey, Completion, Decision, Entry, Guard, Note, Origin, Status, Subject, Verdict,
    fence,
};

/// A3 without its conditions: any tool failed once, at any time, and now there is a fence without a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct NaiveAbandonment {
    failures: BTreeMap<String, u32>,
}

impl Guard for NaiveAbandonment {
    fn name(&self) -> &'static str {
        "naive-abandonment"
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Result(result) = entry
            && result.origin == Origin::Executed
            && result.status == Status::Error
        {
            *self.failures.entry(result.call.tool.to_string()).or_default() += 1;
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let fenced = completion.texts().any(|text| fence::fences(text).next().is_some());
        let Some((tool, failures)) = self.failures.iter().max_by_key(|(_, failures)| **failures) else {
            return Ok(Decision::pass());
        };
        if !fenced || !completion.calls.is_empty() {
            return Ok(Decision::pass());
        }
        let text = format!("`{tool}` failed {failures} times. Use it instead of showing code.");
        Ok(Verdict::Retry(note("naive-abandonment", Subject::Tool(tool.as_str().into()), text)).into())
    }
}

/// D1 without its conditions: any call that was seen before is refused, for ever.
#[derive(Clone, Debug, Default)]
pub(crate) struct NaiveDuplicate {
    seen: BTreeSet<CallKey>,
}

impl Guard for NaiveDuplicate {
    fn name(&self) -> &'static str {
        "naive-duplicate"
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Result(result) = entry
            && result.origin == Origin::Executed
        {
            self.seen.insert(result.call.key);
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let blocked: Vec<_> = completion
            .calls
            .iter()
            .enumerate()
            .filter(|(_, call)| self.seen.contains(&call.key))
            .map(|(at, call)| {
                let text = format!("`{}` was already called with the same arguments.", call.tool);
                Blocked { call: at, note: note("naive-duplicate", Subject::Call(call.key), text) }
            })
            .collect();
        Ok(if blocked.is_empty() { Decision::pass() } else { Verdict::Block(blocked).into() })
    }
}

fn note(guard: &'static str, subject: Subject, text: String) -> Note {
    Note { guard: guard.into(), rule: "naive".into(), level: 1, subject, text: text.into() }
}
