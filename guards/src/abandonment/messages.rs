//! The texts of the abandonment guard.

use super::debt::{FILES, Run};
use super::{Abandonment, NAME};
use balk_contract::wording::{list, times};
use balk_contract::{Choice, Note, Question, Subject};

impl Abandonment {
    /// "failed 5 times in a row (1 more refused)".
    fn tally(run: &Run) -> String {
        let times = times(run.failures);
        match run.refused {
            0 if run.failures == 1 => "failed".to_owned(),
            0 => format!("failed {times} in a row"),
            refused => format!("failed {times} in a row ({refused} more refused)"),
        }
    }

    /// What marks a tool whose effect is not declared.
    fn mark(run: &Run) -> String {
        if run.inferred {
            format!(" (`{}` seems to write; what it can change is not declared.)", run.tool)
        } else {
            String::new()
        }
    }

    fn ways_out(&self, run: &Run) -> String {
        let shell = match &self.state.shell {
            Some(shell) => {
                format!("inspect the environment with `{shell}`: is something missing that the call needs?")
            }
            None => "check what the failing call depends on".into(),
        };
        let ask = match &self.state.ask {
            Some(ask) => format!("ask the user with `{ask}` to remove the obstacle"),
            None => "ask the user to remove the obstacle".into(),
        };
        format!(
            "1. find out why `{}` fails, starting from the error\n2. {shell}\n3. {ask}\n4. say plainly \
             that the task cannot be completed, and why",
            run.tool
        )
    }

    fn note(&self, rule: &'static str, level: u8, run: &Run, text: String) -> Note {
        Note {
            guard: NAME.into(),
            rule: rule.into(),
            level,
            subject: Subject::Tool(run.tool.clone()),
            text: text.into(),
        }
    }

    /// Spec A4: what failed, why code in a message creates no file, and what can be done.
    pub(super) fn correction(&self, run: &Run) -> Note {
        let again = match self.state.spoken {
            0 => String::new(),
            before => {
                format!(
                    "This is correction {} about showing code instead of using the tool. ",
                    before.saturating_add(1)
                )
            }
        };
        let text = format!(
            "{again}Your last message shows code and calls no tool. `{}` {}; the last error was: {}{}\n\nCode in \
             a message does not create a file, and the user is waiting for one. Do \
             one of these now:\n{}\n\nDo not continue as if the file had been written.",
            run.tool,
            Self::tally(run),
            run.last_error,
            Self::mark(run),
            self.ways_out(run),
        );
        self.note("fence-after-failures", 1, run, text)
    }

    /// Spec A5: neither an action nor a plain statement followed the correction.
    pub(super) fn follow_up(&self, run: &Run, level: u8, last: bool) -> Note {
        let end = if last { " This is the last reminder." } else { "" };
        let text = format!(
            "You have called no tool since `{}` {} ({}), and your last message says neither what the obstacle \
             is nor what you will do about it (reminded {}). Act, or say that you cannot: call a tool that \
             finds the cause, or write one sentence that begins with \"I cannot complete this \
             because\".{end}",
            run.tool,
            Self::tally(run),
            run.last_error,
            times(self.state.spoken),
        );
        self.note("unacknowledged", level, run, text)
    }

    /// Spec A6: what was not created, and in other words at each later fence of the same debt.
    pub(super) fn notice(&self, run: &Run) -> Note {
        let (what, mark) = (list(&run.files, FILES), Self::mark(run));
        let text = match (run.told, run.files.is_empty()) {
            (0, is_empty) => {
                let what =
                    if is_empty { "Nothing was written".into() } else { format!("Not created: {what}") };
                format!(
                    "{what}. `{}` {}; the last error was: {}. The model shows code in its messages instead of \
                     writing files.{mark}",
                    run.tool,
                    Self::tally(run),
                    run.last_error,
                )
            }
            (told, is_empty) => {
                let what = if is_empty {
                    "Still nothing was written".into()
                } else {
                    format!("Still not created: {what}")
                };
                format!(
                    "{what}. This is message {} that shows code and calls no tool; `{}` has not worked since the \
                     first. Its last error was: {}{mark}",
                    told.saturating_add(1),
                    run.tool,
                    run.last_error,
                )
            }
        };
        self.note("files-not-created", if run.told == 0 { 1 } else { 2 }, run, text)
    }

    /// Spec A7: the corrections are spent.
    pub(super) fn question(&self, run: &Run) -> Question {
        let text = format!(
            "The model was told {} that `{}` {}, and it continues without the tool. The last error was: {}. How \
             should it continue?",
            times(self.state.corrections),
            run.tool,
            Self::tally(run),
            run.last_error,
        );
        Question {
            note: self.note("ask-the-user", 4, run, text),
            options: Choice::for_stuck("say what it should do", true),
        }
    }

    /// Strict: asks for the required words.
    pub(super) fn words_first(&self, run: &Run, level: u8) -> Note {
        let text = format!(
            "`{}` {}; the last error was: {}\n\nFirst say which of these is true (asked {} before):\n- \
             \"I switch to showing code because …\"\n- \"I diagnose why it fails: …\"\n- \"I cannot complete \
             this because …\"",
            run.tool,
            Self::tally(run),
            run.last_error,
            times(self.state.spoken),
        );
        self.note("words-first", level, run, text)
    }
}
