//! The plan of a bench: everything that its numbers depend on, which transcripts are kept beside it, and nothing else.

mod commands;

use std::collections::BTreeMap;

use balk_contract::record::{Drawn, Kind, Pools, Suite};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::live::PlannedLive;
use super::named::in_file;
use super::reactions::PlannedReactions;
use super::unlike::{Unlike, difference};

/// The version of the record of a bench. It rises when an old reader would misread a new record.
pub const BENCH_SCHEMA: u32 = 3;

/// The most seeds of a plan.
pub const SEEDS_MAX: u64 = 10_000_000;
/// The most cells of a plan.
const CELLS_MAX: usize = 100_000;
/// The most stacks of a plan: a report compares each with each.
const STACKS_MAX: usize = 1_000;

/// The plan of a bench.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// [`BENCH_SCHEMA`].
    pub schema: u32,
    /// The version of Balk that runs the trials.
    pub balk: String,
    /// A digest of the sources that it was built from. None if it was built elsewhere than in a clone, or if several
    /// builds ran the trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// The selected scenarios, as on the command line, but [without paths](super::without_paths).
    pub suite: String,
    /// The sweep, as on the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<String>,
    /// In a live record, how the model is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<PlannedLive>,
    /// Measured reactions in place of those that the scenarios ask for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reactions: Option<PlannedReactions>,
    /// The first and the last seed of every scenario, as text in JSON.
    #[serde(with = "as_text")]
    pub seeds: [u64; 2],
    /// The pools of values that seeds draw from.
    pub pools: Pools,
    /// Values that replace those of the files, in all scenarios.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<Drawn>,
    /// Settings of guards that do not come from the command line.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub config: Map<String, Value>,
    /// The transcripts that are kept beside the record, so that missing ones are found. None in a live record, which
    /// has all completions; and none where several builds made it, one of which did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcripts: Option<PlannedTranscripts>,
    /// The stacks; the first is the baseline of all comparisons.
    pub stacks: Vec<PlannedStack>,
    /// The parameters of the response model that draws vary.
    pub parameters: Vec<PlannedParameter>,
    /// The scenarios.
    pub scenarios: Vec<PlannedScenario>,
}

/// A parameter of the response model that draws vary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedParameter {
    /// Its name.
    pub name: String,
    /// Both ends of its range, in parts per thousand.
    pub range: [u32; 2],
    /// The draws with a value in the upper half of its range.
    pub high: Vec<usize>,
}

/// A stack of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedStack {
    /// As on the command line.
    pub guard: String,
    /// A description, in one line.
    pub about: String,
    /// The programs and scripts of the commands in it, as these name them: for each the 128-bit xxh3 of what it has, in
    /// hexadecimal.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

/// The transcripts that are kept beside a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlannedTranscripts {
    /// Those of trials with a [lapse](super::Lapse).
    Failing,
    /// All.
    All,
}

/// A scenario of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedScenario {
    /// Its name.
    pub name: String,
    /// Values that a sweep sets in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<Drawn>,
    /// Where it comes from.
    pub suite: Suite,
    /// Whether it is stubborn or a control.
    pub kind: Kind,
    /// How a task ends: `tool`, `text`, or `drawn` if it depends on the seed.
    pub protocol: String,
    /// A description, in one line.
    pub title: String,
    /// If the goal cannot be reached, the rule under which a guard has to tell the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreachable: Option<String>,
    /// The 128-bit xxh3 of its text, in hexadecimal.
    pub text: String,
}

/// Whether the stack of this name is under test.
#[must_use]
pub fn is_under_test(guard: &str) -> bool {
    !["none", "oracle", "ceiling"].contains(&guard)
}

impl PlannedStack {
    /// Whether it is under test: the baseline does nothing, and the oracle and the ceiling are told the truth.
    #[must_use]
    pub fn is_under_test(&self) -> bool {
        is_under_test(&self.guard)
    }
}

impl PlannedScenario {
    /// Its name on a command line. A record does not say where a file was, so the command calls it `FILE`.
    #[must_use]
    pub fn target(&self) -> String {
        match self.suite {
            Suite::File => in_file(&self.name),
            Suite::Written | Suite::Field | Suite::Drawn => self.name.clone(),
        }
    }

    /// The name with the values of a sweep, such as `repeating (response.stubbornness=1/2)`.
    #[must_use]
    pub fn label(&self) -> String {
        let set: Vec<String> = self.set.iter().map(|it| format!("{}={}", it.name, it.value)).collect();
        if set.is_empty() { self.name.clone() } else { format!("{} ({})", self.name, set.join(", ")) }
    }

    /// Whether it is stubborn.
    #[must_use]
    pub fn is_stubborn(&self) -> bool {
        self.kind == Kind::Stubborn
    }
}

impl Plan {
    /// Whether a record of this plan fits into memory, and its counts into their types.
    ///
    /// # Errors
    /// What was expected, and what was found.
    pub fn check_size(&self) -> Result<(), (String, String)> {
        let ([from, to], [scenarios, stacks]) = (self.seeds, [self.scenarios.len(), self.stacks.len()]);
        if to - from >= SEEDS_MAX {
            return Err((format!("at most {SEEDS_MAX} seeds"), format!("those from {from} to {to}")));
        }
        if stacks > STACKS_MAX {
            return Err((format!("at most {STACKS_MAX} stacks"), format!("{stacks} stacks")));
        }
        if scenarios.saturating_mul(stacks) > CELLS_MAX {
            return Err((
                format!("at most {CELLS_MAX} cells"),
                format!("{scenarios} scenarios with {stacks} stacks"),
            ));
        }
        Ok(())
    }

    /// Makes this plan and another one plans of any build, if they are of different ones. Older builds did not look at
    /// the files of commands, and did not say which transcripts they kept. Files that one has are in both afterwards.
    pub fn allow_build_of(&mut self, other: &mut Self) {
        // Those of a sum of several builds, and of one that was built elsewhere, are not known.
        if self.build.is_some() && self.build == other.build {
            return;
        }
        (self.build, other.build) = (None, None);
        if self.transcripts.is_none() || other.transcripts.is_none() {
            (self.transcripts, other.transcripts) = (None, None);
        }
        for (one, other) in self.stacks.iter_mut().zip(&mut other.stacks) {
            if one.files.is_empty() {
                one.files.clone_from(&other.files);
            } else if other.files.is_empty() {
                other.files.clone_from(&one.files);
            }
        }
    }

    /// Checks that another plan is the same.
    ///
    /// # Errors
    /// The first difference.
    pub fn same(&self, other: &Self) -> Result<(), Unlike> {
        let [first, second] = [self, other]
            .map(|plan| serde_json::to_value(plan).expect("a plan is plain data without odd keys"));
        difference(&[], &first, &second).map_or(Ok(()), Err)
    }
}

/// Two seeds as text, because readers of JSON round large numbers.
mod as_text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(seeds: &[u64; 2], serializer: S) -> Result<S::Ok, S::Error> {
        seeds.map(|seed| seed.to_string()).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u64; 2], D::Error> {
        let [from, to] = <[String; 2]>::deserialize(deserializer)?;
        match (from.parse(), to.parse()) {
            (Ok(from), Ok(to)) if from <= to && to < u64::MAX => Ok([from, to]),
            _ => Err(Error::custom(format!("expected two seeds, the smaller first, found {from} and {to}"))),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A small plan for tests.
    pub(crate) fn plan() -> Plan {
        let stack =
            |guard: &str| PlannedStack { guard: guard.into(), about: String::new(), files: BTreeMap::new() };
        let scenario = |name: &str, kind: Kind| PlannedScenario {
            name: name.into(),
            set: Vec::new(),
            suite: Suite::Written,
            kind,
            protocol: "tool".into(),
            title: String::new(),
            unreachable: None,
            text: "0".into(),
        };
        Plan {
            schema: BENCH_SCHEMA,
            balk: "0".into(),
            build: None,
            suite: "all".into(),
            sweep: None,
            live: None,
            reactions: None,
            seeds: [0, 9],
            pools: Pools::Open,
            set: Vec::new(),
            config: Map::new(),
            transcripts: None,
            parameters: Vec::new(),
            stacks: vec![stack("none"), stack("default")],
            scenarios: vec![scenario("repeating", Kind::Stubborn), scenario("polling", Kind::Control)],
        }
    }

    pub(super) fn reactions(cause: u32) -> PlannedReactions {
        let parameters = serde_json::json!({"cause": {"low": 0, "value": cause, "high": 150}});
        PlannedReactions {
            file: "my reactions.toml".into(),
            name: "Some-Model-7B".into(),
            measured: "on paper".into(),
            profile: "weak".into(),
            parameters: parameters.as_object().expect("an object").clone(),
        }
    }

    #[test]
    fn plans_with_other_reactions_say_which_number_differs() {
        let of = |cause| Plan { reactions: Some(reactions(cause)), ..plan() };
        let place = |one: &Plan, other: &Plan| {
            one.same(other).map_err(|it| format!("{}: {} / {}", it.place, it.first, it.second))
        };
        assert_eq!(place(&of(40), &of(40)), Ok(()));
        assert_eq!(place(&of(40), &of(60)), Err("reactions.parameters.cause.value: 40 / 60".into()));
        assert!(place(&plan(), &of(40)).is_err_and(|it| it.starts_with("reactions: nothing / ")));
    }

    #[test]
    fn a_plan_of_an_older_build_says_nothing_of_files_and_transcripts() {
        let of = |build: &str, files: &[&str]| {
            let mut plan = Plan { build: Some(build.into()), ..plan() };
            plan.stacks[1].files = files.iter().map(|&it| ("g.py".to_owned(), it.to_owned())).collect();
            plan
        };
        let are_same = |mut one: Plan, mut other: Plan| {
            one.allow_build_of(&mut other);
            one.same(&other).is_ok()
        };
        assert!(are_same(of("old", &[]), of("new", &["0a"])));
        assert!(!are_same(of("new", &[]), of("new", &["0a"])));
        assert!(!are_same(of("old", &["0b"]), of("new", &["0a"])));
        // An old part does not make other files of new ones pass, wherever it is among them.
        let mut whole = of("new", &["0a"]);
        for (files, fits) in [(&[][..], true), (&["0b"], false), (&["0a"], true)] {
            for build in ["older", "newer"] {
                let mut other = of(build, files);
                whole.allow_build_of(&mut other);
                assert_eq!(whole.same(&other).is_ok(), fits, "{files:?}");
            }
        }
        let (mut first, mut second) = (of("old", &[]), of("new", &["0a"]));
        first.allow_build_of(&mut second);
        assert!(!are_same(first.clone(), of("newer", &["0b"])));
        let unknown = Plan { build: None, ..of("old", &[]) };
        assert!(are_same(first, unknown));
        let keeping = |build, transcripts| Plan { transcripts, ..of(build, &[]) };
        let (all, failing) = (Some(PlannedTranscripts::All), Some(PlannedTranscripts::Failing));
        assert!(are_same(keeping("old", None), keeping("new", all)));
        assert!(are_same(keeping("new", all), keeping("old", None)));
        assert!(!are_same(keeping("new", None), keeping("new", all)));
        assert!(!are_same(keeping("old", failing), keeping("new", all)));
    }

    #[test]
    fn plans_that_differ_say_where() {
        let unlike = |change: fn(&mut Plan)| {
            let mut other = plan();
            change(&mut other);
            plan().same(&other).map_err(|it| format!("{}: {} / {}", it.place, it.first, it.second))
        };
        assert_eq!(unlike(|_| {}), Ok(()));
        let expect = |change, text: &str| assert_eq!(unlike(change), Err(text.to_owned()));
        expect(|it| it.seeds = [0, 19], r#"seeds.1: "9" / "19""#);
        expect(|it| it.scenarios[1].text = "1".into(), r#"scenarios.polling.text: "0" / "1""#);
        expect(|it| it.stacks.truncate(1), "stacks: 2 of them / 1 of them");
        expect(|it| it.stacks[1].guard = "oracle".into(), r#"stacks.default.guard: "default" / "oracle""#);
        let digest = |it: &mut Plan| drop(it.stacks[1].files.insert("a/g.py".into(), "0a".into()));
        expect(digest, r#"stacks.default.files.a/g.py: nothing / "0a""#);
        let mut changed = plan();
        digest(&mut changed);
        assert_eq!(plan().same(&changed).map_err(|it| it.file), Err(Some("a/g.py".to_owned())));
        assert_eq!(changed.same(&plan()).map_err(|it| it.first), Err("\"0a\"".to_owned()));
        expect(
            |it| {
                it.config.insert("no-tools".into(), serde_json::json!({"limit": 4}));
            },
            r#"config: nothing / {"no-tools":{"limit":4}}"#,
        );
    }
}
