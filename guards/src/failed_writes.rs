//! The writes that failed: their content, and whether a new one is nearly the same (spec D5).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::change::Change;
use crate::similarity::{Nearness, Profile, Ratio};
use balk_contract::key::CallKey;
use balk_contract::{Entry, Origin, Status, ToolCall, ToolResult};

/// How many failed writes are kept, each for a different file: an agent seldom works on more at once.
const WRITES: usize = 8;

/// The last failed writes, one for each tool and file; any possible change clears the list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FailedWrites {
    writes: Vec<FailedWrite>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FailedWrite {
    tool: Arc<str>,
    /// The first of the nearly identical calls: its key names their family.
    family: CallKey,
    /// The last of them.
    last: CallKey,
    path: String,
    /// All arguments except the content: a write to another place, or that replaces another text, is another write.
    beside: CallKey,
    /// The longest text among the arguments.
    content: Profile<String>,
}

/// What a call would write; the members are as in [`FailedWrite`].
struct Written {
    path: String,
    beside: CallKey,
    content: Profile<String>,
}

impl FailedWrites {
    /// The family of a call, if a write of the same tool to the same file failed, nothing has changed since, and the
    /// similarity of the content is above the ratio. Makes at most one full comparison.
    pub(crate) fn family_of(&self, call: &ToolCall, above: Ratio) -> Option<CallKey> {
        if !call.effect.is_known_change() || self.writes.iter().all(|it| it.tool != call.tool) {
            return None;
        }
        let written = written(call)?;
        let before = self.writes.iter().find(|it| it.is_of(call, &written))?;
        before.is_near(&written, above).then_some(before.family)
    }

    /// The family of a call that is the last write of its file and failed.
    pub(crate) fn family_of_last(&self, call: CallKey) -> Option<CallKey> {
        self.writes.iter().find(|it| it.last == call).map(|it| it.family)
    }

    /// Folds one entry.
    pub(crate) fn observe(&mut self, entry: &Entry, above: Ratio) {
        match entry {
            Entry::Result(result) => self.result(result, above),
            Entry::Compaction(_) => self.writes.clear(),
            Entry::Start(_)
            | Entry::User(_)
            | Entry::Completion(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Intervention(_)
            | Entry::Answer(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }

    fn result(&mut self, result: &ToolResult, above: Ratio) {
        let call = &result.call;
        if Change::of(result) != Change::Nothing {
            self.writes.clear();
        } else if (result.origin, result.status) == (Origin::Executed, Status::Error)
            && call.effect.is_known_change()
            && let Some(written) = written(call)
        {
            self.keep(call, written, above);
        }
    }

    fn keep(&mut self, call: &ToolCall, written: Written, above: Ratio) {
        let at = self.writes.iter().position(|it| it.is_of(call, &written));
        let before = at.map(|at| self.writes.remove(at));
        let family = match before {
            // A chain of small changes can lead far from its start, so each write is compared with the last one.
            Some(before) if before.is_near(&written, above) => before.family,
            Some(_) | None => call.key,
        };
        if self.writes.len() == WRITES {
            self.writes.remove(0);
        }
        let Written { path, beside, content } = written;
        let tool = call.tool.clone();
        self.writes.push(FailedWrite { tool, family, last: call.key, path, beside, content });
    }
}

impl FailedWrite {
    /// Whether the call uses the same tool on the same file.
    fn is_of(&self, call: &ToolCall, written: &Written) -> bool {
        self.tool == call.tool && self.path == written.path
    }

    fn is_near(&self, written: &Written, above: Ratio) -> bool {
        self.beside == written.beside && self.content.nearness(&written.content, above) == Nearness::Near
    }
}

fn written(call: &ToolCall) -> Option<Written> {
    let path = call.path()?;
    let Value::Object(mut members) = serde_json::from_str(&call.arguments).ok()? else { return None };
    let texts = members.iter().filter_map(|(name, value)| Some((name, value.as_str()?)));
    let (name, _) = texts.filter(|(_, text)| *text != path).max_by_key(|(_, text)| text.len())?;
    let name = name.clone();
    let Some(Value::String(content)) = members.remove(&name) else { return None };
    let beside = CallKey::of(&call.tool, &Value::Object(members).to_string());
    Some(Written { path, beside, content: Profile::new(content) })
}
