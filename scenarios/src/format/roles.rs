//! Roles: their names in a file, and which of them a scenario offers.

use super::names::Names;
use super::report::{Report, did_you_mean, listed};
use super::wire::Text;
use crate::scenario::Role;

/// The roles a task can ask for, by their names in a file.
pub(crate) const ROLES: &[(&str, Role)] = &[
    ("write", Role::Write),
    ("edit", Role::Edit),
    ("read", Role::Read),
    ("list", Role::List),
    ("shell", Role::Shell),
    ("delegate", Role::Delegate),
    ("wait", Role::Wait),
    ("plan", Role::Plan),
    ("ask", Role::Ask),
    ("remote", Role::Remote),
    ("finish", Role::Finish),
    ("distractor", Role::Distractor),
];

/// The name of a role in a file.
pub(crate) fn role_name(role: Role) -> &'static str {
    ROLES.iter().find(|(_, it)| *it == role).map_or("", |(name, _)| name)
}

/// Reports an argument that a role does not have.
pub(super) fn unknown_argument(name: &Text, role: Role, report: &mut Report<'_>) {
    let (got, role_name) = (name.get_ref(), role_name(role));
    report
        .error(
            name.span(),
            format!("`{role_name}` has no argument `{got}`"),
            format!("expected {}", listed(role.arguments(), "or")),
        )
        .help_if(|| did_you_mean(got, role.arguments()))
        .help("these names are the same for every tool set; a trial replaces them with the agent's own");
}

/// A role that the scenario offers.
pub(super) fn offered_role(word: &Text, names: &Names, report: &mut Report<'_>) -> Role {
    let Some(index) = report.index_of("role", word, ROLES.iter().map(|(name, _)| *name)) else {
        return Role::Shell;
    };
    let role = ROLES[index].1;
    if role == Role::Distractor && !names.has_distractors {
        report
            .error(word.span(), "no distractor is offered", "not among the tools of this scenario")
            .help("set `distractors` of `[tools]` to 1 or more");
    } else if role != Role::Distractor && !names.roles.contains(&role) {
        let text = word.get_ref();
        report
            .error(word.span(), format!("`{text}` is not offered"), "not among the tools of this scenario")
            .help(format!("add \"{text}\" to `roles` of `[tools]`"));
    }
    role
}
