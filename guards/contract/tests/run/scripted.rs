//! A guard that answers from a script, and a run to put it into.

use std::sync::Arc;

use balk_contract::{
    Answer, AttemptFailure, Batch, Completion, Conclusion, Decision, Effect, Entry, FinishReason, Guard,
    GuardFault, Limits, Note, Offer, Part, Protocol, RawCall, Recovery, Run, Settlement, Start, Status, Step,
    Subject, Termination, Tool, ToolCall, ToolResult, Usage, UserAnswer, Verdict,
};

/// A guard that answers from a script: the first line that fits a completion's text or first tool.
#[derive(Default)]
pub(crate) struct Scripted {
    pub(crate) review: Vec<(&'static str, Decision)>,
    /// Settles so many times with a rerun of the first call.
    pub(crate) reruns: u32,
    pub(crate) recovery: Option<Recovery>,
    pub(crate) conclusion: Option<Conclusion>,
    pub(crate) seen: Vec<&'static str>,
}

pub(crate) fn says(completion: &Completion, what: &str) -> bool {
    completion.texts().any(|text| &**text == what) || completion.calls.iter().any(|call| &*call.tool == what)
}

impl Guard for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn observe(&mut self, entry: &Entry) {
        self.seen.push(word(entry));
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let found = self.review.iter().find(|(what, _)| says(completion, what));
        Ok(found.map_or_else(Decision::pass, |(_, decision)| decision.clone()))
    }

    fn settle(&self, _: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        Ok(match results[0].tries {
            tries @ 1.. if tries <= self.reruns => Settlement::Rerun { call: 0, after: 7 },
            _ => Settlement::Accept(vec![note("beside the results")]),
        })
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        if failure.attempt > 3 {
            return Err(GuardFault { guard: "scripted".into(), reason: "four attempts".into() });
        }
        Ok(self.recovery.clone())
    }

    fn conclude(&self, _: &Termination) -> Answer<Option<Conclusion>> {
        Ok(self.conclusion.clone())
    }
}

pub(crate) fn word(entry: &Entry) -> &'static str {
    match entry {
        Entry::Start(_) => "start",
        Entry::User(_) => "user",
        Entry::Completion(_) => "completion",
        Entry::Failed(_) => "failed",
        Entry::Tried(_) => "tried",
        Entry::Result(_) => "result",
        Entry::Intervention(it) => it.kind.name(),
        Entry::Answer(_) => "answer",
        Entry::Compaction(_) => "compaction",
        Entry::Conclusion(_) => "conclusion",
        Entry::End(_) => "end",
    }
}

pub(crate) fn note(text: &str) -> Note {
    Note { guard: "scripted".into(), rule: "rule".into(), level: 1, subject: Subject::Run, text: text.into() }
}

pub(crate) fn offer() -> Arc<Offer> {
    Arc::new(Offer::new([
        Tool::new("look").effect(Effect::ReadOnly),
        Tool::new("send").effect(Effect::External),
    ]))
}

pub(crate) fn run(guard: Scripted) -> Run<Scripted> {
    let start = Start { model: "test".into(), protocol: Protocol::Text, offer: offer() };
    Run::new(guard, start, "Do it.", Limits { attempts: 9, ..Limits::NONE })
}

pub(crate) fn text(text: &str) -> Completion {
    let part = Part::Text(text.into());
    Completion::new([part], [], FinishReason::Stop, Usage::default(), &offer())
}

pub(crate) fn calls(tools: &[&str]) -> Completion {
    let call = |(at, tool): (usize, &&str)| RawCall {
        id: format!("c{at}").into(),
        tool: (*tool).into(),
        arguments: "{}".into(),
    };
    let calls = tools.iter().enumerate().map(call);
    Completion::new([], calls, FinishReason::ToolCall, Usage::default(), &offer())
}

pub(crate) fn works(calls: &[Arc<ToolCall>]) -> Batch {
    calls.iter().map(|call| ToolResult::executed(call, Status::Ok, "done")).collect()
}

/// Answers whatever is due in the simplest way: calls work, questions are answered with their first choice.
pub(crate) fn take_a_step<G: Guard>(run: &mut Run<G>) {
    match run.step() {
        Step::Tools { calls, .. } => run.executed(works(&calls)),
        Step::User(question) => {
            let choice = question.options[0].kind;
            run.answered(UserAnswer { choice, text: "go on".into() });
        }
        Step::Wait(span) => run.waited(span.at_most),
        Step::Reply => run.end(Termination::Finished),
        Step::Model { .. } | Step::Ended(_) => panic!("nothing to be done at {:?}", run.step()),
    }
}

/// What was committed after the task.
pub(crate) fn committed<G: Guard>(run: &Run<G>) -> String {
    run.transcript()[2..].iter().map(word).collect::<Vec<_>>().join(" ")
}

#[track_caller]
pub(crate) fn check(
    guard: Scripted,
    drive: impl FnOnce(&mut Run<Scripted>),
    expected: &str,
) -> Run<Scripted> {
    let mut run = run(guard);
    drive(&mut run);
    assert_eq!(committed(&run), expected);
    let seen: Vec<_> = run.transcript().iter().map(word).collect();
    assert_eq!(run.guard().seen, seen, "a guard sees every entry once, in order");
    run
}

pub(crate) fn reviewing(what: &'static str, verdict: Verdict) -> Scripted {
    Scripted { review: vec![(what, verdict.into())], ..Scripted::default() }
}
