//! The workspace as a git repository: many agents behave differently without one.

use std::io;
use std::process::Command;

/// The author of the first commit, and of those that an agent makes: without a name, git refuses them.
const AUTHOR: (&str, &str) = ("dev", "dev@example.com");

/// The time of the first commit: the same in every run.
const TIME: &str = "2024-01-01T00:00:00Z";

/// Makes the workspace a repository with one commit of its files. `git` is a command that is started there.
///
/// # Errors
/// Git fails.
pub(super) fn begin(git: &dyn Fn() -> Command) -> io::Result<()> {
    for arguments in [
        &["-c", "init.defaultBranch=main", "init", "--quiet", "--template="][..],
        &["config", "user.name", AUTHOR.0],
        &["config", "user.email", AUTHOR.1],
        &["add", "--all"],
        &["commit", "--quiet", "--allow-empty", "--message", "Start"],
    ] {
        run(git(), arguments)?;
    }
    Ok(())
}

fn run(mut git: Command, arguments: &[&str]) -> io::Result<()> {
    git.args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_DATE", TIME)
        .env("GIT_COMMITTER_DATE", TIME);
    let output = git.output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!("git {} failed: {}", arguments.join(" "), said.trim())))
}
