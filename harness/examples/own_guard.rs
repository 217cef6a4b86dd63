//! Every command, with your own guard: a copy of this file is a whole program.
//!
//! `cargo run --example own_guard -- bench --suite abandonment --guard error-streak --guard error-streak=patient`

use balk::guards::{Registered, Registry};
use balk_guards::rules::{Rule, Rung, Step};
use balk_guards::{Answer, Completion, Decision, Entry, Guard, Note, Status, Subject, Verdict};
use serde::{Deserialize, Serialize};

const NAME: &str = "error-streak";

/// Refuses the next completion after several errors in a row, and tells the model to read the last one.
struct ErrorStreak {
    settings: Settings,
    errors: u32,
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    patience: u32,
}

const RULES: &[Rule] = &[Rule::new("errors-in-a-row", &[Rung::at(1, Step::Feedback)])];

impl Guard for ErrorStreak {
    fn name(&self) -> &str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Result(result) = entry {
            self.errors = if result.status == Status::Error { self.errors + 1 } else { 0 };
        } else if matches!(entry, Entry::Intervention(it) if it.note.guard == NAME) {
            self.errors = 0;
        }
    }

    fn review(&self, _: &Completion) -> Answer<Decision> {
        if self.errors < 3 + self.settings.patience {
            return Ok(Decision::pass());
        }
        let text =
            "Several calls failed in a row. Read the last error again and change what it names.".into();
        let (guard, rule, subject) = (NAME.into(), RULES[0].name.into(), Subject::Run);
        Ok(Verdict::Retry(Note { guard, rule, level: 1, subject, text }).into())
    }
}

pub(crate) fn guard() -> Registered {
    let new = |settings: Settings| ErrorStreak { settings, errors: 0 };
    Registered::new(NAME, "several errors in a row: tells the model to read the last one", new)
        .variant("patient", "waits for three errors more", "patience", 3)
        .rules(RULES)
}

fn main() -> std::process::ExitCode {
    balk::main_with(Registry::standard().with(guard()))
}
