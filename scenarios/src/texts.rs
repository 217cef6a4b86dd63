//! Messages of real tools: what `npm`, `git` or a compiler prints, sorted by what it means.
//!
//! The files lie in `scenarios/texts`, embedded in the binary and parsed once. Each [`Tool`] has [`Message`]s, and each
//! message a [`Class`]. Holes such as `{path}` stand for what differs from run to run; [`Message::fill`] fills them.
//! A third of the tools is reserve: no reading may be tuned on their messages.
//!
//! ```
//! use balk_scenarios::Pools;
//! use balk_scenarios::texts::{Class, Wanted};
//!
//! let wanted = Wanted { tool: Some("npm"), ..Wanted::new(Class::TransientNetwork, Pools::Open) };
//! // `below` draws a number below a bound, from the seed in a trial.
//! let mut below = |_bound: usize| 0;
//! let message = wanted.draw(&mut below).expect("npm has such a message");
//! assert!(message.fill(&mut below).contains("network"));
//! ```

use std::sync::LazyLock;

use balk_contract::record::Pools;

pub use class::Class;
pub use hole::Hole;
pub use message::{Message, Tool};
pub use read::parse;

mod class;
mod hole;
mod message;
mod read;

/// The messages that are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// Their class.
    pub class: Class,
    /// The name of the tool; any tool if there is none.
    pub tool: Option<&'a str>,
    /// Their language.
    pub language: &'a str,
    /// Whether they are those of reserved tools, or of the others.
    pub pools: Pools,
}

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        [$((concat!("texts/", $name, ".toml"), include_str!(concat!("../texts/", $name, ".toml")))),+]
    };
}

/// The name and the text of every file.
const FILES: [(&str, &str); 16] = files![
    "agents",
    "browsers",
    "cloud",
    "compilers",
    "containers",
    "databases",
    "files",
    "git",
    "interpreters",
    "linters",
    "network",
    "packages-js",
    "packages-other",
    "packages-python",
    "packages-system",
    "tests",
];

/// All tools, by name.
///
/// # Panics
/// Never: the files are a part of the program, and a test reads them.
#[must_use]
pub fn tools() -> &'static [Tool] {
    static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
        let read = |(name, text)| {
            parse(name, text).unwrap_or_else(|wrong| panic!("a built-in file is bad:\n{wrong}"))
        };
        let mut tools: Vec<Tool> = FILES.into_iter().flat_map(read).collect();
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        tools
    });
    &TOOLS
}

/// The tool of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Tool> {
    let tools = tools();
    tools.binary_search_by(|tool| tool.name.as_str().cmp(name)).ok().map(|at| &tools[at])
}

impl<'a> Wanted<'a> {
    /// English messages of this class, of any tool.
    #[must_use]
    pub const fn new(class: Class, pools: Pools) -> Self {
        Self { class, tool: None, language: "en", pools }
    }

    /// All of them, by tool.
    pub fn all(self) -> impl Iterator<Item = &'static Message> + use<'a> {
        let is_wanted = move |tool: &&Tool| {
            tool.reserve == (self.pools == Pools::Reserve) && self.tool.is_none_or(|name| tool.name == name)
        };
        let messages = tools().iter().filter(is_wanted).flat_map(|tool| &tool.messages);
        messages.filter(move |it| it.class == self.class && it.language == self.language)
    }

    /// One of them; none if there is no such message. `below` draws a number below a bound.
    pub fn draw(self, below: &mut impl FnMut(usize) -> usize) -> Option<&'static Message> {
        let count = self.all().count();
        if count == 0 { None } else { self.all().nth(below(count)) }
    }
}

#[cfg(test)]
mod tests;
