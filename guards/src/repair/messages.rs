//! What the guard says, to the model and to the user.

use std::collections::BTreeSet;

use super::CallRepair;
use super::names::near;
use super::offered::Offered;
use super::rule::{ARGUMENTS, PRINTED, UNKNOWN};
use balk_contract::wording::{excerpt, list, one_line, times};
use balk_contract::{Choice, Completion, Note, Question, Subject, ToolCall};

/// Tools that a message lists, members that it lists, and characters of a call that it quotes.
const TOOLS: usize = 8;
const MEMBERS: usize = 8;
const CHARS: usize = 200;

impl CallRepair {
    /// The tools of these calls, each once.
    fn tools(completion: &Completion, which: impl Fn(usize) -> bool) -> String {
        let mut known = BTreeSet::new();
        let calls = completion.calls.iter().enumerate().filter(|(at, _)| which(*at));
        let tools = calls.map(|(_, call)| &*call.tool).filter(|it| known.insert(*it));
        let names: Vec<String> = tools.map(|it| format!("`{it}`")).collect();
        list(&names, TOOLS)
    }

    /// Tells repairs of one run apart.
    fn number(&self) -> String {
        match self.state.repairs {
            0 => String::new(),
            before => format!(" (repair {})", before.saturating_add(1)),
        }
    }

    pub(super) fn made(
        &self,
        rule: &'static str,
        completion: &Completion,
        which: impl Fn(usize) -> bool,
    ) -> Note {
        let (tools, number) = (Self::tools(completion, which), self.number());
        let text = match rule {
            PRINTED => format!("A printed call of {tools} was made a call{number}."),
            ARGUMENTS => {
                format!("The arguments of a call of {tools} were nearly JSON and were mended{number}.")
            }
            _ => format!("A call under another spelling was made as a call of {tools}{number}."),
        };
        self.note(rule, self.state.repairs, Subject::Run, text)
    }

    /// What the user is told of a repair that may change something.
    pub(super) fn notice(
        &self,
        rule: &'static str,
        completion: &Completion,
        which: impl Fn(usize) -> bool,
    ) -> Note {
        let (tools, number) = (Self::tools(completion, which), self.number());
        let text = match rule {
            PRINTED => format!(
                "The model wrote a call of {tools} into its message instead of making it. The call is made for \
                 it{number}."
            ),
            ARGUMENTS => format!(
                "The model called {tools} with arguments that are not quite JSON. They are mended, and the call is \
                 made{number}."
            ),
            _ => format!(
                "The model misspelt the name of {tools}. The call is made under the right name{number}."
            ),
        };
        self.note(rule, self.state.repairs, Subject::Run, text)
    }

    pub(super) fn question(&self, call: &ToolCall) -> Question {
        let before = match self.state.questions {
            0 => String::new(),
            before => format!(" You were asked {} before.", times(before)),
        };
        let text = format!(
            "The model wrote this call of `{}` into its message and did not make it: {}. It may be meant as an \
             example, and it may change something.{before} Should the model make it?",
            call.tool,
            one_line(&call.arguments, CHARS)
        );
        Question {
            note: self.note(PRINTED, self.state.questions, Subject::Call(call.key), text),
            options: vec![
                Choice::go_on("yes, make this call"),
                Choice::instruct("say what to do instead"),
                Choice::stop(),
            ],
        }
    }

    fn refused_before(&self) -> String {
        match self.state.refused {
            0 => String::new(),
            before => format!(" This has happened {} before.", times(before)),
        }
    }

    /// The result of a call whose name is not on offer.
    pub(super) fn unknown(&self, call: &ToolCall) -> Note {
        let names: Vec<String> =
            near(&call.tool, &self.state.offered).iter().map(|it| format!("`{}`", it.name)).collect();
        let text = format!(
            "No tool has this name, so nothing ran.{} Nearly the same name: {}.",
            self.refused_before(),
            list(&names, TOOLS)
        );
        self.note(UNKNOWN, self.state.refused, Subject::Call(call.key), text)
    }

    /// The result of a call whose name is not on offer and near none, where these tools take what it gives. One has its
    /// form shown; of two, the model knows which it means.
    pub(super) fn alike(&self, call: &ToolCall, tools: &[&Offered]) -> Note {
        let names: Vec<String> = tools.iter().map(|it| format!("`{}`", it.name)).collect();
        let form = match tools {
            [only] if !only.required.is_empty() => {
                let members = only.required.iter().take(MEMBERS);
                let members: Vec<String> = members.map(|it| format!("\"{it}\": \"…\"")).collect();
                format!(
                    " Its form: {{\"name\": \"{}\", \"arguments\": {{{}}}}}",
                    only.name,
                    members.join(", ")
                )
            }
            _ => String::new(),
        };
        let text = format!(
            "No tool has this name, and none has the names that were called before it, so nothing ran.{} What \
             this call gives is taken by {}.{form}",
            self.refused_before(),
            names.join(" and ")
        );
        self.note(UNKNOWN, self.state.refused, Subject::Call(call.key), text)
    }

    /// The result of a call whose arguments cannot be read.
    pub(super) fn unreadable(&self, call: &ToolCall, tool: &Offered) -> Note {
        let members: Vec<String> = tool.required.iter().map(|it| format!("`{it}`")).collect();
        let with = match members.is_empty() {
            true => String::new(),
            false => format!(" with {}", list(&members, MEMBERS)),
        };
        let example: Vec<String> = tool.required.iter().take(2).map(|it| format!("\"{it}\": …")).collect();
        let text = format!(
            "The arguments are not one JSON object, so nothing ran.{} Call `{}` again{with}, in this form, with double \
             quotes and all brackets: {{{}}}",
            self.refused_before(),
            tool.name,
            excerpt(&example.join(", "), CHARS)
        );
        self.note(ARGUMENTS, self.state.refused, Subject::Call(call.key), text)
    }
}
