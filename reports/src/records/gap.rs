//! Gap reports: what an agent lacked in a run, for its maker.

use std::fmt;

use balk_contract::record::{
    CallRecord, CompletionRecord, Drawn, EntryRecord, InterventionRecord, ToolRecord, TrialRecord,
};
use balk_contract::{ChoiceKind, Conclusion, Effect, GapKind, Limit, Origin, Speaker, Status, Termination};
use schemars::JsonSchema;
use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};
use xxhash_rust::xxh3::xxh3_128;

/// The version of gap reports. It rises when an old reader would misread a new report.
pub const GAP_SCHEMA: u32 = 1;

/// What an agent lacked in one run. The same run gives the same report, with the same id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GapReport {
    /// The version of this format.
    #[schemars(extend("const" = GAP_SCHEMA))]
    pub schema: u32,
    /// The version of Balk that wrote it.
    pub balk: String,
    /// A hash of all other members, as 32 hexadecimal digits.
    #[schemars(regex(pattern = "^[0-9a-f]{32}$"))]
    #[serde(deserialize_with = "id")]
    pub id: String,
    /// Where it happened.
    pub run: GapRun,
    /// The task: the first message of the user.
    pub task: String,
    /// The kind of gap.
    pub kind: Lacking,
    /// The missing command, path or tool, as far as the run shows; empty if it does not.
    pub missing: String,
    /// What was tried with each tool.
    pub tried: Vec<TriedTool>,
    /// Why it does not work.
    pub explanation: String,
    /// What a person could do about it.
    pub could_do: Vec<String>,
    /// How to continue afterwards.
    pub resume: String,
    /// What was done before, and remains.
    pub changes: Vec<Changes>,
    /// How the run was about to end.
    pub end: Ending,
    /// The error, if something failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A run, by what reproduces it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GapRun {
    /// The scenario's name.
    pub scenario: String,
    /// The seed, as text, because readers of JSON round large numbers.
    #[schemars(regex(pattern = "^[0-9]+$"))]
    #[serde(deserialize_with = "seed")]
    pub seed: String,
    /// The guards, as on the command line.
    pub guard: String,
    /// Values that replace those of the scenario's file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<Drawn>,
}

/// What an agent can lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lacking {
    /// No tool can do the task.
    MissingCapability,
    /// A file, a folder or another input is missing.
    MissingInput,
    /// The model cannot write a valid call.
    MalformedCall,
    /// Nothing is missing, but there is no progress.
    NoProgress,
}

/// What was tried with one tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TriedTool {
    /// The tool.
    pub tool: String,
    /// Calls.
    pub calls: u32,
    /// Failed calls.
    pub failures: u32,
    /// The last error; missing if a later call of the tool succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
}

/// Successful calls of a tool that may change something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Changes {
    /// The tool.
    pub tool: String,
    /// Successful calls.
    pub calls: u32,
    /// False if the effect of the tool is not declared, so that it may have changed nothing.
    pub known: bool,
}

/// How a run was about to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// The model finished.
    Finished,
    /// There was no progress.
    NoProgress,
    /// Something failed that a retry cannot mend.
    FatalExecution,
    /// A guard stopped it.
    StoppedByGuard,
    /// The user stopped it.
    StoppedByUser,
    /// The limit on turns.
    TurnsSpent,
    /// The limit on attempts in a turn.
    AttemptsSpent,
    /// The limit on calls.
    CallsSpent,
    /// The limit on interventions.
    InterventionsSpent,
    /// The limit on questions.
    QuestionsSpent,
    /// A guard broke.
    GuardFault,
}

/// An id, as the schema describes it.
fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let is_digit = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    checked(deserializer, "32 hexadecimal digits", |it| it.len() == 32 && it.chars().all(is_digit))
}

/// A seed, as the schema describes it.
fn seed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    checked(deserializer, "decimal digits", |it| !it.is_empty() && it.chars().all(|c| c.is_ascii_digit()))
}

fn checked<'de, D: Deserializer<'de>>(
    deserializer: D,
    expected: &str,
    is: impl Fn(&str) -> bool,
) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if is(&text) { Ok(text) } else { Err(D::Error::invalid_value(Unexpected::Str(&text), &expected)) }
}

impl GapReport {
    /// The report on a conclusion and the entries before it; none if the conclusion has no gap.
    #[must_use]
    pub fn new(run: &GapRun, before: &[EntryRecord], conclusion: &Conclusion) -> Option<Self> {
        let gap = conclusion.gap.as_ref()?;
        let (end, error) = ending(&conclusion.end);
        let mut report = Self {
            schema: GAP_SCHEMA,
            balk: env!("CARGO_PKG_VERSION").into(),
            id: String::new(),
            run: run.clone(),
            task: task(before).to_owned(),
            kind: gap.kind.into(),
            missing: gap.missing.to_string(),
            tried: gap
                .tried
                .iter()
                .map(|it| TriedTool {
                    tool: it.tool.to_string(),
                    calls: it.calls,
                    failures: it.failures,
                    last_error: it.last_error.as_deref().map(str::to_owned),
                })
                .collect(),
            explanation: gap.explanation.to_string(),
            could_do: gap.could_do.iter().map(ToString::to_string).collect(),
            resume: gap.resume.to_string(),
            changes: changes(before),
            end,
            error,
        };
        let content = serde_json::to_vec(&report).expect("a report is plain data");
        report.id = format!("{:032x}", xxh3_128(&content));
        Some(report)
    }

    /// The gap in one line: its kind, and what is missing if the run shows it.
    #[must_use]
    pub fn lacking(&self) -> String {
        match &*self.missing {
            "" => self.kind.words().to_owned(),
            missing => format!("{}: {missing}", self.kind.words()),
        }
    }
}

/// A gap in a trial, and the choice of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedOver {
    /// The report.
    pub report: GapReport,
    /// What the user chose; none if they were not asked or did not answer.
    pub choice: Option<ChoiceKind>,
}

/// All gaps of a trial, in order.
#[must_use]
pub fn gaps(record: &TrialRecord) -> Vec<HandedOver> {
    let run = GapRun {
        scenario: record.scenario.clone(),
        seed: record.seed.clone(),
        guard: record.guard.clone(),
        set: record.set.clone(),
    };
    let mut all = Vec::new();
    for (at, entry) in record.entries.iter().enumerate() {
        let EntryRecord::Conclusion(conclusion) = entry else { continue };
        let (before, after) = (&record.entries[..at], &record.entries[at + 1..]);
        // The question is between the conclusion and the answer.
        let choice = match after {
            [EntryRecord::Intervention(_), EntryRecord::Answer(answer), ..] => Some(answer.choice),
            _ => None,
        };
        all.extend(GapReport::new(&run, before, conclusion).map(|report| HandedOver { report, choice }));
    }
    all
}

/// The first message of the user.
fn task(entries: &[EntryRecord]) -> &str {
    let said = entries.iter().find_map(|entry| {
        let EntryRecord::User { from: Speaker::User, text } = entry else { return None };
        Some(&**text)
    });
    said.unwrap_or_default()
}

/// The successful calls by tool, in the order of the first one.
fn changes(entries: &[EntryRecord]) -> Vec<Changes> {
    let mut all: Vec<Changes> = Vec::new();
    let (mut offer, mut called): (&[ToolRecord], &[CallRecord]) = (&[], &[]);
    for entry in entries {
        if let EntryRecord::Start { tools, .. } = entry {
            offer = tools;
        }
        if let EntryRecord::Completion(CompletionRecord { calls, .. }) = entry {
            called = calls;
        }
        // The results that follow are those of the repaired calls.
        if let EntryRecord::Intervention(InterventionRecord { completion: Some(repaired), .. }) = entry {
            called = &repaired.calls;
        }
        let EntryRecord::Result(result) = entry else { continue };
        let worked = result.origin == Origin::Executed && result.status != Status::Error;
        let Some(call) = called.iter().find(|it| worked && it.id == result.call) else { continue };
        let declared = offer.iter().find(|it| it.name == call.tool);
        let effect = call.effect.unwrap_or_else(|| declared.map_or(Effect::Unknown, |it| it.effect));
        if effect == Effect::ReadOnly {
            continue;
        }
        match all.iter_mut().find(|it| *it.tool == *call.tool) {
            Some(it) => it.calls += 1,
            None => {
                let known = effect.is_known_change();
                all.push(Changes { tool: call.tool.to_string(), calls: 1, known });
            }
        }
    }
    all
}

fn ending(end: &Termination) -> (Ending, Option<String>) {
    let plain = match end {
        Termination::FatalExecution(why) => return (Ending::FatalExecution, Some(why.to_string())),
        Termination::GuardFault(why) => return (Ending::GuardFault, Some(why.to_string())),
        Termination::Finished => Ending::Finished,
        Termination::NoProgress => Ending::NoProgress,
        Termination::StoppedByGuard => Ending::StoppedByGuard,
        Termination::StoppedByUser => Ending::StoppedByUser,
        Termination::Limit(Limit::Turns) => Ending::TurnsSpent,
        Termination::Limit(Limit::Attempts) => Ending::AttemptsSpent,
        Termination::Limit(Limit::Calls) => Ending::CallsSpent,
        Termination::Limit(Limit::Interventions) => Ending::InterventionsSpent,
        Termination::Limit(Limit::Questions) => Ending::QuestionsSpent,
    };
    (plain, None)
}

impl fmt::Display for TriedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let calls = if self.calls == 1 { "call" } else { "calls" };
        write!(f, "{}: {} {calls}, {} failed", self.tool, self.calls, self.failures)?;
        match &self.last_error {
            Some(error) => write!(f, "; last: {error}"),
            None => Ok(()),
        }
    }
}

impl From<GapKind> for Lacking {
    fn from(kind: GapKind) -> Self {
        match kind {
            GapKind::MissingCapability => Self::MissingCapability,
            GapKind::MissingInput => Self::MissingInput,
            GapKind::MalformedCall => Self::MalformedCall,
            GapKind::NoProgress => Self::NoProgress,
        }
    }
}

impl Lacking {
    const fn words(self) -> &'static str {
        match self {
            Self::MissingCapability => "missing capability",
            Self::MissingInput => "missing input",
            Self::MalformedCall => "malformed call",
            Self::NoProgress => "no progress",
        }
    }
}

#[cfg(test)]
mod tests {
    use balk_contract::record::ResultRecord;
    use balk_contract::{FinishReason, Note, Protocol, Purpose, Subject, Usage};

    use super::*;

    /// A tool of each effect, and `odd`, which is not on offer.
    fn start() -> EntryRecord {
        let tool = |name: &str, effect| ToolRecord {
            name: name.into(),
            original: name.into(),
            description: "".into(),
            parameters: "{}".into(),
            effect,
            purpose: Purpose::default(),
            provider_executed: false,
        };
        let tools = vec![
            tool("read", Effect::ReadOnly),
            tool("write", Effect::IdempotentWrite),
            tool("mail", Effect::External),
            tool("bash", Effect::Unknown),
        ];
        EntryRecord::Start { model: "m".into(), protocol: Protocol::Text, tools }
    }

    /// A completion with these calls; each has its tool as its id.
    fn completion(tools: &[&str]) -> CompletionRecord {
        let call = |tool: &&str| CallRecord {
            id: (*tool).into(),
            tool: (*tool).into(),
            arguments: "{}".into(),
            effect: None,
        };
        CompletionRecord {
            parts: Vec::new(),
            calls: tools.iter().map(call).collect(),
            finish: FinishReason::ToolCall,
            usage: Usage::default(),
        }
    }

    fn result(call: &str, origin: Origin, status: Status) -> EntryRecord {
        EntryRecord::Result(ResultRecord { call: call.into(), origin, status, tries: 1, text: "".into() })
    }

    fn ok(call: &str) -> EntryRecord {
        result(call, Origin::Executed, Status::Ok)
    }

    #[track_caller]
    fn check(entries: impl IntoIterator<Item = EntryRecord>, expected: &[(&str, u32, bool)]) {
        let entries: Vec<EntryRecord> = std::iter::once(start()).chain(entries).collect();
        let all = changes(&entries);
        let found: Vec<_> = all.iter().map(|it| (&*it.tool, it.calls, it.known)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn changes_are_the_calls_that_ran_and_did_not_fail_with_the_effect_of_their_own_tool() {
        let all = ["read", "write", "mail", "bash", "odd"];
        let turn = || std::iter::once(EntryRecord::Completion(completion(&all))).chain(all.map(ok));
        let once = [("write", 1, true), ("mail", 1, true), ("bash", 1, false), ("odd", 1, false)];
        check(turn(), &once);
        check(turn().chain(turn()), &once.map(|(tool, _, known)| (tool, 2, known)));
        let unknown = result("write", Origin::Executed, Status::Unknown);
        check([EntryRecord::Completion(completion(&["write"])), unknown], &[("write", 1, true)]);
    }

    #[test]
    fn calls_that_failed_or_did_not_run_changed_nothing() {
        for (origin, status) in [
            (Origin::Executed, Status::Error),
            (Origin::Synthetic, Status::Ok),
            (Origin::Synthetic, Status::Error),
            (Origin::Missing, Status::Unknown),
        ] {
            let entries = [
                EntryRecord::Completion(completion(&["write", "mail"])),
                result("write", origin, status),
                ok("mail"),
            ];
            check(entries, &[("mail", 1, true)]);
        }
    }

    /// What the host says of one call outranks what it says of the tool.
    #[test]
    fn a_call_may_have_an_effect_of_its_own() {
        let mut sent = completion(&["bash", "write"]);
        sent.calls[0].effect = Some(Effect::ReadOnly);
        check([EntryRecord::Completion(sent), ok("bash"), ok("write")], &[("write", 1, true)]);
    }

    #[test]
    fn a_repaired_call_counts_like_any_other() {
        let note =
            Note { guard: "g".into(), rule: "r".into(), level: 1, subject: Subject::Run, text: "why".into() };
        let repair = EntryRecord::Intervention(InterventionRecord {
            kind: "repair".into(),
            options: Vec::new(),
            completion: Some(Box::new(completion(&["write"]))),
            note,
            seen: true,
        });
        check([EntryRecord::Completion(completion(&[])), repair, ok("write")], &[("write", 1, true)]);
    }
}
