//! A loop in miniature: it commits entries in the order of the engine, so that a test is a short literal
//! transcript.

use std::sync::Arc;

use balk_guards::{
    Abandonment, AttemptFailure, AttemptResponse, ChoiceKind, Compaction, Completion, Decision, Duplicate,
    Effect, EmptyCompletion, Entry, FailedAttempt, FinishReason, Guard, Handoff, Intervention,
    InterventionKind, NoTools, Offer, Origin, Part, Progress, ProgressSettings, Protocol, Purpose, RawCall,
    Recovery, RetrySafety, Settlement, Speaker, Start, Status, Tool, ToolCall, ToolResult, Transcript, Usage,
    UserAnswer, UserMessage, Verdict,
};
use balk_peers::{
    Cline, Crush, GeminiCli, HermesLike, KimiCli, NaiveAbandonment, NaiveDuplicate, NaiveNoTools, NaiveRetry,
    OpenCode, OpenHands, OpenRouter, QwenCode, RooCode, TurnLimit,
};

pub(crate) mod broken;
pub(crate) mod events;
pub(crate) mod handoffs;
pub(crate) mod retries;

/// One tool of each effect, a shell and a way to ask.
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

/// Every guard of this crate, set as it comes.
pub(crate) fn all_guards() -> Vec<Box<dyn Guard>> {
    vec![
        Box::new(Abandonment::default()),
        Box::new(Duplicate::default()),
        Box::new(NoTools::default()),
        Box::new(EmptyCompletion::default()),
        Box::new(RetrySafety::default()),
        Box::new(Handoff::default()),
        Box::new(Progress::default()),
    ]
}

/// Every rule of another agent, and every naive reading, set as it comes.
pub(crate) const PEERS: [fn() -> Box<dyn Guard>; 15] = [
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
    || Box::new(NaiveAbandonment::default()),
    || Box::new(NaiveNoTools),
    || Box::new(NaiveDuplicate::default()),
    || Box::new(NaiveRetry),
];

/// An offer with neither a shell nor a way to ask.
pub(crate) fn bare_offer() -> Arc<Offer> {
    Arc::new(Offer::new([
        Tool::new("read").effect(Effect::ReadOnly),
        Tool::new("write_file").effect(Effect::IdempotentWrite),
    ]))
}

/// What the model does in one turn, and what its calls answer.
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

/// Thinking, and nothing else.
pub(crate) fn thinks(text: &str) -> Turn {
    Turn::default().and_thinks(text)
}

/// A call that answers `ok`, unless the turn says otherwise.
pub(crate) fn calls(tool: &str, arguments: &str) -> Turn {
    Turn::default().and_calls(tool, arguments)
}

/// These turns over and over, so many in all.
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

    /// The last call answers this.
    pub(crate) fn answers(self, text: &str) -> Self {
        self.ends(Status::Ok, text)
    }

    /// The last call fails with this.
    pub(crate) fn fails(self, error: &str) -> Self {
        self.ends(Status::Error, error)
    }

    /// The last call answers this, and nobody says whether it worked.
    pub(crate) fn answers_something(self, text: &str) -> Self {
        self.ends(Status::Unknown, text)
    }

    /// The last call has no recorded answer.
    pub(crate) fn goes_missing(mut self) -> Self {
        self.calls.last_mut().expect("a call").origin = Origin::Missing;
        self.ends(Status::Unknown, "")
    }

    /// The provider says that it stopped for this.
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

/// An agent loop with one guard.
pub(crate) struct Loop {
    pub(crate) guard: Box<dyn Guard>,
    pub(crate) entries: Transcript,
    /// How often a tool ran, earlier tries counted.
    pub(crate) runs: u32,
    /// What the user chooses when asked.
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

    /// A run that begins so.
    pub(crate) fn begun(guard: impl Guard + 'static, start: Start) -> Self {
        let mut this = Self {
            guard: Box::new(guard),
            entries: Vec::new(),
            runs: 0,
            choice: ChoiceKind::Continue,
            offer: start.offer.clone(),
            ids: 0,
        };
        this.commit(Entry::Start(start));
        this.user("Write hello.py.");
        this
    }

    /// Commits one entry.
    pub(crate) fn commit(&mut self, entry: Entry) {
        self.guard.observe(&entry);
        self.entries.push(entry);
    }

    /// The user speaks.
    pub(crate) fn user(&mut self, text: &str) {
        self.commit(Entry::User(UserMessage { from: Speaker::User, text: text.into() }));
    }

    /// The loop's own prompt.
    pub(crate) fn prompt(&mut self) {
        self.commit(Entry::User(UserMessage { from: Speaker::Loop, text: "Go on.".into() }));
    }

    /// The view is cut down.
    pub(crate) fn compact(&mut self) {
        self.commit(Entry::Compaction(Compaction { summary: "so far: nothing".into() }));
    }

    /// One turn; what the guard said to it.
    pub(crate) fn turn(&mut self, turn: &Turn) -> Decision {
        let completion = Arc::new(turn.completion(&self.offer, &mut self.ids));
        self.commit(Entry::Completion(completion.clone()));
        let decision = self.guard.review(&completion).expect("guards of this crate never break");
        let mut results: Vec<_> =
            turn.calls.iter().zip(&completion.calls).map(|(it, call)| result(it, call)).collect();
        for (at, result) in results.iter_mut().enumerate() {
            match decision.verdict.refusal(at) {
                Some(reason) => *result = ToolResult::refused(&result.call, reason),
                None => self.runs += 1,
            }
        }
        let notes = self.settle(&completion, &mut results);
        for result in results {
            self.commit(Entry::Result(result));
        }
        for note in notes {
            self.commit(Entry::Intervention(Intervention { kind: InterventionKind::Note, note, seen: true }));
        }
        for intervention in decision.interventions(true) {
            self.commit(Entry::Intervention(intervention));
        }
        if let Verdict::Ask(_) = decision.verdict {
            self.commit(Entry::Answer(UserAnswer {
                choice: self.choice,
                text: "Go on as you see fit.".into(),
            }));
        }
        decision
    }

    /// An attempt that breaks; the calls of the turn are those that ran in it. What the guard said to it.
    pub(crate) fn breaks(&mut self, turn: &Turn, failure: &AttemptFailure) -> Option<Recovery> {
        if !turn.calls.is_empty() {
            let left = turn.clone().finishes(FinishReason::Error);
            let completion = Arc::new(left.completion(&self.offer, &mut self.ids));
            self.commit(Entry::Completion(completion.clone()));
            let results: Vec<_> =
                turn.calls.iter().zip(&completion.calls).map(|(it, call)| result(it, call)).collect();
            self.runs += u32::try_from(results.len()).expect("few calls");
            let settled = self.guard.settle(&completion, &results).expect("guards of this crate never break");
            for result in results {
                self.commit(Entry::Result(result));
            }
            let Settlement::Accept(notes) = settled else { panic!("a broken attempt runs nothing again") };
            for note in notes {
                self.commit(Entry::Intervention(Intervention {
                    kind: InterventionKind::Note,
                    note,
                    seen: true,
                }));
            }
        }
        let recovery = self.guard.recover(failure).expect("guards of this crate never break");
        let response = match &recovery {
            Some(Recovery::Resend { after }) => AttemptResponse::Resent { after: after.at_least },
            Some(Recovery::Ask(_)) => AttemptResponse::Asked,
            Some(Recovery::Stop(_)) | None => AttemptResponse::Ended,
        };
        self.commit(Entry::Failed(FailedAttempt { failure: failure.clone(), response }));
        match &recovery {
            Some(Recovery::Ask(question)) => {
                self.commit(Entry::Intervention(question.intervention(true)));
                self.commit(Entry::Answer(UserAnswer { choice: self.choice, text: "Go on.".into() }));
            }
            Some(Recovery::Stop(note)) => {
                let (kind, note) = (InterventionKind::Stop, note.clone());
                self.commit(Entry::Intervention(Intervention { kind, note, seen: true }));
            }
            Some(Recovery::Resend { .. }) | None => {}
        }
        recovery
    }

    fn settle(&mut self, completion: &Completion, results: &mut [ToolResult]) -> Vec<balk_guards::Note> {
        if results.iter().all(|it| it.origin != Origin::Executed) {
            return Vec::new();
        }
        loop {
            match self.guard.settle(completion, results).expect("guards of this crate never break") {
                Settlement::Accept(notes) => return notes,
                Settlement::Rerun { call, after: _ } => {
                    let again = ToolResult { tries: results[call].tries + 1, ..results[call].clone() };
                    self.runs += 1;
                    let tried = std::mem::replace(&mut results[call], again);
                    self.commit(Entry::Tried(tried));
                }
            }
        }
    }

    /// One turn, and what the guard must say to it, as [`outline`] writes it.
    #[track_caller]
    pub(crate) fn check(&mut self, turn: &Turn, expected: &str) -> Decision {
        let decision = self.turn(turn);
        assert_eq!(outline(&decision), expected, "to {turn:?}");
        decision
    }

    /// All that the guard says to these turns, beside the results or about the completion, each with the
    /// number of its turn among them.
    pub(crate) fn said(&mut self, turns: impl IntoIterator<Item = Turn>) -> Vec<String> {
        let mut said = Vec::new();
        for (nth, turn) in turns.into_iter().enumerate() {
            let before = self.interventions().count();
            self.turn(&turn);
            said.extend(self.interventions().skip(before).map(|it| format!("{} {}", nth + 1, line(it))));
        }
        said
    }

    /// The same turn so many times, without a word from the guard.
    #[track_caller]
    pub(crate) fn pass(&mut self, turn: &Turn, turns: usize) {
        for _ in 0..turns {
            self.check(turn, "pass");
        }
    }

    /// What was committed as intervention, in order.
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
        tries: u32::from(it.origin == Origin::Executed),
        text: it.answer.as_str().into(),
    }
}

/// A decision in one line: kind, rule and level of all that is committed for it.
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

/// The words of what is said first.
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
        near_failures: threshold,
        same_failures: threshold,
        wandering: threshold,
        refused_replies: threshold,
        same_texts: threshold,
        lapse: 5,
    }
}
