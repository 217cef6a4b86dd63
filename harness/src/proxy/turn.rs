//! One request of an agent: the model is asked until the guards let an answer pass, or want the user.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use balk_guards::turn::{before_last_answer, repaired};
use balk_guards::wire::responses::merged;
use balk_guards::wire::{Amendment, Asked, CallChange, Dialect, Edit};
use balk_guards::{
    AttemptFailure, Completion, Entry, FinishReason, Guard as _, GuardFault, Intervention, InterventionKind,
    Message, Offer, Part, Step, Termination, ToolCall, Usage, Wait, conclusion,
};
use tokio::sync::mpsc::Sender;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::attempt::{Asking, Attempt, Came, Failed};
use super::history;
use super::ids::{self, Ids};
use super::passing::{Passed, Passing};
use super::place::{Answer, Named};
use super::places::{Going, Places};
use super::put::Put;
use super::state::{Happened, Outcome, State};
use super::watched::at_work;
use crate::bench::Stopwatch;

/// How long one request of an agent may take, and how often the model may be asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// How often the model is asked.
    pub tries: u32,
    /// After this time it is not asked again.
    pub time: Duration,
    /// How long a tick of the guards lasts: they count waits in ticks.
    pub tick: Duration,
    /// How long the connection of a stream that is held may be silent.
    pub silence: Duration,
}

impl Default for Bounds {
    /// Clients wait ten minutes at least: the SDKs of OpenAI and Anthropic by default.
    fn default() -> Self {
        Self {
            tries: 8,
            time: Duration::from_secs(120),
            tick: Duration::from_millis(1),
            silence: Duration::from_secs(10),
        }
    }
}

impl Bounds {
    fn wait(self, ticks: u64) -> Duration {
        self.tick.saturating_mul(u32::try_from(ticks).unwrap_or(u32::MAX))
    }
}

/// A request on its way through the guards.
pub(super) struct Turn<'a> {
    pub(super) asking: Asking<'a>,
    /// The body as it came, which is text.
    pub(super) body: &'a Bytes,
    pub(super) asked: &'a Asked,
    pub(super) places: &'a Places,
    pub(super) bounds: Bounds,
    /// Whether somebody reads the conversation after it.
    pub(super) is_logged: bool,
}

impl Turn<'_> {
    /// Asks the model, as often as the guards want.
    pub(super) async fn play(
        &self,
        begun: Result<State, GuardFault>,
        to: Option<Sender<Passed>>,
    ) -> Happened {
        let mut state = match begun {
            Ok(state) => state,
            Err(fault) => return self.unguarded(fault).await,
        };
        // What the user is told about results is below the text.
        state.passing = Passing::new(to.filter(|_| state.going.notices.is_empty()));
        let watch = Stopwatch::start();
        loop {
            match state.going.run.step() {
                Step::Model { .. } => {
                    if state.last.is_some() && !self.may_ask(&state, watch, 0) {
                        return self.passes_anyway(state);
                    }
                    if let Some(outcome) = self.asks(&mut state).await {
                        state.hides_last();
                        return state.ends(outcome);
                    }
                }
                Step::Wait(wait) => {
                    let ticks = self.drawn(wait, state.asked);
                    if !self.may_ask(&state, watch, ticks) {
                        return self.passes_anyway(state);
                    }
                    tokio::time::sleep(self.bounds.wait(ticks)).await;
                    at_work(|| state.going.run.waited(ticks));
                    state.takes_news();
                }
                Step::Tools { calls, .. } => return self.shows(state, &calls, None),
                Step::Reply => return self.replies(state),
                Step::Ended(Termination::GuardFault(fault)) => return self.broke(state, &fault),
                Step::Ended(_) if state.failed.is_some() => return self.passes_anyway(state),
                Step::User(asks) => {
                    // A guard that stops a run says so before another one asks what to do then.
                    let (_, own) = before_last_answer(&state.entries);
                    let said: String =
                        own.iter().filter_map(|it| it.notice()).map(|it| format!("{it}\n\n")).collect();
                    return self.says(state, &(said + &asks.message()));
                }
                Step::Ended(end) => return self.stops(state, &end),
            }
        }
    }

    /// How many ticks of this range are waited: others for other requests, so that clients that failed together do not
    /// come back together.
    fn drawn(&self, wait: Wait, asked: u32) -> u64 {
        let Wait { at_least, at_most } = wait;
        let drawn = xxh3_64_with_seed(self.body, asked.into());
        at_least + drawn.checked_rem(at_most.saturating_sub(at_least).saturating_add(1)).unwrap_or(drawn)
    }

    /// Guards that only watch learn what came.
    pub(super) fn watched(&self, mut state: State, attempt: Attempt) -> Happened {
        state.asked = 1;
        match attempt {
            Attempt::Final(came, why) => {
                state.unseen = Some(why);
                return state.ends(Outcome::AsItCame(came));
            }
            Attempt::Failed(failed) => state.failed = Some(failed),
            Attempt::Answered(came, completion) if completion.is_empty() => {
                return state.ends(Outcome::AsItCame(came));
            }
            Attempt::Answered(came, completion) => {
                state.last = Some((came, completion.clone()));
                state.going.run.completed(completion);
                state.takes_news();
            }
        }
        match state.going.run.step() {
            Step::Tools { calls, .. } => self.shows(state, &calls, None),
            Step::Reply => self.replies(state),
            Step::Ended(Termination::GuardFault(fault)) => self.broke(state, &fault),
            Step::Model { .. } | Step::Wait(_) | Step::User(_) | Step::Ended(_) => state.gives_up(),
        }
    }

    fn may_ask(&self, state: &State, watch: Stopwatch, wait: u64) -> bool {
        let spent = Duration::from_nanos(watch.nanoseconds()).saturating_add(self.bounds.wait(wait));
        state.asked < self.bounds.tries && spent <= self.bounds.time
    }

    /// Asks the model once. What comes back is returned where asking again does not change it.
    async fn asks(&self, state: &mut State) -> Option<Outcome> {
        let body = self.request(state).unwrap_or_else(|why| {
            // The request is better sent without what its agent never saw than not at all.
            state.fault = Some(format!("what an agent never saw cannot be put into its request: {why}"));
            self.body.clone()
        });
        state.asked += 1;
        state.failed = None;
        state.hides_empty();
        state.passing.begins(state.going.run.guard().must_see());
        match self.asking.ask(body, &mut state.passing).await {
            Attempt::Final(came, why) => {
                state.unseen = Some(why);
                return Some(Outcome::AsItCame(came));
            }
            // It cannot be taken back.
            Attempt::Failed(failed) if state.passing.passed() > 0 => return Some(Outcome::Failed(failed)),
            Attempt::Answered(came, completion) => {
                if completion.is_empty() {
                    // An empty answer is a failed attempt, and the provider's own words if nothing helps.
                    let failed = AttemptFailure::empty(state.asked);
                    let AttemptFailure { cause, message, facts, .. } = failed;
                    state.empty = completion.usage;
                    state.failed = Some(Failed { cause, message, facts, came: Some(came) });
                } else {
                    state.hides_last();
                    state.last = Some((came, completion.clone()));
                }
                at_work(|| state.going.run.completed(completion));
            }
            Attempt::Failed(failed) => {
                let (message, facts) = (failed.message.clone(), failed.facts.clone());
                at_work(|| state.going.run.failed(failed.cause, message, facts));
                state.failed = Some(failed);
            }
        }
        state.takes_news();
        None
    }

    /// What the provider is to be sent now.
    fn request(&self, state: &State) -> Result<Bytes, String> {
        let Going { edits, behind, length, .. } = &state.going;
        let mut edits = edits.clone();
        let hidden = history::messages(&state.entries);
        if !hidden.is_empty() {
            edits.push(Edit::Put { before: length.messages, messages: hidden });
        }
        if edits.is_empty() && behind.is_none() {
            return Ok(self.body.clone());
        }
        let spliced = self.asking.dialect.spliced(&String::from_utf8_lossy(self.body), &edits);
        let text = spliced.map_err(|why| why.to_string())?;
        match behind {
            Some(first) => merged(first, &text).map(Bytes::from).map_err(|why| why.to_string()),
            None => Ok(text.into()),
        }
    }

    /// An answer without a call. An agent for one task ends with it and says so to no one, so what its user should know
    /// at the end is said here.
    fn replies(&self, mut state: State) -> Happened {
        let ending = match at_work(|| conclusion(state.going.run.guard(), &Termination::Finished)) {
            // What its user was told already is not said with every answer.
            Ok(ending) => {
                ending.map(|it| it.notice()).filter(|it| state.going.ending.as_ref() != Some(&it.text))
            }
            Err(fault) => return self.broke(state, &fault.to_string()),
        };
        let kind = InterventionKind::Notice;
        let said = ending.clone().map(|note| Intervention { kind, note, seen: true });
        state.interventions.extend(said);
        state.going.ending = ending.as_ref().map(|it| it.text.clone()).or(state.going.ending.take());
        let text = ending.filter(|_| !self.places.only_watch()).map(|it| it.text);
        self.shows(state, &[], text)
    }

    /// The calls that may run, and the texts; `ending` is said below them.
    fn shows(&self, mut state: State, calls: &[Arc<ToolCall>], ending: Option<Arc<str>>) -> Happened {
        let Some((came, original)) = state.last.take() else { return state.gives_up() };
        let (hidden, own) = before_last_answer(&state.entries);
        let judged = repaired(own).unwrap_or_else(|| original.clone());
        let notices = own.iter().filter_map(|it| it.notice().cloned());
        let notices: Vec<Arc<str>> =
            std::mem::take(&mut state.going.notices).into_iter().chain(notices).chain(ending).collect();
        // The agent has the beginning of another answer.
        let is_below = !state.passing.sent.is_empty() && came.passed == 0;
        let passes =
            judged == original && calls.len() == judged.calls.len() && notices.is_empty() && !is_below;
        let items = state.going.length.items;
        let mut puts: Vec<Put> = Put::before_answer(items, hidden).into_iter().collect();
        let mut shown = judged.clone();
        let mut lacks = Vec::new();
        if !passes {
            let mut changed = (*judged).clone();
            changed.calls = calls.to_vec();
            notices.iter().for_each(|it| say_below(&mut changed, it));
            if !notices.is_empty() || is_below {
                puts.push(Put::said(items, &judged, calls));
            } else if calls.len() < judged.calls.len() {
                puts.push(Put::calls(items, &judged, calls));
            }
            if judged != original {
                lacks.push(Message::Assistant(judged.clone()));
            }
            shown = changed.into();
        }
        let named = self.named(&state, Some(&came), lacks);
        let answer = Answer { entries: state.entries.clone().into(), shown: shown.clone(), puts, named };
        let outcome = if passes {
            Outcome::AsItCame(came)
        } else {
            let change = (!is_below).then(|| amendment((&original, &judged, &shown), calls, came.passed));
            Outcome::Changed(shown, Some(came), change.flatten())
        };
        state.keeps((self.places, self.is_logged), outcome, answer)
    }

    /// Words of a guard to the user, in place of what the model said.
    fn says(&self, mut state: State, text: &str) -> Happened {
        state.hides_empty();
        let (hidden, own) = before_last_answer(&state.entries);
        let items = state.going.length.items;
        let mut puts: Vec<Put> = Put::before_answer(items, hidden).into_iter().collect();
        puts.push(Put::instead(items, own));
        let is_result = |it: &Message| matches!(it, Message::Result { .. });
        let lacks = history::messages(own).into_iter().filter(is_result).collect();
        let (came, said) = state.last.take().unzip();
        let shown = Arc::new(words(text, said.map_or_else(Usage::default, |it| it.usage)));
        let named = self.named(&state, came.as_ref(), lacks);
        let answer = Answer { entries: state.entries.clone().into(), shown: shown.clone(), puts, named };
        state.keeps((self.places, self.is_logged), Outcome::Changed(shown, came, None), answer)
    }

    /// A guard or the user ended the run.
    fn stops(&self, state: State, end: &Termination) -> Happened {
        let said: Vec<Arc<str>> = state.entries.iter().filter_map(|it| it.notice().cloned()).collect();
        let text = if said.is_empty() { ended(end).to_owned() } else { said.join("\n\n") };
        self.says(state, &text)
    }

    /// The model is asked no more: its last answer passes, and says so. Without one, the agent gets why there is none.
    fn passes_anyway(&self, mut state: State) -> Happened {
        let Some((came, completion)) = state.last.take() else { return state.gives_up() };
        state.hides_empty();
        let entries = vec![Entry::Completion(completion.clone())];
        match at_work(|| self.places.passing(self.asked, &state.going, &entries)) {
            Ok(run) => state.going.run = run,
            Err(fault) => return self.broke_with(state, came, &fault.to_string()),
        }
        let mut shown = (*completion).clone();
        say_below(&mut shown, GAVE_UP);
        let shown = Arc::new(shown);
        let puts = vec![Put::said(state.going.length.items, &completion, &completion.calls)];
        let named = self.named(&state, Some(&came), Vec::new());
        let answer = Answer { entries: entries.into(), shown: shown.clone(), puts, named };
        let is_below = !state.passing.sent.is_empty() && came.passed == 0;
        let said = (&completion, &completion, &shown);
        let change = (!is_below).then(|| amendment(said, &completion.calls, came.passed)).flatten();
        let outcome = Outcome::Changed(shown.clone(), Some(came), change);
        state.keeps((self.places, self.is_logged), outcome, answer)
    }

    /// How a later request can follow an answer by its id. It lacks `lacks`, if the agent has the id of this answer. If
    /// it has the beginning of an earlier one, everything after that. If no provider gave an id, it lacks all that the
    /// provider was not sent.
    fn named(&self, state: &State, came: Option<&Came>, lacks: Vec<Message>) -> Named {
        if self.asking.dialect != Dialect::Responses {
            return Named::default();
        }
        let given = |body: &[u8]| Some(Ids::of(body).id).filter(|it| !it.is_empty());
        let sent = &state.passing.sent;
        match came {
            Some(came) if sent.is_empty() || came.passed > 0 => {
                return Named { id: given(&came.body), lacks, behind: None };
            }
            None if sent.is_empty() => {
                let behind = self.request(state).ok().map(|it| String::from_utf8_lossy(&it).into());
                return Named { id: Some(ids::own(self.body)), lacks: Vec::new(), behind };
            }
            Some(_) | None => {}
        }
        let is_answer = |it: &Entry| matches!(it, Entry::Completion(_));
        let begun = state.entries.iter().position(is_answer).unwrap_or(state.entries.len());
        let after = history::messages(&state.entries[begun..]).into_iter().skip(1);
        Named { id: given(sent), lacks: after.collect(), behind: None }
    }

    fn broke(&self, mut state: State, fault: &str) -> Happened {
        match state.last.take() {
            Some((came, _)) => self.broke_with(state, came, fault),
            None => Happened { fault: Some(fault.to_owned()), ..state.gives_up() },
        }
    }

    /// A guard broke: its agent goes on without it, and is told nothing.
    fn broke_with(&self, state: State, came: Came, fault: &str) -> Happened {
        Happened { fault: Some(fault.to_owned()), ..state.ends(Outcome::AsItCame(came)) }
    }

    /// A guard broke before the model was asked.
    async fn unguarded(&self, fault: GuardFault) -> Happened {
        let outcome = match self.asking.ask(self.body.clone(), &mut Passing::new(None)).await {
            Attempt::Answered(came, _) | Attempt::Final(came, _) => Outcome::AsItCame(came),
            Attempt::Failed(failed) => Outcome::Failed(failed),
        };
        let fault = Some(fault.to_string());
        Happened { fault, ..Happened::of(outcome) }
    }
}

/// Puts words to the user below what a message says.
fn say_below(completion: &mut Completion, text: &str) {
    let text = if completion.has_text() { format!("\n\n{text}").into() } else { text.into() };
    completion.parts.push(Part::Text(text));
}

/// What changes an answer that is `original` into the one that is shown. None where its texts were changed, too.
fn amendment(
    (original, judged, shown): (&Arc<Completion>, &Arc<Completion>, &Arc<Completion>),
    calls: &[Arc<ToolCall>],
    sent: usize,
) -> Option<Amendment> {
    let below = shown.parts.strip_prefix(&*original.parts)?;
    if judged.calls.len() != original.calls.len() {
        return None;
    }
    let mut left = calls.iter().peekable();
    let fate = |(was, is): (&Arc<ToolCall>, &Arc<ToolCall>)| match left.next_if(|it| *it == is) {
        None => CallChange::Goes,
        Some(_) if was == is => CallChange::Stays,
        Some(_) => CallChange::Becomes(is.clone()),
    };
    let calls = original.calls.iter().zip(&judged.calls).map(fate).collect();
    let text = below.iter().map(|it| match it {
        Part::Text(text) | Part::Thinking { text, .. } => &**text,
    });
    Some(Amendment { calls, text: text.collect(), sent })
}

/// A message of the assistant that says this and calls nothing, with the tokens of the answer in whose place it is.
fn words(text: &str, usage: Usage) -> Completion {
    Completion::new([Part::Text(text.into())], [], FinishReason::Stop, usage, &Offer::default())
}

/// What is said where no guard has words for an end.
fn ended(end: &Termination) -> &'static str {
    match end {
        Termination::StoppedByUser => "The run has ended, as you asked.",
        Termination::Finished
        | Termination::NoProgress
        | Termination::FatalExecution(_)
        | Termination::StoppedByGuard
        | Termination::Limit(_)
        | Termination::GuardFault(_) => "The run has ended.",
    }
}

/// What the user reads under an answer that was corrected in vain.
const GAVE_UP: &str = "(Balk asked the model several times to correct this answer, and shows it as it is.)";
