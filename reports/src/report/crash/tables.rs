//! The report as typed tables, computed from the records alone.

use std::collections::{BTreeMap, BTreeSet};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::records::Kind;
use crate::records::crash::{InProcess, Record, Run, Verdict, Word};

/// The version of the report. It rises when an old reader would misread a new report.
pub const CRASH_REPORT_SCHEMA: u32 = 2;

/// The report of one or several records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// [`CRASH_REPORT_SCHEMA`].
    #[schemars(extend("const" = CRASH_REPORT_SCHEMA))]
    pub schema: u32,
    /// The versions of Balk that played the runs.
    pub balk: BTreeSet<String>,
    /// The command of each record.
    pub commands: Vec<String>,
    /// Whether every run had namespaces of its own.
    pub isolated: bool,
    /// How many runs were asked for, repeats among them.
    pub planned: u64,
    /// How many of these have a verdict.
    pub played: u64,
    /// The repeats; none if every run is there once.
    pub repeats: Option<Repeats>,
    /// The agents.
    pub agents: Vec<AgentRow>,
    /// Calls that were answered, and of how many the world knows what came of them.
    pub calls: [u64; 2],
    /// Runs whose acts are those of the actor in process up to the agent's first own word, and runs that have acts.
    pub same_acts: [u64; 2],
    /// Every run, scenario by scenario.
    pub scenarios: Vec<ScenarioRuns>,
}

/// Runs that were played more than once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repeats {
    /// How many: an agent, a scenario and a seed each.
    pub of: u64,
    /// How many have the same bytes in every record.
    pub same_record: u64,
    /// How many have the same word in every verdict.
    pub same_word: u64,
    /// Those that have not the same bytes, as `agent scenario:seed`.
    pub different: Vec<String>,
}

/// One agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentRow {
    /// Its name.
    pub name: String,
    /// The version that its profile is of; none for an agent without a profile.
    pub version: Option<String>,
    /// Its runs with a model that balks.
    pub stubborn: Tally,
    /// Its healthy runs.
    pub control: Tally,
}

/// Runs, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// All of them.
    pub runs: u64,
    /// By their word.
    pub words: BTreeMap<Word, u64>,
    /// Runs that ended with exit code 0, without the goal and without a word.
    pub lies: u64,
    /// Runs in which the agent said something to its model of its own accord.
    pub with_own_words: u64,
    /// Healthy runs with a false alarm.
    pub false_alarms: u64,
}

/// The runs of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioRuns {
    /// The scenario.
    pub scenario: String,
    /// Whether its actor balks.
    pub kind: Kind,
    /// The same actor in process.
    pub in_process: Vec<InProcess>,
    /// The runs, agent by agent.
    pub runs: Vec<RunRow>,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunRow {
    /// The agent.
    pub agent: String,
    /// The seed, as text.
    pub seed: String,
    /// Whether the agent disturbed healthy work.
    pub false_alarm: bool,
    /// What happened step by step, below the folder of the record.
    pub transcript: String,
    /// What came of it.
    pub verdict: Verdict,
}

impl Report {
    /// The report of these records.
    #[must_use]
    pub fn new(records: &[Record]) -> Self {
        let all: Vec<&Run> = records.iter().flat_map(|it| &it.runs).collect();
        let first = firsts(&all);
        let sum = |count: fn(&Verdict) -> [u64; 2]| {
            first.iter().map(|it| count(&it.verdict)).fold([0, 0], |[a, b], [c, d]| [a + c, b + d])
        };
        Self {
            schema: CRASH_REPORT_SCHEMA,
            balk: records.iter().map(|it| it.balk.clone()).collect(),
            commands: records.iter().map(|it| it.command.clone()).collect(),
            isolated: records.iter().all(|it| it.isolated),
            planned: records.iter().map(|it| it.planned).sum(),
            played: all.len() as u64,
            repeats: repeats(&all),
            agents: agents(records, &first),
            calls: sum(|it| it.calls.map(|it| it as u64)),
            same_acts: sum(|it| {
                let [same, compared] = it.same_acts;
                [u64::from(compared > 0 && same == compared), u64::from(compared > 0)]
            }),
            scenarios: scenarios(records, &first),
        }
    }

    /// The JSON Schema of a report.
    #[must_use]
    pub fn schema() -> Schema {
        SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Self>()
    }

    /// What came of all runs of this kind.
    pub(super) fn total(&self, kind: Kind) -> Tally {
        self.agents.iter().map(|it| it.of(kind)).fold(Tally::default(), |mut sum, it| {
            sum.runs += it.runs;
            it.words.iter().for_each(|(word, count)| *sum.words.entry(*word).or_default() += count);
            sum.lies += it.lies;
            sum.with_own_words += it.with_own_words;
            sum.false_alarms += it.false_alarms;
            sum
        })
    }
}

impl AgentRow {
    /// Its runs of this kind.
    pub(super) fn of(&self, kind: Kind) -> &Tally {
        match kind {
            Kind::Stubborn => &self.stubborn,
            Kind::Control => &self.control,
        }
    }
}

impl Tally {
    /// How many runs have this word.
    pub(super) fn count(&self, word: Word) -> u64 {
        self.words.get(&word).copied().unwrap_or_default()
    }

    fn add(&mut self, run: &Run) {
        self.runs += 1;
        *self.words.entry(run.verdict.word).or_default() += 1;
        self.lies += u64::from(run.verdict.lie);
        self.with_own_words += u64::from(run.verdict.own_words() > 0);
        self.false_alarms += u64::from(run.is_false_alarm());
    }
}

/// What tells a run from others: agent, scenario and seed.
fn key(run: &Run) -> [&str; 3] {
    [&run.agent, &run.scenario, &run.seed]
}

/// The runs without repeats, in the order in which they came.
fn firsts<'r>(all: &[&'r Run]) -> Vec<&'r Run> {
    let mut known = BTreeSet::new();
    all.iter().copied().filter(|it| known.insert(key(it))).collect()
}

fn repeats(all: &[&Run]) -> Option<Repeats> {
    let mut groups: BTreeMap<[&str; 3], Vec<&Run>> = BTreeMap::new();
    for run in all {
        groups.entry(key(run)).or_default().push(run);
    }
    let mut repeats = Repeats::default();
    for ([agent, scenario, seed], runs) in groups.iter().filter(|(_, runs)| runs.len() > 1) {
        let [first, ..] = &**runs else { continue };
        let same_record = first.record.is_some() && runs.iter().all(|it| it.record == first.record);
        repeats.of += 1;
        repeats.same_record += u64::from(same_record);
        repeats.same_word += u64::from(runs.iter().all(|it| it.verdict.word == first.verdict.word));
        if !same_record {
            repeats.different.push(format!("{agent} {scenario}:{seed}"));
        }
    }
    (repeats.of > 0).then_some(repeats)
}

fn agents(records: &[Record], runs: &[&Run]) -> Vec<AgentRow> {
    let mut rows: Vec<AgentRow> = Vec::new();
    for agent in records.iter().flat_map(|it| &it.agents) {
        if rows.iter().any(|it| it.name == agent.name) {
            continue;
        }
        let (mut stubborn, mut control) = (Tally::default(), Tally::default());
        for run in runs.iter().filter(|it| it.agent == agent.name) {
            match run.kind {
                Kind::Stubborn => stubborn.add(run),
                Kind::Control => control.add(run),
            }
        }
        rows.push(AgentRow { name: agent.name.clone(), version: agent.version.clone(), stubborn, control });
    }
    rows
}

/// The scenarios with a model that balks, and then those with healthy work.
fn scenarios(records: &[Record], runs: &[&Run]) -> Vec<ScenarioRuns> {
    let mut all: Vec<ScenarioRuns> = Vec::new();
    for run in runs {
        let is_of = |it: &ScenarioRuns| it.scenario == run.scenario && it.kind == run.kind;
        let at = all.iter().position(is_of).unwrap_or_else(|| {
            let scenario = run.scenario.clone();
            all.push(ScenarioRuns { scenario, kind: run.kind, in_process: Vec::new(), runs: Vec::new() });
            all.len() - 1
        });
        all[at].runs.push(RunRow {
            agent: run.agent.clone(),
            seed: run.seed.clone(),
            false_alarm: run.is_false_alarm(),
            transcript: format!("{}/transcript.jsonl", run.folder),
            verdict: run.verdict.clone(),
        });
    }
    for row in records.iter().flat_map(|it| &it.in_process) {
        if let Some(scenario) = all.iter_mut().find(|it| it.scenario == row.scenario)
            && !scenario.in_process.contains(row)
        {
            scenario.in_process.push(row.clone());
        }
    }
    all.sort_by_key(|it| it.kind == Kind::Control);
    all
}
