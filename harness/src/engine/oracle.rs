//! The oracle: a guard that is told the truth. What it recovers is a mark to measure by, and hardly to be beaten.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use balk_guards::{
    Answer, AttemptCause, AttemptFailure, Choice, ChoiceKind, Completion, Decision, Entry, FinishReason,
    Guard, Intervention, InterventionKind, Note, Origin, Purpose, Question, Recovery, Settlement, Status,
    Subject, ToolResult, Verdict, Wait,
};
use balk_scenarios::Truth;

/// What the engine tells the oracle, and nobody else: whether the turn at hand is stuck, and whether the provider
/// did something in it that nobody saw.
#[derive(Clone, Debug, Default)]
pub struct Whisper(Arc<AtomicU8>);

impl Whisper {
    pub(crate) fn tell(&self, truth: Truth, unseen: bool) {
        let stuck = match truth {
            Truth::Stuck(_) => STUCK,
            Truth::Productive | Truth::Waiting | Truth::Finished | Truth::Faulted => 0,
        };
        self.0.store(stuck | if unseen { UNSEEN } else { 0 }, Ordering::Relaxed);
    }

    fn says(&self, what: u8) -> bool {
        self.0.load(Ordering::Relaxed) & what != 0
    }
}

const STUCK: u8 = 1;
const UNSEEN: u8 = 2;

/// A guard that knows when the model is stuck and says everything that the response model answers to.
///
/// It speaks as often as our guards may: two corrections in one stuck stretch (theirs are a correction and a
/// follow-up, or feedback and options), then one question, within the same budget of the stack.
#[derive(Clone, Debug, Default)]
pub struct Oracle {
    whisper: Whisper,
    corrections: u32,
    spoken: u32,
    last_error: String,
    last_success: String,
    tools: String,
}

const NAME: &str = "oracle";
const CORRECTIONS: u32 = 2;

impl Oracle {
    /// An oracle that hears this whisper.
    #[must_use]
    pub fn new(whisper: Whisper) -> Self {
        Self { whisper, ..Self::default() }
    }

    fn note(&self) -> Note {
        const OTHER: [&str; 3] = ["Stop and look.", "That did not help either.", "Once more, differently:"];
        let opening = OTHER[usize::try_from(self.spoken).unwrap_or(0) % OTHER.len()];
        Note {
            guard: NAME.into(),
            rule: "truth".into(),
            level: 1,
            subject: Subject::Run,
            text: format!(
                "{opening} You are stuck (told {} times).\nLast error: {}\nLast answer: {}\nTools: {}\n- change \
                 what the error names\n- use another tool\nDo not send this call again with the same arguments.",
                self.spoken, self.last_error, self.last_success, self.tools
            )
            .into(),
        }
    }
}

impl Oracle {
    fn question(&self) -> Question {
        Question {
            note: self.note(),
            options: vec![
                Choice { kind: ChoiceKind::Instruct, label: "say what it should do".into() },
                Choice { kind: ChoiceKind::SwitchModel, label: "switch to another model".into() },
                Choice { kind: ChoiceKind::Stop, label: "end the run".into() },
            ],
        }
    }
}

impl Guard for Oracle {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        match entry {
            Entry::Start(start) => {
                let shown = |tool: &&balk_guards::Tool| tool.purpose != Purpose::Finish;
                let names: Vec<&str> =
                    start.offer.tools().iter().filter(shown).map(|tool| &*tool.name).collect();
                self.tools = names.join(", ");
            }
            Entry::Completion(_) if !self.whisper.says(STUCK) => self.corrections = 0,
            Entry::Result(result) if result.origin == Origin::Executed => {
                let last = if result.status == Status::Error {
                    &mut self.last_error
                } else {
                    &mut self.last_success
                };
                last.clear();
                last.push_str(result.text.lines().find(|line| !line.trim().is_empty()).unwrap_or(""));
            }
            Entry::Intervention(Intervention { kind: InterventionKind::Feedback, note, .. })
                if note.guard == NAME =>
            {
                self.corrections += 1;
                self.spoken += 1;
            }
            Entry::Completion(_)
            | Entry::User(_)
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

    /// An empty attempt is sent again, as often as the bounds of the trial allow.
    /// Whoever knows that something was done in the attempt says so to the user; everything else is safe to send
    /// again, when the provider wants it.
    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        let after = match failure.cause {
            AttemptCause::Status { retry_after: Some(ticks), .. } => ticks,
            AttemptCause::Status { .. }
            | AttemptCause::Empty
            | AttemptCause::Connect
            | AttemptCause::TimedOut
            | AttemptCause::Disconnected => 0,
        };
        Ok(Some(if self.whisper.says(UNSEEN) {
            Recovery::Ask(self.question())
        } else {
            Recovery::Resend { after: Wait::exactly(after) }
        }))
    }

    /// What ran in a broken attempt did run.
    fn settle(&self, completion: &Completion, _: &[ToolResult]) -> Answer<Settlement> {
        let broke = completion.finish == FinishReason::Error;
        Ok(Settlement::Accept(if broke { vec![self.note()] } else { Vec::new() }))
    }

    fn review(&self, _: &Completion) -> Answer<Decision> {
        if !self.whisper.says(STUCK) {
            return Ok(Decision::pass());
        }
        Ok(if self.corrections < CORRECTIONS {
            Verdict::Retry(self.note()).into()
        } else if self.corrections > CORRECTIONS {
            Decision::pass()
        } else {
            Verdict::Ask(self.question()).into()
        })
    }
}
