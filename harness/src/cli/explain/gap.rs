//! `balk explain gap`: a gap report for people, and the link for reporting it (spec H3).

use std::io::Write;
use std::path::PathBuf;

use balk_reports::records::{GAP_SCHEMA, GapReport};
use clap::Args;

use crate::cli::document;
use crate::cli::gaps::Repository;
use crate::cli::out;
use crate::error::Error;
use crate::exit::Exit;
use crate::import::one_line;

/// Arguments of `balk explain gap`.
#[derive(Args, Clone, Debug)]
pub(super) struct Gap {
    /// The report (`balk schema gap`); `-` for standard input
    file: PathBuf,

    #[command(flatten)]
    repository: Repository,
}

impl Gap {
    pub(super) fn run(&self) -> Result<Exit, Error> {
        let report: GapReport = document::read(&self.file, &KIND)?;
        let mut out = out::people();
        out.write_all(text(&report).as_bytes())?;
        writeln!(out, "\nreport it:\n{}", self.repository.link(&report))?;
        Ok(Exit::Fine)
    }
}

const KIND: document::Kind =
    document::Kind { name: "a gap report", schema: "balk schema gap", version: Some(GAP_SCHEMA) };

/// The maximum length of one line of foreign text, in characters.
const CHARS: usize = 300;

fn text(report: &GapReport) -> String {
    let line = |text: &str| one_line(text, CHARS);
    let mut text = format!("{}\n{}\n", line(&report.lacking()), line(&report.explanation));
    text += &listed("the task", [line(&report.task)]);
    text += &listed("what was tried", report.tried.iter().map(|it| line(&it.to_string())));
    text += &listed(
        "what was changed, and kept",
        report.changes.iter().map(|it| {
            let perhaps = if it.known { "" } else { ", perhaps" };
            let calls = if it.calls == 1 { "call" } else { "calls" };
            line(&format!("{}: {} {calls}{perhaps}", it.tool, it.calls))
        }),
    );
    text += &listed("what a person could do", report.could_do.iter().map(|it| line(it)));
    text += &listed("how to continue", [line(&report.resume)]);
    text += &listed("what failed", report.error.iter().map(|it| line(it)));
    let run = &report.run;
    let set: String = run.set.iter().map(|it| format!(" · {}={}", it.name, it.value)).collect();
    text += &listed(
        "where",
        [line(&format!(
            "{} · seed {} · guard {}{set} · Balk {}",
            run.scenario, run.seed, run.guard, report.balk
        ))],
    );
    text += &listed("report", [line(&report.id)]);
    text
}

/// A title and its lines; an empty text if there are no lines.
fn listed(title: &str, lines: impl IntoIterator<Item = String>) -> String {
    let lines: String = lines.into_iter().filter(|it| !it.is_empty()).map(|it| format!("  {it}\n")).collect();
    if lines.is_empty() { String::new() } else { format!("\n{title}:\n{lines}") }
}
