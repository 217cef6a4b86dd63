//! **abandonment**: the model gives up on a tool and shows code in fences instead.
//!
//! *Detects* (spec A3) a tool that changes things failing at least three times, and after that a message
//! that calls no tool and holds a code fence in a counted language, with nothing changed in between.
//!
//! *Stays silent* where a success of that tool, or any call that may have done its work, lies between the
//! failures and the fence (A8: code shown after the tool worked is an explanation); where the failing tool
//! only reads, runs tests, or has no declared effect; where the model acts; and after a text that tells the
//! user about the failure (A5: recorded models do this, and are right to). A call of unknown effect may have
//! done the work if it names one of the files (`cat > game.py`), and has not if it names none of them (the
//! installing of a package).
//!
//! *Thresholds*: three failures and one fence are the field report's. Three is also where recorded runs
//! turn: after the third failure of one tool gpt-4o succeeds next in 41 %, gpt-3.5 in 12 % (`reactions.md`,
//! 3). The follow-up to a correction comes once, because a third correction in a row moves recorded models
//! in 12 to 69 % where the first moved 75 to 88 % (`reactions.md`, 1).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::acknowledgement;
use crate::completion::{Completion, ToolCall};
use crate::entry::{
    Choice, ChoiceKind, Entry, Intervention, InterventionKind, Note, Origin, Status, Subject, ToolResult,
};
use crate::fence;
use crate::guard::{Answer, Decision, Guard, Question, Settlement, Verdict};
use crate::key::CallKey;
use crate::offer::{Effect, Purpose};
use crate::wording::{first_line, list, times};

/// How the guard is set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AbandonmentSettings {
    /// Failures of one tool in a row that make a debt.
    pub failures: u32,
    /// Counted fences that make an abandonment.
    pub fences: usize,
    /// Languages that count, by their common names; aliases (`py`, `tsx`) go with them.
    pub languages: Vec<String>,
    /// What is done about it.
    pub policy: AbandonmentPolicy,
    /// Refusals (hard), runs of a failing call (auto-retry) or demands (strict) before the guard gives way.
    pub limit: u32,
}

/// What is done about an abandonment (spec A5, A7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AbandonmentPolicy {
    /// One correction, and one follow-up in the same debt.
    Soft,
    /// Every fence without a call is refused up to the limit, then the user is asked.
    #[serde(rename = "hard")]
    HardBlock,
    /// The failing call is run again, up to the limit; the user is told, the model is not.
    AutoRetry,
    /// The field design: after the failures the model must first say one of three things, in words.
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
    state: State,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    /// Entries folded; a position in the transcript.
    position: u64,
    /// The failures in a row, by tool.
    runs: Vec<Run>,
    /// Corrections in this debt.
    corrections: u32,
    /// Whether the user was told in this debt.
    noticed: bool,
    /// Whether a text took the debt for said.
    acknowledged: bool,
    /// Corrections in this run of the agent, for words that differ each time.
    spoken: u32,
    shell: Option<Arc<str>>,
    ask: Option<Arc<str>>,
}

/// The failures in a row of one tool (spec A1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Run {
    tool: Arc<str>,
    effect: Effect,
    failures: u32,
    refused: u32,
    failed_at: u64,
    /// Whether another call may have done since what this tool failed to do.
    made_up_for: bool,
    last_key: CallKey,
    last_error: String,
    files: Vec<String>,
}

impl Run {
    /// Whether a call that did not fail may have done what this tool failed to do.
    fn may_be_done_by(&self, call: &ToolCall) -> bool {
        let names_a_file = || {
            self.files.is_empty()
                || self.files.iter().any(|path| {
                    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
                    call.arguments.contains(name)
                })
        };
        match call.effect {
            Effect::ReadOnly => false,
            Effect::Unknown => names_a_file(),
            Effect::IdempotentWrite | Effect::Write | Effect::External => true,
        }
    }
}

const NAME: &str = "abandonment";
const VERSION: u64 = 1;
/// Tools whose failures are tracked; an agent that fails with more at once has another problem.
const TOOLS: usize = 32;
/// File names told to the user.
const FILES: usize = 8;
const ERROR_CHARS: usize = 300;
/// Ticks (ms) before a failed call is run again, times the tries so far.
const RERUN_AFTER: u64 = 1_000;

impl Abandonment {
    /// The guard, set so.
    #[must_use]
    pub fn new(settings: AbandonmentSettings) -> Self {
        Self { settings, state: State::default() }
    }

    /// The tool that was given up, if one was: the last to fail of those that change things, fail often
    /// enough, and have seen no change since.
    fn debt(&self) -> Option<&Run> {
        self.state
            .runs
            .iter()
            .filter(|run| {
                run.effect.is_known_change() && run.failures >= self.settings.failures && !run.made_up_for
            })
            .max_by_key(|run| run.failed_at)
    }

    fn counted_fences(&self, completion: &Completion) -> usize {
        completion
            .texts()
            .flat_map(|text| fence::fences(text))
            .filter(|it| self.settings.languages.iter().any(|language| it.is(language)))
            .count()
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
            (Origin::Executed, Status::Error) => self.failure(at, result),
            (Origin::Executed, Status::Ok | Status::Unknown) | (Origin::Missing, _) => {
                if let Some(at) = at {
                    state.runs.swap_remove(at);
                }
                for run in &mut state.runs {
                    run.made_up_for |= run.may_be_done_by(&result.call);
                }
                self.discharge();
            }
        }
    }

    fn failure(&mut self, at: Option<usize>, result: &ToolResult) {
        let state = &mut self.state;
        let known = at.is_some_and(|at| state.runs[at].last_key == result.call.key);
        let at = at.unwrap_or_else(|| {
            if state.runs.len() == TOOLS {
                let oldest = (0..TOOLS).min_by_key(|&at| state.runs[at].failed_at).unwrap_or(0);
                state.runs.swap_remove(oldest);
            }
            state.runs.push(Run {
                tool: result.call.tool.clone(),
                effect: result.call.effect,
                failures: 0,
                refused: 0,
                failed_at: 0,
                made_up_for: false,
                last_key: result.call.key,
                last_error: String::new(),
                files: Vec::new(),
            });
            state.runs.len() - 1
        });
        let run = &mut state.runs[at];
        run.failures += 1;
        run.failed_at = state.position;
        run.made_up_for = false;
        run.last_key = result.call.key;
        run.last_error = first_line(&result.text, ERROR_CHARS);
        if run.files.len() < FILES
            && let Some(path) = result.call.path()
            && !run.files.contains(&path)
        {
            run.files.push(path);
        }
        // What was said stands until the tool that makes the debt fails anew.
        if result.call.effect.is_known_change() {
            state.acknowledged = false;
        }
        // A failing call is a deed as well, unless it is the one that failed before.
        if !known {
            self.discharge();
        }
    }

    /// The model did something: what it was told before is settled, and a relapse is told anew.
    fn discharge(&mut self) {
        self.state.corrections = 0;
        self.state.noticed = false;
    }

    /// "5 failed, 1 refused".
    fn tally(run: &Run) -> String {
        match run.refused {
            0 => format!("failed {} in a row", times(run.failures)),
            refused => format!("failed {} in a row ({refused} more refused)", times(run.failures)),
        }
    }

    fn ways_out(&self, run: &Run) -> String {
        let shell = match &self.state.shell {
            Some(shell) => {
                format!("look at the environment with `{shell}` (is something missing that it needs?)")
            }
            None => "look at what the failing call depends on".into(),
        };
        let ask = match &self.state.ask {
            Some(ask) => format!("ask the user with `{ask}` to remove what is in the way"),
            None => "ask the user to remove what is in the way".into(),
        };
        format!(
            "1. find out why `{}` fails: the error names the cause\n2. {shell}\n3. {ask}\n4. say plainly \
             that the task cannot be completed, and why",
            run.tool
        )
    }

    fn note(&self, rule: &'static str, level: u8, run: &Run, text: String) -> Note {
        Note {
            guard: NAME.into(),
            rule: rule.into(),
            level,
            subject: Subject::Tool(run.tool.clone()),
            text: text.into(),
        }
    }

    fn correction(&self, run: &Run) -> Note {
        let again = match self.state.spoken {
            0 => String::new(),
            before => {
                format!("This is correction {} about showing code in place of using the tool. ", before + 1)
            }
        };
        let text = format!(
            "{again}Your last message shows code and calls no tool. `{}` {}; the last error was: {}\n\nShowing \
             the code does not do the task: nobody turns it into a file, and the user is waiting for one. Do \
             one of these now:\n{}\n\nDo not go on with code in messages as if the file had been written.",
            run.tool,
            Self::tally(run),
            run.last_error,
            self.ways_out(run),
        );
        self.note("fence-after-failures", 1, run, text)
    }

    fn follow_up(&self, run: &Run, level: u8, last: bool) -> Note {
        let end = if last { " This is the last reminder." } else { "" };
        let text = format!(
            "No tool was called since `{}` {} ({}), and the last message says neither what stands in the way \
             nor what will be done about it ({} told so far). What is needed is a deed or a plain word: call a \
             tool that finds the cause, or write one sentence that begins with \"I cannot complete this \
             because\".{end}",
            run.tool,
            Self::tally(run),
            run.last_error,
            times(self.state.spoken),
        );
        self.note("unacknowledged", level, run, text)
    }

    fn notice(&self, run: &Run) -> Vec<Note> {
        if self.state.noticed {
            return Vec::new();
        }
        let what = if run.files.is_empty() {
            "Nothing was written".to_owned()
        } else {
            format!("Not created: {}", list(&run.files, FILES))
        };
        let text = format!(
            "{what}. `{}` {}; the last error was: {}. The model shows code in its messages instead of files.",
            run.tool,
            Self::tally(run),
            run.last_error,
        );
        vec![self.note("files-not-created", 1, run, text)]
    }

    fn question(&self, run: &Run) -> Question {
        let text = format!(
            "The model has been told {} that `{}` {} and goes on without it. The last error was: {}. How \
             should it go on?",
            times(self.state.corrections),
            run.tool,
            Self::tally(run),
            run.last_error,
        );
        Question {
            note: self.note("ask-the-user", 4, run, text),
            options: vec![
                Choice { kind: ChoiceKind::Instruct, label: "say what it should do".into() },
                Choice { kind: ChoiceKind::Continue, label: "let it go on".into() },
                Choice { kind: ChoiceKind::Stop, label: "end the run".into() },
            ],
        }
    }

    /// What the soft policy says to a message without a call, in a debt.
    fn soften(&self, run: &Run, fenced: bool, text: &Completion) -> Decision {
        let says_so = || text.texts().any(|text| acknowledgement::form(text).is_some());
        let verdict = match self.state.corrections {
            0 if fenced => Verdict::Retry(self.correction(run)),
            1 if !says_so() => Verdict::Retry(self.follow_up(run, 2, true)),
            _ => Verdict::Pass,
        };
        let notices = if fenced { self.notice(run) } else { Vec::new() };
        Decision { verdict, notices, withhold: Vec::new() }
    }

    fn harden(&self, run: &Run) -> Decision {
        let verdict = match self.state.corrections {
            0 => Verdict::Retry(self.correction(run)),
            told if told < self.settings.limit => Verdict::Retry(self.follow_up(
                run,
                u8::try_from(told + 1).unwrap_or(u8::MAX),
                told + 1 == self.settings.limit,
            )),
            _ => Verdict::Ask(self.question(run)),
        };
        Decision { verdict, notices: self.notice(run), withhold: Vec::new() }
    }

    /// The field design: whatever the model does, the words come first.
    fn demand(&self, run: &Run, completion: &Completion) -> Decision {
        if self.state.acknowledged {
            return Decision::pass();
        }
        if self.state.corrections >= self.settings.limit {
            return Decision::from(Verdict::Ask(self.question(run)));
        }
        let text = format!(
            "`{}` {}; the last error was: {}\n\nBefore anything else, say which it is (asked {} before):\n- \
             \"I switch to showing code because …\"\n- \"I diagnose why it fails: …\"\n- \"I cannot complete \
             this because …\"",
            run.tool,
            Self::tally(run),
            run.last_error,
            times(self.state.spoken),
        );
        let level = u8::try_from(self.state.corrections + 1).unwrap_or(u8::MAX);
        let fenced = self.counted_fences(completion) >= self.settings.fences;
        Decision {
            verdict: Verdict::Retry(self.note("words-first", level, run, text)),
            notices: if fenced { self.notice(run) } else { Vec::new() },
            withhold: Vec::new(),
        }
    }
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
                if self.debt().is_none() || self.state.acknowledged {
                    return;
                }
                let says_so = || completion.texts().any(|text| acknowledgement::form(text).is_some());
                self.state.acknowledged = match self.settings.policy {
                    AbandonmentPolicy::Strict => says_so(),
                    AbandonmentPolicy::Soft | AbandonmentPolicy::HardBlock | AbandonmentPolicy::AutoRetry => {
                        completion.calls.is_empty()
                            && completion.has_text()
                            && self.state.corrections == 0
                            && self.counted_fences(completion) < self.settings.fences
                    }
                };
            }
            Entry::Result(result) => self.result(result),
            Entry::Intervention(Intervention { kind, note, .. }) if note.guard == NAME => match kind {
                InterventionKind::Feedback => {
                    self.state.corrections += 1;
                    self.state.spoken += 1;
                }
                InterventionKind::Notice => self.state.noticed = true,
                InterventionKind::Note
                | InterventionKind::Question(_)
                | InterventionKind::Block
                | InterventionKind::Withheld(_)
                | InterventionKind::Stop => {}
            },
            Entry::User(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Intervention(_)
            | Entry::Answer(_)
            | Entry::Compaction(_)
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
        let fenced = self.counted_fences(completion) >= self.settings.fences;
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
        crate::state::seal(NAME, VERSION, &self.state)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.state = crate::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
