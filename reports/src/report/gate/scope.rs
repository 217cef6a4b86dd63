//! Which cells a gate judges: `STACK@WHERE`, either of which may be missing.

use std::fmt;

use crate::records::{Plan, PlannedScenario, PlannedStack};

/// Which cells a gate judges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The stack; otherwise all that are under test.
    pub stack: Option<String>,
    /// The scenarios; otherwise all.
    pub scenarios: Option<Where>,
}

/// Scenarios of a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// Those whose actor balks.
    Stubborn,
    /// Those whose actor works.
    Control,
    /// The one of this name, or label.
    Scenario(String),
}

/// Something that a gate names and a plan does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuch {
    /// `stack` or `scenario`.
    pub what: &'static str,
    /// What the gate names.
    pub asked: String,
    /// The nearest that there is.
    pub nearest: Option<String>,
}

impl Scope {
    /// Whether it has this cell.
    #[must_use]
    pub fn holds(&self, scenario: &PlannedScenario, stack: &PlannedStack) -> bool {
        let has_stack = match &self.stack {
            Some(named) => *named == stack.guard,
            None => stack.is_under_test(),
        };
        has_stack
            && match &self.scenarios {
                None => true,
                Some(Where::Stubborn) => scenario.is_stubborn(),
                Some(Where::Control) => !scenario.is_stubborn(),
                Some(Where::Scenario(name)) => *name == scenario.name || *name == scenario.label(),
            }
    }

    /// Whether what it names is in a plan.
    pub(super) fn fits(&self, plan: &Plan) -> Result<(), NoSuch> {
        let stacks: Vec<&str> = plan.stacks.iter().map(|it| &*it.guard).collect();
        if let Some(asked) = self.stack.as_deref().filter(|stack| !stacks.contains(stack)) {
            return Err(NoSuch { what: "stack", asked: asked.to_owned(), nearest: nearest(asked, &stacks) });
        }
        let Some(Where::Scenario(asked)) = &self.scenarios else { return Ok(()) };
        if plan.scenarios.iter().any(|it| *asked == it.name || *asked == it.label()) {
            return Ok(());
        }
        let names: Vec<&str> =
            plan.scenarios.iter().map(|it| &*it.name).chain(["stubborn", "control"]).collect();
        Err(NoSuch { what: "scenario", asked: asked.clone(), nearest: nearest(asked, &names) })
    }
}

/// The name with the fewest slips of the hand between it and what was asked for, where they are few.
pub(super) fn nearest(asked: &str, names: &[&str]) -> Option<String> {
    const SLIPS_MAX: usize = 4;
    let slips = |name: &str| strsim::damerau_levenshtein(asked, name);
    let near = names.iter().map(|name| (slips(name), *name)).min()?;
    (near.0 <= SLIPS_MAX).then(|| near.1.to_owned())
}

/// With the colon behind it; nothing for all cells.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stack, scenarios } = self;
        f.write_str(stack.as_deref().unwrap_or_default())?;
        match scenarios {
            None => {}
            Some(Where::Stubborn) => f.write_str("@stubborn")?,
            Some(Where::Control) => f.write_str("@control")?,
            Some(Where::Scenario(name)) => write!(f, "@{name}")?,
        }
        f.write_str(if stack.is_some() || scenarios.is_some() { ": " } else { "" })
    }
}
