//! **abandonment**: the model gives up on a tool and shows code in fences instead.
//!
//! *Detects* (spec A3) at least three tries of a tool that changes things that came to nothing (a *debt*), followed by
//! a message that calls no tool and contains a code fence in a counted language, with nothing changed in between. A try
//! is a call that failed or, after a first failure, one that another guard refused: the draft that `duplicate` refuses
//! is a draft that was never written. Where no effect is declared, a tool that seems to write counts
//! (`balk_contract`, `writes`), and the messages say that this is a guess.
//!
//! A message that shows a file of the failed calls in a fence of any language, and calls no tool, is an abandonment as
//! well. After the first, which may explain the failure, each is one more try that came to nothing: two refused writes
//! and two such messages are enough.
//!
//! *Tells the user* at every such fence (spec A6), whether or not the model is corrected: words settle what the model
//! owes, but they create no file. Only a success of the tool, or a call that may have done its work, ends the debt. A
//! text without code is left alone (recorded models tell their user about a failure, and rightly), and it settles
//! nothing: when it did, every user of `sentence-before-fences` was left untold. After a correction, one of the three
//! forms of spec A5 does settle it.
//!
//! *Stays silent* if a success of that tool, or any call that may have done its work, comes between the failures and
//! the fence (spec A8: code shown after the tool worked is an explanation); if the fence shares no line with what the
//! failed calls were to write and is much shorter, so that it is other code (a look at the rights of a folder); once if
//! the message itself says that the tool could not, and why (a user who was told, and has the code, has all that is
//! left); if the failing tool only reads or runs tests, or nothing says that it writes; if the model acts; and if the
//! user asked to be shown code (spec A8). A call of unknown effect may have done the work if it names one of the files
//! (`cat > game.py`), but not if it names none of them (installing a package).
//!
//! *Thresholds*: three failures and one fence come from the field report. Recorded runs also change after three:
//! after the third failure of one tool, the next call of gpt-4o succeeds in 41 %, that of gpt-3.5 in 12 %
//! (`docs/reactions.md#after-failures-of-one-tool`). There is one follow-up to a correction, because recorded models
//! react to a third correction in a row in 12 to 69 %, against 75 to 88 % for the first
//! (`docs/reactions.md#later-corrections`).

mod around;
mod debt;
mod messages;
mod written;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::acknowledgement;
use crate::failure::is_failure;
use crate::fence;
use crate::showing::asks_for_code;
use balk_contract::nudge::is_nudge;
use balk_contract::rules::{Rule, Rung, Step};
use balk_contract::{
    Answer, Completion, Decision, Effect, Entry, Guard, Intervention, InterventionKind, Origin, Purpose,
    Settlement, Speaker, Status, Subject, ToolResult, Verdict,
};
use debt::{Run, Runs};

/// Settings of the guard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AbandonmentSettings {
    /// Tries of one tool in a row, failed or refused, that make a debt.
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
    /// The failures in a row of each tool that changes things, or seems to.
    runs: Runs,
    /// Corrections since the model last did something else.
    corrections: u32,
    /// How the debt was settled since the last failure, if it was.
    settled: Option<Settled>,
    /// Whether the user asked to be shown code, in the last message that says something.
    asked_for_code: bool,
    /// Corrections and questions in this run, so that each message has different words.
    spoken: u32,
    shell: Option<Arc<str>>,
    ask: Option<Arc<str>>,
}

/// What settled a debt, until the tool fails again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Settled {
    /// Words of the model: one of the three forms. They create no file, so the user is told at the next fence.
    Words,
    /// The user, who knows.
    User,
}

const NAME: &str = "abandonment";
const VERSION: u64 = 4;
/// Ticks (ms) to wait before a failed call runs again, multiplied by the tries so far.
const RERUN_AFTER: u64 = 1_000;

impl Abandonment {
    /// The rules of this guard.
    pub const RULES: &[Rule] = &[
        Rule::new("fence-after-failures", &[Rung::at(1, Step::Feedback)]),
        Rule::new("unacknowledged", &[Rung::counted(Step::Feedback)]),
        Rule::new("files-not-created", &[Rung::at(1, Step::Notice), Rung::at(2, Step::Notice)]),
        Rule::new("words-first", &[Rung::counted(Step::Feedback)]),
        Rule::new("ask-the-user", &[Rung::at(4, Step::Question)]),
        Rule::new("failing-call", &[Rung::counted(Step::Rerun)]),
    ];

    /// A guard with these settings.
    #[must_use]
    pub fn new(settings: AbandonmentSettings) -> Self {
        Self { settings, state: AbandonmentState::default() }
    }

    /// The tool that was given up, if there is one.
    fn debt(&self) -> Option<&Run> {
        self.state.runs.debt(self.settings.failures)
    }

    /// Whether a completion calls no tool and shows code instead: in enough fences, of a counted language, or of
    /// any where it names a file that could not be written.
    fn is_abandonment(&self, run: &Run, completion: &Completion) -> bool {
        if !completion.calls.is_empty() {
            return false;
        }
        let names_file = completion.texts().any(|text| run.names_file(text));
        let is_counted =
            |it: &fence::Fence<'_>| self.settings.languages.iter().any(|language| it.is(language));
        let shown = completion.texts().flat_map(|text| fence::fences(text).map(move |it| (text, it)));
        shown.filter(|(text, it)| run.shows(text, names_file, it, is_counted(it))).count()
            >= self.settings.fences
    }

    /// Whether a message that shows code says itself that the tool failed: it says that something could not be done,
    /// and why or what. Then its user knows, and has the code. That is an honest end, once; code alone after it is
    /// none.
    fn explains(run: &Run, completion: &Completion) -> bool {
        let says_so = |said: &str| {
            let names_it = || run.names_file(said) || said.contains(&*run.tool);
            acknowledgement::says_it_could_not(said) && (acknowledgement::names_reason(said) || names_it())
        };
        completion.calls.is_empty() && completion.texts().any(|text| says_so(&around::outside(text)))
    }

    /// Records that a message explains itself, if it is the first of a debt that does and the model was not corrected.
    fn hear_explanation(&mut self, completion: &Completion) {
        let is_soft = self.settings.policy == AbandonmentPolicy::Soft && self.state.corrections == 0;
        let Some(run) = self.debt().filter(|run| is_soft && run.explained_at.is_none()) else { return };
        if self.is_abandonment(run, completion) && Self::explains(run, completion) {
            let tool = run.tool.clone();
            self.state.runs.explained(&tool, self.state.position);
        }
    }

    /// Whether a completion settles a debt by words (spec A5): in one of the three forms, and not before the model was
    /// corrected, unless the words are what is asked for. A text without them settles nothing.
    fn settles(&self, completion: &Completion) -> bool {
        let says_so = || completion.texts().any(|text| acknowledgement::form(text).is_some());
        match self.settings.policy {
            AbandonmentPolicy::Strict => says_so(),
            AbandonmentPolicy::Soft => self.state.corrections > 0 && completion.calls.is_empty() && says_so(),
            AbandonmentPolicy::HardBlock | AbandonmentPolicy::AutoRetry => false,
        }
    }

    fn result(&mut self, result: &ToolResult) {
        let state = &mut self.state;
        match (result.origin, result.status) {
            (Origin::Synthetic, _) => state.runs.refused(&result.call),
            (Origin::Executed, Status::Error | Status::Unknown) if is_failure(result) => {
                let is_known = result.call.effect.is_known_change();
                if !is_known && !result.call.seems_to_write(&result.text) {
                    // A failure that makes no debt shows that the model tried something else.
                    state.corrections = 0;
                    return;
                }
                // The model did something, unless it repeated the failed call.
                if state.runs.failed(result, !is_known, state.position) {
                    state.corrections = 0;
                }
                state.settled = None;
            }
            (Origin::Executed, Status::Ok | Status::Error | Status::Unknown) | (Origin::Missing, _) => {
                state.corrections = 0;
                state.runs.done(result);
            }
        }
    }

    /// The user wants to see code, until they say something else; a nudge is nothing else.
    fn heard(&mut self, text: &str) {
        let state = &mut self.state;
        if asks_for_code(text, state.runs.is_open()) {
            state.asked_for_code = true;
        } else if !is_nudge(text) {
            state.asked_for_code = false;
        }
    }

    /// The soft policy's decision about a message without a call while there is a debt.
    fn soften(&self, run: &Run, fenced: bool, completion: &Completion) -> Decision {
        let verdict = match self.state.corrections {
            0 if fenced => Verdict::Retry(self.correction(run)),
            1 if completion.has_text() => Verdict::Retry(self.follow_up(run, 2, true)),
            _ => Verdict::Pass,
        };
        let notices = if fenced { vec![self.notice(run)] } else { Vec::new() };
        Decision { verdict, notices }
    }

    fn harden(&self, run: &Run) -> Decision {
        let told = self.state.corrections;
        let verdict = if told >= self.settings.limit {
            Verdict::Ask(self.question(run))
        } else if told == 0 {
            Verdict::Retry(self.correction(run))
        } else {
            let now = told.saturating_add(1);
            Verdict::Retry(self.follow_up(run, level(now), now == self.settings.limit))
        };
        Decision { verdict, notices: vec![self.notice(run)] }
    }

    /// The field design: the words must come before anything else.
    fn demand(&self, run: &Run, completion: &Completion) -> Decision {
        if self.state.settled.is_some() {
            return self.told_only(run, self.is_abandonment(run, completion));
        }
        if self.state.corrections >= self.settings.limit {
            return Decision::from(Verdict::Ask(self.question(run)));
        }
        Decision {
            verdict: Verdict::Retry(self.words_first(run, level(self.state.corrections.saturating_add(1)))),
            notices: if self.is_abandonment(run, completion) { vec![self.notice(run)] } else { Vec::new() },
        }
    }

    /// The model is left alone, and the user is told about a fence, unless they decided that the model goes on so.
    fn told_only(&self, run: &Run, is_abandonment: bool) -> Decision {
        let is_told = is_abandonment && self.state.settled != Some(Settled::User);
        Decision { notices: if is_told { vec![self.notice(run)] } else { Vec::new() }, ..Decision::pass() }
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
        self.state.position = self.state.position.saturating_add(1);
        match entry {
            Entry::Start(start) => {
                let name = |purpose| start.offer.first(purpose).map(|tool| tool.name.clone());
                self.state.shell = name(Purpose::Shell);
                self.state.ask = name(Purpose::AskUser);
            }
            Entry::Completion(completion) => {
                if !self.state.asked_for_code {
                    self.state.runs.shown(completion);
                }
                if self.state.settled.is_none() && self.debt().is_some() && self.settles(completion) {
                    self.state.settled = Some(Settled::Words);
                }
                self.hear_explanation(completion);
            }
            Entry::Result(result) => self.result(result),
            Entry::User(message) if message.from == Speaker::User => self.heard(&message.text),
            Entry::Answer(answer) => self.heard(&answer.text),
            Entry::Intervention(Intervention { kind, note, .. }) if note.guard == NAME => match kind {
                InterventionKind::Feedback => {
                    self.state.corrections = self.state.corrections.saturating_add(1);
                    self.state.spoken = self.state.spoken.saturating_add(1);
                }
                // The user decides now; the answer is valid until the tool fails again.
                InterventionKind::Question(_) => {
                    self.state.settled = Some(Settled::User);
                    self.state.spoken = self.state.spoken.saturating_add(1);
                }
                InterventionKind::Notice => {
                    if let Subject::Tool(tool) = &note.subject {
                        self.state.runs.told(tool);
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
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let Some(run) = self.debt() else { return Ok(Decision::pass()) };
        // Spec A8: the user gets what they asked for.
        if self.state.asked_for_code && completion.calls.is_empty() {
            return Ok(Decision::pass());
        }
        if self.settings.policy == AbandonmentPolicy::Strict {
            return Ok(self.demand(run, completion));
        }
        if !completion.calls.is_empty() {
            return Ok(Decision::pass());
        }
        let fenced = self.is_abandonment(run, completion);
        if self.state.settled.is_some() {
            return Ok(self.told_only(run, fenced));
        }
        if run.explained_at == Some(self.state.position) {
            return Ok(Decision::pass());
        }
        Ok(match self.settings.policy {
            AbandonmentPolicy::Soft => self.soften(run, fenced, completion),
            AbandonmentPolicy::HardBlock if fenced => self.harden(run),
            AbandonmentPolicy::HardBlock | AbandonmentPolicy::AutoRetry | AbandonmentPolicy::Strict => {
                self.told_only(run, fenced)
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
            Some(call) => {
                Settlement::Rerun { call, after: RERUN_AFTER.saturating_mul(results[call].tries.into()) }
            }
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
