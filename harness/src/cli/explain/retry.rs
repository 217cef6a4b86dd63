//! `balk explain retry`: whether a broken attempt may be sent again (spec R5).

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use balk_guards::retry_safety::{Assessment, Reason, assess};
use balk_guards::{AttemptFacts, AttemptFailure, Offer, RetrySafetyPolicy};
use balk_reports::records::BadIncident;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::cli::document;
use crate::cli::format::Format;
use crate::error::Error;
use crate::exit::Exit;
use crate::import::one_line;
use balk_scenarios::nearest;
use given::Given;
use words::{object, words};

mod given;
mod words;

/// Arguments of `balk explain retry`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Retry {
    /// The incident as JSON (`balk schema incident`); `-` for standard input
    file: PathBuf,

    /// What counts as safe
    #[arg(long, value_enum, default_value_t = Policy::Facts)]
    policy: Policy,

    /// Text for people, or one JSON object for programs
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

const KIND: document::Kind =
    document::Kind { name: "an incident", schema: "balk schema incident", version: None };

const AFTER_HELP: &str = "\
{\"cause\": \"empty\"|\"connect\"|\"timed-out\"|\"disconnected\"|\"status\", \"status\": 503, \"retry_after_ms\": 2000,
\"message\", \"facts\": {\"provider_progress\", \"visible_output\", \"tool_input_started\", \"tool_call_materialized\",
\"tool_execution_started\", \"unsafe_side_effect_started\": true|false|null, \"started\": [names]},
\"offer\": [{\"name\", \"side_effect\": \"read-only\"|\"idempotent-write\"|\"write\"|\"external\"|\"unknown\",
\"executed_by\": \"loop\"|\"provider\"}]}; a fact that is null or missing is unknown.

The export of the agent of the field report is read, too, key by key: a document with \"classification\" in place of
\"cause\" (docs/retry-safety.md).";

/// What counts as safe.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Policy {
    /// Ask whenever a tool on offer has no declared effect
    Conservative,
    /// The same, but for an attempt of which it is known that nothing began
    FastPath,
    /// What was seen of the attempt decides, and never what was merely on offer
    Facts,
}

impl From<Policy> for RetrySafetyPolicy {
    fn from(policy: Policy) -> Self {
        match policy {
            Policy::Conservative => Self::Conservative,
            Policy::FastPath => Self::FastPath,
            Policy::Facts => Self::Facts,
        }
    }
}

impl Retry {
    pub(super) fn run(&self) -> Result<Exit, Error> {
        let given = Given::read(&self.file, &KIND)?;
        let failure = given.failure().map_err(|bad| self.bad(&bad))?;
        let offer = given.offer().map_err(|bad| self.bad(&bad))?;
        let policy = self.policy.into();
        let mut assessment = assess(policy, failure.cause, &failure.facts, &offer);
        let named = assessment.tool.filter(|_| given.has_names());
        assessment.tool = named.map(|tool| original(&offer, &tool));
        let explained = Explained { policy, given, failure, assessment };
        let mut out = self.format.output();
        match self.format {
            Format::Text => out.write_all(explained.text().as_bytes())?,
            Format::Json => writeln!(out, "{}", explained.json())?,
        }
        Ok(Exit::Fine)
    }

    fn bad(&self, bad: &BadIncident) -> Error {
        let error = Error {
            place: bad.place.into(),
            ..Error::file(document::name(&self.file), bad.expected, &bad.found)
        };
        match bad.place {
            "status" => error.hint("say \"disconnected\" or \"timed-out\" if there was no refusal"),
            _ => error.hint("`balk schema incident` describes the format"),
        }
    }
}

/// The name that the tool's owner gave to it.
fn original(offer: &Offer, tool: &Arc<str>) -> Arc<str> {
    offer.get(tool).map_or_else(|| tool.clone(), |tool| tool.original.clone())
}

struct Explained {
    policy: RetrySafetyPolicy,
    given: Given,
    failure: AttemptFailure,
    assessment: Assessment,
}

impl Explained {
    fn json(&self) -> Value {
        let mut explained = object(&self.assessment);
        explained.entry("tool").or_insert(Value::Null);
        explained.insert("explanation".into(), self.why().into());
        explained.insert("policy".into(), json!(self.policy));
        explained.extend(self.given.answers_json(&self.assessment).map(|it| ("report".to_owned(), it)));
        explained.insert("understood".into(), self.given.understood());
        explained.insert("not_used".into(), self.given.unused().into_iter().collect());
        explained.into()
    }

    fn text(&self) -> String {
        let said = object(&self.assessment);
        let value = |name: &str| words(said.get(name).unwrap_or(&Value::Null));
        let mut text = String::new();
        for name in ["recommendation", "reason", "missing_provenance", "tool"] {
            text += &format!("{name:19} {}\n", value(name));
        }
        text += &format!("{:19} {}\n\n{}\n\n", "policy", words(&json!(self.policy)), self.why());
        let message = match &*self.failure.message {
            "" => String::new(),
            message => format!(" ({})", one_line(message, 160)),
        };
        text += &self.given.answers(&self.assessment, self.policy);
        text += &format!("cause: {}{message}\nfacts:\n", self.failure.cause);
        text += &facts(&self.failure.facts);
        text += &self.given.offered();
        text += &unused(&self.given);
        text
    }

    /// The reason, in a sentence.
    fn why(&self) -> String {
        let lacks_effects = self.assessment.reason == Reason::SideEffectFactsIncomplete;
        match self.given.undeclared().filter(|_| lacks_effects) {
            Some(tools) => {
                format!(
                    "It is not declared what {tools} can change, and this policy needs that for a safe retry."
                )
            }
            None => why(&self.assessment),
        }
    }
}

fn facts(facts: &AttemptFacts) -> String {
    let fact = |name: &str, fact: Option<bool>| {
        let known = match fact {
            Some(true) => "yes",
            Some(false) => "no",
            None => "not known",
        };
        format!("  {name:27} {known}\n")
    };
    let started = match &facts.started[..] {
        [] => "none".to_owned(),
        tools => tools.iter().map(|it| one_line(it, 80)).collect::<Vec<_>>().join(", "),
    };
    [
        fact("provider_progress", facts.provider_progress),
        fact("visible_output", facts.visible_output),
        fact("tool_input_started", facts.tool_input_started),
        fact("tool_call_materialized", facts.tool_call_materialized),
        fact("tool_execution_started", facts.tool_execution_started),
        fact("unsafe_side_effect_started", facts.unsafe_side_effect_started),
        format!("  {:27} {started}\n", "started"),
    ]
    .concat()
}

/// The parts of the document that were not used, with the name that was perhaps meant.
fn unused(given: &Given) -> String {
    let unused = given.unused();
    if unused.is_empty() {
        return String::new();
    }
    let mut text = "kept, but not used:\n".to_owned();
    for (place, value) in unused {
        let near = match near(&place, given.places()) {
            Some(near) => format!(" (did you mean {near}?)"),
            None => String::new(),
        };
        text += &format!("  {} = {}{near}\n", one_line(&place, 80), one_line(&value.to_string(), 160));
    }
    text
}

/// The known place whose name is nearest, at any depth; none if the place itself is known.
fn near(place: &str, places: &'static [&'static str]) -> Option<&'static str> {
    if places.contains(&place) {
        return None;
    }
    let near = nearest(name(place), places.iter().copied().map(name))?;
    places.iter().copied().find(|it| name(it) == near)
}

/// The last part of the name of a place.
fn name(place: &str) -> &str {
    place.rsplit('.').next().unwrap_or_default()
}

/// The reason, in a sentence.
fn why(assessment: &Assessment) -> String {
    let tool = || match &assessment.tool {
        Some(tool) => format!("`{}`", one_line(tool, 80)),
        None => "An unnamed tool".to_owned(),
    };
    match assessment.reason {
        Reason::RequestRejected => {
            "The provider refused the request itself: the same request would be refused again.".into()
        }
        Reason::UnsafeExecutionStarted => format!(
            "{} began to run and may change something: a second run may take effect twice.",
            tool()
        ),
        Reason::ProviderExecutedTool => {
            format!("The provider itself runs {} during the attempt: it is unknown whether it ran.", tool())
        }
        Reason::SideEffectFactsIncomplete => format!(
            "It is not declared what {} can change, and this policy needs that for a safe retry.",
            tool()
        ),
        Reason::AttemptFactsIncomplete => {
            "It is not known whether a tool began to run, and one on offer may change something.".into()
        }
        Reason::RequestNeverSent => {
            "No connection was made, so the request was never sent: nothing can be done twice.".into()
        }
        Reason::EarlyTransportFailure => {
            "The attempt broke before the first sign of progress. Nothing began, so nothing can be done twice.".into()
        }
        Reason::VisibleOutputOnly => {
            "The user saw text, but no call began: only the text can appear twice.".into()
        }
        Reason::NoToolExecuted => {
            "The provider was working, but no tool ran: nothing can be done twice.".into()
        }
        Reason::OnlyHarmlessExecutions => {
            "The calls that ran change nothing, so running them again is harmless.".into()
        }
    }
}
