//! A request's history as entries of a run.

use std::collections::BTreeSet;
use std::sync::Arc;

use balk_guards::{
    Completion, Entry, Intervention, Message, OpenCalls, Speaker, Status, ToolCall, ToolResult, UserMessage,
    View, is_blank,
};
use balk_scenarios::agents::{Place, Profile};

/// Reads what agents send.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'p> {
    /// What is known of the agent.
    pub(super) profile: Option<&'p Profile>,
}

impl Reader<'_> {
    /// What these messages say, as entries. A call without a result gets one that says that it was lost; a result
    /// without a call is none.
    pub(super) fn entries(self, messages: &[Message]) -> Vec<Entry> {
        let mut entries = Vec::with_capacity(messages.len());
        let mut open = OpenCalls::default();
        let mut talks = true;
        for message in messages {
            match message {
                Message::User(text) => {
                    entries.extend(open.lost());
                    entries.extend(self.said(text, talks).map(Entry::User));
                }
                Message::Assistant(completion) => {
                    entries.extend(open.lost());
                    open = OpenCalls::new(&completion.calls);
                    talks = completion.calls.is_empty();
                    entries.push(Entry::Completion(completion.clone()));
                }
                Message::Result { id, text, is_error } => {
                    if let Some(call) = open.answered(id) {
                        entries.push(Entry::Result(self.result(&call, text, *is_error)));
                    }
                }
            }
        }
        entries.extend(open.lost());
        entries
    }

    /// What somebody says in the user's role; none if it is nothing but what the agent adds to every message. `talks`
    /// is whether it answers a message without a call.
    ///
    /// Words beside results can be a user's, who speaks while calls run, or the agent's own reminder. What agents put
    /// there themselves is known from their profile, or has tags around it: `<system-reminder>` of claude-code,
    /// `<environment_context>` of codex, `<environment_details>` of Cline, `<system>` of kimi-cli.
    pub(super) fn said(self, text: &Arc<str>, talks: bool) -> Option<UserMessage> {
        let mut said = without_reminders(text);
        if let Some(profile) = self.profile {
            let plain = profile.plain(Place::User, &said).text;
            if *plain != *said {
                said = plain.trim().into();
            }
        }
        if is_blank(&said) && !is_blank(text) {
            return None;
        }
        let is_tagged =
            said.trim_start().strip_prefix('<').is_some_and(|it| it.starts_with(char::is_alphabetic));
        let from = if !talks && is_tagged { Speaker::Loop } else { Speaker::User };
        Some(UserMessage { from, text: said })
    }

    /// A result, as an agent shows it: a flag that says that the call failed is believed, its absence says nothing.
    fn result(self, call: &Arc<ToolCall>, text: &Arc<str>, is_error: bool) -> ToolResult {
        let mut said = without_reminders(text);
        let mut failed = is_error.then_some(true);
        if let Some(profile) = self.profile {
            let plain = profile.plain(Place::Result, &said);
            failed = failed.or(plain.failed);
            if *plain.text != *said {
                said = plain.text.into();
            }
        }
        let status = match failed {
            Some(true) => Status::Error,
            Some(false) => Status::Ok,
            None => Status::Unknown,
        };
        ToolResult::executed(call, status, said)
    }

    /// The results of these calls of an answer among these messages. An agent's ids need not be those that it was
    /// answered with: `echo` is the answer as it shows it, call by call. A call without a result was lost.
    pub(super) fn results(
        self,
        calls: &[Arc<ToolCall>],
        answer: &Completion,
        echo: Option<&Completion>,
        messages: &[Message],
    ) -> Vec<ToolResult> {
        let mut open = echo.map_or_else(OpenCalls::default, |it| OpenCalls::new(&it.calls));
        let mut said: Vec<Option<(&Arc<str>, bool)>> = vec![None; answer.calls.len()];
        for message in messages {
            if let Message::Result { id, text, is_error } = message
                && let Some(said) = open.answered_at(id).and_then(|(at, _)| said.get_mut(at))
            {
                *said = Some((text, *is_error));
            }
        }
        let mut answered = answer.calls.iter().zip(said);
        let mut of = |call: &Arc<ToolCall>| {
            let (_, said) = answered.find(|(it, _)| *it == call)?;
            let (text, is_error) = said?;
            Some(self.result(call, text, is_error))
        };
        calls.iter().map(|it| of(it).unwrap_or_else(|| ToolResult::lost(it))).collect()
    }
}

/// The blocks that agents add to what a tool said, by their tags: `<system-reminder>` of claude-code and of agents made
/// after it (a count of tokens that is another one in each turn, among others), `<environment_details>` of Cline.
const REMINDERS: [&str; 2] = ["system-reminder", "environment_details"];

/// What the tool said, without an agent's reminders before and after it.
fn without_reminders(text: &Arc<str>) -> Arc<str> {
    let mut said = &**text;
    loop {
        let within = said.trim();
        let cut = REMINDERS.iter().find_map(|tag| {
            let (opens, closes) = (format!("<{tag}>"), format!("</{tag}>"));
            let before = within.strip_suffix(&*closes).and_then(|it| Some(&within[..it.rfind(&*opens)?]));
            let after = || within.strip_prefix(&*opens).and_then(|it| Some(it.split_once(&*closes)?.1));
            before.or_else(after)
        });
        match cut {
            Some(rest) => said = rest,
            None if said.len() == text.len() => return text.clone(),
            None => return within.into(),
        }
    }
}

/// Whether every result among these messages answers a call that is before it among them.
pub(super) fn stands_alone(messages: &[Message]) -> bool {
    let mut calls = BTreeSet::new();
    messages.iter().all(|message| match message {
        Message::User(_) => true,
        Message::Assistant(it) => {
            calls.extend(it.calls.iter().map(|call| &*call.id));
            true
        }
        Message::Result { id, .. } => calls.contains(&**id),
    })
}

/// Whether an agent shows what it was answered with: the same calls. Texts are cut and changed too often.
pub(super) fn is_shown(echo: Option<&Completion>, answer: &Completion) -> bool {
    let calls = echo.map_or(&[][..], |it| &it.calls);
    calls.iter().map(|it| it.key).eq(answer.calls.iter().map(|it| it.key))
}

/// What a model is shown of these entries, beside what was before.
pub(super) fn messages(entries: &[Entry]) -> Vec<Message> {
    View::of(entries).messages().to_vec()
}

/// The intervention that was committed here.
pub(super) fn intervention(entry: &Entry) -> Option<Intervention> {
    if let Entry::Intervention(it) = entry { Some(it.clone()) } else { None }
}

#[cfg(test)]
mod tests {
    use balk_guards::{FinishReason, Offer, RawCall, Usage};
    use balk_scenarios::agents;

    use super::*;

    #[track_caller]
    fn check_plain(text: &str, said: &str) {
        assert_eq!(&*without_reminders(&text.into()), said);
    }

    #[test]
    fn reminders_are_no_word_of_a_tool() {
        check_plain(" as it is\n", " as it is\n");
        check_plain("failed\n\n<system-reminder>\n9 tokens left\n</system-reminder>", "failed");
        check_plain(
            "<system-reminder>a</system-reminder>\nfailed\n<system-reminder>b</system-reminder>\n",
            "failed",
        );
        check_plain(
            "failed<system-reminder>a</system-reminder><system-reminder>b</system-reminder>",
            "failed",
        );
        check_plain("<system-reminder>a</system-reminder>", "");
        check_plain("text </system-reminder>", "text </system-reminder>");
        check_plain(
            "grep: <system-reminder>a</system-reminder> found",
            "grep: <system-reminder>a</system-reminder> found",
        );
    }

    #[test]
    fn what_answers_earlier_calls_does_not_stand_alone() {
        let calls = |id: &str| {
            let call = RawCall { id: id.into(), tool: "read".into(), arguments: "{}".into() };
            let (finish, usage) = (FinishReason::ToolCall, Usage::default());
            Message::Assistant(Completion::new([], [call], finish, usage, &Offer::default()).into())
        };
        let result = |id: &str| Message::Result { id: id.into(), text: "".into(), is_error: false };
        assert!(stands_alone(&[calls("a"), result("a"), Message::User("Go on.".into())]));
        assert!(!stands_alone(&[calls("a"), result("a"), result("b")]));
        assert!(!stands_alone(&[result("a"), calls("a")]));
    }

    #[test]
    fn tags_beside_results_are_the_agents() {
        let from = |text: &str, talks| Reader { profile: None }.said(&text.into(), talks).map(|it| it.from);
        assert_eq!(from("<system-reminder>todo</system-reminder>", true), None);
        assert_eq!(from("<system>todo</system>", false), Some(Speaker::Loop));
        assert_eq!(from("How far is it?", false), Some(Speaker::User));
        assert_eq!(from("<div> is wrong", true), Some(Speaker::User));
        assert_eq!(from("< 3", false), Some(Speaker::User));
    }

    #[test]
    fn an_agent_that_is_known_says_what_came_of_a_call() {
        let codex = agents::find("codex").expect("it has a profile");
        let offer = Offer::default();
        let call = RawCall { id: "a".into(), tool: "exec_command".into(), arguments: "{}".into() };
        let result = |text: &str, profile| {
            let call = Arc::new(ToolCall::new(call.clone(), &offer));
            let result = Reader { profile }.result(&call, &text.into(), false);
            (result.status, result.text.text().to_string())
        };
        let text = |code: u8| {
            format!(
                "Chunk ID: 0fa64{code}\nWall time: 0.1 seconds\nProcess exited with code {code}\nOriginal token \
                 count: 9\nOutput:\nno such file\n"
            )
        };
        assert_eq!(result(&text(2), Some(codex)), (Status::Error, "no such file\n".to_owned()));
        assert_eq!(result(&text(0), Some(codex)), (Status::Ok, "no such file\n".to_owned()));
        assert_eq!(result(&text(2), None), (Status::Unknown, text(2)));
        let context = "<environment_context>x</environment_context>".into();
        assert_eq!(Reader { profile: Some(codex) }.said(&context, true), None);
    }
}
