//! The tools of an agent that is really there, bound to the roles of a scenario.
//!
//! A tool plays a role if its name says so and its schema has a place for what the role says. Where no tool does, a
//! shell reads, lists and writes files, and a message asks the user or ends the task. The same offer is always bound
//! in the same way: the name that fits best decides, and then the place on the offer.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use balk_contract::{Effect, Tool};
use serde_json::Value;

use super::{fill, names};
use crate::arguments;
use crate::format::report::listed;
use crate::format::roles::role_name;
use crate::scenario::{Answers, Form, Role, Shape, Slot, Toolset, ToolsetTool};

#[cfg(test)]
mod tests;

/// What plays a role where words do not suffice to find it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The role.
    pub role: Role,
    /// What plays it.
    pub by: By,
}

/// What plays a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// The tool of this name.
    Tool(String),
    /// This command, in the shell.
    Command(String),
    /// A message.
    Words,
}

/// A role that nothing on offer can play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unbound {
    /// The role.
    pub role: Role,
    /// The tool that was named for it, if one was.
    pub named: Option<String>,
    /// The names of the tools on offer.
    pub offered: Vec<String>,
}

impl fmt::Display for Unbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let role = role_name(self.role);
        match &self.named {
            Some(name) if self.offered.contains(name) => {
                write!(f, "`{name}` takes nothing that fits the role `{role}`")?;
            }
            Some(name) => write!(f, "`{name}`, which is named for the role `{role}`, is not on offer")?,
            None => write!(f, "no tool for the role `{role}`")?,
        }
        let offered: Vec<&str> = self.offered.iter().map(String::as_str).collect();
        write!(f, "; on offer: {}", listed(&offered, "and"))
    }
}

impl Error for Unbound {}

/// Binds the tools on offer to roles. `bindings` go before names.
///
/// # Errors
///
/// A role that nothing on offer can play.
pub fn bind(
    agent: &str,
    roles: &[Role],
    offered: &[Tool],
    bindings: &[Binding],
) -> Result<Arc<Toolset>, Unbound> {
    let mut binder = Binder { offered, played: vec![Vec::new(); offered.len()], spoken: Vec::new() };
    let is_named = |role: Role| bindings.iter().find(|it| it.role == role).map(|it| &it.by);
    let shell = match is_named(Role::Shell) {
        Some(By::Tool(name)) => Some(binder.named(Role::Shell, name)?),
        Some(By::Command(_) | By::Words) | None => binder.best(Role::Shell),
    };
    for &role in roles {
        match is_named(role) {
            Some(By::Tool(name)) => binder.named(role, name).map(|(at, form)| binder.play(at, role, form))?,
            Some(By::Command(command)) => {
                let (at, form) = shell.clone().ok_or_else(|| binder.unbound(role, None))?;
                binder.play(at, role, instead(&form, &Slot::Fixed(command.as_str().into())));
            }
            Some(By::Words) => binder.spoken.push(role),
            None => binder.found(role, shell.as_ref())?,
        }
    }
    if let Some((at, form)) = shell
        && binder.played[at].iter().all(|(role, _)| *role != Role::Shell)
    {
        binder.play(at, Role::Shell, form);
    }
    Ok(Arc::new(binder.toolset(agent)))
}

struct Binder<'o> {
    offered: &'o [Tool],
    /// The roles of each tool on offer.
    played: Vec<Vec<(Role, Form)>>,
    spoken: Vec<Role>,
}

impl Binder<'_> {
    fn unbound(&self, role: Role, named: Option<&str>) -> Unbound {
        let offered = self.offered.iter().map(|it| it.original.to_string()).collect();
        Unbound { role, named: named.map(str::to_owned), offered }
    }

    fn play(&mut self, at: usize, role: Role, form: Form) {
        self.played[at].push((role, form));
    }

    /// The tool of this name.
    fn named(&self, role: Role, name: &str) -> Result<(usize, Form), Unbound> {
        let at = self.offered.iter().position(|it| *it.original == *name);
        let form = at.and_then(|at| Some((at, form(&self.offered[at], role)?)));
        form.ok_or_else(|| self.unbound(role, Some(name)))
    }

    /// The tool whose name fits best, among those that have a place for what the role says.
    fn best(&self, role: Role) -> Option<(usize, Form)> {
        let mut fitting: Vec<_> = self
            .offered
            .iter()
            .enumerate()
            .filter(|(_, tool)| !tool.provider_executed)
            .filter_map(|(at, tool)| Some((names::fit(role, &tool.original)?, at)))
            .collect();
        fitting.sort_unstable();
        fitting.into_iter().find_map(|(_, at)| Some((at, form(&self.offered[at], role)?)))
    }

    /// Finds what plays a role: a tool, else the shell, else words.
    fn found(&mut self, role: Role, shell: Option<&(usize, Form)>) -> Result<(), Unbound> {
        let tool = if role == Role::Shell { shell.cloned() } else { self.best(role) };
        if let Some((at, form)) = tool {
            self.play(at, role, form);
        } else if let Some((at, form)) = shell.filter(|_| arguments::shell_can(role)) {
            self.play(*at, role, instead(form, &Slot::Command(role)));
        } else if matches!(role, Role::Ask | Role::Finish) {
            self.spoken.push(role);
        } else {
            return Err(self.unbound(role, None));
        }
        Ok(())
    }

    fn toolset(self, agent: &str) -> Toolset {
        let mut tools = Vec::with_capacity(self.offered.len());
        for (tool, mut roles) in self.offered.iter().zip(self.played) {
            if roles.is_empty() {
                let any = form(tool, Role::Distractor).unwrap_or(Form { members: Vec::new() });
                roles.push((Role::Distractor, any));
            }
            // The role that its name says comes last: it knows every call of the tool.
            roles.sort_by_key(|(role, form)| (*role == Role::Shell, !is_command(form)));
            let (effect, own) = match &roles[..] {
                [(role, _)] => (effect(*role), *role),
                [.., (role, _)] => (Effect::Unknown, *role),
                [] => (Effect::Unknown, Role::Distractor),
            };
            let mut tool = tool.clone().purpose(own.purpose());
            if tool.effect == Effect::Unknown {
                tool = tool.effect(effect);
            }
            tools.extend(roles.into_iter().map(|(role, form)| ToolsetTool {
                role,
                tool: tool.clone(),
                form,
                answers: Answers::default(),
            }));
        }
        Toolset { name: agent.to_owned(), reserve: false, tools, spoken: self.spoken }
    }
}

/// The form in which a tool takes what a role says, if it does.
fn form(tool: &Tool, role: Role) -> Option<Form> {
    fill::form(&serde_json::from_str::<Value>(tool.parameters.text()).ok()?, role)
}

/// The form of a shell with something else in the place of the command.
fn instead(shell: &Form, slot: &Slot) -> Form {
    fn replaced(of: &Slot, slot: &Slot) -> Slot {
        match of {
            Slot::Value(0, Shape::Text) => slot.clone(),
            Slot::Value(..) | Slot::Command(_) | Slot::Fixed(_) => of.clone(),
            Slot::List(all) => Slot::List(all.iter().map(|it| replaced(it, slot)).collect()),
            Slot::Object(members) => {
                Slot::Object(members.iter().map(|(name, it)| (name.clone(), replaced(it, slot))).collect())
            }
        }
    }
    let members = shell.members.iter().map(|(name, it)| (name.clone(), replaced(it, slot)));
    Form { members: members.collect() }
}

/// Whether a form has a command for what its role does.
fn is_command(form: &Form) -> bool {
    fn is(slot: &Slot) -> bool {
        match slot {
            Slot::Command(_) => true,
            Slot::Value(..) | Slot::Fixed(_) => false,
            Slot::List(all) => all.iter().any(is),
            Slot::Object(members) => members.iter().any(|(_, it)| is(it)),
        }
    }
    form.members.iter().any(|(_, it)| is(it))
}

/// What a tool that plays one role can change.
fn effect(role: Role) -> Effect {
    match role {
        Role::Write | Role::Plan => Effect::IdempotentWrite,
        Role::Edit => Effect::Write,
        Role::Read | Role::List | Role::Wait | Role::Ask | Role::Finish => Effect::ReadOnly,
        Role::Remote => Effect::External,
        Role::Shell | Role::Delegate | Role::Distractor => Effect::Unknown,
    }
}
