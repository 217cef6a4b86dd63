//! The writes that failed: what they would have written, and whether a new one is nearly the same (spec D5).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::completion::ToolCall;
use crate::entry::{Entry, Origin, Status, ToolResult};
use crate::key::CallKey;
use crate::offer::Effect;
use crate::similarity::{Nearness, Profile, Ratio};

/// How many failed writes are kept, each of another file: an agent seldom works on more at once.
const DRAFTS: usize = 8;

/// The last failed writes, one for each tool and file; any change that may have been made empties it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Drafts {
    drafts: Vec<Draft>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Draft {
    tool: Arc<str>,
    /// The first of the calls that are nearly the same: their family goes under its name.
    family: CallKey,
    path: String,
    content: Profile<String>,
}

impl Drafts {
    /// The family that a call belongs to, if a write of the same tool to the same file failed, nothing was
    /// changed since, and what it writes is similar above the ratio. At most one full comparison.
    pub(crate) fn family_of(&self, call: &ToolCall, above: Ratio) -> Option<CallKey> {
        if !call.effect.is_known_change() || self.drafts.iter().all(|draft| draft.tool != call.tool) {
            return None;
        }
        let (path, content) = written(call)?;
        let draft = self.drafts.iter().find(|it| it.tool == call.tool && it.path == path)?;
        let near = draft.content.nearness(&Profile::new(content), above);
        (near == Nearness::Near).then_some(draft.family)
    }

    /// Folds one entry.
    pub(crate) fn observe(&mut self, entry: &Entry, above: Ratio) {
        match entry {
            Entry::Result(result) if result.origin != Origin::Synthetic => self.result(result, above),
            Entry::Compaction(_) => self.drafts.clear(),
            Entry::Start(_)
            | Entry::User(_)
            | Entry::Completion(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Result(_)
            | Entry::Intervention(_)
            | Entry::Answer(_)
            | Entry::End(_) => {}
        }
    }

    fn result(&mut self, result: &ToolResult, above: Ratio) {
        let call = &result.call;
        match result.status {
            Status::Error if result.origin == Origin::Executed => {
                if call.effect.is_known_change()
                    && let Some((path, content)) = written(call)
                {
                    self.keep(call, path, content, above);
                }
            }
            Status::Ok | Status::Error | Status::Unknown => {
                if call.effect != Effect::ReadOnly {
                    self.drafts.clear();
                }
            }
        }
    }

    fn keep(&mut self, call: &ToolCall, path: String, content: String, above: Ratio) {
        let at = self.drafts.iter().position(|it| it.tool == call.tool && it.path == path);
        let content = Profile::new(content);
        let before = at.map(|at| self.drafts.remove(at));
        let family = match before {
            // Where a chain of small changes ends is not where it began: each is compared with the last.
            Some(before) if before.content.nearness(&content, above) == Nearness::Near => before.family,
            Some(_) | None => call.key,
        };
        if self.drafts.len() == DRAFTS {
            self.drafts.remove(0);
        }
        self.drafts.push(Draft { tool: call.tool.clone(), family, path, content });
    }
}

/// The file that a call writes, and the longest text beside its name.
fn written(call: &ToolCall) -> Option<(String, String)> {
    let path = call.path()?;
    let Value::Object(members) = serde_json::from_str(&call.arguments).ok()? else { return None };
    let texts = members.into_iter().filter_map(|(_, value)| match value {
        Value::String(text) if text != path => Some(text),
        Value::String(_)
        | Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::Array(_)
        | Value::Object(_) => None,
    });
    let content = texts.max_by_key(String::len)?;
    Some((path, content))
}
