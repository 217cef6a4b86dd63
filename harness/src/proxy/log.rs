//! The log of a proxy: each conversation as a transcript that `balk replay` reads, and what guards did.
//!
//! `NAME-NUMBER.jsonl` has a conversation as the model was shown it last, in one line, and is replaced as a whole. A
//! proxy that starts with the folder of an earlier one goes on counting.
//! `interventions.log` gets a line of JSON for each intervention: `balk replay` takes every `*.jsonl` for transcripts.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use balk_guards::wire::{Asking, Dialect};
use balk_guards::{Intervention, View};
use serde_json::json;

use super::keys::Keys;
use crate::files;

/// A folder that gets transcripts and interventions.
#[derive(Debug)]
pub(super) struct Log {
    folder: PathBuf,
    /// The first file that could not be written, and why.
    unwritten: Mutex<Option<(PathBuf, String)>>,
}

/// What happened in a turn.
pub(super) struct Logged<'a> {
    pub(super) conversation: &'a str,
    pub(super) model: &'a str,
    /// The conversation as the model is shown it.
    pub(super) view: Option<&'a View>,
    /// Which way of the conversation it is on.
    pub(super) branch: Option<usize>,
    pub(super) interventions: &'a [Intervention],
    /// What no file shows.
    pub(super) keys: &'a Keys,
    /// Whether they were only watched.
    pub(super) dry_run: bool,
}

impl Logged<'_> {
    /// The name of this way of the conversation.
    pub(super) fn place(&self) -> Option<String> {
        self.branch.map(|branch| format!("{}-{branch}", self.conversation))
    }
}

/// The file of what guards did.
const INTERVENTIONS: &str = "interventions.log";

impl Log {
    /// # Errors
    /// The folder cannot be created.
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        files::make_folder(folder)?;
        Ok(Self { folder: folder.to_owned(), unwritten: Mutex::default() })
    }

    /// The first number behind those of its files: what an earlier proxy wrote stays. A folder that cannot be read has
    /// none.
    pub(super) fn free_number(&self) -> usize {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let number = |name: OsString| {
            let name = name.to_str()?.strip_suffix(".jsonl")?;
            name.rsplit_once('-')?.1.parse::<u32>().ok()
        };
        let last = files.filter_map(|it| number(it.file_name())).max();
        last.and_then(|it| usize::try_from(it).ok()?.checked_add(1)).unwrap_or_default()
    }

    /// Writes what happened. A log that cannot be written is no reason to fail an agent.
    pub(super) fn write(&self, logged: &Logged<'_>) {
        let file = |name: &str| self.folder.join(name);
        if let (Some(view), Some(branch)) = (logged.view, logged.branch) {
            let name = file(&format!("{}-{branch}.jsonl", files::plain_name(logged.conversation)));
            let transcript = logged.keys.hide(&transcript(logged, view, branch));
            self.note(&name, files::write_whole(&name, |out| out.write_all(transcript.as_bytes())));
        }
        if !logged.interventions.is_empty() {
            let name = file(INTERVENTIONS);
            let lines = logged.interventions.iter().map(|it| logged.keys.hide(&line(logged, it)));
            let lines: String = lines.collect();
            let appended = files::append(&name).and_then(|mut it| it.write_all(lines.as_bytes()));
            self.note(&name, appended);
        }
    }

    /// The first file that could not be written, and why.
    pub(super) fn unwritten(&self) -> Option<(PathBuf, String)> {
        self.unwritten.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, file: &Path, written: io::Result<()>) {
        if let Err(why) = written {
            let mut unwritten = self.unwritten.lock().unwrap_or_else(PoisonError::into_inner);
            unwritten.get_or_insert_with(|| (file.to_owned(), why.to_string()));
        }
    }
}

/// A request of OpenAI chat is a transcript once it has an id.
fn transcript(logged: &Logged<'_>, view: &View, branch: usize) -> String {
    let request = Dialect::OpenAi.request(view, &Asking::of(logged.model));
    let id = json!(format!("{}-{branch}", logged.conversation));
    format!("{{\"id\":{id},{}\n", &request[1..])
}

fn line(logged: &Logged<'_>, it: &Intervention) -> String {
    let Logged { model, view, dry_run, .. } = logged;
    let line = json!({
        "conversation": logged.place(),
        "model": model,
        "messages": view.map(|it| it.messages().len()),
        "guard": it.note.guard,
        "rule": it.note.rule,
        "level": it.note.level,
        "kind": it.kind.name(),
        "text": it.note.text,
        "dry_run": dry_run,
    });
    format!("{line}\n")
}
