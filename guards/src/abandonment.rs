//! **abandonment**: the model gives up on a tool and shows code in fences instead.
//!
//! *Detects* (spec A3) at least three failures of a tool that changes things (a *debt*), followed by a message that
//! calls no tool and contains a code fence in a counted language, with nothing changed in between.
//!
//! *Stays silent* if a success of that tool, or any call that may have done its work, comes between the failures and
//! the fence (spec A8: code shown after the tool worked is an explanation); if the failing tool only reads, runs
//! tests, or has no declared effect; if the model acts; and after a text that tells the user about the failure (spec
//! A5: recorded models do this, and rightly). A call of unknown effect may have done the work if it names one of the
//! files (`cat > game.py`), but not if it names none of them (installing a package).
//!
//! *Thresholds*: three failures and one fence come from the field report. Recorded runs also change after three:
//! after the third failure of one tool, the next call of gpt-4o succeeds in 41 %, that of gpt-3.5 in 12 %
//! (`docs/reactions.md#after-failures-of-one-tool`). There is one follow-up to a correction, because recorded models
//! react to a third correction in a row in 12 to 69 %, against 75 to 88 % for the first
//! (`docs/reactions.md#later-corrections`).

mod messages;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::acknowledgement;
use crate::fence;
use balk_contract::key::CallKey;
use balk_contract::rules::{Rule, Rung, Step};
use balk_contract::wording::{excerpt, first_line};
use balk_contract::{
    Answer, Completion, Decision, Effect, Entry, Guard, Intervention, InterventionKind, Origin, Purpose,
    Settlement, Status, Subject, ToolCall, ToolResult, Verdict,
};

/// Settings of the guard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AbandonmentSettings {
    /// Failures of one tool in a row that make a debt.
    pub failures: u32,
    /// Counted fences in one message that make an abandonment.
    pub fences: usize,
    /// Languages that count, by their common names; aliases (`py`, `tsx`) are included.
    pub languages: Vec<String>,
    /// How the guard reacts.
    pub policy: AbandonmentPolicy,
    /// Refusals (hard), reruns of a failing call (auto-retry) or demands (strict) before the guard gives way.
    pub limit: u32,
}

/// How the guard reacts to an abandonment (spec A5, A7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AbandonmentPolicy {
    /// One correction, and one follow-up in the same debt.
    Soft,
    /// Refuses every fence without a call up to the limit, then asks the user.
    #[serde(rename = "hard")]
    HardBlock,
    /// Runs the failing call again, up to the limit; tells the user, but not the model.
    AutoRetry,
    /// The field design: after the failures the model must first say one of three things in words.
    Strict,
}

impl Default for AbandonmentSettings {
    fn default() -> Self {
        Self {
            failures: 3,
            fences: 1,
            languages: ["python", "javascript", "typescript"].map(str::to_owned).to_vec(),
            policy: AbandonmentPolicy::Soft,
            limit: 3,
        }
    }
}

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Abandonment {
    settings: AbandonmentSettings,
    state: AbandonmentState,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct AbandonmentState {
    /// Number of folded entries; a position in the transcript.
    position: u64,
    /// The failures in a row of each tool that is known to change things.
    runs: Vec<Run>,
    /// Corrections since the model last did something else.
    corrections: u32,
    /// The tool whose failure the user was told about since the last change.
    noticed: Option<Arc<str>>,
    /// Whether words of the model or of the user have settled the debt.
    acknowledged: bool,
    /// Corrections and questions in this run, so that each message has different words.
    spoken: u32,
    shell: Option<Arc<str>>,
    ask: Option<Arc<str>>,
}

/// The failures in a row of one tool (spec A1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Run {
    tool: Arc<str>,
    failures: u32,
    refused: u32,
    /// The position of the last failure.
    failed_at: u64,
    /// Whether a later call may have done what this tool failed to do.
    made_up_for: bool,
    last_key: CallKey,
    last_error: String,
    files: Vec<String>,
}

const NAME: &str = "abandonment";
const VERSION: u64 = 1;
/// Tools whose failures are tracked; an agent in which more tools fail at once has another problem.
const TOOLS: usize = 32;
/// File names listed for the user, and the maximum length of each.
const FILES: usize = 8;
const FILE_CHARS: usize = 200;
const ERROR_CHARS: usize = 300;
/// Ticks (ms) to wait before a failed call runs again, multiplied by the tries so far.
const RERUN_AFTER: u64 = 1_000;

impl Abandonment {
    /// The rules of this guard.
    pub const RULES: &[Rule] = &[
        Rule::new("fence-after-failures", &[Rung::at(1, Step::Feedback)]),
        Rule::new("unacknowledged", &[Rung::counted(Step::Feedback)]),
        Rule::new("files-not-created", &[Rung::at(1, Step::Notice)]),
        Rule::new("words-first", &[Rung::counted(Step::Feedback)]),
        Rule::new("ask-the-user", &[Rung::at(4, Step::Question)]),
        Rule::new("failing-call", &[Rung::counted(Step::Rerun)]),
    ];

    /// A guard with these settings.
    #[must_use]
    pub fn new(settings: AbandonmentSettings) -> Self {
        Self { settings, state: AbandonmentState::default() }
    }

    /// The tool that was given up, if there is one: among the tools that failed often enough without a change since,
    /// the one that failed last.
    fn debt(&self) -> Option<&Run> {
        self.state
            .runs
            .iter()
            .filter(|run| run.failures >= self.settings.failures && !run.made_up_for)
            .max_by_key(|run| run.failed_at)
    }

    /// Whether the visible text contains enough counted fences.
    fn is_fenced(&self, completion: &Completion) -> bool {
        let counted = completion
            .texts()
            .flat_map(|text| fence::fences(text))
            .filter(|it| self.settings.languages.iter().any(|language| it.is(language)));
        counted.count() >= self.settings.fences
    }

    /// Whether a completion settles a debt by words.
    fn acknowledges(&self, completion: &Completion) -> bool {
        let says_so = || completion.texts().any(|text| acknowledgement::form(text).is_some());
        let only_text = completion.calls.is_empty() && completion.has_text();
        let corrected = self.state.corrections > 0;
        match self.settings.policy {
            AbandonmentPolicy::Strict => says_so(),
            AbandonmentPolicy::Soft if corrected => only_text && says_so(),
            AbandonmentPolicy::Soft | AbandonmentPolicy::HardBlock | AbandonmentPolicy::AutoRetry => {
                only_text && !corrected && !self.is_fenced(completion)
            }
        }
    }

    fn result(&mut self, result: &ToolResult) {
        let state = &mut self.state;
        let at = state.runs.iter().position(|run| run.tool == result.call.tool);
        match (result.origin, result.status) {
            (Origin::Synthetic, _) => {
                if let Some(at) = at {
                    state.runs[at].refused += 1;
                }
            }
            (Origin::Executed, Status::Error) if result.call.effect.is_known_change() => {
                self.failure(at, result);
            }
            // A failure that makes no debt shows that the model tried something else.
            (Origin::Executed, Status::Error) => state.corrections = 0,
            (Origin::Executed, Status::Ok | Status::Unknown) | (Origin::Missing, _) => {
                state.corrections = 0;
                if let Some(at) = at {
                    state.runs.swap_remove(at);
                }
                for run in &mut state.runs {
                    if run.may_be_done_by(&result.call) {
                        run.made_up_for = true;
                        state.noticed = None;
                    }
                }
            }
        }
    }

    fn failure(&mut self, at: Option<usize>, result: &ToolResult) {
        let state = &mut self.state;
        let at = at.unwrap_or_else(|| {
            if state.runs.len() >= TOOLS {
                let oldest = (0..TOOLS).min_by_key(|&at| state.runs[at].failed_at).unwrap_or(0);
                state.runs.swap_remove(oldest);
            }
            state.runs.push(Run::new(&result.call));
            state.runs.len() - 1
        });
        let run = &mut state.runs[at];
        // The model did something, unless it repeated the failed call.
        if run.failures == 0 || run.last_key != result.call.key {
            state.corrections = 0;
        }
        // An acknowledgement is valid until a tool that can make a debt fails again.
        state.acknowledged = false;
        run.failures += 1;
        run.failed_at = state.position;
        run.made_up_for = false;
        run.last_key = result.call.key;
        run.last_error = first_line(&result.text, ERROR_CHARS);
        if run.files.len() < FILES
            && let Some(path) = result.call.path()
        {
            let path = excerpt(&path, FILE_CHARS);
            if !run.files.contains(&path) {
                run.files.push(path);
            }
        }
    }
    /// The soft policy's decision about a message without a call while there is a debt.
    fn soften(&self, run: &Run, fenced: bool, completion: &Completion) -> Decision {
        let verdict = match self.state.corrections {
            0 if fenced => Verdict::Retry(self.correction(run)),
            1 if completion.has_text() => Verdict::Retry(self.follow_up(run, 2, true)),
            _ => Verdict::Pass,
        };
        let notices = if fenced { self.notice(run) } else { Vec::new() };
        Decision { verdict, notices }
    }

    fn harden(&self, run: &Run) -> Decision {
        let told = self.state.corrections;
        let verdict = if told >= self.settings.limit {
            Verdict::Ask(self.question(run))
        } else if told == 0 {
            Verdict::Retry(self.correction(run))
        } else {
            Verdict::Retry(self.follow_up(run, level(told + 1), told + 1 == self.settings.limit))
        };
        Decision { verdict, notices: self.notice(run) }
    }

    /// The field design: the words must come before anything else.
    fn demand(&self, run: &Run, completion: &Completion) -> Decision {
        if self.state.acknowledged {
            return Decision::pass();
        }
        if self.state.corrections >= self.settings.limit {
            return Decision::from(Verdict::Ask(self.question(run)));
        }
        Decision {
            verdict: Verdict::Retry(self.words_first(run, level(self.state.corrections + 1))),
            notices: if self.is_fenced(completion) { self.notice(run) } else { Vec::new() },
        }
    }
}

impl Run {
    fn new(call: &ToolCall) -> Self {
        Self {
            tool: call.tool.clone(),
            failures: 0,
            refused: 0,
            failed_at: 0,
            made_up_for: false,
            last_key: call.key,
            last_error: String::new(),
            files: Vec::new(),
        }
    }

    /// Whether a call that did not fail may have done what this tool failed to do.
    fn may_be_done_by(&self, call: &ToolCall) -> bool {
        match call.effect {
            Effect::ReadOnly => false,
            Effect::IdempotentWrite | Effect::Write | Effect::External => true,
            Effect::Unknown => {
                let named = |path: &String| {
                    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
                    call.arguments.contains(name)
                };
                self.files.is_empty() || self.files.iter().any(named)
            }
        }
    }
}

fn level(rung: u32) -> u8 {
    u8::try_from(rung).unwrap_or(u8::MAX)
}

impl Guard for Abandonment {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        self.state.position += 1;
        match entry {
            Entry::Start(start) => {
                let name = |purpose| start.offer.first(purpose).map(|tool| tool.name.clone());
                self.state.shell = name(Purpose::Shell);
                self.state.ask = name(Purpose::AskUser);
            }
            Entry::Completion(completion) => {
                if self.debt().is_some() && !self.state.acknowledged {
                    self.state.acknowledged = self.acknowledges(completion);
                }
            }
            Entry::Result(result) => self.result(result),
            Entry::Intervention(Intervention { kind, note, .. }) if note.guard == NAME => match kind {
                InterventionKind::Feedback => {
                    self.state.corrections += 1;
                    self.state.spoken += 1;
                }
                // The user decides now; the answer is valid until the tool fails again.
                InterventionKind::Question(_) => {
                    self.state.acknowledged = true;
                    self.state.spoken += 1;
                }
                InterventionKind::Notice => {
                    if let Subject::Tool(tool) = &note.subject {
                        self.state.noticed = Some(tool.clone());
                    }
                }
                InterventionKind::Note
                | InterventionKind::Block
                | InterventionKind::Repair(_)
                | InterventionKind::Stop => {}
            },
            Entry::User(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Intervention(_)
            | Entry::Answer(_)
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let Some(run) = self.debt() else { return Ok(Decision::pass()) };
        if self.settings.policy == AbandonmentPolicy::Strict {
            return Ok(self.demand(run, completion));
        }
        if !completion.calls.is_empty() || self.state.acknowledged {
            return Ok(Decision::pass());
        }
        let fenced = self.is_fenced(completion);
        Ok(match self.settings.policy {
            AbandonmentPolicy::Soft => self.soften(run, fenced, completion),
            AbandonmentPolicy::HardBlock if fenced => self.harden(run),
            AbandonmentPolicy::AutoRetry if fenced => {
                Decision { notices: self.notice(run), ..Decision::pass() }
            }
            AbandonmentPolicy::HardBlock | AbandonmentPolicy::AutoRetry | AbandonmentPolicy::Strict => {
                Decision::pass()
            }
        })
    }

    fn settle(&self, _: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        if self.settings.policy != AbandonmentPolicy::AutoRetry {
            return Ok(Settlement::Accept(Vec::new()));
        }
        let failed = results.iter().position(|result| {
            result.origin == Origin::Executed
                && result.status == Status::Error
                && matches!(result.call.effect, Effect::Write | Effect::IdempotentWrite)
                && result.tries <= self.settings.limit
        });
        Ok(match failed {
            Some(call) => Settlement::Rerun { call, after: RERUN_AFTER * u64::from(results[call].tries) },
            None => Settlement::Accept(Vec::new()),
        })
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.state)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.state = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
