//! The plan of a bench: everything that its numbers depend on, and nothing else.

use balk_contract::record::{Drawn, Kind, Pools, Suite};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::live::PlannedLive;
use super::named::in_file;
use super::reactions::PlannedReactions;
use super::unlike::{Unlike, difference};
use crate::records::shell::quoted;

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

    /// The command that measures this plan from the start. It leaves out the settings of guards that came from a file
    /// or from the environment; the plan has them.
    #[must_use]
    pub fn command(&self) -> String {
        let mut command = match &self.live {
            Some(live) => format!("balk live {} --suite {}", live.options(), quoted(&self.suite)),
            None => format!("balk bench --suite {}", quoted(&self.suite)),
        };
        // A bench adds the baseline by itself, unless it is the only stack.
        for stack in &self.stacks[usize::from(self.stacks.len() > 1)..] {
            command.push_str(&format!(" --guard {}", quoted(&stack.guard)));
        }
        command.push_str(&match &self.live {
            // A live run plays the first seeds.
            Some(_) => format!(" --trials {}", self.seeds[1] + 1),
            None => format!(" --seeds {}-{}", self.seeds[0], self.seeds[1]),
        });
        for Drawn { name, value } in &self.set {
            command.push_str(&format!(" --set {}", quoted(&format!("{name}={value}"))));
        }
        if let Some(sweep) = &self.sweep {
            command.push_str(&format!(" --sweep {}", quoted(sweep)));
        }
        command.push_str(&self.set_from());
        if self.pools == Pools::Reserve {
            command.push_str(" --reserve");
        }
        command
    }

    /// The command that shows one trial. A comment at its end has the settings of guards that came from a file or from
    /// the environment. The trial of a live record is in the folder of the record, which the command calls `DIR`.
    #[must_use]
    pub fn trial(&self, scenario: usize, stack: usize, seed: u64) -> String {
        match &self.live {
            Some(_) => {
                let trial = format!("{}:{seed}", self.scenarios[scenario].name);
                self.plays_again(stack, &format!(" --show {}", quoted(&trial)))
            }
            None => self.simulates(scenario, stack, &format!("--seed {seed}")),
        }
    }

    /// The command that counts all trials of a cell again; in a live record, all trials of its stack.
    #[must_use]
    pub fn trials(&self, scenario: usize, stack: usize) -> String {
        match &self.live {
            Some(_) => self.plays_again(stack, ""),
            None => self.simulates(scenario, stack, &format!("--seeds {}-{}", self.seeds[0], self.seeds[1])),
        }
    }

    fn simulates(&self, scenario: usize, stack: usize, seeds: &str) -> String {
        let (scenario, stack) = (&self.scenarios[scenario], &self.stacks[stack]);
        let mut command =
            format!("balk scenario {} {seeds} --guard {}", quoted(&scenario.target()), quoted(&stack.guard));
        for Drawn { name, value } in self.set.iter().chain(&scenario.set) {
            command.push_str(&format!(" --set {}", quoted(&format!("{name}={value}"))));
        }
        command.push_str(&self.set_from());
        if self.pools == Pools::Reserve {
            command.push_str(" --reserve");
        }
        self.with_settings(command)
    }

    /// A command about the trials of a live record; `shown` names one of them.
    fn plays_again(&self, stack: usize, shown: &str) -> String {
        let guard = quoted(&self.stacks[stack].guard);
        self.with_settings(format!("balk live --offline DIR{shown} --guard {guard}"))
    }

    fn with_settings(&self, mut command: String) -> String {
        if !self.config.is_empty() {
            let config = serde_json::to_string(&self.config).expect("plain data");
            command.push_str(&format!(" # with the settings {config}"));
        }
        command
    }

    /// The option that names the file of reactions, with a space before it.
    fn set_from(&self) -> String {
        let file = self.reactions.as_ref().map(|it| quoted(&it.file));
        file.map_or_else(String::new, |it| format!(" --set-from {it}"))
    }

    /// Makes this plan and another one plans of any build, if they are of different ones.
    pub fn allow_build_of(&mut self, other: &mut Self) {
        if self.build != other.build {
            (self.build, other.build) = (None, None);
        }
    }

    /// Checks that another plan is the same.
    ///
    /// # Errors
    /// The first difference.
    pub fn same(&self, other: &Self) -> Result<(), Unlike> {
        let [first, second] = [self, other]
            .map(|plan| serde_json::to_value(plan).expect("a plan is plain data without odd keys"));
        difference("", &first, &second).map_or(Ok(()), Err)
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
        let stack = |guard: &str| PlannedStack { guard: guard.into(), about: String::new() };
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
            parameters: Vec::new(),
            stacks: vec![stack("none"), stack("default")],
            scenarios: vec![scenario("repeating", Kind::Stubborn), scenario("polling", Kind::Control)],
        }
    }

    #[test]
    fn commands_name_the_baseline_only_where_nothing_else_is_measured() {
        let mut plan = plan();
        assert_eq!(plan.command(), "balk bench --suite all --guard default --seeds 0-9");
        plan.stacks.truncate(1);
        assert_eq!(plan.command(), "balk bench --suite all --guard none --seeds 0-9");
    }

    #[test]
    fn a_trial_says_what_its_command_leaves_out() {
        let mut plan = plan();
        assert_eq!(plan.trial(0, 1, 7), "balk scenario repeating --seed 7 --guard default");
        plan.scenarios[1].suite = Suite::File;
        assert_eq!(plan.trial(1, 1, 7), "balk scenario 'FILE#polling' --seed 7 --guard default");
        plan.config.insert("no-tools".into(), serde_json::json!({"limit": 4}));
        assert_eq!(
            plan.trial(0, 1, 7),
            r#"balk scenario repeating --seed 7 --guard default # with the settings {"no-tools":{"limit":4}}"#
        );
    }

    fn reactions(cause: u32) -> PlannedReactions {
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
    fn commands_name_the_file_of_reactions() {
        let plan = Plan { reactions: Some(reactions(40)), ..plan() };
        assert_eq!(
            plan.command(),
            "balk bench --suite all --guard default --seeds 0-9 --set-from 'my reactions.toml'"
        );
        assert_eq!(
            plan.trial(0, 1, 7),
            "balk scenario repeating --seed 7 --guard default --set-from 'my reactions.toml'"
        );
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
    fn a_live_plan_is_measured_and_shown_by_live() {
        let drawn = |name: &str, value: &str| Drawn { name: name.into(), value: value.into() };
        let mut live = PlannedLive {
            api: "openai".into(),
            model: "qwen2.5 coder".into(),
            system: String::new(),
            sampling: vec![drawn("max_tokens", "1024")],
        };
        let mut plan = Plan { live: Some(live.clone()), ..plan() };
        assert_eq!(
            plan.command(),
            "balk live --endpoint URL --model 'qwen2.5 coder' --suite all --guard default --trials 10"
        );
        assert_eq!(plan.trial(0, 1, 7), "balk live --offline DIR --show repeating:7 --guard default");
        assert_eq!(plan.trials(0, 1), "balk live --offline DIR --guard default");
        live.api = "anthropic".into();
        live.sampling =
            vec![drawn("max_tokens", "512"), drawn("max_turns", "8"), drawn("temperature", "0.7")];
        live.sampling.push(drawn("stream", "true"));
        live.sampling.push(drawn("max_completion_tokens", "true"));
        plan = Plan { live: Some(live), pools: Pools::Reserve, ..plan };
        assert_eq!(
            plan.command(),
            "balk live --endpoint URL --model 'qwen2.5 coder' --api anthropic --max-tokens 512 --max-turns 8 \
             --temperature 0.7 --stream --max-completion-tokens --suite all --guard default --trials 10 --reserve"
        );
        plan.config.insert("no-tools".into(), serde_json::json!({"limit": 4}));
        assert_eq!(
            plan.trial(1, 0, 3),
            r#"balk live --offline DIR --show polling:3 --guard none # with the settings {"no-tools":{"limit":4}}"#
        );
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
        expect(
            |it| {
                it.config.insert("no-tools".into(), serde_json::json!({"limit": 4}));
            },
            r#"config: nothing / {"no-tools":{"limit":4}}"#,
        );
    }
}
