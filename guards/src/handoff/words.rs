//! The words of the handoff.

use std::fmt::Write;
use std::sync::Arc;

use super::broken::Broken;
use super::changes::{Acts, Changes};
use super::reads::Reads;
use super::{CONSTRAINED, Handoff, NAME};
use balk_contract::wording::{list, one_line, times};
use balk_contract::{Conclusion, Gap, GapKind, Limit, Note, Offer, Subject, Termination, Tried};

/// Names that a message lists, and characters of an error in it.
const LISTED: usize = 8;
const CAPABILITIES: usize = 24;
const ERROR_SHOWN: usize = 160;

/// Why the run cannot go on.
pub(super) struct Cause {
    kind: GapKind,
    missing: String,
    /// Whether what is missing is a tool that is there, and does not do this.
    is_there: bool,
    explanation: String,
    error: String,
}

impl Cause {
    /// A failure, with the tool and how often it failed in a row where a tool failed.
    pub(super) fn failure(
        kind: GapKind,
        missing: &str,
        tool: Option<(&Arc<str>, u32)>,
        error: &str,
        offer: &Offer,
    ) -> Self {
        let is_there = offer.get(missing).is_some();
        let missing = one_line(missing, super::NAME_CHARS);
        let error = one_line(error, ERROR_SHOWN);
        let it = if missing.is_empty() { "what this takes".into() } else { format!("`{missing}`") };
        let mut explanation = match kind {
            GapKind::MissingCapability if is_there => format!(
                "This is a gap in the tools of this agent, not in your request: {it} cannot do here what it was \
                 called for."
            ),
            GapKind::MissingCapability => format!(
                "This is a gap in the tools of this agent, not in your request: {it} is not available to it here."
            ),
            GapKind::MissingInput => {
                format!(
                    "This is a gap in what the agent can reach from here: {it} is not where it was looked for."
                )
            }
            GapKind::MalformedCall => format!(
                "This is a gap between the model and its tools, not in your request: the model did not write a \
                 call that {it} accepts. Nothing says that the tool itself is broken."
            ),
            GapKind::NoProgress => {
                let what = match tool {
                    Some((tool, 0 | 1)) => format!("`{tool}` failed"),
                    Some((tool, failures)) => format!("`{tool}` failed {} in a row", times(failures)),
                    None => "the environment failed".into(),
                };
                format!(
                    "This is a gap in what the agent can do here, not in your request: {what}, and it found no other way."
                )
            }
        };
        if !error.is_empty() {
            explanation.push_str(&format!(" The last error was \"{error}\"."));
        }
        Self { kind, missing, is_there, explanation, error }
    }

    /// The same reads over and over.
    pub(super) fn reads(reads: &Reads) -> Self {
        let what: Vec<String> = reads.what().iter().map(|it| one_line(it, super::NAME_CHARS)).collect();
        let what = list(&what, 3);
        let explanation = format!(
            "This is a gap in what the agent can find out with its tools, not in your request: it read the same \
             over and over ({what}), with no change in between, and at least {} brought nothing new.",
            match reads.again() {
                1 => "one read".to_owned(),
                many => format!("{many} reads"),
            }
        );
        Self::without_failure(explanation)
    }

    /// Nothing failed and nothing was repeated.
    pub(super) fn silence() -> Self {
        let explanation = "This is a gap in what the agent can do here, not in your request: it took no further \
                           step with its tools, and none of them reported a failure that would say why.";
        Self::without_failure(explanation.into())
    }

    fn without_failure(explanation: String) -> Self {
        Self {
            kind: GapKind::NoProgress,
            missing: String::new(),
            is_there: false,
            explanation,
            error: String::new(),
        }
    }

    fn could_do(&self) -> Vec<Arc<str>> {
        let it =
            if self.missing.is_empty() { "what is missing".into() } else { format!("`{}`", self.missing) };
        let all = match self.kind {
            GapKind::MissingCapability if self.is_there => vec![
                format!("permit {it} to do this, or give the agent another tool for it"),
                "do that one step yourself, and tell the agent what came of it".into(),
            ],
            GapKind::MissingCapability => vec![
                format!("make {it} available to the agent: install it, connect it or permit it"),
                "do that one step yourself, and tell the agent what came of it".into(),
            ],
            GapKind::MissingInput => vec![
                format!("put {it} where it was looked for"),
                "tell the agent the right place, or that it can do without".into(),
            ],
            GapKind::MalformedCall => vec![
                "switch to a model that calls tools more reliably".into(),
                "ask for the same in smaller steps".into(),
            ],
            GapKind::NoProgress if !self.error.is_empty() => {
                vec!["remove what the error names".into(), "say which other way the agent should take".into()]
            }
            GapKind::NoProgress => vec![
                "say which step comes next, or give what the agent was looking for".into(),
                "ask for a smaller part of it".into(),
            ],
        };
        all.into_iter().map(Arc::from).collect()
    }

    /// What the model is told where the user wants it tried again.
    fn constraint(&self, offer: &Offer) -> String {
        let it = format!("`{}`", self.missing);
        let lacking = match self.kind {
            GapKind::NoProgress => "The last steps led nowhere: take another way.".into(),
            GapKind::MissingCapability | GapKind::MissingInput | GapKind::MalformedCall
                if self.missing.is_empty() =>
            {
                "What the last error is about is not available.".into()
            }
            GapKind::MissingCapability if self.is_there => {
                format!("What {it} was last called for cannot be done with it in this run.")
            }
            GapKind::MissingCapability => format!("{it} is not available and will not be in this run."),
            GapKind::MissingInput => format!("{it} is not there: do not look for it again."),
            GapKind::MalformedCall => format!(
                "The last call of {it} was not accepted: its arguments must be one JSON object that fits the \
                 tool's schema."
            ),
        };
        let names: Vec<String> = offer.tools().iter().map(|tool| format!("`{}`", tool.name)).collect();
        let capabilities = match names.as_slice() {
            [] => "There are no tools in this run.".into(),
            names => format!("The tools that exist are {}; there are no others.", list(names, CAPABILITIES)),
        };
        format!(
            "The user wants this tried once more with what there is. {lacking} {capabilities} Do what can be done \
             with them, and say plainly what cannot be done, and why."
        )
    }
}

impl Handoff {
    /// The conclusion with a gap.
    pub(super) fn handoff(&self, end: &Termination, cause: Cause) -> Conclusion {
        let constraint =
            (!self.state.retried).then(|| self.note(CONSTRAINED, cause.constraint(&self.state.offer)));
        let gap = Gap {
            kind: cause.kind,
            tried: self.tried(),
            could_do: cause.could_do(),
            resume: "ask again once that is done: the run continues from where it is".into(),
            constraint,
            missing: cause.missing.into(),
            explanation: cause.explanation.into(),
        };
        let mut text = self.again();
        text.push_str(&gap.explanation);
        let tried = tried(&gap.tried);
        if !tried.is_empty() {
            text.push_str(&format!("\n\nTried: {tried}."));
        }
        for said in self.kept("Changed before, and kept") {
            text.push_str(&format!("\n\n{said}"));
        }
        let ways: String = gap.could_do.iter().map(|it| format!("\n- {it}")).collect();
        text.push_str(&format!("\n\nWhat you could do:{ways}\n\nTo go on, {}.", gap.resume));
        let note = self.note(gap.kind.name(), text);
        Conclusion { end: end.clone(), note, gap: Some(gap) }
    }

    /// The soft end: what was done stands.
    pub(super) fn partial(&self, end: &Termination) -> Conclusion {
        let why = match end {
            Termination::Limit(limit) => format!("the run reached its limit of {}", bound(*limit)),
            Termination::StoppedByGuard => "it was stopped because nothing moved any more".into(),
            Termination::NoProgress
            | Termination::FatalExecution(_)
            | Termination::Finished
            | Termination::StoppedByUser
            | Termination::GuardFault(_) => "nothing moved any more".into(),
        };
        let kept = self.kept("Changed, and kept");
        let kept = match kept.as_slice() {
            [] if self.state.changes.undeclared => "No change is known of.".into(),
            [] => "Nothing was changed so far.".into(),
            kept => kept.join(" "),
        };
        // What worked since may have left an older failure behind.
        let open = match self.obstacle_since(self.state.worked_at) {
            Some(it) if !it.error.is_empty() => format!(
                "Not done is what `{}` was last called for, which failed: {}.",
                it.tool,
                one_line(&it.error, ERROR_SHOWN)
            ),
            Some(it) => format!("Not done is what `{}` was last called for, which failed.", it.tool),
            None => {
                "Whether all was done that you asked for is not certain: the model did not say so.".into()
            }
        };
        let text = format!(
            "{}The run ends in the middle: {why}. {kept} {open} To go on, say what is still to be done; what is \
             there need not be made again.",
            self.again()
        );
        Conclusion { end: end.clone(), note: self.note("partial-work", text), gap: None }
    }

    /// The end that a provider caused, where nobody said so yet.
    pub(super) fn provider(&self, end: &Termination, broken: &Broken) -> Conclusion {
        let ran = if broken.nothing_ran { " Nothing was run in that attempt." } else { "" };
        let kept: String =
            self.kept("Changed before, and kept").iter().map(|said| format!(" {said}")).collect();
        let effective: Vec<String> = broken.effective.iter().map(|name| format!("`{name}`")).collect();
        let go_on = match effective.as_slice() {
            [] if broken.may_be_another => {
                "Whether a tool took effect is not known: look before you start again.".into()
            }
            [] => {
                "Your request and the tools are as they were: start the run again once the provider answers."
                    .into()
            }
            names => {
                format!("{} may have taken effect: look before you start again.", list(names, LISTED))
            }
        };
        let text = format!(
            "{}The model could not be asked any further: {}.{ran}{kept} {go_on}",
            self.again(),
            broken.cause.trim_end_matches('.'),
        );
        Conclusion { end: end.clone(), note: self.note("provider", text), gap: None }
    }

    fn note(&self, rule: &'static str, text: String) -> Note {
        Note {
            guard: NAME.into(),
            rule: rule.into(),
            level: u8::try_from(self.state.concluded + 1).unwrap_or(u8::MAX),
            subject: Subject::Run,
            text: text.into(),
        }
    }

    fn again(&self) -> String {
        match (self.state.concluded, self.state.retried) {
            (0, _) => String::new(),
            (before, true) => format!(
                "It was tried again with the tools that exist, and this is the end number {} of this run. ",
                before + 1
            ),
            (before, false) => format!("This is the end number {} of this run. ", before + 1),
        }
    }

    /// What was changed, and what may have been; a sentence each, where there is something to say.
    fn kept(&self, changed: &str) -> Vec<String> {
        let Changes { known, lost, unsaid, .. } = &self.state.changes;
        let mut said = Vec::new();
        if known.calls > 0 {
            let calls = if known.calls == 1 { "call" } else { "calls" };
            said.push(format!("{changed}: {} ({} {calls}).", list(&known.named(""), LISTED), known.calls));
        }
        let mut unsure = lost.named(" (its answer is lost)");
        unsure.extend(unsaid.named(" (it did not say whether it worked)"));
        if !unsure.is_empty() {
            said.push(format!("May have been changed: {}; look first.", list(&unsure, LISTED / 2)));
        }
        said
    }
}

impl Acts {
    fn named(&self, outcome: &str) -> Vec<String> {
        self.names.iter().map(|it| format!("`{}`{outcome}", one_line(it, super::NAME_CHARS))).collect()
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
            (0, _) => write!(text, "(asked for, never run)"),
            (calls, 0) => write!(text, "{}", times(calls)),
            (1, 1) => write!(text, "once (failed)"),
            (calls, failures) if calls == failures => write!(text, "{} (failed each time)", times(calls)),
            (calls, failures) => write!(text, "{} ({failures} failed)", times(calls)),
        };
        text
    };
    list(&tried.iter().map(one).collect::<Vec<_>>(), LISTED)
}
