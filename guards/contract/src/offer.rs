//! What the model may call: the tools on offer, with what a call of each can change.

use std::collections::BTreeMap;
use std::sync::Arc;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use crate::schema::Schema;
use crate::writes::Guess;

use numbers::Numbers;

mod numbers;

pub use numbers::NAME_CHARS;

/// What running a tool can change.
///
/// The owner of the tool declares it (the Model Context Protocol calls these annotations). `Unknown` is the safe
/// default: a guard treats it as a possible change, never as harmless.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum Effect {
    /// Changes nothing: reading, listing, searching, running tests.
    ReadOnly,
    /// Changes something, and an equal second call changes nothing more: writing a whole file.
    IdempotentWrite,
    /// Changes something each time: appending, inserting.
    Write,
    /// Acts on the world outside the workspace: paying, sending, publishing.
    External,
    /// Not declared.
    #[default]
    Unknown,
}

impl Effect {
    /// True if a call is *known* to change something (spec A3: "a tool that changes things").
    #[must_use]
    pub const fn is_known_change(self) -> bool {
        match self {
            Self::IdempotentWrite | Self::Write | Self::External => true,
            Self::ReadOnly | Self::Unknown => false,
        }
    }
}

/// What a tool is for, so that a message can point to it ("look around with `bash`").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "kebab-case"))]
pub enum Purpose {
    /// Runs commands.
    Shell,
    /// Puts a question to the user.
    AskUser,
    /// Declares the task finished.
    Finish,
    /// Waits for something, or checks its progress.
    Wait,
    /// Anything else.
    #[default]
    Other,
}

/// One tool on offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// The name on the wire, legal for every provider: `[A-Za-z0-9_-]`, at most 64 characters.
    pub name: Arc<str>,
    /// The name from its owner; differs from `name` only if it was not legal.
    pub original: Arc<str>,
    /// One sentence for the model.
    pub description: Arc<str>,
    /// JSON Schema of the arguments.
    pub parameters: Schema,
    /// What a call can change.
    pub effect: Effect,
    /// What the tool is for.
    pub purpose: Purpose,
    /// True if the provider runs it within an attempt, where the loop cannot see whether it ran (spec R2).
    pub provider_executed: bool,
}

impl Tool {
    /// A tool of unknown effect that takes any object.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let name: Arc<str> = name.into();
        Self {
            original: name.clone(),
            name,
            description: "".into(),
            parameters: Schema::new(r#"{"type":"object"}"#),
            effect: Effect::Unknown,
            purpose: Purpose::Other,
            provider_executed: false,
        }
    }

    /// The same tool with a declared effect.
    #[must_use]
    pub fn effect(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self
    }

    /// The same tool with a declared purpose.
    #[must_use]
    pub fn purpose(mut self, purpose: Purpose) -> Self {
        self.purpose = purpose;
        self
    }

    /// The same tool, run by the provider.
    #[must_use]
    pub fn provider_executed(mut self) -> Self {
        self.provider_executed = true;
        self
    }

    /// The same tool with a sentence for the model.
    #[must_use]
    pub fn description(mut self, description: &str) -> Self {
        self.description = description.into();
        self
    }

    /// The same tool with a JSON Schema for its arguments, as JSON text.
    #[must_use]
    pub fn parameters(mut self, schema: &str) -> Self {
        self.parameters = Schema::new(schema);
        self
    }
}

/// The tools on offer, in the order they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    tools: Vec<Tool>,
    /// What each tool seems to do, at the same indices.
    guesses: Vec<Guess>,
    /// The index of each tool by its legal name. A server cannot choose how many tools its clients offer.
    by_name: BTreeMap<Arc<str>, usize>,
    /// The index of the first tool with each original name.
    by_original: BTreeMap<Arc<str>, usize>,
}

impl Offer {
    /// Makes every name legal, once: other characters become `_`, names are cut at 64 characters, and a name that is
    /// then already taken gets a number.
    #[must_use]
    pub fn new(tools: impl IntoIterator<Item = Tool>) -> Self {
        let tools = tools.into_iter();
        let at_least = tools.size_hint().0;
        let mut offer = Self {
            tools: Vec::with_capacity(at_least),
            guesses: Vec::with_capacity(at_least),
            ..Self::default()
        };
        let mut numbers = Numbers::default();
        for tool in tools {
            offer.add(tool, &mut numbers);
        }
        offer
    }

    fn add(&mut self, mut tool: Tool, numbers: &mut Numbers) {
        tool.name = self.free_name(&tool.name, numbers);
        self.guesses.push(match tool.purpose {
            Purpose::Other => {
                Guess::of_tool(&tool.original, tool.parameters.members().iter().map(|it| &**it))
            }
            Purpose::Shell | Purpose::AskUser | Purpose::Finish | Purpose::Wait => Guess::Other,
        });
        let at = self.tools.len();
        self.by_name.insert(tool.name.clone(), at);
        self.by_original.entry(tool.original.clone()).or_insert(at);
        self.tools.push(tool);
    }

    /// The name made legal, with a number if it is taken.
    fn free_name(&self, wanted: &Arc<str>, numbers: &mut Numbers) -> Arc<str> {
        let legal = if is_legal_name(wanted) { wanted.clone() } else { made_legal(wanted).into() };
        let is_free = |name: &str| self.get(name).is_none();
        if is_free(&legal) { legal } else { numbers.behind(&legal, is_free) }
    }

    /// All tools, in order.
    #[must_use]
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The tool with this legal name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.by_name.get(name).map(|&at| &self.tools[at])
    }

    /// Whether a tool seems to write, by its name and its schema: a guess (spec A3).
    #[must_use]
    pub fn seems_to_write(&self, name: &str) -> bool {
        self.guessed(name).is_some_and(|(_, guess)| guess == Guess::Writes)
    }

    /// The tool with this legal name, and what it seems to do.
    pub(crate) fn guessed(&self, name: &str) -> Option<(&Tool, Guess)> {
        let &at = self.by_name.get(name)?;
        Some((&self.tools[at], self.guesses[at]))
    }

    /// The first tool with this original name.
    #[must_use]
    pub fn by_original(&self, original: &str) -> Option<&Tool> {
        self.by_original.get(original).map(|&at| &self.tools[at])
    }

    /// The name that the transcript uses for a call that the model addressed to `called`: the name itself if it is
    /// legal, else the name of the tool with that original name, else the name made legal. Providers refuse a request
    /// in which a call has an illegal name.
    #[must_use]
    pub fn name_called(&self, called: &Arc<str>) -> Arc<str> {
        if is_legal_name(called) {
            return called.clone();
        }
        self.by_original(called).map_or_else(|| made_legal(called).into(), |tool| tool.name.clone())
    }

    /// The first tool with this purpose.
    #[must_use]
    pub fn first(&self, purpose: Purpose) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.purpose == purpose)
    }
}

/// True if OpenAI and Anthropic accept the name: 1 to 64 of `[A-Za-z0-9_-]`.
pub(crate) fn is_legal_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= NAME_CHARS && name.bytes().all(is_name_byte)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn made_legal(wanted: &str) -> String {
    let legal_char = |c: char| if u8::try_from(c).is_ok_and(is_name_byte) { c } else { '_' };
    let legal: String = wanted.chars().take(NAME_CHARS).map(legal_char).collect();
    if legal.is_empty() { "_".into() } else { legal }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_legal_once_and_stay_apart() {
        let offer = Offer::new([
            Tool::new("filesystem.write_file"),
            Tool::new("filesystem_write_file"),
            Tool::new("filesystem write_file"),
            Tool::new(""),
            Tool::new(&"é".repeat(80)),
        ]);
        let names: Vec<_> = offer.tools().iter().map(|tool| &*tool.name).collect();
        assert_eq!(
            names,
            [
                "filesystem_write_file",
                "filesystem_write_file_2",
                "filesystem_write_file_3",
                "_",
                &"_".repeat(64)
            ]
        );
        assert_eq!(offer.by_original("filesystem.write_file").unwrap().name, offer.tools()[0].name);
        assert_eq!(offer.get("filesystem.write_file"), None);
    }

    /// How many numbered names are tried for these tools. Every name is legal then, and none is there twice.
    fn tried(names: impl Iterator<Item = String>) -> u64 {
        let (mut offer, mut numbers) = (Offer::default(), Numbers::default());
        names.for_each(|name| offer.add(Tool::new(&name), &mut numbers));
        assert_eq!(offer.by_name.len(), offer.tools.len());
        assert!(offer.tools.iter().all(|it| is_legal_name(&it.name)));
        numbers.tried()
    }

    #[test]
    fn four_times_the_tools_are_four_times_the_work() {
        let long = |at: u64| format!("{}{at:05}", "x".repeat(NAME_CHARS - 5));
        type Family<'f> = (&'f str, &'f dyn Fn(u64) -> Vec<String>);
        let families: [Family; 5] = [
            ("one name", &|_| vec!["write".into()]),
            ("names that are one when they are cut", &|at| vec![format!("{}{at}", "x".repeat(NAME_CHARS))]),
            ("long names, each of them twice", &|at| vec![long(at), long(at)]),
            ("a name whose numbers are taken", &|at| vec![format!("write_{at}"), "write".into()]),
            ("names that differ", &|at| vec![format!("tool_{at}")]),
        ];
        for (family, names) in families {
            let of = |tools: u64| tried((0..tools).flat_map(names));
            let (few, many) = (of(2_500), of(10_000));
            assert!(many <= 4 * few + 20, "{family}: {few}, then {many}");
            // Each try finds a free name, or one that another tool has.
            assert!(many <= 2 * 20_000, "{family}: {many}");
        }
    }

    #[test]
    fn a_number_is_the_lowest_that_is_free() {
        let ab = |end: &str| format!("{}{end}", "x".repeat(NAME_CHARS - 2));
        let names = ["a_2".to_owned(), "a".into(), "a".into(), ab("aa"), ab("ab"), ab("aa"), ab("ab")];
        let offer = Offer::new(names.iter().map(|it| Tool::new(it)));
        let names: Vec<_> = offer.tools().iter().map(|it| it.name.to_string()).collect();
        assert_eq!(names, ["a_2", "a", "a_3", &ab("aa"), &ab("ab"), &ab("_2"), &ab("_3")]);
    }

    #[test]
    fn a_call_to_an_illegal_name_gets_the_name_of_the_tool_it_means() {
        let offer = Offer::new([Tool::new("fs_write"), Tool::new("fs.write")]);
        let name = |called: &str| offer.name_called(&called.into());
        assert_eq!(&*name("fs.write"), "fs_write_2");
        assert_eq!(&*name("fs_write"), "fs_write");
        assert_eq!(&*name("no such tool"), "no_such_tool");
        assert_eq!(&*name(""), "_");
    }
}
