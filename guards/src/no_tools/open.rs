//! What the user's request names and no call has done: files that no call names, and commands that never ran or failed
//! when they last ran. This is read from the request and from the calls alone, in any language.

use std::ops::RangeInclusive;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::vocabulary::{List, Words, plain};
use crate::failure::is_failure;
use crate::files::{files, named};
use crate::search::is_question;
use crate::sentences::sentences;
use balk_contract::key::ToolKey;
use balk_contract::nudge::{is_closing, is_short};
use balk_contract::{Effect, Origin, ToolResult};

/// The longest request, in bytes, that is searched: what a longer one names is often only quoted.
const REQUEST_BYTES: usize = 2_000;
/// Commands of a request that are remembered, and files that are told.
const COMMANDS: usize = 4;
const FILES: usize = 8;
/// How long a command is, in bytes, and the most bytes that a call has beside the command that it runs.
const COMMAND_BYTES: RangeInclusive<usize> = 4..=80;
const CALL_BYTES: usize = 200;
/// The longest arguments, in bytes, that are searched whole for files.
const SEARCHED: usize = 512;

/// What the last request that names something names, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Open {
    /// The request; empty if it is long or names nothing.
    request: Arc<str>,
    commands: Vec<Command>,
    /// Whether a call may have named a file where it was not searched.
    hidden: bool,
    /// Whether the user has said something else since, which names nothing.
    is_earlier: bool,
}

/// A command that the request quotes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Command {
    text: String,
    ran: Ran,
}

/// What came of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Ran {
    /// It did not run since the request.
    Never,
    /// It failed when this tool last ran it, and no other call of the tool has worked since.
    Failed(ToolKey),
    /// It failed when this tool last ran it, and another call of the tool has worked since: perhaps another way.
    Replaced(ToolKey),
    /// Anything else.
    Fine,
}

/// What is open at the end, as the request writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct StillOpen<'a> {
    pub(super) failed: Vec<&'a str>,
    pub(super) never_ran: Vec<&'a str>,
    pub(super) files: Vec<&'a str>,
}

impl StillOpen<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.failed.is_empty() && self.never_ran.is_empty() && self.files.is_empty()
    }
}

impl Open {
    /// The user speaks. A short message that names nothing leaves open what was open before.
    pub(super) fn begin(&mut self, text: &Arc<str>) {
        let searched = if text.len() <= REQUEST_BYTES { &**text } else { "" };
        let names_nothing = named(searched).next().is_none() && commands(searched).next().is_none();
        if names_nothing && is_short(text) && !is_closing(text) {
            self.is_earlier = true;
            return;
        }
        self.request = if names_nothing { Arc::default() } else { text.clone() };
        self.commands.clear();
        self.commands.extend(commands(searched));
        (self.hidden, self.is_earlier) = (false, false);
    }

    /// Whether the request is not the user's last message but for nudges.
    pub(super) fn is_earlier(&self) -> bool {
        self.is_earlier
    }

    /// A call has a result.
    pub(super) fn observe(&mut self, result: &ToolResult) {
        self.hidden |= result.call.effect == Effect::Unknown && result.call.arguments.len() > SEARCHED;
        self.commands.iter_mut().for_each(|command| command.observe(result));
    }

    /// What is open, where it is known which files calls named. Files are only told if no call named any of those in
    /// the request, or if the model speaks of them: others may just say where something is.
    pub(super) fn still(&self, is_named: impl Fn(u64) -> bool, last: Option<&str>) -> StillOpen<'_> {
        let that = |is_so: fn(Ran) -> bool| {
            self.commands.iter().filter(|it| is_so(it.ran)).map(|it| &*it.text).collect()
        };
        let is_none_named = !named(&self.request).any(|(file, _)| is_named(file));
        let is_said = |file| last.is_some_and(|text| files(text).any(|it| it == file));
        let is_open = |(file, _): &(u64, &str)| !is_named(*file) && (is_none_named || is_said(*file));
        let open = wanted(&self.request).filter(is_open).map(|(_, name)| name);
        let mut files: Vec<&str> = open.take(if self.hidden { 0 } else { FILES }).collect();
        files.sort_unstable();
        files.dedup();
        StillOpen {
            failed: that(|ran| matches!(ran, Ran::Failed(_))),
            never_ran: that(|ran| ran == Ran::Never),
            files,
        }
    }
}

impl Command {
    /// Folds the result of a call, which may have run this command.
    fn observe(&mut self, result: &ToolResult) {
        let call = &result.call;
        let may_run = matches!(call.effect, Effect::Unknown | Effect::External | Effect::Write);
        if !may_run {
            return;
        }
        let tool = call.tool_key;
        let runs_it =
            call.arguments.len() <= self.text.len() + CALL_BYTES && call.arguments.contains(&*self.text);
        match (result.origin, runs_it, is_failure(result)) {
            (Origin::Executed, true, true) => self.ran = Ran::Failed(tool),
            (Origin::Executed, true, false) => self.ran = Ran::Fine,
            (Origin::Executed, false, false) if self.ran == Ran::Failed(tool) => {
                self.ran = Ran::Replaced(tool)
            }
            // The model wanted it again and was refused, so that was no other way.
            (Origin::Synthetic, true, _) if self.ran == Ran::Replaced(tool) => self.ran = Ran::Failed(tool),
            (Origin::Executed | Origin::Synthetic | Origin::Missing, ..) => {}
        }
    }
}

/// The files that a request names where it asks for work: in a sentence that neither is a question nor asks for words.
fn wanted(request: &str) -> impl Iterator<Item = (u64, &str)> {
    let asks_for_work = |it: &&str| !is_question(it) && !Words::of(&plain(it)).has(List::Explains);
    sentences(request).filter(asks_for_work).flat_map(named)
}

/// The commands that a request quotes in backticks: a program and at least one argument. A single word may be any name,
/// and what has quotation marks looks different in a call.
fn commands(request: &str) -> impl Iterator<Item = Command> + '_ {
    let quoted = request.split('`').skip(1).step_by(2);
    let is_command = |text: &&str| {
        COMMAND_BYTES.contains(&text.len())
            && text.starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '.' | '/'))
            && text.trim().contains(' ')
            && !text.contains(['"', '\\', '\n', '=', '{', ';', '…'])
    };
    quoted.filter(is_command).take(COMMANDS).map(|text| Command { text: text.to_owned(), ran: Ran::Never })
}

#[cfg(test)]
mod tests {
    use super::*;
    use balk_contract::{Offer, RawCall, Status, ToolCall};

    /// A command is refused that failed before another one worked: the user is told of it.
    #[test]
    fn c2_a_command_that_was_wanted_again_and_refused_is_open() {
        let call = |command: &str| {
            let arguments = format!(r#"{{"command":"{command}"}}"#).into();
            let raw = RawCall { id: "1".into(), tool: "bash".into(), arguments };
            Arc::new(ToolCall::new(raw, &Offer::default()))
        };
        let ran = |command, status| ToolResult::executed(&call(command), status, "x");
        let mut open = Open::default();
        open.begin(&"Renewed: `systemctl reload nginx` has to succeed.".into());
        let failed = |open: &Open| open.still(|_| false, None).failed.len();
        open.observe(&ran("systemctl reload nginx", Status::Error));
        assert_eq!(failed(&open), 1);
        open.observe(&ran("nginx -s reload", Status::Ok));
        assert_eq!(failed(&open), 0, "perhaps another way");
        open.observe(&ToolResult::refused(&call("systemctl reload nginx"), "It failed ten times."));
        assert_eq!(failed(&open), 1);
        open.observe(&ran("systemctl reload nginx", Status::Ok));
        assert_eq!(failed(&open), 0);
        open.observe(&ToolResult::refused(&call("systemctl reload nginx"), "It worked."));
        assert_eq!(failed(&open), 0);
    }
}
