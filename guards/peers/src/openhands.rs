//! **openhands**: the stuck detector of the OpenHands SDK, read line by line at 611629e699 (2026-08-22;
//! `docs/peers.md#openhands`).
//!
//! | seen since the last message of the user | the product | here |
//! |---|---|---|
//! | the same action could not be executed three times in a row | one nudge: tool, count, error, other arguments or another approach | a note with the result |
//! | a fourth time | the conversation is stuck, the run ends | the next completion is refused, the run ends |
//! | the same action with the same observation, four times in a row | the same | the same |
//! | two alternating actions with two alternating observations, six in all | the same | the same |
//! | three messages without a call in a row | the same | the run ends |
//! | only thinking, no text or call | a nudge: use a tool | a correction |
//! | an empty reply | the same nudge | the request again, because an empty reply leaves nothing to answer: four times, after 8 to 64 s, as the product does if the provider returns no choice |
//!
//! A tool that ran and reports a failure is an observation like any other. The product counts as errors only calls
//! that were not executed: the tool does not exist, the arguments are not valid, or the tool raised an exception.
//! What could not be read is an action without arguments, so that two such calls of one tool are equal whatever they
//! contain. A transcript does not mark them; `unexecuted.rs` says how they are told.
//!
//! The window is the last 20 events: a call and its result are two, a message is one, also one that the loop or the
//! product adds. Two actions are the same if their calls *and the text before them* are equal (the text belongs to
//! the first call of a reply); two observations, if their whole text is equal, so a clock in an answer hides a loop;
//! two errors in a row count whatever they say. Text without a call is an answer and ends the conversation, without a
//! nudge.
//!
//! *Left out*: the higher temperature of a resend, the rule about the context window (a stub that never fires), the
//! limits of iterations and money, refusals by the user. The product's thresholds are settings; these are its
//! defaults. It repeats an error whole; here 500 characters of it.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{Resends, is_from_user, note};
use super::memory::Fingerprint;
use super::messages::openhands::{NO_CONTENT, SAME_ERROR};
use super::messages::{fill, quoted};
use super::unexecuted::{Failed, Tools};
use balk_contract::key::CallKey;
use balk_contract::{
    Answer, AttemptCause, AttemptFailure, Completion, Decision, Entry, Guard, InterventionKind, Recovery,
    Settlement, Speaker, Subject, ToolResult, Verdict,
};

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct OpenHands(State);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    tools: Tools,
    /// The text before the next call; none before the second call of a completion.
    thought: Option<Fingerprint>,
    seen: VecDeque<Seen>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Seen {
    Step(Step),
    /// A message of the model.
    Message,
    /// A message that the loop or this guard added.
    Prompt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    thought: Option<Fingerprint>,
    call: CallKey,
    observation: Fingerprint,
    /// Whether the call could not be executed.
    failed: bool,
}

impl Step {
    fn action(&self) -> (Option<Fingerprint>, CallKey) {
        (self.thought, self.call)
    }
}

const NAME: &str = "openhands";
const VERSION: u64 = 2;
const EVENTS: usize = 20;
const SAME: usize = 4;
const FAILED: usize = 3;
const MESSAGES: usize = 3;
const ALTERNATING: usize = 6;
const AGAIN: Resends = Resends { times: 4, first: 8_000, most: 64_000, jitter: 0 };
/// In place of arguments that could not be read.
const UNREAD: &str = "could not be read";

impl State {
    fn push(&mut self, seen: Seen) {
        let events = |seen: &VecDeque<Seen>| seen.iter().map(events_of).sum::<usize>();
        self.seen.push_back(seen);
        while events(&self.seen) > EVENTS {
            self.seen.pop_front();
        }
    }

    fn step(&mut self, result: &ToolResult) {
        let failed = self.tools.failure(result);
        let call = match failed {
            Some(Failed::Unread) => CallKey::of(&result.call.tool, UNREAD),
            Some(Failed::Raised) | None => result.call.key,
        };
        let thought = self.thought.take();
        let observation = Fingerprint::of([&*result.text]);
        self.push(Seen::Step(Step { thought, call, observation, failed: failed.is_some() }));
    }

    /// The steps, last one first, ignoring the messages between them.
    fn steps(&self) -> impl Iterator<Item = &Step> + Clone {
        self.seen.iter().rev().filter_map(|it| match it {
            Seen::Step(step) => Some(step),
            Seen::Message | Seen::Prompt => None,
        })
    }

    /// How often in a row the last action could not be executed.
    fn failures(&self) -> usize {
        let last = self.steps().next().map(Step::action);
        self.steps().take_while(|it| it.failed && Some(it.action()) == last).count()
    }

    /// Messages of the model in a row.
    fn messages(&self) -> usize {
        let own = self.seen.iter().rev().filter(|it| **it != Seen::Prompt);
        own.take_while(|it| **it == Seen::Message).count()
    }

    /// Why the conversation is stuck, if it is.
    fn stuck(&self) -> Option<(&'static str, String)> {
        let last = self.steps().next();
        let same = self.steps().take_while(|it| last == Some(*it)).count();
        let in_turn = self.steps().zip(self.steps().skip(2)).take_while(|(it, earlier)| it == earlier);
        let alternating = in_turn.count() + 2;
        if same >= SAME {
            Some(("same-action", format!("the same action had the same result {SAME} times")))
        } else if self.failures() > FAILED {
            Some(("failing-action", format!("the same action failed {} times", self.failures())))
        } else if self.messages() >= MESSAGES {
            Some(("monologue", format!("{} messages in a row called no tool", self.messages())))
        } else if alternating >= ALTERNATING {
            Some(("alternating", format!("two actions took turns {ALTERNATING} times with the same results")))
        } else {
            None
        }
    }
}

fn events_of(seen: &Seen) -> usize {
    match seen {
        Seen::Step(_) => 2,
        Seen::Message | Seen::Prompt => 1,
    }
}

/// Whether the entry is a message that the loop or this guard added.
fn is_prompt(entry: &Entry) -> bool {
    match entry {
        Entry::User(message) => message.from == Speaker::Loop,
        Entry::Intervention(it) => {
            it.note.guard == NAME && matches!(it.kind, InterventionKind::Note | InterventionKind::Feedback)
        }
        Entry::Start(_)
        | Entry::Completion(_)
        | Entry::Failed(_)
        | Entry::Tried(_)
        | Entry::Result(_)
        | Entry::Answer(_)
        | Entry::Compaction(_)
        | Entry::Conclusion(_)
        | Entry::End(_) => false,
    }
}

impl Guard for OpenHands {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Start(start) = entry {
            self.0.tools = Tools::of(&start.offer);
        }
        if let Entry::Completion(completion) = entry {
            self.0.thought =
                completion.has_text().then(|| Fingerprint::of(completion.texts().map(|it| &**it)));
            if completion.calls.is_empty() {
                self.0.push(Seen::Message);
            }
        }
        if let Entry::Result(result) = entry {
            self.0.step(result);
        }
        if is_prompt(entry) {
            self.0.push(Seen::Prompt);
        }
        if is_from_user(entry) {
            self.0.seen.clear();
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        if let Some((rule, why)) = self.0.stuck() {
            let text = format!("Stopped: the agent is stuck; {why}.");
            return Ok(Verdict::Stop(note(NAME, rule, 2, Subject::Run, text)).into());
        }
        if completion.has_text() || !completion.calls.is_empty() {
            return Ok(Decision::pass());
        }
        Ok(Verdict::Retry(note(NAME, "no-content", 1, Subject::Run, NO_CONTENT.into())).into())
    }

    fn settle(&self, _: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        let mut then = self.0.clone();
        results.iter().for_each(|result| then.step(result));
        let told = results.last().filter(|_| then.failures() == FAILED).map(|result| {
            let holes = [
                ("tool", &*result.call.tool),
                ("count", &FAILED.to_string()),
                ("error", &quoted(&result.text)),
            ];
            note(NAME, "failing-action", 1, Subject::Call(result.call.key), fill(SAME_ERROR, &holes))
        });
        Ok(Settlement::Accept(told.into_iter().collect()))
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        Ok(if failure.cause == AttemptCause::Empty { AGAIN.next(failure) } else { None })
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.0)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.0 = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
