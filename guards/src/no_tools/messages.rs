//! What the guard says, to the model and to the user.

use std::fmt::Write;
use std::sync::Arc;

use super::instead::Instead;
use super::{EXAMPLES, Mistake, NoTools};
use balk_contract::wording::{list, times};
use balk_contract::{Choice, Completion, Note, Protocol, Question};

impl NoTools {
    fn tool_names(&self) -> String {
        let names: Vec<String> = self.state.tools.iter().map(|name| format!("`{name}`")).collect();
        list(&names, EXAMPLES)
    }

    pub(super) fn correction(&self, mistake: Mistake, completion: &Completion) -> Note {
        let (count, limit) = (self.state.mistakes, self.settings.limit);
        let counted = match self.state.spoken {
            0 => String::new(),
            before => format!(" (reminder {})", before.saturating_add(1)),
        };
        if let Some(message) = &self.settings.message {
            let text = message
                .replace("{tools}", &self.tool_names())
                .replace("{count}", &count.to_string())
                .replace("{limit}", &limit.to_string());
            return self.note("message", text + &counted);
        }
        let text = completion.texts().last().map_or("", |text| &**text);
        let (rule, seen) = match mistake {
            Mistake::TextOnly(instead) => ("no-call", self.seen(instead, text)),
            Mistake::ThinkingOnly => {
                ("thinking-only", "Your last turn is only thinking, with neither an answer nor a call")
            }
        };
        // Where text may end the task, one correction is all there is for words.
        let is_counted = self.state.protocol == Protocol::Tool || mistake == Mistake::ThinkingOnly;
        let is_last = is_counted && count.saturating_add(1) >= limit;
        let last = if is_last { " The next time, the user is asked instead." } else { "" };
        let call = self.call(mistake, text);
        let done = match mistake {
            Mistake::TextOnly(_) if self.state.tools.is_empty() => format!(" {}.", self.way_out()),
            Mistake::TextOnly(instead) if count > 1 && self.may_be_done(instead, text) => {
                format!(" {}.", self.way_out())
            }
            Mistake::ThinkingOnly
                if self.state.protocol == Protocol::Text && !self.state.request.is_open("") =>
            {
                format!(" {}.", self.way_out())
            }
            Mistake::TextOnly(_) | Mistake::ThinkingOnly => String::new(),
        };
        let text = match self.state.reminders % 2 {
            0 => format!("{seen}{counted}. {call}{done}{last}"),
            _ => format!(
                "Again you called no tool{in_a_row}{counted}. Words do nothing here, only calls do. {call}{done}{last}",
                in_a_row = if count > 1 { format!(", {} in a row", times(count)) } else { String::new() },
            ),
        };
        self.note(rule, text)
    }

    /// Whether the task may be done: the text reads as a report, the transcript does not contradict it, and all that
    /// the request names was touched.
    fn may_be_done(&self, instead: Instead, text: &str) -> bool {
        let request = &self.state.request;
        if self.state.dispute.is_made_again() {
            return false;
        }
        match instead {
            Instead::Reports => request.called && !request.is_open(text),
            Instead::Claims => request.changed && !request.contradicts_work(text) && !request.is_open(text),
            Instead::PrintsCall
            | Instead::Announces
            | Instead::Denies
            | Instead::ShowsCode
            | Instead::Lists
            | Instead::Asks => false,
        }
    }

    /// Asks for the call, and shows its form.
    fn call(&self, mistake: Mistake, text: &str) -> String {
        if self.state.tools.is_empty() {
            return "Make the next call now.".into();
        }
        // A printed call has the form; what it lacks is to be a call.
        if mistake == Mistake::TextOnly(Instead::PrintsCall) && !self.settings.text_form {
            return "Make the next call now, with all its arguments.".into();
        }
        let pointed = self.pointed(mistake, text);
        let (name, needed) =
            match pointed.and_then(|at| self.state.tools.get(at).zip(self.state.needed.get(at))) {
                Some((name, needed)) => (&**name, &**needed),
                None => ("", &[][..]),
            };
        format!("Make the next call now, in this form, with all its arguments: {}", self.form(name, needed))
    }

    /// The form of a call of this tool, or of any: models call the tool that is named
    /// (`docs/reactions.md#a-small-live-model`).
    fn form(&self, tool: &str, needed: &[Arc<str>]) -> String {
        let mut form = String::new();
        let any: [Arc<str>; 1] = ["argument".into()];
        let needed = if tool.is_empty() || needed.is_empty() { &any } else { needed };
        let written = if self.settings.text_form {
            let name = if tool.is_empty() { "tool_name" } else { tool };
            let begun = write!(form, "<{name}>");
            needed
                .iter()
                .fold(begun, |ok, it| ok.and(write!(form, "<{it}>…</{it}>")))
                .and(write!(form, "</{name}>"))
        } else {
            let name = if tool.is_empty() { "the tool's name" } else { tool };
            let begun = write!(form, "{{\"name\": \"{name}\", \"arguments\": {{");
            let member = |(nth, it): (usize, &Arc<str>)| {
                format!("{}\"{it}\": \"…\"", if nth == 0 { "" } else { ", " })
            };
            needed
                .iter()
                .enumerate()
                .map(member)
                .fold(begun, |ok, it| ok.and(write!(form, "{it}")))
                .and(write!(form, "}}}}"))
        };
        written.expect("writing to a string never fails");
        form
    }

    /// The tool that the evidence points to: the one that the model's own text names last, else the one that failed
    /// before it showed code.
    fn pointed(&self, mistake: Mistake, text: &str) -> Option<usize> {
        let names = || self.state.tools.iter().enumerate();
        let last = names().filter_map(|(at, name)| Some((mention(text, name)?, at))).max();
        let failed = || {
            let failing = self.state.failing.as_ref()?;
            let shows = mistake == Mistake::TextOnly(Instead::ShowsCode);
            names().find(|(_, name)| shows && *name == failing).map(|(at, _)| at)
        };
        last.map(|(_, at)| at).or_else(failed)
    }

    /// What was wrong with the last message.
    fn seen(&self, instead: Instead, text: &str) -> &'static str {
        match instead {
            Instead::Claims | Instead::Reports if self.state.dispute.is_made_again() => {
                "Your last message says again what the user disputes, but your calls only looked, and what they saw \
                 is the same as before. Nothing was changed"
            }
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
            Instead::Lists if self.state.instead[0] == Some(Instead::Lists) => {
                "Your last message is a plan again and calls no tool, so no step of it was done"
            }
            Instead::Asks if self.state.nudge.is_some() || self.state.allowed.is_some() => {
                "The user has answered already: go on. Your last message calls no tool, so nothing was done"
            }
            Instead::Claims
                if self.state.request.contradicts_work(text)
                    || self.state.request.contradicts_change(text) =>
            {
                "Your last message says that work is done, but no call of yours has done it"
            }
            Instead::Reports if self.state.request.named_in(text).untouched => {
                "Your last message speaks about a file that no call of yours has touched, and calls no tool, so \
                 nothing was done"
            }
            Instead::Claims | Instead::Lists | Instead::Asks | Instead::Reports => {
                "Your last message calls no tool, so nothing was done"
            }
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

    /// What the user should know about the last message, beside that it calls nothing (spec C2, T3).
    fn for_the_user(&self, mistake: Mistake) -> &'static str {
        match mistake {
            Mistake::TextOnly(Instead::Claims | Instead::Reports) if self.state.dispute.is_made_again() => {
                ". It says that work is done, but the tools only looked"
            }
            Mistake::TextOnly(Instead::Claims) => ". It says that work is done, but no tool did it",
            Mistake::TextOnly(Instead::Denies) => ". It says that it has no access, but the tools are there",
            Mistake::TextOnly(Instead::ShowsCode) => ". It shows code, and writes no file",
            Mistake::TextOnly(
                Instead::PrintsCall | Instead::Announces | Instead::Lists | Instead::Asks | Instead::Reports,
            )
            | Mistake::ThinkingOnly => "",
        }
    }

    pub(super) fn question(&self, mistake: Mistake) -> Question {
        let reminded = match self.state.reminders {
            0 => String::new(),
            1 => ", and one reminder did not help".into(),
            many => format!(", and {many} reminders did not help"),
        };
        let asked = match self.state.questions {
            0 => String::new(),
            before => format!(" (question {})", before.saturating_add(1)),
        };
        let text = format!(
            "The model is stuck: {}{reminded}{asked}{}. How should it continue?",
            self.messages_in_a_row(),
            self.for_the_user(mistake)
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

/// Where a text last names a tool: between marks of code or quotation, or by a name that no common word has.
fn mention(text: &str, name: &str) -> Option<usize> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let is_no_word = name.contains(['_', '-']) || name.chars().skip(1).any(|c| c.is_ascii_uppercase());
    let is_named = |(at, _): &(usize, &str)| {
        let (before, after) = (&text[..*at], &text[at + name.len()..]);
        let is_whole = !before.ends_with(is_of_name) && !after.starts_with(is_of_name);
        let is_marked = before.ends_with(['`', '"', '<', '「', '“']) || after.starts_with('(');
        is_whole && (is_no_word || is_marked)
    };
    text.match_indices(name).filter(is_named).last().map(|(at, _)| at)
}

impl NoTools {
    /// What the user is told at the end of a run that they or the model ended; `None` if nothing is known to be open.
    pub(super) fn open_request(&self) -> Option<String> {
        let request = &self.state.request;
        let mut open = request.still_open(self.state.said[1].as_deref());
        if self.leaves_it_to_the_user() {
            // The user has just read what is not done and what it waits for.
            open.files.clear();
        }
        if open.is_empty() || !self.state.changes {
            return None;
        }
        let mut said = String::from("The run has ended, and something that your request names may be open.");
        let parts = [
            (&open.failed, "Failed when it last ran"),
            (&open.never_ran, "Not run"),
            (&open.files, "Not named in any call that worked"),
        ];
        for (all, what) in parts.into_iter().filter(|(all, _)| !all.is_empty()) {
            let all: Vec<String> = all.iter().map(|it| format!("`{it}`")).collect();
            _ = write!(said, " {what}: {}.", list(&all, EXAMPLES));
        }
        Some(said)
    }
}
