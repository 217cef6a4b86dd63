//! The commands that measure a plan, and that show its trials again.

use super::Plan;
use crate::records::shell::quoted;
use crate::records::{Drawn, Pools, Seeds};

impl Plan {
    /// The command that measures this plan from the start. It leaves out the settings of guards that came from a file
    /// or from the environment, and which transcripts are kept in the folder of `--out`; the plan has them.
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

    /// The command that counts these trials of a cell again; in a live record, all trials of its stack. Seeds with gaps
    /// between them are counted from the first to the last, and without any all planned ones.
    #[must_use]
    pub fn trials(&self, scenario: usize, stack: usize, seeds: &Seeds) -> String {
        match &self.live {
            Some(_) => self.plays_again(stack, ""),
            None => self.simulates(scenario, stack, &self.span(seeds)),
        }
    }

    /// The command that measures these trials of a cell again beside the baseline, and judges a gate on them.
    #[must_use]
    pub fn judges(&self, scenario: usize, stack: usize, seeds: &Seeds, gate: &str) -> String {
        let fail_on = format!(" --fail-on {}", quoted(gate));
        if self.live.is_some() {
            return self.plays_again(stack, &fail_on);
        }
        let target = quoted(&self.scenarios[scenario].target());
        let (guard, seeds) = (quoted(&self.stacks[stack].guard), self.span(seeds));
        let options = self.options(scenario);
        self.with_settings(format!("balk bench --suite {target} --guard {guard} {seeds}{options}{fail_on}"))
    }

    /// The option for these seeds, from the first to the last; for the planned ones without any.
    fn span(&self, seeds: &Seeds) -> String {
        let ranges = seeds.ranges();
        let ends = ranges.first().zip(ranges.last());
        let [from, to] = ends.map_or(self.seeds, |([from, _], [_, to])| [*from, *to]);
        format!("--seeds {from}-{to}")
    }

    fn simulates(&self, scenario: usize, stack: usize, seeds: &str) -> String {
        let target = quoted(&self.scenarios[scenario].target());
        let (guard, options) = (quoted(&self.stacks[stack].guard), self.options(scenario));
        self.with_settings(format!("balk scenario {target} {seeds} --guard {guard}{options}"))
    }

    /// The options that change the worlds of a scenario, each with a space before it.
    fn options(&self, scenario: usize) -> String {
        let mut options = String::new();
        for Drawn { name, value } in self.set.iter().chain(&self.scenarios[scenario].set) {
            options.push_str(&format!(" --set {}", quoted(&format!("{name}={value}"))));
        }
        options.push_str(&self.set_from());
        if self.pools == Pools::Reserve {
            options.push_str(" --reserve");
        }
        options
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
}

#[cfg(test)]
mod tests {
    use super::super::tests::{plan, reactions};
    use super::*;
    use crate::records::{PlannedLive, Suite};

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

    #[test]
    fn counts_are_taken_again_of_the_trials_that_are_done() {
        let mut plan = Plan { pools: Pools::Reserve, ..plan() };
        plan.scenarios[1].set = vec![Drawn { name: "limits.turns".into(), value: "12".into() }];
        let trials = |seeds| plan.trials(0, 1, &seeds);
        let of = |seeds| format!("balk scenario repeating --seeds {seeds} --guard default --reserve");
        assert_eq!(trials(Seeds::range(3, 5)), of("3-5"));
        assert_eq!(trials([3, 4, 8].into_iter().collect()), of("3-8"));
        assert_eq!(trials(Seeds::default()), of("0-9"));
        assert_eq!(
            plan.judges(1, 1, &Seeds::range(3, 5), "default: missed > 0"),
            "balk bench --suite polling --guard default --seeds 3-5 --set limits.turns=12 --reserve \
             --fail-on 'default: missed > 0'"
        );
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
    fn a_live_plan_is_measured_and_shown_by_live() {
        let drawn = |name: &str, value: &str| Drawn { name: name.into(), value: value.into() };
        let mut live = PlannedLive {
            messages: false,
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
        assert_eq!(plan.trials(0, 1, &Seeds::default()), "balk live --offline DIR --guard default");
        assert_eq!(
            plan.judges(0, 1, &Seeds::default(), "missed > 0"),
            "balk live --offline DIR --fail-on 'missed > 0' --guard default"
        );
        live.api = "anthropic".into();
        live.sampling =
            vec![drawn("max_tokens", "512"), drawn("max_turns", "8"), drawn("temperature", "0.7")];
        live.sampling.push(drawn("stream", "true"));
        live.sampling.push(drawn("max_completion_tokens", "true"));
        live.messages = true;
        plan = Plan { live: Some(live), pools: Pools::Reserve, ..plan };
        assert_eq!(
            plan.command(),
            "balk live --endpoint URL --model 'qwen2.5 coder' --api anthropic --max-tokens 512 --max-turns 8 \
             --temperature 0.7 --stream --max-completion-tokens --messages --suite all --guard default --trials 10 \
             --reserve"
        );
        plan.config.insert("no-tools".into(), serde_json::json!({"limit": 4}));
        assert_eq!(
            plan.trial(1, 0, 3),
            r#"balk live --offline DIR --show polling:3 --guard none # with the settings {"no-tools":{"limit":4}}"#
        );
    }
}
