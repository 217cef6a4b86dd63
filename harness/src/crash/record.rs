//! The file with the record of all runs: one line of JSON with its [seal](balk_reports::records::seal).

use std::fs;
use std::path::{Component, Path};

use balk_reports::records::crash::{CRASH_SCHEMA, Record, Run};
use balk_reports::records::seal::{Damage, Sealed, Sealing};
use serde::Deserialize;
use serde::de::IgnoredAny;
use xxhash_rust::xxh3::xxh3_64;

use super::job::RECORD;
use crate::error::Error;
use crate::files::{self, write_own};
use crate::input;
use crate::lock::Lock;

/// The file of the record, in the folder of `balk crash --out`.
pub const RUNS: &str = "runs.json";

/// The most runs of a record. It is one line, of which a run takes about 700 bytes beside what it quotes, and its actor
/// in process 250. The longest line that is read has 16 MiB.
pub const RUNS_MAX: u64 = 10_000;

/// The most bytes of agents' words, waits and names that all runs of a record quote together, and those that one of
/// them quotes.
const QUOTES_BYTES: u64 = 4 << 20;
const QUOTES_OF_A_RUN: u64 = 64 << 10;

/// How many bytes of its agent's words, waits and names each of so many runs may quote.
#[must_use]
pub fn quotes(runs: u64) -> usize {
    let bytes = (QUOTES_BYTES / runs.max(1)).min(QUOTES_OF_A_RUN);
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// The last version without a seal.
const UNSEALED: u32 = 2;

/// The parts that tell the version. One without a seal can be old; with one, it is as it was written or not.
#[derive(Deserialize)]
struct Versioned {
    schema: u32,
    seal: Option<IgnoredAny>,
}

/// Writes the record into its folder.
///
/// # Errors
/// The file cannot be written; it is then unchanged.
pub fn write(folder: &Path, record: &Record) -> Result<(), Error> {
    let path = folder.join(RUNS);
    write_own(&path, |out| Sealing::new(out).last(record))
        .map_err(|error| Error::file(&path, "a writable file", error))
}

/// Reads the record of a folder.
///
/// # Errors
/// There is none, it cannot be read, it is not as it was written, or it is of another version.
pub fn read(folder: &Path) -> Result<Record, Error> {
    let path = folder.join(RUNS);
    let text = input::own(&path)?;
    let bad = |expected: &str, found: &dyn std::fmt::Display| in_line(&path, 1, expected, found);
    let versioned = serde_json::from_slice::<Versioned>(&text).ok();
    let versioned = versioned.filter(|it| it.schema != CRASH_SCHEMA);
    let other = |schema| {
        let way_out = match schema {
            UNSEALED => {
                "an older version of Balk wrote the file: `balk migrate` with its folder makes it new"
            }
            _ => "another version of this program wrote the file: play the runs again",
        };
        bad(&format!("version {CRASH_SCHEMA} of the format"), &schema).hint(way_out)
    };
    if let Some(Versioned { schema, seal: None }) = versioned {
        return Err(other(schema));
    }
    let mut sealed = Sealed::new(&*text);
    let line = sealed.line().and_then(|line| sealed.line().map(|_| line));
    let line = line.map_err(|damage| {
        let error = match damage {
            Damage::Io(error) => Error::unreadable(&path, &error),
            Damage::Line { expected, found } => in_line(&path, sealed.number() + 1, expected, &found),
        };
        error.hint("it is no record of `balk crash`, or was changed or truncated: play the runs again")
    })?;
    if let Some(Versioned { schema, .. }) = versioned {
        return Err(other(schema));
    }
    let expected = format!("the record of `balk crash`: {{\"schema\": {CRASH_SCHEMA}, …}}");
    let record: Record =
        serde_json::from_str(&line.unwrap_or_default()).map_err(|error| bad(&expected, &error))?;
    let leaves =
        |run: &&Run| Path::new(&run.folder).components().any(|it| !matches!(it, Component::Normal(_)));
    if let Some(run) = record.runs.iter().find(leaves) {
        return Err(bad("folders of runs below that of the record", &format_args!("`{}`", run.folder)));
    }
    Ok(record)
}

/// Whether this path is the file of the record, or in the folder of a run.
#[must_use]
pub fn holds(folder: &Path, record: &Record, path: &Path) -> bool {
    let mut names = record.runs.iter().map(|run| &*run.folder).chain([RUNS]);
    names.any(|name| files::is_below(path, &folder.join(name)))
}

fn in_line(path: &Path, line: u64, expected: &str, found: &dyn std::fmt::Display) -> Error {
    Error { place: format!("line {line}").into(), ..Error::file(path, expected, found) }
}

/// Compares what the runs left with the checksums of their record, and returns for how many runs there is something.
///
/// # Errors
/// A file cannot be read, or is not as it was written.
pub fn check(folder: &Path, record: &Record) -> Result<usize, Error> {
    let mut checked = 0;
    for run in &record.runs {
        let Some(expected) = &run.record else { continue };
        let path = folder.join(&run.folder).join(RECORD);
        let found = format!("{:016x}", xxh3_64(&input::own(&path)?));
        if found != *expected {
            let expected = format!("the file whose checksum {RUNS} has, {expected}");
            return Err(Error::file(&path, &expected, found).hint("it was changed: play the run again"));
        }
        checked += 1;
    }
    Ok(checked)
}

/// Gives the record of an older version its seal. Returns whether there was one.
///
/// # Errors
/// Another run writes to the folder, or the file cannot be read or written.
pub fn renew(folder: &Path) -> Result<bool, Error> {
    let path = folder.join(RUNS);
    if !path.exists() {
        return Ok(false);
    }
    let _lock = Lock::take(folder)?;
    let text = input::own(&path)?;
    match serde_json::from_slice(&text) {
        Ok(Versioned { schema: UNSEALED, seal: None }) => {}
        Ok(_) | Err(_) => return read(folder).map(|_| false),
    }
    let record: Record = serde_json::from_slice(&text)
        .map_err(|error| Error::file(&path, "the record of `balk crash`, of version 2", error))?;
    write(folder, &Record { schema: CRASH_SCHEMA, ..record }).map(|()| true)
}

/// Whether this folder has such a record.
#[must_use]
pub fn is_there(folder: &Path) -> bool {
    fs::metadata(folder.join(RUNS)).is_ok_and(|it| it.is_file())
}

#[cfg(test)]
mod tests {
    use balk_reports::records::crash::{InProcess, Left, Verdict, Word};

    use super::super::verdict::quoting;
    use super::*;
    use crate::files::write_passing;

    fn record() -> Record {
        Record {
            schema: CRASH_SCHEMA,
            balk: "0".to_owned(),
            command: "balk crash --cmd 'a b'".to_owned(),
            isolated: true,
            planned: 0,
            agents: Vec::new(),
            runs: Vec::new(),
            in_process: Vec::new(),
        }
    }

    #[test]
    fn every_flipped_bit_is_found_in_its_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(RUNS);
        write(folder.path(), &record()).expect("it can be written");
        assert_eq!(read(folder.path()).expect("it is whole"), record());
        let whole = fs::read(&path).expect("a file");
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut changed = whole.clone();
                changed[at] ^= 1 << bit;
                write_passing(&path, changed).expect("a file");
                let error = read(folder.path()).expect_err("it was changed").to_string();
                assert!(
                    error.contains(&format!("{RUNS}: line 1: expected ")),
                    "byte {at}, bit {bit}: {error}"
                );
            }
            write_passing(&path, &whole[..at]).expect("a file");
            assert!(read(folder.path()).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn a_folder_of_a_run_lies_below_that_of_the_record() {
        let folder = tempfile::tempdir().expect("a folder");
        for (of_run, is_below) in [("a/b/0", true), ("/etc", false), ("a/../../b", false), ("..", false)] {
            let run = serde_json::json!({
                "agent": "a", "scenario": "b", "kind": "stubborn", "seed": "0", "folder": of_run,
                "verdict": Verdict::not_run("why".to_owned()),
            });
            let run: Run = serde_json::from_value(run).expect("a run");
            write(folder.path(), &Record { runs: vec![run], ..record() }).expect("it can be written");
            let error = read(folder.path()).err().map(|it| it.to_string()).unwrap_or_default();
            assert_eq!(error.is_empty(), is_below, "{of_run}: {error}");
            assert!(
                is_below || error.contains(&format!("below that of the record, found `{of_run}`")),
                "{error}"
            );
        }
    }

    /// Verdicts on agents that say, do and leave behind as much as they can: few long texts, and many short ones. The
    /// numbers are those of millions of requests.
    fn long_verdicts() -> [Verdict; 2] {
        let verdict = |words: usize, text: &str| Verdict {
            code: Some(-2_147_483_648),
            runs: 1_000_000,
            requests: 10_000_000,
            tokens: [10_u64.pow(14), 10_u64.pow(12)],
            identical_calls: 10_000_000,
            interventions: (0..words).map(|it| (10_000_000 + it, text.to_owned())).collect(),
            calls: [10_000_000; 2],
            otherwise: 10_000_000,
            same_acts: [10_000_000; 2],
            left: Left((0..256).map(|it| (format!("{it:x}{text}"), 1)).collect()),
            milliseconds: 10_u64.pow(12),
            waits: vec![10_u64.pow(12); words],
            ..Verdict::not_run(text.to_owned())
        };
        let long = "\u{1}\u{1}\"x".repeat(1_000);
        [verdict(40, &long), verdict(50_000, "")]
    }

    /// Whatever agents say, and however often.
    #[test]
    fn a_record_of_the_most_runs_can_be_read() {
        let (scenario, seed) = ("the-long-name-of-a-scenario", "18446744073709551615");
        let in_process = |stack: &str| InProcess {
            scenario: scenario.to_owned(),
            seed: seed.to_owned(),
            stack: stack.to_owned(),
            word: Word::Reached,
            turns: 1_000,
            interventions: 1_000,
        };
        for (runs, verdict) in [1, 100, RUNS_MAX].into_iter().flat_map(|it| long_verdicts().map(|v| (it, v)))
        {
            let run = Run {
                agent: "a-name-of-an-agent+proxy".to_owned(),
                scenario: scenario.to_owned(),
                kind: balk_scenarios::Kind::Stubborn,
                seed: seed.to_owned(),
                folder: format!("a-name-of-an-agent+proxy/{scenario}-{seed}"),
                record: Some("0123456789abcdef".to_owned()),
                verdict: quoting(verdict, quotes(runs)),
            };
            let folder = tempfile::tempdir().expect("a folder");
            let stacks = ["none", "default"];
            let in_process = (0..runs).flat_map(|_| stacks.map(in_process)).collect();
            let runs = (0..runs).map(|_| run.clone()).collect();
            let whole = Record { runs, in_process, ..record() };
            write(folder.path(), &whole).expect("it can be written");
            assert_eq!(read(folder.path()).expect("it can be read"), whole);
        }
    }

    #[test]
    fn a_record_without_a_seal_gets_one_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(RUNS);
        assert_eq!(renew(folder.path()).ok(), Some(false));
        let old = Record { schema: UNSEALED, ..record() };
        write_passing(&path, serde_json::to_string_pretty(&old).expect("plain data")).expect("a file");
        let error = read(folder.path()).expect_err("it is old").to_string();
        assert!(error.contains("found 2") && error.contains("`balk migrate`"), "{error}");
        assert_eq!(renew(folder.path()).ok(), Some(true));
        assert_eq!(read(folder.path()).expect("it is new"), record());
        assert_eq!(renew(folder.path()).ok(), Some(false));
    }
}
