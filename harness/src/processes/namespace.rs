//! A namespace of processes for one program. When its first process ends, the system ends all others in it, also those
//! that have left the program's group and session.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::is_root;

/// What the command line of a program begins with so that it has a namespace of its own; its next word is the first
/// process there. Nothing where there are no namespaces: on systems other than Linux, without `unshare` (util-linux), or
/// where they are not permitted. It is found out once.
pub(super) fn entering() -> &'static [&'static str] {
    const ROOT: &[&str] = &["unshare", "--pid", "--fork", "--kill-child", "--"];
    // Others may have one of processes only in one of users.
    const USER: &[&str] =
        &["unshare", "--user", "--map-current-user", "--pid", "--fork", "--kill-child", "--"];
    static FOUND: OnceLock<&[&str]> = OnceLock::new();
    FOUND.get_or_init(|| {
        let words = if is_root() { ROOT } else { USER };
        let is_there = cfg!(target_os = "linux") && works(words);
        if is_there { words } else { &[] }
    })
}

fn works(words: &[&str]) -> bool {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).arg("true");
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|it| it.success())
}
