//! What a shell does in the place of tools that an agent does not have.
//!
//! A command is written in one way, so it is known again: `cat -- PATH`, `ls -A -- PATH`, and
//! `printf %s CONTENT > PATH`, which writes the content as it is. Any other command is a command of the shell.

use std::borrow::Cow;

use crate::scenario::Role;

const READ: &str = "cat -- ";
const LIST: &str = "ls -A -- ";
const WRITE: &str = "printf %s ";
const INTO: &str = " > ";

/// Whether a shell can do what the role does.
pub(crate) fn can(role: Role) -> bool {
    match role {
        Role::Read | Role::List | Role::Write => true,
        Role::Edit
        | Role::Shell
        | Role::Delegate
        | Role::Wait
        | Role::Plan
        | Role::Ask
        | Role::Remote
        | Role::Finish
        | Role::Distractor => false,
    }
}

/// The command that does what the role does with these values. `None` if a shell [cannot](can).
pub(super) fn written(role: Role, values: &[&str]) -> Option<String> {
    let first = || quoted(values.first().copied().unwrap_or_default());
    match role {
        Role::Read => Some(format!("{READ}{}", first())),
        Role::List => Some(format!("{LIST}{}", first())),
        Role::Write => {
            let content = values.get(1).copied().unwrap_or_default();
            Some(format!("{WRITE}'{}'{INTO}{}", escaped(content), first()))
        }
        Role::Edit
        | Role::Shell
        | Role::Delegate
        | Role::Wait
        | Role::Plan
        | Role::Ask
        | Role::Remote
        | Role::Finish
        | Role::Distractor => None,
    }
}

/// The values of the role that the command is written for. `None` if it is another command.
pub(super) fn read(role: Role, command: &str) -> Option<Vec<String>> {
    let only = |prefix: &str| match word(command.strip_prefix(prefix)?)? {
        (path, "") => Some(vec![path]),
        _ => None,
    };
    match role {
        Role::Read => only(READ),
        Role::List => only(LIST),
        Role::Write => {
            let (content, rest) = word(command.strip_prefix(WRITE)?)?;
            let (path, rest) = word(rest.strip_prefix(INTO)?)?;
            rest.is_empty().then(|| vec![path, content])
        }
        Role::Edit
        | Role::Shell
        | Role::Delegate
        | Role::Wait
        | Role::Plan
        | Role::Ask
        | Role::Remote
        | Role::Finish
        | Role::Distractor => None,
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> Cow<'_, str> {
    if !word.is_empty() && word.chars().all(is_plain) {
        return Cow::Borrowed(word);
    }
    format!("'{}'", escaped(word)).into()
}

fn escaped(word: &str) -> String {
    word.replace('\'', r"'\''")
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-')
}

/// The first word of a command that was written here, and what follows it.
fn word(command: &str) -> Option<(String, &str)> {
    let Some(mut rest) = command.strip_prefix('\'') else {
        let end = command.find(|c| !is_plain(c)).unwrap_or(command.len());
        let (plain, rest) = command.split_at(end);
        return (!plain.is_empty()).then(|| (plain.to_owned(), rest));
    };
    let mut word = String::new();
    loop {
        let (part, after) = rest.split_once('\'')?;
        word.push_str(part);
        match after.strip_prefix(r"\''") {
            Some(more) => {
                word.push('\'');
                rest = more;
            }
            None => return Some((word, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_command_is_read_as_it_was_written(path in "[a-z' \\\\./\n-]{0,12}", content in ".{0,40}") {
            for (role, values) in [
                (Role::Read, vec![path.as_str()]),
                (Role::List, vec![path.as_str()]),
                (Role::Write, vec![path.as_str(), content.as_str()]),
            ] {
                let command = written(role, &values).expect("a shell can do it");
                prop_assert_eq!(read(role, &command), Some(values.iter().map(|&it| it.to_owned()).collect()));
                for other in [Role::Read, Role::List, Role::Write] {
                    prop_assert!(other == role || read(other, &command).is_none(), "{}", command);
                }
            }
        }
    }

    #[test]
    fn a_command_is_written_for_what_a_shell_can_do_and_for_nothing_else() {
        let write = written(Role::Write, &["a.txt", "b"]);
        assert_eq!(write.as_deref(), Some("printf %s 'b' > a.txt"));
        for role in [
            Role::Write,
            Role::Edit,
            Role::Read,
            Role::List,
            Role::Shell,
            Role::Delegate,
            Role::Wait,
            Role::Plan,
            Role::Ask,
            Role::Remote,
            Role::Finish,
            Role::Distractor,
        ] {
            assert_eq!(written(role, &["a.txt", "b"]).is_some(), can(role), "{role:?}");
        }
    }

    #[test]
    fn another_command_is_not_taken_for_a_role() {
        for other in
            ["cat a.txt", "cat -- a b", "cat -- 'a", "ls", "ls -A -- a; rm a", "printf %s 'a'", "cat -- "]
        {
            for role in [Role::Read, Role::List, Role::Write] {
                assert_eq!(read(role, other), None, "{other}");
            }
        }
    }
}
