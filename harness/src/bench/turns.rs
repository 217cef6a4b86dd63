//! Turns of healthy work of any size, to measure what a guard adds to a turn.

use std::fmt::Write;
use std::sync::Arc;

use balk_guards::{
    Completion, Effect, Entry, FinishReason, Guard, Offer, Part, Protocol, Purpose, RawCall, Speaker, Start,
    Status, Tool, ToolResult, Usage, UserMessage,
};
use balk_reports::records::Work;
use xxhash_rust::xxh3::xxh3_64;

use super::printed::{failed, printed};

/// Bytes of call arguments, or of text: a command, a function, a whole file.
pub const SIZES: [usize; 3] = [200, 2 << 10, 50 << 10];

/// The name of [`Turn::anchor`] in tables of stacks.
pub const ANCHOR: &str = "xxh3_64";

/// Lines of a program, different for each `nth` and nearly `bytes` long.
#[must_use]
pub fn program(nth: usize, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 64);
    let mut line = 0;
    while text.len() < bytes {
        writeln!(text, "score_{line} = update_board(\"cell\", {nth}, {line})").expect("a string takes all");
        line += 1;
    }
    text.truncate(bytes);
    text
}

/// Arguments of a call that writes a program: JSON of about this many bytes, including escapes.
#[must_use]
pub fn arguments(nth: usize, bytes: usize) -> String {
    let path = format!("src/file_{nth}.py");
    // Quotes and line ends add a ninth to the text.
    let program = program(nth, bytes.saturating_sub(48) * 9 / 10);
    let content = program.replace('"', "\\\"").replace('\n', "\\n");
    format!("{{\"path\": \"{path}\", \"content\": \"{content}\"}}")
}

/// The tools of a typical agent.
#[must_use]
pub fn offer() -> Arc<Offer> {
    Arc::new(Offer::new([
        Tool::new("read_file").effect(Effect::ReadOnly),
        Tool::new("write_file").effect(Effect::IdempotentWrite),
        Tool::new("run_command").purpose(Purpose::Shell),
        Tool::new("ask_user").effect(Effect::ReadOnly).purpose(Purpose::AskUser),
    ]))
}

/// The provider's output for the turn: a line of text and a call.
#[must_use]
pub fn raw(nth: usize, bytes: usize) -> (Part, RawCall) {
    let call = RawCall {
        id: format!("call_{nth}").into(),
        tool: "write_file".into(),
        arguments: arguments(nth, bytes).into(),
    };
    (Part::Text("I'll write the file now.".into()), call)
}

/// A turn of healthy work, as guards see it: the model writes or reads a file, or runs a command.
#[derive(Debug)]
pub struct Turn {
    completion: Arc<Completion>,
    committed: Entry,
    status: Status,
    answer: Arc<str>,
    work: Work,
}

impl Turn {
    /// The `nth` turn, in which about this many bytes are written or answered.
    #[must_use]
    pub fn new(nth: usize, work: Work, bytes: usize, offer: &Offer) -> Self {
        let call = |tool: &str, arguments: String| RawCall {
            id: format!("call_{nth}").into(),
            tool: tool.into(),
            arguments: arguments.into(),
        };
        let command = || call("run_command", format!("{{\"command\": \"make page_{nth}\"}}"));
        let said = |text: &str| Part::Text(text.into());
        let (part, call, status, answer) = match work {
            Work::Written => {
                let (part, call) = raw(nth, bytes);
                (part, call, Status::Ok, format!("wrote {bytes} bytes to src/file_{nth}.py"))
            }
            Work::Read => {
                let call = call("read_file", format!("{{\"path\": \"src/file_{nth}.py\"}}"));
                (said("I'll read the file now."), call, Status::Ok, program(nth, bytes))
            }
            // Few hosts know whether a command failed: guards read it.
            Work::Log => (said("I'll run it now."), command(), Status::Unknown, printed(nth, bytes)),
            Work::Failed => (said("I'll run it now."), command(), Status::Unknown, failed(nth, bytes)),
        };
        let completion =
            Arc::new(Completion::new([part], [call], FinishReason::ToolCall, Usage::default(), offer));
        let committed = Entry::Completion(completion.clone());
        Self { completion, committed, status, answer: answer.into(), work }
    }

    /// Takes the guard through the turn: every fold and every question. Returns whether the guard passes. The result
    /// is new each time, so nothing about it is cached.
    // This drives no `Run`: a run keeps the transcript and the view, which costs ten times the instructions of a turn
    // without guards (3,455 to 356), and the cost of most guards would be lost in it.
    pub fn play(&self, guard: &mut dyn Guard) -> bool {
        guard.observe(&self.committed);
        let passes = guard.review(&self.completion).is_ok_and(|decision| decision.is_pass());
        let result = ToolResult::executed(&self.completion.calls[0], self.status, self.answer.clone());
        let settled = guard.settle(&self.completion, std::slice::from_ref(&result)).is_ok();
        guard.observe(&Entry::Result(result));
        passes && settled
    }

    /// Hashes the bytes of the turn once. Any machine can measure this, so it is the yardstick for a guard's cost.
    #[must_use]
    pub fn anchor(&self) -> u64 {
        xxh3_64(self.bytes().as_bytes())
    }

    fn bytes(&self) -> &str {
        match self.work {
            Work::Written => &self.completion.calls[0].arguments,
            Work::Read | Work::Log | Work::Failed => &self.answer,
        }
    }
}

/// A cycle of turns, longer than the memory of any guard, so that each turn is new to it.
#[must_use]
pub fn turns(work: Work, bytes: usize, offer: &Offer) -> Vec<Turn> {
    (0..128).map(|nth| Turn::new(nth, work, bytes, offer)).collect()
}

/// Shows a guard the start of a run.
pub fn begin(guard: &mut dyn Guard, offer: &Arc<Offer>) {
    guard.observe(&Entry::Start(Start {
        model: "bench".into(),
        protocol: Protocol::Text,
        offer: offer.clone(),
    }));
    guard.observe(&Entry::User(UserMessage { from: Speaker::User, text: "Write the files.".into() }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_of_about_their_size() {
        let offer = offer();
        for bytes in SIZES {
            for work in Work::ALL {
                let turn = Turn::new(7, work, bytes, &offer);
                let is_file = matches!(work, Work::Written | Work::Read);
                let expected = is_file.then_some("src/file_7.py");
                assert_eq!(turn.completion.calls[0].path().as_deref(), expected);
                let found = turn.bytes().len();
                assert!(found.abs_diff(bytes) <= bytes / 8, "{bytes} {}: {found}", work.name());
            }
        }
    }
}
