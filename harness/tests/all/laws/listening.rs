//! A guard that records its questions and answers.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use balk_guards::{
    Answer, AttemptFailure, Completion, Conclusion, Decision, Entry, Guard, Recovery, Settlement, Stack,
    Termination, ToolResult,
};

/// The questions to guards, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Heard(Arc<Mutex<Vec<Question>>>);

/// An entry that a guard was shown, or a question that it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Question {
    /// The question with its subject.
    asked: String,
    /// The fault that was its answer.
    pub(super) fault: Option<String>,
}

impl Question {
    /// Whether the entry is the end of the run.
    pub(super) fn is_end(&self) -> bool {
        self.asked.starts_with("observe End(")
    }
}

impl Heard {
    /// The questions since the last call of this.
    pub(super) fn take(&self) -> Vec<Question> {
        std::mem::take(&mut *self.0.lock().expect("nobody panicked"))
    }

    fn add(&self, asked: String, fault: Option<String>) {
        self.0.lock().expect("nobody panicked").push(Question { asked, fault });
    }
}

/// Passes everything to the inner stack.
pub(super) struct Listening {
    pub(super) inner: Stack,
    pub(super) heard: Heard,
}

impl Listening {
    fn heard<T: Debug>(&self, question: &str, about: &dyn Debug, answer: Answer<T>) -> Answer<T> {
        let fault = answer.as_ref().err().map(ToString::to_string);
        self.heard.add(format!("{question} {about:?}: {answer:?}"), fault);
        answer
    }
}

impl Guard for Listening {
    fn name(&self) -> &'static str {
        "listening"
    }

    fn observe(&mut self, entry: &Entry) {
        self.heard.add(format!("observe {entry:?}"), None);
        self.inner.observe(entry);
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        self.heard("review", completion, self.inner.review(completion))
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        self.heard("settle", &(completion, results), self.inner.settle(completion, results))
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        self.heard("recover", failure, self.inner.recover(failure))
    }

    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        self.heard("conclude", end, self.inner.conclude(end))
    }
}
