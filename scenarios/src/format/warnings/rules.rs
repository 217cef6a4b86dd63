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
        let hidden_by = rules[..at]
            .iter()
            .position(|earlier| effort.spend(earlier.when.len() * rule.when.len()) && hides(earlier, rule));
        if let Some(earlier) = hidden_by {
            report
                .warning(
                    place,
                    "this rule never applies",
                    "every call that it is about meets an earlier rule",
                )
                .related(file.environment.rule[earlier].tool.span(), "this one decides first")
                .help("put it first, let the earlier rule end with `times`, or remove one of them");
        } else if effort.spend(rule.when.len().pow(2)) && excludes(&rule.when) {
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
fn hides(earlier: &Rule, later: &Rule) -> bool {
    earlier.role == later.role
        && earlier.times.is_none()
        && earlier.when.iter().all(|wanted| later.when.iter().any(|given| implies(given, wanted)))
}

/// Whether the second condition holds wherever the first does.
fn implies(given: &Condition, wanted: &Condition) -> bool {
    match (given, wanted) {
        (Condition::FactFor(fact, _), Condition::Fact(wanted)) => fact == wanted,
        (Condition::FileContains(path, _), Condition::File(wanted)) => path == wanted,
        (Condition::Once(name), Condition::Record(wanted)) => name == wanted,
        (Condition::FileContains(path, text), Condition::FileContains(other, part)) => {
            path == other && contains(text, part)
        }
        (Condition::ArgumentContains(name, text), Condition::ArgumentContains(other, part)) => {
            name == other && contains(text, part)
        }
        (given, wanted) => given == wanted,
    }
}

/// Whether one text has the other in it in every world.
fn contains(text: &Template, part: &Template) -> bool {
    match (&text.pieces[..], &part.pieces[..]) {
        ([Piece::Text(text)], [Piece::Text(part)]) => text.contains(&**part),
        (text, part) => text == part,
    }
}

/// Whether the conditions cannot all hold.
fn excludes(all: &[Condition]) -> bool {
    all.iter().any(|a| {
        all.iter().any(|b| match (a, b) {
            (Condition::Fact(fact) | Condition::FactFor(fact, _), Condition::NoFact(other)) => fact == other,
            (Condition::File(path) | Condition::FileContains(path, _), Condition::NoFile(other)) => {
                path == other
            }
            _ => false,
        })
    })
}
