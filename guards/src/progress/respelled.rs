//! A failure that comes back from call to call of one tool, though the command has another spelling each time and
//! something was changed in between: `npm test`, `npx jest`, `npm run test | tail`. Each call alone has failed once or
//! twice; the failure is the same one.
//!
//! Only a failure that names something counts, and only while the tool meets no other one: a row of other errors is
//! getting on. The next item of a batch that is refused like the one before (one number or one name is another) is not
//! counted.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::look::{differing, is_another_name, is_counted, renamed};
use crate::arguments::{beginning, save_beginning};
use crate::failure::Failure;
use balk_contract::key::{CallKey, ToolKey};
use balk_contract::reading::Prospect;
use balk_contract::{ResultKey, ToolCall};

/// Tools that are remembered; the one that failed longest ago is forgotten first.
const TOOLS: usize = 4;

/// The last failure of each of the last tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Respelled(Vec<Met>);

/// A failure that calls of one tool met, one after another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Met {
    tool: ToolKey,
    failure: ResultKey,
    /// The last of these calls.
    call: CallKey,
    #[serde(serialize_with = "save_beginning")]
    arguments: Arc<str>,
    /// Whether another call met it before.
    has_others: bool,
    /// How often it was met after something may have been changed, and when last.
    seen: u32,
    turn: u64,
    changes: u64,
}

impl Respelled {
    /// Folds a failure of a call in this turn, in the form in which it is compared, after so many changes.
    pub(super) fn failed(
        &mut self,
        call: &ToolCall,
        (failure, said): (Failure, ResultKey),
        turn: u64,
        changes: u64,
    ) {
        if !failure.specific || failure.prospect == Prospect::Passing {
            return;
        }
        let at = self.0.iter().position(|it| it.tool == call.tool_key);
        let before = at.map(|at| self.0.remove(at));
        let same = before.filter(|it| it.failure == said);
        let counts = |it: &Met| it.changes != changes && !it.has_next_item_in(call);
        let seen = same.as_ref().map_or(1, |it| it.seen.saturating_add(u32::from(counts(it))));
        let has_others = same.is_some_and(|it| it.has_others || it.call != call.key);
        if self.0.len() == TOOLS {
            self.0.remove(0);
        }
        let (tool, arguments) = (call.tool_key, call.arguments.clone());
        self.0.push(Met { tool, failure: said, call: call.key, arguments, has_others, seen, turn, changes });
    }

    /// A call that met this failure meets it no more.
    pub(super) fn ended(&mut self, failure: ResultKey) {
        self.0.retain(|it| it.failure != failure);
    }

    /// The failure that calls of this tool meet in several spellings, how often, and when last, if this call is another
    /// spelling or the last one. `changes` is how many there were before it.
    pub(super) fn by(&self, call: &ToolCall, changes: u64) -> Option<(ResultKey, u32, u64)> {
        let met = self.0.iter().find(|it| it.tool == call.tool_key)?;
        let goes_on = (met.has_others || met.call != call.key) && met.changes != changes;
        (goes_on && !met.has_next_item_in(call)).then_some((met.failure, met.seen, met.turn))
    }

    /// Whether this call met it last.
    pub(super) fn was_last(&self, call: &ToolCall) -> bool {
        self.0.iter().any(|it| it.call == call.key)
    }
}

impl Met {
    /// Whether this call is about the next number or name.
    fn has_next_item_in(&self, call: &ToolCall) -> bool {
        let (before, after) = (beginning(&self.arguments), beginning(&call.arguments));
        let (one, other) = differing(before, after);
        before != after && (is_counted(before, after) || renamed(one, other).is_some_and(is_another_name))
    }
}
