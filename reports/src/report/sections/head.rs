//! What is said in words: the answer in short, how it was measured, and what it does not show.

use super::table::{code, counted, grouped, names};
use crate::records::{DRAWS, Pools};
use crate::report::tables::{DEFAULT, Figures, Measure, Report, StackRow, Versus};
use crate::statistics::BlockDifference;

/// The answer in a few lines.
pub(super) fn short(report: &Report) -> String {
    let rows = &report.stacks.rows;
    let others = || rows.iter().skip(1);
    let mut text = String::new();
    let mut list = |what: &str, found: Vec<&StackRow>| {
        if !found.is_empty() {
            text.push_str(&format!("- **{what}**: {}\n", names(found.iter().map(|it| &*it.stack))));
        }
    };
    let sure = |it: &&StackRow| it.figures.against.as_ref().is_some_and(|it| it.p_corrected.is_sure());
    let more = |it: &&StackRow| {
        it.figures.against.as_ref().is_some_and(|it| it.difference.saved > it.difference.lost)
    };
    list("Gets more stubborn runs done than no guard, surely", others().filter(sure).filter(more).collect());
    let unsure = |it: &&StackRow| it.figures.against.is_some() && !sure(it);
    list("Not told apart from no guard", others().filter(unsure).collect());
    list(
        "Gets fewer stubborn runs done than no guard, surely",
        others().filter(sure).filter(|it| !more(it)).collect(),
    );
    let has = |wanted: fn(&Figures) -> bool| others().filter(move |it| wanted(&it.figures)).collect();
    list(
        "Never stepped into a control",
        has(|it| it.false_on_controls.turns > 0 && it.false_on_controls.events == 0),
    );
    let loses = |it: &Figures| {
        it.against_on_controls
            .as_ref()
            .is_some_and(|it| it.p_corrected.is_sure() && it.difference.lost > it.difference.saved)
    };
    list("Loses healthy runs that no guard loses, surely", has(loses));
    list("Something was done twice", has(|it| it.done_twice.count > 0));
    list("A guard broke", has(|it| it.guard_faults.count > 0));
    if let Some(versus) = &report.versus {
        let surely = || versus.counts.iter().filter(|it| it.surely_better > 0);
        let mut better: Vec<String> = Vec::new();
        let mut last = None;
        for it in surely() {
            let how = match it.measure {
                Measure::Done => "more done",
                Measure::FalseInterventions => "fewer false interventions",
            };
            let found = format!("{how} on {}", it.surely_better);
            match better.last_mut().filter(|_| last == Some(&it.stack)) {
                Some(same) => same.push_str(&format!(" and {found}")),
                None => better.push(format!("{} ({found}", code(&it.stack))),
            }
            last = Some(&it.stack);
        }
        let of =
            surely().next().map_or(String::new(), |it| format!(", of {} scenarios", grouped(it.scenarios)));
        let found = match (&*better, can_be_sure(versus, report)) {
            ([], true) => "nobody".into(),
            ([], false) => "not to be told from so few seeds".into(),
            (some, _) => format!("{}){of}", some.join("), ")),
        };
        text.push_str(&format!("- **Surely better than `{DEFAULT}` somewhere**: {found}\n"));
    }
    if !report.head.missing.is_empty() {
        text.push_str("- **Not all planned trials are done**\n");
    }
    text
}

/// Whether any comparison could be sure once all are corrected for.
pub(super) fn can_be_sure(versus: &Versus, report: &Report) -> bool {
    BlockDifference::can_be_sure(report.head.seeds_of_each().min(DRAWS as u64), versus.comparisons)
}

/// How it was measured.
pub(super) fn command(report: &Report) -> String {
    let head = &report.head;
    let [from, to] = &head.seeds;
    let pools = match head.pools {
        Pools::Open => "open pools",
        Pools::Reserve => "reserved pools",
    };
    let mut text = format!(
        "```console\n{}\n```\n\n\
         Balk {}; {} ({} with a goal that can be reached) and {}, {}, seeds {from}–{to}, {pools}; {}.\n",
        head.command,
        head.balk,
        counted(head.stubborn, "stubborn scenario"),
        head.reachable,
        counted(head.controls, "control"),
        counted(head.stacks, "stack"),
        counted(head.done, "trial"),
    );
    if !head.config.is_empty() {
        let config = serde_json::to_string(&head.config).expect("plain data");
        text.push_str(&format!("\nSettings that are not in the command: `{config}`\n"));
    }
    if !head.missing.is_empty() {
        let missing: Vec<String> =
            head.missing.iter().map(|it| format!("{} ({} seeds)", code(&it.scenario), it.seeds)).collect();
        text.push_str(&format!(
            "\n**Not whole**: {} of {} planned trials are done, and pooled figures are of these. Missing: {}.\n",
            grouped(head.done),
            grouped(head.planned),
            missing.join(", ")
        ));
    }
    text
}

/// What this does not show.
pub(super) fn limits(report: &Report) -> String {
    report.limits.iter().map(|it| format!("- {it}\n")).collect()
}
