//! A small host that drives [`Run`], so that a test is a short literal transcript.

use std::sync::{Arc, Mutex};

use balk_guards::{
    Abandonment, AttemptFailure, Batch, CallRepair, ChoiceKind, Compaction, Completion, Decision, Duplicate,
    Effect, EmptyCompletion, Entry, FinishReason, Guard, Handoff, Intervention, InterventionKind, Limits,
    NoTools, Offer, Origin, Part, Progress, ProgressSettings, Protocol, Purpose, RawCall, Recovery,
    Repetition, RetrySafety, Run, Speaker, Start, Status, Step, Termination, Tool, ToolCall, ToolResult,
    Transcript, Usage, UserAnswer, UserMessage,
};
use balk_peers::{
    Cline, Crush, Forge, GeminiCli, HermesLike, KimiCli, NaiveAbandonment, NaiveDuplicate, NaiveNoTools,
    NaiveRetry, OpenCode, OpenHands, OpenRouter, QwenCode, RooCode, TurnLimit,
};

pub(crate) mod broken;
pub(crate) mod debts;
pub(crate) mod duplicates;
pub(crate) mod events;
pub(crate) mod handoffs;
pub(crate) mod retries;
pub(crate) mod rungs;
mod shown;

use shown::{Said, Shown};

/// One tool of each effect, a shell, and a tool to ask with.
pub(crate) fn offer() -> Arc<Offer> {
    Arc::new(Offer::new([
        Tool::new("read").effect(Effect::ReadOnly),
        Tool::new("pytest").effect(Effect::ReadOnly),
        Tool::new("write_file").effect(Effect::IdempotentWrite),
        Tool::new("append").effect(Effect::Write),
        Tool::new("send_mail").effect(Effect::External),
        Tool::new("deploy"),
        Tool::new("bash").purpose(Purpose::Shell),
        Tool::new("ask_user").effect(Effect::ReadOnly).purpose(Purpose::AskUser),
    ]))
}

/// Every guard of this crate, with default settings.
pub(crate) fn all_guards() -> Vec<Box<dyn Guard>> {
    vec![
        Box::new(CallRepair::default()),
        Box::new(Abandonment::default()),
        Box::new(Duplicate::default()),
        Box::new(NoTools::default()),
        Box::new(EmptyCompletion::default()),
        Box::new(RetrySafety::default()),
        Box::new(Handoff::default()),
        Box::new(Progress::default()),
        Box::new(Repetition::default()),
    ]
}

/// Every rule of another agent, and every naive version, with default settings.
pub(crate) const PEERS: [fn() -> Box<dyn Guard>; 16] = [
    || Box::new(Cline::default()),
    || Box::new(RooCode::default()),
    || Box::new(OpenHands::default()),
    || Box::new(GeminiCli::default()),
    || Box::new(QwenCode::default()),
    || Box::new(OpenCode),
    || Box::new(Crush::default()),
    || Box::new(KimiCli::default()),
    || Box::new(OpenRouter::default()),
    || Box::new(HermesLike::default()),
    || Box::new(TurnLimit::default()),
    || Box::new(Forge::default()),
    || Box::new(NaiveAbandonment::default()),
    || Box::new(NaiveNoTools),
    || Box::new(NaiveDuplicate::default()),
    || Box::new(NaiveRetry),
];

/// An offer without a shell and without a tool to ask with.
pub(crate) fn bare_offer() -> Arc<Offer> {
    Arc::new(Offer::new([
        Tool::new("read").effect(Effect::ReadOnly),
        Tool::new("write_file").effect(Effect::IdempotentWrite),
    ]))
}

/// The model's part of one turn, and the results of its calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turn {
    parts: Vec<Part>,
    calls: Vec<Call>,
    finish: Option<FinishReason>,
}

#[derive(Clone, Debug)]
struct Call {
    tool: String,
    arguments: String,
    status: Status,
    origin: Origin,
    answer: String,
}

/// A text without a call.
pub(crate) fn says(text: &str) -> Turn {
    Turn::default().and_says(text)
}

/// Only thinking.
pub(crate) fn thinks(text: &str) -> Turn {
    Turn::default().and_thinks(text)
}

/// A call with the result `ok`, unless the turn sets another.
pub(crate) fn calls(tool: &str, arguments: &str) -> Turn {
    Turn::default().and_calls(tool, arguments)
}

/// These turns repeated, `all` in total.
pub(crate) fn again(turns: &[Turn], all: usize) -> Vec<Turn> {
    turns.iter().cycle().take(all).cloned().collect()
}

impl Turn {
    /// The same turn with one more text.
    pub(crate) fn and_says(mut self, text: &str) -> Self {
        self.parts.push(Part::Text(text.into()));
        self
    }

    /// The same turn with thinking.
    pub(crate) fn and_thinks(mut self, text: &str) -> Self {
        self.parts.push(Part::Thinking { text: text.into(), signature: None });
        self
    }

    /// The same turn with one more call.
    pub(crate) fn and_calls(mut self, tool: &str, arguments: &str) -> Self {
        self.calls.push(Call {
            tool: tool.into(),
            arguments: arguments.into(),
            status: Status::Ok,
            origin: Origin::Executed,
            answer: "ok".into(),
        });
        self
    }

    /// The last call returns this text.
    pub(crate) fn answers(self, text: &str) -> Self {
        self.ends(Status::Ok, text)
    }

    /// The last call fails with this error.
    pub(crate) fn fails(self, error: &str) -> Self {
        self.ends(Status::Error, error)
    }

    /// The last call returns this text, with unknown status.
    pub(crate) fn answers_something(self, text: &str) -> Self {
        self.ends(Status::Unknown, text)
    }

    /// The result of the last call is missing.
    pub(crate) fn goes_missing(mut self) -> Self {
        self.calls.last_mut().expect("a call").origin = Origin::Missing;
        self.ends(Status::Unknown, "")
    }

    /// The provider gives this finish reason.
    pub(crate) fn finishes(mut self, finish: FinishReason) -> Self {
        self.finish = Some(finish);
        self
    }

    fn ends(mut self, status: Status, text: &str) -> Self {
        let call = self.calls.last_mut().expect("a call");
        (call.status, call.answer) = (status, text.into());
        self
    }

    /// The completion that a provider would send.
    pub(crate) fn completion(&self, offer: &Offer, ids: &mut u32) -> Completion {
        let calls: Vec<_> = self.calls.iter().map(|call| raw(call, ids)).collect();
        let natural = if calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCall };
        let finish = self.finish.unwrap_or(natural);
        Completion::new(self.parts.clone(), calls, finish, Usage::default(), offer)
    }
}

fn raw(call: &Call, ids: &mut u32) -> RawCall {
    *ids += 1;
    RawCall {
        id: format!("call_{ids}").into(),
        tool: call.tool.as_str().into(),
        arguments: call.arguments.as_str().into(),
    }
}

/// A host of [`Run`] with one guard. Each turn resumes where the transcript ended, so a test may also commit what no
/// host would: two answers without a word of the user between them, or a turn after the end.
pub(crate) struct Loop {
    pub(crate) guard: Box<dyn Guard>,
    pub(crate) entries: Transcript,
    /// How often a tool ran, including earlier tries.
    pub(crate) runs: u32,
    /// What the user chooses when asked, if the question offers it; else the first choice.
    pub(crate) choice: ChoiceKind,
    offer: Arc<Offer>,
    ids: u32,
}

impl Loop {
    /// A run with the usual tools.
    pub(crate) fn new(guard: impl Guard + 'static) -> Self {
        Self::with_offer(guard, offer())
    }

    /// A run with these tools.
    pub(crate) fn with_offer(guard: impl Guard + 'static, offer: Arc<Offer>) -> Self {
        Self::begun(guard, Start { model: "test".into(), protocol: Protocol::Text, offer })
    }

    /// A run with this start.
    pub(crate) fn begun(guard: impl Guard + 'static, start: Start) -> Self {
        let (guard, offer) = (rungs::without(Box::new(guard)), start.offer.clone());
        let (entries, choice) = (Vec::new(), ChoiceKind::Continue);
        let mut this = Self { guard, entries, runs: 0, choice, offer, ids: 0 };
        this.commit(Entry::Start(start));
        this.user("Write hello.py.");
        this
    }

    /// Commits one entry.
    pub(crate) fn commit(&mut self, entry: Entry) {
        self.guard.observe(&entry);
        self.entries.push(entry);
    }

    /// The user sends this text.
    pub(crate) fn user(&mut self, text: &str) {
        self.commit(Entry::User(UserMessage { from: Speaker::User, text: text.into() }));
    }

    /// The loop sends its own prompt.
    pub(crate) fn prompt(&mut self) {
        self.commit(Entry::User(UserMessage { from: Speaker::Loop, text: "Go on.".into() }));
    }

    /// The view is compacted.
    pub(crate) fn compact(&mut self) {
        self.commit(Entry::Compaction(Compaction { summary: "so far: nothing".into() }));
    }

    /// One turn; returns the guard's decision.
    pub(crate) fn turn(&mut self, turn: &Turn) -> Decision {
        let completion = turn.completion(&self.offer, &mut self.ids);
        let Said { decision, .. } = self.play(turn, |run| run.completed(completion));
        decision.expect("the guard is asked about a completion")
    }

    /// The first attempt at a turn breaks; the calls of the turn are those that ran in it. Returns the guard's
    /// recovery, unless the guard ended the run over the calls.
    pub(crate) fn breaks(&mut self, turn: &Turn, failure: &AttemptFailure) -> Option<Recovery> {
        let AttemptFailure { attempt, cause, message, facts } = failure.clone();
        assert_eq!(attempt, 1, "a run that is resumed counts attempts anew");
        let completion = (!turn.calls.is_empty()).then(|| turn.completion(&self.offer, &mut self.ids));
        let said = self.play(turn, |run| match completion {
            Some(completion) => run.interrupted(completion, cause, message, facts),
            None => run.failed(cause, message, facts),
        });
        said.recovery
    }

    /// Gives the run the model's answer, and then executes its steps until the model or the user must speak.
    fn play(&mut self, turn: &Turn, begin: impl FnOnce(&mut Run<Shown<'_>>)) -> Said {
        let known = self.entries.len();
        let shown = Shown { guard: &mut *self.guard, skips: known, said: Mutex::default() };
        let transcript = std::mem::take(&mut self.entries);
        let mut run = Run::resume(shown, transcript, Limits::NONE).expect("it has begun");
        let is_after_answer = run.step() == Step::Reply;
        if is_after_answer {
            run.said(UserMessage { from: Speaker::Loop, text: "".into() });
        }
        begin(&mut run);
        loop {
            match run.step() {
                Step::Tools { calls, .. } => {
                    self.runs += u32::try_from(calls.len()).expect("few calls");
                    // The ids of the completion continue the count, one per call.
                    let first = usize::try_from(self.ids).expect("few calls") - turn.calls.len();
                    let answer = |call: &Arc<ToolCall>| {
                        let nth = call.id.strip_prefix("call_").and_then(|id| id.parse::<usize>().ok());
                        // A call that was made out of a text has an id of the guard, and works.
                        let own = nth.map(|nth| result(&turn.calls[nth - first - 1], call));
                        own.unwrap_or_else(|| ToolResult::executed(call, Status::Ok, "ok"))
                    };
                    run.executed(calls.iter().map(answer).collect::<Batch>());
                }
                Step::Wait(wait) => run.waited(wait.at_least),
                Step::User(question) => {
                    let mut open = question.options.iter().map(|it| it.kind);
                    let first = open.clone().next().unwrap_or(ChoiceKind::Stop);
                    let choice = open.find(|&it| it == self.choice).unwrap_or(first);
                    run.answered(UserAnswer { choice, text: "Go on as you see fit.".into() });
                }
                Step::Model { .. } | Step::Reply | Step::Ended(_) => break,
            }
        }
        let said = std::mem::take(&mut *run.guard().said.lock().expect("nobody panicked"));
        self.entries = run.into_transcript();
        if is_after_answer {
            self.entries.remove(known);
        }
        if let Some(Entry::End(end)) = self.entries.last() {
            assert!(!matches!(end, Termination::GuardFault(_)), "{end:?}");
            self.entries.pop();
        }
        said
    }

    /// One turn, with the guard's expected decision in the form of [`outline`].
    #[track_caller]
    pub(crate) fn check(&mut self, turn: &Turn, expected: &str) -> Decision {
        let decision = self.turn(turn);
        assert_eq!(outline(&decision), expected, "to {turn:?}");
        decision
    }

    /// Everything that the guard says in these turns, about results and completions, each with its turn number.
    pub(crate) fn said(&mut self, turns: impl IntoIterator<Item = Turn>) -> Vec<String> {
        let mut said = Vec::new();
        for (nth, turn) in turns.into_iter().enumerate() {
            let before = self.interventions().count();
            self.turn(&turn);
            said.extend(self.interventions().skip(before).map(|it| format!("{} {}", nth + 1, line(it))));
        }
        said
    }

    /// The same turn several times, without an intervention of the guard.
    #[track_caller]
    pub(crate) fn pass(&mut self, turn: &Turn, turns: usize) {
        for _ in 0..turns {
            self.check(turn, "pass");
        }
    }

    /// The committed interventions, in order.
    pub(crate) fn interventions(&self) -> impl Iterator<Item = &Intervention> {
        self.entries
            .iter()
            .filter_map(|entry| if let Entry::Intervention(it) = entry { Some(it) } else { None })
    }
}

fn result(it: &Call, call: &Arc<ToolCall>) -> ToolResult {
    ToolResult {
        call: call.clone(),
        origin: it.origin,
        status: it.status,
        tries: 1,
        text: it.answer.as_str().into(),
    }
}

/// A decision on one line: kind, rule and level of everything that is committed for it.
pub(crate) fn outline(decision: &Decision) -> String {
    let all: Vec<_> = decision.interventions(true).iter().map(line).collect();
    if all.is_empty() { "pass".into() } else { all.join(", ") }
}

fn line(it: &Intervention) -> String {
    format!("{} {} {}", kind(&it.kind), it.note.rule, it.note.level)
}

fn kind(kind: &InterventionKind) -> &'static str {
    match kind {
        InterventionKind::Feedback => "retry",
        InterventionKind::Note => "note",
        InterventionKind::Question(_) => "ask",
        InterventionKind::Notice => "notice",
        InterventionKind::Block => "block",
        InterventionKind::Repair(_) => "repair",
        InterventionKind::Stop => "stop",
    }
}

#[track_caller]
pub(crate) fn text(decision: &Decision) -> String {
    decision.interventions(true).first().expect("the guard says something").note.text.to_string()
}

/// Every rule of the progress guard with the same threshold.
pub(crate) fn progress_at(threshold: u32) -> ProgressSettings {
    ProgressSettings {
        waits: threshold,
        unfit_calls: threshold,
        refused_ends: threshold,
        grown_calls: threshold,
        laps: threshold,
        returns: threshold,
        equal_failures: threshold,
        equal_answers: threshold,
        near_calls: threshold,
        same_failures: threshold,
        same_answers: threshold,
        rewrites: threshold,
        persisting_failures: threshold,
        whole_failures: threshold,
        wandering: threshold,
        refused_replies: threshold,
        same_texts: threshold,
        lapse: 5,
    }
}
