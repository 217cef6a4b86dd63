//! The simulated world: files, facts, records, and what happens when a tool is called.

use balk_contract::{Status, ToolCall};

use crate::arguments::Sent;
use crate::draws::{Draw, Occasion};
use crate::scenario::{Condition, PhraseId, Role, Rule, ToolsetTool, WriteSpec};
use crate::template::Template;
use crate::world::{Filling, World};

use executed::{done, failed};
use state::State;

pub use executed::Executed;

mod executed;
mod state;

/// The state of the world in one trial. It decides whether the task is done.
#[derive(Clone, Debug)]
pub struct Environment<'w, 'a> {
    world: &'w World<'a>,
    state: State,
    /// How often each rule applied.
    applied: Vec<u32>,
}

impl<'w, 'a> Environment<'w, 'a> {
    /// The world before the first turn.
    #[must_use]
    pub fn new(world: &'w World<'a>) -> Self {
        let spec = &world.scenario().environment;
        let owned = |template| world.fixed(template).into_owned();
        Self {
            world,
            state: State::new(
                spec.files.iter().map(|(path, text)| (owned(path), owned(text))),
                spec.facts.iter().map(owned),
            ),
            applied: vec![0; spec.rules.len()],
        }
    }

    /// Runs a call.
    pub fn call(&mut self, call: &ToolCall) -> Executed {
        let Some(tool) = self.world.tool(&call.tool) else {
            return failed(format!("error: unknown tool {}", call.tool));
        };
        let sent = match Sent::read(&call.arguments, tool) {
            Ok(sent) => sent,
            Err(wrong) => return failed(format!("error: invalid arguments for {}: {wrong}", call.tool)),
        };
        let mut arguments = Vec::with_capacity(3);
        for (canonical, name) in tool.role.arguments().iter().zip(&tool.arguments) {
            match sent.get(name) {
                Some(value) => arguments.push((*canonical, value)),
                None => {
                    return failed(format!(
                        "error: invalid arguments for {}: `{name}` is missing",
                        call.tool
                    ));
                }
            }
        }
        let rules = &self.world.scenario().environment.rules;
        let rule = rules.iter().enumerate().find(|(at, rule)| self.applies(*at, rule, tool, &arguments));
        match rule {
            Some((at, rule)) => self.apply(at, rule, tool, &arguments),
            None => self.state.run(tool, &arguments),
        }
    }

    /// Whether all conditions hold.
    #[must_use]
    pub fn holds(&self, conditions: &[Condition]) -> bool {
        conditions.iter().all(|it| self.condition(it, &[]))
    }

    /// Whether the task is done.
    #[must_use]
    pub fn goal(&self) -> bool {
        self.holds(&self.world.scenario().goal)
    }

    /// How often a record was created again after the first time.
    #[must_use]
    pub fn double_effects(&self) -> u32 {
        self.state.records.values().map(|times| times.saturating_sub(1)).sum()
    }

    /// Makes facts hold. A person can do that without a tool.
    pub fn set(&mut self, facts: &[Template]) {
        for fact in facts {
            self.state.facts.insert(self.world.fixed(fact).into_owned());
        }
    }

    fn applies(&self, at: usize, rule: &Rule, tool: &ToolsetTool, arguments: &[(&str, &str)]) -> bool {
        rule.role == tool.role
            && rule.times.is_none_or(|times| self.applied[at] < self.world.number(times))
            && rule.when.iter().all(|it| self.condition(it, arguments))
    }

    fn apply(&mut self, at: usize, rule: &Rule, tool: &ToolsetTool, arguments: &[(&str, &str)]) -> Executed {
        self.applied[at] += 1;
        for fact in &rule.clears {
            self.state.facts.remove(&*self.world.fixed(fact));
        }
        self.set(&rule.sets);
        let own = match tool.role {
            _ if rule.fails => failed(String::new()),
            // A command that prints nothing.
            Role::Shell => done("(no output)".into()),
            Role::Write
            | Role::Edit
            | Role::Read
            | Role::List
            | Role::Delegate
            | Role::Wait
            | Role::Plan
            | Role::Ask
            | Role::Remote
            | Role::Finish
            | Role::Distractor => self.state.run(tool, arguments),
        };
        self.write_files(at, rule, arguments);
        let status = if rule.fails { Status::Error } else { Status::Ok };
        let text = match rule.says {
            Some(phrase) => self.said(phrase, at, arguments),
            None => own.text,
        };
        Executed { text, status, fatal: rule.fatal, ..own }
    }

    fn write_files(&mut self, at: usize, rule: &Rule, arguments: &[(&str, &str)]) {
        let visit = self.applied[at];
        for (place, WriteSpec { path, text, appends }) in rule.writes.iter().enumerate() {
            let mut dice = self.world.draws().dice(Draw::Written { rule: at, place, visit });
            let (mut at, mut written) = (String::new(), String::new());
            self.world.render(path, Filling { dice: &mut dice, arguments, nth: visit.into() }, &mut at);
            self.world.render(text, Filling { dice: &mut dice, arguments, nth: visit.into() }, &mut written);
            let file = self.state.files.entry(at).or_default();
            if !appends {
                file.clear();
            }
            file.push_str(&written);
        }
        for path in &rule.deletes {
            self.state.files.remove(&*self.world.fixed(path));
        }
    }

    fn said(&self, phrase: PhraseId, rule: usize, arguments: &[(&str, &str)]) -> String {
        self.world.say(phrase, Occasion::Rule(rule), self.applied[rule], arguments)
    }

    fn condition(&self, condition: &Condition, arguments: &[(&str, &str)]) -> bool {
        let fixed = |template| self.world.fixed(template);
        let State { files, facts, records, todo } = &self.state;
        match condition {
            Condition::Fact(fact) => facts.contains(&*fixed(fact)),
            Condition::NoFact(fact) => !facts.contains(&*fixed(fact)),
            Condition::File(path) => files.contains_key(&*fixed(path)),
            Condition::NoFile(path) => !files.contains_key(&*fixed(path)),
            Condition::FileContains(path, text) => {
                files.get(&*fixed(path)).is_some_and(|content| content.contains(&*fixed(text)))
            }
            Condition::Plan(text) => todo.contains(&*fixed(text)),
            Condition::Record(name) => records.contains_key(&*fixed(name)),
            Condition::Once(name) => records.get(&*fixed(name)) == Some(&1),
            Condition::ArgumentContains(name, text) => arguments
                .iter()
                .find(|(it, _)| it == name)
                .is_some_and(|(_, value)| value.contains(&*fixed(text))),
        }
    }
}
