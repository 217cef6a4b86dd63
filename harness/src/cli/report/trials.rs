//! The pages of kept trials, in a folder beside the page of their bench.
//!
//! A trial is a page of its own that a link opens, not data that the page of the bench loads: a page from disk may not
//! fetch files, and one that runs scripts from other files could not forbid all code but its own. So each page works
//! alone, without a script, and can be sent to somebody.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

use balk_reports::records::{Bench, TrialRecord};
use balk_reports::report::document::html;
use balk_reports::report::trial_page;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::bench::Folder;
use crate::error::Error;
use crate::files;

/// The links to the pages of trials: by scenario, stack and seed.
pub(super) type Links = BTreeMap<(usize, usize, u64), String>;

/// What need not be escaped in a link.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Writes a page for each trial that was kept and that the page of the bench names: of each cell the first one, and
/// the first one with each lapse.
///
/// # Errors
/// Kept transcripts that are missing or cannot be read, a page that cannot be written.
pub(super) fn write(folder: &Folder, bench: &Bench, page: &Path) -> Result<Links, Error> {
    folder.check_transcripts(bench)?;
    let stem = page.file_stem().unwrap_or_default().to_string_lossy();
    let name = format!("{stem}-trials");
    let place = page.with_file_name(&name);
    // It may be in a record of a stranger, and the user did not name it.
    if place.is_symlink() {
        let error = Error::file(&place, "a folder for the pages of trials", "a symbolic link");
        return Err(error.hint("remove it, or name another file with --out"));
    }
    files::clear_left_over(&place);
    let (mut links, mut kept) = (Links::new(), folder.kept(&bench.plan));
    for (at, scenario) in bench.plan.scenarios.iter().enumerate() {
        let named: Vec<BTreeSet<u64>> =
            (0..bench.plan.stacks.len()).map(|nth| seeds(bench, at, nth)).collect();
        let seeds: BTreeSet<u64> = named.iter().flatten().copied().collect();
        for seed in seeds {
            let records = kept.of(at, seed)?;
            let of = |stack: usize| records.iter().find(|it| it.guard == bench.plan.stacks[stack].guard);
            for (nth, _) in named.iter().enumerate().filter(|(_, seeds)| seeds.contains(&seed)) {
                let Some(with) = of(nth) else { continue };
                let without = of(0).filter(|_| nth > 0);
                let file = format!("{at}-{nth}-{seed}.html");
                let command = bench.plan.trial(at, nth, seed);
                put(&place.join(&file), with, without, (&scenario.title, &command))?;
                let link = format!("{}/{file}", utf8_percent_encode(&name, PLAIN));
                links.insert((at, nth, seed), link);
            }
        }
    }
    Ok(links)
}

/// The seeds that the page of the bench names in a cell.
fn seeds(bench: &Bench, scenario: usize, stack: usize) -> BTreeSet<u64> {
    let first = bench.done[scenario].ranges().first().map(|[from, _]| *from);
    bench.cell(scenario, stack).lapses.values().copied().chain(first).collect()
}

fn put(
    path: &Path,
    with: &TrialRecord,
    without: Option<&TrialRecord>,
    (about, command): (&str, &str),
) -> Result<(), Error> {
    let page = html(&trial_page(with, without, about, command));
    files::write_own(path, |out| out.write_all(page.as_bytes()))
        .map_err(|error| Error::file(path, "a writable file", error))
}
