//! A broken attempt as somebody wrote it down: what broke, how far it came, and what was on offer.
//!
//! What a reader of this version does not know is kept and shown: a fact that nobody understood must not look
//! like one that was weighed.

use std::fmt;

use balk_contract::{AttemptCause, AttemptFacts, AttemptFailure, Effect, Offer, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// One attempt at an answer that broke off, for `balk explain retry`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend(
    "if" = json!({"properties": {"cause": {"const": "status"}}}),
    "then" = json!({"required": ["status"], "properties": {"status": {"type": "integer"}}})
))]
pub struct Incident {
    /// Why it broke.
    pub cause: IncidentCause,
    /// The HTTP status of the refusal, where the cause is `status`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 400, max = 599))]
    pub status: Option<u16>,
    /// Milliseconds after which the provider wants to be asked again, where the cause is `status`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// What the provider or the network said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// How far it came.
    #[serde(default)]
    pub facts: IncidentFacts,
    /// The tools on offer; an empty list where there were none.
    pub offer: Vec<IncidentTool>,
    /// What else stands there.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// Why an attempt broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IncidentCause {
    /// An answer came with nothing in it.
    Empty,
    /// No connection came about.
    Connect,
    /// The provider took too long.
    TimedOut,
    /// The connection broke off.
    Disconnected,
    /// The provider refused, with an HTTP status.
    Status,
}

/// How far an attempt came. What is null or not there is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IncidentFacts {
    /// The provider sent something, be it a sign of life or thinking.
    pub provider_progress: Option<bool>,
    /// The user saw text.
    pub visible_output: Option<bool>,
    /// The arguments of a call began to arrive.
    pub tool_input_started: Option<bool>,
    /// A call arrived whole.
    pub tool_call_materialized: Option<bool>,
    /// A tool began to run.
    pub tool_execution_started: Option<bool>,
    /// Something began that is not known to change nothing.
    pub unsafe_side_effect_started: Option<bool>,
    /// The tools that began to run, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub started: Vec<String>,
    /// What else stands there.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// A tool that was on offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IncidentTool {
    /// Its name.
    pub name: String,
    /// What a call can change; null or not there where nobody declared it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_effect: Option<SideEffect>,
    /// Who runs it.
    #[serde(default)]
    pub executed_by: Executor,
    /// What else stands there.
    #[serde(flatten)]
    pub unknown: Map<String, Value>,
}

/// What a call can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SideEffect {
    /// Nothing.
    ReadOnly,
    /// Something, and a second equal call changes nothing more.
    IdempotentWrite,
    /// Something, each time.
    Write,
    /// The world outside of the workspace.
    External,
    /// Nobody declared it.
    Unknown,
}

/// Who runs a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Executor {
    /// The agent's loop, which sees it.
    #[default]
    Loop,
    /// The provider, inside of the attempt, where nobody sees it.
    Provider,
}

/// Every place of an incident that is understood, as [`Incident::unused`] names places.
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

/// An incident that says two things at once, or not enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadIncident {
    /// The member it is about.
    pub place: &'static str,
    /// What should stand there.
    pub expected: &'static str,
    /// What stands there.
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
    /// The cause is `status`, and there is none or none that is a refusal.
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
        Ok(AttemptFailure { attempt: 1, cause, message, facts: AttemptFacts::from(&self.facts) })
    }

    /// The offer as guards see it.
    #[must_use]
    pub fn offer(&self) -> Offer {
        Offer::new(self.offer.iter().map(Tool::from))
    }

    /// The incident without what was not used.
    #[must_use]
    pub fn understood(&self) -> Self {
        let mut understood = self.clone();
        understood.unknown.clear();
        understood.facts.unknown.clear();
        for tool in &mut understood.offer {
            tool.unknown.clear();
        }
        if self.cause != IncidentCause::Status {
            understood.status = None;
            understood.retry_after_ms = None;
        }
        understood
    }

    /// Everything that stands in the document and was not used, by its place.
    #[must_use]
    pub fn unused(&self) -> Vec<(String, Value)> {
        let mut all = Vec::new();
        if self.cause != IncidentCause::Status {
            all.extend(self.status.map(|it| ("status".to_owned(), it.into())));
            all.extend(self.retry_after_ms.map(|it| ("retry_after_ms".to_owned(), it.into())));
        }
        let tools = self.offer.iter().enumerate().map(|(at, it)| (format!("offer[{at}]."), &it.unknown));
        let places = [(String::new(), &self.unknown), ("facts.".to_owned(), &self.facts.unknown)];
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

    fn read(text: &str) -> Incident {
        serde_json::from_str(text).expect("it is an incident")
    }

    #[test]
    fn r5_what_is_not_said_is_not_known() {
        let incident = read(r#"{"cause": "disconnected", "facts": {"visible_output": null}, "offer": []}"#);
        let failure = incident.failure().expect("it is whole");
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
        assert_eq!(read(&serde_json::to_string(&incident).expect("plain data")), incident);
        assert_eq!(incident.understood().unused(), []);
    }

    #[test]
    fn every_place_of_the_schema_is_known() {
        let schema = serde_json::to_value(schemars::schema_for!(Incident)).expect("plain data");
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
        let error = |text| read(text).failure().expect_err("it is not whole").to_string();
        let expected = "status: expected the HTTP status of the refusal, from 400 to 599, found";
        assert_eq!(error(r#"{"cause": "status", "offer": []}"#), format!("{expected} nothing"));
        assert_eq!(error(r#"{"cause": "status", "status": 200, "offer": []}"#), format!("{expected} 200"));
    }
}
