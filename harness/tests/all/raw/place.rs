//! Where the command lines run: a hostile folder, and a model that says the same.

use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde_json::json;

use super::folder::Hostile;
use super::media::Medium;
use super::screen;
use crate::common::files;
use crate::common::program::{balk, ran};
use crate::common::server::{Script, Server};
use crate::common::terminal;
use crate::crash::agent;

/// The files, the model, and the number of places that were named.
pub(super) struct Place {
    pub(super) hostile: Hostile,
    pub(super) model: Server,
    named: AtomicU64,
}

/// What a command did to pipes, and what is wrong with that.
pub(super) struct Piped {
    pub(super) code: i32,
    pub(super) out: String,
    pub(super) err: String,
    pub(super) wrong: Vec<String>,
}

impl Place {
    pub(super) fn new(text: &str) -> Self {
        Self { hostile: Hostile::new(text.to_owned()), model: model(text.to_owned()), named: 0.into() }
    }

    /// The words of a command line, with what they stand for.
    fn words(&self, line: &str) -> Vec<String> {
        let hostile = &self.hostile;
        let gap = || {
            let gaps = fs::read_dir(hostile.path().join("state/gaps")).expect("a folder");
            let names = gaps.map(|it| it.expect("it can be read").file_name().into_string().expect("plain"));
            names.min().expect("a report")
        };
        let word = |word: String| {
            let mut word = word.replace("AGENT", agent("").trim()).replace("URL", &self.model.url());
            if word.contains("NEW") {
                word = word.replace("NEW", &format!("out{}", self.named.fetch_add(1, Relaxed)));
            }
            if word.contains("GAP") {
                word = word.replace("GAP", &gap());
            }
            let parts = word.split("@NAME").map(|it| it.replace('@', &hostile.argument()));
            parts.collect::<Vec<_>>().join(&hostile.name())
        };
        shlex::split(line).expect("words of a shell").into_iter().map(word).collect()
    }

    /// The program with this command line. What is typed are judgements of places.
    pub(super) fn command(&self, line: &str) -> Command {
        let words = self.words(line);
        let mut command = balk(self.hostile.path(), &words.iter().map(String::as_str).collect::<Vec<_>>());
        let typed = self.hostile.path().join("typed");
        command.stdin(File::open(typed).expect("it is there"));
        // There, a gate that fails writes a command on purpose.
        command.env_remove("GITHUB_ACTIONS");
        command
    }

    /// Runs a command line into pipes.
    pub(super) fn piped(&self, medium: Medium, line: &str) -> Piped {
        let (code, out, err) = ran(&mut self.command(line));
        let mut wrong = Vec::new();
        for (medium, text) in [(medium, &out), (Medium::Text, &err)] {
            wrong.extend(
                medium.wrong(text).map(|it| format!("{line}\n  {medium:?}: {it}\n  {}", begin(text))),
            );
        }
        if out.is_empty() && medium != Medium::Text {
            wrong.push(format!("{line}\n  no output, exit code {code}\n  {}", begin(&err)));
        }
        Piped { code, out, err, wrong }
    }

    /// Runs a command line with gates in GitHub Actions, where a gate that fails writes a workflow command: an error,
    /// with a title and a message. Returns how many it wrote, and what is wrong.
    pub(super) fn annotated(&self, line: &str) -> (usize, Vec<String>) {
        let (_, out, err) = ran(self.command(line).env("GITHUB_ACTIONS", "true"));
        let both = out + &err;
        let is_ours = |it: &&str| {
            let title = it.strip_prefix("::error title=").and_then(|it| it.split_once("::"));
            title.is_some_and(|(title, _)| !title.contains([':', ',']))
        };
        let (ours, others): (Vec<&str>, Vec<&str>) = both.split(['\n', '\r']).partition(is_ours);
        let wrong = Medium::Text.wrong(&others.join("\n"));
        let wrong = wrong.or_else(|| Medium::Text.wrong_in_a_file(&ours.concat()));
        (ours.len(), wrong.map(|it| format!("{line}\n  in GitHub Actions: {it}")).into_iter().collect())
    }

    /// Runs a command line on a terminal: what is wrong.
    pub(super) fn shown(&self, line: &str) -> Vec<String> {
        let sent = terminal::shown(|program| {
            let output = || Stdio::from(program.try_clone().expect("it can be shared"));
            let mut balk = self.command(line);
            balk.env("TERM", "xterm").stdout(output()).stderr(output());
            balk.status().expect("the program starts");
        });
        let wrong =
            screen::wrong(&sent).map(|it| format!("{line}\n  on a terminal: {it}\n  {}", begin(&sent)));
        wrong.into_iter().collect()
    }

    /// What is wrong with the files that people open among those that were written.
    pub(super) fn written(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        for (path, bytes) in files(self.hostile.path()) {
            let path = path.strip_prefix(self.hostile.path()).expect("it is below").display().to_string();
            let medium = match path.rsplit_once(['/', '.']) {
                _ if path.ends_with("transcript.txt") => Medium::Text,
                Some((_, "html")) => Medium::Html,
                Some((_, "md")) => Medium::Markdown,
                Some(_) | None => continue,
            };
            if path.starts_with("out") {
                let text = String::from_utf8_lossy(&bytes);
                let found = medium.wrong_in_a_file(&text);
                wrong.extend(found.map(|it| format!("{path}\n  {medium:?}: {it}\n  {}", begin(&text))));
            }
        }
        wrong
    }
}

/// The beginning of an output, with escapes.
pub(super) fn begin(text: &str) -> String {
    format!("{:?}", text.chars().take(2_000).collect::<String>())
}

/// A model that says this text, and calls a tool of this name.
fn model(text: String) -> Server {
    let function = json!({"name": text, "arguments": json!({"path": text}).to_string()});
    let call = json!([{"id": "a", "type": "function", "function": function}]);
    Server::new(move |at, request| {
        if !request.line.starts_with("POST") {
            return Script::json(200, &json!({"data": [{"id": text, "owned_by": text}]}).to_string());
        }
        let calls = if at % 3 == 2 { call.clone() } else { json!([]) };
        let message = json!({"content": text, "tool_calls": calls});
        let choice = json!({"message": message, "finish_reason": "stop"});
        let usage = json!({"prompt_tokens": 9, "completion_tokens": 1});
        Script::json(200, &json!({"model": text, "choices": [choice], "usage": usage}).to_string())
    })
}
