//! Rules of the environment that no call can reach.

use super::asked::{Asked, fits};
use super::effort::Effort;
use crate::format::report::Report;
use crate::format::wire::{ScenarioFile, Visits};
use crate::scenario::template::{Piece, Template};
use crate::scenario::{Condition, Role, Rule};

/// Warns of rules that no call can reach.
pub(super) fn rules(file: &ScenarioFile, asked: &Asked<'_>, effort: &mut Effort, report: &mut Report<'_>) {
    let rules = &asked.scenario.environment.rules;
    for (at, (rule, table)) in rules.iter().zip(&file.environment.rule).enumerate() {
        if effort.is_spent() {
            return;
        }
        let place = table.tool.span();
        let name = table.tool.get_ref();
        let hidden_by = rules[..at].iter().position(|earlier| {
            effort.spend(earlier.when.len() * rule.when.len()) && hides(earlier, rule, effort)
        });
        if let Some(earlier) = hidden_by {
            report
                .warning(
                    place,
                    "this rule never applies",
                    "every call that it is about meets an earlier rule",
                )
                .related(file.environment.rule[earlier].tool.span(), "this one decides first")
                .help("put it first, let the earlier rule end with `times`, or remove one of them");
        } else if effort.spend(rule.when.len().pow(2)) && excludes(&rule.when, effort) {
            report
                .warning(place, "this rule never applies", "two of its conditions exclude each other")
                .help("remove one of them");
        } else if matches!(table.times.as_ref().map(|it| it.get_ref()), Some(Visits::Name(_)))
            && rule.times.is_some_and(|it| asked.worlds.iter().all(|world| world.number(it) == 0))
        {
            report.warning(place, "this rule never applies", "`times` is 0 in every world");
        } else if !is_called(rule, asked, effort) {
            report
                .warning(
                    place,
                    "no actor makes a call like this",
                    format!("of `{name}`, under these conditions"),
                )
                .help("compare the conditions with `calls` of the states, or remove the rule");
        }
    }
}

/// Whether a call can meet the rule, as far as its arguments go.
fn is_called(rule: &Rule, asked: &Asked<'_>, effort: &mut Effort) -> bool {
    let asks_for_arguments = rule.when.iter().any(|it| matches!(it, Condition::ArgumentContains(..)));
    let by_the_way = match rule.role {
        // A way out that leads nowhere in a state looks around, waits, asks, or says that it is done.
        Role::List | Role::Read | Role::Shell | Role::Wait | Role::Ask | Role::Finish => !asks_for_arguments,
        Role::Write | Role::Edit | Role::Delegate | Role::Plan | Role::Remote | Role::Distractor => false,
    };
    let worlds = &asked.worlds;
    by_the_way
        || asked
            .calls(rule.role)
            .iter()
            .any(|call| worlds.iter().any(|world| fits(world, rule, *call, effort)))
        || effort.is_spent()
}

/// Whether the earlier rule applies to every call to which the later one could.
fn hides(earlier: &Rule, later: &Rule, effort: &mut Effort) -> bool {
    earlier.role == later.role
        && earlier.times.is_none()
        && earlier.when.iter().all(|wanted| later.when.iter().any(|given| implies(given, wanted, effort)))
}

/// Whether the second condition holds wherever the first does. `false` where there is no effort left to find out.
fn implies(given: &Condition, wanted: &Condition, effort: &mut Effort) -> bool {
    match (given, wanted) {
        (Condition::FactFor(fact, _), Condition::Fact(wanted)) => same(fact, wanted, effort),
        (Condition::FileContains(path, _), Condition::File(wanted)) => same(path, wanted, effort),
        (Condition::Once(name), Condition::Record(wanted)) => same(name, wanted, effort),
        (Condition::FileContains(path, text), Condition::FileContains(other, part)) => {
            same(path, other, effort) && contains(text, part, effort)
        }
        (Condition::ArgumentContains(name, text), Condition::ArgumentContains(other, part)) => {
            name == other && contains(text, part, effort)
        }
        (given, wanted) => effort.spend(size(given).min(size(wanted))) && given == wanted,
    }
}

/// How much of a condition there is to compare.
fn size(condition: &Condition) -> usize {
    match condition {
        Condition::Fact(text)
        | Condition::FactFor(text, _)
        | Condition::NoFact(text)
        | Condition::File(text)
        | Condition::NoFile(text)
        | Condition::Plan(text)
        | Condition::Record(text)
        | Condition::Once(text)
        | Condition::ArgumentContains(_, text) => length(text),
        Condition::FileContains(path, text) => length(path) + length(text),
    }
}

/// Whether two texts are the same. `false` where there is no effort left to find out.
fn same(one: &Template, other: &Template, effort: &mut Effort) -> bool {
    effort.spend(length(one).min(length(other))) && one == other
}

/// Whether one text has the other in it in every world. `false` where there is no effort left to find out.
fn contains(text: &Template, part: &Template, effort: &mut Effort) -> bool {
    match (&text.pieces[..], &part.pieces[..]) {
        ([Piece::Text(text)], [Piece::Text(part)]) => {
            effort.spend(text.len() + part.len()) && text.contains(&**part)
        }
        _ => same(text, part, effort),
    }
}

/// How much there is to compare: bytes and placeholders.
fn length(template: &Template) -> usize {
    let of = |piece: &Piece| if let Piece::Text(text) = piece { text.len() } else { 1 };
    template.pieces.iter().map(of).sum()
}

/// Whether the conditions cannot all hold.
fn excludes(all: &[Condition], effort: &mut Effort) -> bool {
    all.iter().any(|a| {
        all.iter().any(|b| match (a, b) {
            (Condition::Fact(fact) | Condition::FactFor(fact, _), Condition::NoFact(other)) => {
                same(fact, other, effort)
            }
            (Condition::File(path) | Condition::FileContains(path, _), Condition::NoFile(other)) => {
                same(path, other, effort)
            }
            _ => false,
        })
    })
}
