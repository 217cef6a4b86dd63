//! What the guard says, to the model and to the user.

use super::{Found, Repeated, Repetition};
use balk_contract::wording::times;

impl Found {
    /// How much comes how often.
    fn seen(self) -> String {
        let Repeated { chars, times, .. } = self.repeated;
        let what = match chars {
            1 => "the same character comes".to_owned(),
            _ => format!("the same {chars} characters come"),
        };
        let cut = if self.is_cut { ", and then it was cut off" } else { "" };
        format!("{what} {times} times in a row{cut}")
    }

    fn place(self) -> &'static str {
        if self.is_thinking { "thinking" } else { "message" }
    }
}

impl Repetition {
    /// The first correction, or one after a message that was in order.
    pub(super) fn correction(&self, found: Found) -> String {
        let before = match self.state.spoken {
            0 => String::new(),
            before => format!(" This has happened {} before in this run.", times(before)),
        };
        let next = match self.state.has_tools {
            true => "make the call that comes next if the task needs one, or say the rest in fewer words",
            false => "say the rest in fewer words",
        };
        format!(
            "Your last {} repeats itself: {}. After the first time nothing in it is new.{before} Do not go on with \
             that text. Go on with the task from where you were before it: {next}.",
            found.place(),
            found.seen(),
        )
    }

    /// The second correction.
    pub(super) fn warning(&self, found: Found) -> String {
        let step = match self.state.has_tools {
            true => "make one call, or say the next thing in one or two sentences",
            false => "say the next thing in one or two sentences",
        };
        format!(
            "Your {} repeats itself again: {} (time {} in this run). Leave out everything that led to it, and \
             begin with other words. Keep it short: {step}, and stop there. The next time, the user is asked \
             instead.",
            found.place(),
            found.seen(),
            self.state.spoken.saturating_add(1),
        )
    }

    /// The question to the user.
    pub(super) fn question(&self, found: Found) -> String {
        format!(
            "The model is stuck in one text, although it was told: in its last {}, {}; {} before in this run. How \
             should it continue?",
            found.place(),
            found.seen(),
            times(self.state.spoken),
        )
    }

    /// Why the run ends.
    pub(super) fn stop(&self, found: Found) -> String {
        format!(
            "Stopped: the model repeats one text over and over, after {} corrections and questions. In its last \
             {}, {}.",
            self.state.spoken,
            found.place(),
            found.seen(),
        )
    }
}
