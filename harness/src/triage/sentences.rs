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

/// What came after the first firing of a stuck run.
pub(super) fn after(it: &Stuck) -> String {
    let time = it.seconds_after.map_or(String::new(), |seconds| format!(", {}", time(seconds)));
    format!("{} turns, {} tokens{time}", it.turns_after, tokens(it))
}

/// Tokens as the source counts them, else about as many as the bytes / 4.
pub(super) fn tokens(it: &Stuck) -> String {
    it.tokens_after.map_or_else(|| format!("~{}", it.bytes_after / 4), |tokens| tokens.to_string())
}

/// A time in its two largest units, such as `2h 5m`.
pub(super) fn time(seconds: u64) -> String {
    let units =
        [(seconds / 86400, 'd'), (seconds / 3600 % 24, 'h'), (seconds / 60 % 60, 'm'), (seconds % 60, 's')];
    let largest = units.iter().position(|(count, _)| *count > 0).unwrap_or(units.len() - 1);
    let shown = units[largest..].iter().take(2);
    let shown = shown.enumerate().filter(|(at, (count, _))| *at == 0 || *count > 0);
    let shown: Vec<String> = shown.map(|(_, (count, unit))| format!("{count}{unit}")).collect();
    shown.join(" ")
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
pub(super) fn blind_to(it: &Triage) -> Vec<String> {
    let counts = &it.counts;
    let (all, undeclared) = it.tools.counts();
    let mut blind = vec![
        format!("the status of {} of {} results", it.oddities.unknown_status, counts.results),
        format!(
            "what {undeclared} of {all} tools can change (`--write-tools FILE` writes a table to start from)"
        ),
        format!("given-up writes in {} runs", counts.blind),
        format!("how {} runs ended", counts.unknown_outcomes),
        format!("the times of {} of {} runs", counts.without_times, counts.runs),
        format!("the tokens of {} of {} runs", counts.without_tokens, counts.runs),
    ];
    if counts.not_whole > 0 {
        let why = "the guards would have ended them too often";
        blind.push(format!("the last part of {} runs ({why})", counts.not_whole));
    }
    if counts.bad_lines > 0 {
        blind.push(format!("what is in {} bad lines (`balk import` says why)", counts.bad_lines));
    }
    if counts.broken_files > 0 {
        blind.push(format!("what is in {} files that could not be read to their end", counts.broken_files));
    }
    blind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_its_two_largest_units() {
        let times = [0, 59, 60, 61, 3600, 3661, 7500, 86400, 90061, 100_000_000];
        let times = times.map(time);
        assert_eq!(times, ["0s", "59s", "1m", "1m 1s", "1h", "1h 1m", "2h 5m", "1d", "1d 1h", "1157d 9h"]);
    }
}
