//! Where gap reports are stored, and where they are sent.

use std::io::Write;
use std::path::{Path, PathBuf};

use balk_reports::records::GapReport;
use balk_reports::report::{REPOSITORY_CHARS_MAX, issue_link};
use clap::Args;

use crate::error::Error;
use crate::files;

/// The repository that receives gap reports.
#[derive(Args, Clone, Debug)]
pub(super) struct Repository {
    /// The repository of the agent's maker, who gets the reports: its address before `/issues/new`
    #[arg(long = "repository", value_name = "URL", default_value = DEFAULT, value_parser = address)]
    url: String,
}

/// An agent with Balk built in sets `repository` in Cargo.toml. Until then the link leads to a name that never
/// resolves (RFC 2606), and never to a stranger's repository.
const DEFAULT: &str = match env!("CARGO_PKG_REPOSITORY").as_bytes() {
    [] => NOWHERE,
    _ => env!("CARGO_PKG_REPOSITORY"),
};

const NOWHERE: &str = "https://agent.invalid";

impl Repository {
    /// The link for reporting, with a remark below it if it leads nowhere.
    pub(super) fn link(&self, report: &GapReport) -> String {
        let link = issue_link(&self.url, report);
        match &*self.url {
            NOWHERE => format!(
                "{link}\nno repository is set, so this link leads nowhere: give one with --repository URL"
            ),
            _ => link,
        }
    }
}

fn address(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let plain = |c: char| c.is_ascii_graphic() && !"?#\"<>\\^`{|}".contains(c);
    match rest {
        Some(rest) if !rest.is_empty() && rest.chars().all(plain) && text.len() <= REPOSITORY_CHARS_MAX => {
            Ok(text.to_owned())
        }
        _ => Err(format!(
            "expected an address of at most {REPOSITORY_CHARS_MAX} characters, as in https://example.org/agent"
        )),
    }
}

/// The folder for data that outlives a run: the one that is asked for, else the one that the environment names.
///
/// # Errors
/// Neither names a folder.
#[expect(clippy::disallowed_methods, reason = "the environment says where a user keeps state")]
pub(super) fn state_dir(asked: Option<&Path>) -> Result<PathBuf, Error> {
    state_dir_by(asked, |name| std::env::var(name).ok())
}

fn state_dir_by(asked: Option<&Path>, variable: impl Fn(&str) -> Option<String>) -> Result<PathBuf, Error> {
    // The XDG rules treat an empty variable as unset.
    let folder = |name: &str| variable(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    asked
        .map(Path::to_owned)
        .or_else(|| folder("BALK_STATE_DIR"))
        // They also require that a relative path is ignored.
        .or_else(|| folder("XDG_STATE_HOME").filter(|it| it.is_absolute()).map(|it| it.join("balk")))
        .or_else(|| folder("HOME").map(|it| it.join(".local/state/balk")))
        .ok_or_else(|| {
            Error::usage("--state-dir", "a folder to keep reports in", "none, and no HOME")
                .hint("give --state-dir DIR, or set BALK_STATE_DIR")
        })
}

/// Writes `gaps/gap-<id>.json` in the folder, whole or not at all, and returns its path.
///
/// # Errors
/// The folder cannot be created or written to.
pub(super) fn keep(state_dir: &Path, report: &GapReport) -> Result<PathBuf, Error> {
    let folder = state_dir.join("gaps");
    let path = folder.join(format!("gap-{}.json", report.id));
    files::write_one(&path, |out| {
        serde_json::to_writer_pretty(&mut *out, report)?;
        out.write_all(b"\n")
    })
    .map_err(|error| {
        // The error itself names a temporary file, which means nothing to the user.
        Error::file(&path, "a folder that can be written to", error.kind())
            .hint("give another with --state-dir DIR")
    })?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use balk_guards::{Conclusion, Gap, GapKind, Note, Subject, Termination};
    use balk_reports::records::GapRun;

    use super::*;

    #[test]
    fn h3_the_state_folder_is_looked_for_in_order() {
        let find = |asked: Option<&str>, set: &[(&str, &str)]| {
            let variable =
                |name: &str| set.iter().find(|(it, _)| *it == name).map(|(_, value)| (*value).to_owned());
            state_dir_by(asked.map(Path::new), variable).map(|it| it.display().to_string()).ok()
        };
        let all = [("BALK_STATE_DIR", "b"), ("XDG_STATE_HOME", "/x"), ("HOME", "/h")];
        assert_eq!(find(Some("a"), &all).as_deref(), Some("a"));
        assert_eq!(find(None, &all).as_deref(), Some("b"));
        assert_eq!(find(None, &all[1..]).as_deref(), Some("/x/balk"));
        assert_eq!(find(None, &all[2..]).as_deref(), Some("/h/.local/state/balk"));
        assert_eq!(find(None, &[("BALK_STATE_DIR", ""), ("XDG_STATE_HOME", "x")]), None);
    }

    #[test]
    fn h3_a_report_is_written_whole_beside_what_a_killed_run_left() {
        let note = Note {
            guard: "handoff".into(),
            rule: "missing-input".into(),
            level: 1,
            subject: Subject::Run,
            text: "…".into(),
        };
        let gap = Gap {
            kind: GapKind::MissingInput,
            missing: "a.txt".into(),
            tried: Vec::new(),
            explanation: "a.txt is not there.".into(),
            could_do: Vec::new(),
            resume: "Say where it is.".into(),
            constraint: None,
        };
        let conclusion = Conclusion { end: Termination::NoProgress, note, gap: Some(gap) };
        let run = GapRun { scenario: "x".into(), seed: "1".into(), guard: "default".into(), set: Vec::new() };
        let report = GapReport::new(&run, &[], &conclusion).expect("there is a gap");

        let state = tempfile::tempdir().expect("a folder");
        let folder = state.path().join("gaps");
        fs::create_dir_all(&folder).expect("it can be made");
        files::write_passing(&folder.join(".tmpAbC123"), "{\"sche").expect("it can be written");
        // A truncated report of this name is replaced by a whole one.
        files::write_passing(&folder.join(format!("gap-{}.json", report.id)), "{")
            .expect("it can be written");
        let path = keep(state.path(), &report).expect("it can be written");
        let text = fs::read_to_string(&path).expect("it was written");
        assert_eq!(serde_json::from_str::<GapReport>(&text).expect("it is whole"), report);
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2, "and nothing else is left");
        assert_eq!(keep(state.path(), &report).expect("again"), path);
    }
}
