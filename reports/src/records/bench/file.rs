//! The file of a bench: one JSON object per line with its [checksum](crate::records::seal), so that damage is found and
//! a change is a line of a diff.
//!
//! The first line is `{"plan": …}`. Then come `{"scenario": …, "stack": …, "cell": …}` for every cell in the order of
//! the plan, and last `{"done": […], "cells": N}`, with `"kept": […]` if failing transcripts are kept. The bytes do not
//! depend on when, where or in how many parts the trials ran.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead, Read as _, Write};

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::cell::Cell;
use super::plan::{BENCH_SCHEMA, Plan};
use super::record::Bench;
use super::seeds::Seeds;
use crate::records::seal::{Damage, LINE_BYTES, Sealed, Sealing};

/// The longest record that is read, in bytes: five times the longest sensible one, which has 100,000 cells.
pub(super) const RECORD_BYTES: u64 = 1 << 30;

/// A record that cannot be read.
#[derive(Debug)]
pub enum BadBench {
    /// The file cannot be read.
    Io(io::Error),
    /// A line is not what the format demands.
    Line {
        /// The line, from 1.
        line: usize,
        /// What was expected there.
        expected: String,
        /// What was found there.
        found: String,
    },
}

impl fmt::Display for BadBench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Line { line, expected, found } => {
                write!(f, "line {line}: expected {expected}, found {found}")
            }
        }
    }
}

impl std::error::Error for BadBench {}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanLine<'a> {
    plan: Cow<'a, Plan>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CellLine<'a> {
    scenario: Cow<'a, str>,
    stack: Cow<'a, str>,
    cell: Cow<'a, Cell>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LastLine<'a> {
    done: Cow<'a, [Seeds]>,
    cells: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kept: Option<Cow<'a, [u64]>>,
}

/// The parts of a first line that tell the version. One without a checksum can be old; with one, it is as it was
/// written or not.
#[derive(Deserialize)]
struct Versioned {
    plan: Schema,
    sum: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Schema {
    schema: u64,
}

impl Bench {
    /// Writes the record.
    ///
    /// # Errors
    /// The output cannot be written to.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut out = Sealing::new(out);
        out.line(&PlanLine { plan: Cow::Borrowed(&self.plan) })?;
        let stacks = self.plan.stacks.len();
        for (at, cell) in self.cells.iter().enumerate() {
            let scenario = self.plan.scenarios[at / stacks].label().into();
            let stack = Cow::Borrowed(&*self.plan.stacks[at % stacks].guard);
            out.line(&CellLine { scenario, stack, cell: Cow::Borrowed(cell) })?;
        }
        let kept = self.kept.as_deref().map(Cow::Borrowed);
        out.last(&LastLine { done: Cow::Borrowed(&self.done), cells: self.cells.len(), kept })
    }

    /// Reads a record.
    ///
    /// # Errors
    /// The record cannot be read, has another version, is truncated, or contradicts itself; the error names the line.
    pub fn read(input: impl BufRead) -> Result<Self, BadBench> {
        Self::read_within(input, RECORD_BYTES)
    }

    fn read_within(input: impl BufRead, most: u64) -> Result<Self, BadBench> {
        let (input, versioned) = versioned(input)?;
        let versioned = versioned.filter(|it| it.plan.schema != u64::from(BENCH_SCHEMA));
        let mut lines = Lines { lines: Sealed::new(input), number: 0, most, left: most };
        if let Some(Versioned { plan: Schema { schema }, sum: None }) = versioned {
            lines.number = 1;
            return Err(lines.of_version(schema));
        }
        let first = lines.next("the plan of a bench: {\"plan\": …}")?;
        if let Some(Versioned { plan: Schema { schema }, .. }) = versioned {
            return Err(lines.of_version(schema));
        }
        let PlanLine { plan } = lines.parse(&first, "the plan of a bench: {\"plan\": …}")?;
        let plan = plan.into_owned();
        if plan.stacks.is_empty() || plan.scenarios.is_empty() {
            return Err(lines.bad("a plan with stacks and scenarios", "none".into()));
        }
        plan.check_size().map_err(|(expected, found)| lines.bad(&expected, found))?;
        let mut bench = Self::new(plan);
        bench.read_cells(&mut lines)?;
        bench.read_done(&mut lines)?;
        lines.end().map(|()| bench)
    }

    fn read_cells(&mut self, lines: &mut Lines<impl BufRead>) -> Result<(), BadBench> {
        let stacks = self.plan.stacks.len();
        for at in 0..self.cells.len() {
            let (scenario, stack) =
                (self.plan.scenarios[at / stacks].label(), &self.plan.stacks[at % stacks].guard);
            let expected = format!("the cell of `{scenario}` with `{stack}`");
            let text = lines.next(&expected)?;
            let read: CellLine<'_> = lines.parse(&text, &expected)?;
            if *read.scenario != scenario || *read.stack != **stack {
                return Err(
                    lines.bad(&expected, format!("that of `{}` with `{}`", read.scenario, read.stack))
                );
            }
            if let Some(odd) = read.cell.odd() {
                return Err(lines.bad("counts that trials can add up to", odd.to_owned()));
            }
            self.cells[at] = read.cell.into_owned();
        }
        Ok(())
    }

    fn read_done(&mut self, lines: &mut Lines<impl BufRead>) -> Result<(), BadBench> {
        let expected = "the seeds that are done: {\"done\": […], \"cells\": N}";
        let text = lines.next(expected)?;
        let last: LastLine<'_> = lines.parse(&text, expected)?;
        (self.done, self.kept) = (last.done.into_owned(), last.kept.map(Cow::into_owned));
        if self.done.len() != self.plan.scenarios.len() || last.cells != self.cells.len() {
            let expected =
                format!("{} sets of seeds and {} cells", self.plan.scenarios.len(), self.cells.len());
            return Err(lines.bad(&expected, format!("{} and {}", self.done.len(), last.cells)));
        }
        if let Some(kept) = &self.kept {
            let fits = kept.len() == self.done.len()
                && kept.iter().zip(&self.done).all(|(kept, done)| *kept <= done.count());
            if !fits {
                let expected = "for each scenario, kept transcripts of at most all seeds that are done";
                return Err(lines.bad(expected, format!("those of {kept:?}")));
            }
        }
        for scenario in 0..self.done.len() {
            self.check_done(scenario).map_err(|(expected, found)| lines.bad(&expected, found))?;
        }
        Ok(())
    }

    /// Checks the done seeds of a scenario against the plan and the cells; an error is what was expected and found.
    fn check_done(&self, scenario: usize) -> Result<(), (String, String)> {
        let ([from, to], done) = (self.plan.seeds, &self.done[scenario]);
        let label = self.plan.scenarios[scenario].label();
        if !done.is_within(from, to) {
            let expected = format!("seeds of `{label}` from {from} to {to}, as planned");
            return Err((expected, done.clone().into()));
        }
        let of_draw = done.by_draw();
        for cell in self.of_scenario(scenario) {
            let by_draw = [&cell.by_draw, &cell.drawn_by].map(|it| it.done);
            if by_draw.iter().any(|it| it.iter().zip(&of_draw).any(|(done, of)| done > of)) {
                let expected = format!("no more done trials of a draw of `{label}` than it has seeds");
                return Err((expected, "more".into()));
            }
            if cell.counts.trials != done.count() {
                let expected =
                    format!("{} trials in each cell of `{label}`, one for each seed", done.count());
                return Err((expected, cell.counts.trials.to_string()));
            }
        }
        Ok(())
    }
}

/// The same input, and the version that its first line names.
fn versioned(mut input: impl BufRead) -> Result<(impl BufRead, Option<Versioned>), BadBench> {
    let mut first = Vec::new();
    input.by_ref().take(LINE_BYTES as u64 + 1).read_until(b'\n', &mut first).map_err(BadBench::Io)?;
    let versioned = serde_json::from_slice(&first).ok();
    Ok((io::Cursor::new(first).chain(input), versioned))
}

/// What a record has to be, by its length in bytes.
pub(super) fn at_most(bytes: u64) -> String {
    format!("a record of at most {} MiB", bytes >> 20)
}

struct Lines<R> {
    lines: Sealed<R>,
    number: usize,
    /// How many bytes a record may have, and how many of them may still come.
    most: u64,
    left: u64,
}

impl<R: BufRead> Lines<R> {
    fn next(&mut self, expected: &str) -> Result<String, BadBench> {
        self.number += 1;
        let line = self.lines.line().map_err(|damage| self.damaged(damage))?;
        let line = line.ok_or_else(|| self.bad(expected, "the end of the record".into()))?;
        match self.left.checked_sub(line.len() as u64) {
            Some(left) => self.left = left,
            None => return Err(self.bad(&at_most(self.most), "a longer one".into())),
        }
        Ok(line)
    }

    fn end(&mut self) -> Result<(), BadBench> {
        self.number += 1;
        match self.lines.line().map_err(|damage| self.damaged(damage))? {
            None => Ok(()),
            Some(_) => Err(self.bad("the end of the record", "more".into())),
        }
    }

    /// The first line is of another version.
    fn of_version(&self, schema: u64) -> BadBench {
        let way_out = match schema {
            2 => "`balk migrate` with its folder makes it new",
            _ => "read it with the version of Balk that wrote it",
        };
        self.bad(&format!("a record of version {BENCH_SCHEMA}"), format!("version {schema}; {way_out}"))
    }

    fn damaged(&self, damage: Damage) -> BadBench {
        match damage {
            Damage::Io(error) => BadBench::Io(error),
            Damage::Line { expected, found } => self.bad(expected, found),
        }
    }

    fn parse<T: DeserializeOwned>(&self, text: &str, expected: &str) -> Result<T, BadBench> {
        serde_json::from_str(text).map_err(|error| self.bad(expected, error.to_string()))
    }

    fn bad(&self, expected: &str, found: String) -> BadBench {
        BadBench::Line { line: self.number, expected: expected.to_owned(), found }
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::tests::plan;
    use super::*;
    use crate::records::seal::tests::sealed;

    fn record() -> Bench {
        let mut bench = Bench::new(plan());
        let mut cell = Cell::default();
        cell.counts.trials = 3;
        cell.counts.not_told = 3;
        for scenario in 0..2 {
            let cells = vec![cell.clone(); 2];
            bench.add(scenario, &Seeds::range(0, 2), &cells).expect("the first seeds");
        }
        bench
    }

    fn text(bench: &Bench) -> String {
        let mut out = Vec::new();
        bench.write(&mut out).expect("a vector takes all");
        String::from_utf8(out).expect("JSON")
    }

    /// The record as somebody would write it who means what they change.
    fn changed(change: impl Fn(&str) -> String) -> String {
        let plain: String = text(&record())
            .lines()
            .map(|line| format!("{}}}\n", line.rsplit_once(",\"s").expect("a checksum").0))
            .collect();
        sealed(&change(&plain))
    }

    #[test]
    fn what_is_written_reads_back() {
        let bench = record();
        assert_eq!(Bench::read(text(&bench).as_bytes()).expect("a record"), bench);
    }

    #[test]
    fn a_record_is_read_to_a_bound() {
        let bad =
            Bench::read_within(text(&record()).as_bytes(), 2_000).expect_err("it is longer").to_string();
        assert!(bad.ends_with(": expected a record of at most 0 MiB, found a longer one"), "{bad}");
        assert!(!bad.starts_with("line 1:"), "a plan and some cells fit: {bad}");
    }

    #[track_caller]
    fn check(change: impl Fn(&str) -> String, expected: &str) {
        let error = Bench::read(changed(change).as_bytes()).expect_err("a bad record");
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn a_version_that_was_changed_is_no_old_one() {
        let changed = text(&record()).replacen("\"schema\":3", "\"schema\":2", 1);
        let bad = Bench::read(changed.as_bytes()).expect_err("it was changed").to_string();
        assert!(bad.starts_with("line 1: expected the line that was written"), "{bad}");
    }

    #[test]
    fn bad_records_say_what_is_wrong_and_where() {
        check(
            |it| it.replacen("\"schema\":3", "\"schema\":1", 1),
            "line 1: expected a record of version 3, found version 1; read it with the version of Balk that wrote it",
        );
        check(
            |it| it.replacen("\"schema\":3", "\"schema\":2", 1),
            "line 1: expected a record of version 3, found version 2; `balk migrate` with its folder makes it new",
        );
        check(
            |it| it.lines().take(3).map(|line| format!("{line}\n")).collect(),
            "line 4: expected the cell of `polling` with `none`, found the end of the record",
        );
        check(
            |it| it.replacen("\"stack\":\"default\"", "\"stack\":\"oracle\"", 1),
            "line 3: expected the cell of `repeating` with `default`, found that of `repeating` with `oracle`",
        );
        check(
            |it| {
                it.replacen("\"trials\":3", "\"trials\":4", 1).replacen("\"not_told\":3", "\"not_told\":4", 1)
            },
            "line 6: expected 3 trials in each cell of `repeating`, one for each seed, found 4",
        );
        check(
            |it| it.replacen("\"recovered\":0", "\"recovered\":1", 1),
            "line 2: expected counts that trials can add up to, found more recovered trials than stuck or done ones",
        );
        check(
            |it| it.replacen("\"done\":[\"0-2\",", "\"done\":[\"8-10\",", 1),
            "line 6: expected seeds of `repeating` from 0 to 9, as planned, found 8-10",
        );
        let two_of_one_draw = |it: &str| {
            let counts =
                it.replacen("\"done\":0", "\"done\":2", 1).replacen("\"not_told\":3", "\"not_told\":1", 1);
            counts.replacen(
                "\"stack\":\"none\",\"cell\":{",
                "\"stack\":\"none\",\"cell\":{\"by_draw\":DRAWS,",
                1,
            )
        };
        let draws =
            format!("{{\"done\":[2{}],\"false_interventions\":[0{}]}}", ",0".repeat(31), ",0".repeat(31));
        check(
            |it| two_of_one_draw(it).replacen("DRAWS", &draws, 1),
            "line 6: expected no more done trials of a draw of `repeating` than it has seeds, found more",
        );
        check(|it| format!("{it}{{\"more\":1}}\n"), "line 7: expected the end of the record, found more");
    }

    #[test]
    fn every_cut_is_seen() {
        let whole = text(&record());
        for cut in (0..whole.len()).step_by(7) {
            assert!(Bench::read(&whole.as_bytes()[..cut]).is_err(), "cut at {cut}");
        }
    }
}
