//! Facts that nothing reads, that never hold, or that always do.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
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
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let [first, set, cleared, wanted, unwanted, in_vain] =
        [&it.first, &it.set, &it.cleared, &it.wanted, &it.unwanted, &it.in_vain]
            .map(|all| Known::of(all.iter().map(|it| it.get_ref().as_str())));
    let timed = Known::of(timed.into_iter());
    let (wanted_at, unwanted_at) = (places(&it.wanted), places(&it.unwanted));
    for fact in named {
        let name = fact.get_ref().as_str();
        if !seen.insert(name) {
            continue;
        }
        let is_read = wanted.may_have(name) || unwanted.may_have(name) || timed.may_have(name);
        if !is_read {
            let help = "remove it, or ask for it in a condition: { fact = \"…\" }";
            report
                .warning(
                    fact.span(),
                    format!("nothing depends on the fact `{name}`"),
                    "no condition names it",
                )
                .help(help);
        } else if !set.may_have(name) && !first.may_have(name) && !in_vain.may_have(name) {
            let (at, label) = match (wanted_at.get(name).cloned(), unwanted_at.get(name).cloned()) {
                (Some(at), _) => (at, "so this condition never holds"),
                (None, Some(at)) => (at, "so this condition always holds"),
                (None, None) => (fact.span(), "nothing sets it"),
            };
            report
                .warning(at, format!("the fact `{name}` never holds"), label)
                .help("set it somewhere with `sets`, or list it in `facts` of `[environment]`");
        } else if first.may_have(name)
            && !cleared.may_have(name)
            && let Some(at) = unwanted_at.get(name).cloned()
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

/// Where each fact is mentioned first.
fn places<'f>(all: &[&'f Text]) -> BTreeMap<&'f str, Range<usize>> {
    // The first of several with one name is put there last.
    all.iter().rev().map(|it| (it.get_ref().as_str(), it.span())).collect()
}

/// Facts that are looked for by their names.
struct Known<'f> {
    names: BTreeSet<&'f str>,
    /// What all of them begin with, up to the first drawn value.
    starts: Starts<'f>,
    /// What those with a drawn value begin with.
    drawn: Starts<'f>,
}

impl<'f> Known<'f> {
    fn of(all: impl Iterator<Item = &'f str>) -> Self {
        let names: BTreeSet<&str> = all.collect();
        let drawn = names.iter().filter(|name| name.contains('{'));
        Self {
            starts: Starts::of(names.iter().map(|name| start(name))),
            drawn: Starts::of(drawn.map(|name| start(name))),
            names,
        }
    }

    /// Whether one of them can be the same as this one in some world.
    fn may_have(&self, name: &str) -> bool {
        let of_others = if name.contains('{') { &self.starts } else { &self.drawn };
        self.names.contains(name) || of_others.may_meet(start(name))
    }
}

fn start(name: &str) -> &str {
    name.split('{').next().unwrap_or_default()
}

/// The shortest beginnings of names, in order: none of them begins with another one.
struct Starts<'f>(Vec<&'f str>);

impl<'f> Starts<'f> {
    fn of(all: impl Iterator<Item = &'f str>) -> Self {
        let mut all: Vec<&str> = all.collect();
        all.sort_unstable();
        all.dedup_by(|next, kept| next.starts_with(&**kept));
        Self(all)
    }

    /// Whether one of them begins with this one, or this one with one of them.
    fn may_meet(&self, name: &str) -> bool {
        let at = self.0.partition_point(|it| *it < name);
        // What begins with it comes right after it, and the one that it begins with right before.
        self.0.get(at).is_some_and(|next| next.starts_with(name))
            || at.checked_sub(1).is_some_and(|before| name.starts_with(self.0[before]))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether two facts can be the same, found by comparing them.
    fn may_be_equal(a: &str, b: &str) -> bool {
        let is_drawn = a.contains('{') || b.contains('{');
        a == b || is_drawn && (start(a).starts_with(start(b)) || start(b).starts_with(start(a)))
    }

    #[test]
    fn one_look_finds_what_comparing_with_each_would() {
        let names =
            ["", "a", "ab", "abc", "b", "b{x}", "ab{x}", "abd{x}", "{x}", "c{x}d", "cc", "bz", "é{x}", "é"];
        for members in 0_u32..1 << names.len() {
            let of = || names.iter().enumerate().filter(|(at, _)| members >> at & 1 == 1).map(|(_, it)| *it);
            let known = Known::of(of());
            for name in names {
                let expected = of().any(|it| may_be_equal(it, name));
                assert_eq!(known.may_have(name), expected, "{name} among {:?}", of().collect::<Vec<_>>());
            }
        }
    }
}
