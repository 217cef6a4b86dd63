//! What a pile of logs shows, in sentences that the text and the page share.

use balk_reports::statistics::{Rate, Share};

use super::{Stuck, Triage};
use crate::import::one_line;

/// The maximum length of what a guard would have said. The page has the whole of it in a margin.
const SAID_CHARS: usize = 120;

/// The number of tools that are shown.
const TOOLS_SHOWN: usize = 8;

/// What was read.
pub(super) fn read(it: &Triage) -> String {
    let counts = &it.counts;
    let [runs, turns, files] =
        [(counts.runs, "run"), (counts.turns, "turn"), (counts.files, "file")].map(counted);
    format!("{runs}, {turns}, {files}")
}

fn counted((count, what): (u64, &str)) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// How many runs were stuck.
pub(super) fn stuck(it: &Triage) -> String {
    let counts = &it.counts;
    let stuck = Share::new(counts.stuck_runs, counts.runs);
    format!("{stuck} runs, for {} turns; told once and no more: {}", counts.stuck_turns, counts.once)
}

/// The firing that a stuck run is shown at, and what the guard would have said.
pub(super) fn fired(it: &Stuck) -> String {
    let said = it.said.as_deref().map_or(String::new(), |it| format!(": {}", one_line(it, SAID_CHARS)));
    format!("turn {}, {} {} ({}){said}", it.turn, it.guard, it.rule, it.kind)
}

/// What the guards would have disturbed.
pub(super) fn disturbed(it: &Triage) -> String {
    format!(
        "{} of {} resolved runs were stuck by this measure; stretches of firings of any kind in resolved runs, per \
         1,000 turns (95 %): {}",
        it.counts.resolved_stuck,
        it.counts.resolved_runs,
        Rate::new(&it.disturbed)
    )
}

/// The tools that were seen.
pub(super) fn tools(it: &Triage) -> String {
    let most = it.tools.most_called(TOOLS_SHOWN);
    let most: Vec<String> =
        most.iter().map(|(name, calls)| format!("{} {calls}", one_line(name, 40))).collect();
    format!("{}; most called: {}", it.tools.counts().0, most.join(", "))
}

/// What all this is blind to.
pub(super) fn blind_to(it: &Triage) -> [String; 5] {
    let counts = &it.counts;
    let (all, undeclared) = it.tools.counts();
    [
        format!("the status of {} of {} results", it.oddities.unknown_status, counts.results),
        format!(
            "what {undeclared} of {all} tools can change (`--write-tools FILE` writes a table to start from)"
        ),
        format!("given-up writes in {} runs", counts.blind),
        format!("how {} runs ended", counts.unknown_outcomes),
        "times, which these records lack".to_owned(),
    ]
}
