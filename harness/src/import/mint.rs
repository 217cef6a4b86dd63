//! Results of MINT: a line for each task, with the messages of its `state`.
//!
//! The agent runs code by writing it between `<execute>` and `</execute>`. An answer with exactly one such element is a
//! call of `python` with it as `command`, and the observation after it is the result. Any other answer is text. The
//! format does not say whether the code failed; `success` says whether the task was solved.

use balk_guards::Status;
use memchr::memchr_iter;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::content::{Text, Word, text_of};
use super::parse::parse;
use super::recording::{Joiner, Of, Outcome, Recording};
use super::sink::Sink;
use super::strict::Object;
use super::swe_agent::command;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    state: Object<State<'a>>,
    #[serde(borrow)]
    task: Option<Object<Task<'a>>>,
}

#[derive(Deserialize)]
struct State<'a> {
    #[serde(borrow)]
    history: Vec<Object<Spoken<'a>>>,
    success: Option<bool>,
}

#[derive(Deserialize)]
struct Task<'a> {
    #[serde(borrow)]
    task_id: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Spoken<'a> {
    #[serde(borrow)]
    role: Word<'a>,
    content: Text,
}

/// Reads one task.
///
/// # Errors
/// It is none.
pub(super) fn task(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let Line { state: Object(State { history, success }), task } = parse(text)?;
    let mut joiner = Joiner::default();
    joiner.expect(history.len());
    for (at, Object(Spoken { role, content: Text(content) })) in history.into_iter().enumerate() {
        match &*role.0 {
            "assistant" => {
                let calls = one_element(&content).map(|code| command("python", code));
                joiner.assistant(None, Some(content), calls.into_iter().collect());
            }
            "user" if joiner.is_waiting() && content.trim_start().starts_with("Observation:") => {
                joiner.result(Of::Next, Status::Unknown, content, String::new)?;
            }
            "user" => joiner.user(content),
            "system" => joiner.system(content),
            _ => {
                let why = "expected `user`, `assistant` or `system`, found something else";
                return Err(BadLine::shape(format!("state.history[{at}].role"), why));
            }
        }
    }
    let id = task.and_then(|Object(it)| it.task_id).map(text_of).unwrap_or_default();
    sink.recording(joiner.into(Recording { id, outcome: Outcome::of(success), ..Recording::default() }));
    Ok(())
}

/// What is in the one element `execute`; `None` without one, or with several.
fn one_element(text: &str) -> Option<&str> {
    let find = |text: &str, tag| {
        memchr_iter(b'<', text.as_bytes()).find(|at| text.as_bytes()[*at..].starts_with(tag))
    };
    let (begin, end) = (&b"<execute>"[..], &b"</execute>"[..]);
    let after = &text[find(text, begin)? + begin.len()..];
    let (code, rest) = after.split_at(find(after, end)?);
    find(rest, begin).is_none().then_some(code.trim())
}
