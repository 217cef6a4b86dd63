//! The answer in three paragraphs: which stack to take, what it costs, and where it fails. Then what its words mean.

use std::collections::BTreeSet;

use crate::records::{Kind, Suite, is_under_test};
use crate::report::document::{Block, Document, Text, code, emphasis, paragraph, strong};
use crate::report::sections::number::{counted, grouped, percent_of};
use crate::report::sections::{Section, can_be_sure};
use crate::report::tables::{DEFAULT, Report, ScenarioTable, StackRow, StackTable, Versus};
use crate::statistics::{Rate, Share};

/// Of 1,000 healthy turns, a stack that is taken disturbs at most one.
pub(super) const DISTURBED_MAX: u64 = 1;

/// Of so many healthy runs, it loses at most one.
pub(super) const LOST_OF: u64 = 500;

/// How many of the worst scenarios are named.
const WORST: usize = 3;

/// A suite, and the stack to take by its figures.
type Taken<'r> = (&'r StackTable, &'r StackRow);

/// The three paragraphs and the words in them. Of a record that is not whole, only that.
pub(super) fn answer(report: &Report) -> Document {
    if !report.head.missing.is_empty() {
        return Section::Short.document(report);
    }
    let takes: Vec<Taken<'_>> =
        report.suites.iter().filter_map(|suite| Some((suite, best(suite)?))).collect();
    if takes.is_empty() {
        let said = "No stack under test brings stuck runs back, disturbs at most one of 1,000 healthy turns, \
                    and loses at most one of 500 healthy runs.";
        return [paragraph(said)].into();
    }
    [
        paragraph(takes_back(&takes) + none_qualifies(report, &takes)),
        paragraph(costs(report, &takes)),
        paragraph(fails(report, &takes)),
        words(report),
    ]
    .into()
}

/// The stack under test that recovers most, of those that hardly disturb and hardly lose a healthy run.
fn best(suite: &StackTable) -> Option<&StackRow> {
    let disturbs = |it: &Rate| it.events * 1_000 > DISTURBED_MAX * it.turns;
    let rows = suite.rows.iter().filter(|it| is_under_test(&it.stack) && it.figures.recovered.count > 0);
    let loses = |it: &Share| it.count * LOST_OF > it.of;
    // Of equal ones the first, which is the one that was named first.
    rows.filter(|it| !disturbs(&it.figures.false_on_controls) && !loses(&it.figures.healthy_lost))
        .reduce(|best, it| if is_more(&it.figures.recovered, &best.figures.recovered) { it } else { best })
}

fn is_more(one: &Share, other: &Share) -> bool {
    u128::from(one.count) * u128::from(other.of) > u128::from(other.count) * u128::from(one.of)
}

/// What it brings back in each suite.
fn takes_back(takes: &[Taken<'_>]) -> Text {
    let mut stacks: Vec<&str> = Vec::new();
    for (_, row) in takes {
        if !stacks.contains(&&*row.stack) {
            stacks.push(&row.stack);
        }
    }
    let each = takes.iter().enumerate().map(|(nth, (suite, row))| {
        let [value, bounds] = halves(&row.figures.recovered);
        let name = if stacks.len() > 1 { code(&row.stack) + " " } else { Text::default() };
        let interval = if nth == 0 { "95 % interval " } else { "" };
        let mut said = name + format!("{value} % {} ({interval}{bounds}", place(suite.suite));
        let usual = &suite.rows[0];
        if usual.stack != row.stack {
            said = said + format!("; without a guard {} %", halves(&usual.figures.recovered)[0]);
        }
        let is_sure = row.figures.against.as_ref().is_none_or(|it| it.p_corrected.is_sure());
        said + if is_sure { ")" } else { "; no significant difference)" }
    });
    let names = and(stacks.iter().map(|it| code(*it)));
    strong(Text::from("Take ") + names) + ": of the runs that get stuck, it brings back " + and(each) + "."
}

/// In which suites no stack is to be taken, with a space before it.
fn none_qualifies(report: &Report, takes: &[Taken<'_>]) -> Text {
    let taken = |it: Suite| takes.iter().any(|(suite, _)| suite.suite == it);
    let mut others = report.suites.iter().map(|it| it.suite).filter(|it| !taken(*it)).peekable();
    if others.peek().is_none() {
        return Text::default();
    }
    Text::from(" No stack under test qualifies ")
        + and(others.map(|it| place(it).into()))
        + ": each brings back no stuck run, disturbs more than one of 1,000 healthy turns, or loses more than one of \
           500 healthy runs."
}

/// What that costs: disturbed turns, lost runs, tokens, time.
fn costs(report: &Report, takes: &[Taken<'_>]) -> Text {
    let of = |figure: &dyn Fn(&StackRow) -> String| and(takes.iter().map(|(_, row)| figure(row).into()));
    let disturbed = takes.iter().enumerate().map(|(nth, (suite, row))| {
        let unit = if nth == 0 { " false interventions per 1,000 healthy turns" } else { "" };
        Text::from(format!("{}{unit} {}", row.figures.false_on_controls, place(suite.suite)))
    });
    let mut said = strong("It costs") + " " + and(disturbed) + ". It loses ";
    said = match takes.iter().all(|(_, row)| row.figures.healthy_lost.count == 0) {
        true => said + "no healthy run",
        false => {
            let lost = of(&|it| percent_of(it.figures.healthy_lost.count, it.figures.healthy_lost.of));
            said + lost + " of the healthy runs"
        }
    };
    if takes.iter().all(|(_, row)| row.tokens_on_stubborn.is_some()) {
        let tokens = of(&|it| {
            it.tokens_on_stubborn.and_then(|it| it.ratio).map_or_else(String::new, |it| format!("{it:.2}"))
        });
        said =
            said + ". Stubborn scenarios take " + tokens + " times the tokens that they take without a guard";
    }
    let timed = report.expense.timed.iter().map(|row| &row.timed);
    let slowest = timed.filter(|it| takes.iter().any(|(_, row)| row.stack == it.guard));
    if let Some(it) = slowest.max_by_key(|it| it.p50_ns) {
        said = said
            + format!(
                ". Of the turns that take it longest, with {} bytes, it judges half in {} and 99 % in {}",
                grouped(it.bytes),
                microseconds(it.p50_ns),
                microseconds(it.p99_ns)
            );
    }
    said + "."
}

fn microseconds(ns: u64) -> String {
    format!("{}.{} µs", grouped(ns / 1_000), ns % 1_000 / 100)
}

/// Where the stack fails that is to be taken in the suite of a scenario.
fn fails(report: &Report, takes: &[Taken<'_>]) -> Text {
    let taken = |table: &ScenarioTable| {
        takes.iter().find(|(suite, _)| suite.suite == table.suite).map(|(_, row)| &*row.stack)
    };
    let recovered = |table: &ScenarioTable| -> Option<(String, Share)> {
        let stack = taken(table)?;
        let row = table.rows.iter().find(|it| it.stack == stack)?;
        let share = row.figures.recovered;
        let is_open = table.kind == Kind::Stubborn && table.unreachable.is_none();
        (is_open && share.count < share.of).then(|| (table.scenario.clone(), share))
    };
    let mut worst: Vec<(String, Share)> = report.scenarios.iter().filter_map(recovered).collect();
    worst.sort_by(|(_, one), (_, other)| {
        (u128::from(one.count) * u128::from(other.of)).cmp(&(u128::from(other.count) * u128::from(one.of)))
    });
    let listed = worst.iter().take(WORST);
    let listed = listed.enumerate().map(|(nth, (name, it))| {
        let what = if nth == 0 { " of the stuck runs come back" } else { "" };
        code(name) + format!(" ({}{what})", percent_of(it.count, it.of))
    });
    let said = match worst.len() {
        0 => strong("It fails") + " on no scenario whose goal can be reached",
        _ => strong("It fails most") + " on " + and(listed),
    };
    let of_default = report.scenarios.iter().filter(|it| taken(it) == Some(DEFAULT));
    let of_default: BTreeSet<&str> = of_default.map(|it| &*it.scenario).collect();
    match &report.versus {
        Some(versus) if !of_default.is_empty() => said + ". " + against(report, versus, &of_default) + ".",
        Some(_) | None => said + ".",
    }
}

/// On how many of these scenarios another stack is better than `default`.
fn against(report: &Report, versus: &Versus, scenarios: &BTreeSet<&str>) -> String {
    let all = counted(scenarios.len() as u64, "scenario");
    let better = versus.cells.iter().filter(|it| it.is_better() && it.p_corrected.is_sure());
    let better: BTreeSet<&str> = better.map(|it| &*it.scenario).filter(|it| scenarios.contains(it)).collect();
    match better.len() {
        0 if !can_be_sure(versus, report) => {
            format!("There are too few seeds to tell whether some other stack is better on any of {all}")
        }
        0 => format!("On none of {all} some other stack is significantly better"),
        some => format!("On {some} of {all} some other stack is significantly better"),
    }
}

/// What the words mean that the answer and the pictures below it use.
fn words(report: &Report) -> Block {
    let suites = report.suites.iter().map(|it| match it.suite {
        Suite::Written => {
            emphasis("Written") + " scenarios are the catalogue, which was made along with the guards."
        }
        Suite::Field => emphasis("Field") + " scenarios follow reports by people outside the project.",
        Suite::Drawn => emphasis("Drawn") + " worlds are composed at random, each from its seed.",
        Suite::File => emphasis("Files") + " are scenarios that were given to the bench by path.",
    });
    Block::List(vec![
        emphasis("Stack")
            + ": guards that run together. All "
            + grouped(report.head.done)
            + " runs are simulated; scripts play the models.",
        emphasis("Stubborn")
            + " scenario: the model tends to get stuck. "
            + emphasis("Control")
            + ": healthy work, in which a guard should be silent.",
        suites.fold(Text::default(), |all, it| if all == Text::default() { it } else { all + " " + it }),
    ])
}

/// A share and its bounds, in percent.
fn halves(it: &Share) -> [String; 2] {
    let text = it.percent();
    let (value, bounds) = text.split_once(" (").unwrap_or((&text, ""));
    [value.to_owned(), bounds.trim_end_matches(')').to_owned()]
}

const fn place(suite: Suite) -> &'static str {
    match suite {
        Suite::Written => "in written scenarios",
        Suite::Field => "in field scenarios",
        Suite::Drawn => "in drawn worlds",
        Suite::File => "in files",
    }
}

/// "a", "a and b", "a, b and c".
fn and(texts: impl Iterator<Item = Text>) -> Text {
    let texts: Vec<Text> = texts.collect();
    let last = texts.len().saturating_sub(1);
    texts.into_iter().enumerate().fold(Text::default(), |all, (at, text)| match at {
        0 => text,
        at if at == last => all + " and " + text,
        _ => all + ", " + text,
    })
}
