//! **forge**: the guardrails of forge 0.9.3, read line by line at 3565af35c6 (2026-08-21; `docs/peers.md#forge`).
//!
//! | seen | the product | here |
//! |---|---|---|
//! | text without a call, in which calls are printed | takes the calls out of the text, and runs them | the completion is repaired |
//! | other text without a call, or only thinking | a correction: respond with a tool call; the fourth in a row ends the run | the same |
//! | a call of an unknown tool | runs none of the calls, and answers each with the tools on offer; counts with the texts | all are refused |
//! | arguments that are no object | the same, with the form that is asked; the third error in a row ends the run | the same |
//! | the tool that ends the task, before the required steps | the same, in three tiers: politely, directly, sharply; the fourth in a row ends the run | the same |
//! | replies in a row in which a tool failed | passes the errors on; the third ends the run | the next completion is refused, the run ends |
//! | an empty reply | the correction for texts | the request again, because an empty reply leaves nothing to answer; it counts with the texts |
//!
//! A reply without a fault begins the texts anew; one whose calls all worked begins the errors and the early endings
//! anew. A message of the user begins a new task. Printed calls are read as JSON (in fences or not, `tool` and `args`
//! or `name` and `arguments`), as `name[ARGS]{…}`, as XML of Qwen-coder, and as `[TOOL_CALLS]name{…}` of Mistral; only
//! tools that are on offer, and the first form that is found.
//!
//! In the product a tool always ends the task: the workflow's own, or one that its proxy adds for plain answers and
//! takes out again before anybody sees it. So where text may end the task, a text here is a call of that tool, and it
//! passes. The required steps are those of a workflow, which no transcript has: they are a setting, and none by
//! default.
//!
//! *Left out*: prerequisites of single tools, errors that a tool declares harmless, the limit of iterations,
//! compaction and its warnings, how much earlier reasoning is sent again, and calls in a server's error message.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{is_from_user, note};
use super::messages::forge::{ARGUMENTS, STEP_DIRECT, STEP_POLITE, STEP_SHARP, TEXT, UNKNOWN};
use super::messages::{fill, quoted};
use balk_contract::key::Shape;
use balk_contract::{
    Answer, AttemptCause, AttemptFailure, Blocked, Completion, Decision, Entry, FinishReason, Guard,
    InterventionKind, Offer, Origin, Part, Protocol, Purpose, RawCall, Recovery, Repair, Status, Subject,
    ToolCall, Verdict, Wait,
};
use rescue::rescue;

mod rescue;

/// Settings of the rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ForgeSettings {
    /// Whether printed calls are made calls.
    pub rescue: bool,
    /// Tools that must have worked before the task may end.
    pub required_steps: Vec<Arc<str>>,
}

impl Default for ForgeSettings {
    fn default() -> Self {
        Self { rescue: true, required_steps: Vec::new() }
    }
}

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Forge {
    settings: ForgeSettings,
    state: State,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    #[serde(with = "balk_contract::offered")]
    offer: Arc<Offer>,
    /// The tool that ends the task.
    finish: Option<Arc<str>>,
    text_ends: bool,
    task: Task,
}

/// What happened since the user spoke.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Task {
    /// Required steps that worked.
    done: BTreeSet<Arc<str>>,
    /// Replies in a row that were no call of a tool on offer.
    retries: u32,
    /// Replies in a row with unreadable arguments or with a tool that failed.
    errors: u32,
    /// Whether a tool failed since the last reply, and whether one worked.
    failed: bool,
    worked: bool,
    /// Attempts in a row to end the task before its steps.
    early: u32,
    /// What the last reply is.
    found: Found,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Found {
    #[default]
    Usable,
    Printed,
    Text,
    UnknownTool,
    Arguments,
    Early,
    /// The replies before it had too many tools that failed.
    Failing,
}

const NAME: &str = "forge";
const VERSION: u64 = 1;
const RETRIES: u32 = 3;
const ERRORS: u32 = 2;
const EARLY: u32 = 3;

impl State {
    /// The printed calls of a reply that has no others.
    fn printed(&self, completion: &Completion) -> Vec<RawCall> {
        let text: Vec<&str> = completion.texts().map(|it| &**it).collect();
        rescue(&text.join("\n"), &|name| self.offer.get(name).is_some())
    }

    fn read(&mut self, completion: &Completion, settings: &ForgeSettings) {
        let task = &mut self.task;
        if task.failed {
            task.errors = task.errors.saturating_add(1);
        } else if task.worked {
            (task.errors, task.early) = (0, 0);
        }
        let is_failing = task.failed && task.errors > ERRORS;
        (task.failed, task.worked) = (false, false);
        let found = if is_failing { Found::Failing } else { self.find(completion, settings) };
        self.count(found);
    }

    fn find(&self, completion: &Completion, settings: &ForgeSettings) -> Found {
        let calls = &completion.calls;
        if calls.is_empty() {
            return match completion.has_text() {
                true if settings.rescue && !self.printed(completion).is_empty() => Found::Printed,
                true if self.text_ends => Found::Usable,
                true | false => Found::Text,
            };
        }
        if calls.iter().any(|call| self.offer.get(&call.tool).is_none()) {
            Found::UnknownTool
        } else if calls.iter().any(|call| call.shape != Shape::Object) {
            Found::Arguments
        } else if self.ends_early(completion, settings) {
            Found::Early
        } else {
            Found::Usable
        }
    }

    fn ends_early(&self, completion: &Completion, settings: &ForgeSettings) -> bool {
        let ends = completion.calls.iter().any(|call| Some(&call.tool) == self.finish.as_ref());
        ends && self.pending(settings).next().is_some()
    }

    fn pending<'s>(&'s self, settings: &'s ForgeSettings) -> impl Iterator<Item = &'s Arc<str>> {
        settings.required_steps.iter().filter(|step| !self.task.done.contains(*step))
    }

    fn count(&mut self, found: Found) {
        let task = &mut self.task;
        task.found = found;
        match found {
            Found::Usable | Found::Printed => task.retries = 0,
            Found::Early => (task.retries, task.early) = (0, task.early.saturating_add(1)),
            Found::Text | Found::UnknownTool => task.retries = task.retries.saturating_add(1),
            Found::Arguments => task.errors = task.errors.saturating_add(1),
            Found::Failing => {}
        }
    }

    /// Why the run ends, if it does.
    fn end(&self) -> Option<(&'static str, &'static str)> {
        let Task { retries, errors, early, found, .. } = self.task;
        match found {
            Found::Text if retries > RETRIES => {
                Some(("text", "too many replies in a row were no tool calls"))
            }
            Found::UnknownTool if retries > RETRIES => {
                Some(("unknown-tool", "unknown tools were called too often"))
            }
            Found::Arguments if errors > ERRORS => {
                Some(("arguments", "too many calls had malformed arguments"))
            }
            Found::Early if early > EARLY => {
                Some(("steps", "the model skipped the required steps too often"))
            }
            Found::Failing => Some(("failing-tool", "tools failed in too many replies in a row")),
            Found::Usable
            | Found::Printed
            | Found::Text
            | Found::UnknownTool
            | Found::Arguments
            | Found::Early => None,
        }
    }

    fn repair(&self, completion: &Completion) -> Verdict {
        let thoughts = completion.parts.iter().filter(|part| match part {
            Part::Thinking { .. } => true,
            Part::Text(_) => false,
        });
        let calls = self.printed(completion);
        let text = match calls.len() {
            1 => "A printed call was made a call.".to_owned(),
            several => format!("{several} printed calls were made calls."),
        };
        let repaired =
            Completion::new(thoughts.cloned(), calls, FinishReason::ToolCall, completion.usage, &self.offer);
        let note = note(NAME, "printed-call", 1, Subject::Run, text);
        Verdict::Repair(Repair { note, completion: Arc::new(repaired) })
    }

    /// Every call is refused with the same text.
    fn refuse(completion: &Completion, rule: &'static str, level: u32, text: &str) -> Verdict {
        let refused = completion.calls.iter().enumerate().map(|(at, call)| {
            let note = note(NAME, rule, level, Subject::Call(call.key), text.to_owned());
            Blocked { call: at, note }
        });
        Verdict::Block(refused.collect())
    }

    fn unknown_tool(&self, completion: &Completion) -> String {
        let unknown = completion.calls.iter().find(|call| self.offer.get(&call.tool).is_none());
        let offered: Vec<&str> = self.offer.tools().iter().map(|tool| &*tool.name).collect();
        let tool = unknown.map_or("", |call| &*call.tool);
        fill(UNKNOWN, &[("tool", tool), ("tools", &offered.join(", "))])
    }

    /// The tier and its words.
    fn step(&self, completion: &Completion, settings: &ForgeSettings) -> (u32, String) {
        let tier = self.task.early.clamp(1, EARLY);
        let steps = self.pending(settings).map(|it| &**it).collect::<Vec<_>>().join(", ");
        let ends = completion.calls.iter().find(|call| Some(&call.tool) == self.finish.as_ref());
        let finish = ends.map_or("", |call| &*call.tool);
        let text = match tier {
            1 => fill(STEP_POLITE, &[("finish", finish), ("steps", &steps)]),
            2 => fill(STEP_DIRECT, &[("steps", &steps)]),
            _ => fill(STEP_SHARP, &[("steps", &steps), ("finish", finish), ("steps", &steps)]),
        };
        (tier, text)
    }
}

/// What is wrong with the arguments of the first call whose arguments are no object, in the product's words.
fn malformed(completion: &Completion) -> String {
    let call = completion.calls.iter().find(|call| call.shape != Shape::Object);
    let Some(call) = call else { return String::new() };
    let (got, kind) = python(call);
    fill(ARGUMENTS, &[("tool", &*call.tool), ("args", &got), ("type", kind)])
}

/// The arguments as the product's language writes them, and their type there.
fn python(call: &ToolCall) -> (String, &'static str) {
    let arguments = serde_json::from_str::<Value>(&call.arguments);
    match arguments {
        Ok(Value::Null) => ("None".into(), "NoneType"),
        Ok(Value::Bool(is)) => (if is { "True" } else { "False" }.into(), "bool"),
        Ok(Value::Number(number)) => (number.to_string(), if number.is_f64() { "float" } else { "int" }),
        Ok(Value::String(text)) => (format!("'{}'", quoted(&text)), "str"),
        Ok(list @ Value::Array(_)) => (quoted(&list.to_string()), "list"),
        Ok(Value::Object(_)) | Err(_) => (format!("'{}'", quoted(&call.arguments)), "str"),
    }
}

impl Forge {
    /// A guard with these settings.
    #[must_use]
    pub fn new(settings: ForgeSettings) -> Self {
        Self { settings, state: State::default() }
    }
}

impl Guard for Forge {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        let state = &mut self.state;
        if let Entry::Start(start) = entry {
            state.offer = start.offer.clone();
            state.finish = start.offer.first(Purpose::Finish).map(|tool| tool.name.clone());
            state.text_ends = start.protocol == Protocol::Text;
        }
        if let Entry::Completion(completion) = entry {
            state.read(completion, &self.settings);
        }
        if let Entry::Intervention(it) = entry
            && let InterventionKind::Repair(completion) = &it.kind
        {
            let is_early = state.ends_early(completion, &self.settings);
            state.count(if is_early { Found::Early } else { Found::Usable });
        }
        if let Entry::Result(result) = entry
            && result.origin == Origin::Executed
        {
            let has_failed = result.status == Status::Error;
            state.task.failed |= has_failed;
            state.task.worked |= !has_failed;
            if !has_failed && self.settings.required_steps.contains(&result.call.tool) {
                state.task.done.insert(result.call.tool.clone());
            }
        }
        if let Entry::Failed(it) = entry
            && it.failure.cause == AttemptCause::Empty
        {
            state.task.retries = state.task.retries.saturating_add(1);
        }
        if is_from_user(entry) {
            state.task = Task::default();
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let state = &self.state;
        if let Some((rule, why)) = state.end() {
            let text = format!("Stopped: {why}.");
            return Ok(Verdict::Stop(note(NAME, rule, EARLY + 1, Subject::Run, text)).into());
        }
        let retries = state.task.retries;
        let verdict = match state.task.found {
            Found::Usable | Found::Failing => Verdict::Pass,
            Found::Printed => state.repair(completion),
            Found::Text => Verdict::Retry(note(NAME, "text", retries, Subject::Run, TEXT.into())),
            Found::UnknownTool => {
                State::refuse(completion, "unknown-tool", retries, &state.unknown_tool(completion))
            }
            Found::Arguments => {
                State::refuse(completion, "arguments", state.task.errors, &malformed(completion))
            }
            Found::Early => {
                let (tier, text) = state.step(completion, &self.settings);
                State::refuse(completion, "steps", tier, &text)
            }
        };
        Ok(verdict.into())
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        if failure.cause != AttemptCause::Empty {
            return Ok(None);
        }
        let spent = self.state.task.retries.max(failure.attempt.saturating_sub(1));
        if spent < RETRIES {
            return Ok(Some(Recovery::resend(Wait::exactly(0))));
        }
        let text = "Stopped: too many replies in a row were no tool calls.";
        Ok(Some(Recovery::Stop(note(NAME, "text", EARLY + 1, Subject::Run, text.into()))))
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.state)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.state = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
