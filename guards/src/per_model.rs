//! A guard that is another one, or none, for some models (spec N5).
//!
//! The run's [`Start`](crate::Start) names the model. From then on, the first guard whose pattern matches acts.
//! Before the start, and if no pattern matches, the default guard acts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::pattern;
use balk_contract::{
    Answer, AttemptFailure, Completion, Conclusion, Decision, Entry, Guard, GuardFault, Recovery, Settlement,
    Sight, Termination, ToolResult,
};

/// One guard with different settings for different models: the first pattern that matches the model of the run
/// decides.
///
/// ```
/// use balk_guards::{Guard, NoTools, PerModel};
///
/// let guard = PerModel::new(NoTools::default()).with("*sonnet*", ()).with("gpt-3.5*", NoTools::default());
/// assert_eq!(guard.name(), "no-tools");
/// ```
pub struct PerModel {
    name: String,
    standard: Box<dyn Guard>,
    rules: Vec<(String, Box<dyn Guard>)>,
    /// The rule that matches the run's model.
    rule: Option<usize>,
}

#[derive(Serialize, Deserialize)]
struct PerModelState {
    rule: Option<usize>,
    inner: Value,
}

const NAME: &str = "per-model";
const VERSION: u64 = 1;

impl PerModel {
    /// Takes the guard for every model without a rule, which also gives the name; `()` is none.
    #[must_use]
    pub fn new(standard: impl Guard + 'static) -> Self {
        let name = standard.name().to_owned();
        Self { name, standard: Box::new(standard), rules: Vec::new(), rule: None }
    }

    /// Adds the guard for models that match a pattern and no earlier one: `*` matches any characters; everything else
    /// matches itself, in either case.
    #[must_use]
    pub fn with(mut self, pattern: &str, guard: impl Guard + 'static) -> Self {
        self.rules.push((pattern.into(), Box::new(guard)));
        self
    }

    /// Sets the name. Needed if the default is `()`, which does not have the guard's name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }

    fn chosen(&self) -> &dyn Guard {
        self.rule.map_or(&*self.standard, |rule| &*self.rules[rule].1)
    }

    fn guard_of(&mut self, rule: Option<usize>) -> &mut dyn Guard {
        match rule {
            Some(rule) => &mut *self.rules[rule].1,
            None => &mut *self.standard,
        }
    }
}

#[warn(clippy::missing_trait_methods, reason = "a default here would hide what the wrapped guard says")]
impl Guard for PerModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Start(start) = entry {
            self.rule = self.rules.iter().position(|(pattern, _)| pattern::matches(pattern, &start.model));
        }
        self.guard_of(self.rule).observe(entry);
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        self.chosen().review(completion)
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        self.chosen().settle(completion, results)
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        self.chosen().recover(failure)
    }

    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        self.chosen().conclude(end)
    }

    fn must_see(&self) -> Sight {
        self.chosen().must_see()
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(
            NAME,
            VERSION,
            &PerModelState { rule: self.rule, inner: self.chosen().save() },
        )
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        let PerModelState { rule, inner } = balk_contract::state::open(NAME, VERSION, state)?;
        if rule.is_some_and(|rule| rule >= self.rules.len()) {
            let reason = format!("expected the state of one of {} rules, found {rule:?}", self.rules.len());
            return Err(GuardFault { guard: self.name.clone(), reason });
        }
        self.guard_of(rule).load(inner)?;
        self.rule = rule;
        Ok(())
    }
}
