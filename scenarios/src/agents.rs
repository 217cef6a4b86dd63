//! Profiles of real agents: what an agent adds to what its model reads, and what its model must do otherwise.
//!
//! An agent wraps results, adds texts of its own in healthy runs, makes requests that are not of the task, and has its
//! own way to end a task. A profile says so (`agents/NAME.toml`, its format is in `docs/agents.md`), so that what is
//! left is what its user and its tools said, or an intervention. It also says how the agent is run.

use std::sync::LazyLock;

pub use learn::{Aside, Healthy, Learnt, Shown, learn};
pub use profile::{Place, Plain, Profile};
pub use read::parse;
pub use run::{Install, Run};
pub use template::{Filling, Hole, Template};

mod drivers;
mod learn;
mod pattern;
mod profile;
mod read;
mod read_run;
mod run;
mod template;

/// The profiles that come with Balk.
///
/// # Panics
///
/// Never: the profiles are a part of the program, and a test reads them.
#[must_use]
pub fn catalogue() -> &'static [Profile] {
    static ALL: LazyLock<Vec<Profile>> = LazyLock::new(|| {
        let read = |(name, text): &(&str, &str)| {
            parse(name, text).unwrap_or_else(|wrong| panic!("a built-in profile is bad:\n{wrong}"))
        };
        FILES.iter().map(read).collect()
    });
    &ALL
}

/// The text of the profile of this agent, if one comes with Balk.
#[must_use]
pub fn source(agent: &str) -> Option<&'static str> {
    let at = catalogue().iter().position(|it| it.agent == agent)?;
    Some(FILES[at].1)
}

/// Healthy work that shows what an agent adds: many turns for one message of its user, and several messages. These are
/// the names of two scenarios and their texts.
pub const HEALTHY: [(&str, &str); 2] = [
    ("long-work", include_str!("../agents/healthy/long-work.toml")),
    ("several-tasks", include_str!("../agents/healthy/several-tasks.toml")),
];

/// The profile of this agent, if one comes with Balk.
#[must_use]
pub fn find(agent: &str) -> Option<&'static Profile> {
    catalogue().iter().find(|it| it.agent == agent)
}

const FILES: [(&str, &str); 11] = [
    ("agents/claude-code.toml", include_str!("../agents/claude-code.toml")),
    ("agents/codex.toml", include_str!("../agents/codex.toml")),
    ("agents/gemini-cli.toml", include_str!("../agents/gemini-cli.toml")),
    ("agents/langchain.toml", include_str!("../agents/langchain.toml")),
    ("agents/langchain-anthropic.toml", include_str!("../agents/langchain-anthropic.toml")),
    ("agents/mini-swe-agent.toml", include_str!("../agents/mini-swe-agent.toml")),
    ("agents/openai-agents.toml", include_str!("../agents/openai-agents.toml")),
    ("agents/openai-agents-chat.toml", include_str!("../agents/openai-agents-chat.toml")),
    ("agents/opencode.toml", include_str!("../agents/opencode.toml")),
    ("agents/pydantic-ai.toml", include_str!("../agents/pydantic-ai.toml")),
    ("agents/qwen-code.toml", include_str!("../agents/qwen-code.toml")),
];

#[cfg(test)]
mod tests;
