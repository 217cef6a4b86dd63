//! **progress**: the model is busy and makes no progress.
//!
//! *Detects* a standstill, by rounds and not by calls (equal parallel calls are one look), most specific description
//! first:
//!
//! | rule | what is seen |
//! |---|---|
//! | `waiting` | the same look at something that is still in progress, or a tool that waits |
//! | `unknown-tool` | calls of tools that are not on offer |
//! | `invalid-arguments` | calls without arguments that their tool requires |
//! | `refused-finish` | the task is declared finished but is not, and nothing changed |
//! | `growing-call` | the previous call with something inserted, and the same answer |
//! | `cycle` | two to six rounds in the same order |
//! | `rewrite` | a file is brought back to an earlier state |
//! | `no-op` | a write of the content that the file already has |
//! | `rewriting` | a file is written as a whole again and again, and nothing else is done |
//! | `repeat` | the same call with the same answer, between other calls or beside them |
//! | `persisting-failure` | the same call fails in the same way, or calls in other spellings do, whatever was changed |
//! | `near-call` | nearly the same arguments and nothing else in them, exactly the same answer |
//! | `same-failure` | different arguments, the same failure |
//! | `same-answer` | another page, other words or another reference, the same answer, which is no failure |
//! | `wandering` | a long run of rounds that return only what was already seen |
//! | `refused-replies` | replies without a call that get the same answer several times in a row |
//! | `repeated-text` | the same text without a call, or the same beginning while no one else speaks |
//!
//! In a row of failures, `repeat` also finds a call that comes back in nearly the same words (`tries.rs`).
//!
//! A round is the set of its calls and answers (volatile parts masked, [`identity`](crate::identity)), and belongs to a
//! state of the workspace. *Evidence of progress* begins a new state and resets all counts. Evidence is an answer that
//! a call never gave before, the first answer to a call that is known to change something and did not fail, and a
//! user's message that differs from the one before and does not only say "go on". A clock, an id, a countdown, a number
//! that rises with every answer (`tally.rs`) or another spelling of the arguments is none (spec P1;
//! `docs/guards.md#progress` has the definition and its counter-examples). Three rules look past it (`unmoved.rs`, spec
//! P2). A repeated write, or one that brings a file back to an earlier state, is no evidence, and neither is a call
//! that did not run, or that failed. A call of unknown effect may have changed something: a pattern with such a call in
//! between must be seen twice as often before a call is refused.
//!
//! *Ladder* of each pattern: a note with the results (a correction if there are none); then calls that continue the
//! pattern are refused, with a last warning; then the user is asked; then the run ends. If the note was dropped, for
//! lack of budget, the refusal comes first. Evidence resets the ladder to the note, which is not repeated. This guard
//! never stops a waiting model: after the question to the user, the count begins again. Whatever the user answers,
//! the next call runs, because it may follow the answer; only the same result once more ends the run. If a pattern
//! covers arguments that were not seen before, each step needs a call that ran since the last step.
//!
//! *Stays silent* if a call is repeated in a row ([`duplicate`](crate::duplicate) handles that), if answers change
//! (polling), calls change (paging, batches, exploring, one deed after another), failures change (diagnosing), or if
//! something changed in between (test, edit, test). Where each answer rules something out, it has two or four times the
//! patience: numbers and names that are tried one by one, errors that differ in what they name, an error that names
//! nothing. A refusal lapses after some turns, because a call that never runs cannot show that its answer has changed.
//! Identities survive a compaction, and so does the ladder; but seeing again what a compaction removed counts as new.
//!
//! *Thresholds*: see [`ProgressSettings`].

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::settings::ProgressSettings;
use crate::call_memory::Wanted;
use crate::change::Change;
use balk_contract::nudge::is_go_ahead;
use balk_contract::{
    Answer, AttemptCause, Blocked, Choice, Completion, Decision, Entry, Guard, GuardFault, Intervention,
    InterventionKind, Note, Origin, Question, Settlement, Speaker, ToolCall, ToolResult, Verdict,
};
use current_round::{CurrentRound, Read};
use finding::{Finding, Rule};
use last_error::LastError;
use messages::Messages;
use offer_index::OfferIndex;
use rounds::{LOOKS, Rounds};
use rule::findings;
use said::Said;
use spoken::{ASKED, Spoken, TOLD, WARNED};

mod current_round;
mod cycle;
mod deed;
mod finding;
mod finish;
mod growing;
mod last_error;
mod look;
mod messages;
mod near_call;
mod offer_index;
mod place;
mod pointed;
mod program;
mod question;
mod repeat;
mod respelled;
mod rewrite;
mod rewritten;
mod rounds;
mod rule;
mod rungs;
mod said;
mod same_answer;
mod same_failure;
mod says;
mod settings;
mod spelling;
mod spoken;
mod standing;
mod tally;
mod tries;
mod unfit;
mod unmoved;
mod variation;
pub(crate) mod waiting;
mod wandering;
mod workspace;

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Progress {
    settings: ProgressSettings,
    state: ProgressState,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ProgressState {
    rounds: Rounds,
    spoken: Spoken,
    offer: OfferIndex,
    said: Said,
    error: LastError,
    /// How often the request wants something.
    wanted: Wanted,
}

const NAME: &str = "progress";
const VERSION: u64 = 17;
/// The shortest pattern is two laps of two rounds. A pattern found earlier than that after a step had begun before
/// the step.
const NEW_PATTERN_TURNS: u64 = 4;

impl Progress {
    /// The rules of this guard.
    pub const RULES: &[balk_contract::rules::Rule] = rungs::RULES;

    /// A guard with these settings.
    #[must_use]
    pub fn new(settings: ProgressSettings) -> Self {
        Self { settings, state: ProgressState::default() }
    }

    /// How often a pattern must be seen; `None` if its rule is off.
    fn needed(&self, finding: &Finding) -> Option<u32> {
        let it = self.settings;
        let needed = match finding.rule {
            Rule::Waiting if finding.is_same && it.same_answers > 0 => it.waits.min(it.same_answers),
            Rule::Waiting => it.waits,
            Rule::UnknownTool | Rule::Arguments => it.unfit_calls,
            Rule::Finish => it.refused_ends,
            Rule::Growing => it.grown_calls,
            Rule::Cycle => it.laps.saturating_mul(finding.period),
            Rule::Rewrite | Rule::NoOp => it.returns,
            Rule::Rewriting => it.rewrites,
            // Off is off.
            Rule::Persisting if finding.is_whole && finding.has_reason => {
                it.whole_failures.saturating_add(it.whole_failures.min(1))
            }
            Rule::Persisting if finding.is_whole => it.whole_failures,
            Rule::Persisting => it.persisting_failures,
            Rule::Repeat if finding.failed => it.equal_failures,
            Rule::Repeat => it.equal_answers,
            Rule::NearCall => it.near_calls,
            Rule::SameFailure => it.same_failures,
            Rule::SameAnswer if finding.is_consent => it.same_texts,
            Rule::SameAnswer if finding.is_same => it.near_calls.saturating_add(it.near_calls.min(1)),
            Rule::SameAnswer => it.same_answers,
            Rule::Wandering => it.wandering,
            Rule::RefusedReplies => it.refused_replies,
            Rule::RepeatedText => it.same_texts,
        };
        let times = if finding.is_wanted { self.state.wanted.times(finding.failed) } else { 0 };
        let wanted = if finding.rule == Rule::Repeat {
            times
        } else if finding.rule == Rule::Cycle {
            // In a circle, what is wanted comes with other calls.
            times.div_ceil(2).saturating_mul(finding.period)
        } else {
            0
        };
        (needed > 0).then_some(needed.saturating_mul(finding.patience).max(wanted))
    }

    /// Whether the guard spoke so recently that another pattern is the same standstill.
    fn spoke_lately(&self) -> bool {
        let ProgressState { rounds, spoken, .. } = &self.state;
        spoken.interventions > 0 && rounds.turn().saturating_sub(spoken.turn) < NEW_PATTERN_TURNS
    }

    /// The first pattern that has now been seen often enough and was not mentioned before. `None` soon after the
    /// guard spoke: it would be the same standstill.
    fn to_tell<'r>(
        &self,
        completion: &Completion,
        results: &'r [ToolResult],
    ) -> Option<(&'r ToolCall, Finding)> {
        let ProgressState { rounds, spoken, offer, .. } = &self.state;
        if self.spoke_lately() {
            return None;
        }
        let read = &Read::default();
        let now = CurrentRound { calls: &completion.calls, results: Some(results), read };
        // The most specific finding about any of the calls.
        let ran = results.iter().take(LOOKS).filter(|it| it.origin == Origin::Executed);
        let found = ran.filter_map(|result| {
            let mut all = findings(rounds, offer, &result.call, now, self.settings.same_failures)?;
            let found = all.find(|finding| {
                let is_due = self.needed(finding).is_some_and(|needed| finding.seen >= needed);
                is_due && spoken.level(finding, rounds.marker()).0 == 0
            })?;
            Some((&*result.call, found))
        });
        let found = found.min_by_key(|(_, finding)| finding.rule)?;
        // The rule did not know whether another call of this round made progress.
        let moved = results.iter().any(|it| match it.origin {
            Origin::Executed => rounds.is_evidence(it),
            Origin::Missing | Origin::Synthetic => Change::of(it) != Change::Nothing,
        });
        (!moved || found.1.rule.outlasts_changes()).then_some(found)
    }

    /// The first pattern that this call continues and that was seen often enough to refuse it, and the level that the
    /// ladder about it has reached.
    fn to_refuse(&self, call: &ToolCall, now: CurrentRound<'_>) -> Option<(Finding, u8)> {
        let ProgressState { rounds, spoken, offer, .. } = &self.state;
        findings(rounds, offer, call, now, 0)?.find_map(|finding| {
            let needed = self.needed(&finding)?;
            let (level, spoken_at) = spoken.level(&finding, rounds.marker());
            let is_due = finding.seen.saturating_mul(2) >= needed.saturating_mul(finding.halves());
            let has_run_since = finding.turn > spoken_at;
            let lapsed = rounds.turn().saturating_sub(spoken_at) > self.settings.lapse;
            // Other arguments may be the right ones, and the user may have fixed the cause. Only a call that ran
            // since then can show that this is not so.
            let rule = finding.rule;
            let is_of_others =
                matches!(rule, Rule::SameFailure | Rule::NearCall | Rule::Growing | Rule::Finish)
                    || rule.outlasts_changes();
            let goes_on = match level {
                0 => !self.spoke_lately(),
                TOLD => true,
                WARNED => has_run_since || !is_of_others && !lapsed,
                _ => has_run_since,
            };
            (is_due && goes_on).then_some((finding, level.max(TOLD)))
        })
    }

    /// The first pattern that a completion without a call continues, and the level that the ladder about it has
    /// reached.
    fn to_correct(&self) -> Option<(Finding, u8)> {
        let ProgressState { rounds, spoken, said, .. } = &self.state;
        let mut found = said.findings(rounds.turn()).into_iter();
        let finding = found.find(|it| self.needed(it).is_some_and(|needed| it.seen >= needed))?;
        let (level, _) = spoken.level(&finding, rounds.marker());
        Some((finding, level))
    }

    /// The verdict about a completion without a call.
    fn about_text(&self) -> Option<Verdict> {
        let (finding, level) = self.to_correct()?;
        let ProgressState { spoken, offer, error, .. } = &self.state;
        let messages = Messages {
            finding: &finding,
            call: None,
            offer,
            error,
            number: spoken.interventions.saturating_add(1),
        };
        Some(match level {
            0 => Verdict::Retry(self.note(&finding, TOLD, messages.note())),
            TOLD => Verdict::Retry(self.note(&finding, WARNED, messages.warning())),
            WARNED => Verdict::Ask(Question {
                note: self.note(&finding, ASKED, messages.question()),
                options: choices(),
            }),
            _ => Verdict::Stop(self.note(&finding, ASKED + 1, messages.stop())),
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
        let ProgressState { rounds, spoken, offer, said, error, wanted } = &mut self.state;
        match entry {
            Entry::Start(start) => *offer = OfferIndex::of(&start.offer),
            Entry::Completion(completion) => {
                rounds.begin();
                said.observe(completion);
            }
            Entry::Result(result) => {
                rounds.result(result, offer, wanted);
                error.observe(result);
            }
            Entry::User(message) => {
                let said_before = said.answered(message);
                if message.from == Speaker::User {
                    wanted.hear(&message.text);
                }
                if message.from == Speaker::User && !said_before && !is_go_ahead(&message.text) {
                    rounds.user_spoke();
                }
            }
            Entry::Compaction(_) => rounds.compact(),
            Entry::Intervention(Intervention { kind, note, .. }) if note.guard == NAME => {
                spoken.observe(note, rounds.turn(), rounds.marker());
                if let InterventionKind::Question(_) = kind
                    && note.rule == Rule::Waiting.name()
                {
                    rounds.close();
                    rounds.moved();
                }
            }
            Entry::Failed(attempt) if attempt.failure.cause == AttemptCause::Empty => said.fell_empty(),
            Entry::Failed(_)
            | Entry::Answer(_)
            | Entry::Tried(_)
            | Entry::Intervention(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        if completion.calls.is_empty() {
            return Ok(self.about_text().map(Decision::from).unwrap_or_default());
        }
        let now = CurrentRound { calls: &completion.calls, results: None, read: &Read::default() };
        let ProgressState { spoken, offer, error, .. } = &self.state;
        let mut refused = completion.judged(|call| self.to_refuse(call, now)).peekable();
        if refused.peek().is_none() {
            return Ok(Decision::pass());
        }
        let mut blocked = Vec::new();
        let mut asked = None;
        for (at, call, (finding, level)) in refused {
            let before =
                spoken.interventions.saturating_add(u32::try_from(blocked.len()).unwrap_or(u32::MAX));
            let number = before.saturating_add(1);
            let messages = Messages { finding: &finding, call: Some(call), offer, error, number };
            match level {
                TOLD => {
                    blocked.push(Blocked { call: at, note: self.note(&finding, WARNED, messages.warning()) })
                }
                WARNED => {
                    asked = asked.or_else(|| Some(self.note(&finding, ASKED, messages.question())));
                }
                _ => return Ok(Verdict::Stop(self.note(&finding, ASKED + 1, messages.stop())).into()),
            }
        }
        Ok(match asked {
            Some(note) => Verdict::Ask(Question { note, options: choices() }).into(),
            None => Verdict::Block(blocked).into(),
        })
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        let Some((call, finding)) = self.to_tell(completion, results) else {
            return Ok(Settlement::Accept(Vec::new()));
        };
        let ProgressState { spoken, offer, error, .. } = &self.state;
        let own = LastError::of(call, results);
        let error = if own.line().is_some() { &own } else { error };
        let number = spoken.interventions.saturating_add(1);
        let messages = Messages { finding: &finding, call: Some(call), offer, error, number };
        Ok(Settlement::Accept(vec![self.note(&finding, TOLD, messages.note())]))
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.state)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        let state: ProgressState = balk_contract::state::open(NAME, VERSION, state)?;
        let rounds = state.rounds.restored().ok_or_else(|| GuardFault {
            guard: NAME.into(),
            reason: "the saved state holds more rounds or calls than this version remembers".into(),
        })?;
        self.state = ProgressState { rounds, ..state };
        Ok(())
    }
}

fn choices() -> Vec<Choice> {
    Choice::for_stuck("say what it should do instead", true)
}
