//! What a completion that was sampled after a message does.

use balk_guards::{Completion, Purpose, ToolCall};
use balk_scenarios::{Stuck, Truth};

use super::point::Point;
use crate::live::told;

/// What the model did after a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reaction {
    /// It called a tool.
    pub(super) calls: bool,
    /// The stack repaired it.
    pub(super) repaired: bool,
    /// It did not only send a call again that had moved nothing.
    pub(super) moved: bool,
    /// A call changed the world, or got a result that the messages did not have. A call that ends the task only counts
    /// where the goal holds.
    pub(super) serves: bool,
    /// Whether its first call is of the tool that the message names first, if both are there.
    pub(super) named: Option<bool>,
    /// It says that the task is done.
    pub(super) done: bool,
    /// It says that the task cannot be done.
    pub(super) unable: bool,
}

impl Reaction {
    /// What this completion does here, after a message with these words.
    pub(super) fn of(point: &Point<'_>, completion: &Completion, words: &str) -> Self {
        let offer = point.world().offer();
        let calls = !completion.calls.is_empty();
        let finishes = |call: &ToolCall| {
            let mut tools = offer.tools().iter();
            tools.any(|it| it.name == call.tool && it.purpose == Purpose::Finish)
        };
        // A task that is not done is not served by ending it.
        let helps = point.has_goal() || completion.calls.iter().any(|it| !finishes(it));
        let names = offer.tools().iter().map(|it| &*it.name);
        let named = completion.calls.first().zip(first_named(words, names));
        let truth = point.truth(completion);
        Self {
            calls,
            repaired: false,
            moved: calls && truth != Truth::Stuck(Stuck::IdenticalCall),
            serves: calls && helps && truth == Truth::Productive,
            named: named.map(|(call, name)| *call.tool == *name),
            done: told::claims_done(completion) || completion.calls.iter().any(|it| finishes(it)),
            unable: told::says_unable(completion),
        }
    }
}

/// The one of these names that a text has first, as a whole word.
fn first_named<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let place = |name: &str| {
        let mut found = text.match_indices(name).map(|(at, _)| [&text[..at], &text[at + name.len()..]]);
        let whole = found.find(|[before, after]| !before.ends_with(is_part) && !after.starts_with(is_part));
        whole.map(|[before, _]| before.len())
    };
    names.filter_map(|name| Some((place(name)?, name))).min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_named_by_a_whole_word_and_the_first_one_counts() {
        let named = |text| first_named(text, ["read", "read_file", "ls"].into_iter());
        assert_eq!(named("Call `ls` or read_file, then read."), Some("ls"));
        assert_eq!(named("Use read_file or read."), Some("read_file"));
        assert_eq!(named("Go ahead: spread the false-ls."), None);
    }
}
