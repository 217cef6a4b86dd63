//! The description of a failed attempt: its cause, how far it came, and the offer.
//!
//! Unknown members are kept and shown. A fact that was not understood must not look like one that was weighed.

use std::fmt;

use balk_contract::{AttemptCause, AttemptFacts, AttemptFailure, Effect, Offer, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::kept::Kept;

/// One failed attempt at a completion, for `balk explain retry`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend(
    "if" = json!({"properties": {"cause": {"const": "status"}}}),
    "then" = json!({"required": ["status"], "properties": {"status": {"type": "integer"}}})
))]
pub struct Incident {
    /// Why it failed.
    pub cause: IncidentCause,
    /// The HTTP status of the refusal, if the cause is `status`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 400, max = 599))]
    pub status: Option<u16>,
    /// Milliseconds that the provider asks to wait before a retry, if the cause is `status`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The message of the provider or the network.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// How far the attempt came.
    #[serde(default)]
    pub facts: Kept<IncidentFacts>,
    /// The tools on offer; an empty list if there were none.
    pub offer: Vec<Kept<IncidentTool>>,
}

/// Why an attempt failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IncidentCause {
    /// The completion was empty.
    Empty,
    /// No connection was made.
    Connect,
    /// The provider took too long.
    TimedOut,
    /// The connection broke off.
    Disconnected,
    /// The provider refused the request with an HTTP status.
    Status,
}

/// How far an attempt came. A null or missing fact is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IncidentFacts {
    /// The provider sent something, such as a keep-alive or thinking.
    pub provider_progress: Option<bool>,
    /// The user saw text.
    pub visible_output: Option<bool>,
    /// The arguments of a call began to arrive.
    pub tool_input_started: Option<bool>,
    /// A complete call arrived.
    pub tool_call_materialized: Option<bool>,
    /// A tool began to run.
    pub tool_execution_started: Option<bool>,
    /// A tool began to run that may change something.
    pub unsafe_side_effect_started: Option<bool>,
    /// The tools that began to run, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub started: Vec<String>,
}

/// A tool that was on offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IncidentTool {
    /// Its name.
    pub name: String,
    /// What a call can change; null or missing if not declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_effect: Option<SideEffect>,
    /// Who runs it.
    #[serde(default)]
    pub executed_by: Executor,
}

/// What a call can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SideEffect {
    /// Nothing.
    ReadOnly,
    /// Something, but an identical second call changes nothing more.
    IdempotentWrite,
    /// Something, with every call.
    Write,
    /// The world outside the workspace.
    External,
    /// Not declared.
    Unknown,
}

/// Who runs a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Executor {
    /// The agent's loop, which sees the call.
    #[default]
    Loop,
    /// The provider, within the attempt, where the loop cannot see the call.
    Provider,
}

/// Every known place of an incident, as [`Kept::unused`] names places.
pub const INCIDENT_PLACES: [&str; 16] = [
    "cause",
    "status",
    "retry_after_ms",
    "message",
    "facts",
    "offer",
    "facts.provider_progress",
    "facts.visible_output",
    "facts.tool_input_started",
    "facts.tool_call_materialized",
    "facts.tool_execution_started",
    "facts.unsafe_side_effect_started",
    "facts.started",
    "offer[].name",
    "offer[].side_effect",
    "offer[].executed_by",
];

/// An incident that contradicts itself or is incomplete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadIncident {
    /// The bad member.
    pub place: &'static str,
    /// The expected value.
    pub expected: &'static str,
    /// The value that was found.
    pub found: String,
}

impl fmt::Display for BadIncident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, found {}", self.place, self.expected, self.found)
    }
}

impl std::error::Error for BadIncident {}

impl Incident {
    /// The attempt as guards see it.
    ///
    /// # Errors
    /// The cause is `status`, but the status is missing or is not a refusal.
    pub fn failure(&self) -> Result<AttemptFailure, BadIncident> {
        let cause = match (self.cause, self.status) {
            (IncidentCause::Empty, _) => AttemptCause::Empty,
            (IncidentCause::Connect, _) => AttemptCause::Connect,
            (IncidentCause::TimedOut, _) => AttemptCause::TimedOut,
            (IncidentCause::Disconnected, _) => AttemptCause::Disconnected,
            (IncidentCause::Status, Some(code @ 400..=599)) => {
                AttemptCause::Status { code, retry_after: self.retry_after_ms }
            }
            (IncidentCause::Status, status) => {
                let found = status.map_or_else(|| "nothing".to_owned(), |it| it.to_string());
                let expected = "the HTTP status of the refusal, from 400 to 599";
                return Err(BadIncident { place: "status", expected, found });
            }
        };
        let message = self.message.as_str().into();
        Ok(AttemptFailure { attempt: 1, cause, message, facts: AttemptFacts::from(&self.facts.known) })
    }

    /// The offer as guards see it.
    #[must_use]
    pub fn offer(&self) -> Offer {
        Offer::new(self.offer.iter().map(|it| Tool::from(&it.known)))
    }
}

impl Kept<Incident> {
    /// The incident as it was understood; written, it has no unused member.
    #[must_use]
    pub fn understood(&self) -> Incident {
        let mut understood = self.known.clone();
        if understood.cause != IncidentCause::Status {
            understood.status = None;
            understood.retry_after_ms = None;
        }
        understood
    }

    /// Every unused member of the document, by its place.
    #[must_use]
    pub fn unused(&self) -> Vec<(String, Value)> {
        let Incident { cause, status, retry_after_ms, facts, offer, .. } = &self.known;
        let mut all = Vec::new();
        if *cause != IncidentCause::Status {
            all.extend(status.map(|it| ("status".to_owned(), it.into())));
            all.extend(retry_after_ms.map(|it| ("retry_after_ms".to_owned(), it.into())));
        }
        let tools = offer.iter().enumerate().map(|(at, it)| (format!("offer[{at}]."), &it.unknown));
        let places = [(String::new(), &self.unknown), ("facts.".to_owned(), &facts.unknown)];
        for (place, unknown) in places.into_iter().chain(tools) {
            all.extend(unknown.iter().map(|(name, value)| (format!("{place}{name}"), value.clone())));
        }
        all
    }
}

impl From<&IncidentFacts> for AttemptFacts {
    fn from(facts: &IncidentFacts) -> Self {
        Self {
            provider_progress: facts.provider_progress,
            visible_output: facts.visible_output,
            tool_input_started: facts.tool_input_started,
            tool_call_materialized: facts.tool_call_materialized,
            tool_execution_started: facts.tool_execution_started,
            unsafe_side_effect_started: facts.unsafe_side_effect_started,
            started: facts.started.iter().map(|it| it.as_str().into()).collect(),
        }
    }
}

impl From<&IncidentTool> for Tool {
    fn from(tool: &IncidentTool) -> Self {
        let made = Self::new(&tool.name).effect(tool.side_effect.map_or(Effect::Unknown, Effect::from));
        match tool.executed_by {
            Executor::Loop => made,
            Executor::Provider => made.provider_executed(),
        }
    }
}

impl From<SideEffect> for Effect {
    fn from(it: SideEffect) -> Self {
        match it {
            SideEffect::ReadOnly => Self::ReadOnly,
            SideEffect::IdempotentWrite => Self::IdempotentWrite,
            SideEffect::Write => Self::Write,
            SideEffect::External => Self::External,
            SideEffect::Unknown => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Kept<Incident> {
        serde_json::from_str(text).expect("it is an incident")
    }

    #[test]
    fn r5_what_is_not_said_is_not_known() {
        let incident = read(r#"{"cause": "disconnected", "facts": {"visible_output": null}, "offer": []}"#);
        let failure = incident.known.failure().expect("it is whole");
        assert_eq!(failure.facts, AttemptFacts::from(&IncidentFacts::default()));
        assert_eq!(failure.facts.tool_execution_started, None);
    }

    #[test]
    fn r5_what_is_not_understood_is_kept_and_shown() {
        let text = r#"{"cause":"connect","status":503,"facts":{"phase":"tls"},
            "offer":[{"name":"a","executed_by":"loop","x":[1]}],"id":7}"#;
        let incident = read(text);
        let unused: Vec<_> =
            incident.unused().into_iter().map(|(place, value)| format!("{place}={value}")).collect();
        assert_eq!(unused, ["status=503", "id=7", "facts.phase=\"tls\"", "offer[0].x=[1]"]);
        let understood = json!({"cause": "connect", "facts": {"provider_progress": null, "visible_output": null,
            "tool_input_started": null, "tool_call_materialized": null, "tool_execution_started": null,
            "unsafe_side_effect_started": null}, "offer": [{"name": "a", "executed_by": "loop"}]});
        assert_eq!(json!(incident.understood()), understood);
        assert_eq!(read(&understood.to_string()).unused(), []);
    }

    #[test]
    fn every_place_of_the_schema_is_known() {
        let schema = serde_json::to_value(schemars::schema_for!(Kept<Incident>)).expect("plain data");
        let members = |schema: &Value, place: &str| -> Vec<String> {
            let members = schema["properties"].as_object().expect("an object's schema");
            members.keys().map(|it| format!("{place}{it}")).collect()
        };
        let mut places = members(&schema, "");
        places.extend(members(&schema["$defs"]["IncidentFacts"], "facts."));
        places.extend(members(&schema["$defs"]["IncidentTool"], "offer[]."));
        places.sort();
        let mut known = INCIDENT_PLACES.to_vec();
        known.sort_unstable();
        assert_eq!(places, known);
    }

    #[test]
    fn a_refusal_has_a_status() {
        let error = |text| read(text).known.failure().expect_err("it is not whole").to_string();
        let expected = "status: expected the HTTP status of the refusal, from 400 to 599, found";
        assert_eq!(error(r#"{"cause": "status", "offer": []}"#), format!("{expected} nothing"));
        assert_eq!(error(r#"{"cause": "status", "status": 200, "offer": []}"#), format!("{expected} 200"));
    }
}
