//! **gemini-cli**: the loop detection of gemini-cli, read line by line at 5411f113ca (2026-08-21;
//! `docs/peers.md#gemini-cli`).
//!
//! | seen since the user's prompt | the product | here |
//! |---|---|---|
//! | the last calls are one block of one to five calls, five times in a row | aborts the stream, so that the calls do not run, and adds a note: a potential loop, step back, confirm that there is progress | a correction, nothing runs |
//! | the text chants: 50 characters at least ten times | the same | the same |
//! | either of them once more | halts the turn; the user may turn the detection off | the run ends |
//! | only thinking, no text or call | sends the request again, with a hint in the system instruction, three times; then an error | a correction, three times; then the run ends |
//! | an empty reply | sends the request again, three times, after 1, 2 and 4 s | the same |
//! | a broken request | sends it again, nine times, after 5 to 30 s, 30 % more or less | the same |
//!
//! Results are ignored: polling is a loop at the fifth look. A text, a thought or a failure in between resets
//! nothing; only a new prompt does. If the model continues, the second detection follows at once. Text is read on from
//! reply to reply until a call or a structure resets it, and after the first detection of a text nearly any further
//! sentence is the second. A fence that no prompt before closed is still open in the next.
//!
//! *Different from our key*: the product hashes name and arguments without sorting members, and so does this rule. The
//! spelling of numbers, escapes and repeated members count here, but not in the product.
//!
//! *Left out*: the model that judges from the 30th turn on (a model is no rule), the question whether the model
//! should continue (off by default), the limit of turns, and replies without a finish reason. `chanting.rs` says what
//! takes the place of a stream.

use std::borrow::Cow;
use std::mem::take;
use std::sync::Arc;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{Resends, is_from_user, may_pass, note};
use super::chanting::Chant;
use super::memory::{Fingerprint, Recent};
use super::messages::gemini_cli::{CALLS, LOOP, TEXT, THOUGHTS};
use super::messages::{fill, quoted};
use balk_contract::{
    Answer, AttemptCause, AttemptFailure, Completion, Decision, Entry, Guard, Recovery, Subject, Verdict,
};

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct GeminiCli(State);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    calls: Recent<Fingerprint, HISTORY>,
    text: Chant,
    /// What was found in the last completion.
    found: Option<Loop>,
    /// Loops since the user's prompt.
    found_before: u32,
    /// Replies in a row with nothing but thinking.
    thoughts: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Loop {
    /// The last of the calls.
    Calls {
        tool: Arc<str>,
        arguments: String,
    },
    Text {
        sample: String,
    },
}

impl Loop {
    fn rule(&self) -> &'static str {
        match self {
            Self::Calls { .. } => "calls",
            Self::Text { .. } => "chanting",
        }
    }

    fn detail(&self) -> String {
        match self {
            Self::Calls { tool, arguments } => fill(CALLS, &[("tool", tool), ("arguments", arguments)]),
            Self::Text { sample } => fill(TEXT, &[("sample", sample)]),
        }
    }
}

const NAME: &str = "gemini-cli";
const VERSION: u64 = 3;
const HISTORY: usize = 25;
const LAPS: usize = 5;
const PERIODS: usize = 5;
const THOUGHT_TIMES: u32 = 3;
const EMPTY: Resends = Resends { times: 3, first: 1_000, most: 4_000, jitter: 0 };
const BROKEN: Resends = Resends { times: 9, first: 5_000, most: 30_000, jitter: 30 };

impl State {
    fn look(&mut self, completion: &Completion) -> Option<Loop> {
        if let Some(sample) = completion.texts().find_map(|text| self.text.read(text)) {
            return Some(Loop::Text { sample });
        }
        completion.calls.iter().find_map(|call| {
            self.text.reset();
            let arguments = compact(&call.arguments);
            self.calls.push(Fingerprint::of([&*call.tool, &*arguments]));
            (1..=PERIODS).find(|period| self.calls.laps(*period) >= LAPS)?;
            Some(Loop::Calls { tool: call.tool.clone(), arguments: quoted(&arguments) })
        })
    }
}

/// The arguments without white space between their parts, as `JSON.stringify` writes them.
fn compact(arguments: &str) -> Cow<'_, str> {
    if serde_json::from_str::<IgnoredAny>(arguments).is_err() {
        return arguments.into();
    }
    let (mut compact, mut in_string, mut is_escaped) = (String::with_capacity(arguments.len()), false, false);
    for c in arguments.chars() {
        if in_string {
            in_string = c != '"' || is_escaped;
            is_escaped = c == '\\' && !is_escaped;
        } else if c.is_ascii_whitespace() {
            continue;
        } else {
            in_string = c == '"';
        }
        compact.push(c);
    }
    compact.into()
}

impl Guard for GeminiCli {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Completion(completion) = entry {
            let is_thought = completion.calls.is_empty() && !completion.has_text();
            self.0.thoughts = if is_thought { self.0.thoughts.saturating_add(1) } else { 0 };
            self.0.found = self.0.look(completion);
            let found = u32::from(self.0.found.is_some());
            self.0.found_before = self.0.found_before.saturating_add(found);
        }
        if is_from_user(entry) {
            let mut text = take(&mut self.0.text);
            text.reset();
            self.0 = State { text, ..State::default() };
        }
    }

    fn review(&self, _: &Completion) -> Answer<Decision> {
        let State { found, found_before, thoughts, .. } = &self.0;
        if let Some(found) = found {
            let told = |text| note(NAME, found.rule(), *found_before, Subject::Run, text);
            return Ok(if *found_before > 1 {
                Verdict::Stop(told(format!("Stopped: a loop was detected again. {}.", found.detail()))).into()
            } else {
                Verdict::Retry(told(fill(LOOP, &[("detail", &found.detail())]))).into()
            });
        }
        Ok(match *thoughts {
            0 => Decision::pass(),
            1..=THOUGHT_TIMES => {
                Verdict::Retry(note(NAME, "thinking-only", *thoughts, Subject::Run, THOUGHTS.into())).into()
            }
            _ => {
                let text = "Stopped: the model thinks and does not answer.";
                Verdict::Stop(note(NAME, "thinking-only", *thoughts, Subject::Run, text.into())).into()
            }
        })
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        Ok(match failure.cause {
            AttemptCause::Empty => EMPTY.next(failure),
            cause if may_pass(cause) => BROKEN.next(failure),
            AttemptCause::Connect
            | AttemptCause::TimedOut
            | AttemptCause::Disconnected
            | AttemptCause::Status { .. } => None,
        })
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.0)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.0 = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
