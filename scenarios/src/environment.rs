//! The simulated world: files, facts, records, and what happens when a tool is called.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use balk_contract::{Status, ToolCall};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use crate::draws::Occasion;
use crate::scenario::{Condition, PhraseId, Role, Rule, ToolsetTool};
use crate::template::Template;
use crate::world::World;

/// The state of the world in one trial. It decides whether the task is done.
#[derive(Clone, Debug)]
pub struct Environment<'w, 'a> {
    world: &'w World<'a>,
    files: BTreeMap<String, String>,
    facts: BTreeSet<String>,
    /// How often each remote record was created.
    records: BTreeMap<String, u32>,
    /// How often each rule applied.
    applied: Vec<u32>,
}

/// What a tool did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executed {
    /// What it answers.
    pub text: String,
    /// Whether it worked. Never `Unknown` here.
    pub status: Status,
    /// Whether this was the call that declares the task done.
    pub finishes: bool,
    /// Whether the agent cannot go on after the call.
    pub fatal: bool,
}

impl<'w, 'a> Environment<'w, 'a> {
    /// The world before the first turn.
    #[must_use]
    pub fn new(world: &'w World<'a>) -> Self {
        let spec = &world.scenario().environment;
        let owned = |template| world.fixed(template).into_owned();
        Self {
            world,
            files: spec.files.iter().map(|(path, text)| (owned(path), owned(text))).collect(),
            facts: spec.facts.iter().map(owned).collect(),
            records: BTreeMap::new(),
            applied: vec![0; spec.rules.len()],
        }
    }

    /// Runs a call.
    pub fn call(&mut self, call: &ToolCall) -> Executed {
        let Some(tool) = self.world.tool(&call.tool) else {
            return failed(format!("error: unknown tool {}", call.tool));
        };
        let Ok(sent) = serde_json::from_str::<Sent<'_>>(&call.arguments) else {
            return failed(format!(
                "error: invalid arguments for {}: expected an object of strings",
                call.tool
            ));
        };
        let mut arguments = Vec::with_capacity(2);
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
            None => self.by_role(tool.role, &arguments),
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
        self.records.values().map(|times| times.saturating_sub(1)).sum()
    }

    /// Makes facts hold. A person can do that without a tool.
    pub fn set(&mut self, facts: &[Template]) {
        for fact in facts {
            self.facts.insert(self.world.fixed(fact).into_owned());
        }
    }

    fn applies(&self, at: usize, rule: &Rule, tool: &ToolsetTool, arguments: &[(&str, &str)]) -> bool {
        rule.role == tool.role
            && rule.times.is_none_or(|times| self.applied[at] < times)
            && rule.when.iter().all(|it| self.condition(it, arguments))
    }

    fn apply(&mut self, at: usize, rule: &Rule, tool: &ToolsetTool, arguments: &[(&str, &str)]) -> Executed {
        self.applied[at] += 1;
        for fact in &rule.clears {
            self.facts.remove(&*self.world.fixed(fact));
        }
        self.set(&rule.sets);
        let own = if rule.fails { failed(String::new()) } else { self.by_role(tool.role, arguments) };
        let status = if rule.fails { Status::Error } else { Status::Ok };
        let text = match rule.says {
            Some(phrase) => self.said(phrase, at, arguments),
            None => own.text,
        };
        Executed { text, status, finishes: own.finishes, fatal: rule.fatal }
    }

    fn said(&self, phrase: PhraseId, rule: usize, arguments: &[(&str, &str)]) -> String {
        self.world.say(phrase, Occasion::Rule(rule), self.applied[rule], arguments)
    }

    /// What a tool of this role does where no rule says otherwise.
    fn by_role(&mut self, role: Role, arguments: &[(&str, &str)]) -> Executed {
        let first = arguments.first().map_or("", |(_, value)| value);
        match role {
            Role::Write => {
                let content = arguments.get(1).map_or("", |(_, value)| value);
                self.files.insert(first.to_owned(), content.to_owned());
                done(format!("wrote {} bytes to {first}", content.len()))
            }
            Role::Read => match self.files.get(first) {
                Some(content) => done(content.clone()),
                None => failed(format!("error: no such file: {first}")),
            },
            Role::List => {
                let inside = |path: &&String| matches!(first, "" | "." | "/") || path.starts_with(first);
                let names: Vec<&str> = self.files.keys().filter(inside).map(String::as_str).collect();
                done(if names.is_empty() { "(empty)".into() } else { names.join("\n") })
            }
            Role::Shell => {
                let command = first.split_whitespace().next().unwrap_or("");
                failed(format!("sh: 1: {command}: not found"))
            }
            Role::Ask => done("(no answer)".into()),
            Role::Remote => {
                *self.records.entry(first.to_owned()).or_default() += 1;
                done(format!("created {first}"))
            }
            Role::Finish => Executed { finishes: true, ..done("done".into()) },
            Role::Distractor => done("no results".into()),
        }
    }

    fn condition(&self, condition: &Condition, arguments: &[(&str, &str)]) -> bool {
        let fixed = |template| self.world.fixed(template);
        match condition {
            Condition::Fact(fact) => self.facts.contains(&*fixed(fact)),
            Condition::NoFact(fact) => !self.facts.contains(&*fixed(fact)),
            Condition::File(path) => self.files.contains_key(&*fixed(path)),
            Condition::NoFile(path) => !self.files.contains_key(&*fixed(path)),
            Condition::FileContains(path, text) => {
                self.files.get(&*fixed(path)).is_some_and(|content| content.contains(&*fixed(text)))
            }
            Condition::Record(name) => self.records.contains_key(&*fixed(name)),
            Condition::Once(name) => self.records.get(&*fixed(name)) == Some(&1),
            Condition::ArgumentContains(name, text) => arguments
                .iter()
                .find(|(it, _)| it == name)
                .is_some_and(|(_, value)| value.contains(&*fixed(text))),
        }
    }
}

/// An object of strings, as it was sent: few members, of which the last of a name counts.
struct Sent<'t>(Vec<[Text<'t>; 2]>);

/// A string of JSON; where nothing in it is escaped, it is a part of that text.
#[derive(serde::Deserialize)]
struct Text<'t>(#[serde(borrow)] Cow<'t, str>);

impl Sent<'_> {
    fn get(&self, wanted: &str) -> Option<&str> {
        self.0.iter().rfind(|[name, _]| name.0 == wanted).map(|[_, value]| &*value.0)
    }
}

impl<'t> Deserialize<'t> for Sent<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'t> Visitor<'t> for Members {
            type Value = Sent<'t>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of strings")
            }

            fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Sent<'t>, A::Error> {
                let mut members = Vec::with_capacity(2);
                while let Some((name, value)) = map.next_entry()? {
                    members.push([name, value]);
                }
                Ok(Sent(members))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

fn done(text: String) -> Executed {
    Executed { text, status: Status::Ok, finishes: false, fatal: false }
}

fn failed(text: String) -> Executed {
    Executed { text, status: Status::Error, finishes: false, fatal: false }
}
