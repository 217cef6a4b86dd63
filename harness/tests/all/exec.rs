//! Guards in other processes: `--guard exec:COMMAND`.
#![cfg(unix)]

mod answers;
mod bounds;
mod commands;
mod examples;
mod faults;
mod lines;
mod mirrored;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use balk::exec::{ExecGuard, Pool, Settings};
use balk_guards::{Completion, Entry, FinishReason, Guard, Offer, Protocol, RawCall, Start, Tool, Usage};
use balk_reports::records::quoted;

/// The program that has Balk's own guards behind the protocol, which cargo builds with the tests.
fn mirror() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_balk")).with_file_name("examples").join("exec_guard")
}

/// Says hello as a guard `g` that answers these questions.
fn hello(answers: &str) -> String {
    format!(r#"read -r _; echo '{{"hello":{{"protocol":1,"guard":"g","answers":[{answers}]}}}}'"#)
}

/// A script that says hello, and does this once it is asked about a completion; again and again.
fn asked(does: &str) -> String {
    let hello = hello("\"review\"");
    format!("{hello}; while read -r l; do case $l in '{{\"review\"'*) {does};; esac; done")
}

/// The answer to a question about a completion, in a script.
fn says(answer: &str) -> String {
    format!("echo {}", quoted(answer))
}

/// A script as a command.
fn sh(script: &str) -> String {
    format!("sh -c {}", quoted(script))
}

/// Whether this language is there; where it is not, what is skipped is said.
fn runs(language: &str, what: &str) -> bool {
    let there = Command::new(language).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_there = there.is_ok_and(|it| it.success());
    if !is_there {
        // Past the capture of the test's own output, so that it is seen.
        #[expect(clippy::disallowed_methods, reason = "a test of its own")]
        let mut errors = std::io::stderr();
        writeln!(errors, "== SKIPPED: {what} was not run, since there is no {language}").expect("it is open");
    }
    is_there
}

/// Settings that no test comes near, on any machine.
fn patient() -> Settings {
    Settings { start_ms: 60_000, answer_ms: 60_000, ..Settings::default() }
}

/// A guard of this script.
fn guard(script: &str, settings: Settings) -> ExecGuard {
    ExecGuard::new(&Arc::new(Pool::start(&sh(script), settings).expect("it says hello")))
}

/// The tools of a run.
fn offer() -> Arc<Offer> {
    Arc::new(Offer::new([Tool::new("read"), Tool::new("write")]))
}

/// A completion with two calls.
fn completion() -> Completion {
    let call = |id: &str, tool: &str| RawCall { id: id.into(), tool: tool.into(), arguments: "{}".into() };
    let calls = [call("a", "read"), call("b", "write")];
    Completion::new([], calls, FinishReason::ToolCall, Usage::default(), &offer())
}

/// Shows a guard the start of a run and a completion.
fn begin(guard: &mut dyn Guard) -> Completion {
    guard.observe(&Entry::Start(Start { model: "m".into(), protocol: Protocol::Text, offer: offer() }));
    let completion = completion();
    guard.observe(&Entry::Completion(Arc::new(completion.clone())));
    completion
}
