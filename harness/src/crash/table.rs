//! What came of all runs, as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use balk_scenarios::Kind;

use super::job::Played;
use super::verdict::Word;

/// The table of agents and scenarios, and what stands out.
#[must_use]
pub fn table(all: &[Played]) -> String {
    let mut agents: Vec<&str> = Vec::new();
    let mut scenarios: Vec<(&str, Kind)> = Vec::new();
    let mut cells: BTreeMap<(&str, &str), Vec<&Played>> = BTreeMap::new();
    for it in all {
        if !agents.contains(&&*it.agent) {
            agents.push(&it.agent);
        }
        if !scenarios.contains(&(&it.scenario, it.kind)) {
            scenarios.push((&it.scenario, it.kind));
        }
        cells.entry((&it.agent, &it.scenario)).or_default().push(it);
    }
    let mut out = String::new();
    for agent in agents {
        let _ = writeln!(out, "{agent}");
        for (scenario, kind) in &scenarios {
            if let Some(runs) = cells.get(&(agent, *scenario)) {
                for it in runs {
                    row(&mut out, it, *kind);
                }
            }
        }
        let of_agent = all.iter().filter(|it| it.agent == agent);
        summary(&mut out, of_agent);
    }
    out
}

fn row(out: &mut String, it: &Played, kind: Kind) {
    let verdict = &it.verdict;
    let name = format!("{}:{}", it.scenario, it.seed);
    let _ = write!(out, "  {:7}  {name:34}  {:8}", kind_name(kind), verdict.word);
    if verdict.word != Word::NotRun {
        let code = verdict.code.map_or_else(|| "signal".to_owned(), |it| format!("exit {it}"));
        let _ = write!(out, "  {:7}  {:3} requests", code, verdict.requests);
        if verdict.identical_calls > 2 {
            let _ = write!(out, ", {} equal calls in a row", verdict.identical_calls);
        }
        if !verdict.interventions.is_empty() {
            let _ = write!(out, ", {} of its own words to the model", verdict.interventions.len());
        }
        let [same, compared] = verdict.same_acts;
        if same < compared {
            let _ = write!(out, ", {same} of {compared} acts as in process");
        }
        if verdict.kept_cut {
            let _ = write!(out, ", took a cut answer for a whole one");
        }
        if !verdict.left.0.is_empty() {
            let names: Vec<String> = verdict.left.0.iter().map(|(name, count)| format!("{count} {name}")).collect();
            let _ = write!(out, ", left {} behind", names.join(", "));
        }
    }
    if let Some(line) = &verdict.line {
        let _ = write!(out, "\n           {}", shown(line));
    }
    out.push('\n');
}

fn summary<'a>(out: &mut String, runs: impl Iterator<Item = &'a Played> + Clone) {
    let stubborn = runs.clone().filter(|it| it.kind == Kind::Stubborn && it.verdict.word != Word::NotRun);
    let count = |word: Word| stubborn.clone().filter(|it| it.verdict.word == word).count();
    let played = stubborn.clone().count();
    if played > 0 {
        let words: Vec<String> = Word::ALL
            .into_iter()
            .filter(|it| count(*it) > 0)
            .map(|it| format!("{} {it}", count(it)))
            .collect();
        let lies = stubborn.clone().filter(|it| it.verdict.lie).count();
        let _ = write!(out, "  of {played} runs with a model that balks: {}", words.join(", "));
        let _ = writeln!(out, "{}", if lies > 0 { format!("; {lies} ended with code 0 and no word") } else { String::new() });
    }
    let controls = runs.clone().filter(|it| it.kind == Kind::Control && it.verdict.word != Word::NotRun);
    let healthy = controls.clone().count();
    if healthy > 0 {
        let reached = controls.clone().filter(|it| it.verdict.word == Word::Reached).count();
        let alarms = controls.filter(|it| it.is_false_alarm()).count();
        let _ = writeln!(out, "  of {healthy} healthy runs: {reached} reached, {alarms} with a false alarm");
    }
    let [answered, known] = runs.fold([0, 0], |sum, it| {
        let [answered, known] = it.verdict.calls;
        [sum[0] + answered, sum[1] + known]
    });
    if answered > 0 {
        let _ = writeln!(out, "  what came of {known} of {answered} calls is known from the world\n");
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Stubborn => "balks",
        Kind::Control => "healthy",
    }
}

/// A line of another program, without what a terminal would obey, and not longer than a line.
fn shown(line: &str) -> String {
    const MOST: usize = 100;
    let plain: String = line.chars().filter(|it| !it.is_control()).take(MOST).collect();
    if plain.chars().count() == MOST { plain + "…" } else { plain }
}
