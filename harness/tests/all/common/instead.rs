//! Guards that must not be shipped: they intervene where a good guard does, and always say the same. Their failures
//! show what the contents of messages are worth.

use balk_guards::{
    Answer, Choice, ChoiceKind, Completion, Decision, Entry, Guard, Note, Question, Settlement, ToolResult,
    Verdict,
};

/// Intervenes where another guard does, with another action.
pub(crate) struct Instead<G> {
    /// The guard that decides where.
    pub(crate) inner: G,
    /// The action.
    pub(crate) what: What,
}

/// The action in place of the other guard's intervention.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// Ask the user.
    Ask,
    /// Tell the model this one sentence.
    Say(&'static str),
    /// Intervene as the other guard, with an empty text to the model.
    Empty,
}

impl<G: Guard> Instead<G> {
    fn emptied(mut decision: Decision) -> Decision {
        let hush = |note: &mut Note| note.text = "".into();
        match &mut decision.verdict {
            Verdict::Block(blocked) => blocked.iter_mut().for_each(|it| hush(&mut it.note)),
            Verdict::Retry(note) => hush(note),
            Verdict::Pass | Verdict::Ask(_) | Verdict::Stop(_) | Verdict::Repair(_) => {}
        }
        decision
    }

    /// The other guard's note with this text, so that its ladder advances as usual.
    fn said(decision: &Decision, text: &str) -> Option<Note> {
        let note = match &decision.verdict {
            Verdict::Pass | Verdict::Repair(_) => return None,
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
