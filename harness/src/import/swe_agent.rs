//! Trajectories of SWE-agent (`.traj`): the `history` that the model was shown.
//!
//! | message | becomes |
//! |---|---|
//! | `system`; demonstrations (`is_demo`) | instructions; nothing |
//! | `assistant` with `tool_calls` | an answer with these calls |
//! | `assistant` with an `action` | its `thought`, and a call of `shell` with the action as `command` |
//! | `tool`, or `user` after an action | the result of the call |
//! | another `user` | a message of the user |
//!
//! The format does not say whether an action failed, which model acted, or how the run ended.

use balk_guards::Status;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::chat::Call;
use super::content::{Text, Word, Words, argument};
use super::parse::parse;
use super::recording::{Joiner, Made, Of};
use super::sink::Sink;
use super::strict::Object;

#[derive(Deserialize)]
struct Trajectory<'a> {
    #[serde(borrow)]
    history: Vec<Object<Spoken<'a>>>,
}

#[derive(Deserialize)]
struct Spoken<'a> {
    #[serde(borrow)]
    role: Word<'a>,
    content: Option<Words>,
    is_demo: Option<bool>,
    thought: Option<Text>,
    action: Option<Text>,
    #[serde(borrow)]
    tool_calls: Option<Vec<Object<Call<&'a RawValue>>>>,
    tool_call_ids: Option<Vec<Text>>,
}

/// Reads one trajectory.
///
/// # Errors
/// It is none.
pub(super) fn trajectory(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let Trajectory { history } = parse(text)?;
    let mut joiner = Joiner::default();
    let mut acted = false;
    joiner.expect(history.len());
    for (at, Object(spoken)) in history.into_iter().enumerate() {
        if spoken.is_demo != Some(true) {
            take(&mut joiner, spoken, &mut acted, || format!("history[{at}]"))?;
        }
    }
    sink.recording(joiner.finish());
    Ok(())
}

fn take(
    joiner: &mut Joiner,
    spoken: Spoken,
    acted: &mut bool,
    place: impl Fn() -> String,
) -> Result<(), BadLine> {
    let Spoken { role, content, is_demo: _, thought, action, tool_calls, tool_call_ids } = spoken;
    let text = content.map(|Words(text)| text);
    match &*role.0 {
        "system" => joiner.system(text.unwrap_or_default()),
        "assistant" => {
            let calls: Vec<Made> = tool_calls.into_iter().flatten().map(|Object(call)| call.made()).collect();
            let action = action.filter(|Text(action)| !action.trim().is_empty());
            if let (true, Some(Text(action))) = (calls.is_empty(), action) {
                *acted = true;
                let thought = thought.map(|Text(text)| text).filter(|text| !text.is_empty());
                joiner.assistant(None, thought, vec![command("shell", &action)]);
            } else {
                *acted = false;
                joiner.assistant(None, text, calls);
            }
        }
        "tool" => {
            let of = tool_call_ids.into_iter().flatten().next().map_or(Of::Next, |Text(id)| Of::Id(id));
            let place = || format!("{}.tool_call_ids", place());
            joiner.result(of, Status::Unknown, text.unwrap_or_default(), place)?;
        }
        "user" if std::mem::take(acted) => {
            joiner.result(Of::Next, Status::Unknown, text.unwrap_or_default(), place)?;
        }
        "user" => joiner.user(text.unwrap_or_default()),
        _ => {
            let why = "expected `system`, `user`, `assistant` or `tool`, found something else";
            return Err(BadLine::shape(format!("{}.role", place()), why));
        }
    }
    Ok(())
}

/// A call without an id, of a tool that takes a command.
pub(super) fn command(tool: &str, command: &str) -> Made {
    Made { id: None, tool: tool.into(), arguments: argument("command", command) }
}
