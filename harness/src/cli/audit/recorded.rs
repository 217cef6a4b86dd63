//! The rungs in recorded transcripts.

use std::path::PathBuf;

use indicatif::ProgressBar;

use crate::audit::{Row, found_by_replay};
use crate::cli::recordings::Unknown;
use crate::cli::say::{complain, say};
use crate::cli::{document, recordings};
use crate::error::Error;
use crate::import::reading::{Ending, Taken};
use crate::replay::{Found, Item, Replay};

/// One rung in recorded transcripts.
#[derive(Clone, Debug, Default)]
pub(super) struct Recorded {
    pub(super) transcripts: u64,
    /// File, line and id of the first transcript.
    pub(super) first: Option<(String, u64, String)>,
}

/// What recorded transcripts show of each rung, if any were named; and whether all files could be read.
///
/// # Errors
/// They have no transcript.
pub(super) fn read(
    inputs: &[PathBuf],
    replay: &Replay,
    rows: &[Row],
) -> Result<(Option<Vec<Recorded>>, bool), Error> {
    if inputs.is_empty() {
        return Ok((None, true));
    }
    let mut recorded = vec![Recorded::default(); rows.len()];
    let (mut readable, mut transcripts, mut unknown) = (true, 0_u64, Unknown::default());
    let mut unusable = |error: &Error| {
        readable = false;
        complain(error);
    };
    let mut files = Vec::new();
    for input in inputs {
        match recordings::expand(input) {
            Ok(more) => files.extend(more),
            Err(error) => unusable(&error),
        }
    }
    replay.files(&mut recordings::inputs(&files, &ProgressBar::hidden()), &mut |batch| {
        for taken in batch {
            match taken {
                Taken::Found(file, items) => {
                    let source = document::name(&files[file].path).display().to_string();
                    for item in items {
                        transcripts += u64::from(item.found.is_ok());
                        add(&source, item, rows, &mut recorded);
                    }
                }
                Taken::Ended(file, Ending::Broken { after_line, error }) => {
                    unusable(&recordings::broken(&files[file].path, after_line, error));
                }
                Taken::Ended(file, Ending::Unknown) => unknown.add(&files[file].path),
                Taken::Ended(_, Ending::Read(_)) => {}
            }
        }
        Ok(())
    })?;
    unknown.show();
    if transcripts == 0 {
        return Err(recordings::nothing());
    }
    Ok((Some(recorded), readable))
}

fn add(source: &str, item: Item, rows: &[Row], recorded: &mut [Recorded]) {
    let Item { line, found } = item;
    let found = match found {
        Ok(found) => found,
        Err(reason) => return say(format_args!("{source}:{line}: {reason}")),
    };
    for row in found_by_replay(&found, rows).rows {
        let recorded = &mut recorded[row];
        recorded.transcripts += 1;
        recorded.first.get_or_insert_with(|| (source.to_owned(), line, id(&found)));
    }
}

fn id(found: &Found) -> String {
    match found {
        Found::Foreign(it) => it.id.to_string(),
        Found::Own(own) => format!("{} seed {}", own.scenario, own.seed),
    }
}
