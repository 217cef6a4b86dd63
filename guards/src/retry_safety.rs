//! **retry-safety**: an attempt breaks, and the question is whether it may be made again.
//!
//! *Detects* an attempt that returned no completion because of the transport or the provider (spec R1, R6), and calls
//! that ran within one (spec R7).
//!
//! *Asks* the model again, without the user, if nothing can happen twice (spec R2, R3), after waits with full jitter
//! that grow, up to a bound in tries and in time. Such a retry costs nothing but time, so each request has the whole
//! bound: a completion gives it back. If the user saw a part of the answer that broke, they are told that it is
//! incomplete and comes again (spec R4). It asks the user if something might happen twice, and names the tool that is
//! the reason. It refuses a call that ran in a broken attempt until another call has run and answered (spec R7):
//! twice, then it asks the user. It ends the run if the provider rejected the request itself, wants a longer wait than
//! allowed, or if asking again did not help, and says how far the attempt got. [`assess`] is the rule alone, without a
//! run (spec R5). The model is told which calls of a broken answer ran.
//!
//! *Stays silent* about empty completions, about broken attempts that a resend may fix and of which the user saw
//! nothing, and about calls that are known to change nothing.
//!
//! *Thresholds*: see [`RetrySafetySettings`]. The field design retries once (spec R3); two failures within half a
//! second then end a run.

mod assessment;
mod held;
mod messages;
mod policy;
mod ran;
mod settings;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::assessment::{Assessment, Provenance, Reason, Recommendation, assess};
use self::held::{Held, HeldCall};
pub use self::policy::RetrySafetyPolicy;
use self::ran::Ran;
pub use self::settings::RetrySafetySettings;
use balk_contract::rules::{Rule, Rung, Step};
use balk_contract::wording::times;
use balk_contract::{
    Answer, AttemptCause, AttemptFailure, AttemptResponse, Blocked, Choice, ChoiceKind, Completion, Decision,
    Entry, FailedAttempt, FinishReason, Guard, Intervention, InterventionKind, Note, Offer, Question,
    Recovery, Settlement, Sight, Speaker, Subject, ToolResult, Verdict, Wait,
};

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct RetrySafety {
    settings: RetrySafetySettings,
    state: RetrySafetyState,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct RetrySafetyState {
    #[serde(with = "balk_contract::offered")]
    offer: Arc<Offer>,
    /// Resends since the last completion or word of the user, and the ticks waited before them.
    resent: u32,
    waited: u64,
    /// Questions about a broken attempt that were followed by another, since the same.
    asked: u32,
    /// What ran within the attempt that has just broken.
    ran: Ran,
    /// The calls that may not run again yet.
    held: Held,
    /// The subject of the last question.
    asked_about: Option<Subject>,
    /// Whether the last completion came from an attempt that broke, until that attempt is known to have failed.
    broken: bool,
    /// Notes, notices and questions of this run, so that each message has different words.
    notes: u32,
    notices: u32,
    questions: u32,
}

const NAME: &str = "retry-safety";
const VERSION: u64 = 2;

impl RetrySafety {
    /// The rules of this guard.
    pub const RULES: &[Rule] = &[
        Rule::resend(AttemptCause::Connect),
        Rule::resend(AttemptCause::TimedOut),
        Rule::resend(AttemptCause::Disconnected),
        Rule::resend(AttemptCause::Status { code: 0, retry_after: None }),
        Rule::new(SHOWN, &[Rung::counted(Step::Notice)]),
        Rule::new("unsafe-execution-started", &[Rung::counted(Step::Question)]),
        Rule::new("provider-executed-tool", &[Rung::counted(Step::Question)]),
        Rule::new("side-effect-facts-incomplete", &[Rung::counted(Step::Question)]),
        Rule::new("attempt-facts-incomplete", &[Rung::counted(Step::Question)]),
        Rule::new("ran-already", &[Rung::counted(Step::Note)]),
        Rule::new("ran-already-again", &[Rung::counted(Step::Block), Rung::counted(Step::Question)]),
        Rule::new("early-transport-failure", &[Rung::counted(Step::Stop)]),
        Rule::new("answer-cut-off", &[Rung::counted(Step::Stop)]),
        Rule::new("transport-failure", &[Rung::counted(Step::Stop)]),
        Rule::new("request-rejected", &[Rung::counted(Step::Stop)]),
        Rule::new("told-to-wait", &[Rung::counted(Step::Stop)]),
        Rule::new("budget-spent", &[Rung::counted(Step::Stop)]),
    ];

    /// A guard with these settings.
    #[must_use]
    pub fn new(settings: RetrySafetySettings) -> Self {
        Self { settings, state: RetrySafetyState::default() }
    }

    /// The failure as the transcript shows it: a call with a result did run, whatever the facts say.
    fn seen(&self, failure: &AttemptFailure) -> AttemptFailure {
        let mut seen = failure.clone();
        for (tool, _) in self.state.ran.iter() {
            if !seen.facts.started.contains(tool) {
                seen.facts.started.push(tool.clone());
            }
        }
        seen
    }

    fn decide(&self, failure: &AttemptFailure) -> Recovery {
        let assessment = assess(self.settings.policy, failure.cause, &failure.facts, &self.state.offer);
        let promise = promise(failure.cause);
        match (assessment.recommendation, promise) {
            (Recommendation::DoNotRetry, _) => self.rejected(failure, &assessment),
            (_, Some(ticks)) if ticks > self.settings.max_wait => {
                self.told_to_wait(failure, &assessment, ticks)
            }
            (Recommendation::AskUserBeforeRetry, _) if self.state.asked >= self.settings.questions => {
                self.budget_spent(failure, &assessment)
            }
            (Recommendation::AskUserBeforeRetry, _) => Recovery::Ask(self.question(failure, &assessment)),
            (Recommendation::RetryAutomatically, _) if self.is_spent() => {
                self.retries_spent(failure, &assessment)
            }
            (Recommendation::RetryAutomatically, Some(ticks)) if ticks > self.left() => {
                self.told_to_wait(failure, &assessment, ticks)
            }
            (Recommendation::RetryAutomatically, _) => {
                Recovery::Resend { after: self.wait(promise), notice: self.shown_again(failure) }
            }
        }
    }

    fn is_spent(&self) -> bool {
        self.state.resent >= self.settings.retries || self.left() == 0
    }

    /// Ticks that may still be waited. The guard has no clock: it knows the waits that the transcript has. How long the
    /// attempts themselves took is not in it.
    fn left(&self) -> u64 {
        self.settings.total_wait.saturating_sub(self.state.waited)
    }

    /// Full jitter over a range that doubles; added to the provider's wait, so that clients with the same Retry-After
    /// do not all return at once.
    fn wait(&self, promise: Option<u64>) -> Wait {
        let doubled = 2_u64.saturating_pow(self.state.resent);
        let jitter = self.settings.backoff.saturating_mul(doubled).min(self.settings.max_backoff);
        let at_least = promise.unwrap_or(0);
        Wait { at_least, at_most: at_least.saturating_add(jitter).min(self.left()) }
    }

    /// What the user is told if they saw a part of the answer that broke (spec R4).
    fn shown_again(&self, failure: &AttemptFailure) -> Option<Note> {
        let text = || messages::shown_again(failure, self.state.broken, self.state.notices);
        (failure.facts.visible_output == Some(true))
            .then(|| note(SHOWN, self.state.notices, Subject::Run, text()))
    }

    fn rejected(&self, failure: &AttemptFailure, assessment: &Assessment) -> Recovery {
        self.stop(
            "request-rejected",
            failure,
            assessment,
            "; it would refuse the same request again",
            "Fix the request first.",
        )
    }

    fn told_to_wait(&self, failure: &AttemptFailure, assessment: &Assessment, promise: u64) -> Recovery {
        let span = messages::span(promise);
        let still = if self.state.waited > 0 { "still " } else { "" };
        let also = format!(", and asks for a wait of {span}, which is longer than this run may {still}wait");
        self.stop("told-to-wait", failure, assessment, &also, &format!("Continue in {span}."))
    }

    fn budget_spent(&self, failure: &AttemptFailure, assessment: &Assessment) -> Recovery {
        let also = match self.state.asked {
            0 => String::new(),
            before => {
                format!(". You were asked about such a failure {}, and are not asked again", times(before))
            }
        };
        self.stop("budget-spent", failure, assessment, &also, LATER)
    }

    fn retries_spent(&self, failure: &AttemptFailure, assessment: &Assessment) -> Recovery {
        let began_not = matches!(assessment.reason, Reason::EarlyTransportFailure | Reason::RequestNeverSent);
        let rule = match failure.facts.visible_output {
            _ if began_not => "early-transport-failure",
            Some(true) => "answer-cut-off",
            Some(false) | None => "transport-failure",
        };
        let also = match (self.state.resent, self.state.waited) {
            (0, _) => String::new(),
            (before, 0) => format!(", and retrying {} did not help", times(before)),
            (before, waited) => {
                format!(", and retrying {} within {} did not help", times(before), messages::span(waited))
            }
        };
        self.stop(rule, failure, assessment, &also, LATER)
    }

    fn stop(
        &self,
        rule: &'static str,
        failure: &AttemptFailure,
        assessment: &Assessment,
        also: &str,
        go_on: &str,
    ) -> Recovery {
        let why = messages::why(failure);
        let came = self.came(failure, assessment);
        let text = format!("Stopped: {why}{also}. {came} Earlier work is kept. {go_on}");
        Recovery::Stop(note(rule, self.state.resent, subject(assessment), text))
    }

    fn came(&self, failure: &AttemptFailure, assessment: &Assessment) -> String {
        let facts = assessment::known(failure.cause, &failure.facts);
        messages::came(&facts, &self.state.offer, &self.state.ran, assessment)
    }

    fn question(&self, failure: &AttemptFailure, assessment: &Assessment) -> Question {
        let why = messages::why(failure);
        let came = self.came(failure, assessment);
        let asked = match self.state.questions {
            0 => String::new(),
            before => format!(" (question {})", before.saturating_add(1)),
        };
        let text = format!(
            "The request failed: {why}. {came} Asking the model again may repeat an action{asked}. How should \
             it continue?"
        );
        let go_on = match self.state.ran.is_empty() {
            true => "ask the model again",
            false => "continue; what ran stays in the transcript",
        };
        Question {
            note: note(rule(assessment.reason), self.state.questions, subject(assessment), text),
            options: vec![Choice::instruct("say what took effect"), Choice::go_on(go_on), Choice::stop()],
        }
    }

    fn may_it_run_again(&self, held: &HeldCall) -> Question {
        let asked = match self.state.questions {
            0 => String::new(),
            before => format!(" (question {})", before.saturating_add(1)),
        };
        Question {
            note: note(AGAIN, held.refused(), held.subject(), messages::may_it_run_again(held, &asked)),
            options: vec![
                Choice::instruct("say what took effect"),
                Choice::go_on("it did not take effect: let it run again"),
                Choice::stop(),
            ],
        }
    }

    fn failed(&mut self, failed: &FailedAttempt) {
        self.state.ran.clear();
        if failed.failure.cause == AttemptCause::Empty {
            return;
        }
        self.state.broken = false;
        match failed.response {
            AttemptResponse::Resent { after } => {
                self.state.resent = self.state.resent.saturating_add(1);
                self.state.waited = self.state.waited.saturating_add(after);
            }
            AttemptResponse::Asked => self.state.asked = self.state.asked.saturating_add(1),
            AttemptResponse::Ended => {}
        }
    }

    /// The user decided to go on: resends have their full bound again.
    fn begins_anew(&mut self) {
        self.state.resent = 0;
        self.state.waited = 0;
    }
}

/// The rule for refusing a call that already ran.
const AGAIN: &str = "ran-already-again";
/// The rule for telling the user that what they saw comes again.
const SHOWN: &str = "text-shown-again";
/// Refusals of one call before the user is asked: the first could be a slip. Models still react to a second
/// correction, but hardly to a third (`docs/reactions.md#later-corrections`).
const REFUSALS: u32 = 2;

fn refusal(call: usize, held: &HeldCall) -> Blocked {
    let text = messages::not_again(held.tool(), held.outcome(), held.refused());
    Blocked { call, note: note(AGAIN, held.refused(), held.subject(), text) }
}

/// How to continue a run that ended because of a temporary problem.
const LATER: &str = "Continue later, or with another model.";

/// When the provider wants the next request.
const fn promise(cause: AttemptCause) -> Option<u64> {
    match cause {
        AttemptCause::Status { retry_after, .. } => retry_after,
        AttemptCause::Empty | AttemptCause::Connect | AttemptCause::TimedOut | AttemptCause::Disconnected => {
            None
        }
    }
}

fn note(rule: &'static str, before: u32, subject: Subject, text: String) -> Note {
    let level = u8::try_from(before.saturating_add(1)).unwrap_or(u8::MAX);
    Note { guard: NAME.into(), rule: rule.into(), level, subject, text: text.into() }
}

fn subject(assessment: &Assessment) -> Subject {
    assessment.tool.clone().map_or(Subject::Run, Subject::Tool)
}

/// The reason, as the rule of a note.
const fn rule(reason: Reason) -> &'static str {
    match reason {
        Reason::RequestRejected => "request-rejected",
        Reason::UnsafeExecutionStarted => "unsafe-execution-started",
        Reason::ProviderExecutedTool => "provider-executed-tool",
        Reason::SideEffectFactsIncomplete => "side-effect-facts-incomplete",
        Reason::AttemptFactsIncomplete => "attempt-facts-incomplete",
        Reason::RequestNeverSent => "request-never-sent",
        Reason::EarlyTransportFailure => "early-transport-failure",
        Reason::VisibleOutputOnly => "visible-output-only",
        Reason::NoToolExecuted => "no-tool-executed",
        Reason::OnlyHarmlessExecutions => "only-harmless-executions",
    }
}

impl Guard for RetrySafety {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        match entry {
            Entry::Start(start) => self.state.offer = start.offer.clone(),
            Entry::User(message) => {
                self.state.ran.clear();
                if message.from == Speaker::User {
                    self.begins_anew();
                    self.state.asked = 0;
                }
            }
            Entry::Answer(answer) => {
                self.begins_anew();
                self.state.ran.clear();
                if let Some(subject) = self.state.asked_about.take() {
                    self.state.held.answered(&subject, answer.choice == ChoiceKind::Continue);
                }
            }
            Entry::Completion(completion) => {
                self.state.ran.clear();
                self.state.broken = completion.finish == FinishReason::Error;
                if !self.state.broken {
                    self.begins_anew();
                    self.state.asked = 0;
                }
            }
            Entry::Result(result) if self.state.broken => {
                self.state.ran.add(result);
                self.state.held.hold(result);
            }
            Entry::Result(result) => self.state.held.looked(result),
            Entry::Failed(failed) => self.failed(failed),
            Entry::Intervention(Intervention { kind, note, .. }) if note.guard == NAME => match kind {
                InterventionKind::Note => self.state.notes = self.state.notes.saturating_add(1),
                InterventionKind::Question(_) => {
                    self.state.questions = self.state.questions.saturating_add(1);
                    self.state.asked_about = (note.rule == AGAIN).then(|| note.subject.clone());
                }
                InterventionKind::Block => self.state.held.refused(&note.subject),
                InterventionKind::Notice => self.state.notices = self.state.notices.saturating_add(1),
                InterventionKind::Feedback | InterventionKind::Repair(_) | InterventionKind::Stop => {}
            },
            Entry::Tried(_)
            | Entry::Intervention(_)
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let held = || self.state.held.called(completion);
        if held().next().is_none() {
            return Ok(Decision::pass());
        }
        Ok(match held().find(|(_, it)| it.refused() >= REFUSALS) {
            Some((_, it)) => Verdict::Ask(self.may_it_run_again(it)).into(),
            None => Verdict::Block(held().map(|(call, it)| refusal(call, it)).collect()).into(),
        })
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        if completion.finish != FinishReason::Error {
            return Ok(Settlement::Accept(Vec::new()));
        }
        let ran = Ran::of(results);
        if ran.is_empty() {
            return Ok(Settlement::Accept(Vec::new()));
        }
        let text = messages::ran_already(&ran, &self.state.offer, self.state.notes);
        Ok(Settlement::Accept(vec![note("ran-already", self.state.notes, Subject::Run, text)]))
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        Ok((failure.cause != AttemptCause::Empty).then(|| self.decide(&self.seen(failure))))
    }

    fn must_see(&self) -> Sight {
        if self.state.held.is_empty() { Sight::Nothing } else { Sight::Calls }
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.state)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.state = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
