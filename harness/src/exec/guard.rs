//! One guard of one run, whose rules are in another process.

use std::sync::{Arc, OnceLock};

use balk_guards::{
    Answer, AttemptFailure, Completion, Conclusion, Decision, Entry, Guard, GuardFault, Offer, Recovery,
    Settlement, Sight, Termination, ToolResult, offered,
};
use balk_reports::records::{CompletionRecord, EntryRecord, ResultRecord};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answers::Reader;
use super::lines::{FromGuard, Loaded, Question, SavedState, ToGuard};
use super::pool::{Pool, Session};

/// One guard of one run, whose rules are in another process. It keeps the entries of the run, so that any child can
/// take the run on.
#[derive(Debug)]
pub struct ExecGuard {
    pool: Arc<Pool>,
    run: u64,
    offer: Arc<Offer>,
    /// The state that it took, and the entries since then.
    state: Option<SavedState>,
    entries: Vec<Entry>,
    /// Once it broke, it answers nothing else.
    broken: OnceLock<GuardFault>,
}

/// The form of a saved state.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    guard: String,
    #[serde(with = "offered")]
    offer: Arc<Offer>,
    state: SavedState,
}

/// What is saved in place of a state that could not be had.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Broke {
    guard: String,
    broke: String,
}

impl ExecGuard {
    /// A guard for one more run.
    #[must_use]
    pub fn new(pool: &Arc<Pool>) -> Self {
        Self {
            pool: Arc::clone(pool),
            run: pool.begins(),
            offer: Arc::default(),
            state: None,
            entries: Vec::new(),
            broken: OnceLock::new(),
        }
    }

    /// Asks the child, if it answers such questions. `of` reads an answer of that name.
    fn asked<T>(
        &self,
        question: Question,
        line: impl FnOnce() -> ToGuard,
        of: impl FnOnce(FromGuard) -> Result<T, String>,
    ) -> Answer<Option<T>> {
        if let Some(fault) = self.broken.get() {
            return Err(fault.clone());
        }
        if !self.pool.introduction().answers.contains(&question) {
            return Ok(None);
        }
        self.said(question.name(), &line(), of).map(Some)
    }

    /// Asks the child. A child that breaks breaks the guard.
    fn said<T>(
        &self,
        name: &str,
        line: &ToGuard,
        of: impl FnOnce(FromGuard) -> Result<T, String>,
    ) -> Answer<T> {
        let said = self.pool.with(self.run, |session| {
            self.catch_up(session)?;
            let answer = session.ask(name, line)?;
            of(answer).map_err(|why| format!("in its answer to `{name}`: {why}"))
        });
        said.map_err(|reason| self.broken.get_or_init(|| self.fault(reason)).clone())
    }

    /// Tells a child what it does not know of this run.
    fn catch_up(&self, session: &mut Session) -> Result<(), String> {
        if session.run != Some(self.run) {
            session.begin(self.run)?;
            if let Some(state) = &self.state
                && let Loaded::Refused(why) = load(session, state)?
            {
                return Err(format!("expected that it takes the state that it took before, found: {why}"));
            }
        }
        for entry in &self.entries[session.entries..] {
            session.put(&ToGuard::Observe(EntryRecord::from(entry)))?;
            session.entries += 1;
        }
        Ok(())
    }

    fn reader<'a>(&'a self, completion: Option<&'a Completion>) -> Reader<'a> {
        Reader { guard: self.name(), offer: &self.offer, calls: completion.map_or(&[], |it| &it.calls) }
    }

    fn fault(&self, reason: String) -> GuardFault {
        GuardFault { guard: self.name().to_owned(), reason }
    }
}

/// Gives a child that has just begun a run this state.
fn load(session: &mut Session, state: &SavedState) -> Result<Loaded, String> {
    let answer = session.ask("load", &ToGuard::Load(state.clone()))?;
    let FromGuard::Load(loaded) = answer else { return Err(other(&answer)) };
    Ok(loaded)
}

/// A child never gets this far with an answer of another name.
fn other(answer: &FromGuard) -> String {
    format!("found an answer to `{}`", answer.name())
}

#[warn(clippy::missing_trait_methods, reason = "a default here would hide what the child says")]
impl Guard for ExecGuard {
    fn name(&self) -> &str {
        &self.pool.introduction().guard
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Start(start) = entry {
            self.offer = start.offer.clone();
        }
        self.entries.push(entry.clone());
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let line = || ToGuard::Review { completion: CompletionRecord::from(completion) };
        let decision = self.asked(Question::Review, line, |answer| {
            let FromGuard::Review(said) = answer else { return Err(other(&answer)) };
            self.reader(Some(completion)).decision(said)
        })?;
        Ok(decision.unwrap_or_default())
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        let line = || ToGuard::Settle {
            completion: CompletionRecord::from(completion),
            results: results.iter().map(ResultRecord::from).collect(),
        };
        let settlement = self.asked(Question::Settle, line, |answer| {
            let FromGuard::Settle(said) = answer else { return Err(other(&answer)) };
            self.reader(Some(completion)).settlement(said)
        })?;
        Ok(settlement.unwrap_or(Settlement::Accept(Vec::new())))
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        let line = || ToGuard::Recover { failure: failure.clone() };
        let recovery = self.asked(Question::Recover, line, |answer| {
            let FromGuard::Recover(said) = answer else { return Err(other(&answer)) };
            said.map(|it| self.reader(None).recovery(it)).transpose()
        })?;
        Ok(recovery.flatten())
    }

    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        let line = || ToGuard::Conclude { end: end.clone() };
        let conclusion = self.asked(Question::Conclude, line, |answer| {
            let FromGuard::Conclude(said) = answer else { return Err(other(&answer)) };
            said.map(|it| self.reader(None).conclusion(it, end)).transpose()
        })?;
        Ok(conclusion.flatten())
    }

    fn must_see(&self) -> Sight {
        let reviews = self.pool.introduction().answers.contains(&Question::Review);
        if reviews { Sight::Whole } else { Sight::Nothing }
    }

    /// Null for a guard that keeps no state. If its child breaks, that it broke, which no guard takes for a state: the
    /// run would go on as if nothing had happened before.
    fn save(&self) -> Value {
        if !self.pool.introduction().keeps_state {
            return Value::Null;
        }
        let state = match self.broken.get() {
            Some(fault) => Err(fault.clone()),
            None => self.said("save", &ToGuard::Save {}, |answer| {
                let FromGuard::Save(state) = answer else { return Err(other(&answer)) };
                Ok(state)
            }),
        };
        let guard = self.name().to_owned();
        let saved = match state {
            Ok(state) => serde_json::to_value(Saved { guard, offer: self.offer.clone(), state }),
            Err(fault) => serde_json::to_value(Broke { guard, broke: fault.reason }),
        };
        saved.expect("a saved state is plain data")
    }

    /// Null is the state of a guard before its run, and no state at all for one that keeps none: that one goes on.
    fn load(&mut self, state: Value) -> Answer<()> {
        if state.is_null() {
            if self.pool.introduction().keeps_state {
                self.pool.ends(self.run);
                (self.offer, self.state, self.entries) = (Arc::default(), None, Vec::new());
            }
            return Ok(());
        }
        if let Ok(Broke { guard, broke }) = Broke::deserialize(&state) {
            return Err(
                self.fault(format!("expected a state, found that `{guard}` had broken before: {broke}"))
            );
        }
        if !self.pool.introduction().keeps_state {
            let reason = format!("expected null, for a guard that keeps no state, found {state}");
            return Err(self.fault(reason));
        }
        let broken = |error| self.fault(format!("the saved state is broken: {error}"));
        let Saved { guard, offer, state } = serde_json::from_value(state).map_err(broken)?;
        if guard != self.name() {
            return Err(self.fault(format!("expected a state of `{}`, found one of `{guard}`", self.name())));
        }
        let loaded = self.pool.with(self.run, |session| {
            session.begin(self.run)?;
            let loaded = load(session, &state)?;
            if let Loaded::Refused(_) = loaded {
                // It begins anew with what this guard has.
                session.run = None;
            }
            Ok(loaded)
        });
        match loaded.map_err(|reason| self.fault(reason))? {
            Loaded::Refused(why) => Err(self.fault(format!("it refused the state: {why}"))),
            Loaded::Ok => {
                (self.offer, self.state, self.entries) = (offer, Some(state), Vec::new());
                Ok(())
            }
        }
    }
}

/// Its child is free for another run.
impl Drop for ExecGuard {
    fn drop(&mut self) {
        self.pool.ends(self.run);
    }
}
