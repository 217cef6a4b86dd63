//! What a stack may say, what it has said, and what gives the budget back.

use std::collections::VecDeque;

use serde_core::de::DeserializeOwned;
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use crate::entry::{Entry, InterventionKind, Speaker};
use crate::evidence::{CORRECTION_TURNS, Evidence, QUESTION_TURNS};
use crate::guard::{Answer, GuardFault};
use crate::note::ChoiceKind;
use crate::nudge::is_nudge;

/// How much a stack may say while the model works on one request of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Corrective messages to the model (feedback and notes).
    pub corrections: u32,
    /// Corrective messages within a window of turns.
    pub window: Window,
    /// Questions to the user. Three is the cap of the field design (spec N4).
    pub questions: u32,
}

/// How much may be said in a window of turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The length of the window, in turns.
    pub turns: u64,
    /// The corrective messages in them.
    pub corrections: usize,
}

impl Default for Budget {
    /// Twelve corrections: recorded models that ignored four in a row reacted to fewer than 10 % of later ones
    /// (`docs/reactions.md#later-corrections`), and work on one request seldom has more than three stretches
    /// (`docs/reactions.md#onset`). Six in ten turns: two full ladders of three, after which weak models reacted to 0
    /// to 12 %.
    fn default() -> Self {
        Self { corrections: 12, window: Window { turns: 10, corrections: 6 }, questions: 3 }
    }
}

/// How many budgets may be spent before something moves, however many requests the user makes meanwhile. Assumed: a
/// person who chats without a single call has their whole chat, and a script that says something else each time ends.
const IDLE_BUDGETS: u32 = 4;
/// How many messages of the user are remembered, to know one that is said again.
const MESSAGES: usize = 8;

/// How many corrections and questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    corrections: u32,
    questions: u32,
}

/// What the stack has said, and what was given back of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spent {
    turn: u64,
    /// Said since the user's request began.
    request: Count,
    /// Given back by evidence since then.
    back: Count,
    /// Said since anything moved.
    idle: Count,
    /// Productive turns since the last correction, and since the last question.
    productive: Count,
    /// Whether anything moved since the stack last spoke.
    has_moved: bool,
    /// The turns of the last corrections, at most as many as the window allows.
    recent: VecDeque<u64>,
    /// Followed from the first word on: a stack that says nothing does not need it.
    evidence: Option<Evidence>,
    /// Digests of the user's last messages.
    messages: VecDeque<u64>,
}

impl Spent {
    pub(super) fn observe(&mut self, entry: &Entry, budget: &Budget) {
        if let Some(evidence) = &mut self.evidence
            && evidence.observe(entry)
        {
            self.moved();
        }
        match entry {
            Entry::Completion(_) => self.turn = self.turn.saturating_add(1),
            Entry::Intervention(intervention) => match intervention.kind {
                InterventionKind::Feedback | InterventionKind::Note => self.corrected(budget),
                InterventionKind::Question(_) => self.asked(),
                InterventionKind::Repair(_)
                | InterventionKind::Notice
                | InterventionKind::Block
                | InterventionKind::Stop => {}
            },
            // What moved is an answer to what was asked for: whatever the user says then is the next request.
            Entry::User(message) if message.from == Speaker::User => {
                if self.says_something_new(&message.text) || self.has_moved {
                    self.begin();
                }
            }
            Entry::Answer(answer) => match answer.choice {
                // An instruction is a part of the request, so its questions stay asked.
                ChoiceKind::Instruct => {
                    if self.says_something_new(&answer.text) {
                        self.correct_anew();
                    }
                }
                // Another model was not corrected yet.
                ChoiceKind::SwitchModel => self.correct_anew(),
                ChoiceKind::Continue | ChoiceKind::Constrain | ChoiceKind::Report | ChoiceKind::Stop => {}
            },
            Entry::Start(_)
            | Entry::User(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Result(_)
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }

    /// How many corrections are left now.
    pub(super) fn corrections_left(&self, budget: &Budget) -> usize {
        let Budget { corrections, window, .. } = *budget;
        let of_request = corrections.saturating_sub(self.request.corrections - self.back.corrections);
        let idle = corrections.saturating_mul(IDLE_BUDGETS).saturating_sub(self.idle.corrections);
        let from = self.turn.saturating_add(1).saturating_sub(window.turns);
        let recent = self.recent.iter().filter(|&&turn| turn >= from).count();
        let left = usize::try_from(of_request.min(idle)).unwrap_or(usize::MAX);
        left.min(window.corrections.saturating_sub(recent))
    }

    /// Whether the user may be asked now.
    pub(super) fn may_ask(&self, budget: &Budget) -> bool {
        self.request.questions - self.back.questions < budget.questions
            && self.idle.questions < budget.questions.saturating_mul(IDLE_BUDGETS)
    }

    /// The corrections that did not help, and since when they are counted, in words.
    pub(super) fn corrections(&self) -> (u32, &'static str) {
        if self.idle.corrections > self.request.corrections {
            (self.idle.corrections, "since anything moved")
        } else {
            (self.request.corrections, "in this request")
        }
    }

    /// Questions since the user's request.
    pub(super) fn questions(&self) -> u32 {
        self.request.questions
    }

    fn corrected(&mut self, budget: &Budget) {
        self.spoke();
        self.request.corrections = self.request.corrections.saturating_add(1);
        self.idle.corrections = self.idle.corrections.saturating_add(1);
        self.productive.corrections = 0;
        if self.recent.len() >= budget.window.corrections {
            self.recent.pop_front();
        }
        if budget.window.corrections > 0 {
            self.recent.push_back(self.turn);
        }
    }

    fn asked(&mut self) {
        self.spoke();
        self.request.questions = self.request.questions.saturating_add(1);
        self.idle.questions = self.idle.questions.saturating_add(1);
        self.productive.questions = 0;
    }

    fn spoke(&mut self) {
        self.has_moved = false;
        self.evidence.get_or_insert_default();
    }

    /// The current turn is productive.
    fn moved(&mut self) {
        self.has_moved = true;
        self.idle = Count::default();
        let Self { request, back, productive, .. } = self;
        productive.corrections = productive.corrections.saturating_add(1);
        productive.questions = productive.questions.saturating_add(1);
        if productive.corrections.is_multiple_of(CORRECTION_TURNS) && back.corrections < request.corrections {
            back.corrections = back.corrections.saturating_add(1);
        }
        if productive.questions.is_multiple_of(QUESTION_TURNS) && back.questions < request.questions {
            back.questions = back.questions.saturating_add(1);
        }
    }

    /// Whether these words give the model something that it did not have.
    fn says_something_new(&mut self, text: &str) -> bool {
        if is_nudge(text) {
            return false;
        }
        let digest = xxh3_64(text.trim().as_bytes());
        if self.messages.contains(&digest) {
            return false;
        }
        if self.messages.len() == MESSAGES {
            self.messages.pop_front();
        }
        self.messages.push_back(digest);
        true
    }

    /// A request of the user begins.
    fn begin(&mut self) {
        self.correct_anew();
        (self.request.questions, self.back.questions) = (0, 0);
        self.has_moved = false;
    }

    fn correct_anew(&mut self) {
        (self.request.corrections, self.back.corrections) = (0, 0);
        self.recent.clear();
    }

    pub(super) fn save(&self) -> Value {
        let Self { turn, request, back, idle, productive, has_moved, recent, evidence, messages } = self;
        let [request, back, idle, productive] = [request, back, idle, productive].map(Count::save);
        json!({
            "turn": turn, "request": request, "back": back, "idle": idle, "productive": productive,
            "moved": has_moved, "recent": recent, "evidence": evidence, "messages": messages,
        })
    }

    pub(super) fn load(mut state: Value) -> Answer<Self> {
        let spent = Self {
            turn: member(&mut state, "turn")?,
            request: Count::load(&mut state, "request")?,
            back: Count::load(&mut state, "back")?,
            idle: Count::load(&mut state, "idle")?,
            productive: Count::load(&mut state, "productive")?,
            has_moved: member(&mut state, "moved")?,
            recent: member(&mut state, "recent")?,
            evidence: member(&mut state, "evidence")?,
            messages: member(&mut state, "messages")?,
        };
        let Self { request, back, messages, .. } = &spent;
        if back.corrections > request.corrections || back.questions > request.questions {
            return Err(fault("the saved state gives back more than was said".into()));
        }
        if messages.len() > MESSAGES {
            return Err(fault(format!("the saved state has more than {MESSAGES} messages")));
        }
        Ok(spent)
    }
}

impl Count {
    fn save(&self) -> Value {
        json!([self.corrections, self.questions])
    }

    fn load(state: &mut Value, name: &str) -> Answer<Self> {
        let (corrections, questions) = member(state, name)?;
        Ok(Self { corrections, questions })
    }
}

/// The name of the stack.
pub(super) const NAME: &str = "stack";

pub(super) fn fault(reason: String) -> GuardFault {
    GuardFault { guard: NAME.into(), reason }
}

/// Takes one member out of a saved state.
pub(super) fn member<T: DeserializeOwned>(state: &mut Value, name: &str) -> Answer<T> {
    let value = state.get_mut(name).map(Value::take).unwrap_or_default();
    serde_json::from_value(value)
        .map_err(|error| fault(format!("the saved state is broken: its member `{name}`: {error}")))
}
