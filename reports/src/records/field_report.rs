//! A failed attempt as the agent of the field report exports it, key by key (`docs/field.md#the-refused-request`).
//!
//! It counts the tools on offer instead of naming them, and it has answers of its own. Both are read; what else it has
//! is kept and shown.

use balk_contract::{AttemptCause, AttemptFacts, AttemptFailure, Effect, Offer, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::incident::BadIncident;
use super::kept::Kept;

/// The export of one failed attempt, for `balk explain retry`. A null or missing fact is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FieldReport {
    /// What the exporting agent takes the failure for.
    pub classification: Classification,
    /// The same with details, as one key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary_key: Option<String>,
    /// The provider sent something.
    pub provider_progress_seen: Option<bool>,
    /// The user saw text.
    pub visible_output_seen: Option<bool>,
    /// The arguments of a call began to arrive.
    pub tool_input_started: Option<bool>,
    /// A complete call arrived.
    pub tool_call_materialized: Option<bool>,
    /// A tool began to run.
    pub tool_execution_started: Option<bool>,
    /// A tool began to run that may change something.
    pub unsafe_side_effect_started: Option<bool>,
    /// What was on offer, in counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_effect_boundary_snapshot: Option<Kept<BoundarySnapshot>>,
    /// The agent's first answer, from the facts alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_safety: Option<Kept<ReportedAnswer>>,
    /// What the agent did in the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incident: Option<Kept<ReportedIncident>>,
}

/// What the exporting agent takes a failure for. It has further classes, which are no broken attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Classification {
    /// The provider or the network ended the stream.
    ExternalStreamDisconnect,
}

/// What was on offer, in counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BoundarySnapshot {
    /// All tools.
    pub exposed_tool_count: u32,
    /// Those whose effect is not declared; no more than all.
    pub unknown_tool_count: u32,
    /// Whether the provider runs one of them itself; if it is not said, it is taken not to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_executed_capability_present: Option<bool>,
    /// Whether the agent could prove that nothing on offer had an effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof_result: Option<String>,
    /// Why, or why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof_reason: Option<String>,
}

/// An answer of the exporting agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportedAnswer {
    /// What it recommends.
    pub recommendation: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What the exporting agent did in the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportedIncident {
    /// Its answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Kept<ReportedAnswer>>,
    /// The facts that it lacked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_provenance: Vec<String>,
}

/// Every known place of a field report, as [`Kept::unused`] names places.
pub const REPORT_PLACES: [&str; 22] = [
    "classification",
    "summary_key",
    "provider_progress_seen",
    "visible_output_seen",
    "tool_input_started",
    "tool_call_materialized",
    "tool_execution_started",
    "unsafe_side_effect_started",
    "side_effect_boundary_snapshot",
    "side_effect_boundary_snapshot.exposed_tool_count",
    "side_effect_boundary_snapshot.unknown_tool_count",
    "side_effect_boundary_snapshot.provider_executed_capability_present",
    "side_effect_boundary_snapshot.proof_result",
    "side_effect_boundary_snapshot.proof_reason",
    "retry_safety",
    "retry_safety.recommendation",
    "retry_safety.reason",
    "incident",
    "incident.recovery",
    "incident.recovery.recommendation",
    "incident.recovery.reason",
    "incident.missing_provenance",
];

impl FieldReport {
    /// The attempt as guards see it.
    #[must_use]
    pub fn failure(&self) -> AttemptFailure {
        let cause = match self.classification {
            Classification::ExternalStreamDisconnect => AttemptCause::Disconnected,
        };
        let facts = AttemptFacts {
            provider_progress: self.provider_progress_seen,
            visible_output: self.visible_output_seen,
            tool_input_started: self.tool_input_started,
            tool_call_materialized: self.tool_call_materialized,
            tool_execution_started: self.tool_execution_started,
            unsafe_side_effect_started: self.unsafe_side_effect_started,
            started: Vec::new(),
        };
        AttemptFailure {
            attempt: 1,
            cause,
            message: self.summary_key.as_deref().unwrap_or_default().into(),
            facts,
        }
    }

    /// An offer with one tool of each kind that the counts speak of. Their names are made up. A tool with a declared
    /// effect may change something. Without counts, an effect is not declared.
    ///
    /// # Errors
    /// More tools are unknown than there are.
    pub fn offer(&self) -> Result<Offer, BadIncident> {
        let Some(snapshot) = self.snapshot() else { return Ok(Offer::new([Tool::new("unknown")])) };
        let (all, unknown) = (snapshot.exposed_tool_count, snapshot.unknown_tool_count);
        if unknown > all {
            return Err(BadIncident {
                place: "side_effect_boundary_snapshot.unknown_tool_count",
                expected: "no more than `exposed_tool_count`",
                found: format!("{unknown}, of {all}"),
            });
        }
        let undeclared = (unknown > 0).then(|| Tool::new("unknown"));
        let declared = (all > unknown).then(|| Tool::new("declared").effect(Effect::External));
        let of_provider = (snapshot.provider_executed_capability_present == Some(true))
            .then(|| Tool::new("provider").effect(Effect::External).provider_executed());
        Ok(Offer::new([undeclared, declared, of_provider].into_iter().flatten()))
    }

    /// What was on offer.
    #[must_use]
    pub fn snapshot(&self) -> Option<&BoundarySnapshot> {
        self.side_effect_boundary_snapshot.as_ref().map(|it| &it.known)
    }

    /// The answers of the exporting agent, each with its place.
    pub fn answers(&self) -> impl Iterator<Item = (&'static str, &ReportedAnswer)> {
        let first = self.retry_safety.as_ref().map(|it| ("retry_safety", &it.known));
        let last = self.incident.as_ref().and_then(|it| it.known.recovery.as_ref());
        first.into_iter().chain(last.map(|it| ("incident.recovery", &it.known)))
    }

    /// The facts that the exporting agent lacked.
    #[must_use]
    pub fn missing_provenance(&self) -> &[String] {
        self.incident.as_ref().map_or(&[], |it| &it.known.missing_provenance)
    }
}

impl Kept<FieldReport> {
    /// Every unused member of the document, by its place.
    #[must_use]
    pub fn unused(&self) -> Vec<(String, Value)> {
        let report = &self.known;
        let mut all = Vec::new();
        let mut add = |place: &str, unknown: &Map<String, Value>| {
            all.extend(unknown.iter().map(|(name, value)| (format!("{place}{name}"), value.clone())));
        };
        add("", &self.unknown);
        if let Some(snapshot) = &report.side_effect_boundary_snapshot {
            add("side_effect_boundary_snapshot.", &snapshot.unknown);
        }
        if let Some(answer) = &report.retry_safety {
            add("retry_safety.", &answer.unknown);
        }
        if let Some(incident) = &report.incident {
            add("incident.", &incident.unknown);
            if let Some(recovery) = &incident.known.recovery {
                add("incident.recovery.", &recovery.unknown);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Kept<FieldReport> {
        serde_json::from_str(text).expect("it is a report")
    }

    #[test]
    fn every_place_of_the_schema_is_known() {
        let schema = serde_json::to_value(schemars::schema_for!(Kept<FieldReport>)).expect("plain data");
        let members = |schema: &Value, place: &str| -> Vec<String> {
            let members = schema["properties"].as_object().expect("an object's schema");
            members.keys().map(|it| format!("{place}{it}")).collect()
        };
        let mut places = members(&schema, "");
        for (name, place) in [
            ("BoundarySnapshot", "side_effect_boundary_snapshot."),
            ("ReportedAnswer", "retry_safety."),
            ("ReportedAnswer", "incident.recovery."),
            ("ReportedIncident", "incident."),
        ] {
            places.extend(members(&schema["$defs"][name], place));
        }
        places.sort();
        let mut known = REPORT_PLACES.to_vec();
        known.sort_unstable();
        assert_eq!(places, known);
    }

    #[test]
    fn r5_counts_are_an_offer() {
        let offer = |snapshot: &str| {
            let report = read(&format!(
                r#"{{"classification": "external_stream_disconnect", "side_effect_boundary_snapshot": {snapshot}}}"#
            ));
            report.known.offer().map(|offer| {
                offer.tools().iter().map(|it| (it.effect, it.provider_executed)).collect::<Vec<_>>()
            })
        };
        let (unknown, external) = ((Effect::Unknown, false), (Effect::External, false));
        let counts = |all: u32, unknown: u32| {
            format!(r#"{{"exposed_tool_count": {all}, "unknown_tool_count": {unknown}}}"#)
        };
        assert_eq!(offer(&counts(16, 10)), Ok(vec![unknown, external]));
        assert_eq!(offer(&counts(16, 0)), Ok(vec![external]));
        assert_eq!(offer(&counts(3, 3)), Ok(vec![unknown]));
        assert_eq!(offer(&counts(0, 0)), Ok(vec![]));
        assert_eq!(offer("null"), Ok(vec![unknown]), "what is not said is not known");
        let of_provider = r#""unknown_tool_count": 0, "provider_executed_capability_present": true"#;
        assert_eq!(
            offer(&format!(r#"{{"exposed_tool_count": 1, {of_provider}}}"#)),
            Ok(vec![external, (Effect::External, true)])
        );
        let error = offer(&counts(3, 4)).expect_err("more than there are").to_string();
        let expected = "expected no more than `exposed_tool_count`, found 4, of 3";
        assert_eq!(error, format!("side_effect_boundary_snapshot.unknown_tool_count: {expected}"));
    }

    #[test]
    fn r5_what_is_not_understood_is_kept_and_shown() {
        let report = read(
            r#"{"classification": "external_stream_disconnect", "run_id": "r", "retry_safety": {"recommendation": "x",
                "confidence": "high"}, "side_effect_boundary_snapshot": {"exposed_tool_count": 1,
                "unknown_tool_count": 1, "external_boundary_present": false}, "incident": {"id": 1,
                "recovery": {"recommendation": "y", "mode": "stop"}}}"#,
        );
        let unused: Vec<_> =
            report.unused().into_iter().map(|(place, value)| format!("{place}={value}")).collect();
        let expected = [
            "run_id=\"r\"",
            "side_effect_boundary_snapshot.external_boundary_present=false",
            "retry_safety.confidence=\"high\"",
            "incident.id=1",
            "incident.recovery.mode=\"stop\"",
        ];
        assert_eq!(unused, expected);
        assert_eq!(read(&serde_json::json!(report).to_string()).unused(), []);
    }
}
