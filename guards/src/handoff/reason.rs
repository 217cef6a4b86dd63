//! Why a run cannot continue, and what a person could do about it.

use std::sync::Arc;

use super::lengths::NAME_CHARS;
use super::reads::Reads;
use balk_contract::wording::{list, one_line, times};
use balk_contract::{GapKind, Offer};

/// Tools that a message lists, and characters of an error in it.
const CAPABILITIES: usize = 24;
pub(super) const ERROR_SHOWN: usize = 160;

/// Why the run cannot continue.
pub(super) struct Reason {
    pub(super) kind: GapKind,
    pub(super) missing: String,
    /// Whether the missing thing is a tool that exists but cannot do this.
    pub(super) is_there: bool,
    /// Whether it is a tool that was called and does not exist.
    pub(super) is_unknown_tool: bool,
    pub(super) explanation: String,
    pub(super) error: String,
}

impl Reason {
    /// The reason that a failure gives. `tool` is the failed tool, if there is one, and how often it failed in a row.
    pub(super) fn failure(
        kind: GapKind,
        missing: &str,
        tool: Option<(&Arc<str>, u32)>,
        error: &str,
        offer: &Offer,
    ) -> Self {
        let is_there = offer.get(missing).is_some();
        let is_unknown_tool = !is_there && tool.is_some_and(|(tool, _)| **tool == *missing);
        let missing = one_line(missing, NAME_CHARS);
        let error = one_line(error, ERROR_SHOWN);
        let it = if missing.is_empty() { "what this takes".into() } else { format!("`{missing}`") };
        let mut explanation = match kind {
            GapKind::MissingCapability if is_there => format!(
                "This is a gap in the tools of this agent, not in your request: {it} cannot do what the model \
                 called it for."
            ),
            GapKind::MissingCapability => format!(
                "This is a gap in the tools of this agent, not in your request: {it} is not available to it here."
            ),
            GapKind::MissingInput => {
                format!(
                    "This is a gap in what the agent can reach from here: {it} is not where the agent looked \
                     for it."
                )
            }
            GapKind::MalformedCall => format!(
                "This is a gap between the model and its tools, not in your request: the model did not write a \
                 call that {it} accepts. The tool itself may be fine."
            ),
            GapKind::NoProgress => {
                let what = match tool {
                    Some((tool, 0 | 1)) => format!("`{tool}` failed"),
                    Some((tool, failures)) => format!("`{tool}` failed {} in a row", times(failures)),
                    None => "the environment failed".into(),
                };
                format!(
                    "This is a gap in what the agent can do here, not in your request: {what}, and it found no \
                     other way."
                )
            }
        };
        if !error.is_empty() {
            explanation.push_str(&format!(" The last error was \"{error}\"."));
        }
        Self { kind, missing, is_there, is_unknown_tool, explanation, error }
    }

    /// The same reads over and over.
    pub(super) fn reads(reads: &Reads) -> Self {
        let what: Vec<String> = reads.what().iter().map(|it| one_line(it, NAME_CHARS)).collect();
        let what = list(&what, 3);
        let explanation = format!(
            "This is a gap in what the agent can find out with its tools, not in your request: it read the same \
             things repeatedly ({what}), with no change in between, and at least {} brought nothing new.",
            match reads.again() {
                1 => "one read".to_owned(),
                many => format!("{many} reads"),
            }
        );
        Self::without_failure(explanation)
    }

    /// Nothing failed and nothing was repeated.
    pub(super) fn silence() -> Self {
        let explanation = "This is a gap in what the agent can do here, not in your request: it stopped using \
            its tools, and no call failed in a way that explains why.";
        Self::without_failure(explanation.into())
    }

    fn without_failure(explanation: String) -> Self {
        Self {
            kind: GapKind::NoProgress,
            missing: String::new(),
            is_there: false,
            is_unknown_tool: false,
            explanation,
            error: String::new(),
        }
    }

    pub(super) fn could_do(&self) -> Vec<Arc<str>> {
        let it =
            if self.missing.is_empty() { "what is missing".into() } else { format!("`{}`", self.missing) };
        let all = match self.kind {
            GapKind::MissingCapability if self.is_there => vec![
                format!("allow {it} to do this, or give the agent another tool for it"),
                "do that one step yourself, and tell the agent the result".into(),
            ],
            GapKind::MissingCapability => vec![
                format!("make {it} available to the agent: install it, connect it or allow it"),
                "do that one step yourself, and tell the agent the result".into(),
            ],
            GapKind::MissingInput => vec![
                format!("put {it} where the agent looked for it"),
                "tell the agent the right place, or that it is not needed".into(),
            ],
            GapKind::MalformedCall => vec![
                "switch to a model that calls tools more reliably".into(),
                "ask for the same in smaller steps".into(),
            ],
            GapKind::NoProgress if !self.error.is_empty() => {
                vec!["fix what the error names".into(), "tell the agent which other way to try".into()]
            }
            GapKind::NoProgress => vec![
                "tell the agent the next step, or what it was looking for".into(),
                "ask for a smaller part of it".into(),
            ],
        };
        all.into_iter().map(Arc::from).collect()
    }

    /// What the model is told if the user wants it to try again.
    pub(super) fn constraint(&self, offer: &Offer) -> String {
        let it = format!("`{}`", self.missing);
        let lacking = match self.kind {
            GapKind::NoProgress => "The last steps led nowhere: try another way.".into(),
            GapKind::MissingCapability | GapKind::MissingInput | GapKind::MalformedCall
                if self.missing.is_empty() =>
            {
                "Something that the last error mentions is not available.".into()
            }
            GapKind::MissingCapability if self.is_there => {
                format!("{it} cannot do in this run what you last called it for.")
            }
            // Models call the tool that is named (spec M2, M3).
            GapKind::MissingCapability if self.is_unknown_tool => {
                "The tool that you called last does not exist here, and it will not in this run.".into()
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
            "The user wants you to try once more with the tools that exist. {lacking} {capabilities} Do what \
             you can with them, and say plainly what cannot be done, and why."
        )
    }
}
