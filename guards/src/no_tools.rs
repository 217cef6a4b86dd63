//! **no-tools**: the model says what it will do, or nothing at all, and calls no tool.
//!
//! *Detects* (spec N1, N8, T1) a completion without a call. If a tool ends the task (`completion = tool`), that is a
//! mistake. If text may end it, it is one as long as tools are offered, where the transcript contradicts it
//! (`no_tools/request.rs` keeps what was asked and done):
//!
//! - it announces an action and breaks off, or ends a plan with one (`announcement.rs`), or says what comes next about
//!   a file that no call of the run has touched; it prints a call of a tool on offer; it denies access, and no call
//!   failed;
//! - it says that something is done, and no call has touched any of the files that it names; or that it changed
//!   something itself, and all that it did was to look;
//! - the user's request names a file, no call was made, and the text shows code for it or speaks about it;
//! - the user had to nudge the model ([`nudge`](balk_contract::nudge): "Proceed.", "I don't see it.") after a message
//!   without a call, and the next one does the same in place of a call: it asks, plans, shows code, announces, denies
//!   or claims again;
//! - the user nudged it twice in a row, and what the request names is still open;
//! - the user disputes a claim, and the model makes it again after the same look (`no_tools/dispute.rs`);
//! - the user urges it for the third time, and it says much the same again, in any language (`no_tools/promises.rs`);
//! - the model was corrected, and before any call it does one of these again, or says the same as before.
//!
//! At an end that the model or the user chose, it tells the user what the request names and no call has done (spec C2,
//! `no_tools/open.rs`). That disturbs no run, so it needs no sign that something is wrong, only true statements.
//!
//! Thinking without an answer is a mistake under both (spec E2), because the same request would return it again.
//!
//! *Stays silent* under `text` about every other text: an answer, a question, a plan, code, a report. So does it where
//! the request asks for the words (for JSON, a plan, code, an explanation, or in the form of a question), where a
//! command ran that may have touched any file, about a text that says that something was not done, and about a model
//! that has tried and says again that it cannot. A question about what the model will do asks for an announcement, and
//! a question of the model asks for an answer: one that the user gave is no nudge, so the next question is another one.
//! Once an answer was more than a yes, questions that ask something new are an interview, and a yes answers them. One
//! open question may also follow a yes. A long value that the user has to give again shows that they were asked again.
//! A model that has no feelings denies no tool, and it may speak of a file that a result named. A blocked or failed
//! call also counts: the model acted. A withheld answer (content filter) is not its concern.
//!
//! *Says* what was wrong, and shows the form of a call by an example: of the tool that the model's own text names, or
//! of the tool that failed before it showed code, else of no tool. Models call the tool that a message names, fitting
//! or not (`docs/reactions.md#a-small-live-model`). A printed call gets no example, because it has the form already.
//! The tool that ends the task is only named to a model whose text reads as a report and that has called something
//! since the request: a small model takes every way out that a message names (`docs/reactions.md#ways-out`).
//!
//! *Thresholds*: the limit of 3 comes from the field report (spec N4), Cline and Roo Code (`docs/peers.md#cline`,
//! `docs/peers.md#roo-code`). Under `text` one correction for each request, then the user is asked (spec T3). Of steps
//! that are announced or printed, another may follow one that worked (a productive turn came next), up to the same
//! limit; five productive turns give back all (spec P4, [`Evidence`]). Text-only turns of recorded dialogues are stuck
//! in about 1 % of cases (`docs/labels.md#what-single-rules-find`), and gpt-3.5 reacts to a correction in 82 % after an
//! announcement, but in 35 to 38 % after a finished answer (`docs/reactions.md#announcements`).

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::printed;
use dispute::Dispute;
use instead::{CHARS, Instead};
use promises::Promises;
use request::{Request, has_failed};

use balk_contract::evidence::Evidence;
use balk_contract::rules::{Rule, Rung, Step};
use balk_contract::wording::is_longer;
use balk_contract::{
    Answer, Completion, Conclusion, Decision, Effect, Entry, FinishReason, Guard, Intervention,
    InterventionKind, Note, Offer, Origin, Protocol, Purpose, ResultKey, Speaker, Subject, Termination,
    ToolResult, Verdict, identity,
};

mod budget;
mod dispute;
mod instead;
mod judgement;
mod messages;
mod open;
mod promises;
mod recent;
mod request;
mod telling;
mod user;
mod vocabulary;

/// Settings of the guard (spec N5). [`PerModel`](crate::PerModel) decides whether it is on for a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NoToolsSettings {
    /// Mistakes in a row after which the user is asked; so there are `limit - 1` corrections.
    pub limit: u32,
    /// Questions in one request of the user before the run ends; productive turns give them back
    /// ([`QUESTION_TURNS`](balk_contract::evidence::QUESTION_TURNS)).
    pub questions: u32,
    /// A correction that replaces the guard's own text: `{tools}` becomes the tools, `{count}` the number of the
    /// mistake, `{limit}` the limit.
    pub message: Option<String>,
    /// Whether the agent reads tool calls from the text (`<tool>…</tool>`, JSON), so that text can be a call.
    pub text_form: bool,
}

impl Default for NoToolsSettings {
    fn default() -> Self {
        Self { limit: 3, questions: 3, message: None, text_form: false }
    }
}

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct NoTools {
    settings: NoToolsSettings,
    state: NoToolsState,
    /// The text that was judged last, and what it does: the questions are about the text that was folded.
    judged: Option<(Arc<str>, Instead)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct NoToolsState {
    protocol: Protocol,
    /// Names of all tools on offer, if text can call them.
    callable: Vec<Arc<str>>,
    /// Names of tools that do something: none that ends the task or asks the user.
    tools: Vec<Arc<str>>,
    /// The members that their arguments must have, in the same order.
    needed: Vec<Arc<[Arc<str>]>>,
    /// Whether one of them may change something.
    changes: bool,
    finish: Option<Arc<str>>,
    /// Mistakes in a row, including the current completion.
    mistakes: u32,
    /// What the user asked for, and what was done about it.
    request: Request,
    /// The tool that changes things and failed last since the request.
    failing: Option<Arc<str>>,
    /// Corrections since the request; work gives them back.
    corrections: u32,
    /// Whether it has called nothing since then.
    ignores: bool,
    /// What the last two completions did in place of a call, newest last; `None` for one that called or was empty.
    instead: [Option<Instead>; 2],
    /// Their texts, if they are short.
    said: [Option<Arc<str>>; 2],
    /// What the user said after them, if it was only a nudge.
    nudge: Option<Arc<str>>,
    /// The text of the model that the user said yes to, and nothing else.
    allowed: Option<Arc<str>>,
    /// Whether the user answered a question with something else than a yes, since the last call.
    gave: bool,
    dispute: Dispute,
    promises: Promises,
    /// What the user said last, and whether the model did a step since.
    heard: Option<ResultKey>,
    stepped: bool,
    /// Messages of the user in a row that only nudge, with no call in between.
    nudges: u32,
    /// The last texts in place of a call, since the user's request.
    texts: VecDeque<ResultKey>,
    /// Reminders since the count of mistakes began.
    reminders: u32,
    /// Questions in this request, less those given back.
    questions: u32,
    /// Followed from the first word on.
    evidence: Option<Evidence>,
    /// Productive turns since the last reminder or question.
    productive: u32,
    /// Reminders in this run, so that each message has different words.
    spoken: u32,
    /// Whether the user was told something since the last completion.
    told: bool,
}

/// What is wrong with a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mistake {
    /// Text, but no call where one is needed.
    TextOnly(Instead),
    /// Only thinking.
    ThinkingOnly,
}

const NAME: &str = "no-tools";
const VERSION: u64 = 9;
/// Tools that `{tools}` names in a message of the user's own.
const EXAMPLES: usize = 4;
/// Texts that are remembered, to find one that comes again after a nudge.
const TEXTS: usize = 4;

impl NoTools {
    /// The rules of this guard.
    pub const RULES: &[Rule] = &[
        Rule::new("no-call", &[Rung::counted(Step::Feedback)]),
        Rule::new("thinking-only", &[Rung::counted(Step::Feedback)]),
        Rule::new("message", &[Rung::counted(Step::Feedback)]),
        Rule::new("limit", &[Rung::counted(Step::Question)]),
        Rule::new("questions-spent", &[Rung::counted(Step::Stop)]),
        Rule::new("open-request", &[Rung::counted(Step::Conclusion)]),
    ];

    /// A guard with these settings.
    #[must_use]
    pub fn new(settings: NoToolsSettings) -> Self {
        Self { settings, state: NoToolsState::default(), judged: None }
    }

    fn calls_a_tool(&self, completion: &Completion) -> bool {
        !completion.calls.is_empty()
            || (self.settings.text_form
                && completion.texts().any(|text| printed::calls_one_of(text, &self.state.callable)))
    }

    /// What this text does in place of a call.
    fn instead(&self, text: &Arc<str>) -> Instead {
        match &self.judged {
            Some((judged, instead)) if judged == text => *instead,
            Some(_) | None => Instead::of(text, &self.state.tools),
        }
    }

    fn mistake(&self, completion: &Completion) -> Option<Mistake> {
        if self.calls_a_tool(completion) || is_unfinished(completion) {
            return None;
        }
        // The last text is what the user reads last.
        let Some(text) = completion.texts().last().filter(|_| completion.has_text()) else {
            return Some(Mistake::ThinkingOnly);
        };
        let instead = self.instead(text);
        let is_one = match self.state.protocol {
            Protocol::Tool => true,
            Protocol::Text => !self.state.tools.is_empty() && self.is_out_of_place(instead, text),
        };
        is_one.then_some(Mistake::TextOnly(instead))
    }

    fn note(&self, rule: &'static str, text: String) -> Note {
        Note {
            guard: NAME.into(),
            rule: rule.into(),
            level: u8::try_from(self.state.mistakes).unwrap_or(u8::MAX),
            subject: Subject::Run,
            text: text.into(),
        }
    }
}

impl Guard for NoTools {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        if let Some(evidence) = &mut self.state.evidence
            && evidence.observe(entry)
        {
            self.productive();
        }
        if let Entry::Intervention(it) = entry {
            self.state.told |= it.kind.is_for_user();
        }
        match entry {
            Entry::Start(start) => {
                self.state.protocol = start.protocol;
                self.offered(&start.offer);
            }
            Entry::User(message) if message.from == Speaker::User => self.asked(&message.text),
            Entry::Completion(completion) => {
                self.state.told = false;
                self.remember(completion);
                if self.calls_a_tool(completion) {
                    self.acts();
                } else if self.mistake(completion).is_some() {
                    self.state.mistakes = self.state.mistakes.saturating_add(1);
                } else if !is_unfinished(completion) {
                    self.count_anew();
                }
            }
            Entry::Result(result) => self.result(result),
            Entry::Answer(_) => {
                self.count_anew();
                (self.state.corrections, self.state.ignores) = (0, false);
            }
            // A call that was made out of a text is a call.
            Entry::Intervention(Intervention { kind: InterventionKind::Repair(completion), .. })
                if !completion.calls.is_empty() =>
            {
                if self.state.instead[1].take().is_some() {
                    self.state.texts.pop_back();
                }
                self.acts();
            }
            Entry::Intervention(Intervention { kind, note, .. }) if note.guard == NAME => match kind {
                InterventionKind::Feedback => {
                    self.spoke();
                    self.state.ignores = true;
                    self.state.corrections = self.state.corrections.saturating_add(1);
                    self.state.reminders = self.state.reminders.saturating_add(1);
                    self.state.spoken = self.state.spoken.saturating_add(1);
                }
                InterventionKind::Question(_) => {
                    self.spoke();
                    self.state.questions = self.state.questions.saturating_add(1);
                }
                InterventionKind::Note
                | InterventionKind::Notice
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
        let Some(mistake) = self.mistake(completion) else { return Ok(Decision::pass()) };
        Ok(match (mistake, self.state.protocol) {
            // One correction for each request or stretch of work, then the user hears of it: if text may end the
            // task, most text is right.
            (Mistake::TextOnly(instead), Protocol::Text) if self.may_correct(instead) => {
                Verdict::Retry(self.correction(mistake, completion)).into()
            }
            (Mistake::TextOnly(_), Protocol::Text) if self.state.questions < self.settings.questions => {
                Verdict::Ask(self.question(mistake)).into()
            }
            (Mistake::TextOnly(_), Protocol::Text) => Verdict::Stop(self.stop()).into(),
            _ if self.state.mistakes < self.settings.limit => {
                Verdict::Retry(self.correction(mistake, completion)).into()
            }
            _ if self.state.questions < self.settings.questions => {
                Verdict::Ask(self.question(mistake)).into()
            }
            _ => Verdict::Stop(self.stop()).into(),
        })
    }

    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        let is_chosen = matches!(end, Termination::Finished | Termination::StoppedByUser);
        let text = if is_chosen && !self.state.told { self.open_request() } else { None };
        let note = |text| Note { level: 1, ..self.note("open-request", text) };
        Ok(text.map(|text| Conclusion { end: end.clone(), note: note(text), gap: None }))
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.state)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.state = balk_contract::state::open(NAME, VERSION, state)?;
        self.judged = None;
        Ok(())
    }
}

/// Withheld or cut off: it is not known whether a call would have followed.
fn is_unfinished(completion: &Completion) -> bool {
    matches!(completion.finish, FinishReason::ContentFilter | FinishReason::Length)
}

impl NoTools {
    fn result(&mut self, result: &ToolResult) {
        self.state.dispute.observe(result);
        if self.state.request.observe(result) {
            (self.state.allowed, self.state.stepped) = (None, true);
        }
        if result.call.effect.is_known_change() && result.origin == Origin::Executed {
            let failed = has_failed(result);
            self.state.failing = failed.then(|| result.call.tool.clone());
        }
    }

    /// Records what a completion does in place of a call.
    fn remember(&mut self, completion: &Completion) {
        let text = completion.texts().last().filter(|_| !self.calls_a_tool(completion));
        let instead = text.map(|text| self.instead(text));
        self.judged = text.cloned().zip(instead);
        self.state.instead = [self.state.instead[1], instead];
        let short = text.filter(|text| !is_longer(text, CHARS)).cloned();
        self.state.said = [self.state.said[1].take(), short];
        let Some((text, instead)) = text.zip(instead) else { return };
        self.state.dispute.say(text);
        self.state.promises.say(text, instead);
        if self.state.texts.len() == TEXTS {
            self.state.texts.pop_front();
        }
        self.state.texts.push_back(identity(text));
    }

    /// The model calls a tool.
    fn acts(&mut self) {
        self.state.request.called();
        self.state.promises.act();
        self.state.gave = false;
        (self.state.nudge, self.state.nudges, self.state.ignores) = (None, 0, false);
        self.count_anew();
    }

    fn count_anew(&mut self) {
        self.state.mistakes = 0;
        self.state.reminders = 0;
    }

    fn offered(&mut self, offer: &Offer) {
        self.judged = None;
        self.state.finish = offer.first(Purpose::Finish).map(|tool| tool.name.clone());
        let works = |purpose| matches!(purpose, Purpose::Shell | Purpose::Other);
        let tools = || offer.tools().iter().filter(|tool| works(tool.purpose));
        self.state.tools = tools().map(|tool| tool.name.clone()).collect();
        self.state.needed = tools().map(|tool| tool.parameters.required().clone()).collect();
        self.state.changes = tools().any(|tool| tool.effect != Effect::ReadOnly);
        let callable = offer.tools().iter().filter(|_| self.settings.text_form);
        self.state.callable = callable.map(|tool| tool.name.clone()).collect();
    }
}
