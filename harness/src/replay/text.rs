//! Replayed transcripts as text for people.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::Style;
use balk_guards::Wait;
use balk_reports::report::document::{Block, Document, Table, strong};

use super::fold::{End, Event, What};
use super::own::{Action, Own};
use super::run::Replayed;
use super::summary::{Counts, Summary};
use crate::import::{Format, one_line};

/// The maximum length of an intervention's text on a line.
pub(super) const WHY_CHARS: usize = 100;

/// The maximum length of a recorded name on a line.
const NAME_CHARS: usize = 80;

const BOLD: Style = Style::new().bold();

/// Writes a transcript with events: a heading, and a line for each event. Writes nothing for a quiet one.
///
/// # Errors
/// Those of the writer.
pub fn transcript(out: &mut dyn Write, file: &str, line: u64, it: &Replayed) -> io::Result<()> {
    if it.folded.events.is_empty() && it.folded.fault.is_none() {
        return Ok(());
    }
    writeln!(out, "{BOLD}{file}:{line}{BOLD:#}  {}", about(it).join("  "))?;
    for event in &it.folded.events {
        writeln!(out, "  {}", event_line(event))?;
    }
    for (turn, what) in ends(it) {
        writeln!(out, "  turn {turn:>3}  {what}")?;
    }
    writeln!(out)
}

/// What a transcript is.
pub(super) fn about(it: &Replayed) -> [String; 4] {
    let outcome = it.outcome.word().to_owned();
    [name(&it.id), name(&it.model), outcome, format!("{} turns", it.folded.turns)]
}

/// Where and why the guards are asked nothing about the rest of a transcript.
pub(super) fn ends(it: &Replayed) -> Vec<(u64, String)> {
    let mut ends = Vec::new();
    if let Some(End { turn, turns_after: after @ 1.., .. }) = it.folded.end {
        let turns = if after == 1 { "1 turn".to_owned() } else { format!("{after} turns") };
        let what = format!("the run would have ended; not asked about the recorded {turns} after it");
        ends.push((turn, what));
    }
    if let Some((turn, fault)) = &it.folded.fault {
        let fault = one_line(&fault.to_string(), WHY_CHARS);
        ends.push((*turn, format!("guard fault, the replay of this transcript ends: {fault}")));
    }
    ends
}

/// Writes one of our records: the recorded and the replayed actions of each turn with any. If the record is held to
/// what it says, only the first difference. Writes nothing if there is none.
///
/// # Errors
/// Those of the writer.
pub fn own(out: &mut dyn Write, file: &str, line: u64, it: &Own) -> io::Result<()> {
    if it.shown().next().is_none() {
        return Ok(());
    }
    writeln!(out, "{BOLD}{file}:{line}{BOLD:#}  {}", about_own(it).join("  "))?;
    for compared in it.shown() {
        if compared.recorded == compared.found {
            actions(out, compared.turn, "as recorded", &compared.found, &[])?;
        } else {
            actions(out, compared.turn, "recorded", &compared.recorded, &compared.found)?;
            actions(out, compared.turn, "found", &compared.found, &compared.recorded)?;
        }
    }
    writeln!(out)
}

/// What one of our records is, and whether its guards decide as recorded.
pub(super) fn about_own(it: &Own) -> [String; 5] {
    let held = it.is_held_to_record();
    let asked = if held { String::new() } else { format!(", asked {}", it.asked) };
    let verdict = match it.difference() {
        None => "every decision as recorded".to_owned(),
        Some(first) if held => format!("not as recorded from turn {} on", first.turn),
        Some(first) => format!("other decisions from turn {} on", first.turn),
    };
    let (seed, guard) = (name(&it.seed), name(&it.recorded));
    [
        name(&it.scenario),
        format!("seed {seed}"),
        format!("guard {guard}{asked}"),
        format!("{} turns", it.turns),
        verdict,
    ]
}

/// Writes one column; `others` is the other column, from which it should differ visibly.
fn actions(
    out: &mut dyn Write,
    turn: u64,
    column: &str,
    actions: &[Action],
    others: &[Action],
) -> io::Result<()> {
    if actions.is_empty() {
        return writeln!(out, "  turn {turn:>3}  {column:11}  nothing");
    }
    for (at, action) in actions.iter().enumerate() {
        let line = match action {
            Action::Intervened(it) => {
                let other = others.get(at).and_then(|other| match other {
                    Action::Intervened(other) => Some(&*other.note.text),
                    Action::Reran { .. }
                    | Action::Resent { .. }
                    | Action::Concluded(_)
                    | Action::Broke { .. } => None,
                });
                let words = apart(&it.note.text, other.unwrap_or(""));
                let (guard, rule) = (name(&it.note.guard), name(&it.note.rule));
                format!("{guard}  {rule}  level {}  {}  {words}", it.note.level, it.kind)
            }
            Action::Concluded(it) => {
                let (rule, words) = (name(&it.note.rule), one_line(&it.note.text, WHY_CHARS));
                format!("{}  {rule}  {words}", done(action))
            }
            Action::Broke { why } => format!("{}: {}", done(action), one_line(why, WHY_CHARS)),
            Action::Reran { .. } | Action::Resent { .. } => done(action),
        };
        writeln!(out, "  turn {turn:>3}  {column:11}  {line}")?;
    }
    Ok(())
}

/// What an action does.
pub(super) fn done(action: &Action) -> String {
    match action {
        Action::Intervened(it) => format!("{}: {}", name(&it.note.guard), it.kind),
        Action::Reran { call } => format!("call {} runs again", call + 1),
        Action::Resent { after } => format!("the request is sent again after {after} ticks"),
        Action::Concluded(_) => "the end is explained".to_owned(),
        Action::Broke { .. } => "the guard breaks".to_owned(),
    }
}

/// A text on one line. If it differs from `other` only far down, it starts shortly before the difference.
fn apart(text: &str, other: &str) -> String {
    const BEFORE: usize = 20;
    let same = text.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    if text == other || same + BEFORE < WHY_CHARS {
        return one_line(text, WHY_CHARS);
    }
    let rest: String = text.chars().skip(same - BEFORE).collect();
    format!("…{}", one_line(&rest, WHY_CHARS))
}

fn event_line(Event { turn, message: _, what }: &Event) -> String {
    let mut text = format!("turn {turn:>3}  ");
    let done = match what {
        What::Fired(firing) => {
            let note = &firing.note;
            let more = firing.interventions - 1;
            let tool = firing.tool.as_deref().unwrap_or("-");
            write!(text, "{}  {}  level {}  {}", note.guard, note.rule, note.level, firing.kind)
                .and_then(|()| if more > 0 { write!(text, " and {more} more") } else { Ok(()) })
                .and_then(|()| write!(text, "  {}  {}", name(tool), one_line(&note.text, WHY_CHARS)))
        }
        What::Rerun { tool, after } => write!(text, "would rerun  {}  after {after} ticks", name(tool)),
        What::Resend { after } => write!(text, "would resend  after {}", ticks(*after)),
    };
    done.expect("a string takes what is written");
    text
}

/// How long to wait.
pub(super) fn ticks(wait: Wait) -> String {
    match [wait.at_least, wait.at_most] {
        [least, most] if least == most => format!("{least} ticks"),
        [least, most] => format!("{least} to {most} ticks"),
    }
}

pub(super) fn name(text: &str) -> String {
    if text.trim().is_empty() { "-".into() } else { one_line(text, NAME_CHARS) }
}

/// The sums.
#[must_use]
pub fn summary(it: &Summary) -> Document {
    let mut document = Document::default();
    let counts = |name: String, it: &Counts| {
        let numbers = [it.transcripts, it.turns, it.calls, it.firings, it.stretches].map(|n| n.to_string());
        let mut row = vec![name];
        row.extend(numbers);
        // Empty answers are attempts that failed, not turns: without a turn there is no rate.
        row.push(if it.turns == 0 { "–".into() } else { per_thousand(it.stretches_per_million_turns()) });
        row
    };
    let columns = ["transcripts", "turns", "calls", "firings", "stretches", "per 1,000 turns"];
    if it.own.records == 0 || it.total.transcripts > 0 {
        document.blocks.extend(table("total", &columns, [counts("all".into(), &it.total)]));
    }
    document.blocks.extend(table(
        "by file",
        &columns,
        it.by_source.iter().map(|(key, it)| counts(key.clone(), it)),
    ));
    // Where all files are plain, there is nothing to say.
    if it.by_format.keys().any(|name| ![Format::OpenAiChat.name(), Format::Balk.name()].contains(name)) {
        let rows = it.by_format.iter().map(|(name, files)| vec![(*name).to_owned(), files.to_string()]);
        document.blocks.extend(table("by format", &["files"], rows));
    }
    document.blocks.extend(table(
        "by model",
        &columns,
        it.by_model.iter().map(|(key, it)| counts(key.clone(), it)),
    ));
    document.blocks.extend(table(
        "by outcome",
        &columns,
        it.by_outcome.iter().map(|(key, it)| counts(key.word().into(), it)),
    ));

    let columns = ["transcripts", "firings", "stretches"];
    let rules = it.by_rule.iter().map(|((guard, rule), it)| (format!("{guard}  {rule}"), it));
    let guards = it.by_guard.iter().map(|(guard, it)| (guard.clone(), it));
    let rows = guards.chain(rules).map(|(name, it)| {
        vec![name, it.transcripts.to_string(), it.firings.to_string(), it.stretches.to_string()]
    });
    document.blocks.extend(table("by guard, and by rule", &columns, rows));

    if it.own.records > 0 {
        let own = &it.own;
        let rows = [
            ("records", own.records),
            ("turns", own.turns),
            ("asked about their own guards", own.held),
            ("of these, not as recorded", own.broken),
            ("other guards, other decisions", own.differing - own.broken),
        ];
        let rows = rows.into_iter().map(|(name, n)| vec![name.to_owned(), n.to_string()]);
        document.blocks.extend(table("own records", &["count"], rows));
        if it.total.transcripts == 0 && it.bad_line_count() + it.broken_files == 0 {
            return document;
        }
    }
    document.blocks.extend(recordings(it));
    document
}

/// The defects and invalid lines of the recordings.
fn recordings(it: &Summary) -> Option<Block> {
    let odd = &it.oddities;
    let rows = [
        ("missing results", odd.missing_results),
        ("late results, not folded", odd.late_results),
        ("reused ids", odd.reused_ids),
        ("results of unknown status", odd.unknown_status),
        ("empty messages", odd.empty_messages),
        ("would rerun", it.reruns),
        ("would resend", it.resends),
        ("would have ended before the record does", it.ended),
        ("turns after that, not asked about", it.turns_after_end),
        ("guard faults", it.guard_faults),
        ("files not read to their end", it.broken_files),
        ("bad lines", it.bad_line_count()),
    ];
    let rows = rows.into_iter().map(|(name, n)| (name.to_owned(), n));
    let bad = it.bad_lines.iter().map(|(reason, n)| (format!("bad lines  {reason}"), *n));
    let blind = ("abandonment is blind: no tool is known or seems to write".to_owned(), it.blind);
    let rows =
        rows.chain(bad).chain((it.blind > 0).then_some(blind)).map(|(name, n)| vec![name, n.to_string()]);
    table("recordings", &["count"], rows)
}

/// A number per million as a number per thousand with three decimals.
fn per_thousand(per_million: u64) -> String {
    format!("{}.{:03}", per_million / 1_000, per_million % 1_000)
}

/// A table with a titled first column; none without rows.
pub(crate) fn table(
    title: &str,
    columns: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> Option<Block> {
    let names = std::iter::once(strong(title)).chain(columns.iter().map(|&name| name.into()));
    let mut table = Table::of_numbers(names);
    rows.into_iter().for_each(|row| table.row(row));
    (!table.is_empty()).then(|| table.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_rounded_integers() {
        let counts = |stretches, turns| Counts { stretches, turns, ..Counts::default() };
        assert_eq!(per_thousand(counts(1, 3).stretches_per_million_turns()), "333.333");
        assert_eq!(per_thousand(counts(2, 3).stretches_per_million_turns()), "666.667");
        assert_eq!(per_thousand(counts(1, 26_555).stretches_per_million_turns()), "0.038");
        assert_eq!(per_thousand(counts(0, 0).stretches_per_million_turns()), "0.000");
    }
}
