//! What `balk explain retry` is given: an incident, or the export of the agent of the field report.

use std::path::Path;

use balk_guards::retry_safety::{Assessment, Recommendation};
use balk_guards::{AttemptFailure, Offer, RetrySafetyPolicy};
use balk_reports::records::{
    BadIncident, FieldReport, INCIDENT_PLACES, Incident, Kept, REPORT_PLACES, ReportedAnswer,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::words::{object, offer_by_effect, words};
use crate::cli::document;
use crate::error::Error;
use crate::import::{Object, one_line};

/// A description of a failed attempt.
pub(super) enum Given {
    Incident(Kept<Incident>),
    Report(Kept<FieldReport>),
}

/// The member that only a report has, where an incident has its cause.
#[derive(Deserialize)]
struct Told {
    cause: Option<IgnoredAny>,
    classification: Option<IgnoredAny>,
}

impl Given {
    pub(super) fn read(path: &Path, kind: &document::Kind) -> Result<Self, Error> {
        let text = document::text_of(path, kind)?;
        let told = serde_json::from_str(&text);
        let is_report = matches!(told, Ok(Object(Told { cause: None, classification: Some(_) })));
        Ok(match is_report {
            true => Self::Report(document::parse(&text, path, kind)?),
            false => Self::Incident(document::parse(&text, path, kind)?),
        })
    }

    pub(super) fn failure(&self) -> Result<AttemptFailure, BadIncident> {
        match self {
            Self::Incident(it) => it.known.failure(),
            Self::Report(it) => Ok(it.known.failure()),
        }
    }

    pub(super) fn offer(&self) -> Result<Offer, BadIncident> {
        match self {
            Self::Incident(it) => Ok(it.known.offer()),
            Self::Report(it) => it.known.offer(),
        }
    }

    /// Whether its tools have names.
    pub(super) fn has_names(&self) -> bool {
        matches!(self, Self::Incident(_))
    }

    pub(super) fn understood(&self) -> Value {
        match self {
            Self::Incident(it) => json!(it.understood()),
            Self::Report(it) => json!(it),
        }
    }

    pub(super) fn unused(&self) -> Vec<(String, Value)> {
        match self {
            Self::Incident(it) => it.unused(),
            Self::Report(it) => it.unused(),
        }
    }

    pub(super) fn places(&self) -> &'static [&'static str] {
        match self {
            Self::Incident(_) => &INCIDENT_PLACES,
            Self::Report(_) => &REPORT_PLACES,
        }
    }

    /// The tools on offer.
    pub(super) fn offered(&self) -> String {
        let report = match self {
            Self::Incident(it) => return offer_by_effect(&it.known.offer()),
            Self::Report(it) => &it.known,
        };
        let Some(snapshot) = report.snapshot() else {
            return "offer: not known; taken to have a tool without a declared effect\n".into();
        };
        let (all, unknown) = (snapshot.exposed_tool_count, snapshot.unknown_tool_count);
        let mut text =
            format!("offer: {all} tools without names, {unknown} of them without a declared effect\n");
        if let Some(result) = &snapshot.proof_result {
            let reason = snapshot.proof_reason.as_deref().map(|it| format!(" ({it})")).unwrap_or_default();
            text += &format!(
                "  proof that nothing on offer had an effect: {}\n",
                one_line(&format!("{result}{reason}"), 160)
            );
        }
        match snapshot.provider_executed_capability_present {
            Some(true) => text += "  the provider runs one of them itself\n",
            Some(false) => {}
            None => text += "  whether the provider runs one of them itself is not said; taken not to\n",
        }
        text
    }

    /// What the report itself answers, held against this answer.
    pub(super) fn answers(&self, assessment: &Assessment, policy: RetrySafetyPolicy) -> String {
        let Self::Report(Kept { known: report, .. }) = self else { return String::new() };
        let mut text = String::new();
        for (place, answer) in report.answers() {
            let reason = answer.reason.as_deref().map(|it| format!(" ({it})")).unwrap_or_default();
            let said = one_line(&format!("{}{reason}", answer.recommendation), 160);
            let held = match agrees(answer, assessment) {
                Some(true) => "the same answer".to_owned(),
                Some(false) => format!("another answer: {}", weighs(policy)),
                None => "no answer that can be compared".to_owned(),
            };
            text += &format!("  {place}: {said}\n    {held}\n");
        }
        for missing in report.missing_provenance() {
            let held = match is_missing(missing, assessment) {
                true => "missing for this answer, too",
                false => "this answer does not need it",
            };
            text += &format!("  incident.missing_provenance: {}\n    {held}\n", one_line(missing, 160));
        }
        if text.is_empty() { text } else { format!("the report's own answers:\n{text}") }
    }

    /// The same as members of an object; `None` for an incident, which has no answers of its own.
    pub(super) fn answers_json(&self, assessment: &Assessment) -> Option<Value> {
        let Self::Report(Kept { known: report, .. }) = self else { return None };
        let mut answers = Map::new();
        for (place, answer) in report.answers() {
            let (said, reason) = (&answer.recommendation, &answer.reason);
            let agrees = agrees(answer, assessment);
            answers.insert(place.into(), json!({"recommendation": said, "reason": reason, "agrees": agrees}));
        }
        let missing: Vec<_> = report
            .missing_provenance()
            .iter()
            .map(|it| json!({"name": it, "agrees": is_missing(it, assessment)}))
            .collect();
        answers.insert("incident.missing_provenance".into(), missing.into());
        Some(answers.into())
    }

    /// What has no declared effect, for a sentence about it.
    pub(super) fn undeclared(&self) -> Option<String> {
        let Self::Report(Kept { known: report, .. }) = self else { return None };
        Some(match report.snapshot() {
            Some(it) => format!("{} of the {} tools on offer", it.unknown_tool_count, it.exposed_tool_count),
            None => "the tools on offer".to_owned(),
        })
    }
}

/// Whether a report recommends the same; `None` if it recommends something that there is no word for here.
fn agrees(answer: &ReportedAnswer, assessment: &Assessment) -> Option<bool> {
    let recommends = match &*answer.recommendation {
        "candidate_safe_auto_retry" | "auto_retry" | "auto_retry_once" | "retry_automatically" => {
            Recommendation::RetryAutomatically
        }
        "ask_user" | "ask_user_before_retry" => Recommendation::AskUserBeforeRetry,
        "do_not_auto_retry" | "do_not_retry" => Recommendation::DoNotRetry,
        _ => return None,
    };
    Some(recommends == assessment.recommendation)
}

/// Whether this answer lacks the fact, too.
fn is_missing(fact: &str, assessment: &Assessment) -> bool {
    let missing = object(assessment).remove("missing_provenance").unwrap_or_default();
    missing.as_array().is_some_and(|all| all.iter().any(|it| words(it) == fact))
}

/// What a policy weighs.
const fn weighs(policy: RetrySafetyPolicy) -> &'static str {
    match policy {
        RetrySafetyPolicy::Conservative => "this policy also weighs what was merely on offer",
        RetrySafetyPolicy::FastPath => {
            "this policy does not weigh what was merely on offer where nothing began"
        }
        RetrySafetyPolicy::Facts => {
            "this policy weighs what was seen of the attempt, not what was merely on offer"
        }
    }
}
