//! **hermes-like**: a rule that looks at results and finds cycles, after the guardrails of hermes-agent, read line by
//! line at 06c25ac90b (`docs/peers.md#hermes-like`). The product tells tools by its own names; here their declared
//! effects and purposes say what they are, beside those names.
//!
//! | seen in one turn of the user | the product | here |
//! |---|---|---|
//! | the same call failed, from the second time on | a warning with the result | a note with the result |
//! | it failed five times | does not run it again, and ends the turn | refused; the next completion is refused, the run ends |
//! | calls of one tool failed, from three times on | a warning | a note |
//! | eight times, and failures are not normal for the tool, as for a shell | ends the turn | the next completion is refused, the run ends |
//! | a read-only call gave the same answer, from the second time on | a warning | a note |
//! | five times | does not run it again, and ends the turn | as above |
//! | the same call with the same result in a row, from three times on | a notice | a note |
//! | five times | ends the turn | as above |
//! | two to four calls with their results in the same order, from three laps on | a notice | a note |
//! | five laps | ends the turn | as above |
//! | an empty reply | a nudge, at most three times (PR #6488) | the request again, because an empty reply leaves nothing to answer |
//!
//! A result can have a warning and a notice. Tools that wait are exempt from notices of equal results, and so is a
//! cycle of nothing else. A successful change, of a shell, too, clears the failures, so that a test may run again after
//! an edit; a success clears those of its call and its tool. Results are compared byte by byte, or as JSON; only in
//! those of `execute_code` are the duration and the execution counter of the kernel ignored, so that a clock in any
//! other answer hides a loop. A message of the user begins anew. Refusing and halting can be turned off (`hard-stops`),
//! as in the product's interactive mode.
//!
//! *Different*: the product's guardrails never see calls of unknown tools, nor calls whose arguments are no JSON
//! object. Here they count as failures.
//!
//! *Left out*: stubs that replace repeated long results, limits of searches and sub-agents, and the difference
//! between a failure and a refusal by the user, which no result shows here.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{Resends, is_from_user, note};
use super::memory::{Fingerprint, Recent};
use super::messages::fill;
use super::messages::hermes_like as said;
use balk_contract::key::CallKey;
use balk_contract::{
    Answer, AttemptCause, AttemptFailure, Blocked, Completion, Decision, Effect, Entry, Guard, Intervention,
    InterventionKind, Note, Offer, Origin, Purpose, Recovery, Settlement, Status, Subject, ToolCall,
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
    turn: Turn,
}

/// What happened since the user spoke.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Turn {
    /// How often each call failed since it worked.
    failed: VecDeque<(CallKey, u32)>,
    /// How often each tool failed since it worked.
    failing: BTreeMap<Arc<str>, u32>,
    /// The last answer of each read-only call, and how often in a row it came.
    answered: VecDeque<(CallKey, Fingerprint, u32)>,
    ran: Recent<Ran, { LAPS_MAX * PERIOD_MAX }>,
    /// Why the turn must end, if it must.
    halt: Option<Halt>,
}

/// A call with its result; the last is whether the tool waits.
type Ran = (CallKey, Fingerprint, bool);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Halt {
    Refused,
    FailingTool,
    SameResult,
    Cycle,
}

const NAME: &str = "hermes-like";
const VERSION: u64 = 2;
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
/// The product's own tools whose failures are normal, beside shells.
const TOLERATED: [&str; 6] =
    ["terminal", "execute_code", "process_manage", "process", "browser_navigate", "web_extract"];
/// The product's own tools whose success counts as progress, beside shells and what is known to change something.
const PROGRESS: [&str; 18] = [
    "write_file",
    "patch",
    "terminal",
    "execute_code",
    "browser_click",
    "browser_type",
    "browser_press",
    "browser_navigate",
    "process_manage",
    "process",
    "delegate_task",
    "send_message",
    "cronjob",
    "cronjob_manage",
    "todo",
    "todo_list",
    "memory",
    "skill_manage",
];
/// Its pollers: this tool, and others by the end of their names.
const POLLER: &str = "process_manage";
const POLLERS: [&str; 2] = ["_get_result", "_poll"];
/// The tool whose results have a clock and a counter.
const KERNEL: &str = "execute_code";

/// Appends one, and forgets the oldest if there are too many.
fn keep<T>(all: &mut VecDeque<T>, one: T) {
    while all.len() >= KEPT {
        all.pop_front();
    }
    all.push_back(one);
}

/// The result as the product compares it.
fn fingerprint(result: &ToolResult) -> Fingerprint {
    let Ok(mut value) = serde_json::from_str::<Value>(&result.text) else {
        return Fingerprint::of([&*result.text]);
    };
    if &*result.call.tool == KERNEL
        && let Some(members) = value.as_object_mut()
    {
        members.remove("duration_seconds");
        if let Some(kernel) = members.get_mut("kernel").and_then(Value::as_object_mut) {
            kernel.remove("execution_count");
        }
    }
    Fingerprint::of(["", &*value.to_string()])
}

fn ordinal(count: u32) -> String {
    let end = match (count % 100, count % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{count}{end}")
}

fn count(laps: usize) -> u32 {
    u32::try_from(laps).unwrap_or(u32::MAX)
}

impl Turn {
    fn failed(&self, call: CallKey) -> u32 {
        self.failed.iter().find(|(key, _)| *key == call).map_or(0, |(_, count)| *count)
    }

    fn answered(&self, call: CallKey) -> u32 {
        self.answered.iter().find(|(key, ..)| *key == call).map_or(0, |(.., count)| *count)
    }

    fn fails(&mut self, call: &ToolCall) {
        let before = self.failed(call.key);
        self.failed.retain(|(key, _)| *key != call.key);
        keep(&mut self.failed, (call.key, before.saturating_add(1)));
        self.answered.retain(|(key, ..)| *key != call.key);
        if self.failing.len() < KEPT || self.failing.contains_key(&call.tool) {
            let failing = self.failing.entry(call.tool.clone()).or_default();
            *failing = failing.saturating_add(1);
        }
    }

    fn answers(&mut self, call: CallKey, answer: Fingerprint) {
        let before = self.answered.iter().find(|it| (it.0, it.1) == (call, answer)).map_or(0, |it| it.2);
        self.answered.retain(|(key, ..)| *key != call);
        keep(&mut self.answered, (call, answer, before.saturating_add(1)));
    }

    /// How often in a row the last call had the last result.
    fn same(&self) -> usize {
        self.ran.laps(1)
    }

    /// The shortest period from two to four with three laps or more at the end, and its laps.
    fn cycle(&self) -> Option<(usize, usize)> {
        let long = |period: &usize| self.ran.laps(*period) >= LAPS;
        let moves = |period: &usize| self.ran.iter().rev().take(*period).any(|(.., waits)| !waits);
        (2..=PERIOD_MAX).filter(long).find(moves).map(|period| (period, self.ran.laps(period)))
    }
}

impl State {
    fn offer(&mut self, offer: &Offer) {
        let of = |purpose| {
            let tools = offer.tools().iter().filter(move |it| it.purpose == purpose);
            tools.map(|it| it.name.clone()).collect()
        };
        (self.shells, self.waits) = (of(Purpose::Shell), of(Purpose::Wait));
    }

    fn is_shell(&self, tool: &str) -> bool {
        self.shells.iter().any(|it| **it == *tool)
    }

    fn waits(&self, tool: &str) -> bool {
        let is_known = self.waits.iter().any(|it| **it == *tool);
        is_known || tool == POLLER || POLLERS.iter().any(|end| tool.ends_with(end))
    }

    fn reads(&self, call: &ToolCall) -> bool {
        call.effect == Effect::ReadOnly && !self.is_shell(&call.tool) && !self.waits(&call.tool)
    }

    fn is_progress(&self, call: &ToolCall) -> bool {
        call.effect.is_known_change() || self.is_shell(&call.tool) || PROGRESS.contains(&&*call.tool)
    }

    fn result(&mut self, result: &ToolResult) {
        if result.origin != Origin::Executed {
            return;
        }
        let (call, tool) = (&result.call, &result.call.tool);
        let answer = fingerprint(result);
        if result.status == Status::Error {
            self.turn.fails(call);
        } else {
            self.turn.failed.retain(|(key, _)| *key != call.key);
            self.turn.failing.remove(tool);
            if result.status == Status::Ok && self.is_progress(call) {
                self.turn.failed.clear();
                self.turn.failing.clear();
            }
            if self.reads(call) {
                self.turn.answers(call.key, answer);
            }
        }
        self.turn.ran.push((call.key, answer, self.waits(tool)));
        // If one call of a message ends the turn, that is enough, whatever the others answer.
        self.turn.halt = self.turn.halt.or_else(|| self.halts(tool));
    }

    fn halts(&self, tool: &Arc<str>) -> Option<Halt> {
        let is_tolerated = self.is_shell(tool) || TOLERATED.contains(&&**tool);
        if self.turn.failing.get(tool).is_some_and(|count| *count >= TOOL_HALT) && !is_tolerated {
            return Some(Halt::FailingTool);
        }
        if !self.waits(tool) && self.turn.same() >= LAPS {
            return (self.turn.same() >= LAPS_MAX).then_some(Halt::SameResult);
        }
        self.turn.cycle().filter(|(_, laps)| *laps >= LAPS_MAX).map(|_| Halt::Cycle)
    }

    /// The warning about the last result.
    fn warning(&self, result: &ToolResult) -> Option<Note> {
        let tool = &result.call.tool;
        let failed = self.turn.failed(result.call.key);
        let failing = self.turn.failing.get(tool).copied().unwrap_or(0);
        let answered = self.turn.answered(result.call.key);
        let (rule, code, count, template) = if result.status != Status::Error {
            ("no-progress", "idempotent_no_progress_warning", answered, said::ANSWER)
        } else if failed >= WARN {
            ("same-failure", "repeated_exact_failure_warning", failed, said::FAILURE)
        } else if self.is_shell(tool) {
            ("failing-tool", "same_tool_failure_warning", failing, said::FAILING_SHELL)
        } else {
            ("failing-tool", "same_tool_failure_warning", failing, said::FAILING_TOOL)
        };
        let least = if rule == "failing-tool" { TOOL_WARN } else { WARN };
        let number = count.to_string();
        let message = fill(template, &[("tool", tool), ("count", &number)]);
        let text = fill(said::WARNING, &[("code", code), ("count", &number), ("message", &message)]);
        (count >= least).then(|| note(NAME, rule, count, Subject::Call(result.call.key), text))
    }

    /// The notice about the last result.
    fn notice(&self, result: &ToolResult) -> Option<Note> {
        let tool = &*result.call.tool;
        let about = Subject::Call(result.call.key);
        let same = self.turn.same();
        if same >= LAPS && !self.waits(tool) {
            let text = fill(said::SAME_RESULT, &[("ordinal", &ordinal(count(same))), ("tool", tool)]);
            return Some(note(NAME, "same-result", count(same), about, text));
        }
        let (period, laps) = self.turn.cycle()?;
        let holes = [("count", &*laps.to_string()), ("period", &*period.to_string()), ("tool", tool)];
        Some(note(NAME, "cycle", count(laps), about, fill(said::CYCLE, &holes)))
    }

    /// Why a call is not run again, with its rule.
    fn refusal(&self, call: &ToolCall) -> Option<(&'static str, String)> {
        let (failed, answered) = (self.turn.failed(call.key), self.turn.answered(call.key));
        let (rule, count, template) = if failed >= BLOCK {
            ("same-failure", failed, said::FAILURE_BLOCK)
        } else if answered >= BLOCK {
            ("no-progress", answered, said::ANSWER_BLOCK)
        } else {
            return None;
        };
        Some((rule, fill(template, &[("tool", &*call.tool), ("count", &count.to_string())])))
    }
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
        if let Entry::Intervention(Intervention { kind, note, .. }) = entry
            && note.guard == NAME
        {
            match kind {
                InterventionKind::Block => {
                    self.state.turn.halt = self.state.turn.halt.or(Some(Halt::Refused))
                }
                InterventionKind::Stop => self.state.turn.halt = None,
                InterventionKind::Repair(_)
                | InterventionKind::Feedback
                | InterventionKind::Note
                | InterventionKind::Question(_)
                | InterventionKind::Notice => {}
            }
        }
        if is_from_user(entry) {
            self.state.turn = Turn::default();
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        if !self.settings.hard_stops {
            return Ok(Decision::pass());
        }
        if let Some(halt) = self.state.turn.halt {
            let (rule, what) = match halt {
                Halt::Refused => ("refused", "a call that leads nowhere was made again"),
                Halt::FailingTool => ("failing-tool", "one tool fails again and again"),
                Halt::SameResult => ("same-result", "the same call has the same result again and again"),
                Halt::Cycle => ("cycle", "the same calls go round with the same results"),
            };
            let text = format!("Stopped: {what}.");
            return Ok(Verdict::Stop(note(NAME, rule, BLOCK, Subject::Run, text)).into());
        }
        let refused = completion.calls.iter().enumerate().filter_map(|(at, call)| {
            let (rule, text) = self.state.refusal(call)?;
            Some(Blocked { call: at, note: note(NAME, rule, BLOCK, Subject::Call(call.key), text) })
        });
        let blocked: Vec<_> = refused.collect();
        Ok(if blocked.is_empty() { Decision::pass() } else { Verdict::Block(blocked).into() })
    }

    fn settle(&self, _: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        let mut then = self.state.clone();
        let mut told = Vec::new();
        for result in results.iter().filter(|it| it.origin == Origin::Executed) {
            then.result(result);
            told.extend(then.warning(result));
            told.extend(then.notice(result));
        }
        Ok(Settlement::Accept(told))
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
