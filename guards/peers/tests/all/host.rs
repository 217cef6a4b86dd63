//! A host that plays scripted replies, and notes what a guard does.

use std::sync::Arc;

use balk_contract::{
    AttemptCause, AttemptFacts, AttemptFailure, Batch, ChoiceKind, Completion, Decision, Effect, Entry,
    FinishReason, Guard, InterventionKind, Limits, Offer, Part, Protocol, Purpose, RawCall, Recovery, Run,
    Settlement, Speaker, Start, Status, Step, Tool, ToolCall, ToolResult, Transcript, Usage, UserAnswer,
    UserMessage, Wait,
};

use crate::script::{Answer, Event, Said};

/// What a guard did: a line for each intervention, and the words of the last.
pub(crate) struct Played {
    pub(crate) lines: Vec<String>,
    pub(crate) last: String,
}

/// A guard under which a broken attempt is made again at once.
struct Again(Box<dyn Guard>);

impl Guard for Again {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn observe(&mut self, entry: &Entry) {
        self.0.observe(entry);
    }

    fn review(&self, completion: &Completion) -> balk_contract::Answer<Decision> {
        self.0.review(completion)
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> balk_contract::Answer<Settlement> {
        self.0.settle(completion, results)
    }

    fn recover(&self, _: &AttemptFailure) -> balk_contract::Answer<Option<Recovery>> {
        Ok(Some(Recovery::resend(Wait::exactly(0))))
    }
}

/// Plays the events under a guard. Only a tool ends the task, so that a text is followed by the loop's own prompt.
pub(crate) fn play(make: &dyn Fn() -> Box<dyn Guard>, tools: &toml::Table, events: &[Event]) -> Played {
    let offer = Arc::new(Offer::new(tools.iter().map(|(name, kind)| tool(name, kind))));
    let start = Start { model: "test".into(), protocol: Protocol::Tool, offer: offer.clone() };
    let mut transcript = vec![Entry::Start(start), user("Do it.")];
    let (mut lines, mut last, mut turn, mut ids) = (Vec::new(), String::new(), 0, 0);
    for event in events {
        match event {
            Event::User(text) => transcript.push(user(text)),
            Event::Reply { parts, breaks } => {
                turn += 1;
                let known = transcript.len();
                if is_over(&transcript) {
                    lines.push(format!("{turn} comes after the end"));
                    break;
                }
                transcript = reply(make(), transcript, &offer, parts, *breaks, &mut ids);
                for entry in &transcript[known..] {
                    if let Entry::Intervention(it) = entry {
                        let kind = it.kind.name();
                        lines.push(format!("{turn} {kind} {} {}", it.note.rule, it.note.level));
                        last = it.note.text.to_string();
                        if let InterventionKind::Repair(repaired) = &it.kind {
                            last = repaired
                                .calls
                                .iter()
                                .map(|it| format!("{} {}\n", it.tool, it.arguments))
                                .collect();
                        }
                    }
                }
            }
        }
    }
    Played { lines, last }
}

fn is_over(transcript: &Transcript) -> bool {
    matches!(transcript.last(), Some(Entry::End(_)))
}

fn user(text: &str) -> Entry {
    Entry::User(UserMessage { from: Speaker::User, text: text.into() })
}

/// The guard folds the transcript from the beginning, and then hears one more reply. A broken attempt is made again.
fn reply(
    guard: Box<dyn Guard>,
    transcript: Transcript,
    offer: &Offer,
    parts: &[Said],
    breaks: bool,
    ids: &mut usize,
) -> Transcript {
    let mut run = Run::resume(Again(guard), transcript, Limits::NONE).expect("it begins with a start");
    if matches!(run.step(), Step::Reply) {
        run.said(UserMessage { from: Speaker::Loop, text: "Go on.".into() });
    }
    let first = *ids;
    let said = completion(parts, offer, ids);
    if breaks {
        run.interrupted(said, AttemptCause::Disconnected, "", AttemptFacts::default());
    } else {
        run.completed(said);
    }
    let answers: Vec<&Said> = parts.iter().filter(|it| matches!(it, Said::Call { .. })).collect();
    loop {
        match run.step() {
            Step::Tools { calls, .. } => {
                let results = calls.iter().map(|call| answer(call, first, &answers));
                run.executed(results.collect::<Batch>());
            }
            Step::Wait(wait) => run.waited(wait.at_least),
            Step::User(_) => run.answered(UserAnswer { choice: ChoiceKind::Continue, text: "Go on.".into() }),
            Step::Model { .. } | Step::Reply | Step::Ended(_) => return run.into_transcript(),
        }
    }
}

fn completion(parts: &[Said], offer: &Offer, ids: &mut usize) -> Completion {
    let (mut content, mut calls) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Said::Text(text) => content.push(Part::Text(text.as_str().into())),
            Said::Thinking(text) => {
                content.push(Part::Thinking { text: text.as_str().into(), signature: None })
            }
            Said::Call { tool, arguments, .. } => {
                let (id, tool, arguments) =
                    (ids.to_string().into(), tool.as_str().into(), arguments.as_str().into());
                calls.push(RawCall { id, tool, arguments });
                *ids += 1;
            }
        }
    }
    let finish = if calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCall };
    Completion::new(content, calls, finish, Usage::default(), offer)
}

fn answer(call: &Arc<ToolCall>, first: usize, answers: &[&Said]) -> ToolResult {
    let id: usize = call.id.parse().unwrap_or(usize::MAX);
    match answers.get(id.wrapping_sub(first)) {
        Some(Said::Call { answer: Answer::Given(status, text), .. }) => {
            ToolResult::executed(call, *status, text.as_str())
        }
        Some(Said::Call { answer: Answer::Lost, .. }) => ToolResult::lost(call),
        Some(Said::Text(_) | Said::Thinking(_)) | None => ToolResult::executed(call, Status::Ok, "ok"),
    }
}

fn tool(name: &str, kind: &toml::Value) -> Tool {
    let tool = Tool::new(name);
    match kind.as_str() {
        Some("reads") => tool.effect(Effect::ReadOnly),
        Some("writes") => tool.effect(Effect::IdempotentWrite),
        Some("acts") => tool.effect(Effect::External),
        Some("shell") => tool.purpose(Purpose::Shell),
        Some("waits") => tool.effect(Effect::ReadOnly).purpose(Purpose::Wait),
        Some("finishes") => tool.effect(Effect::ReadOnly).purpose(Purpose::Finish),
        Some("unknown") => tool,
        other => {
            panic!("{name}: expected reads, writes, acts, shell, waits, finishes or unknown, found {other:?}")
        }
    }
}
