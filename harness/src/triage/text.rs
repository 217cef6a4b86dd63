//! What a pile of logs shows, as text for people.

use std::io::{self, Write};

use balk_reports::statistics::{Rate, Share};

use super::{Stuck, Triage, WORST};
use crate::import::one_line;

/// The maximum length of what a guard would have said, on a line.
const SAID_CHARS: usize = 120;

/// The number of tools that are shown.
const TOOLS_SHOWN: usize = 8;

/// Writes the first screen.
///
/// # Errors
/// Those of the writer.
pub fn triage(out: &mut dyn Write, it: &Triage) -> io::Result<()> {
    let counts = &it.counts;
    let stuck = Share::new(counts.stuck_runs, counts.runs);
    writeln!(out, "{} runs, {} turns, {} files", counts.runs, counts.turns, counts.files)?;
    writeln!(
        out,
        "stuck: {stuck} runs, for {} turns; told once and no more: {}",
        counts.stuck_turns, counts.once
    )?;
    if !it.worst.is_empty() {
        writeln!(
            out,
            "\nthe worst (at most {WORST}), by turns in which the run was stuck; tokens are bytes / 4"
        )?;
        for (at, stuck) in (1..).zip(&it.worst) {
            self::stuck(out, at, stuck)?;
        }
        writeln!(out)?;
    }
    writeln!(
        out,
        "disturbed: {} of {} resolved runs were stuck by this measure; stretches of firings of any kind in resolved \
         runs, per 1,000 turns (95 %): {}",
        counts.resolved_stuck,
        counts.resolved_runs,
        Rate::new(&it.disturbed)
    )?;
    let (all, undeclared) = it.tools.counts();
    let most = it.tools.most_called(TOOLS_SHOWN);
    let most: Vec<String> =
        most.iter().map(|(name, calls)| format!("{} {calls}", one_line(name, 40))).collect();
    writeln!(out, "tools: {all}; most called: {}", most.join(", "))?;
    writeln!(
        out,
        "blind to: the status of {} of {} results; what {undeclared} of {all} tools can change (`--write-tools FILE` \
         writes a table to start from); given-up writes in {} runs; how {} runs ended; times, which these records lack",
        it.oddities.unknown_status, counts.results, counts.blind, counts.unknown_outcomes
    )
}

fn stuck(out: &mut dyn Write, at: u64, it: &Stuck) -> io::Result<()> {
    writeln!(
        out,
        "{at:>3}  {}  {} of {} turns stuck; after the first firing {} turns, {} tokens; {}",
        it.place(),
        it.turns_stuck,
        it.turns,
        it.turns_after,
        it.tokens_after(),
        it.outcome.word()
    )?;
    writeln!(out, "     {}", it.why)?;
    let said = it.said.as_deref().map_or(String::new(), |it| format!(": {}", one_line(it, SAID_CHARS)));
    writeln!(out, "     turn {}, {} {} ({}){said}", it.turn, it.guard, it.rule, it.kind)
}
