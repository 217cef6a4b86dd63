//! **no-tools**: the model says what it will do, or nothing at all, and calls no tool.
//!
//! *Detects* (spec N1, N8) a completion without a call. If a tool ends the task (`completion = tool`), that is a
//! mistake. If text may end it, it is a mistake only if no tool was called since the user's last request, tools are
//! offered, and the text reads as an announcement: it breaks off (`:` or `…` at its end), or says in one of the known
//! languages that the model is about to act. Thinking without an answer is a mistake under both (spec E2), because
//! the same request would return it again.
//!
//! *Stays silent* under `text` after any call since the request, about a question to the user, a text with a code
//! fence or a long text (an answer), and after one correction for a request. A blocked or failed call also counts:
//! the model acted. A withheld answer (content filter) is not its concern.
//!
//! *Thresholds*: the limit of 3 comes from the field report (spec N4), Cline and Roo Code (`docs/peers.md#cline`,
//! `docs/peers.md#roo-code`). One correction for each request under `text`, because text-only turns of recorded
//! dialogues are stuck in about 1 % of cases (`docs/labels.md#what-single-rules-find`), and gpt-3.5 reacts to a
//! correction in 82 % after an announcement, but in 35 to 38 % after a finished answer
//! (`docs/reactions.md#announcements`).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::announcement;
use crate::text_form;
use balk_contract::rules::{Rule, Rung, Step};
use balk_contract::wording::{list, times};
use balk_contract::{
    Answer, Choice, Completion, Decision, Entry, FinishReason, Guard, Intervention, InterventionKind, Note,
    Offer, Protocol, Purpose, Question, Speaker, Subject, Verdict,
};

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
    /// Names of tools to show, including the one that ends the task and the one that asks the user.
    tools: Vec<Arc<str>>,
    finish: Option<Arc<str>>,
    ask: Option<Arc<str>>,
    /// Mistakes in a row, including the current completion.
    mistakes: u32,
    /// Whether a tool was called since the user's last request.
    called: bool,
    /// Whether the model was corrected since then.
    corrected: bool,
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
    TextOnly,
    /// Only thinking.
    ThinkingOnly,
}

const NAME: &str = "no-tools";
const VERSION: u64 = 1;
/// Tools that a correction shows as examples.
const EXAMPLES: usize = 4;

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
                && completion.texts().any(|text| text_form::calls_one_of(text, &self.state.callable)))
    }

    fn mistake(&self, completion: &Completion) -> Option<Mistake> {
        if self.calls_a_tool(completion) || is_unfinished(completion) {
            return None;
        }
        match (completion.has_text(), self.state.protocol) {
            (false, _) => Some(Mistake::ThinkingOnly),
            (true, Protocol::Tool) => Some(Mistake::TextOnly),
            (true, Protocol::Text) => {
                let may_be_one = !self.state.called && !self.state.tools.is_empty();
                let announces =
                    || completion.texts().last().is_some_and(|text| announcement::breaks_off(text));
                (may_be_one && announces()).then_some(Mistake::TextOnly)
            }
        }
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

    fn tool_names(&self) -> String {
        let names: Vec<String> = self.state.tools.iter().map(|name| format!("`{name}`")).collect();
        list(&names, EXAMPLES)
    }

    fn correction(&self, mistake: Mistake) -> Note {
        let (count, limit) = (self.state.mistakes, self.settings.limit);
        let counted = match self.state.spoken {
            0 => String::new(),
            before => format!(" (reminder {})", before + 1),
        };
        if let Some(message) = &self.settings.message {
            let text = message
                .replace("{tools}", &self.tool_names())
                .replace("{count}", &count.to_string())
                .replace("{limit}", &limit.to_string());
            return self.note("message", text + &counted);
        }
        let (rule, seen) = match mistake {
            Mistake::TextOnly => ("no-call", "Your last message calls no tool, so nothing was done"),
            Mistake::ThinkingOnly => {
                ("thinking-only", "Your last turn is only thinking, with neither an answer nor a call")
            }
        };
        let done = match (&self.state.finish, self.state.protocol) {
            (Some(finish), _) => format!("if the task is done, call `{finish}`"),
            (None, Protocol::Tool | Protocol::Text) => {
                "if the task is done, say so and give the result".into()
            }
        };
        let ask = match &self.state.ask {
            Some(ask) => format!("if you need something from the user, call `{ask}`"),
            None => "if you need something from the user, ask a question".into(),
        };
        let last = if count + 1 >= limit { " The next time, the user is asked instead." } else { "" };
        let example = self.state.tools.first().map_or(String::new(), |tool| {
            format!("An announcement is not a call: call `{tool}` or another tool now.")
        });
        let tools = self.tool_names();
        let [go_on, send] = match tools.is_empty() {
            true => [String::new(), "Now: ".into()],
            false => [
                format!("- to continue, call a tool: {tools}\n"),
                format!("Send one call now, with all its arguments: {tools}; or "),
            ],
        };
        let text = match self.state.spoken % 2 {
            0 => format!("{seen}{counted}.\n{go_on}- {done}\n- {ask}\n{example}{last}"),
            _ => format!(
                "Again you called no tool{in_a_row}{counted}. An announced step is not done until you send the \
                 call. {send}{done}.{last}",
                in_a_row = if count > 1 { format!(", {} in a row", times(count)) } else { String::new() },
            ),
        };
        self.note(rule, text)
    }

    fn messages_in_a_row(&self) -> String {
        match self.state.mistakes {
            1 => "the last message calls no tool".into(),
            many => format!("{many} messages in a row call no tool"),
        }
    }

    fn question(&self) -> Question {
        let reminded = match self.state.reminders {
            0 => String::new(),
            1 => ", and one reminder did not help".into(),
            many => format!(", and {many} reminders did not help"),
        };
        let asked = match self.state.questions {
            0 => String::new(),
            before => format!(" (question {})", before + 1),
        };
        let text = format!(
            "The model is stuck: {}{reminded}{asked}. How should it continue?",
            self.messages_in_a_row()
        );
        Question {
            note: self.note("limit", text),
            options: vec![
                Choice::instruct("adjust the instructions"),
                Choice::switch_model(),
                Choice::go_on("continue anyway"),
            ],
        }
    }

    fn stop(&self) -> Note {
        let text = format!(
            "Stopped: {}, and the user was asked {}.",
            self.messages_in_a_row(),
            times(self.state.questions),
        );
        self.note("questions-spent", text)
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
            Entry::User(message) if message.from == Speaker::User => {
                self.state.called = false;
                self.state.corrected = false;
                if self.state.protocol == Protocol::Text {
                    self.count_anew();
                }
            }
            Entry::Completion(completion) => {
                if self.calls_a_tool(completion) {
                    self.state.called = true;
                    self.count_anew();
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
            // At most one correction for each request: if text may end the task, most text is right.
            (Mistake::TextOnly, Protocol::Text) if self.state.corrected => Decision::pass(),
            (Mistake::TextOnly, Protocol::Text) => Verdict::Retry(self.correction(mistake)).into(),
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
    fn count_anew(&mut self) {
        self.state.mistakes = 0;
        self.state.reminders = 0;
    }

    fn offered(&mut self, offer: &Offer) {
        let name = |purpose| offer.first(purpose).map(|tool| tool.name.clone());
        self.state.finish = name(Purpose::Finish);
        self.state.ask = name(Purpose::AskUser);
        let works = |purpose| matches!(purpose, Purpose::Shell | Purpose::Other);
        let tools = offer.tools().iter().filter(|tool| works(tool.purpose));
        self.state.tools = tools.map(|tool| tool.name.clone()).collect();
        let callable = offer.tools().iter().filter(|_| self.settings.text_form);
        self.state.callable = callable.map(|tool| tool.name.clone()).collect();
    }
}
