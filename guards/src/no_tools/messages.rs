//! What the guard says, to the model and to the user.

use super::instead::Instead;
use super::{EXAMPLES, Mistake, NoTools};
use balk_contract::wording::{list, times};
use balk_contract::{Choice, Note, Protocol, Question};

impl NoTools {
    fn tool_names(&self) -> String {
        let names: Vec<String> = self.state.tools.iter().map(|name| format!("`{name}`")).collect();
        list(&names, EXAMPLES)
    }

    pub(super) fn correction(&self, mistake: Mistake) -> Note {
        let (count, limit) = (self.state.mistakes, self.settings.limit);
        let counted = match self.state.spoken {
            0 => String::new(),
            before => format!(" (reminder {})", before + 1),
        };
        if let Some(message) = &self.settings.message {
            let text = message
                .replace("{tools}", &self.tool_names())
                .replace("{count}", &count.to_string())
                .replace("{limit}", &limit.to_string());
            return self.note("message", text + &counted);
        }
        let (rule, seen) = match mistake {
            Mistake::TextOnly(instead) => ("no-call", self.seen(instead)),
            Mistake::ThinkingOnly => {
                ("thinking-only", "Your last turn is only thinking, with neither an answer nor a call")
            }
        };
        let last = if count + 1 >= limit { " The next time, the user is asked instead." } else { "" };
        let tools = self.tool_names();
        let call = match tools.is_empty() {
            true => "Make the next call now.".into(),
            false => format!("Make the next call now, with all its arguments. The tools are {tools}."),
        };
        let done = match mistake {
            Mistake::TextOnly(_) if tools.is_empty() => format!(" {}.", self.way_out()),
            Mistake::TextOnly(Instead::Reports) if self.state.called && count > 1 => {
                format!(" {}.", self.way_out())
            }
            Mistake::ThinkingOnly if self.state.protocol == Protocol::Text => format!(" {}.", self.way_out()),
            Mistake::TextOnly(_) | Mistake::ThinkingOnly => String::new(),
        };
        let text = match self.state.spoken % 2 {
            0 => format!("{seen}{counted}. {call}{done}{last}"),
            _ => format!(
                "Again you called no tool{in_a_row}{counted}. Words do nothing here, only calls do. {call}{done}{last}",
                in_a_row = if count > 1 { format!(", {} in a row", times(count)) } else { String::new() },
            ),
        };
        self.note(rule, text)
    }

    /// What was wrong with the last message.
    fn seen(&self, instead: Instead) -> &'static str {
        match instead {
            Instead::PrintsCall => {
                "Your last message only prints a call, as text, so nothing was done. Send it as a real tool call"
            }
            Instead::Announces => {
                "Your last message says what you will do and calls no tool, so nothing was done"
            }
            Instead::Denies => "You do have tools here, and they work. Your last message calls none of them",
            Instead::ShowsCode => {
                "Your last message shows text that the user would have to copy, and calls no tool, so nothing was done"
            }
            Instead::Asks if self.state.nudge.is_some() => {
                "The user has answered already: go on. Your last message calls no tool, so nothing was done"
            }
            Instead::Asks | Instead::Reports => "Your last message calls no tool, so nothing was done",
        }
    }

    /// How the model ends the task, if it is done.
    fn way_out(&self) -> String {
        match &self.state.finish {
            Some(finish) => format!("If all of the task is done, call `{finish}`"),
            None => "If all of the task is done, say so and give the result".into(),
        }
    }

    fn messages_in_a_row(&self) -> String {
        match self.state.mistakes {
            1 => "the last message calls no tool".into(),
            many => format!("{many} messages in a row call no tool"),
        }
    }

    pub(super) fn question(&self) -> Question {
        let reminded = match self.state.reminders {
            0 => String::new(),
            1 => ", and one reminder did not help".into(),
            many => format!(", and {many} reminders did not help"),
        };
        let asked = match self.state.questions {
            0 => String::new(),
            before => format!(" (question {})", before + 1),
        };
        let text = format!(
            "The model is stuck: {}{reminded}{asked}. How should it continue?",
            self.messages_in_a_row()
        );
        Question {
            note: self.note("limit", text),
            options: vec![
                Choice::instruct("adjust the instructions"),
                Choice::switch_model(),
                Choice::go_on("continue anyway"),
            ],
        }
    }

    pub(super) fn stop(&self) -> Note {
        let text = format!(
            "Stopped: {}, and the user was asked {}.",
            self.messages_in_a_row(),
            times(self.state.questions),
        );
        self.note("questions-spent", text)
    }
}
