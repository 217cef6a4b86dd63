//! The rungs in recorded transcripts.

use std::path::{Path, PathBuf};

use crate::audit::{Row, found_by_replay};
use crate::cli::say::{complain, say};
use crate::cli::{document, recordings};
use crate::error::Error;
use crate::exit::Exit;
use crate::replay::{Broken, Found, Item, Replay};

/// One rung in recorded transcripts.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorded {
    pub(super) transcripts: u64,
    /// File, line and id of the first transcript.
    pub(super) first: Option<(String, u64, String)>,
}

/// What recorded transcripts show of each rung, if any were named; and whether all lines could be used.
pub(super) fn read(
    inputs: &[PathBuf],
    replay: &Replay,
    rows: &[Row],
) -> Result<(Option<Vec<Recorded>>, bool), Error> {
    if inputs.is_empty() {
        return Ok((None, true));
    }
    let mut recorded = vec![Recorded::default(); rows.len()];
    let mut readable = true;
    let mut unusable = |error: &Error| {
        readable = false;
        complain(error);
    };
    for input in inputs {
        let files = recordings::expand(input).unwrap_or_else(|error| {
            unusable(&error);
            Vec::new()
        });
        for file in files {
            if let Err(error) = one_file(replay, &file, rows, &mut recorded) {
                if error.exit != Exit::BadFile {
                    return Err(error);
                }
                unusable(&error);
            }
        }
    }
    Ok((Some(recorded), readable))
}

fn one_file(replay: &Replay, path: &Path, rows: &[Row], recorded: &mut [Recorded]) -> Result<(), Error> {
    let name = document::name(path);
    let input = document::open(path).map_err(|error| Error::unreadable(name, &error))?;
    let source = name.display().to_string();
    let ended = replay.file(input, &mut |items| {
        for Item { line, found } in items {
            let found = match found {
                Ok(found) => found,
                Err(reason) => {
                    say(format_args!("{source}:{line}: {reason}"));
                    continue;
                }
            };
            for row in found_by_replay(&found, rows).rows {
                let recorded = &mut recorded[row];
                recorded.transcripts += 1;
                recorded.first.get_or_insert_with(|| (source.clone(), line, id(&found)));
            }
        }
        Ok(())
    });
    match ended {
        Ok(()) => Ok(()),
        Err(Broken::Taken(error)) => Err(error.into()),
        Err(Broken::Read { after_line, error }) => {
            let mut error = Error::file(name, "a file that can be read to its end", error);
            error.place = format!("after line {after_line}").into();
            Err(error)
        }
    }
}

fn id(found: &Found) -> String {
    match found {
        Found::Foreign(it) => it.id.to_string(),
        Found::Own(own) => format!("{} seed {}", own.scenario, own.seed),
    }
}
