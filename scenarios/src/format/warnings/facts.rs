//! Facts that nothing reads, that never hold, or that always do.

use std::sync::Arc;

use crate::format::report::Report;
use crate::format::wire::{ConditionTable, NewsTable, ScenarioFile, Text};
use crate::scenario::Scenario;
use crate::scenario::template::Piece;
use toml::Spanned;

/// Where a file mentions facts.
#[derive(Debug, Default)]
struct Mentions<'f> {
    /// They hold from the start.
    first: Vec<&'f Text>,
    set: Vec<&'f Text>,
    cleared: Vec<&'f Text>,
    /// A condition wants them to hold, or not to.
    wanted: Vec<&'f Text>,
    unwanted: Vec<&'f Text>,
    /// The goal names them, and cannot be reached.
    in_vain: Vec<&'f Text>,
}

/// Warns of facts that nothing reads, that never hold, or that always do.
pub(super) fn facts(file: &ScenarioFile, scenarios: &[Arc<Scenario>], report: &mut Report<'_>) {
    let it = Mentions::of(file);
    let timed = timed(scenarios);
    let mut named: Vec<&Text> = [&it.first, &it.set, &it.wanted, &it.unwanted, &it.cleared]
        .into_iter()
        .flat_map(|all| all.iter().copied())
        .collect();
    named.sort_by_key(|fact| fact.span().start);
    let mut seen: Vec<&str> = Vec::new();
    for fact in named {
        let name = fact.get_ref().as_str();
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let among = |all: &[&Text]| all.iter().any(|it| may_be_equal(it.get_ref(), name));
        let is_read =
            among(&it.wanted) || among(&it.unwanted) || timed.iter().any(|it| may_be_equal(it, name));
        let is_set = among(&it.set);
        let at = |all: &[&'_ Text]| all.iter().find(|it| it.get_ref() == name).map(|it| it.span());
        if !is_read {
            let help = "remove it, or ask for it in a condition: { fact = \"…\" }";
            report
                .warning(
                    fact.span(),
                    format!("nothing depends on the fact `{name}`"),
                    "no condition names it",
                )
                .help(help);
        } else if !is_set && !among(&it.first) && !among(&it.in_vain) {
            let (at, label) = match (at(&it.wanted), at(&it.unwanted)) {
                (Some(at), _) => (at, "so this condition never holds"),
                (None, Some(at)) => (at, "so this condition always holds"),
                (None, None) => (fact.span(), "nothing sets it"),
            };
            report
                .warning(at, format!("the fact `{name}` never holds"), label)
                .help("set it somewhere with `sets`, or list it in `facts` of `[environment]`");
        } else if among(&it.first)
            && !among(&it.cleared)
            && let Some(at) = at(&it.unwanted)
        {
            report
                .warning(at, format!("the fact `{name}` always holds"), "so this condition never holds")
                .help("let something clear it with `clears`, or do not list it in `facts`");
        }
    }
}

/// Facts whose time is told.
fn timed(scenarios: &[Arc<Scenario>]) -> Vec<&str> {
    let phrases = scenarios.iter().flat_map(|it| &it.phrases);
    let pieces = phrases.flat_map(|it| &it.variants).flatten().flat_map(|it| &it.pieces);
    pieces
        .filter_map(|piece| if let Piece::Seconds(fact) = piece { Some(fact.as_str()) } else { None })
        .collect()
}

/// Whether two facts can be the same in some world.
fn may_be_equal(a: &str, b: &str) -> bool {
    let start = |text: &str| text.split('{').next().unwrap_or_default().to_owned();
    let (from_a, from_b) = (start(a), start(b));
    let is_drawn = a.contains('{') || b.contains('{');
    a == b || is_drawn && (from_a.starts_with(&from_b) || from_b.starts_with(&from_a))
}

/// The facts that must hold.
fn facts_of(all: &[Spanned<ConditionTable>]) -> Vec<&Text> {
    all.iter().filter_map(|it| it.get_ref().fact.as_ref()).collect()
}

impl<'f> Mentions<'f> {
    fn of(file: &'f ScenarioFile) -> Self {
        let mut all = Self { first: file.environment.facts.iter().collect(), ..Self::default() };
        for rule in &file.environment.rule {
            all.changes(&rule.sets, &rule.clears);
            all.conditions(&rule.when);
        }
        file.environment.notification.iter().for_each(|it| all.news(it));
        file.user.interrupt.iter().for_each(|it| all.news(it));
        for reply in file.user.reply.iter().map(Spanned::get_ref) {
            all.changes(&reply.sets, &reply.clears);
            all.conditions(&reply.when);
        }
        file.user.answer.iter().for_each(|it| all.changes(&it.sets, &[]));
        match &file.goal.unreachable {
            None => all.conditions(file.goal.all.get_ref()),
            Some(_) => {
                let goal = file.goal.all.get_ref();
                all.in_vain = facts_of(goal);
                all.unwanted.extend(goal.iter().filter_map(|it| it.get_ref().no_fact.as_ref()));
            }
        }
        all
    }

    fn news(&mut self, it: &'f NewsTable) {
        self.changes(&it.sets, &it.clears);
        self.conditions(&it.when);
    }

    fn changes(&mut self, sets: &'f [Text], clears: &'f [Text]) {
        self.set.extend(sets);
        self.cleared.extend(clears);
    }

    fn conditions(&mut self, all: &'f [Spanned<ConditionTable>]) {
        self.wanted.extend(facts_of(all));
        self.unwanted.extend(all.iter().filter_map(|it| it.get_ref().no_fact.as_ref()));
    }
}
