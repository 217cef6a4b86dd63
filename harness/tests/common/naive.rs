//! Guards that nobody should ship: naive readings of our rules, and mouths that say always the same. What
//! they get wrong is what the rules' conditions and the messages' contents are for.

use std::collections::BTreeSet;

use balk_guards::{
    Answer, Blocked, CallKey, Choice, ChoiceKind, Completion, Decision, Entry, Guard, Note, Origin, Question,
    Settlement, Status, Subject, ToolResult, Verdict,
};

fn note(guard: &'static str, text: &str) -> Note {
    Note { guard: guard.into(), rule: "naive".into(), level: 1, subject: Subject::Run, text: text.into() }
}

/// A3 without its conditions: any failure of any tool at any time, and then a fence.
#[derive(Default)]
pub(crate) struct AnyFence {
    failed: bool,
}

impl Guard for AnyFence {
    fn name(&self) -> &'static str {
        "any-fence"
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Result(result) = entry {
            self.failed |= result.origin == Origin::Executed && result.status == Status::Error;
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let fenced = completion.texts().any(|text| text.contains("```") || text.contains("~~~"));
        Ok(if self.failed && fenced {
            Verdict::Retry(note("any-fence", "Do not show code. Use the tools.")).into()
        } else {
            Decision::pass()
        })
    }
}

/// D1 without its conditions: any call that was made before.
#[derive(Default)]
pub(crate) struct AnyRepeat {
    seen: BTreeSet<CallKey>,
    /// Calls of the completion at hand that were there before it.
    repeated: Vec<usize>,
}

impl Guard for AnyRepeat {
    fn name(&self) -> &'static str {
        "any-repeat"
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Completion(completion) = entry {
            let calls = completion.calls.iter().enumerate();
            self.repeated =
                calls.filter(|(_, call)| self.seen.contains(&call.key)).map(|(at, _)| at).collect();
            self.seen.extend(completion.calls.iter().map(|call| call.key));
        }
    }

    fn review(&self, _: &Completion) -> Answer<Decision> {
        let blocked: Vec<Blocked> = self
            .repeated
            .iter()
            .map(|&call| Blocked { call, note: note("any-repeat", "You have made this call before.") })
            .collect();
        Ok(if blocked.is_empty() { Decision::pass() } else { Verdict::Block(blocked).into() })
    }
}

/// Steps in where another guard does, and does something else there.
pub(crate) struct Instead<G> {
    /// Who says where.
    pub(crate) inner: G,
    /// What is done there.
    pub(crate) what: What,
}

/// What is done where the other guard steps in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// The user is asked.
    Ask,
    /// The model is told this one sentence.
    Say(&'static str),
    /// The same as the other guard, and every text to the model is emptied.
    Empty,
}

impl<G: Guard> Instead<G> {
    fn emptied(mut decision: Decision) -> Decision {
        let hush = |note: &mut Note| note.text = "".into();
        match &mut decision.verdict {
            Verdict::Block(blocked) => blocked.iter_mut().for_each(|it| hush(&mut it.note)),
            Verdict::Retry(note) => hush(note),
            Verdict::Pass | Verdict::Ask(_) | Verdict::Stop(_) => {}
        }
        decision.withhold.iter_mut().for_each(|it| hush(&mut it.note));
        decision
    }

    /// The note under which the other guard spoke, with these words: its ladder goes on as it would.
    fn said(decision: &Decision, text: &str) -> Option<Note> {
        let note = match &decision.verdict {
            Verdict::Pass => return None,
            Verdict::Block(blocked) => blocked.first()?.note.clone(),
            Verdict::Retry(note) | Verdict::Stop(note) | Verdict::Ask(Question { note, .. }) => note.clone(),
        };
        Some(Note { text: text.into(), ..note })
    }
}

impl<G: Guard> Guard for Instead<G> {
    fn name(&self) -> &'static str {
        "instead"
    }

    fn observe(&mut self, entry: &Entry) {
        self.inner.observe(entry);
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let decision = self.inner.review(completion)?;
        Ok(match self.what {
            What::Empty => Self::emptied(decision),
            What::Say(sentence) => Self::said(&decision, sentence)
                .map_or_else(Decision::pass, |note| Verdict::Retry(note).into()),
            What::Ask => Self::said(&decision, "The model is stuck. What should it do?").map_or_else(
                Decision::pass,
                |note| {
                    let choice = |kind, label: &'static str| Choice { kind, label: label.into() };
                    let options = vec![choice(ChoiceKind::Instruct, "say"), choice(ChoiceKind::Stop, "end")];
                    Verdict::Ask(Question { note, options }).into()
                },
            ),
        })
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        self.inner.settle(completion, results)
    }
}
