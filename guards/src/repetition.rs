//! **repetition**: a text that repeats itself inside one message.
//!
//! A model that begins to chant seldom stops by itself: it repeats a line, a paragraph or a few words until the output
//! limit cuts it off, and what was meant to come next never comes.
//!
//! *Detects* (spec X5) a stretch of text that comes again and again, back to back, in a message without a call; in
//! thinking, if nothing else came. What counts is the stretch itself, character by character, so it is found in any
//! language, with or without blanks and line breaks, up to 4,096 bytes of it. The message has to end with the
//! repetition, or consist of it for one half: a model that found its way out and then said the rest is left alone.
//!
//! *Stays silent* where each copy says something else. A counter, a time or a name that moves makes a list, a log or a
//! table, which people ask for; so "1. I try again. 2. I try again." is silent too: nothing in its form tells it from a
//! list that was wanted. It is patient with what looks like code, tables, rulers or data, with single words, and with
//! everything in a fence; and where the user's request has the text in it, or is short and has a number that may say
//! how often. Text beside calls is not its concern: the calls say what the model does. The same message again as a
//! whole is found by `progress`.
//!
//! *Cuts* all copies but the first out of the view: a model continues what it sees repeated, and each later request
//! would pay for it. The record keeps the message as it came.
//!
//! *Says* how much came how often, without quoting it, because a repeated text that is quoted is continued
//! (MoonshotAI/kimi-code#1518). It corrects twice, then asks the user, then ends the run. A message without a
//! repetition takes the ladder back to its first step, a new request to its beginning. If the output limit cut the
//! chant off, this guard speaks instead of `empty-completion`, whose "continue where it stopped" would be wrong.
//!
//! *Thresholds*: a sentence ten times and over 300 characters, much as gemini-cli counts (ten windows of 50 characters;
//! `docs/peers.md#chanting`). A paragraph of 300 characters four times, and a message that is nothing but one sentence
//! four times: OpenRouter's rule counts any text from the fourth time on (`docs/peers.md#openrouter`), but refrains,
//! quoted logs and lists have short lines more often. One word and items of a list over 2,000 characters, structure
//! over 10,000: see `repetition/unit.rs`. The user's request: a number up to 1,000 allows twice as many
//! sentences, a text of the request 200 copies. On the recordings that guards may be tuned on (1,794 runs with 26,555
//! turns) that is three runs, each of them one paragraph again and again (`docs/guards.md#text-that-repeats-itself`).
//!
//! # A stream
//!
//! [`Watch`] reads a text as it arrives, so a host can cut it off. After that it commits what has arrived as a
//! completion that was cut for its length. The guard in the run finds the same repetition in it, and says what is
//! wrong:
//!
//! ```
//! use balk_guards::repetition::Watch;
//! use balk_guards::{Completion, FinishReason, Limits, Offer, Part, Protocol, Run, Start, Step, Usage, default_stack};
//!
//! let offer = std::sync::Arc::new(Offer::default());
//! let start = Start { model: "m".into(), protocol: Protocol::Text, offer: offer.clone() };
//! let task = "Why does the build fail?";
//! let mut run = Run::new(default_stack(), start, task, Limits::NONE);
//!
//! // The model streams, and has begun to chant.
//! let mut stream = std::iter::repeat("I will look at the file again. ");
//! let mut watch = Watch::answering(task);
//! let mut text = String::new();
//! let cut = stream.find_map(|piece| {
//!     text.push_str(piece);
//!     watch.push(piece)
//! });
//! assert!(cut.is_some_and(|it| it.chars == 31) && text.len() < 600);
//! drop(stream); // Closes the connection.
//!
//! let parts = [Part::Text(text.into())];
//! run.completed(Completion::new(parts, [], FinishReason::Length, Usage::default(), &offer));
//! assert_eq!(run.step(), Step::Model { asked: 1 });
//! assert!(run.view().messages().last().is_some_and(|it| format!("{it:?}").contains("repeats itself")));
//! ```
//!
//! If calls arrived before the chant, the host commits them with it; a call that is not complete is left out.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use asked::Asked;
use balk_contract::rules::{Rule, Rung, Step};
use balk_contract::{
    Answer, Choice, Completion, Decision, Entry, FinishReason, Guard, Intervention, Note, Part, Question,
    Repair, Speaker, Subject, Verdict,
};

use balk_contract::nudge::is_nudge;

mod asked;
mod fenced;
mod messages;
mod period;
mod recent;
mod unit;
mod watch;

pub use watch::{Repeated, Watch};

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Repetition {
    state: RepetitionState,
    /// Kept for its memory.
    watch: Watch,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct RepetitionState {
    /// The user's request.
    asked: Asked,
    has_tools: bool,
    /// What repeats itself in the last completion.
    found: Option<Found>,
    /// The step of the last intervention.
    level: u8,
    /// Interventions of this run, so that each message has different words.
    spoken: u32,
}

/// A repetition in a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Found {
    repeated: Repeated,
    /// Length of the text, in bytes.
    length: usize,
    is_thinking: bool,
    /// Whether the output limit, or the host, cut it off.
    is_cut: bool,
}

const NAME: &str = "repetition";
/// The rules.
const CUT: &str = "copies-cut";
const REPEATS: &str = "repeats-itself";
const VERSION: u64 = 2;

/// The model was told.
const TOLD: u8 = 1;
/// It was told once more, in other words.
const WARNED: u8 = 2;
/// The user was asked.
const ASKED: u8 = 3;

impl Repetition {
    /// The rules of this guard.
    pub const RULES: &[Rule] = &[
        Rule::new(CUT, &[Rung::at(TOLD, Step::Repair)]),
        Rule::new(
            REPEATS,
            &[
                Rung::at(TOLD, Step::Feedback),
                Rung::at(WARNED, Step::Feedback),
                Rung::at(ASKED, Step::Question),
                Rung::at(ASKED + 1, Step::Stop),
            ],
        ),
    ];

    /// What repeats itself in a completion.
    fn find(&mut self, completion: &Completion) -> Option<Found> {
        if !completion.calls.is_empty() {
            return None;
        }
        let is_thinking = !completion.has_text();
        let is_cut = completion.finish == FinishReason::Length;
        let texts = completion.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text),
            Part::Thinking { text, .. } => Some(text).filter(|_| is_thinking),
        });
        self.watch.ask(self.state.asked.clone());
        let mut found = None;
        for text in texts {
            self.watch.clear();
            self.watch.push(text);
            let repeated = self.watch.end().filter(|it| it.is_open || 2 * (it.last - it.first) >= text.len());
            let length = text.len();
            found = repeated.map(|repeated| Found { repeated, length, is_thinking, is_cut });
        }
        found
    }

    /// The completion without the copies that follow the first, or nothing if they were cut out before. What was
    /// thought is not shown again, so nothing is cut there.
    fn without_copies(&self, completion: &Completion, found: Found) -> Option<Repair> {
        let Repeated { times, first, last, .. } = found.repeated;
        let is_text = |part: &Part| matches!(part, Part::Text(_));
        // An attempt that broke is asked for again: no answer of the model is shown.
        let is_shown = !found.is_thinking && completion.finish != FinishReason::Error;
        let at = completion.parts.iter().rposition(is_text).filter(|_| is_shown)?;
        let Part::Text(text) = &completion.parts[at] else { return None };
        if text.len() != found.length {
            return None;
        }
        let [first, last] = [first, last].map(|at| text.floor_char_boundary(at));
        let mut made = completion.clone();
        made.parts[at] = Part::Text(format!("{}{}", &text[..first], &text[last..]).into());
        let copies = times.saturating_sub(1);
        let said =
            format!("{copies} copies of the text before them are left out of what the model is shown.");
        Some(Repair { note: self.note(CUT, TOLD, said), completion: Arc::new(made) })
    }

    fn note(&self, rule: &'static str, level: u8, text: String) -> Note {
        Note { guard: NAME.into(), rule: rule.into(), level, subject: Subject::Run, text: text.into() }
    }
}

impl Guard for Repetition {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        match entry {
            Entry::Start(start) => self.state.has_tools = !start.offer.tools().is_empty(),
            Entry::User(message) if message.from == Speaker::User => {
                if is_nudge(&message.text) {
                    self.state.asked.go_on(&message.text);
                } else {
                    self.state.asked = Asked::new(&message.text);
                    self.state.level = 0;
                }
            }
            Entry::Completion(completion) => {
                self.state.found = self.find(completion);
                if self.state.found.is_none() {
                    self.state.level = self.state.level.min(TOLD);
                }
            }
            Entry::Intervention(Intervention { note, .. }) if note.guard == NAME && note.rule == REPEATS => {
                self.state.level = note.level;
                self.state.spoken = self.state.spoken.saturating_add(1);
            }
            Entry::User(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Result(_)
            | Entry::Intervention(_)
            | Entry::Answer(_)
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        // Another guard may have repaired it to one with a call.
        let found = self.state.found.filter(|_| completion.calls.is_empty());
        let Some(found) = found else { return Ok(Decision::pass()) };
        if let Some(repair) = self.without_copies(completion, found) {
            return Ok(Verdict::Repair(repair).into());
        }
        Ok(match self.state.level {
            0 => Verdict::Retry(self.note(REPEATS, TOLD, self.correction(found))),
            TOLD => Verdict::Retry(self.note(REPEATS, WARNED, self.warning(found))),
            WARNED => Verdict::Ask(Question {
                note: self.note(REPEATS, ASKED, self.question(found)),
                options: Choice::for_stuck("say what it should do next", false),
            }),
            _ => Verdict::Stop(self.note(REPEATS, ASKED + 1, self.stop(found))),
        }
        .into())
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.state)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.state = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
