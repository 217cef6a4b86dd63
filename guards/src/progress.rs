//! **progress**: the model is busy, and gets nowhere.
//!
//! *Detects* five kinds of standstill, the tightest description first, in rounds and not in calls (parallel
//! equal calls are one look): the same look at something that is still going on; two to six rounds in a cycle;
//! the same call with the same answer between others; different arguments with the same failure; a long run
//! of rounds that brings back only what was seen.
//!
//! A round is the set of its calls and answers (volatile parts masked, [`identity`](crate::identity)), and
//! belongs to a state of the workspace. *Evidence of progress* begins a new one, and all counts with it: an
//! answer that a call never gave, the first answer to a call that may change something and did not fail, and a
//! message of the user. A write that is made again, and answers as it did, is no evidence, and neither is
//! anything that did not run.
//!
//! *Ladder* of each pattern: a note beside the results; calls that go on with it are refused, with the last
//! warning; the user is asked; the run is ended. Where the note was dropped, for want of budget, the refusal
//! comes first. Evidence takes the ladder back to the note, which is not said again. Who waits is never
//! ended: once the user was asked, the count begins anew.
//!
//! *Stays silent* where a call is repeated in a row ([`duplicate`](crate::duplicate) sees that), where answers
//! change (polling), calls do (paging, batches, exploring), failures do (diagnosing), or something was changed
//! in between (test, edit, test). A refusal lapses after some turns, for a call that never runs cannot show
//! that its answer has changed. Identities outlive a compaction, and the ladder with them; but to see again
//! what a compaction took away is something new.
//!
//! *Thresholds* stand with [`ProgressSettings`].

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::completion::{Completion, ToolCall};
use crate::entry::{
    Choice, ChoiceKind, Entry, Intervention, InterventionKind, Note, Origin, Speaker, ToolResult,
};
use crate::guard::{Answer, Blocked, Decision, Guard, Question, Settlement, Verdict};
use crate::offer::Effect;
use finding::{Finding, Now, Rule};
use ladder::{ASKED, Ladder, TOLD, WARNED};
use rounds::Rounds;
use words::Names;

mod cycle;
mod failure;
mod finding;
mod ladder;
mod repeat;
mod rounds;
mod waiting;
mod wandering;
mod words;

/// How the guard is set; zero turns a rule off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProgressSettings {
    /// Looks at what is still going on before the model is told to wait in one call; twice as many before one
    /// is refused. Ten: where others begin to warn about polling (`guards.md`, A21).
    pub waits: u32,
    /// Times that a cycle comes round. Two, where others have three (A21, A22): two laps are stuck in 85 % of
    /// judged points, whatever they answer (`corpus/README.md`), and here their answers are equal and nothing was
    /// changed. One more, where a compaction lies between.
    pub laps: u32,
    /// Looks with the same failure, between others. Three: stuck in 71 to 74 % (`corpus/README.md`).
    pub equal_failures: u32,
    /// Looks with the same answer that is no failure. One more: who does something else between may be right to
    /// look again.
    pub equal_answers: u32,
    /// Different calls of one tool that fail in the same way; twice as many before one is refused. Six: three
    /// failures in a row are stuck in 41 % only (`corpus/README.md`), and others refuse at six (A10).
    pub same_failures: u32,
    /// Rounds that bring nothing new, where a new one takes back half. Twelve: half of the look-ups, new or not,
    /// at which others hint (A23).
    pub wandering: u32,
    /// Turns after which a refusal lapses and the call may run once more.
    /// Five, as with [`duplicate`](crate::duplicate).
    pub lapse: u64,
}

impl Default for ProgressSettings {
    fn default() -> Self {
        Self {
            waits: 10,
            laps: 2,
            equal_failures: 3,
            equal_answers: 4,
            same_failures: 6,
            wandering: 12,
            lapse: 5,
        }
    }
}

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Progress {
    settings: ProgressSettings,
    state: State,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    rounds: Rounds,
    ladder: Ladder,
    names: Names,
}

const NAME: &str = "progress";
const VERSION: u64 = 1;
/// The shortest pattern is two laps of two rounds: what is seen sooner after a step was under way before it.
const NEW_PATTERN_TURNS: u64 = 4;

impl Progress {
    /// The guard, set so.
    #[must_use]
    pub fn new(settings: ProgressSettings) -> Self {
        Self { settings, state: State::default() }
    }

    /// How often a pattern must be seen; nothing where its rule is off.
    fn needed(&self, finding: &Finding) -> Option<u32> {
        let ProgressSettings { waits, laps, equal_failures, equal_answers, same_failures, wandering, .. } =
            self.settings;
        let needed = match finding.rule {
            Rule::Waiting => waits,
            Rule::Cycle => laps.saturating_mul(finding.period),
            Rule::Repeat if finding.failed => equal_failures,
            Rule::Repeat => equal_answers,
            Rule::SameFailure => same_failures,
            Rule::Wandering => wandering,
        };
        (needed > 0).then_some(needed)
    }

    /// The first pattern that was now seen often enough, of all that nothing was said about. Nothing soon after
    /// the guard spoke: it will be the same standstill.
    fn to_tell<'r>(&self, now: Now<'_>, results: &'r [ToolResult]) -> Option<(&'r ToolCall, Finding)> {
        let State { rounds, ladder, .. } = &self.state;
        if ladder.spoken > 0 && rounds.turn().saturating_sub(ladder.turn) < NEW_PATTERN_TURNS {
            return None;
        }
        let found = Rule::ALL.into_iter().find_map(|rule| {
            results.iter().filter(|it| it.origin == Origin::Executed).find_map(|result| {
                let finding = rule.find(rounds, &result.call, now)?;
                let is_due = finding.seen >= self.needed(&finding)?;
                let (level, _) = ladder.level(&finding, rounds.marker());
                (is_due && level == 0).then_some((&*result.call, finding))
            })
        })?;
        // What another call of this round moved was not known to the rule.
        let moved = results.iter().any(|it| match it.origin {
            Origin::Executed => rounds.is_evidence(it, it.text.key()),
            Origin::Missing => it.call.effect != Effect::ReadOnly,
            Origin::Synthetic => false,
        });
        (!moved).then_some(found)
    }

    /// The first pattern that this call goes on with, often enough seen for it to be refused, and how far the
    /// ladder about it has gone.
    fn to_refuse(&self, call: &ToolCall, now: Now<'_>) -> Option<(Finding, u8)> {
        let State { rounds, ladder, .. } = &self.state;
        Rule::ALL.into_iter().find_map(|rule| {
            let finding = rule.find(rounds, call, now)?;
            let needed = self.needed(&finding)?;
            let patience = match rule {
                Rule::Waiting | Rule::SameFailure => 2,
                Rule::Cycle | Rule::Repeat | Rule::Wandering => 1,
            };
            let (level, spoken) = ladder.level(&finding, rounds.marker());
            let is_due = finding.seen >= needed.saturating_mul(patience);
            let has_run_since = finding.turn > spoken;
            let lapsed = rounds.turn().saturating_sub(spoken) > self.settings.lapse;
            (is_due && (level < WARNED || has_run_since || !lapsed)).then_some((finding, level.max(TOLD)))
        })
    }

    fn note(&self, finding: &Finding, level: u8, text: String) -> Note {
        Note {
            guard: NAME.into(),
            rule: finding.rule.name().into(),
            level,
            subject: finding.subject.clone(),
            text: text.into(),
        }
    }
}

impl Guard for Progress {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        let State { rounds, ladder, names } = &mut self.state;
        match entry {
            Entry::Start(start) => *names = Names::of(&start.offer),
            Entry::Completion(_) => rounds.begin(),
            Entry::Result(result) => rounds.result(result),
            Entry::User(message) if message.from == Speaker::User => {
                rounds.close();
                rounds.moved();
            }
            Entry::Compaction(_) => rounds.compact(),
            Entry::Intervention(Intervention { kind, note, .. }) if note.guard == NAME => {
                ladder.spoke(note, rounds.turn(), rounds.marker());
                if let InterventionKind::Question(_) = kind
                    && note.rule == Rule::Waiting.name()
                {
                    rounds.close();
                    rounds.moved();
                }
            }
            Entry::User(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Intervention(_)
            | Entry::Answer(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let now = Now { calls: &completion.calls, results: None };
        let State { ladder, names, .. } = &self.state;
        let mut blocked = Vec::new();
        let mut asked = None;
        for (at, call) in completion.calls.iter().enumerate() {
            let Some((finding, level)) = self.to_refuse(call, now) else {
                // What follows a call that may change something is not judged: an edit and its test.
                if call.effect == Effect::ReadOnly {
                    continue;
                }
                break;
            };
            let number = ladder.spoken + 1 + u32::try_from(blocked.len()).unwrap_or(u32::MAX);
            match level {
                TOLD => {
                    let text = words::refusal(&finding, call, names, number);
                    blocked.push(Blocked { call: at, note: self.note(&finding, WARNED, text) });
                }
                WARNED => {
                    asked = asked.or_else(|| {
                        let text = words::question(&finding, call, names, number);
                        Some(self.note(&finding, ASKED, text))
                    });
                }
                _ => {
                    let text = words::stop(&finding, call, names);
                    return Ok(Verdict::Stop(self.note(&finding, ASKED + 1, text)).into());
                }
            }
        }
        Ok(match asked {
            Some(note) => Verdict::Ask(Question { note, options: options() }).into(),
            None if blocked.is_empty() => Decision::pass(),
            None => Verdict::Block(blocked).into(),
        })
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        let now = Now { calls: &completion.calls, results: Some(results) };
        let told = self.to_tell(now, results).map(|(call, finding)| {
            let State { ladder, names, .. } = &self.state;
            self.note(&finding, TOLD, words::note(&finding, call, names, ladder.spoken + 1))
        });
        Ok(Settlement::Accept(told.into_iter().collect()))
    }

    fn save(&self) -> Value {
        crate::state::seal(NAME, VERSION, &self.state)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.state = crate::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}

fn options() -> Vec<Choice> {
    vec![
        Choice { kind: ChoiceKind::Instruct, label: "say what it should do instead".into() },
        Choice { kind: ChoiceKind::SwitchModel, label: "switch to another model".into() },
        Choice { kind: ChoiceKind::Continue, label: "let it go on".into() },
        Choice { kind: ChoiceKind::Stop, label: "end the run".into() },
    ]
}
