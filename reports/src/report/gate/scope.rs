//! The cells that a gate judges: `STACK@WHERE`, either of which may be missing.

use std::fmt;

use crate::records::{Plan, PlannedScenario, PlannedStack};

/// The cells that a gate judges.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The stack; without it, all stacks under test.
    pub stack: Option<String>,
    /// The scenarios; without it, all.
    pub scenarios: Option<Where>,
}

/// The scenarios of a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// All stubborn scenarios.
    Stubborn,
    /// All controls.
    Control,
    /// The scenario with this name or label.
    Scenario(String),
}

/// A stack or a scenario that a gate names and the plan does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuch {
    /// `stack` or `scenario`.
    pub what: &'static str,
    /// The name in the gate.
    pub asked: String,
    /// The nearest name in the plan.
    pub nearest: Option<String>,
}

impl Scope {
    /// Whether it contains this cell.
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

    /// Checks that a plan has what it names.
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

/// The name with the fewest typing errors between it and the asked one, if they are at most a third of its letters.
pub(super) fn nearest(asked: &str, names: &[&str]) -> Option<String> {
    let errors = |name: &str| strsim::damerau_levenshtein(asked, name);
    let near = names.iter().map(|name| (errors(name), *name)).min()?;
    (near.0 <= asked.chars().count().div_ceil(3)).then(|| near.1.to_owned())
}

/// With a colon after it; empty for all cells.
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
