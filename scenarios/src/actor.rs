//! The scripted model: a state machine that sees the view and nothing else.
//!
//! An actor is a fold over the messages. It knows everything that its own user can say, so it takes any other text in
//! the user's role, any refused call, and any note inside a result for an intervention. Like a model, it reads from
//! the words of an answer whether a tool failed, unless its host hands it what the world says itself: the results of a
//! real agent are wrapped, and words misread one in thirteen of them. Its acts depend on the messages, on the number
//! of earlier requests with the same messages, and on keyed draws. So it acts the same in process and behind a wire.

use std::cell::OnceCell;
use std::sync::Arc;

use balk_contract::{ASKED_FIRST, ChoiceKind, Completion, LOST, Message, NOT_RUN, SEE_BELOW, Status};

use crate::environment::Executed;
use crate::scenario::{CallSpec, Called, Role, StateId};
use crate::world::World;

use act::Visit;
use answers::{Answer, Latest};
use detour::Detour;
use memo::Memo;

pub use act::{Act, Broken};

mod act;
mod advance;
mod answers;
mod detour;
mod memo;
mod notes;
mod repaired;

/// The model in one trial.
#[derive(Clone, Debug)]
pub struct Actor {
    world: Arc<World>,
    /// Messages read so far.
    read: usize,
    /// Turns with text or calls so far. They number its calls, because one visit may send the same call twice.
    turns: u32,
    state: StateId,
    /// How often each state was visited.
    visits: Vec<u32>,
    /// How many steps of each state went well.
    steps: Vec<u32>,
    /// What it does before it goes on in its state: a way out that led nowhere.
    detour: Option<Box<Detour>>,
    /// The detours since it came to its state.
    detours: u32,
    /// Whether it is in its state again because a guard refused what it did there.
    tries_again: bool,
    /// Whether the last act was followed by a completion.
    answered: bool,
    following: Following,
    /// How often the user was asked about an attempt of this visit.
    asked: u32,
    /// Corrections in a row.
    corrections: u32,
    last_correction: Option<String>,
    latest: Latest,
}

/// What has happened since the last completion.
#[derive(Clone, Debug, Default)]
struct Following {
    /// The completion, until the actor goes on.
    completion: Option<Arc<Completion>>,
    /// Whether there is one, or was.
    is_after_completion: bool,
    /// What interventions said.
    said: String,
    intervened: bool,
    /// Whether the completion asked the user something without a tool, and no answer came yet.
    asked_in_words: bool,
    user_messages: u32,
    /// Whether calls were answered, and whether the answers announce a message.
    results: bool,
    due: bool,
    user_spoke: bool,
    notified: bool,
    answered: bool,
    switched: bool,
    /// Whether a guard refused a call.
    refused: bool,
    lost: bool,
    /// Whether the answer is to a broken attempt, not to a completion.
    attempt_broke: bool,
    answers: Vec<Answer>,
    /// How the answers read, once somebody asked.
    outcome: OnceCell<Outcome>,
    last_answers: Vec<Answer>,
    /// What the user and the environment said.
    heard: Vec<Arc<str>>,
}

/// How the answers to the calls of a turn read.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    /// Whether one reads as a failure.
    failed: bool,
    /// Whether one does not.
    succeeded: bool,
}

impl Following {
    /// Whether guards refused all calls.
    fn nothing_ran(&self) -> bool {
        self.refused && !self.lost && self.answers.is_empty()
    }

    /// Reading takes longer than most of what an actor does, and few states ask.
    fn outcome(&self) -> Outcome {
        *self.outcome.get_or_init(|| {
            let failures = self.answers.iter().filter(|it| it.failed()).count();
            Outcome { failed: failures > 0, succeeded: failures < self.answers.len() }
        })
    }

    /// Whether nothing went wrong in the turn, and no guard intervened.
    fn went_well(&self) -> bool {
        let Outcome { failed, succeeded } = self.outcome();
        !failed && !self.intervened && !self.lost && !self.attempt_broke && (succeeded || !self.results)
    }
}

impl Actor {
    /// A model that has seen nothing.
    #[must_use]
    pub fn new(world: &Arc<World>) -> Self {
        let spec = &world.scenario().actor;
        let mut visits = vec![0; spec.states.len()];
        visits[spec.start] = 1;
        Self {
            world: world.clone(),
            read: 0,
            turns: 0,
            state: spec.start,
            visits,
            steps: vec![0; spec.states.len()],
            detour: None,
            detours: 0,
            tries_again: false,
            answered: false,
            following: Following::default(),
            asked: 0,
            corrections: 0,
            last_correction: None,
            latest: Latest::default(),
        }
    }

    /// About how many bytes it has that no copy of it shares: what interventions said, and the lists of what was
    /// answered and heard.
    #[must_use]
    pub fn own_bytes(&self) -> usize {
        let Following { said, answers, last_answers, heard, .. } = &self.following;
        let texts = said.len() + self.last_correction.as_ref().map_or(0, String::len);
        let answers = (answers.len() + last_answers.len()) * size_of::<Answer>();
        texts + answers + heard.len() * size_of::<Arc<str>>()
    }

    /// The name of the state of its last act.
    #[must_use]
    pub fn state(&self) -> &str {
        &self.world.scenario().actor.states[self.state].name
    }

    /// How often it has been in that state, the last act included.
    #[must_use]
    pub fn visit(&self) -> u32 {
        self.visits[self.state]
    }

    /// Whether its last act says that it waits, as it was told to, because no tool on offer does. Where a message ends
    /// the run, its own words do.
    #[must_use]
    pub fn waits_in_words(&self) -> bool {
        self.detour.as_ref().is_some_and(|it| it.waits_in_words(&self.world))
    }

    /// The state it is in, and the number of its visit.
    pub(crate) fn at(&self) -> (StateId, u32) {
        (self.state, self.visits[self.state])
    }

    /// Reads the messages of a view that it has not read yet, with nothing but their words.
    pub fn catch_up(&mut self, messages: &[Message]) {
        for message in messages.get(self.read..).unwrap_or(messages) {
            self.read(message, None);
        }
        self.read = messages.len();
    }

    /// Reads the next message, and returns what in it is an intervention. `known` is what the world says to the call
    /// that a result answers, or to what the actor said in place of a call, where the host is that world. Then the
    /// result's own text counts only for the notes in it.
    pub fn read<'m>(&mut self, message: &'m Message, known: Option<&Executed>) -> Vec<&'m str> {
        self.read += 1;
        match message {
            Message::Assistant(completion) => self.completed(completion),
            Message::User(text) if known.is_some() => {
                self.following.user_messages += 1;
                self.answer(text.clone(), known);
            }
            Message::User(text) if self.user_message(text) => return vec![text],
            Message::User(_) => {}
            Message::Result { text, .. } => return self.result(text, known),
        }
        Vec::new()
    }

    /// How many ways out it has tried one after the other, the last act included: 0 if that was an act of its state.
    #[must_use]
    pub fn detours(&self) -> u32 {
        self.detours
    }

    /// Acts on what it has read. `attempt` counts the requests with the same messages, from 1.
    pub fn act(&mut self, attempt: u32) -> Act {
        self.advance();
        let Self { turns, state, asked, .. } = *self;
        let (number, steps) = (self.visits[state], self.steps[state]);
        match &self.detour {
            Some(detour) => detour.act(&self.world, turns),
            None => Visit { world: &self.world, turns, state, number, steps, asked }.act(attempt),
        }
    }

    /// The summary with which the loop replaces the messages that it has read. It carries the actor's progress, so an
    /// actor that sees nothing else goes on as this one.
    pub fn summarise(&mut self) -> String {
        self.advance();
        self.read = 0;
        // A way out that led nowhere is forgotten with the messages.
        (self.detour, self.detours) = (None, 0);
        let Self { turns, state, tries_again, corrections, .. } = *self;
        let (visits, steps) = (self.visits.clone(), self.steps.clone());
        let memo = Memo { turns, state, tries_again, corrections, visits, steps };
        format!("{}\n\n{}{memo}", self.world.summary(), self.world.user().opening)
    }

    /// Whether a text carries what [`summarise`](Self::summarise) says.
    #[must_use]
    pub fn is_summary(&self, text: &str) -> bool {
        Memo::read(text, self.visits.len()).is_some()
    }

    /// Goes on where a summary says that it was.
    fn resumes(&mut self, Memo { turns, state, tries_again, corrections, visits, steps }: Memo) {
        *self = Self { turns, state, tries_again, corrections, visits, steps, ..Self::new(&self.world) };
    }

    fn completed(&mut self, completion: &Arc<Completion>) {
        self.advance();
        self.turns += 1;
        self.answered = true;
        let last_answers = std::mem::take(&mut self.following.answers);
        self.following = Following {
            completion: Some(completion.clone()),
            is_after_completion: true,
            asked_in_words: self.asks_in_words(),
            last_answers,
            ..Following::default()
        };
    }

    /// Returns the notes in it.
    fn result<'m>(&mut self, text: &'m Arc<str>, known: Option<&Executed>) -> Vec<&'m str> {
        self.following.results = true;
        if known.is_none() {
            if let Some(reason) = text.strip_prefix(NOT_RUN) {
                self.following.refused = true;
                self.following.due |= reason == SEE_BELOW || reason == ASKED_FIRST;
                self.intervention(reason);
                return vec![reason];
            } else if &**text == LOST {
                self.following.lost = true;
                return Vec::new();
            }
        }
        let (answer, notes) = notes::split(text);
        let answer = if notes.is_empty() { text.clone() } else { answer.into() };
        self.answer(answer, known);
        notes.iter().for_each(|note| self.intervention(note));
        notes
    }

    /// Something answered what it did.
    fn answer(&mut self, text: Arc<str>, known: Option<&Executed>) {
        let answer = match known {
            Some(it) => Answer { text: it.text.as_str().into(), failed: Some(it.status == Status::Error) },
            None => Answer { text, failed: None },
        };
        self.following.results = true;
        self.following.outcome = OnceCell::new();
        self.following.answers.push(answer.clone());
        self.latest.add(answer);
    }

    /// Returns whether it is an intervention.
    fn user_message(&mut self, text: &Arc<str>) -> bool {
        let world = self.world.clone();
        let user = world.user();
        if *text == user.opening {
            return false;
        }
        if let Some(memo) = Memo::read(text, self.visits.len()) {
            self.resumes(memo);
            return false;
        }
        // What comes between turns says nothing about the last completion.
        let (is_notification, interrupts) =
            (user.notifications.contains(text), user.interrupts.contains(text));
        if is_notification || interrupts {
            self.following.notified |= is_notification;
            self.following.user_spoke |= interrupts;
            self.following.heard.push(text.clone());
            return false;
        }
        self.unseen_completion();
        self.following.user_messages += 1;
        // The user may answer a guard's question in the words of a reply.
        let replies = user.replies.contains(text) || user.rules.iter().flatten().any(|it| it == text);
        let answer = user.answers.iter().position(|it| it == text);
        self.following.user_spoke |= replies;
        if let Some(at) = answer {
            self.answer_about_attempt();
            match self.world.scenario().user.answers[at].choice {
                ChoiceKind::Instruct | ChoiceKind::Constrain => self.following.answered = true,
                ChoiceKind::SwitchModel => self.following.switched = true,
                ChoiceKind::Continue | ChoiceKind::Report | ChoiceKind::Stop => {}
            }
        }
        if replies || answer.is_some() {
            self.following.heard.push(text.clone());
        } else if std::mem::take(&mut self.following.asked_in_words) {
            // Like a model, it takes the next words for the answer.
            self.answer(text.clone(), None);
        } else if text != self.world.prompt() {
            self.intervention(text);
            return true;
        }
        false
    }

    /// Whether it asks the user something in this state, and no tool on offer does.
    fn asks_in_words(&self) -> bool {
        let state = &self.world.scenario().actor.states[self.state];
        let asks = |call: &CallSpec| call.called == Called::Role(Role::Ask) && self.world.is_spoken(call);
        self.detour.is_none() && state.calls.iter().any(asks)
    }

    /// No view contains a completion without text and calls. The answer reveals it: an unexpected message, and a
    /// state that says nothing.
    fn unseen_completion(&mut self) {
        let complete = self.following.user_messages > 0 || (self.following.results && !self.following.due);
        if self.answered && complete {
            let mut next = self.clone();
            next.advance();
            if next.says_nothing() {
                *self = next;
            }
        }
        if !self.answered && self.says_nothing() {
            self.answered = true;
            self.following = Following::default();
        }
    }

    /// A guard can ask the person about an attempt that broke off, which no view contains. The answer reveals it where
    /// nothing else since the last completion was open to a question.
    fn answer_about_attempt(&mut self) {
        let Following { is_after_completion, results, due, lost, user_messages, .. } = self.following;
        let settled = results && !due && !lost && user_messages == 1;
        if is_after_completion && !settled {
            return;
        }
        let mut next = self.clone();
        next.advance();
        if !next.world.scenario().actor.states[next.state].breaks.is_empty() {
            next.answered = true;
            next.asked += 1;
            next.following = Following { attempt_broke: true, ..Following::default() };
            *self = next;
        }
    }

    fn says_nothing(&self) -> bool {
        if self.detour.is_some() {
            return false;
        }
        let state = &self.world.scenario().actor.states[self.state];
        state.says.is_none() && state.calls.is_empty()
    }

    fn intervention(&mut self, text: &str) {
        self.following.intervened = true;
        if !self.following.said.is_empty() {
            self.following.said.push('\n');
        }
        self.following.said.push_str(text);
    }
}
