//! **hermes-like**: a rule that looks at results and finds cycles, after the guardrails of hermes-agent as documented
//! at 06c25ac90b (`docs/peers.md#hermes-like`).
//!
//! | seen | the product | here |
//! |---|---|---|
//! | the same call failed, from the second time on | a warning | a note with the result |
//! | it failed five times | does not run it again | refused |
//! | any calls of one tool failed in a row, from three times on | a warning | a note |
//! | eight times, and the tool is not a shell | halts the run | the next completion is refused, the run ends |
//! | a read-only call gave the same answer, from the second time on | a warning | a note |
//! | five times | does not run it again | refused |
//! | the same call with the same result in a row, from three times on | a notice | a note |
//! | five times | halts the run | as above |
//! | two to four calls with their results in the same order, from three laps on | a notice | a note |
//! | five laps | halts the run | as above |
//! | an empty reply | a nudge, at most three times (PR #6488) | the request again, because an empty reply leaves nothing to answer |
//!
//! Tools that wait are exempt from everything except failures. A successful change clears the failures, so that a
//! test may run again after an edit; a success clears those of its call and its tool. Results are compared with
//! volatile parts masked, as the product strips its own. Refusing and halting can be turned off (`hard-stops`), as in
//! the product's interactive mode.
//!
//! *Left out*: stubs that replace repeated long results, limits of searches and sub-agents, and the difference
//! between a failure and a refusal by the user, which no result shows here. A tool's purpose identifies shells.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{Resends, note};
use super::memory::Recent;
use balk_contract::key::CallKey;
use balk_contract::{
    Answer, AttemptCause, AttemptFailure, Blocked, Completion, Decision, Effect, Entry, Guard, Intervention,
    InterventionKind, Note, Offer, Origin, Purpose, Recovery, ResultKey, Settlement, Status, Subject,
    ToolResult, Verdict,
};

/// Settings of the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HermesLikeSettings {
    /// Whether it refuses calls and ends runs, or only adds notes.
    pub hard_stops: bool,
}

impl Default for HermesLikeSettings {
    fn default() -> Self {
        Self { hard_stops: true }
    }
}

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct HermesLike {
    settings: HermesLikeSettings,
    state: State,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    /// Tools that run commands, and tools that wait.
    shells: Vec<Arc<str>>,
    waits: Vec<Arc<str>>,
    /// How often each call failed since it worked.
    failed: VecDeque<(CallKey, u32)>,
    /// How often each tool failed in a row.
    failing: BTreeMap<Arc<str>, u32>,
    /// The last answer of each read-only call, and how often in a row it came.
    answered: VecDeque<(CallKey, ResultKey, u32)>,
    ran: Recent<(CallKey, ResultKey), { LAPS_MAX * PERIOD_MAX }>,
    /// Why the run must end after the last result, if it must.
    halt: Option<Halt>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Halt {
    FailingTool,
    SameResult,
    Cycle,
}

const NAME: &str = "hermes-like";
const VERSION: u64 = 1;
const WARN: u32 = 2;
const BLOCK: u32 = 5;
const TOOL_WARN: u32 = 3;
const TOOL_HALT: u32 = 8;
const LAPS: usize = 3;
const LAPS_MAX: usize = 5;
const PERIOD_MAX: usize = 4;
const AGAIN: Resends = Resends { times: 3, first: 0, most: 0, jitter: 0 };
/// How many calls and tools are remembered.
const KEPT: usize = 64;

/// Appends one, and forgets the oldest if there are too many.
fn keep<T>(all: &mut VecDeque<T>, one: T) {
    while all.len() >= KEPT {
        all.pop_front();
    }
    all.push_back(one);
}

impl State {
    fn offer(&mut self, offer: &Offer) {
        let of = |purpose| {
            let tools = offer.tools().iter().filter(move |it| it.purpose == purpose);
            tools.map(|it| it.name.clone()).collect()
        };
        (self.shells, self.waits) = (of(Purpose::Shell), of(Purpose::Wait));
    }

    fn failed(&self, call: CallKey) -> u32 {
        self.failed.iter().find(|(key, _)| *key == call).map_or(0, |(_, count)| *count)
    }

    fn answered(&self, call: CallKey) -> u32 {
        self.answered.iter().find(|(key, ..)| *key == call).map_or(0, |(.., count)| *count)
    }

    fn waits(&self, tool: &str) -> bool {
        self.waits.iter().any(|it| **it == *tool)
    }

    /// The period with the most laps at the end (the shortest among equals; a single call counts as a period of one),
    /// and its laps.
    fn laps(&self) -> (usize, usize) {
        let laps = (1..=PERIOD_MAX).map(|period| (period, self.ran.laps(period)));
        laps.max_by_key(|(period, laps)| (*laps, std::cmp::Reverse(*period))).unwrap_or((1, 0))
    }

    fn result(&mut self, result: &ToolResult) {
        if result.origin != Origin::Executed {
            return;
        }
        let (call, tool) = (result.call.key, &result.call.tool);
        if result.status == Status::Error {
            let before = self.failed(call);
            self.failed.retain(|(key, _)| *key != call);
            keep(&mut self.failed, (call, before.saturating_add(1)));
            if self.failing.len() < KEPT || self.failing.contains_key(tool) {
                let failing = self.failing.entry(tool.clone()).or_default();
                *failing = failing.saturating_add(1);
            }
        } else if result.status == Status::Ok && result.call.effect.is_known_change() {
            self.failed.clear();
            self.failing.clear();
        } else {
            self.failed.retain(|(key, _)| *key != call);
            self.failing.remove(tool);
        }
        if !self.waits(tool) {
            let answer = result.text.key();
            if result.call.effect == Effect::ReadOnly && result.status != Status::Error {
                let before =
                    self.answered.iter().find(|it| (it.0, it.1) == (call, answer)).map_or(0, |it| it.2);
                self.answered.retain(|(key, ..)| *key != call);
                keep(&mut self.answered, (call, answer, before.saturating_add(1)));
            }
            self.ran.push((call, answer));
        }
        // If one call of a message ends the run, that is enough, whatever the others answer.
        self.halt = self.halt.or_else(|| self.halts(result));
    }

    fn halts(&self, result: &ToolResult) -> Option<Halt> {
        let tool = &result.call.tool;
        let is_shell = self.shells.contains(tool);
        if self.failing.get(tool).is_some_and(|count| *count >= TOOL_HALT) && !is_shell {
            return Some(Halt::FailingTool);
        }
        match self.laps() {
            _ if self.waits(tool) => None,
            (1, LAPS_MAX..) => Some(Halt::SameResult),
            (_, LAPS_MAX..) => Some(Halt::Cycle),
            _ => None,
        }
    }

    /// The note with the last result.
    fn notice(&self, result: &ToolResult) -> Option<Note> {
        let (call, tool) = (&result.call, &result.call.tool);
        let said = |rule, count, text| Some(note(NAME, rule, count, Subject::Call(call.key), text));
        let failed = self.failed(call.key);
        let failing = self.failing.get(tool).copied().unwrap_or(0);
        if failed >= WARN {
            let text = format!(
                "`{tool}` failed {failed} times with the same arguments. Look at the error and change the \
                 arguments or the approach."
            );
            return said("same-failure", failed, text);
        }
        if failing >= TOOL_WARN {
            let text =
                format!("`{tool}` failed {failing} times in a row. Find out why before it is called again.");
            return said("failing-tool", failing, text);
        }
        if self.waits(tool) {
            return None;
        }
        match self.laps() {
            (1, laps @ LAPS..) => {
                let text = format!("The same call of `{tool}` had the same result {laps} times in a row.");
                said("same-result", count(laps), text)
            }
            (period, laps @ LAPS..) => {
                let text = format!("The same {period} calls had the same results {laps} times in a row.");
                said("cycle", count(laps), text)
            }
            _ => {
                let answered = self.answered(call.key);
                let text =
                    format!("`{tool}` gave the same answer {answered} times. Use the answer that you have.");
                (answered >= WARN).then(|| said("no-progress", answered, text)).flatten()
            }
        }
    }
}

fn count(laps: usize) -> u32 {
    u32::try_from(laps).unwrap_or(u32::MAX)
}

impl HermesLike {
    /// A guard with these settings.
    #[must_use]
    pub fn new(settings: HermesLikeSettings) -> Self {
        Self { settings, state: State::default() }
    }
}

impl Guard for HermesLike {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Start(start) = entry {
            self.state.offer(&start.offer);
        }
        if let Entry::Result(result) = entry {
            self.state.result(result);
        }
        if let Entry::Intervention(Intervention { kind: InterventionKind::Stop, note, .. }) = entry
            && note.guard == NAME
        {
            self.state.halt = None;
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        if !self.settings.hard_stops {
            return Ok(Decision::pass());
        }
        if let Some(halt) = self.state.halt {
            let (rule, what) = match halt {
                Halt::FailingTool => ("failing-tool", "one tool fails again and again"),
                Halt::SameResult => ("same-result", "the same call has the same result again and again"),
                Halt::Cycle => ("cycle", "the same calls go round with the same results"),
            };
            let text = format!("Stopped: {what}.");
            return Ok(Verdict::Stop(note(NAME, rule, BLOCK, Subject::Run, text)).into());
        }
        let mut blocked = Vec::new();
        for (at, call) in completion.calls.iter().enumerate() {
            let (failed, answered) = (self.state.failed(call.key), self.state.answered(call.key));
            let (rule, text) = if failed >= BLOCK {
                ("same-failure", format!("`{}` failed {failed} times with these arguments.", call.tool))
            } else if answered >= BLOCK && !self.state.waits(&call.tool) {
                ("no-progress", format!("`{}` gave this answer {answered} times.", call.tool))
            } else {
                continue;
            };
            let text = format!("{text} It is not run again; change the approach.");
            let note = note(NAME, rule, BLOCK, Subject::Call(call.key), text);
            blocked.push(Blocked { call: at, note });
        }
        Ok(if blocked.is_empty() { Decision::pass() } else { Verdict::Block(blocked).into() })
    }

    fn settle(&self, _: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        let mut then = self.state.clone();
        let ran = results.iter().filter(|it| it.origin == Origin::Executed);
        let told = ran.filter_map(|result| {
            then.result(result);
            then.notice(result)
        });
        Ok(Settlement::Accept(told.collect()))
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        Ok(if failure.cause == AttemptCause::Empty { AGAIN.next(failure) } else { None })
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.state)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.state = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
