//! Two guards that are told the truth: the oracle, and the ceiling.
//!
//! The **oracle** shows what the truth alone is worth to a guard that speaks as often as ours may. It is no bound: a
//! stack that intervenes in other turns has other luck, and sometimes recovers more. The **ceiling** is the same guard
//! without a budget, for actors that every correction moves
//! ([`ResponseMode::Certain`](balk_scenarios::ResponseMode)). So it has an actor moved in the first stuck turn, by a
//! way out that works, and no stack recovers more but by chance.

use balk_guards::{
    Answer, AttemptCause, AttemptFailure, Choice, ChoiceKind, Completion, Decision, Entry, FinishReason,
    Guard, Intervention, InterventionKind, Note, Origin, Purpose, Question, Recovery, Settlement, Status,
    Subject, ToolResult, Verdict, Wait,
};

use super::truth_channel::TruthChannel;

/// A guard that knows when the model is stuck, and whose messages have every feature that the response model reacts
/// to.
///
/// It speaks as often as our guards may: two corrections in one stuck stretch (ours send a correction and a
/// follow-up, or feedback and options), then one question.
#[derive(Clone, Debug)]
pub struct Oracle {
    name: &'static str,
    channel: TruthChannel,
    corrections: u32,
    spoken: u32,
    last_error: String,
    last_success: String,
    tools: String,
}

const CORRECTIONS: u32 = 2;

impl Oracle {
    /// An oracle that this channel tells the truth.
    #[must_use]
    pub fn new(channel: TruthChannel) -> Self {
        Self::named("oracle", channel)
    }

    /// The ceiling, which this channel tells the truth.
    #[must_use]
    pub fn ceiling(channel: TruthChannel) -> Self {
        Self::named("ceiling", channel)
    }

    fn named(name: &'static str, channel: TruthChannel) -> Self {
        Self {
            name,
            channel,
            corrections: 0,
            spoken: 0,
            last_error: String::new(),
            last_success: String::new(),
            tools: String::new(),
        }
    }

    fn note(&self) -> Note {
        const OTHER: [&str; 3] = ["Stop and look.", "That did not help either.", "Once more, differently:"];
        let opening = OTHER[usize::try_from(self.spoken).unwrap_or(0) % OTHER.len()];
        Note {
            guard: self.name.into(),
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
        self.name
    }

    fn observe(&mut self, entry: &Entry) {
        match entry {
            Entry::Start(start) => {
                let shown = |tool: &&balk_guards::Tool| tool.purpose != Purpose::Finish;
                let names: Vec<&str> =
                    start.offer.tools().iter().filter(shown).map(|tool| &*tool.name).collect();
                self.tools = names.join(", ");
            }
            Entry::Completion(_) if !self.channel.says_stuck() => self.corrections = 0,
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
                if *note.guard == *self.name =>
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

    /// Sends an empty attempt again, as often as the limits of the trial allow. If something was done in the attempt,
    /// the oracle knows it and tells the user; everything else is safe to send again, when the provider allows it.
    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        let after = match failure.cause {
            AttemptCause::Status { retry_after: Some(ticks), .. } => ticks,
            AttemptCause::Status { .. }
            | AttemptCause::Empty
            | AttemptCause::Connect
            | AttemptCause::TimedOut
            | AttemptCause::Disconnected => 0,
        };
        Ok(Some(if self.channel.says_unseen() {
            Recovery::Ask(self.question())
        } else {
            Recovery::resend(Wait::exactly(after))
        }))
    }

    /// A call that ran in a broken attempt counts as run.
    fn settle(&self, completion: &Completion, _: &[ToolResult]) -> Answer<Settlement> {
        let broke = completion.finish == FinishReason::Error;
        Ok(Settlement::Accept(if broke { vec![self.note()] } else { Vec::new() }))
    }

    fn review(&self, _: &Completion) -> Answer<Decision> {
        if !self.channel.says_stuck() {
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
