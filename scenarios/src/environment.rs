//! The simulated world: files, facts, records, and what happens when a tool is called.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use balk_contract::{Status, ToolCall};

use crate::arguments;
use crate::draws::{Draw, Occasion};
use crate::scenario::template::Template;
use crate::scenario::{Answers, Condition, PhraseId, Role, Rule, TICKS_PER_SECOND, ToolsetTool, WriteSpec};
use crate::spoken::Spoken;
use crate::world::{Filling, World};

use executed::{done, failed};
use state::State;

pub use executed::Executed;

mod executed;
mod state;

/// The state of the world in one trial. It decides whether the task is done.
#[derive(Clone, Debug)]
pub struct Environment {
    world: Arc<World>,
    state: State,
    /// The simulated time since the start, in ticks.
    now: u64,
    /// How often each rule applied.
    applied: Vec<u32>,
    /// How many calls ran.
    calls: u32,
    /// Of these, commands of which nothing is known but that they are not there.
    unknown_commands: u32,
}

impl Environment {
    /// The world before the first turn.
    #[must_use]
    pub fn new(world: &Arc<World>) -> Self {
        let spec = &world.scenario().environment;
        let owned = |template| world.fixed(template).into_owned();
        Self {
            world: world.clone(),
            state: State::new(
                spec.files.iter().map(|(path, text)| (owned(path), owned(text))),
                spec.facts.iter().map(owned),
            ),
            now: 0,
            applied: vec![0; spec.rules.len()],
            calls: 0,
            unknown_commands: 0,
        }
    }

    /// About how many bytes its state takes that it does not share with this one, if there is one.
    #[must_use]
    pub fn bytes_beside(&self, other: Option<&Self>) -> usize {
        self.state.bytes_beside(other.map(|it| &it.state))
    }

    /// The simulated time since the start, in ticks.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Lets time pass.
    pub fn pass(&mut self, ticks: u64) {
        self.now = self.now.saturating_add(ticks);
    }

    /// Runs a call.
    pub fn call(&mut self, call: &ToolCall) -> Executed {
        self.calls += 1;
        let mut executed = self.run(call);
        let spec = &self.world.scenario().environment;
        let around = |phrase, occasion| self.world.say(phrase, occasion, self.calls, &[]);
        if let Some(phrase) = spec.before {
            executed.text = format!("{}\n{}", around(phrase, Occasion::Before), executed.text);
        }
        if let Some(phrase) = spec.after {
            executed.text = format!("{}\n{}", executed.text, around(phrase, Occasion::After));
        }
        executed
    }

    fn run(&mut self, call: &ToolCall) -> Executed {
        // The world is shared and never changes, so it is read while the state is written.
        let world = self.world.clone();
        match understood(&world, call) {
            Ok((tool, values)) => self.does(tool.role, &tool.answers, &values),
            Err(wrong) => failed(wrong),
        }
    }

    /// What a call asks for: the role of its tool, and the values of [`Role::arguments`]. `None` if it is no call of
    /// a tool of this world.
    #[must_use]
    pub fn asked(&self, call: &ToolCall) -> Option<(Role, Vec<String>)> {
        let (tool, values) = understood(&self.world, call).ok()?;
        Some((tool.role, values.into_iter().map(Cow::into_owned).collect()))
    }

    /// The files, by their paths from the folder of the task.
    #[must_use]
    pub fn files(&self) -> &BTreeMap<String, String> {
        &self.state.files
    }

    /// Puts these files in the place of those that are there: what a real folder has decides whether the task is done.
    pub fn set_files(&mut self, files: BTreeMap<String, String>) {
        // What did not change is shared.
        if *self.state.files != files {
            self.state.files = files.into();
        }
    }

    /// Does what the model says in place of a call, and what a person answers to it.
    pub fn hear(&mut self, spoken: &Spoken) -> Executed {
        let values: Vec<Cow<'_, str>> = spoken.values.iter().map(|it| it.as_str().into()).collect();
        self.does(spoken.role, &Answers::default(), &values)
    }

    /// Does what a tool of this role does with these values.
    fn does(&mut self, role: Role, answers: &Answers, values: &[Cow<'_, str>]) -> Executed {
        let world = self.world.clone();
        let names = role.arguments().iter();
        let arguments: Vec<(&str, &str)> =
            names.zip(values).map(|(name, value)| (*name, plain(name, value))).collect();
        let rules = &world.scenario().environment.rules;
        let rule = rules.iter().enumerate().find(|(at, rule)| self.applies(*at, rule, role, &arguments));
        match rule {
            Some((at, rule)) => self.apply(at, rule, answers, &arguments),
            None => self.by_role(role, answers, &arguments),
        }
    }

    /// Whether all conditions hold.
    #[must_use]
    pub fn holds(&self, conditions: &[Condition]) -> bool {
        self.holds_for(conditions, &[])
    }

    /// Whether all conditions hold, some of which are about these arguments or words.
    pub(crate) fn holds_for(&self, conditions: &[Condition], arguments: &[(&str, &str)]) -> bool {
        conditions.iter().all(|it| self.condition(it, arguments))
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

    /// How many commands ran of which this world only knew that it does not have them.
    #[must_use]
    pub fn unknown_commands(&self) -> u32 {
        self.unknown_commands
    }

    /// Whether the other one of the same world is in the same state.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        self.state == other.state
    }

    /// Makes facts hold. A person can do that without a tool.
    pub fn set(&mut self, facts: &[Template]) {
        for fact in facts {
            let fact = self.world.fixed(fact);
            if !self.state.facts.contains_key(&*fact) {
                Arc::make_mut(&mut self.state.facts).insert(fact.into_owned(), self.now);
            }
        }
    }

    /// Makes facts no longer hold.
    pub fn clear(&mut self, facts: &[Template]) {
        for fact in facts {
            let fact = self.world.fixed(fact);
            if self.state.facts.contains_key(&*fact) {
                Arc::make_mut(&mut self.state.facts).remove(&*fact);
            }
        }
    }

    /// Does what a tool of this role does. Time passes meanwhile.
    fn by_role(&mut self, role: Role, answers: &Answers, arguments: &[(&str, &str)]) -> Executed {
        let executed = self.state.run(role, answers, arguments);
        // No rule and no role knew the command.
        self.unknown_commands += u32::from(role == Role::Shell && executed.status == Status::Error);
        self.pass(executed.ticks);
        executed
    }

    fn applies(&self, at: usize, rule: &Rule, role: Role, arguments: &[(&str, &str)]) -> bool {
        rule.role == role
            && rule.times.is_none_or(|times| self.applied[at] < self.world.number(times))
            && self.holds_for(&rule.when, arguments)
    }

    fn apply(&mut self, at: usize, rule: &Rule, answers: &Answers, arguments: &[(&str, &str)]) -> Executed {
        self.applied[at] += 1;
        let ticks = rule.takes.map_or(0, |it| u64::from(self.world.number(it)) * TICKS_PER_SECOND);
        self.pass(ticks);
        self.clear(&rule.clears);
        self.set(&rule.sets);
        let own = if rule.fails {
            failed(String::new())
        } else if !rule.does || rule.role == Role::Shell {
            // A tool that only says what it did, or a command that prints nothing.
            done(Executed::NO_OUTPUT.into())
        } else {
            self.by_role(rule.role, answers, arguments)
        };
        self.write_files(at, rule, arguments);
        let status = if rule.fails { Status::Error } else { Status::Ok };
        let text = match rule.says {
            Some(phrase) => self.said(phrase, at, arguments),
            None => own.text,
        };
        Executed { text, status, fatal: rule.fatal, ticks: own.ticks.saturating_add(ticks), ..own }
    }

    fn write_files(&mut self, at: usize, rule: &Rule, arguments: &[(&str, &str)]) {
        let visit = self.applied[at];
        for (place, WriteSpec { path, text, appends }) in rule.writes.iter().enumerate() {
            let mut dice = self.world.draws().dice(Draw::Written { rule: at, place, visit });
            let (mut at, mut written) = (String::new(), String::new());
            self.world.render(path, Filling { dice: &mut dice, arguments, nth: visit.into() }, &mut at);
            self.world.render(text, Filling { dice: &mut dice, arguments, nth: visit.into() }, &mut written);
            let file = Arc::make_mut(&mut self.state.files).entry(at).or_default();
            if !appends {
                file.clear();
            }
            file.push_str(&written);
        }
        for path in &rule.deletes {
            Arc::make_mut(&mut self.state.files).remove(&*self.world.fixed(path));
        }
    }

    fn said(&self, phrase: PhraseId, rule: usize, arguments: &[(&str, &str)]) -> String {
        let say =
            |known: &[(&str, &str)]| self.world.say(phrase, Occasion::Rule(rule), self.applied[rule], known);
        let facts: BTreeSet<&String> = self.world.timed_facts(phrase).collect();
        if facts.is_empty() {
            return say(arguments);
        }
        let seconds: Vec<String> = facts.iter().map(|it| self.seconds(it).to_string()).collect();
        let timed = facts.iter().zip(&seconds).map(|(fact, seconds)| (fact.as_str(), seconds.as_str()));
        say(&arguments.iter().copied().chain(timed).collect::<Vec<_>>())
    }

    /// How many whole seconds a fact has held; 0 if it does not.
    fn seconds(&self, fact: &str) -> u64 {
        self.state.facts.get(fact).map_or(0, |since| (self.now - since) / TICKS_PER_SECOND)
    }

    fn condition(&self, condition: &Condition, arguments: &[(&str, &str)]) -> bool {
        let fixed = |template| self.world.fixed(template);
        let State { files, facts, records, todo } = &self.state;
        match condition {
            Condition::Fact(fact) => facts.contains_key(&*fixed(fact)),
            Condition::FactFor(fact, seconds) => {
                let fact = fixed(fact);
                facts.contains_key(&*fact) && self.seconds(&fact) >= u64::from(self.world.number(*seconds))
            }
            Condition::NoFact(fact) => !facts.contains_key(&*fixed(fact)),
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

/// The tool that a call means, with the values of its role. If there is none, the error is what the call answers.
fn understood<'t>(
    world: &'t World,
    call: &'t ToolCall,
) -> Result<(&'t ToolsetTool, Vec<Cow<'t, str>>), String> {
    // A tool with several roles is asked as each of them. The last one is its own, and knows every call of it.
    let mut wrong = format!("error: unknown tool {}", call.tool);
    let count = world.tools(&call.tool).count();
    for (at, tool) in world.tools(&call.tool).enumerate() {
        if at + 1 < count && !arguments::agrees(&call.arguments, &tool.form) {
            continue;
        }
        match arguments::read(&call.arguments, tool.role, &tool.form) {
            Ok(values) => return Ok((tool, values)),
            Err(why) => wrong = format!("error: invalid arguments for {}: {why}", call.tool),
        }
    }
    Err(wrong)
}

/// The value of an argument, for a path without the folder that it starts from.
fn plain<'t>(argument: &str, value: &'t str) -> &'t str {
    if argument == "path" { value.strip_prefix("./").unwrap_or(value) } else { value }
}
