//! The texts of the guard: what was observed, and another kind of step.

use super::finding::{Finding, Rule};
use super::last_error::LastError;
use super::offer_index::OfferIndex;
use balk_contract::ToolCall;
use balk_contract::wording::times;

/// A finding, its call (if it is about one), and the names that may be mentioned.
pub(super) struct Messages<'w> {
    pub(super) finding: &'w Finding,
    pub(super) call: Option<&'w ToolCall>,
    pub(super) offer: &'w OfferIndex,
    pub(super) error: &'w LastError,
    /// Interventions of this run, including this one.
    pub(super) number: u32,
}

impl Messages<'_> {
    /// Other calls with the same answer.
    fn answered(&self, tool: &str, how_often: &str) -> String {
        if self.finding.is_consent {
            return format!("the user was asked {how_often} with {tool}, and said yes each time");
        }
        if self.finding.is_same && self.finding.is_near {
            return format!(
                "{tool} was used {how_often} on the same element, which has a new reference each time, and the page \
                 is as it was before"
            );
        }
        if self.finding.is_same {
            return format!(
                "{tool} was asked the same {how_often} in other spellings or another order of the words, and gave an \
                 answer that came before"
            );
        }
        let got =
            if self.finding.varies { "only answers that came before" } else { "exactly the same answer" };
        format!(
            "{} calls of {tool} in a row differed from each other and got {got}, so another of them will hardly get a \
             better one",
            self.finding.seen
        )
    }

    /// What was observed, without a final full stop.
    fn observed(&self) -> String {
        let Finding { seen, period, is_sure, .. } = *self.finding;
        let tool = self.call.map_or_else(|| "a tool".into(), |call| self.offer.tool(call));
        let how_often = times(seen);
        // If a tool of unknown effect ran, only this much is certain.
        let still = if is_sure { "nothing has changed" } else { "nothing in between has changed its answer" };
        match self.finding.rule {
            Rule::Waiting => self.waited(&tool, &how_often),
            Rule::UnknownTool => format!(
                "{seen} rounds in a row called tools that do not exist here. The tools that exist are {}",
                self.offer.some()
            ),
            Rule::Arguments => format!(
                "{seen} calls of {tool} in a row had invalid arguments: they must be one JSON object{}",
                self.call
                    .and_then(|call| self.offer.needed_by(&call.tool))
                    .map_or_else(String::new, |needed| { format!(" with {needed} in it") })
            ),
            Rule::Finish => format!(
                "the task was declared finished with {tool} {how_often} and refused each time, with no change in \
                 between"
            ),
            Rule::Growing => format!(
                "{seen} calls of {tool} in a row each added something to the call before, and the answer stayed \
                 the same"
            ),
            Rule::Cycle => format!(
                "the same {period} steps, {tool} among them, were taken {} with {}; {still}",
                times(seen / period),
                if self.finding.varies { "answers that had come before" } else { "the same answers" }
            ),
            Rule::Rewrite => format!(
                "{tool} restored an earlier version of the same file {how_often} in a row: it was changed, \
                 changed back, and changed again"
            ),
            Rule::NoOp => format!(
                "{tool} wrote what the file already contains, {how_often} in a row: it worked, but changed nothing"
            ),
            Rule::Rewriting => {
                format!("{tool} wrote the same again {how_often} in a row, and nothing else was done")
            }
            Rule::Persisting => self.persisted(&tool, &how_often),
            Rule::Repeat => self.repeated(&tool, &how_often, still),
            Rule::NearCall => format!(
                "{seen} calls of {tool} in a row with nearly the same arguments got exactly the same {}, so the \
                 differences did not matter",
                if self.finding.failed { "error" } else { "answer" }
            ),
            Rule::SameFailure => format!(
                "{seen} calls{} of {tool} with different arguments failed in {}, so the differences between them \
                 are not the cause",
                if self.finding.varies { " or more" } else { "" },
                if self.finding.varies { "one of a few ways" } else { "the same way" }
            ),
            Rule::SameAnswer => self.answered(&tool, &how_often),
            Rule::Wandering => format!(
                "at least {seen} steps returned only what is already above, and nothing changed in between"
            ),
            Rule::RefusedReplies => format!(
                "the last {seen} replies called no tool and got the same answer: they are not accepted in this form"
            ),
            Rule::RepeatedText => format!(
                "the same text, or one that begins the same, was sent {how_often}, with no tool call in between"
            ),
        }
    }

    /// What was observed of a call that looks at something.
    fn waited(&self, tool: &str, how_often: &str) -> String {
        if self.finding.is_same {
            return format!(
                "{tool} did nothing but pause {how_often} in a row, and looked at nothing in between"
            );
        }
        let still = if self.finding.is_still {
            ", and the answer did not change but for times and ids, so nothing shows that it is alive"
        } else {
            ""
        };
        format!("the same call of {tool} was made {how_often} while something was still running{still}")
    }

    /// What was observed of a failure that outlasts changes.
    fn persisted(&self, tool: &str, how_often: &str) -> String {
        let failed = if self.finding.varies {
            format!("failed in one of a few ways, {how_often} or more")
        } else {
            format!("failed in the same way {how_often}")
        };
        let what = if self.finding.is_near {
            format!("calls of {tool} in several spellings")
        } else {
            format!("the same call of {tool}")
        };
        format!("{what} {failed}, whatever was changed in between")
    }

    /// What was observed of a call that came back.
    fn repeated(&self, tool: &str, how_often: &str, still: &str) -> String {
        if self.finding.only_failures {
            let last = if self.finding.is_near {
                format!("nearly the same call of {tool} as one that")
            } else {
                format!("a call of {tool} that")
            };
            return format!(
                "{} steps in a row failed, and the last of them was {last} had failed in the same way before",
                self.finding.seen
            );
        }
        format!(
            "the same call of {tool} was made {how_often}, with other steps in between or beside it, and gave the \
             same answer each time; {still}"
        )
    }

    /// What the calls said, where they failed.
    fn cause(&self) -> String {
        let line = match self.call.filter(|_| self.finding.failed) {
            Some(_) if self.finding.rule == Rule::Cycle => self.error.line(),
            Some(call) => self.error.line_of(&call.tool),
            None => None,
        };
        line.map_or_else(String::new, |line| format!(" The last error was: {line}."))
    }

    /// Another kind of step.
    fn instead(&self) -> String {
        // A model takes every way out that a message names (`docs/reactions.md#ways-out`), so one is only named where a
        // failure says that something may be missing.
        let last_resort = if self.finding.failed {
            "If something that you need is missing, say so and name it."
        } else {
            ""
        };
        let step = match self.finding.rule {
            Rule::Waiting => self.instead_of_waiting(),
            Rule::UnknownTool => format!("Use one of these, by its exact name. {last_resort}"),
            Rule::Arguments => format!(
                "Read the error, rewrite the arguments from the tool's description, and send less at a time \
                 if they were cut off. {last_resort}"
            ),
            Rule::Finish => format!(
                "Read why it was refused and do what is left, with a change or a test, before you declare it \
                 finished again. {last_resort}"
            ),
            Rule::Growing => format!(
                "Try a different kind of step: start with the smallest call that shows the cause, or reach the \
                 goal another way. {last_resort}"
            ),
            Rule::Cycle | Rule::Repeat => format!("{} {last_resort}", self.instead_of_going_round()),
            Rule::Rewriting => format!("{} {last_resort}", self.instead_of_rewriting()),
            Rule::Persisting if self.finding.is_whole => format!(
                "What this call does is all in its arguments, so the same arguments fail again. Find out with a \
                 read-only call what the failure depends on, and change them. {last_resort}"
            ),
            Rule::Persisting => {
                "Do not change anything yet: first look with a read-only call at what the failure \
                 depends on (the values, the test itself, the file that really runs)."
                    .to_owned()
            }
            Rule::NoOp => format!(
                "That step is done. Continue with the next one, or check its effect with a read-only call. \
                 {last_resort}"
            ),
            Rule::Rewrite => format!(
                "Try a different kind of step: neither version works, so find out why with a read-only call, \
                 and then make a third one. {last_resort}"
            ),
            Rule::SameAnswer if self.finding.is_consent => {
                "Do not ask again. Do now what you asked about, with the tool that does it.".to_owned()
            }
            Rule::SameAnswer => format!(
                "Try a different kind of step: find out with a read-only call why that place answers so, look in \
                 another place, or use what you know and continue. {last_resort}"
            ),
            Rule::NearCall | Rule::SameFailure => format!(
                "Try a different kind of step: find the cause with a read-only call, or reach the goal \
                 another way. {last_resort}"
            ),
            Rule::Wandering => format!(
                "Try a different kind of step: write down what you know and act on it, with a change or a test, \
                 or ask one narrower question. {last_resort}"
            ),
            Rule::RefusedReplies => format!(
                "Read what the answer asks for, and send exactly that: one call in the form that it names, and \
                 nothing else. {last_resort}"
            ),
            Rule::RepeatedText => format!("Do what the text says: call a tool. {last_resort}"),
        };
        step.trim_end().to_owned()
    }

    /// What to do instead of the same once more.
    fn instead_of_going_round(&self) -> &'static str {
        if self.finding.failed {
            "Try a different kind of step: find out with a read-only call what the failure depends on, change that and \
             check the effect."
        } else {
            "Try a different kind of step: change something that the answer depends on and check the effect, or use \
             what you know and continue."
        }
    }

    /// What to do instead of looking again.
    fn instead_of_waiting(&self) -> String {
        if self.finding.is_still {
            return "Find out with another call whether it runs at all, and what it waits for: look at its log, at its \
                    queue, at what it needs. If it is alive, make one call that waits until it is done."
                .to_owned();
        }
        let ask = self.offer.ask();
        format!(
            "Checking again does not make it faster. Make one call that waits until it is done, or do work that does \
             not depend on it. If it should be done by now, {ask} or say what you are waiting for."
        )
    }

    /// What to do instead of writing once more.
    fn instead_of_rewriting(&self) -> &'static str {
        if self.finding.is_unread {
            "Find out what it still lacks before you write it again: check its effect with a read-only call or a test. \
             If it is a plan, it is good enough: take the first step that it names."
        } else {
            "It is good enough to act on. Take the first step that it names, with another tool or in another file."
        }
    }

    /// The first step.
    pub(super) fn note(&self) -> String {
        format!(
            "Observation {} of this run: {}.{} {}",
            self.number,
            self.observed(),
            self.cause(),
            self.instead()
        )
    }

    /// The last warning.
    pub(super) fn warning(&self) -> String {
        let what = match self.finding.rule {
            Rule::Persisting => "It runs again after you have looked for the cause.",
            Rule::Rewriting => "Leave it as it is until something else is done.",
            Rule::NearCall | Rule::SameFailure | Rule::SameAnswer => {
                "Calls of this tool run again after you take another step."
            }
            Rule::UnknownTool | Rule::Arguments | Rule::RefusedReplies => "",
            Rule::Finish => "It is accepted again once something has changed.",
            Rule::Growing => "Do not make it longer again.",
            Rule::RepeatedText => "Do not say it again.",
            Rule::Waiting | Rule::Cycle | Rule::Rewrite | Rule::NoOp | Rule::Repeat | Rule::Wandering => {
                "Do not send this call again with the same arguments until something has changed."
            }
        };
        let gap = if what.is_empty() { "" } else { " " };
        format!(
            "{} (observation {} of this run).{} {}{gap}{what} This is the last warning: the next time, the user \
             is asked instead.",
            self.observed(),
            self.number,
            self.cause(),
            self.instead()
        )
    }

    /// The question to the user.
    pub(super) fn question(&self) -> String {
        format!(
            "The model makes no progress, although it was warned: {} (observation {} of this run). What should it \
             do?",
            self.observed(),
            self.number
        )
    }

    /// Why the run ends.
    pub(super) fn stop(&self) -> String {
        format!(
            "Stopped before the goal was reached: {}. This continued after a last warning and after a question.",
            self.observed()
        )
    }
}
