//! Readers of logs: literal logs in, readable entries out.

mod endings;
mod files;
mod gemini;
mod logs;
mod mutated;
mod names;
mod odd;
mod openai_chat;
mod program;
mod recognised;
mod reshaped;
mod round_trip;
mod taken_back;
mod traces;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use balk::import::reading::{self, Ending, Input, Reading, Taken};
use balk::import::{
    Answer, BadLine, Call, Format, FoundIn, Message, Oddities, Placed, Recorded, Recording, Said, Setting,
    join,
};
use balk_guards::{AttemptFailure, AttemptResponse, Entry, FailedAttempt, Usage};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The folder with a log of each format, written by us.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs")
}

/// The logs in it, by name.
pub(crate) fn logs() -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder()).expect("the folder is there");
    let mut logs: Vec<_> = entries
        .map(|entry| {
            let entry = entry.expect("the folder can be read");
            let bytes = fs::read(entry.path()).expect("a file can be read");
            (entry.file_name().to_string_lossy().into_owned(), bytes)
        })
        .collect();
    logs.sort();
    logs
}

/// A transcript, a message a line.
pub(crate) fn shown(recording: &Recording) -> String {
    let Recording { id, model, outcome, tools, messages, times: _, reused_ids } = recording;
    let tools: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    let mut shown = format!("id {id:?}, model {model:?}, {}, tools {tools:?}", outcome.word());
    if *reused_ids > 0 {
        write!(shown, ", {reused_ids} reused ids").expect("a string takes what is written");
    }
    for (at, message) in messages.iter().enumerate() {
        let line = match message {
            Message::System(text) => format!("system {text:?}"),
            Message::User(text) => format!("user {text:?}"),
            Message::Assistant(Said { thinking, text, calls, usage }) => {
                let thinking = thinking.as_deref().map(|it| format!(" thinks {it:?}")).unwrap_or_default();
                let text = text.as_deref().map(|it| format!(" says {it:?}")).unwrap_or_default();
                let call = |it: &Call| format!(" calls {} {} {}", it.id, it.tool, it.arguments);
                let calls: String = calls.iter().map(call).collect();
                let Usage { input_tokens, output_tokens } = usage;
                let cost = format!(" for {input_tokens} + {output_tokens} tokens");
                let cost = Some(cost).filter(|_| *usage != Usage::default()).unwrap_or_default();
                format!("model{thinking}{text}{calls}{cost}")
            }
            Message::Result(Answer { id, status, text }) => format!("result of {id}: {status:?} {text:?}"),
        };
        write!(shown, "\n  {line}").expect("a string takes what is written");
        if let Some(time) = recording.time(at) {
            write!(shown, " at {time}").expect("a string takes what is written");
        }
    }
    shown
}

/// Everything in a file, in order: the number of the line, and a transcript or why there is none.
pub(crate) fn all(file: &str) -> Vec<(u64, Result<Recording, BadLine>)> {
    reading::read(file.as_bytes(), None).expect("memory can be read").1
}

/// The same as the commands read it, with how the file ended: what comes before a break is there.
pub(crate) fn ended(file: &[u8], from: Option<Format>) -> (Vec<FoundIn>, Ending) {
    static POOL: LazyLock<ThreadPool> =
        LazyLock::new(|| ThreadPoolBuilder::new().num_threads(1).build().expect("a thread starts"));
    let reading = Reading { from, pool: &POOL };
    let (mut all, mut end) = (Vec::new(), None);
    let mut inputs = std::iter::once(Input { content: Box::new(file), sought: false });
    let read = reading.read(&mut inputs, &|_, piece| piece.recordings(from), &mut |batch| {
        for taken in batch {
            match taken {
                Taken::Found(_, found) => all.extend(found),
                Taken::Ended(_, ending) => end = Some(ending),
            }
        }
        Ok(())
    });
    read.expect("nothing is written");
    (all, end.expect("it has an end"))
}

/// The one transcript in a file.
#[track_caller]
pub(crate) fn one(file: &str) -> Recording {
    let mut all = all(file);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0).1.unwrap_or_else(|bad| panic!("{bad}"))
}

/// The entries of the one transcript in a file.
pub(crate) fn read(file: &[u8], setting: &Setting) -> Result<Recorded, BadLine> {
    let (_, mut all) = reading::read(file, None).expect("memory can be read");
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0).1.map(|recording| join(recording, setting))
}

/// The same of a file in this format.
pub(crate) fn read_as(file: &[u8], format: Format) -> Result<Recorded, BadLine> {
    let (_, mut all) = reading::read(file, Some(format)).expect("memory can be read");
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0).1.map(|recording| join(recording, &Setting::default()))
}

/// The entries of a line, or why it has none.
pub(crate) fn log_of(line: &str, setting: &Setting) -> String {
    let recorded = match read(line.as_bytes(), setting) {
        Ok(recorded) => recorded,
        Err(bad) => return bad.to_string(),
    };
    let mut log = String::new();
    for Placed { message, entry } in &recorded.entries {
        let text = match entry {
            Entry::Start(start) => {
                let tools: Vec<_> = start
                    .offer
                    .tools()
                    .iter()
                    .map(|tool| {
                        format!("{}={} {:?} {:?}", tool.name, tool.original, tool.effect, tool.purpose)
                    })
                    .collect();
                format!("start {} {:?} {tools:?}", start.model, start.protocol)
            }
            Entry::User(it) => format!("user {:?} {}", it.from, it.text),
            Entry::Completion(it) => {
                let calls: Vec<_> = it
                    .calls
                    .iter()
                    .map(|call| format!("{} {} {} {:?}", call.id, call.tool, call.arguments, call.effect))
                    .collect();
                format!("completion {:?} {calls:?}", it.texts().collect::<Vec<_>>())
            }
            Entry::Failed(it) => format!("{it:?}"),
            Entry::Result(it) => format!(
                "result of {} {}: {:?} {:?} {} {:?}",
                it.call.id, it.call.tool, it.origin, it.status, it.tries, it.text
            ),
            other @ (Entry::Tried(_)
            | Entry::Intervention(_)
            | Entry::Answer(_)
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_)) => panic!("a recording has no {other:?}"),
        };
        writeln!(log, "{message} {text}").expect("a string takes what is written");
    }
    if recorded.oddities != Oddities::default() {
        writeln!(log, "{:?}", recorded.oddities).expect("a string takes what is written");
    }
    log
}

/// What an empty message becomes that is the `attempt`th in a row.
pub(crate) fn failed_attempt(attempt: u32) -> String {
    let failure = AttemptFailure::empty(attempt);
    format!("{:?}", FailedAttempt { failure, response: AttemptResponse::Resent { after: 0 } })
}
