//! The workspace as a git repository: many agents behave differently without one.

use std::io;

use super::Place;

/// The author of the first commit, and of those that an agent makes: without a name, git refuses them.
const AUTHOR: (&str, &str) = ("dev", "dev@example.com");

/// The time of the first commit: the same in every run.
const TIME: &str = "2024-01-01T00:00:00Z";

/// Makes the workspace a repository with one commit of its files. Without git, it stays a folder.
///
/// # Errors
/// Git fails.
pub(super) fn begin(place: &Place) -> io::Result<()> {
    if place.find("git").is_none() {
        return Ok(());
    }
    for arguments in [
        &["-c", "init.defaultBranch=main", "init", "--quiet", "--template="][..],
        &["config", "user.name", AUTHOR.0],
        &["config", "user.email", AUTHOR.1],
        &["add", "--all"],
        &["commit", "--quiet", "--allow-empty", "--message", "Start"],
    ] {
        run(place, arguments)?;
    }
    Ok(())
}

fn run(place: &Place, arguments: &[&str]) -> io::Result<()> {
    let mut git = place.command("git");
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
