//! **no-tools**: the model says what it will do, or nothing at all, and calls no tool.
//!
//! *Detects* (spec N1, N8, T1) a completion without a call. If a tool ends the task (`completion = tool`), that is a
//! mistake. If text may end it, it is one as long as tools are offered, in three cases. The text announces an action
//! and breaks off (`announcement.rs`), it prints a call of a tool on offer, or it denies access though nothing was
//! tried; the user had to nudge the model (`nudge.rs`: "Proceed.", "I don't see it.") after a message without a call,
//! and the next one does the same in place of a call; or a text comes again that was there before a correction.
//! Thinking without an answer is a mistake under both (spec E2), because the same request would return it again.
//!
//! *Stays silent* under `text` about every other text: an answer, a question, code, a report. So does it where the
//! user's request has a printed call in it or asks for JSON, and about a model that has tried and says again that it
//! cannot. A blocked or failed call also counts: the model acted. A
//! withheld answer (content filter) is not its concern.
//!
//! *Says* what was wrong, and asks for the call. The tool that ends the task is only named to a model whose text reads
//! as a report and that has called something since the request: a small model takes every way out that a message
//! names (`docs/reactions.md#ways-out`).
//!
//! *Thresholds*: the limit of 3 comes from the field report (spec N4), Cline and Roo Code (`docs/peers.md#cline`,
//! `docs/peers.md#roo-code`). Under `text` one correction for each request, then the user is asked (spec T3): text-only
//! turns of recorded dialogues are stuck in about 1 % of cases (`docs/labels.md#what-single-rules-find`), and gpt-3.5
//! reacts to a correction in 82 % after an announcement, but in 35 to 38 % after a finished answer
//! (`docs/reactions.md#announcements`).

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::acknowledgement::says_it_cannot;
use crate::nudge::{asks_to_see, is_nudge, takes_up};
use crate::printed;
use instead::Instead;

use balk_contract::rules::{Rule, Rung, Step};
use balk_contract::{
    Answer, Completion, Decision, Entry, FinishReason, Guard, Intervention, InterventionKind, Note, Offer,
    Protocol, Purpose, ResultKey, Speaker, Subject, Verdict, identity,
};

mod instead;
mod messages;

/// Settings of the guard (spec N5). [`PerModel`](crate::PerModel) decides whether it is on for a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NoToolsSettings {
    /// Mistakes in a row after which the user is asked; so there are `limit - 1` corrections.
    pub limit: u32,
    /// Questions before the run ends.
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
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct NoToolsState {
    protocol: Protocol,
    /// Names of all tools on offer, if text can call them.
    callable: Vec<Arc<str>>,
    /// Names of tools that do something: none that ends the task or asks the user.
    tools: Vec<Arc<str>>,
    finish: Option<Arc<str>>,
    /// Mistakes in a row, including the current completion.
    mistakes: u32,
    /// Whether a tool was called since the user's last request.
    called: bool,
    /// Whether a tool was called in the run.
    acted: bool,
    /// Whether the model was corrected since then.
    corrected: bool,
    /// What the last two completions did in place of a call, newest last; `None` for one that called or was empty.
    instead: [Option<Instead>; 2],
    /// What the user said after them, if it was only a nudge.
    nudge: Option<Arc<str>>,
    /// The last texts in place of a call, since the user's request.
    texts: VecDeque<ResultKey>,
    /// Whether the user's request speaks of calls, so that a printed one may be an answer.
    wants_calls: bool,
    /// Reminders since the count of mistakes began.
    reminders: u32,
    questions: u32,
    /// Reminders in this run, so that each message has different words.
    spoken: u32,
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
const VERSION: u64 = 2;
/// Tools that a correction shows as examples.
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
    ];

    /// A guard with these settings.
    #[must_use]
    pub fn new(settings: NoToolsSettings) -> Self {
        Self { settings, state: NoToolsState::default() }
    }

    fn calls_a_tool(&self, completion: &Completion) -> bool {
        !completion.calls.is_empty()
            || (self.settings.text_form
                && completion.texts().any(|text| printed::calls_one_of(text, &self.state.callable)))
    }

    fn mistake(&self, completion: &Completion) -> Option<Mistake> {
        if self.calls_a_tool(completion) || is_unfinished(completion) {
            return None;
        }
        // The last text is what the user reads last.
        let Some(text) = completion.texts().last().filter(|_| completion.has_text()) else {
            return Some(Mistake::ThinkingOnly);
        };
        let instead = Instead::of(text, &self.state.tools);
        let is_one = match self.state.protocol {
            Protocol::Tool => true,
            Protocol::Text => !self.state.tools.is_empty() && self.is_out_of_place(instead, text),
        };
        is_one.then_some(Mistake::TextOnly(instead))
    }

    /// Whether this is a mistake where text may end the task.
    fn is_out_of_place(&self, instead: Instead, text: &str) -> bool {
        let is_urged = self.state.nudge.as_ref().is_some_and(|nudge| {
            let is_asked_for = instead == Instead::ShowsCode && asks_to_see(nudge);
            !is_asked_for && !takes_up(text, nudge)
        });
        let does_the_same = instead != Instead::Reports && self.state.instead[0] == Some(instead);
        // Who has tried, and says again that it cannot be done, answers the question.
        let is_honest = instead == Instead::Reports && self.state.acted && says_it_cannot(text);
        let says_again = (is_urged || self.state.corrected) && self.has_said(text) && !is_honest;
        says_again
            || is_urged && does_the_same
            || match instead {
                Instead::Announces => true,
                Instead::PrintsCall => !self.state.wants_calls,
                Instead::Denies => !self.state.called,
                Instead::ShowsCode | Instead::Asks | Instead::Reports => false,
            }
    }

    /// Whether an earlier text since the request was the same. The newest one may be this text itself.
    fn has_said(&self, text: &str) -> bool {
        let key = identity(text);
        self.state.texts.iter().filter(|it| **it == key).count()
            > usize::from(self.state.texts.back() == Some(&key))
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
        match entry {
            Entry::Start(start) => {
                self.state.protocol = start.protocol;
                self.offered(&start.offer);
            }
            Entry::User(message) if message.from == Speaker::User => self.asked(&message.text),
            Entry::Completion(completion) => {
                self.remember(completion);
                if self.calls_a_tool(completion) {
                    self.acts();
                } else if self.mistake(completion).is_some() {
                    self.state.mistakes += 1;
                } else if !is_unfinished(completion) {
                    self.count_anew();
                }
            }
            Entry::Answer(_) => {
                self.count_anew();
                self.state.corrected = false;
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
                    self.state.corrected = true;
                    self.state.reminders += 1;
                    self.state.spoken += 1;
                }
                InterventionKind::Question(_) => self.state.questions += 1,
                InterventionKind::Note
                | InterventionKind::Notice
                | InterventionKind::Block
                | InterventionKind::Repair(_)
                | InterventionKind::Stop => {}
            },
            Entry::User(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Result(_)
            | Entry::Intervention(_)
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let Some(mistake) = self.mistake(completion) else { return Ok(Decision::pass()) };
        Ok(match (mistake, self.state.protocol) {
            // One correction for each request, then the user hears of it: if text may end the task, most text is right.
            (Mistake::TextOnly(_), Protocol::Text) if !self.state.corrected => {
                Verdict::Retry(self.correction(mistake)).into()
            }
            (Mistake::TextOnly(_), Protocol::Text) if self.state.questions < self.settings.questions => {
                Verdict::Ask(self.question()).into()
            }
            (Mistake::TextOnly(_), Protocol::Text) => Verdict::Stop(self.stop()).into(),
            _ if self.state.mistakes < self.settings.limit => Verdict::Retry(self.correction(mistake)).into(),
            _ if self.state.questions < self.settings.questions => Verdict::Ask(self.question()).into(),
            _ => Verdict::Stop(self.stop()).into(),
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

/// Withheld or cut off: it is not known whether a call would have followed.
fn is_unfinished(completion: &Completion) -> bool {
    matches!(completion.finish, FinishReason::ContentFilter | FinishReason::Length)
}

impl NoTools {
    /// The user speaks: a nudge goes on with the request, anything else is a new one.
    fn asked(&mut self, text: &str) {
        if self.state.instead[1].is_some() && is_nudge(text) {
            self.state.nudge = Some(text.into());
            return;
        }
        self.state.wants_calls = printed::speaks_of_calls(text);
        (self.state.called, self.state.corrected) = (false, false);
        (self.state.instead, self.state.nudge) = ([None; 2], None);
        self.state.texts.clear();
        if self.state.protocol == Protocol::Text {
            self.count_anew();
        }
    }

    /// Records what a completion does in place of a call.
    fn remember(&mut self, completion: &Completion) {
        let text = completion.texts().last().filter(|_| !self.calls_a_tool(completion));
        let instead = text.map(|text| Instead::of(text, &self.state.tools));
        self.state.instead = [self.state.instead[1], instead];
        if let Some(text) = text {
            if self.state.texts.len() == TEXTS {
                self.state.texts.pop_front();
            }
            self.state.texts.push_back(identity(text));
        }
    }

    /// The model calls a tool.
    fn acts(&mut self) {
        (self.state.called, self.state.acted) = (true, true);
        self.state.nudge = None;
        self.count_anew();
    }

    fn count_anew(&mut self) {
        self.state.mistakes = 0;
        self.state.reminders = 0;
    }

    fn offered(&mut self, offer: &Offer) {
        self.state.finish = offer.first(Purpose::Finish).map(|tool| tool.name.clone());
        let works = |purpose| matches!(purpose, Purpose::Shell | Purpose::Other);
        let tools = offer.tools().iter().filter(|tool| works(tool.purpose));
        self.state.tools = tools.map(|tool| tool.name.clone()).collect();
        let callable = offer.tools().iter().filter(|_| self.settings.text_form);
        self.state.callable = callable.map(|tool| tool.name.clone()).collect();
    }
}
