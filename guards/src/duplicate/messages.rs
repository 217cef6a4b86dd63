//! What the guard says.

use balk_contract::key::{CallKey, Shape};
use balk_contract::reading::Prospect;
use balk_contract::wording::{excerpt, pretty};
use balk_contract::{Choice, Note, Question, Status, Subject, ToolCall};

use super::{DEMANDS, Duplicate, DuplicatePolicy, NAME};
use crate::call_memory::Remembered;

/// Characters of formatted arguments that feedback shows (spec D2).
const ARGUMENT_CHARS: usize = 500;

impl Duplicate {
    pub(super) fn note(&self, family: CallKey, level: u8, text: String) -> Note {
        let rule = match level {
            1 => "same-call",
            2 => "same-call-after-feedback",
            3 => "same-call-after-options",
            _ => "same-call-after-question",
        };
        Note {
            guard: NAME.into(),
            rule: rule.into(),
            level,
            subject: Subject::Call(family),
            text: text.into(),
        }
    }

    pub(super) fn text(
        &self,
        call: &ToolCall,
        family: CallKey,
        before: &Remembered,
        level: u8,
        number: u32,
    ) -> String {
        match (self.settings.policy, level) {
            (DuplicatePolicy::Notice, _) => {
                format!("{} was already called with the same arguments.", self.named(call, "A tool"))
            }
            (DuplicatePolicy::Actionable | DuplicatePolicy::Strict, 1) => {
                self.feedback(call, family, before, number)
            }
            (DuplicatePolicy::Actionable | DuplicatePolicy::Strict, _) => self.options(call, before, number),
        }
    }

    /// The called tool, if it may be mentioned, else `other`: "a tool that is not on offer".
    fn named(&self, call: &ToolCall, other: &str) -> String {
        match self.state.tools.contains(&call.tool) {
            true => format!("`{}`", call.tool),
            false => format!("{other} that is not on offer"),
        }
    }

    /// Spec D2: everything that the model needs to do something else.
    fn feedback(&self, call: &ToolCall, family: CallKey, before: &Remembered, number: u32) -> String {
        let arguments = match call.shape {
            Shape::Object | Shape::OtherJson => pretty(&call.arguments, ARGUMENT_CHARS),
            Shape::NotJson => excerpt(&call.arguments, ARGUMENT_CHARS),
        };
        let waits = before.status != Status::Error && self.state.memory.is_awaited(before);
        let (how, then) = match before.status {
            Status::Error | Status::Unknown if before.prospect == Prospect::Passing => (
                "failed",
                "That may pass, but it has not in all these tries. Find out what it depends on and whether that is \
                 there at all, or do what does not depend on it. Before you try it again, wait, longer each time.",
            ),
            Status::Error => (
                "failed",
                "That call failed, and nothing has changed since, so it will fail again. Read the error, \
                 find out what it depends on, and change that or the arguments.",
            ),
            Status::Ok | Status::Unknown if waits => (
                "was answered",
                "If it says that what is waited for has come, take the next step. Else wait before you look again, \
                 longer each time.",
            ),
            Status::Ok | Status::Unknown if before.is_done_anew => (
                "was answered",
                "Each of its answers names another id, so it did its work each time, and would do it once more.",
            ),
            Status::Ok => ("succeeded", "That call succeeded: its answer is above."),
            Status::Unknown => (
                "was answered",
                "If the answer above is a failure, change what caused it or the arguments; if it is a \
                 success, use it and take the next step.",
            ),
        };
        // Models take the way that is named first, and one that had used the answer would not ask again.
        let or = if before.status == Status::Ok { "; else use it and take the next step" } else { "" };
        format!(
            "{tool} was called with {same} arguments in turn {turn}, and nothing has changed since (duplicate \
             {number} in this run).\n\nArguments:\n{arguments}\n\nIt {how} with:\n{result}\n\n{then} \
             If you are stuck, look with a read-only call at what this one depends on{or}.\n\nDo not send this call \
             again {now}with the same arguments. What will you do differently?",
            now = if before.prospect == Prospect::Passing || waits { "without a pause and " } else { "" },
            tool = self.named(call, "A tool"),
            same = if call.key == family { "these" } else { "nearly these" },
            turn = before.turn,
            result = before.result,
        )
    }

    /// Spec D4, second rung: explicit options.
    fn options(&self, call: &ToolCall, before: &Remembered, number: u32) -> String {
        let look = match &self.state.shell {
            Some(shell) if *shell != call.tool => format!("inspect what it depends on with `{shell}`"),
            _ => "inspect what it depends on with a read-only call".into(),
        };
        // A way out is only named where a failure says that something may be missing.
        let missing = match (&self.state.ask, before.status) {
            (_, Status::Ok | Status::Unknown) => String::new(),
            (Some(ask), Status::Error) if *ask != call.tool => {
                format!("\n3. ask the user with `{ask}` for what is missing")
            }
            (None, Status::Error) if !self.state.may_ask => String::new(),
            (_, Status::Error) => "\n3. ask the user for what is missing".into(),
        };
        let again = match before.prospect {
            _ if before.is_done_anew => "each time, and did its work each time",
            Prospect::Passing => "each time",
            Prospect::Lasting | Prospect::Unknown => "and would answer the same again",
        };
        let others = "send other arguments, or call another of your tools";
        // What worked needs no other arguments.
        let (first, second) = match before.status {
            Status::Ok => (&*look, others),
            Status::Unknown | Status::Error => (others, &*look),
        };
        format!(
            "this is the same call of {tool} again (duplicate {number} in this run). It answered \"{error}\" \
             {again}. Choose one:\n1. {first}\n2. {second}{missing}\n\nDo not send this call again with the same \
             arguments: the next time, the user is asked instead.",
            tool = self.named(call, "a tool"),
            error = before.answer(160),
        )
    }

    pub(super) fn question(&self, call: &ToolCall, family: CallKey, before: &Remembered) -> Question {
        let text = match self.settings.policy {
            DuplicatePolicy::Notice => {
                format!("The model calls `{}` with the same arguments over and over.", call.tool)
            }
            DuplicatePolicy::Actionable | DuplicatePolicy::Strict => format!(
                "The model keeps sending the same call of `{}`, although it was told twice that nothing has \
                 changed (duplicate {} in this run). The call answered: {}. What should it do?",
                call.tool,
                self.state.met.saturating_add(1),
                before.answer(300),
            ),
        };
        Question {
            note: self.note(family, 3, text),
            options: Choice::for_stuck("say what it should do instead", true),
        }
    }

    pub(super) fn stop(&self, call: &ToolCall, family: CallKey, before: &Remembered) -> Note {
        let text = format!(
            "Stopped: the model kept sending the same call of `{}`, {} times after it was told not to, although \
             it was given options and the user was asked. The work of that call is not done. It answered: {}.",
            call.tool,
            self.state.memory.level(before),
            before.answer(300),
        );
        self.note(family, 4, text)
    }

    /// Strict: asks for the required words.
    pub(super) fn demand(&self) -> Note {
        Note {
            guard: NAME.into(),
            rule: "words-first".into(),
            level: self.state.demands.saturating_add(1),
            subject: Subject::Run,
            text: format!(
                "First say in one sentence what you will do differently, then call a tool (reminder {} of \
                 {DEMANDS}).",
                self.state.demands.saturating_add(1)
            )
            .into(),
        }
    }
}
