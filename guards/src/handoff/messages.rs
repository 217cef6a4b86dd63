//! The messages at the end of a run.

use std::fmt::Write;

use super::broken::Broken;
use super::changes::{Acts, Changes};
use super::lengths::NAME_CHARS;
use super::reason::{ERROR_SHOWN, Reason};
use super::state::{HandoffState, OBJECTIONS};
use balk_contract::wording::{list, one_line, times};
use balk_contract::{Conclusion, Gap, Limit, Note, Subject, Termination, Tried};

pub(super) const NAME: &str = "handoff";
/// The rule in the note that begins a constrained retry.
pub(super) const CONSTRAINED: &str = "constrained";
/// Names that a message lists.
const LISTED: usize = 8;

impl HandoffState {
    /// The conclusion with a gap.
    pub(super) fn handoff(&self, end: &Termination, reason: Reason) -> Conclusion {
        let constraint = (!self.retried).then(|| self.note(CONSTRAINED, reason.constraint(&self.offer)));
        let gap = Gap {
            kind: reason.kind,
            tried: self.tried(),
            could_do: reason.could_do(),
            resume: "ask again once that is done: the run continues where it stopped".into(),
            constraint,
            missing: reason.missing.into(),
            explanation: reason.explanation.into(),
        };
        let mut text = self.again();
        text.push_str(&gap.explanation);
        let tried = tried(&gap.tried);
        if !tried.is_empty() {
            text.push_str(&format!("\n\nTried: {tried}."));
        }
        for said in self.kept() {
            text.push_str(&format!("\n\n{said}"));
        }
        let ways: String = gap.could_do.iter().map(|it| format!("\n- {it}")).collect();
        text.push_str(&format!("\n\nWhat you could do:{ways}\n\nTo continue, {}.", gap.resume));
        let note = self.note(gap.kind.name(), text);
        Conclusion { end: end.clone(), note, gap: Some(gap) }
    }

    /// The soft end: the finished work is kept.
    pub(super) fn partial(&self, end: &Termination) -> Conclusion {
        let why = match end {
            Termination::Limit(limit) => format!("it reached its limit of {}", bound(*limit)),
            Termination::StoppedByGuard => "a guard stopped it because it made no progress".into(),
            Termination::NoProgress
            | Termination::FatalExecution(_)
            | Termination::Finished
            | Termination::StoppedByUser
            | Termination::GuardFault(_) => "it made no progress".into(),
        };
        let kept = self.kept();
        let kept = match kept.as_slice() {
            [] if self.changes.undeclared => "No changes are known.".into(),
            [] => "Nothing was changed.".into(),
            kept => kept.join(" "),
        };
        // If something worked since, an older failure may be resolved.
        let open = match self.obstacle_since(self.worked_at) {
            Some(it) if !it.error.is_empty() => format!(
                "The last call of `{}` failed, so its part is not done: {}.",
                it.tool,
                one_line(&it.error, ERROR_SHOWN)
            ),
            Some(it) => format!("The last call of `{}` failed, so its part is not done.", it.tool),
            None => "The model did not say whether everything that you asked for is done.".into(),
        };
        let text = format!(
            "{}The run ended early: {why}. {kept} {open} To continue, say what is still to be done. Finished \
             work does not need to be repeated.",
            self.again()
        );
        Conclusion { end: end.clone(), note: self.note("partial-work", text), gap: None }
    }

    /// What the user is told if they or the model end the run after guards objected to what the model did, and no call
    /// worked since.
    pub(super) fn unheeded(&self, end: &Termination) -> Option<Conclusion> {
        if self.objections < OBJECTIONS || self.told_at > self.answered_at {
            return None;
        }
        let kept = self.kept();
        let kept = match kept.as_slice() {
            [] if self.changes.undeclared => "No changes are known.".into(),
            [] => "Nothing was changed.".into(),
            kept => kept.join(" "),
        };
        let text = format!(
            "{}The model ended its work, but no call of it has worked since it was last told that it is getting \
             nowhere. {kept} Check whether what you asked for is done.",
            self.again()
        );
        Some(Conclusion { end: end.clone(), note: self.note("unheeded", text), gap: None })
    }

    /// The end that a provider caused, if the user has not been told yet.
    pub(super) fn provider(&self, end: &Termination, broken: &Broken) -> Conclusion {
        let ran = if broken.nothing_ran { " Nothing ran in that attempt." } else { "" };
        let kept: String = self.kept().iter().map(|said| format!(" {said}")).collect();
        let effective: Vec<String> = broken.effective.iter().map(|name| format!("`{name}`")).collect();
        let go_on = match effective.as_slice() {
            [] if broken.may_be_another => {
                "A tool may have taken effect: check before you start again.".into()
            }
            [] => "Your request and the tools are unchanged: start the run again once the provider answers."
                .into(),
            names => {
                format!("{} may have taken effect: check before you start again.", list(names, LISTED))
            }
        };
        let text = format!(
            "{}The last request to the model failed: {}.{ran}{kept} {go_on}",
            self.again(),
            broken.cause.trim_end_matches('.'),
        );
        Conclusion { end: end.clone(), note: self.note("provider", text), gap: None }
    }

    fn note(&self, rule: &'static str, text: String) -> Note {
        Note {
            guard: NAME.into(),
            rule: rule.into(),
            level: u8::try_from(self.concluded.saturating_add(1)).unwrap_or(u8::MAX),
            subject: Subject::Run,
            text: text.into(),
        }
    }

    fn again(&self) -> String {
        match (self.concluded, self.retried) {
            (0, _) => String::new(),
            (before, true) => format!(
                "The run was tried again with the tools that exist. This is end number {} of the run. ",
                before.saturating_add(1)
            ),
            (before, false) => format!("This is end number {} of the run. ", before.saturating_add(1)),
        }
    }

    /// What was changed, and what may have been; one sentence for each that is not empty.
    fn kept(&self) -> Vec<String> {
        let Changes { known, lost, unsaid, .. } = &self.changes;
        let mut said = Vec::new();
        if known.calls > 0 {
            let calls = if known.calls == 1 { "call" } else { "calls" };
            said.push(format!(
                "Changed and kept: {} ({} {calls}).",
                list(&known.named(""), LISTED),
                known.calls
            ));
        }
        let mut unsure = lost.named(" (its result was lost)");
        unsure.extend(unsaid.named(" (it is not known whether it worked)"));
        if !unsure.is_empty() {
            said.push(format!("May have changed: {}; check first.", list(&unsure, LISTED / 2)));
        }
        said
    }
}

impl Acts {
    fn named(&self, outcome: &str) -> Vec<String> {
        self.names.iter().map(|it| format!("`{}`{outcome}", one_line(it, NAME_CHARS))).collect()
    }
}

fn bound(limit: Limit) -> &'static str {
    match limit {
        Limit::Turns => "turns",
        Limit::Attempts => "attempts",
        Limit::Calls => "calls",
        Limit::Interventions => "interventions",
        Limit::Questions => "questions",
    }
}

/// "`bash` 4 times (3 failed), `read` once".
fn tried(tried: &[Tried]) -> String {
    let one = |it: &Tried| {
        let mut text = format!("`{}` ", it.tool);
        let _ = match (it.calls, it.failures) {
            (0, _) => write!(text, "(requested, never run)"),
            (calls, 0) => write!(text, "{}", times(calls)),
            (1, 1) => write!(text, "once (failed)"),
            (calls, failures) if calls == failures => write!(text, "{} (failed each time)", times(calls)),
            (calls, failures) => write!(text, "{} ({failures} failed)", times(calls)),
        };
        text
    };
    list(&tried.iter().map(one).collect::<Vec<_>>(), LISTED)
}
