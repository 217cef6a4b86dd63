//! **openhands**: the stuck detector of the OpenHands SDK, as documented at 611629e699 (2026-08-22;
//! `docs/peers.md#openhands`).
//!
//! | seen since the last message of the user | the product | here |
//! |---|---|---|
//! | the same action failed three times in a row | one nudge: tool, count, error, other arguments or another approach | a note with the result |
//! | a fourth time | the conversation is stuck, the run ends | the next completion is refused, the run ends |
//! | the same action with the same observation, four times in a row | the same | the same |
//! | two alternating actions with two alternating observations, six in all | the same | the same |
//! | three messages without a call in a row | the same | the run ends |
//! | only thinking, no text or call | a nudge: use a tool | a correction |
//! | an empty reply | sends the request again, five times, after 8 to 64 s | the same |
//!
//! The window is the last 20 events: a call and its result are two, a message without a call is one. Two actions are
//! the same if their calls *and the text next to them* are equal; two observations, if their whole text is equal, so
//! a clock in an answer hides a loop; two failures are always the same. Text without a call is an answer and ends the
//! conversation, without a nudge.
//!
//! *Left out*: the higher temperature of a resend, the rule about the context window (a stub that never fires), the
//! limits of iterations and money. The product's thresholds are settings; these are its defaults.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{Resends, is_from_user, note};
use super::memory::Fingerprint;
use balk_contract::key::CallKey;
use balk_contract::wording::excerpt;
use balk_contract::{
    Answer, AttemptCause, AttemptFailure, Completion, Decision, Entry, Guard, Recovery, Settlement, Status,
    Subject, ToolResult, Verdict,
};

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct OpenHands(State);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    /// The text of the last completion.
    thought: Fingerprint,
    seen: VecDeque<Seen>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Seen {
    Step(Step),
    Message,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    thought: Fingerprint,
    call: CallKey,
    observation: Fingerprint,
    failed: bool,
}

impl Step {
    fn action(&self) -> (Fingerprint, CallKey) {
        (self.thought, self.call)
    }
}

const NAME: &str = "openhands";
const VERSION: u64 = 1;
const EVENTS: usize = 20;
const SAME: usize = 4;
const FAILED: usize = 3;
const MESSAGES: usize = 3;
const ALTERNATING: usize = 6;
const AGAIN: Resends = Resends { times: 5, first: 8_000, most: 64_000, jitter: 0 };
/// Characters of an error that are shown.
const ERROR_CHARS: usize = 500;

impl State {
    fn push(&mut self, seen: Seen) {
        let events = |seen: &VecDeque<Seen>| seen.iter().map(events_of).sum::<usize>();
        self.seen.push_back(seen);
        while events(&self.seen) > EVENTS {
            self.seen.pop_front();
        }
    }

    fn step(&mut self, result: &ToolResult) {
        self.push(Seen::Step(Step {
            thought: self.thought,
            call: result.call.key,
            observation: Fingerprint::of([&*result.text]),
            failed: result.status == Status::Error,
        }));
    }

    /// The steps, last one first, ignoring the messages between them.
    fn steps(&self) -> impl Iterator<Item = &Step> + Clone {
        self.seen.iter().rev().filter_map(|it| match it {
            Seen::Step(step) => Some(step),
            Seen::Message => None,
        })
    }

    /// How often in a row the last action failed.
    fn failures(&self) -> usize {
        let last = self.steps().next().map(Step::action);
        self.steps().take_while(|it| it.failed && Some(it.action()) == last).count()
    }

    /// Why the conversation is stuck, if it is.
    fn stuck(&self) -> Option<(&'static str, String)> {
        let same = |it: &&Step| {
            let last = self.steps().next().expect("there is this one");
            (it.action(), it.observation) == (last.action(), last.observation)
        };
        let in_turn = |(it, earlier): &(&Step, &Step)| {
            (it.action(), it.observation) == (earlier.action(), earlier.observation)
        };
        let messages = self.seen.iter().rev().take_while(|it| **it == Seen::Message).count();
        let alternating = self.steps().zip(self.steps().skip(2)).take_while(in_turn).count() + 2;
        if self.steps().take_while(same).count() >= SAME {
            Some(("same-action", format!("the same action had the same result {SAME} times")))
        } else if self.failures() > FAILED {
            Some(("failing-action", format!("the same action failed {} times", self.failures())))
        } else if messages >= MESSAGES {
            Some(("monologue", format!("{messages} messages in a row called no tool")))
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
        Seen::Message => 1,
    }
}

impl Guard for OpenHands {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Completion(completion) = entry {
            self.0.thought = Fingerprint::of(completion.texts().map(|text| &**text));
            if completion.calls.is_empty() {
                self.0.push(Seen::Message);
            }
        }
        if let Entry::Result(result) = entry {
            self.0.step(result);
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
        let text = "Your last reply has neither a call nor a message. Use a tool to go on with the task.";
        Ok(Verdict::Retry(note(NAME, "no-content", 1, Subject::Run, text.into())).into())
    }

    fn settle(&self, _: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        let mut then = self.0.clone();
        let told = results.iter().find_map(|result| {
            then.step(result);
            (then.failures() == FAILED).then(|| {
                let text = format!(
                    "`{}` failed {FAILED} times in a row with the same arguments. The last error was: {}\nTo \
                     repeat it will not work. Correct the arguments or try another approach.",
                    result.call.tool,
                    excerpt(&result.text, ERROR_CHARS)
                );
                note(NAME, "failing-action", 1, Subject::Call(result.call.key), text)
            })
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
