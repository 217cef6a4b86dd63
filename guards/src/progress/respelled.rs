//! A failure that comes back from call to call of one tool, though the command has another spelling each time and
//! something was changed in between: `npm test`, `npx jest`, `npm run test | tail`. Each call alone has failed once or
//! twice; the failure is the same one.
//!
//! A failure counts only while the tool meets no other one: a row of other errors is getting on. The next item of a
//! batch that is refused like the one before (one number or one name is another) is not counted. With nothing changed
//! in between, a call counts only if it is the same command with more words or fewer (`cd . && make`, `env CI=1 make`):
//! another command may be a look for the cause. So it is of a failure that names nothing or may pass, whatever was
//! changed; and to wait before the next try is no other spelling. A program is another one with the same words.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::look::{differing, is_another_name, is_counted, renamed};
use super::program::is_program;
use super::question::is_same_command;
use crate::arguments::{beginning, save_beginning};
use crate::failure::{Failure, pauses};
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
    /// Whether it names something, and is not expected to pass.
    is_firm: bool,
    /// The last of these calls.
    call: CallKey,
    #[serde(serialize_with = "save_beginning")]
    arguments: Arc<str>,
    /// The first of them.
    #[serde(serialize_with = "save_beginning")]
    first: Arc<str>,
    /// Whether another call met it before.
    has_others: bool,
    /// How often it was met after something may have been changed, or in another spelling, and when last.
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
        let is_firm = failure.specific && failure.prospect != Prospect::Passing;
        let at = self.0.iter().position(|it| it.tool == call.tool_key);
        let before = at.map(|at| self.0.remove(at));
        let same = before.filter(|it| it.failure == said);
        let counts = |it: &Met| it.goes_on_in(call, changes);
        let seen = same.as_ref().map_or(1, |it| it.seen.saturating_add(u32::from(counts(it))));
        let has_others = same.as_ref().is_some_and(|it| it.has_others || it.call != call.key);
        if self.0.len() == TOOLS {
            self.0.remove(0);
        }
        let (tool, arguments) = (call.tool_key, call.arguments.clone());
        let first = same.map_or_else(|| arguments.clone(), |it| it.first);
        let call = call.key;
        self.0.push(Met {
            tool,
            failure: said,
            is_firm,
            call,
            arguments,
            first,
            has_others,
            seen,
            turn,
            changes,
        });
    }

    /// A call that met this failure meets it no more.
    pub(super) fn ended(&mut self, failure: ResultKey) {
        self.0.retain(|it| it.failure != failure);
    }

    /// The failure that calls of this tool meet in several spellings, how often, and when last, if this call fails so
    /// and is another spelling or the last one. `changes` is how many there were before it.
    pub(super) fn by(
        &self,
        call: &ToolCall,
        changes: u64,
        fails_so: impl FnOnce(ResultKey) -> bool,
    ) -> Option<(ResultKey, u32, u64)> {
        let met = self.0.iter().find(|it| it.tool == call.tool_key)?;
        let has_others = met.has_others || met.call != call.key;
        // To compare words costs most.
        let goes_on = has_others && fails_so(met.failure) && met.goes_on_in(call, changes);
        goes_on.then_some((met.failure, met.seen, met.turn))
    }

    /// Whether this call met it last.
    pub(super) fn was_last(&self, call: &ToolCall) -> bool {
        self.0.iter().any(|it| it.call == call.key)
    }
}

impl Met {
    /// Whether this call is made again after a change, or is another spelling of the last one.
    fn goes_on_in(&self, call: &ToolCall, changes: u64) -> bool {
        let is_respelling =
            |of: &str| of != &*call.arguments && is_same_command(beginning(of), beginning(&call.arguments));
        let is_respelled = || {
            self.call != call.key
                && !is_program(call)
                && (self.is_firm || !pauses(call))
                && (is_respelling(&self.first) || is_respelling(&self.arguments))
        };
        (self.is_firm && self.changes != changes || is_respelled()) && !self.has_next_item_in(call)
    }

    /// Whether this call is about the next number or name.
    fn has_next_item_in(&self, call: &ToolCall) -> bool {
        let (before, after) = (beginning(&self.arguments), beginning(&call.arguments));
        let (one, other) = differing(before, after);
        before != after && (is_counted(before, after) || renamed(one, other).is_some_and(is_another_name))
    }
}
