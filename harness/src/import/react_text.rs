//! Results of FireAct: a document with a run for each task, as text in the manner of ReAct.
//!
//! `Thought:`, `Action: TOOL[INPUT]` and `Observation:` begin lines. An action is a call where its line is the last of
//! an answer and an observation follows; the input is its `input`. `em` says whether the task was solved. The runs are
//! messages, or one text, which is there by line as well (`traj_by_line`).

use std::borrow::Cow;

use balk_guards::Status;
use serde::Deserialize;

use super::bad::BadLine;
use super::content::{Blocks, Word, argument};
use super::recording::{Joiner, Made, Of, Outcome, Recording};
use super::sink::Sink;

#[derive(Deserialize)]
struct Run<'a> {
    em: Option<bool>,
    #[serde(borrow)]
    traj: Blocks<Spoken<'a>>,
    #[serde(borrow)]
    traj_by_line: Option<Vec<Cow<'a, str>>>,
}

#[derive(Deserialize)]
struct Spoken<'a> {
    #[serde(borrow)]
    role: Word<'a>,
    #[serde(borrow)]
    content: Cow<'a, str>,
}

/// Reads all runs of a document.
///
/// # Errors
/// It is none.
pub(super) fn document(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    sink.members(text, recording, recording)
}

fn recording(task: &str, Run { em, traj, traj_by_line }: Run) -> Result<Recording, BadLine> {
    let mut joiner = Joiner::default();
    match traj {
        Blocks::List(messages) => {
            joiner.expect(messages.len());
            for (at, Spoken { role, content }) in messages.into_iter().enumerate() {
                message(&mut joiner, &role.0, &content).map_err(|bad| bad.below(&format!("traj[{at}]")))?;
            }
        }
        Blocks::Text(text) => {
            let lines = traj_by_line.unwrap_or_else(|| text.lines().map(|it| it.to_owned().into()).collect());
            by_line(&mut joiner, &lines).map_err(|bad| bad.below("traj_by_line"))?;
        }
    }
    Ok(joiner.into(Recording { id: task.into(), outcome: Outcome::of(em), ..Recording::default() }))
}

fn message(joiner: &mut Joiner, role: &str, content: &str) -> Result<(), BadLine> {
    match (role, content.strip_prefix("Observation:")) {
        ("assistant", _) => answer(joiner, content),
        ("user" | "system", Some(observation)) if joiner.is_waiting() => {
            joiner.result(Of::Next, Status::Unknown, observation.trim_start().into(), String::new)?;
        }
        ("user", _) => joiner.user(content.into()),
        ("system", _) => joiner.system(content.into()),
        _ => {
            let why = "expected `user`, `assistant` or `system`, found something else";
            return Err(BadLine::shape("role".into(), why));
        }
    }
    Ok(())
}

/// Takes an answer: its last line may be an action.
fn answer(joiner: &mut Joiner, content: &str) {
    let content = content.trim_end();
    let (before, last) = content.rsplit_once('\n').unwrap_or(("", content));
    match action(last) {
        Some(call) => acted(joiner, before, call),
        None => joiner.assistant(None, Some(content.into()), Vec::new()),
    }
}

/// Takes an answer that ends in a call.
fn acted(joiner: &mut Joiner, thought: &str, call: Made) {
    let thought = thought.strip_prefix("Thought:").unwrap_or(thought).trim();
    joiner.assistant(None, (!thought.is_empty()).then(|| thought.into()), vec![call]);
}

/// The call in `Action: TOOL[INPUT]`.
fn action(line: &str) -> Option<Made> {
    let (tool, input) = line.strip_prefix("Action:")?.trim().strip_suffix(']')?.split_once('[')?;
    let is_name = !tool.is_empty() && tool.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    is_name.then(|| Made { id: None, tool: tool.into(), arguments: argument("input", input) })
}

/// Takes a run by line: what comes before the first thought is the task.
fn by_line(joiner: &mut Joiner, lines: &[Cow<str>]) -> Result<(), BadLine> {
    let is_marked =
        |line: &str| ["Thought:", "Action:", "Observation:"].iter().any(|mark| line.starts_with(mark));
    let task = lines.iter().take_while(|line| !is_marked(line)).count();
    let mut parts: Vec<Cow<str>> = Vec::with_capacity(lines.len() - task);
    for line in &lines[task..] {
        match parts.last_mut() {
            // Texts go on over lines.
            Some(last) if !is_marked(line) => {
                let last = last.to_mut();
                last.push('\n');
                last.push_str(line);
            }
            Some(_) | None => parts.push(Cow::Borrowed(line)),
        }
    }
    joiner.expect(1 + parts.len());
    joiner.user(lines[..task].join("\n").trim().into());
    let mut thought = Cow::Borrowed("");
    for part in parts {
        if let Some(observation) = part.strip_prefix("Observation:") {
            if !joiner.is_waiting() {
                return Err(BadLine::shape(
                    String::new(),
                    "expected an action before an observation, found none",
                ));
            }
            joiner.result(Of::Next, Status::Unknown, observation.trim().into(), String::new)?;
        } else if part.starts_with("Thought:") {
            thought = part;
        } else {
            let thought = std::mem::take(&mut thought);
            let (thought, part) = (thought.trim_end(), part.trim_end());
            match action(part).filter(|_| !part.contains('\n')) {
                Some(call) => acted(joiner, thought, call),
                None => answer(joiner, &[thought, "\n", part].concat()),
            }
        }
    }
    if !thought.is_empty() {
        answer(joiner, &thought);
    }
    Ok(())
}
