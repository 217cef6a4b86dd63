//! The parts in words: a summary, how the bench was measured, and its limits.

use super::live;
use super::number::{counted, grouped, names};
use super::suites::each;
use crate::records::{DRAWS, PlannedReactions, Pools};
use crate::report::document::{Block, Document, Text, code, joined, marked, paragraph, strong};
use crate::report::tables::{
    DEFAULT, Figures, Head, LiveTable, Measure, Report, StackRow, StackTable, Versus,
};
use crate::statistics::BlockDifference;

/// The summary: which stacks are better or worse, and what went wrong. Of a record that is not whole, only that.
pub(super) fn short(report: &Report) -> Document {
    if let Some(missing) = missing(report) {
        return [Block::List(vec![missing])].into();
    }
    let mut document = each(report, |suite| vec![Block::List(points(report, suite))]);
    let mut points = Vec::new();
    points.extend(report.versus.as_ref().map(|versus| {
        let scenarios = counted(report.scenarios.len() as u64, "scenario");
        let what = format!("Significantly better than `{DEFAULT}` on some of {scenarios}, each by itself");
        strong(marked(&what)) + ": " + better(versus, report)
    }));
    let reactions = report.head.reactions.as_ref();
    points.extend(
        reactions.map(|it| strong("Every model takes corrections as in a file") + ": " + code(&it.name)),
    );
    if !points.is_empty() {
        document.push(Block::List(points));
    }
    document
}

/// The summary of a live record.
pub(super) fn short_of_live(report: &Report, live: &LiveTable) -> Document {
    let mut points = live::short(live);
    points.extend(missing(report));
    if points.is_empty() { Document::default() } else { [Block::List(points)].into() }
}

fn missing(report: &Report) -> Option<Text> {
    let Head { missing, done, planned, .. } = &report.head;
    (!missing.is_empty()).then(|| {
        let said = format!(
            ": {} of {} planned trials have run. No comparison is a result yet; the figures cover only these trials.",
            grouped(*done),
            grouped(*planned),
        );
        strong("This record is not whole") + said
    })
}

/// The summary of one suite.
fn points(report: &Report, suite: &StackTable) -> Vec<Text> {
    let others = || suite.rows.iter().skip(1);
    let compared = |it: &Figures| {
        let against = it.against.as_ref()?;
        Some((against.p_corrected.is_sure(), against.difference.saved > against.difference.lost))
    };
    let loses = |it: &Figures| {
        it.against_on_controls
            .as_ref()
            .is_some_and(|it| it.p_corrected.is_sure() && it.difference.lost > it.difference.saved)
    };
    let mut points = Vec::new();
    let mut list = |what: &str, has: &dyn Fn(&Figures) -> bool| {
        let found: Vec<&StackRow> = others().filter(|it| has(&it.figures)).collect();
        if !found.is_empty() {
            points.push(strong(what) + ": " + names(found.iter().map(|it| &*it.stack)));
        }
    };
    list("Significantly more stubborn runs done than without a guard", &|it| {
        compared(it) == Some((true, true))
    });
    list("No significant difference from no guard", &|it| compared(it).is_some_and(|(is_sure, _)| !is_sure));
    list("Significantly fewer stubborn runs done than without a guard", &|it| {
        compared(it) == Some((true, false))
    });
    list("No false intervention on controls", &|it| {
        it.false_on_controls.turns > 0 && it.false_on_controls.events == 0
    });
    list("Significantly fewer controls done than without a guard", &loses);
    list("Repeated an effect that should happen once", &|it| it.done_twice.count > 0);
    list("Had a guard that broke", &|it| it.guard_faults.count > 0);
    for (measure, is_better, what) in [
        (Measure::Done, (|it| it > 0.0) as fn(f64) -> bool, "more stubborn runs done"),
        (Measure::FalseInterventions, |it| it < 0.0, "fewer false interventions"),
    ] {
        let rows = report.versus.iter().flat_map(|it| &it.suites);
        let ahead: Vec<&str> = rows
            .filter(|it| it.suite == suite.suite && it.measure == measure && it.p_corrected.is_sure())
            .filter(|it| it.difference.difference.is_some_and(is_better))
            .map(|it| &*it.stack)
            .collect();
        if !ahead.is_empty() {
            let heading =
                strong(marked(&format!("Significantly {what} than `{DEFAULT}` over these scenarios")));
            points.push(heading + ": " + names(ahead));
        }
    }
    points
}

/// The stacks that are significantly better than `default` on some scenario, each with its measures.
fn better(versus: &Versus, report: &Report) -> Text {
    let surely = || versus.counts.iter().filter(|it| it.surely_better > 0);
    let mut better: Vec<Text> = Vec::new();
    let mut last = None;
    for it in surely() {
        let how = match it.measure {
            Measure::Done => "more done",
            Measure::FalseInterventions => "fewer false interventions",
        };
        let found = format!("{how} on {}", it.surely_better);
        match better.pop() {
            Some(same) if last == Some(&it.stack) => better.push(same + " and " + found),
            others => {
                better.extend(others.map(|it| it + ")"));
                better.push(code(&it.stack) + " (" + found);
            }
        }
        last = Some(&it.stack);
    }
    match (surely().next(), can_be_sure(versus, report)) {
        (None, true) => "none".into(),
        (None, false) => "too few seeds to tell".into(),
        (Some(_), _) => joined(better) + ")",
    }
}

/// Whether there are enough seeds for any comparison to be significant after correction.
pub(in crate::report) fn can_be_sure(versus: &Versus, report: &Report) -> bool {
    BlockDifference::can_be_sure(report.head.seeds_of_each().min(DRAWS as u64), versus.comparisons)
}

/// How it was measured.
pub(super) fn command(report: &Report) -> Document {
    let head = &report.head;
    let what = format!(
        "{} ({} with a goal that can be reached) and {}",
        counted(head.stubborn, "stubborn scenario"),
        head.reachable,
        counted(head.controls, "control"),
    );
    measured(head, &what)
}

/// How a live record was measured, and how it is played again.
pub(super) fn command_of_live(report: &Report, live: &LiveTable) -> Document {
    let mut document = measured(&report.head, &counted(live.worlds.len() as u64, "world"));
    document.push(paragraph(marked(
        "`URL` is the address of the model's server, which `meta.json` beside the record names. `balk live --offline \
         DIR` plays the record in the folder `DIR` again, without the model.",
    )));
    document
}

/// The command, what it measured, and what is missing.
fn measured(head: &Head, what: &str) -> Document {
    let [from, to] = &head.seeds;
    let pools = match head.pools {
        Pools::Open => "open pools",
        Pools::Reserve => "reserved pools",
    };
    let mut document = Document::from([
        Block::Code { language: "console", text: head.command.clone() },
        paragraph(format!(
            "Balk {}: {what}, {}, seeds {from}–{to}, {pools}; {}.",
            head.balk,
            counted(head.stacks, "stack"),
            counted(head.done, "trial"),
        )),
    ]);
    if let Some(it) = &head.reactions {
        document.push(paragraph(reactions(it)));
    }
    if !head.config.is_empty() {
        let config = serde_json::to_string(&head.config).expect("plain data");
        document.push(paragraph(Text::from("Settings that the command does not show: ") + code(config)));
    }
    if !head.missing.is_empty() {
        let missing = head.missing.iter().map(|it| code(&it.scenario) + format!(" ({} seeds)", it.seeds));
        let said = format!(
            ": {} of {} planned trials have run, and pooled figures cover only these. Missing: ",
            grouped(head.done),
            grouped(head.planned),
        );
        document.push(paragraph(strong("Incomplete") + said + joined(missing) + "."));
    }
    document
}

/// Where measured reactions come from, and which numbers they are.
fn reactions(it: &PlannedReactions) -> Text {
    let measured = match it.parameters.len() {
        0 => "No number".into(),
        _ => joined(it.parameters.keys().map(code)),
    };
    Text::from("Reactions: every model takes corrections as ")
        + code(&it.name)
        + ", from the file "
        + code(&it.file)
        + format!(" ({}). Measured: ", it.measured)
        + measured
        + "; every other number of the response model is that of the profile "
        + code(&it.profile)
        + ". No model is drawn from the population."
}

/// The limits of what a bench can show.
pub(super) fn limits(report: &Report) -> Document {
    [Block::List(report.limits.iter().map(|it| marked(it)).collect())].into()
}
